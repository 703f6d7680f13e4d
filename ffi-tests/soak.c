/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: soak SMALL_CIRCUIT_FOLDER SECONDS [C1_FILE SECTOR ACTOR PARAMETER_FOLDER]
 * Jobs, cancels, bad requests, evictions and handles that come and go, from
 * many threads at once and in rounds. No proof that is given out may be wrong,
 * nothing may hang, and when a round has ended memory, threads and open files
 * must be what they were. CUZK_TEST_SEED repeats a run's choices. */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "circuit.h"

enum {
    THREADS = 6,
    ROUND_SECONDS = 30,
    /* Longer without a step is a deadlock; the slowest step is a sector. */
    PATIENCE_SECONDS = 600,
    /* Rounds that fill what the library and libc keep for good. */
    WARM_ROUNDS = 2,
    SLACK_BYTES = 1 << 20,
    RESIDENT_SLACK_BYTES = 64 << 20,
};

typedef struct {
    const unsigned char* c1;
    size_t c1_len;
    uint64_t number;
    unsigned char prover_id[32];
    const char* parameters;
} sector;

typedef struct {
    cuzk_context* context;
    const small_circuit* circuit;
    const sector* sector;
    time_t end;
    uint64_t random;
    atomic_ulong steps;
    const char* _Atomic doing;
    unsigned long proofs, refusals, cancelled;
    int number;
} worker;

static uint64_t next(worker* w, uint64_t below) {
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random % below;
}

static cuzk_srs* open_srs(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(w->context, w->circuit->params, NULL, &srs, &error));
    return srs;
}

static void must_be_valid(worker* w, const cuzk_srs* srs, const uint8_t* bytes, size_t length) {
    cuzk_proof proof;
    CHECK(length == sizeof proof);
    memcpy(&proof, bytes, sizeof proof);
    CHECK(small_circuit_valid(srs, w->circuit, &proof));
    w->proofs++;
}

static void prove_at_once(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = open_srs(w);
    cuzk_proof proof;
    OK(&error, cuzk_prove(w->context, srs, &w->circuit->assignment, 1, NULL, &proof, NULL, &error));
    must_be_valid(w, srs, proof.bytes, sizeof proof);
    proof.bytes[next(w, sizeof proof)] ^= (uint8_t)(1u << next(w, 8));
    CHECK(!small_circuit_valid(srs, w->circuit, &proof));
    cuzk_srs_release(srs);
}

/* Good assignments and bad ones in one job, waited for, cancelled or ended
 * while it runs; rows of its own are spoiled as soon as they are released. */
static void job_of_many(worker* w) {
    enum { MOST = 24 };
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = open_srs(w);
    const size_t n = 1 + next(w, MOST), rows = w->circuit->assignment.abc_size;
    cuzk_assignment assignments[MOST];
    bool bad[MOST];
    cuzk_fr* own = malloc(3 * rows * sizeof *own);
    CHECK(own);
    memcpy(own, w->circuit->assignment.a, 3 * rows * sizeof *own);
    for (size_t i = 0; i < n; i++) {
        assignments[i] = w->circuit->assignment;
        bad[i] = next(w, 4) == 0;
        if (bad[i]) switch (next(w, 3)) {
                case 0:
                    assignments[i].abc_size = 3;
                    break;
                case 1:
                    assignments[i].a = NULL;
                    break;
                default:
                    assignments[i].a = assignments[i].c;
                    break;
            }
    }
    bad[0] = false;
    assignments[0] = w->circuit->assignment;
    assignments[0].a = own;
    assignments[0].b = own + rows;
    assignments[0].c = own + 2 * rows;
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.priority = (int32_t)next(w, 5);
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(w->context, srs, assignments, n, NULL, &options, &job, &error));
    const uint64_t how = next(w, 4);
    if (how == 0) {
        usleep((useconds_t)next(w, 20000));
        cuzk_job_free(job);
        free(own);
        cuzk_srs_release(srs);
        return;
    }
    if (how == 1) {
        usleep((useconds_t)next(w, 20000));
        OK(&error, cuzk_job_cancel(job, &error));
    }
    OK(&error, cuzk_job_abc_released(job, 0, -1, &error));
    memset(own, 0xff, 3 * rows * sizeof *own);
    free(own);
    OK(&error, cuzk_job_wait(job, -1, &error));
    for (size_t i = 0; i < n; i++) {
        cuzk_status status = CUZK_STATUS_INTERNAL;
        const uint8_t* bytes = NULL;
        size_t length = 0;
        OK(&error, cuzk_job_result_status(job, i, &status, &error));
        if (status == CUZK_STATUS_OK) {
            CHECK(!bad[i]);
            OK(&error, cuzk_job_result_proof(job, i, &bytes, &length, &error));
            must_be_valid(w, srs, bytes, length);
        } else if (status == CUZK_STATUS_CANCELLED) {
            CHECK(how == 1);
            w->cancelled++;
        } else {
            CHECK(bad[i] && (status == CUZK_STATUS_INVALID_ASSIGNMENT ||
                             status == CUZK_STATUS_INVALID_ARGUMENT));
            w->refusals++;
        }
    }
    cuzk_job_free(job);
    cuzk_srs_release(srs);
}

