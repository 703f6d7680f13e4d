/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: abuse SMALL_CIRCUIT_FOLDER C1_FILE SECTOR ACTOR SCRATCH_FOLDER [NAME]
 * What programs do to a library, and what machines do to both. Each case runs
 * in a process of its own, which must end by itself. */
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "circuit.h"

static small_circuit circuit;
static unsigned char* c1;
static size_t c1_len;
static uint64_t sector;
static unsigned char prover_id[32];
static const char* scratch;

static const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;

static cuzk_context* new_context(size_t threads) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = threads;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    return context;
}

static cuzk_srs* open_srs(const cuzk_context* context) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    return srs;
}

static void prove_one(const cuzk_context* context, const cuzk_srs* srs) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_proof proof;
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
    CHECK(small_circuit_valid(srs, &circuit, &proof));
}

/* A whole life: context, parameters, a proof. */
static void live(void) {
    cuzk_context* context = new_context(2);
    cuzk_srs* srs = open_srs(context);
    prove_one(context, srs);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
}

/* The statuses that a machine without room may cause. */
static bool for_want_of_room(cuzk_status status) {
    return status == CUZK_STATUS_OUT_OF_MEMORY || status == CUZK_STATUS_IO;
}

static void closed_standard_streams(void) {
    close(0);
    close(1);
    close(2);
    CHECK(setenv("CUZK_LOG", "debug", 1) == 0);
    live();
}

static void full_standard_error(void) {
    const int full = open("/dev/full", O_WRONLY);
    CHECK(full >= 0 && dup2(full, 2) == 2);
    CHECK(setenv("CUZK_LOG", "debug", 1) == 0);
    live();
}

static void no_file_descriptors(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = new_context(2);
    const struct rlimit few = {3, 3};
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    cuzk_srs* srs = NULL;
    EXPECT(CUZK_STATUS_IO, circuit.params, &error,
           cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    CHECK(!srs);
    /* A context can be made all the same. */
    cuzk_context_free(new_context(2));
    cuzk_context_free(context);
}

/* Each limit is tried in a process of its own: what fits, works; what does
 * not, is a status. Below 32 MiB, which four threads need for themselves, no
 * program can be helped. */
static void little_address_space(void) {
    for (rlim_t megabytes = 32; megabytes <= 4096; megabytes *= 2) {
        fflush(NULL);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            const struct rlimit little = {megabytes << 20, megabytes << 20};
            CHECK(setrlimit(RLIMIT_AS, &little) == 0);
            cuzk_error error = CUZK_ERROR_INIT;
            cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
            options.backend = CUZK_BACKEND_CPU;
            options.threads = 4;
            cuzk_context* context = NULL;
            cuzk_srs* srs = NULL;
            cuzk_proof proof;
            cuzk_status status = cuzk_context_new(&options, &context, &error);
            if (status == CUZK_STATUS_OK)
                status = cuzk_srs_open(context, circuit.params, NULL, &srs, &error);
            if (status == CUZK_STATUS_OK)
                status =
                    cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error);
            CHECK(status == CUZK_STATUS_OK || for_want_of_room(status));
            CHECK(status == CUZK_STATUS_OK || megabytes < 4096);
            cuzk_srs_release(srs);
            cuzk_context_free(context);
            _exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0)
            fprintf(stderr, "with %lu MiB of addresses: status %x\n", (unsigned long)megabytes,
                    (unsigned)status);
        CHECK(status == 0);
    }
}

static void* calls_on_a_small_stack(void* unused) {
    (void)unused;
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_c2_description description = CUZK_C2_DESCRIPTION_INIT;
    OK(&error, cuzk_c2_info(c1, c1_len, &description, &error));
    OK(&error, cuzk_c2_check(c1, c1_len, sector, prover_id, &error));
    live();
    return NULL;
}

