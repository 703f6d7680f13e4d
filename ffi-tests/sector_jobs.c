/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: sector_jobs C1_FILE SECTOR_NUMBER ACTOR_ID [PARAMETER_FOLDER]
 * Jobs over C1 outputs: what is bad about a request is its own result. With a
 * folder of parameters a good one is proved between bad ones; without, it says
 * which file is missing. */
#include "check.h"

/* A request as a later header might have it. */
typedef struct {
    cuzk_c2_request known;
    uint64_t later[2];
} longer_request;

static cuzk_c2_request request_of(const unsigned char* c1, size_t c1_len, uint64_t sector,
                                  const unsigned char prover_id[32]) {
    cuzk_c2_request request = CUZK_C2_REQUEST_INIT;
    request.c1 = c1;
    request.c1_len = c1_len;
    request.sector_number = sector;
    memcpy(request.prover_id, prover_id, 32);
    return request;
}

static void result_is(const cuzk_job* job, size_t i, cuzk_status wanted, const char* part) {
    cuzk_error error = CUZK_ERROR_INIT;
    const uint8_t* proof = NULL;
    size_t length = 0;
    EXPECT(wanted, part, &error, cuzk_job_result_proof(job, i, &proof, &length, &error));
}

static void arrays_go_by_their_first_size(const cuzk_context* context, const unsigned char* c1,
                                          uint64_t sector, const unsigned char prover_id[32]) {
    cuzk_error error = CUZK_ERROR_INIT;
    longer_request two[2] = {{request_of(c1, 5, sector, prover_id), {0, 0}},
                             {request_of(c1 + 1, 9, sector, prover_id), {0, 0}}};
    two[0].known.struct_size = two[1].known.struct_size = sizeof two[0];
    cuzk_job* job = NULL;
    OK(&error, cuzk_c2_prove_start(context, &two[0].known, 2, NULL, &job, &error));
    OK(&error, cuzk_job_wait(job, -1, &error));
    result_is(job, 0, CUZK_STATUS_INVALID_C1, "");
    result_is(job, 1, CUZK_STATUS_INVALID_C1, "");
    cuzk_job_free(job);
    job = NULL;

    two[1].known.struct_size = sizeof two[1].known;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "requests[1]: struct_size is 72, that of the first is 88",
           &error, cuzk_c2_prove_start(context, &two[0].known, 2, NULL, &job, &error));
    two[1].known.struct_size = sizeof two[1];
    two[1].later[1] = 1;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "requests[1]: byte 80 of its 88 is set", &error,
           cuzk_c2_prove_start(context, &two[0].known, 2, NULL, &job, &error));
    two[0].known.struct_size = 68;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "no multiple of 8", &error,
           cuzk_c2_prove_start(context, &two[0].known, 2, NULL, &job, &error));
    two[0].known.struct_size = 0;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "struct_size is 0", &error,
           cuzk_c2_prove_start(context, &two[0].known, 2, NULL, &job, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "requests is null, with 2", &error,
           cuzk_c2_prove_start(context, NULL, 2, NULL, &job, &error));
    cuzk_c2_request null = request_of(NULL, 5, sector, prover_id);
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "requests[0]: c1 is null, with 5", &error,
           cuzk_c2_prove_start(context, &null, 1, NULL, &job, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "context is null", &error,
           cuzk_c2_prove_start(NULL, &null, 1, NULL, &job, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "job_out is null", &error,
           cuzk_c2_prove_start(context, &null, 1, NULL, NULL, &error));
    CHECK(!job);
}

static void proof_is_valid(const cuzk_context* context, const cuzk_job* job, size_t i,
                           const unsigned char* c1, size_t c1_len, uint64_t sector,
                           const unsigned char prover_id[32]) {
    cuzk_error error = CUZK_ERROR_INIT;
    const uint8_t* proof = NULL;
    size_t length = 0;
    OK(&error, cuzk_job_result_proof(job, i, &proof, &length, &error));
    cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
    bool valid = false;
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &error));
    OK(&error, cuzk_c2_verify(context, &statement, proof, length, &valid, &error));
    CHECK(valid);
    cuzk_timings timings = CUZK_TIMINGS_INIT;
    OK(&error, cuzk_job_result_timings(job, i, &timings, &error));
    CHECK(timings.proofs == 1 && timings.parse > 0 && timings.witness > 0 && timings.msm_h > 0);
}

/* Cancels a proof that has begun: parameters and circuit are in memory. */
static void a_partition_ends_when_cancelled(const cuzk_context* context,
                                            const cuzk_c2_request* good) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_job* job = NULL;
    cuzk_progress progress = CUZK_PROGRESS_INIT;
    OK(&error, cuzk_c2_prove_start(context, good, 1, NULL, &job, &error));
    do {
        EXPECT(CUZK_STATUS_TIMEOUT, "", &error, cuzk_job_wait(job, 5, &error));
        OK(&error, cuzk_job_progress(job, &progress, &error));
    } while (progress.phase != CUZK_JOB_PHASE_PROVING);
    EXPECT(CUZK_STATUS_TIMEOUT, "", &error, cuzk_job_wait(job, 300, &error));
    OK(&error, cuzk_job_cancel(job, &error));
    OK(&error, cuzk_job_wait(job, -1, &error));
    result_is(job, 0, CUZK_STATUS_CANCELLED, "cancelled");
    cuzk_job_free(job);
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
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.parameter_directory = folder ? folder : "/nonexistent";
    OK(&error, cuzk_context_new(&options, &context, &error));
    arrays_go_by_their_first_size(context, c1, sector, prover_id);

    /* The bytes are copied: those that the job was started with are gone. */
    unsigned char* lent = malloc(c1_len);
    CHECK(lent);
    memcpy(lent, c1, c1_len);
    cuzk_c2_request requests[3] = {request_of(lent, c1_len / 2, sector, prover_id),
                                   request_of(lent, c1_len, sector, prover_id),
                                   request_of(lent, c1_len, sector + 1, prover_id)};
    cuzk_job* job = NULL;
    OK(&error, cuzk_c2_prove_start(context, requests, 3, NULL, &job, &error));
    memset(lent, 'x', c1_len);
    free(lent);
    memset(requests, 0x55, sizeof requests);
    OK(&error, cuzk_job_wait(job, -1, &error));
    result_is(job, 0, CUZK_STATUS_INVALID_C1, "C1 output");
    result_is(job, 2, CUZK_STATUS_INVALID_ARGUMENT, "not of sector");
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "was lent no rows", &error,
           cuzk_job_abc_released(job, 0, 0, &error));
    if (folder) {
        proof_is_valid(context, job, 1, c1, c1_len, sector, prover_id);
        const cuzk_c2_request good = request_of(c1, c1_len, sector, prover_id);
        a_partition_ends_when_cancelled(context, &good);
    } else {
        result_is(job, 1, CUZK_STATUS_PARAMETERS_NOT_FOUND, "/nonexistent/v28-");
    }
    cuzk_context_free(context);
    cuzk_job_free(job);
    free(c1);
    printf("sector_jobs: %s\n", folder ? "one sector proved, three requests judged, one cancelled"
                                       : "three requests judged");
    return 0;
}