/* A job that its own callback ends; its address comes after its start. */
typedef struct {
    _Atomic(cuzk_job*) job;
    atomic_int ended;
} own_job;

static void end_own(void* user) {
    own_job* own = user;
    cuzk_job* job;
    while (!(job = atomic_load(&own->job))) usleep(100);
    cuzk_job_free(job);
    atomic_store(&own->ended, 1);
}

static void job_that_ends_itself(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = open_srs(w);
    own_job own = {NULL, 0};
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.done = end_own;
    options.user = &own;
    cuzk_job* job = NULL;
    OK(&error,
       cuzk_prove_start(w->context, srs, &w->circuit->assignment, 1, NULL, &options, &job, &error));
    cuzk_srs_release(srs);
    atomic_store(&own.job, job);
    while (!atomic_load(&own.ended)) usleep(100);
}

static void evict(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = open_srs(w);
    OK(&error, cuzk_srs_evict(srs, &error));
    cuzk_srs_release(srs);
}

static void context_of_its_own(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 1 + next(w, 3);
    options.host_memory_bytes = next(w, 2) ? 0 : 1000;
    cuzk_context* context = NULL;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    const cuzk_status opened = cuzk_srs_open(context, w->circuit->params, NULL, &srs, &error);
    cuzk_proof proof;
    if (options.host_memory_bytes) {
        CHECK(opened == CUZK_STATUS_OUT_OF_MEMORY && !srs);
        w->refusals++;
        error = (cuzk_error)CUZK_ERROR_INIT;
    } else {
        CHECK(opened == CUZK_STATUS_OK);
        OK(&error,
           cuzk_prove(context, srs, &w->circuit->assignment, 1, NULL, &proof, NULL, &error));
        must_be_valid(w, srs, proof.bytes, sizeof proof);
    }
    cuzk_context_free(context);
    cuzk_srs_release(srs);
}

static void bad_calls(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    cuzk_srs_options options = CUZK_SRS_OPTIONS_INIT;
    options.digest = "00000000000000000000000000000000";
    EXPECT(CUZK_STATUS_INVALID_SRS, "digest", &error,
           cuzk_srs_open(w->context, w->circuit->params, &options, &srs, &error));
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "no such file", &error,
           cuzk_srs_open(w->context, "/no/such/file", NULL, &srs, &error));
    EXPECT(CUZK_STATUS_IO, "not a regular file", &error,
           cuzk_srs_open(w->context, "/", NULL, &srs, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "path is null", &error,
           cuzk_srs_open(w->context, NULL, NULL, &srs, &error));
    char text[16];
    size_t length = 0;
    EXPECT(CUZK_STATUS_BUFFER_TOO_SMALL, "", &error,
           cuzk_context_info(w->context, text, sizeof text, &length, &error));
    CHECK(!srs && length > sizeof text);
    w->refusals += 5;
}

static cuzk_c2_request request_of(const sector* s) {
    cuzk_c2_request request = CUZK_C2_REQUEST_INIT;
    request.c1 = s->c1;
    request.c1_len = s->c1_len;
    request.sector_number = s->number;
    memcpy(request.prover_id, s->prover_id, 32);
    return request;
}

/* Outputs that were cut or changed; then, with one thread, a good one which is
 * proved or cancelled. */
