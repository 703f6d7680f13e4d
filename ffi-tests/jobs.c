/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: jobs SMALL_CIRCUIT_FOLDER
 * Jobs over evaluated rows: a result for each assignment, waits, cancelling,
 * priorities, lent rows, callbacks, and handles that end in any order. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "circuit.h"

/* More than is proved before a test cancels the job. */
enum { MANY = 500 };

static const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;

static cuzk_context* new_context(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    return context;
}

static cuzk_srs* open_srs(const cuzk_context* context, const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, circuit->params, NULL, &srs, &error));
    return srs;
}

/* Starts a job of n equal assignments. */
static cuzk_job* start(const cuzk_context* context, const cuzk_srs* srs,
                       const small_circuit* circuit, size_t n, const cuzk_job_options* options) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_assignment* assignments = malloc((n + 1) * sizeof *assignments);
    CHECK(assignments);
    for (size_t i = 0; i < n; i++) assignments[i] = circuit->assignment;
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(context, srs, assignments, n, NULL, options, &job, &error));
    CHECK(job);
    free(assignments);
    return job;
}

static void wait_for(const cuzk_job* job) {
    cuzk_error error = CUZK_ERROR_INIT;
    OK(&error, cuzk_job_wait(job, -1, &error));
}

static cuzk_status status_of(const cuzk_job* job, size_t i) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_status status = CUZK_STATUS_INTERNAL;
    OK(&error, cuzk_job_result_status(job, i, &status, &error));
    return status;
}

static bool ended(const cuzk_job* job) {
    cuzk_error error = CUZK_ERROR_INIT;
    bool value = false;
    OK(&error, cuzk_job_poll(job, &value, &error));
    return value;
}

static cuzk_progress progress_of(const cuzk_job* job) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_progress progress = CUZK_PROGRESS_INIT;
    OK(&error, cuzk_job_progress(job, &progress, &error));
    return progress;
}

static void result_is_valid(const cuzk_job* job, size_t i, const cuzk_srs* srs,
                            const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    const uint8_t* bytes = NULL;
    size_t length = 0;
    const char* message = NULL;
    cuzk_proof proof;
    CHECK(status_of(job, i) == CUZK_STATUS_OK);
    OK(&error, cuzk_job_result_message(job, i, &message, &error));
    CHECK(message[0] == '\0');
    OK(&error, cuzk_job_result_proof(job, i, &bytes, &length, &error));
    CHECK(length == sizeof proof);
    memcpy(&proof, bytes, sizeof proof);
    if (srs) CHECK(small_circuit_valid(srs, circuit, &proof));
}