/* As musl and some languages' runtimes give their threads. */
static void small_stacks(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, calls_on_a_small_stack, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void no_more_threads(void) {
    if (geteuid() != 0) return;
    const struct rlimit one = {1, 1};
    CHECK(setrlimit(RLIMIT_NPROC, &one) == 0 && setuid(65534) == 0);
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    EXPECT(CUZK_STATUS_OUT_OF_MEMORY, "thread", &error,
           cuzk_context_new(&options, &context, &error));
    CHECK(!context);
}

/* Numbers from nowhere. */
static void absurd_numbers(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    const size_t threads[] = {SIZE_MAX, SIZE_MAX / 2, 1u << 30, 1000000};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        options.threads = threads[i];
        EXPECT(invalid, "threads", &error, cuzk_context_new(&options, &context, &error));
        CHECK(!context);
    }
    options.threads = 2;
    options.host_memory_bytes = UINT64_MAX;
    options.device_memory_bytes = UINT64_MAX;
    OK(&error, cuzk_context_new(&options, &context, &error));
    cuzk_srs* srs = open_srs(context);
    prove_one(context, srs);

    cuzk_proof proof;
    const size_t lengths[] = {SIZE_MAX, SIZE_MAX / 32, SIZE_MAX / 192 + 1, (size_t)1 << 60, 0};
    bool valid = true;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        /* Lengths that do not fit the parameters are found before anything is
         * read from there. */
        cuzk_assignment wrong = circuit.assignment;
#define WRONG(member)                                                                         \
    wrong = circuit.assignment;                                                               \
    wrong.member = n;                                                                         \
    CHECK(cuzk_prove(context, srs, &wrong, 1, NULL, &proof, NULL, &error) != CUZK_STATUS_OK); \
    CHECK(error.status == CUZK_STATUS_INVALID_ASSIGNMENT || error.status == invalid)
        WRONG(a_aux_bit_len);
        WRONG(a_aux_popcount);
        WRONG(b_inp_bit_len);
        WRONG(b_inp_popcount);
        WRONG(b_aux_bit_len);
        WRONG(b_aux_popcount);
        WRONG(abc_size);
        WRONG(inp_assignment_size);
        WRONG(aux_assignment_size);
#undef WRONG
        if (n == 0) break;
        EXPECT(invalid, "", &error,
               cuzk_prove(context, srs, &circuit.assignment, n, NULL, &proof, NULL, &error));
        EXPECT(invalid, "", &error,
               cuzk_groth16_verify(srs, &proof, n, circuit.assignment.inp_assignment_data, 1,
                                   &valid, &error));
        EXPECT(invalid, "", &error,
               cuzk_groth16_verify(srs, &proof, 1, circuit.assignment.inp_assignment_data, n,
                                   &valid, &error));
        cuzk_job* job = NULL;
        EXPECT(invalid, "", &error,
               cuzk_prove_start(context, srs, &circuit.assignment, n, NULL, NULL, &job, &error));
        CHECK(!job);
    }
    EXPECT(invalid, "", &error, cuzk_c2_check(c1, SIZE_MAX, sector, prover_id, &error));

    /* Times of any size. */
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(context, srs, &circuit.assignment, 1, NULL, NULL, &job, &error));
    OK(&error, cuzk_job_wait(job, INT64_MAX, &error));
    OK(&error, cuzk_job_wait(job, INT64_MIN, &error));
    OK(&error, cuzk_job_abc_released(job, 0, INT64_MAX, &error));
    cuzk_job_free(job);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
}

