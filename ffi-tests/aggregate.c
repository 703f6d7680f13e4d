/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: aggregate C1_FILE SECTOR_NUMBER ACTOR_ID [PARAMETER_FOLDER]
 * Circuit proofs and aggregates: what is refused before any work is done. With
 * a folder of parameters a sector is proved and its proof aggregated. */
#include "check.h"

static const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;

static void bad_circuit_proofs(const cuzk_context* context, const unsigned char* c1, size_t c1_len,
                               uint64_t sector) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_proof proof;
    size_t n = 99;
    EXPECT(CUZK_STATUS_BUFFER_TOO_SMALL, "room for 0 bytes, 192 needed", &error,
           cuzk_c2_circuit_proofs(context, c1, c1_len, sector, &proof, 0, &n, NULL, &error));
    CHECK(n == 1);
    EXPECT(invalid, "context is null", &error,
           cuzk_c2_circuit_proofs(NULL, c1, c1_len, sector, &proof, 1, &n, NULL, &error));
    EXPECT(invalid, "proofs_out is null", &error,
           cuzk_c2_circuit_proofs(context, c1, c1_len, sector, NULL, 1, &n, NULL, &error));
    EXPECT(invalid, "n_out is null", &error,
           cuzk_c2_circuit_proofs(context, c1, c1_len, sector, &proof, 1, NULL, NULL, &error));
    EXPECT(CUZK_STATUS_INVALID_C1, "", &error,
           cuzk_c2_circuit_proofs(context, c1, 100, sector, &proof, 1, &n, NULL, &error));
}

static void bad_requests(const cuzk_context* context, const unsigned char* c1, size_t c1_len) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_job* job = NULL;
    cuzk_c2_request request = CUZK_C2_REQUEST_INIT;
    request.c1 = c1;
    request.c1_len = c1_len;
    request.circuit_proofs = 2;
    EXPECT(invalid, "requests[0]: circuit_proofs is 2, 0 to 1 are known", &error,
           cuzk_c2_prove_start(context, &request, 1, NULL, &job, &error));
    CHECK(!job);
}

static void bad_aggregates(const cuzk_context* context, const cuzk_c2_statement* good) {
    cuzk_error error = CUZK_ERROR_INIT;
    unsigned char bytes[6000] = {7};
    cuzk_proof proof;
    memset(&proof, 0, sizeof proof);
    size_t length = 99;
    bool valid = true;
    const int32_t v2 = CUZK_AGGREGATION_SNARK_PACK_V2;
    EXPECT(CUZK_STATUS_BUFFER_TOO_SMALL, "room for 9 bytes, 5236 needed", &error,
           cuzk_c2_aggregate(context, v2, good, 1, &proof, 1, bytes, 9, &length, &error));
    CHECK(length == 5236 && bytes[0] == 7);
    EXPECT(invalid, "registered aggregation 2 is unknown", &error,
           cuzk_c2_aggregate(context, 2, good, 1, &proof, 1, bytes, sizeof bytes, &length, &error));
    EXPECT(invalid, "registered aggregation -1", &error,
           cuzk_c2_verify_aggregate(context, -1, good, 1, bytes, 5236, &valid, &error));
    EXPECT(invalid, "no sectors", &error,
           cuzk_c2_aggregate(context, v2, NULL, 0, NULL, 0, bytes, sizeof bytes, &length, &error));
    EXPECT(invalid, "statements is null, with 1", &error,
           cuzk_c2_verify_aggregate(context, v2, NULL, 1, bytes, 5236, &valid, &error));
    EXPECT(invalid, "the proofs have 0 bytes, 1 sectors", &error,
           cuzk_c2_aggregate(context, v2, good, 1, NULL, 0, bytes, sizeof bytes, &length, &error));
    EXPECT(
        invalid, "point a", &error,
        cuzk_c2_aggregate(context, v2, good, 1, &proof, 1, bytes, sizeof bytes, &length, &error));
    EXPECT(invalid, "aggregate_len_out is null", &error,
           cuzk_c2_aggregate(context, v2, good, 1, &proof, 1, bytes, sizeof bytes, NULL, &error));
    EXPECT(invalid, "aggregate_out is null", &error,
           cuzk_c2_aggregate(context, v2, good, 1, &proof, 1, NULL, 9, &length, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_c2_verify_aggregate(NULL, v2, good, 1, bytes, 5236, &valid, &error));
    EXPECT(invalid, "valid_out is null", &error,
           cuzk_c2_verify_aggregate(context, v2, good, 1, bytes, 5236, NULL, &error));
    EXPECT(invalid, "the aggregate has 5235 bytes", &error,
           cuzk_c2_verify_aggregate(context, v2, good, 1, bytes, 5235, &valid, &error));

    cuzk_c2_statement two[2] = {*good, *good};
    two[1].registered_proof = 20;
    EXPECT(invalid, "statements[1]: registered seal proof 20", &error,
           cuzk_c2_verify_aggregate(context, v2, two, 2, bytes, 5236, &valid, &error));
    two[1].registered_proof = 0;
    EXPECT(invalid, "statement 1 is of StackedDrg2KiBV1, the first is of", &error,
           cuzk_c2_verify_aggregate(context, v2, two, 2, bytes, 5236, &valid, &error));
    two[1].struct_size = 8;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "statements[1]: struct_size is 8", &error,
           cuzk_c2_verify_aggregate(context, v2, two, 2, bytes, 5236, &valid, &error));
    CHECK(valid && length == 5236);
}