static void one_bad_assignment_does_not_fail_its_neighbours(const cuzk_context* context,
                                                            const cuzk_srs* srs,
                                                            const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_assignment four[4] = {circuit->assignment, circuit->assignment, circuit->assignment,
                               circuit->assignment};
    four[1].abc_size = 3;
    four[2].a = NULL;
    cuzk_randomness fixed[4] = {{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}},
                                {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}},
                                {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}},
                                {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}};
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(context, srs, four, 4, fixed, NULL, &job, &error));
    wait_for(job);
    size_t count = 0;
    OK(&error, cuzk_job_result_count(job, &count, &error));
    CHECK(count == 4 && ended(job));
    result_is_valid(job, 0, srs, circuit);
    result_is_valid(job, 3, srs, circuit);

    /* The same bytes as without a job. */
    cuzk_proof proof;
    const uint8_t* bytes = NULL;
    size_t length = 77;
    OK(&error, cuzk_prove(context, srs, four, 1, fixed, &proof, NULL, &error));
    OK(&error, cuzk_job_result_proof(job, 3, &bytes, &length, &error));
    CHECK(length == sizeof proof && memcmp(bytes, &proof, length) == 0);

    /* The bad ones say what is wrong with them, in both ways. */
    const char* message = NULL;
    CHECK(status_of(job, 1) == CUZK_STATUS_INVALID_ASSIGNMENT && status_of(job, 2) == invalid);
    OK(&error, cuzk_job_result_message(job, 1, &message, &error));
    CHECK(strlen(message) > 10);
    bytes = NULL;
    length = 77;
    EXPECT(CUZK_STATUS_INVALID_ASSIGNMENT, message, &error,
           cuzk_job_result_proof(job, 1, &bytes, &length, &error));
    EXPECT(invalid, "a is null", &error, cuzk_job_result_proof(job, 2, &bytes, &length, &error));
    CHECK(!bytes && length == 77);

    cuzk_timings timings = CUZK_TIMINGS_INIT;
    OK(&error, cuzk_job_result_timings(job, 0, &timings, &error));
    CHECK(timings.proofs == 1 && timings.msm_h > 0 && timings.total >= timings.msm_h);
    CHECK(strcmp(timings.backend, "cpu") == 0);
    OK(&error, cuzk_job_result_partition_timings(job, 0, 0, &timings, &error));
    CHECK(timings.proofs == 1 && timings.msm_h > 0);
    OK(&error, cuzk_job_result_timings(job, 1, &timings, &error));
    CHECK(timings.proofs == 0 && timings.msm_h == 0);

    cuzk_progress progress = progress_of(job);
    CHECK(progress.phase == CUZK_JOB_PHASE_DONE && progress.fraction == 1.0);
    CHECK(progress.requests_done == 4 && progress.requests_total == 4);
    CHECK(progress.partitions_done == 2 && progress.partitions_total == 2);

    cuzk_status status;
    EXPECT(invalid, "i is 4, the job has 4 requests", &error,
           cuzk_job_result_status(job, 4, &status, &error));
    EXPECT(invalid, "the job has 4", &error, cuzk_job_result_message(job, 9, &message, &error));
    EXPECT(invalid, "the job has 4", &error,
           cuzk_job_result_proof(job, SIZE_MAX, &bytes, &length, &error));
    EXPECT(invalid, "the job has 4", &error, cuzk_job_result_timings(job, 4, &timings, &error));
    EXPECT(invalid, "the job has 4", &error, cuzk_job_abc_released(job, 4, 0, &error));
    EXPECT(invalid, "k is 1, 1 partitions", &error,
           cuzk_job_result_partition_timings(job, 0, 1, &timings, &error));
    cuzk_job_free(job);
}

static void arguments_are_checked(const cuzk_context* context, const cuzk_srs* srs,
                                  const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    const cuzk_assignment* one = &circuit->assignment;
    cuzk_job* job = NULL;
    EXPECT(invalid, "job_out is null", &error,
           cuzk_prove_start(context, srs, one, 1, NULL, NULL, NULL, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_prove_start(NULL, srs, one, 1, NULL, NULL, &job, &error));
    EXPECT(invalid, "srs is null", &error,
           cuzk_prove_start(context, NULL, one, 1, NULL, NULL, &job, &error));
    EXPECT(invalid, "assignments is null, with 1", &error,
           cuzk_prove_start(context, srs, NULL, 1, NULL, NULL, &job, &error));
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.priority = 5;
    EXPECT(invalid, "options.priority is 5, 0 to 4", &error,
           cuzk_prove_start(context, srs, one, 1, NULL, &options, &job, &error));
    options.struct_size = 7;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "options: struct_size is 7", &error,
           cuzk_prove_start(context, srs, one, 1, NULL, &options, &job, &error));
    CHECK(!job);

    bool value;
    size_t count;
    cuzk_progress progress = CUZK_PROGRESS_INIT;
    EXPECT(invalid, "job is null", &error, cuzk_job_wait(NULL, 0, &error));
    EXPECT(invalid, "job is null", &error, cuzk_job_poll(NULL, &value, &error));
    EXPECT(invalid, "job is null", &error, cuzk_job_progress(NULL, &progress, &error));
    EXPECT(invalid, "job is null", &error, cuzk_job_cancel(NULL, &error));
    EXPECT(invalid, "job is null", &error, cuzk_job_abc_released(NULL, 0, 0, &error));
    EXPECT(invalid, "job is null", &error, cuzk_job_result_count(NULL, &count, &error));

    /* No assignments: a job that has nothing to do. */
    OK(&error, cuzk_prove_start(context, srs, NULL, 0, NULL, NULL, &job, &error));
    wait_for(job);
    OK(&error, cuzk_job_result_count(job, &count, &error));
    CHECK(count == 0);
    EXPECT(invalid, "ended_out is null", &error, cuzk_job_poll(job, NULL, &error));
    EXPECT(invalid, "count_out is null", &error, cuzk_job_result_count(job, NULL, &error));
    EXPECT(invalid, "progress_out is null", &error, cuzk_job_progress(job, NULL, &error));
    cuzk_job_free(job);
    cuzk_job_free(NULL);
}

