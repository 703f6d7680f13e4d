/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: readme C1_FILE SECTOR ACTOR
 * The README's lines in C, run. Parameters are looked for in
 * FIL_PROOFS_PARAMETER_CACHE. */
#include "cuzk.h"

#include "check.h"

int main(int argc, char** argv) {
    CHECK(argc == 4);
    size_t c1_len = 0;
    unsigned char* c1 = read_file(argv[1], &c1_len);
    const uint64_t sector = strtoull(argv[2], NULL, 10);
    const uint64_t miner = strtoull(argv[3], NULL, 10);

    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context;
    uint8_t id[32], proof[1920];
    size_t proof_len;

    if (cuzk_context_new(NULL, &context, &error) != CUZK_STATUS_OK ||
        cuzk_prover_id_from_actor(miner, id, &error) != CUZK_STATUS_OK ||
        cuzk_c2_prove(context, c1, c1_len, sector, id, proof, sizeof proof, &proof_len, NULL,
                      &error) != CUZK_STATUS_OK)
        fprintf(stderr, "%s\n", error.message);
    cuzk_context_free(context);

    CHECK(error.status == CUZK_STATUS_OK && proof_len % 192 == 0 && proof_len > 0);
    free(c1);
    puts("readme: proved in C");
    return 0;
}
