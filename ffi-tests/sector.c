/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: sector C1_FILE SECTOR_NUMBER ACTOR_ID
 * What is refused of a C1 output and of a statement, before any work is done;
 * no parameters are needed for that. */
#include "check.h"

int main(int argc, char** argv) {
    CHECK(argc == 4);
    size_t c1_len;
    unsigned char* c1 = read_file(argv[1], &c1_len);
    const uint64_t sector = strtoull(argv[2], NULL, 10);
    unsigned char prover_id[32], other_id[32], proof[192] = {7};
    cuzk_error error = CUZK_ERROR_INIT;
    const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;
    OK(&error, cuzk_prover_id_from_actor(strtoull(argv[3], NULL, 10), prover_id, &error));
    OK(&error, cuzk_prover_id_from_actor(5, other_id, &error));
    EXPECT(invalid, "prover_id_out is null", &error, cuzk_prover_id_from_actor(5, NULL, &error));

    cuzk_c2_description wanted = CUZK_C2_DESCRIPTION_INIT;
    OK(&error, cuzk_c2_info(c1, c1_len, &wanted, &error));
    CHECK(wanted.partitions == 1 && wanted.proof_len == 192 && wanted.sector_size == 2048);
    CHECK(strncmp(wanted.name, "StackedDrg2KiBV1", 16) == 0);
    CHECK(strncmp(wanted.circuit, "stacked-proof-of-replication", 28) == 0);
    EXPECT(invalid, "description_out is null", &error, cuzk_c2_info(c1, c1_len, NULL, &error));
    EXPECT(invalid, "c1 is null", &error, cuzk_c2_info(NULL, 9, &wanted, &error));
    EXPECT(CUZK_STATUS_INVALID_C1, "", &error, cuzk_c2_info(NULL, 0, &wanted, &error));

    OK(&error, cuzk_c2_check(c1, c1_len, sector, prover_id, &error));
    EXPECT(invalid, "sector", &error, cuzk_c2_check(c1, c1_len, sector + 1, prover_id, &error));
    EXPECT(invalid, "prover", &error, cuzk_c2_check(c1, c1_len, sector, other_id, &error));
    EXPECT(invalid, "prover_id is null", &error, cuzk_c2_check(c1, c1_len, sector, NULL, &error));

    /* Without parameters: the file that is missing is named. */
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.parameter_directory = "/nonexistent";
    OK(&error, cuzk_context_new(&options, &context, &error));
    size_t length = 99;
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "/nonexistent/v28-", &error,
           cuzk_c2_prove(context, c1, c1_len, sector, prover_id, proof, sizeof proof, &length, NULL,
                         &error));
    CHECK(length == 99 && proof[0] == 7);
    EXPECT(
        CUZK_STATUS_BUFFER_TOO_SMALL, "191 bytes, 192 needed", &error,
        cuzk_c2_prove(context, c1, c1_len, sector, prover_id, proof, 191, &length, NULL, &error));
    CHECK(length == 192);
    EXPECT(invalid, "context is null", &error,
           cuzk_c2_prove(NULL, c1, c1_len, sector, prover_id, proof, sizeof proof, &length, NULL,
                         &error));
    EXPECT(invalid, "proof_len_out is null", &error,
           cuzk_c2_prove(context, c1, c1_len, sector, prover_id, proof, sizeof proof, NULL, NULL,
                         &error));
    EXPECT(invalid, "proof_out is null", &error,
           cuzk_c2_prove(context, c1, c1_len, sector, prover_id, NULL, sizeof proof, &length, NULL,
                         &error));
    cuzk_proof partition;
    EXPECT(invalid, "partition", &error,
           cuzk_c2_prove_partition(context, c1, c1_len, sector, prover_id, 1, &partition, NULL,
                                   &error));
    EXPECT(invalid, "needs 1", &error,
           cuzk_c2_assemble(context, c1, c1_len, sector, prover_id, NULL, 0, proof, sizeof proof,
                            &length, &error));

    /* Cut anywhere, an output is refused and nothing is read past its end. */
    for (size_t cut = 0; cut < c1_len; cut += 1 + c1_len / 97) {
        unsigned char* shorter = malloc(cut + 1);
        CHECK(shorter);
        memcpy(shorter, c1, cut);
        unsigned char* exact = realloc(shorter, cut ? cut : 1);
        CHECK(exact);
        EXPECT(CUZK_STATUS_INVALID_C1, "", &error,
               cuzk_c2_prove(context, exact, cut, sector, prover_id, proof, sizeof proof, &length,
                             NULL, &error));
        free(exact);
    }

    bool valid = true;
    cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &error));
    CHECK(statement.sector_number == sector && memcmp(statement.prover_id, prover_id, 32) == 0);
    EXPECT(invalid, "bytes", &error, cuzk_c2_verify(context, &statement, proof, 0, &valid, &error));
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "/nonexistent/v28-", &error,
           cuzk_c2_verify(context, &statement, proof, sizeof proof, &valid, &error));
    statement.registered_proof = 20;
    EXPECT(invalid, "registered seal proof 20", &error,
           cuzk_c2_verify(context, &statement, proof, sizeof proof, &valid, &error));
    EXPECT(invalid, "registered seal proof 20", &error, cuzk_context_warm_up(context, 20, &error));
    statement.registered_proof = 15;
    EXPECT(invalid, "192 bytes, StackedDrg2KiBV1_2_Feat_NonInteractivePoRep needs 14164", &error,
           cuzk_c2_verify(context, &statement, proof, sizeof proof, &valid, &error));
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "/nonexistent/v28-fil-inner-product-v1.srs", &error,
           cuzk_context_warm_up(context, 15, &error));
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "/nonexistent/v28-", &error,
           cuzk_context_warm_up(context, 0, &error));
    EXPECT(invalid, "seed is null", &error, cuzk_dev_setup(context, 0, NULL, NULL, NULL, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_dev_setup(NULL, 0, prover_id, NULL, NULL, &error));
    CHECK(valid);

    cuzk_context_free(context);
    free(c1);
    puts("sector: what is no C1 output of this sector is refused");
    return 0;
}