static void waits_run_out_and_a_cancelled_job_ends(const cuzk_context* context, const cuzk_srs* srs,
                                                   const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_job* job = start(context, srs, circuit, MANY, NULL);
    EXPECT(CUZK_STATUS_TIMEOUT, "not ended after 0", &error, cuzk_job_wait(job, 0, &error));
    EXPECT(CUZK_STATUS_TIMEOUT, "not ended after 3", &error, cuzk_job_wait(job, 3, &error));
    cuzk_status status;
    EXPECT(CUZK_STATUS_TIMEOUT, "request 499 of 500 has not ended", &error,
           cuzk_job_result_status(job, MANY - 1, &status, &error));
    EXPECT(CUZK_STATUS_TIMEOUT, "rows of assignment 499", &error,
           cuzk_job_abc_released(job, MANY - 1, 1, &error));
    CHECK(!ended(job));
    while (progress_of(job).requests_done < 3) usleep(1000);
    /* Results are there while the job goes on. */
    result_is_valid(job, 2, srs, circuit);
    CHECK(!ended(job));

    OK(&error, cuzk_job_cancel(job, &error));
    OK(&error, cuzk_job_cancel(job, &error));
    wait_for(job);
    size_t proved = 0;
    while (proved < MANY && status_of(job, proved) == CUZK_STATUS_OK) proved++;
    CHECK(proved >= 3 && proved < MANY);
    for (size_t i = proved; i < MANY; i++) CHECK(status_of(job, i) == CUZK_STATUS_CANCELLED);
    for (size_t i = 0; i < MANY; i++) OK(&error, cuzk_job_abc_released(job, i, 0, &error));
    cuzk_progress progress = progress_of(job);
    CHECK(progress.phase == CUZK_JOB_PHASE_DONE && progress.requests_done == MANY);
    /* The request that was cancelled may have been proved and not joined. */
    CHECK(progress.partitions_done == proved || progress.partitions_done == proved + 1);
    CHECK(progress.partitions_total == progress.partitions_done);
    result_is_valid(job, proved - 1, srs, circuit);
    cuzk_job_free(job);
}

static void urgent_jobs_overtake(const cuzk_context* context, const cuzk_srs* srs,
                                 const small_circuit* circuit) {
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.priority = CUZK_PRIORITY_LOW;
    cuzk_job* low = start(context, srs, circuit, MANY, &options);
    options.priority = CUZK_PRIORITY_NORMAL;
    cuzk_job* normal = start(context, srs, circuit, MANY, &options);
    options.priority = CUZK_PRIORITY_CRITICAL;
    cuzk_job* critical = start(context, srs, circuit, 2, &options);
    wait_for(critical);
    result_is_valid(critical, 1, srs, circuit);
    CHECK(!ended(low) && !ended(normal));
    /* Freed while they run, the urgent one last. */
    cuzk_job_free(low);
    cuzk_job_free(normal);
    cuzk_job_free(critical);
}

/* Each assignment gets rows of its own, which are freed as soon as they may be:
 * the sanitizer and valgrind see a use after that. */
static void rows_may_go_once_released(const cuzk_context* context, const cuzk_srs* srs,
                                      const small_circuit* circuit) {
    enum { N = 3 };
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_assignment lent[N];
    cuzk_fr* rows[N];
    const size_t n = circuit->assignment.abc_size;
    for (int i = 0; i < N; i++) {
        rows[i] = malloc(3 * n * sizeof *rows[i]);
        CHECK(rows[i]);
        memcpy(rows[i], circuit->assignment.a, 3 * n * sizeof *rows[i]);
        lent[i] = circuit->assignment;
        lent[i].a = rows[i];
        lent[i].b = rows[i] + n;
        lent[i].c = rows[i] + 2 * n;
    }
    lent[1].a_aux_popcount++;
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(context, srs, lent, N, NULL, NULL, &job, &error));
    memset(lent, 0, sizeof lent);
    for (size_t i = 0; i < N; i++) {
        OK(&error, cuzk_job_abc_released(job, i, -1, &error));
        free(rows[i]);
    }
    wait_for(job);
    result_is_valid(job, 0, srs, circuit);
    CHECK(status_of(job, 1) == CUZK_STATUS_INVALID_ASSIGNMENT);
    result_is_valid(job, 2, srs, circuit);
    cuzk_job_free(job);
}