static void sectors(worker* w) {
    cuzk_error error = CUZK_ERROR_INIT;
    const sector* s = w->sector;
    unsigned char* changed = malloc(s->c1_len);
    CHECK(changed);
    memcpy(changed, s->c1, s->c1_len);
    for (int i = 0; i < 20; i++) changed[next(w, s->c1_len)] = (unsigned char)next(w, 256);
    cuzk_c2_request requests[4] = {request_of(s), request_of(s), request_of(s), request_of(s)};
    requests[0].c1_len = next(w, s->c1_len);
    requests[1].c1 = changed;
    requests[2].sector_number += 1 + next(w, 1000);
    const bool whole = w->number == 0;
    cuzk_job* job = NULL;
    OK(&error, cuzk_c2_prove_start(w->context, requests, whole ? 4 : 3, NULL, &job, &error));
    free(changed);
    const bool cancel = whole && next(w, 3) > 0;
    if (cancel) {
        usleep((useconds_t)next(w, 8000000));
        OK(&error, cuzk_job_cancel(job, &error));
    }
    OK(&error, cuzk_job_wait(job, -1, &error));
    for (size_t i = 0; i < (whole ? 4 : 3); i++) {
        cuzk_status status = CUZK_STATUS_INTERNAL;
        OK(&error, cuzk_job_result_status(job, i, &status, &error));
        const bool refused =
            status == CUZK_STATUS_INVALID_C1 || status == CUZK_STATUS_INVALID_ARGUMENT ||
            status == CUZK_STATUS_UNSUPPORTED || status == CUZK_STATUS_PARAMETERS_NOT_FOUND;
        if (i < 3) {
            CHECK(refused || (cancel && status == CUZK_STATUS_CANCELLED));
            w->refusals++;
            continue;
        }
        if (status == CUZK_STATUS_CANCELLED) {
            CHECK(cancel);
            w->cancelled++;
            continue;
        }
        CHECK(status == CUZK_STATUS_OK);
        const uint8_t* proof = NULL;
        size_t length = 0;
        bool valid = false;
        cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
        OK(&error, cuzk_job_result_proof(job, i, &proof, &length, &error));
        OK(&error, cuzk_c2_statement_from_c1(s->c1, s->c1_len, s->number, s->prover_id, &statement,
                                             &error));
        OK(&error, cuzk_c2_verify(w->context, &statement, proof, length, &valid, &error));
        CHECK(valid);
        w->proofs++;
    }
    cuzk_job_free(job);
}

static void* work(void* argument) {
    static const struct {
        const char* name;
        void (*run)(worker*);
    } actions[] = {
        {"proving", prove_at_once},
        {"a job of many", job_of_many},
        {"a job that ends itself", job_that_ends_itself},
        {"evicting", evict},
        {"a context of its own", context_of_its_own},
        {"bad calls", bad_calls},
        {"sectors", sectors},
    };
    worker* w = argument;
    const size_t most = sizeof actions / sizeof *actions - (w->sector ? 0 : 1);
    while (time(NULL) < w->end) {
        const size_t chosen = next(w, most);
        atomic_store(&w->doing, actions[chosen].name);
        actions[chosen].run(w);
        atomic_fetch_add(&w->steps, 1);
    }
    atomic_store(&w->doing, "nothing");
    return NULL;
}

/* Ends the program when some thread makes no step for long. */
static void* watch(void* argument) {
    worker* workers = argument;
    unsigned long steps[THREADS] = {0};
    time_t since[THREADS];
    for (int i = 0; i < THREADS; i++) since[i] = time(NULL);
    for (;;) {
        sleep(1);
        pthread_testcancel();
        for (int i = 0; i < THREADS; i++) {
            const unsigned long now = atomic_load(&workers[i].steps);
            const char* doing = atomic_load(&workers[i].doing);
            if (now != steps[i] || strcmp(doing, "nothing") == 0) {
                steps[i] = now;
                since[i] = time(NULL);
            } else if (time(NULL) - since[i] > PATIENCE_SECONDS) {
                fprintf(stderr, "soak: thread %d hangs in %s\n", i, doing);
                abort();
            }
        }
    }
    return NULL;
}