/* The same memory for several results, or for input and result. */
static void overlapping_buffers(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = new_context(2);
    cuzk_srs* srs = open_srs(context);

    /* The proof over its own blinding scalars. */
    union {
        cuzk_randomness randomness;
        cuzk_proof proof;
    } both = {{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}};
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, &both.randomness, &both.proof, NULL,
                          &error));
    CHECK(small_circuit_valid(srs, &circuit, &both.proof));

    /* Points over the proof that they are made of, and back. */
    union {
        cuzk_proof proof;
        cuzk_proof_points points;
    } forms = {both.proof};
    OK(&error, cuzk_proof_to_points(&forms.proof, &forms.points, &error));
    OK(&error, cuzk_proof_from_points(&forms.points, &forms.proof, &error));
    CHECK(memcmp(&forms.proof, &both.proof, sizeof forms.proof) == 0);

    /* The length inside of the text: one of both wins, and nothing else is
     * written. */
    union {
        size_t length;
        char text[8192];
    } json;
    memset(&json, 0, sizeof json);
    OK(&error, cuzk_context_info(context, json.text, sizeof json.text, &json.length, &error));
    CHECK(strlen(json.text + sizeof json.length) > 100);

    /* The description over the output that it is made of. */
    unsigned char* copy = malloc(c1_len + sizeof(cuzk_c2_description));
    CHECK(copy);
    memcpy(copy, c1, c1_len);
    prover_id[31] ^= 1;
    cuzk_prover_id_from_actor(1000, prover_id, &error);
    cuzk_c2_description* inside = (cuzk_c2_description*)(void*)copy;
    inside->struct_size = sizeof *inside;
    const cuzk_status status = cuzk_c2_info(copy, c1_len, inside, &error);
    CHECK(status == CUZK_STATUS_INVALID_C1);
    free(copy);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
}

static void c1_is(cuzk_status wanted, const unsigned char* bytes, size_t length) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_c2_description description = CUZK_C2_DESCRIPTION_INIT;
    EXPECT(wanted, "", &error, cuzk_c2_info(bytes, length, &description, &error));
    EXPECT(wanted, "", &error, cuzk_c2_check(bytes, length, sector, prover_id, &error));
}

static void* deep_json(void* unused) {
    (void)unused;
    enum { DEEP = 4000000 };
    unsigned char* text = malloc(DEEP + 64);
    CHECK(text);
    const char* const openings[] = {"[", "{\"a\":", "{\"vanilla_proofs\":[", "[[{\"x\":"};
    for (size_t i = 0; i < 4; i++) {
        const size_t length = strlen(openings[i]);
        size_t end = 0;
        while (end + length < DEEP) {
            memcpy(text + end, openings[i], length);
            end += length;
        }
        c1_is(CUZK_STATUS_INVALID_C1, text, end);
        memcpy(text, "{\"registered_proof\":", 20);
        c1_is(CUZK_STATUS_INVALID_C1, text, end);
    }
    /* One text of four megabytes, one number of four million digits. */
    memset(text, 'x', DEEP);
    memcpy(text, "{\"registered_proof\":\"", 21);
    memcpy(text + DEEP, "\"}", 2);
    c1_is(CUZK_STATUS_INVALID_C1, text, DEEP + 2);
    memset(text, '9', DEEP);
    memcpy(text, "{\"comm_r\":[", 11);
    memcpy(text + DEEP, "]}", 2);
    c1_is(CUZK_STATUS_INVALID_C1, text, DEEP + 2);
    free(text);
    return NULL;
}

static void huge_and_deep_json(void) {
    deep_json(NULL);
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, deep_json, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void paths_that_are_no_text(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    char folder[PATH_MAX], path[PATH_MAX], long_path[3 * PATH_MAX];
    CHECK(snprintf(folder, sizeof folder, "%s/\xff\xfe n\n\x1b[31m", scratch) > 0);
    mkdir(folder, 0700);
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.parameter_directory = folder;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    char json[8192];
    OK(&error, cuzk_context_info(context, json, sizeof json, NULL, &error));
    /* Nothing that would move a terminal's cursor is left in a line. */
    bool valid = true;
    cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
    uint8_t proof[192] = {0};
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &error));
    const cuzk_status status =
        cuzk_c2_verify(context, &statement, proof, sizeof proof, &valid, &error);
    CHECK(status == CUZK_STATUS_PARAMETERS_NOT_FOUND);
    for (const char* c = error.message; *c; c++) CHECK((unsigned char)*c >= 32);

    /* The file itself under such a name. */
    CHECK(snprintf(path, sizeof path, "%s/p\xff", folder) < (int)sizeof path);
    char here[PATH_MAX];
    CHECK(realpath(circuit.params, here));
    unlink(path);
    CHECK(symlink(here, path) == 0);
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, path, NULL, &srs, &error));
    prove_one(context, srs);
    cuzk_srs_release(srs);
    srs = NULL;
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    EXPECT(CUZK_STATUS_IO, "opening aaa", &error,
           cuzk_srs_open(context, long_path, NULL, &srs, &error));
    CHECK(!srs && unlink(path) == 0 && rmdir(folder) == 0);
    cuzk_context_free(context);
    CHECK(setenv("FIL_PROOFS_PARAMETER_CACHE", "/\xff/\xfe", 1) == 0);
    CHECK(setenv("CUZK_DEVICES", "\xff", 1) == 0);
    EXPECT(invalid, "CUZK_DEVICES", &error, cuzk_context_new(NULL, &context, &error));
}