static void handles_end_in_any_order(const small_circuit* circuit) {
    cuzk_context* context = new_context();
    cuzk_srs* srs = open_srs(context, circuit);
    cuzk_job* job = start(context, srs, circuit, 2, NULL);
    cuzk_job* running = start(context, srs, circuit, MANY, NULL);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    wait_for(job);
    result_is_valid(job, 1, NULL, circuit);
    CHECK(!ended(running));
    cuzk_job_free(running);
    cuzk_job_free(job);
}

typedef struct {
    atomic_int told;
    atomic_int last_phase;
    atomic_int done;
    /* For the job that is freed by its own callback. */
    _Atomic(cuzk_job*) own;
} seen;

static void on_progress(void* user, const cuzk_progress* now) {
    seen* mine = user;
    CHECK(now->struct_size == sizeof *now && now->requests_total == 5);
    CHECK(now->fraction >= 0.0 && now->fraction <= 1.0 && !mine->done);
    mine->told++;
    mine->last_phase = now->phase;
    /* Slower than the work, which does not wait. */
    usleep(20000);
}

static void on_done(void* user) {
    seen* mine = user;
    usleep(20000);
    mine->done++;
}

static void free_own(void* user) {
    seen* mine = user;
    cuzk_job* job;
    while (!(job = atomic_load(&mine->own))) usleep(1000);
    cuzk_error error = CUZK_ERROR_INIT;
    CHECK(ended(job) && status_of(job, 0) == CUZK_STATUS_OK);
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "i is 1", &error,
           cuzk_job_abc_released(job, 1, 0, &error));
    cuzk_job_free(job);
    mine->done++;
}

static void callbacks_are_told_and_waited_for(const small_circuit* circuit) {
    cuzk_context* context = new_context();
    cuzk_srs* srs = open_srs(context, circuit);
    seen mine = {0};
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.progress = on_progress;
    options.done = on_done;
    options.user = &mine;
    cuzk_job* job = start(context, srs, circuit, 5, &options);
    wait_for(job);
    cuzk_job_free(job);
    CHECK(mine.told >= 1 && mine.done == 1 && mine.last_phase == CUZK_JOB_PHASE_DONE);

    /* A job may be freed by its own callback, its context before. */
    seen other = {0};
    cuzk_job_options last = CUZK_JOB_OPTIONS_INIT;
    last.done = free_own;
    last.user = &other;
    job = start(context, srs, circuit, 1, &last);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    atomic_store(&other.own, job);
    while (!other.done) usleep(1000);
}

static void a_forked_child_is_told_so(const cuzk_context* context, const cuzk_srs* srs,
                                      const small_circuit* circuit) {
    cuzk_job* job = start(context, srs, circuit, MANY, NULL);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        cuzk_error error = CUZK_ERROR_INIT;
        const cuzk_status forked = CUZK_STATUS_FORKED;
        cuzk_job* second = NULL;
        cuzk_status status;
        size_t count;
        bool value;
        cuzk_progress progress = CUZK_PROGRESS_INIT;
        EXPECT(
            forked, "forked child", &error,
            cuzk_prove_start(context, srs, &circuit->assignment, 1, NULL, NULL, &second, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_wait(job, -1, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_poll(job, &value, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_progress(job, &progress, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_cancel(job, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_abc_released(job, 0, -1, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_result_count(job, &count, &error));
        EXPECT(forked, "forked child", &error, cuzk_job_result_status(job, 0, &status, &error));
        cuzk_job_free(job);
        /* Ends without a search for leaks: what the parent's threads own is no
         * leak of the child. */
        kill(getpid(), SIGKILL);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (progress_of(job).requests_done < 1) usleep(1000);
    result_is_valid(job, 0, srs, circuit);
    cuzk_job_free(job);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    small_circuit circuit = read_small_circuit(argv[1]);
    cuzk_context* context = new_context();
    cuzk_srs* srs = open_srs(context, &circuit);
    arguments_are_checked(context, srs, &circuit);
    one_bad_assignment_does_not_fail_its_neighbours(context, srs, &circuit);
    waits_run_out_and_a_cancelled_job_ends(context, srs, &circuit);
    urgent_jobs_overtake(context, srs, &circuit);
    rows_may_go_once_released(context, srs, &circuit);
    a_forked_child_is_told_so(context, srs, &circuit);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    handles_end_in_any_order(&circuit);
    callbacks_are_told_and_waited_for(&circuit);
    free(circuit.words);
    puts("jobs: results by request, waits, cancelling, priorities, callbacks, any order");
    return 0;
}
