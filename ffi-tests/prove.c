/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: prove C1_FILE SECTOR_NUMBER ACTOR_ID PROOF_FILE
 * Proves a sector: reads the output of Commit-1, writes the proof that goes on
 * chain and says where the time went. Parameters are looked for in
 * FIL_PROOFS_PARAMETER_CACHE. */
#include <inttypes.h>

#include "check.h"

static void print_phase(const char* name, uint64_t nanoseconds) {
    printf("  %-22s %9.3f s\n", name, (double)nanoseconds / 1e9);
}

int main(int argc, char** argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: prove C1_FILE SECTOR_NUMBER ACTOR_ID PROOF_FILE\n");
        return 2;
    }
    size_t c1_len = 0;
    unsigned char* c1 = read_file(argv[1], &c1_len);
    const uint64_t sector = strtoull(argv[2], NULL, 10);
    unsigned char prover_id[32];
    cuzk_error error = CUZK_ERROR_INIT;
    OK(&error, cuzk_prover_id_from_actor(strtoull(argv[3], NULL, 10), prover_id, &error));

    cuzk_c2_description wanted = CUZK_C2_DESCRIPTION_INIT;
    OK(&error, cuzk_c2_info(c1, c1_len, &wanted, &error));
    printf("%s, %" PRIu32 " partition(s), %" PRIu64 " bytes of proof\n", wanted.name,
           wanted.partitions, wanted.proof_len);

    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(NULL, &context, &error));
    unsigned char* proof = malloc((size_t)wanted.proof_len);
    CHECK(proof);
    size_t proof_len = 0;
    cuzk_timings times = CUZK_TIMINGS_INIT;
    OK(&error, cuzk_c2_prove(context, c1, c1_len, sector, prover_id, proof,
                             (size_t)wanted.proof_len, &proof_len, &times, &error));
    printf("proved on %s:\n", times.backend);
    print_phase("parse", times.parse);
    print_phase("parameter load", times.parameter_load);
    print_phase("witness", times.witness);
    print_phase("constraint evaluation", times.constraint_evaluation);
    print_phase("ntt", times.ntt);
    print_phase("msm h", times.msm_h);
    print_phase("msm l", times.msm_l);
    print_phase("msm a", times.msm_a);
    print_phase("msm b in g1", times.msm_b_g1);
    print_phase("msm b in g2", times.msm_b_g2);
    print_phase("assemble", times.assemble);
    print_phase("verify", times.verify);
    print_phase("total", times.total);

    cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
    bool valid = false;
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &error));
    OK(&error, cuzk_c2_verify(context, &statement, proof, proof_len, &valid, &error));
    CHECK(valid);

    FILE* file = fopen(argv[4], "wb");
    CHECK(file && fwrite(proof, 1, proof_len, file) == proof_len && fclose(file) == 0);
    cuzk_context_free(context);
    free(proof);
    free(c1);
    return 0;
}