static void a_real_one(const cuzk_context* context, const unsigned char* c1, size_t c1_len,
                       uint64_t sector, const cuzk_c2_statement* statement) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_proof proof;
    size_t n = 0;
    cuzk_timings timings = CUZK_TIMINGS_INIT;
    OK(&error,
       cuzk_c2_circuit_proofs(context, c1, c1_len, sector, &proof, 1, &n, &timings, &error));
    CHECK(n == 1 && timings.proofs == 1 && timings.total > 0);

    /* One sector alone, and the same twice. */
    const cuzk_c2_statement two[2] = {*statement, *statement};
    const cuzk_proof proofs[2] = {proof, proof};
    unsigned char bytes[5236];
    for (size_t count = 1; count <= 2; count++) {
        for (int32_t version = 0; version <= 1; version++) {
            size_t length = 0;
            bool valid = false;
            OK(&error, cuzk_c2_aggregate(context, version, two, count, proofs, count, bytes,
                                         sizeof bytes, &length, &error));
            CHECK(length == sizeof bytes);
            OK(&error, cuzk_c2_verify_aggregate(context, version, two, count, bytes, length, &valid,
                                                &error));
            CHECK(valid);
            OK(&error, cuzk_c2_verify_aggregate(context, 1 - version, two, count, bytes, length,
                                                &valid, &error));
            CHECK(!valid);
            bytes[length - 1] ^= 1;
            OK(&error, cuzk_c2_verify_aggregate(context, version, two, count, bytes, length, &valid,
                                                &error));
            CHECK(!valid);
        }
    }
    cuzk_c2_statement other = *statement;
    other.sector_number++;
    size_t length = 0;
    EXPECT(
        invalid, "partition 0: the proof is not valid", &error,
        cuzk_c2_aggregate(context, 1, &other, 1, &proof, 1, bytes, sizeof bytes, &length, &error));
}

int main(int argc, char** argv) {
    CHECK(argc == 4 || argc == 5);
    const char* folder = argc == 5 ? argv[4] : NULL;
    size_t c1_len = 0;
    unsigned char* c1 = read_file(argv[1], &c1_len);
    const uint64_t sector = strtoull(argv[2], NULL, 10);
    unsigned char prover_id[32];
    cuzk_error error = CUZK_ERROR_INIT;
    OK(&error, cuzk_prover_id_from_actor(strtoull(argv[3], NULL, 10), prover_id, &error));
    cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &error));
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.parameter_directory = folder ? folder : "/nonexistent";
    OK(&error, cuzk_context_new(&options, &context, &error));

    bad_circuit_proofs(context, c1, c1_len, sector);
    bad_requests(context, c1, c1_len);
    bad_aggregates(context, &statement);
    if (folder) a_real_one(context, c1, c1_len, sector, &statement);

    cuzk_context_free(context);
    free(c1);
    printf("aggregate: %s\n",
           folder ? "a sector's proof aggregated" : "what cannot be aggregated is refused");
    return 0;
}