static void another_locale(void) {
    CHECK(setenv("LC_ALL", "de_DE.UTF-8", 1) == 0);
    setlocale(LC_ALL, "");
    live();
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = new_context(2);
    char json[8192];
    OK(&error, cuzk_context_info(context, json, sizeof json, NULL, &error));
    CHECK(strstr(json, "\"threads\":2"));
    cuzk_context_free(context);
}

static void nothing(int signal_number) { (void)signal_number; }

/* Signals at a thousand a second, whose handlers do not restart calls; the
 * library's threads get none of them. */
static void a_storm_of_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = nothing;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && sigaction(SIGPROF, &action, NULL) == 0);
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0 && setitimer(ITIMER_PROF, &often, NULL) == 0);
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = new_context(2);
    cuzk_srs* srs = open_srs(context);
    for (int i = 0; i < 10; i++) {
        prove_one(context, srs);
        cuzk_job* job = NULL;
        OK(&error,
           cuzk_prove_start(context, srs, &circuit.assignment, 1, NULL, NULL, &job, &error));
        OK(&error, cuzk_job_wait(job, -1, &error));
        cuzk_job_free(job);
        OK(&error, cuzk_srs_evict(srs, &error));
    }
    cuzk_srs_release(srs);
    cuzk_context_free(context);
}

static void files_that_cannot_be_written(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    const uint8_t seed[32] = {0};
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    cuzk_context* context = NULL;
    const char* const nowhere[] = {"/proc/no", "/dev/null/no", "/sys/no"};
    for (size_t i = 0; i < 3; i++) {
        options.parameter_directory = nowhere[i];
        OK(&error, cuzk_context_new(&options, &context, &error));
        EXPECT(CUZK_STATUS_IO, nowhere[i], &error,
               cuzk_dev_setup(context, 5, seed, NULL, NULL, &error));
        cuzk_context_free(context);
    }
    /* A disk that is full after a megabyte: an error and no half files. */
    char folder[PATH_MAX];
    CHECK(snprintf(folder, sizeof folder, "%s/full", scratch) < (int)sizeof folder);
    const struct rlimit megabyte = {1 << 20, 1 << 20};
    CHECK(setrlimit(RLIMIT_FSIZE, &megabyte) == 0);
    options.parameter_directory = folder;
    OK(&error, cuzk_context_new(&options, &context, &error));
    EXPECT(CUZK_STATUS_IO, folder, &error, cuzk_dev_setup(context, 5, seed, NULL, NULL, &error));
    cuzk_context_free(context);
    CHECK(rmdir(folder) == 0);
}

static void log_calls_back(void* user, int32_t level, const char* line) {
    (void)level;
    (void)line;
    const cuzk_context* context = *(cuzk_context* volatile*)user;
    if (context) CHECK(cuzk_context_info(context, NULL, 0, NULL, NULL) != CUZK_STATUS_OK);
}

static void callbacks_that_call(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    cuzk_context* volatile context = NULL;
    options.backend = CUZK_BACKEND_CPU;
    options.log = log_calls_back;
    options.log_user = (void*)(uintptr_t)&context;
    options.log_level = CUZK_LOG_LEVEL_DEBUG;
    cuzk_context* made = NULL;
    OK(&error, cuzk_context_new(&options, &made, &error));
    context = made;
    cuzk_srs* srs = open_srs(made);
    prove_one(made, srs);
    cuzk_srs_release(srs);
    context = NULL;
    usleep(100000);
    cuzk_context_free(made);
}