static size_t entries(const char* folder) {
    DIR* open = opendir(folder);
    CHECK(open);
    size_t count = 0;
    for (const struct dirent* entry; (entry = readdir(open));) count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

typedef struct {
    size_t heap, resident, threads, files;
} state;

/* When nothing of the library is in use. Threads that were told to end may
 * take a moment. */
static state settled(size_t threads) {
    state now = {0, 0, 0, 0};
    for (int i = 0; i < 100 && (i == 0 || now.threads > threads); i++) {
        now.threads = entries("/proc/self/task");
        usleep(20000);
    }
    malloc_trim(0);
    const struct mallinfo2 heap = mallinfo2();
    now.heap = heap.uordblks + heap.hblkhd;
    now.files = entries("/proc/self/fd");
    FILE* file = fopen("/proc/self/statm", "r");
    unsigned long total = 0, resident = 0;
    CHECK(file && fscanf(file, "%lu %lu", &total, &resident) == 2 && fclose(file) == 0);
    now.resident = resident * (size_t)sysconf(_SC_PAGESIZE);
    return now;
}

static void play_round(const small_circuit* circuit, const sector* given, int seconds,
                       uint64_t seed, worker* sum) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    options.parameter_directory = given ? given->parameters : "/nonexistent";
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    worker workers[THREADS];
    pthread_t threads[THREADS], watcher;
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) {
        worker* w = &workers[i];
        w->context = context;
        w->circuit = circuit;
        w->sector = given;
        w->end = time(NULL) + seconds;
        w->random = (seed + (uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
        w->doing = "starting";
        w->number = i;
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    CHECK(pthread_create(&watcher, NULL, watch, workers) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        sum->proofs += workers[i].proofs;
        sum->refusals += workers[i].refusals;
        sum->cancelled += workers[i].cancelled;
    }
    CHECK(pthread_cancel(watcher) == 0 && pthread_join(watcher, NULL) == 0);
    cuzk_context_free(context);
}

int main(int argc, char** argv) {
    CHECK(argc == 3 || argc == 7);
    /* What libc keeps in its threads' arenas, free as it is, would be taken for
     * the library's. */
    CHECK(mallopt(M_ARENA_MAX, 1) && mallopt(M_TRIM_THRESHOLD, 1 << 17));
    small_circuit circuit = read_small_circuit(argv[1]);
    const time_t end = time(NULL) + atol(argv[2]);
    sector given;
    memset(&given, 0, sizeof given);
    unsigned char* c1 = NULL;
    if (argc == 7) {
        cuzk_error error = CUZK_ERROR_INIT;
        c1 = read_file(argv[3], &given.c1_len);
        given.c1 = c1;
        given.number = strtoull(argv[4], NULL, 10);
        given.parameters = argv[6];
        OK(&error, cuzk_prover_id_from_actor(strtoull(argv[5], NULL, 10), given.prover_id, &error));
    }
    const char* wanted = getenv("CUZK_TEST_SEED");
    uint64_t seed = wanted ? strtoull(wanted, NULL, 0) : (uint64_t)time(NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("soak: CUZK_TEST_SEED=%llu\n", (unsigned long long)seed);

    worker sum;
    memset(&sum, 0, sizeof sum);
    state first = {0, 0, 0, 0};
    for (int number = 0; number <= WARM_ROUNDS || time(NULL) < end; number++) {
        const time_t left = end - time(NULL);
        const int seconds = left < ROUND_SECONDS ? (int)(left < 5 ? 5 : left) : ROUND_SECONDS;
        play_round(&circuit, c1 ? &given : NULL, seconds, seed, &sum);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const state now = settled(number < WARM_ROUNDS ? 1 : first.threads);
        printf(
            "soak: round %d: %lu proofs, %lu refusals, %lu cancelled; %zu kB heap, %zu kB "
            "resident, %zu threads, %zu files\n",
            number, sum.proofs, sum.refusals, sum.cancelled, now.heap >> 10, now.resident >> 10,
            now.threads, now.files);
        if (number < WARM_ROUNDS) {
            first = now;
            continue;
        }
        CHECK(now.threads <= first.threads && now.files <= first.files);
        CHECK(now.heap <= first.heap + SLACK_BYTES);
        CHECK(now.resident <= first.resident + RESIDENT_SLACK_BYTES);
    }
    free(circuit.words);
    free(c1);
    CHECK(sum.proofs > 0 && sum.refusals > 0 && sum.cancelled > 0);
    printf("soak: %lu proofs, all valid; %lu refusals; %lu cancelled\n", sum.proofs, sum.refusals,
           sum.cancelled);
    return 0;
}