typedef struct {
    _Atomic(cuzk_context*) context;
    _Atomic(cuzk_job*) job;
    atomic_int done;
} ends;

static void end_all(void* user) {
    ends* all = user;
    while (!atomic_load(&all->job)) usleep(100);
    cuzk_job_free(atomic_load(&all->job));
    cuzk_context_free(atomic_load(&all->context));
    atomic_store(&all->done, 1);
}

/* The context ends on its own thread for callbacks. */
static void a_callback_that_ends_everything(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    ends all = {NULL, NULL, 0};
    cuzk_context* context = new_context(2);
    cuzk_srs* srs = open_srs(context);
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.done = end_all;
    options.user = &all;
    atomic_store(&all.context, context);
    cuzk_job* job = NULL;
    OK(&error,
       cuzk_prove_start(context, srs, &circuit.assignment, 1, NULL, &options, &job, &error));
    cuzk_srs_release(srs);
    atomic_store(&all.job, job);
    while (!atomic_load(&all.done)) usleep(1000);
    usleep(200000);
}

/* The program ends while work is running: without a crash. */
static void leave(bool by_exit) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = new_context(2);
    cuzk_srs* srs = open_srs(context);
    static cuzk_assignment many[500];
    for (size_t i = 0; i < 500; i++) many[i] = circuit.assignment;
    cuzk_job* job = NULL;
    OK(&error, cuzk_prove_start(context, srs, many, 500, NULL, NULL, &job, &error));
    usleep(50000);
    if (by_exit) exit(0);
    _exit(0);
}

static void leaving_while_work_runs(void) { leave(true); }
static void leaving_at_once(void) { leave(false); }

static void free_late(void) { live(); }

static void calls_while_the_program_ends(void) {
    live();
    CHECK(atexit(free_late) == 0);
    exit(0);
}

typedef struct {
    const char* name;
    void (*run)(void);
} test_case;

static const test_case cases[] = {
    {"closed_standard_streams", closed_standard_streams},
    {"full_standard_error", full_standard_error},
    {"no_file_descriptors", no_file_descriptors},
    {"little_address_space", little_address_space},
    {"small_stacks", small_stacks},
    {"no_more_threads", no_more_threads},
    {"absurd_numbers", absurd_numbers},
    {"overlapping_buffers", overlapping_buffers},
    {"huge_and_deep_json", huge_and_deep_json},
    {"paths_that_are_no_text", paths_that_are_no_text},
    {"another_locale", another_locale},
    {"a_storm_of_signals", a_storm_of_signals},
    {"files_that_cannot_be_written", files_that_cannot_be_written},
    {"callbacks_that_call", callbacks_that_call},
    {"a_callback_that_ends_everything", a_callback_that_ends_everything},
    {"leaving_while_work_runs", leaving_while_work_runs},
    {"leaving_at_once", leaving_at_once},
    {"calls_while_the_program_ends", calls_while_the_program_ends},
};

int main(int argc, char** argv) {
    CHECK(argc == 6 || argc == 7);
    circuit = read_small_circuit(argv[1]);
    c1 = read_file(argv[2], &c1_len);
    sector = strtoull(argv[3], NULL, 10);
    scratch = argv[5];
    size_t failed = 0, ran = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 7 && strcmp(argv[6], cases[i].name) != 0) continue;
        fflush(NULL);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(300);
            cuzk_error error = CUZK_ERROR_INIT;
            OK(&error, cuzk_prover_id_from_actor(strtoull(argv[4], NULL, 10), prover_id, &error));
            cases[i].run();
            exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        ran++;
        if (status == 0) continue;
        failed++;
        if (WIFSIGNALED(status))
            fprintf(stderr, "abuse: %s ended by signal %d\n", cases[i].name, WTERMSIG(status));
        else
            fprintf(stderr, "abuse: %s failed\n", cases[i].name);
    }
    free(circuit.words);
    free(c1);
    CHECK(ran > 0 && failed == 0);
    printf("abuse: %zu cases\n", ran);
    return 0;
}
