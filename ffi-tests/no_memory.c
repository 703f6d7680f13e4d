/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: no_memory SMALL_CIRCUIT_FOLDER C1_FILE SECTOR ACTOR [PARAMETER_FOLDER]
 * Memory that the system refuses. This program's allocator stands in for
 * libc's and refuses the k-th allocation of LEAST bytes or more, or all from
 * the k-th on, for each k until everything goes well. Each time the library
 * must say that memory is missing and how much, leave nothing behind, and do
 * the same work when there is memory again. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

#include "circuit.h"

/* Smaller allocations may end the process (docs/hardening.md). */
enum { LEAST = 4 << 10 };

/* What may stay behind once: lists of the library's thread pool. */
enum { SLACK = 64 << 10 };

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

static atomic_size_t seen, first_refused, refusals;
static size_t in_all;
static atomic_bool all_from_there;
static atomic_llong live_bytes;

static bool refused(size_t size) {
    const size_t first = atomic_load(&first_refused);
    if (first == 0 || size < LEAST) return false;
    const size_t k = atomic_fetch_add(&seen, 1) + 1;
    if (k != first && !(k > first && atomic_load(&all_from_there))) return false;
    atomic_fetch_add(&refusals, 1);
    errno = ENOMEM;
    return true;
}

static void* counted(void* memory) {
    atomic_fetch_add(&live_bytes, (long long)malloc_usable_size(memory));
    return memory;
}

void* malloc(size_t size) { return refused(size) ? NULL : counted(__libc_malloc(size)); }

void* calloc(size_t n, size_t size) {
    return n != 0 && refused(n * size) ? NULL : counted(__libc_calloc(n, size));
}

void free(void* memory) {
    atomic_fetch_sub(&live_bytes, (long long)malloc_usable_size(memory));
    __libc_free(memory);
}

/* What gets shorter stays where it is, in every libc. */
void* realloc(void* old, size_t size) {
    const size_t before = malloc_usable_size(old);
    if (size > before && refused(size)) return NULL;
    void* memory = __libc_realloc(old, size);
    if (memory || size == 0) atomic_fetch_sub(&live_bytes, (long long)before);
    return counted(memory);
}

void* memalign(size_t alignment, size_t size) {
    return refused(size) ? NULL : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
    void* made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}

static small_circuit circuit;
static unsigned char *c1, *wrapped;
static size_t c1_len, wrapped_len;
static const char* parameters;
static uint64_t sector;
static unsigned char prover_id[32];
static cuzk_context* context;
static cuzk_srs* srs;

/* What is done while memory is refused, from the same state each time. */
typedef struct {
    const char* name;
    cuzk_status (*work)(cuzk_error* error);
} task;

/* Reads the parameters again, proves, verifies. */
static cuzk_status proving(cuzk_error* error) {
    cuzk_proof proof;
    memset(&proof, 0x55, sizeof proof);
    const cuzk_status status =
        cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, error);
    atomic_store(&first_refused, 0);
    if (status == CUZK_STATUS_OK) CHECK(small_circuit_valid(srs, &circuit, &proof));
    for (size_t i = 0; status != CUZK_STATUS_OK && i < sizeof proof.bytes; i++)
        CHECK(proof.bytes[i] == 0x55);
    cuzk_error ignored = CUZK_ERROR_INIT;
    OK(&ignored, cuzk_srs_evict(srs, &ignored));
    return status;
}

/* Two requests of a job; the first that has no memory decides. */
static cuzk_status job(cuzk_error* error) {
    const cuzk_assignment two[2] = {circuit.assignment, circuit.assignment};
    cuzk_job* started = NULL;
    cuzk_status status = cuzk_prove_start(context, srs, two, 2, NULL, NULL, &started, error);
    CHECK((status == CUZK_STATUS_OK) == (started != NULL));
    if (!started) return status;
    cuzk_error ignored = CUZK_ERROR_INIT;
    OK(&ignored, cuzk_job_wait(started, -1, &ignored));
    atomic_store(&first_refused, 0);
    for (size_t i = 0; i < 2; i++) {
        cuzk_status result = CUZK_STATUS_INTERNAL;
        const char* text = NULL;
        OK(&ignored, cuzk_job_result_status(started, i, &result, &ignored));
        OK(&ignored, cuzk_job_result_message(started, i, &text, &ignored));
        if (result == CUZK_STATUS_OK) {
            const uint8_t* bytes = NULL;
            size_t length = 0;
            cuzk_proof proof;
            OK(&ignored, cuzk_job_result_proof(started, i, &bytes, &length, &ignored));
            CHECK(length == sizeof proof);
            memcpy(&proof, bytes, length);
            CHECK(small_circuit_valid(srs, &circuit, &proof));
        } else if (status == CUZK_STATUS_OK) {
            status = error->status = result;
            snprintf(error->message, sizeof error->message, "%s", text);
        }
    }
    cuzk_job_free(started);
    OK(&ignored, cuzk_srs_evict(srs, &ignored));
    return status;
}

/* As benchmarks pass an output around: in base64 within another document. */
static cuzk_status reading_c1(cuzk_error* error) {
    return cuzk_c2_check(wrapped, wrapped_len, sector, prover_id, error);
}

/* The first thing is the copy of the output, which the job keeps. */
static cuzk_status starting_a_sector(cuzk_error* error) {
    cuzk_c2_request request = CUZK_C2_REQUEST_INIT;
    request.c1 = c1;
    request.c1_len = c1_len;
    request.sector_number = sector;
    memcpy(request.prover_id, prover_id, sizeof prover_id);
    cuzk_job* started = NULL;
    const cuzk_status status = cuzk_c2_prove_start(context, &request, 1, NULL, &started, error);
    CHECK((status == CUZK_STATUS_OK) == (started != NULL));
    atomic_store(&first_refused, 0);
    cuzk_job_free(started);
    return status;
}

static void wrap_c1(void) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    wrapped = malloc(c1_len / 3 * 4 + 100);
    CHECK(wrapped);
    char* end = (char*)wrapped + sprintf((char*)wrapped, "{\"SectorNum\":%lu,\"Phase1Out\":\"",
                                         (unsigned long)sector);
    for (size_t i = 0; i < c1_len; i += 3) {
        const size_t left = c1_len - i;
        const unsigned long three = (unsigned long)c1[i] << 16 |
                                    (left > 1 ? (unsigned long)c1[i + 1] << 8 : 0) |
                                    (left > 2 ? c1[i + 2] : 0);
        for (size_t j = 0; j < 4; j++) *end++ = j > left ? '=' : digits[three >> (18 - 6 * j) & 63];
    }
    end += sprintf(end, "\",\"SectorSize\":2048}");
    wrapped_len = (size_t)(end - (char*)wrapped);
}

/* In a context of its own, which has to read the parameters and the circuit. */
static cuzk_status proving_a_sector(cuzk_error* error) {
    uint8_t proof[192];
    size_t length = 0;
    bool valid = false;
    cuzk_error ignored = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    options.parameter_directory = parameters;
    cuzk_context* fresh = NULL;
    const size_t first = atomic_exchange(&first_refused, 0);
    OK(&ignored, cuzk_context_new(&options, &fresh, &ignored));
    atomic_store(&first_refused, first);
    const cuzk_status status = cuzk_c2_prove(fresh, c1, c1_len, sector, prover_id, proof,
                                             sizeof proof, &length, NULL, error);
    atomic_store(&first_refused, 0);
    if (status == CUZK_STATUS_OK) {
        cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;
        OK(&ignored,
           cuzk_c2_statement_from_c1(c1, c1_len, sector, prover_id, &statement, &ignored));
        OK(&ignored, cuzk_c2_verify(fresh, &statement, proof, length, &valid, &ignored));
        CHECK(valid);
    }
    cuzk_context_free(fresh);
    return status;
}

static void all_goes_well(const task* what) {
    cuzk_error error = CUZK_ERROR_INIT;
    OK(&error, what->work(&error));
}

/* Refuses from the k-th on; says how many were refused. */
static size_t refuse(const task* what, size_t k, bool all) {
    cuzk_error error = CUZK_ERROR_INIT;
    atomic_store(&seen, 0);
    atomic_store(&refusals, 0);
    atomic_store(&all_from_there, all);
    atomic_store(&first_refused, k);
    const cuzk_status status = what->work(&error);
    atomic_store(&first_refused, 0);
    const size_t n = atomic_load(&refusals);
    in_all += n;
    const bool said = strpbrk(error.message, "0123456789") && strstr(error.message, " bytes of ") &&
                      !strchr(error.message, '\n');
    if (n == 0 ? status != CUZK_STATUS_OK : status != CUZK_STATUS_OUT_OF_MEMORY || !said) {
        fprintf(stderr, "%s, allocation %zu of %zu refused: %s: %s\n", what->name, k,
                atomic_load(&seen), cuzk_status_name(status), error.message);
        exit(1);
    }
    return n;
}

/* Every k at first, then ever fewer: most are those of tasks that are alike. The
 * work must succeed in between now and then, and at the end. */
static void refuse_each(const task* what, bool all) {
    all_goes_well(what);
    const long long before = atomic_load(&live_bytes);
    size_t k = 1, tried = 0;
    for (; refuse(what, k, all); k += 1 + k / 32)
        if (tried++ % 16 == 0) all_goes_well(what);
    all_goes_well(what);
    const long long left = atomic_load(&live_bytes) - before;
    CHECK(k > 1 && left < SLACK);
}

int main(int argc, char** argv) {
    CHECK(argc >= 5);
    cuzk_error error = CUZK_ERROR_INIT;
    circuit = read_small_circuit(argv[1]);
    c1 = read_file(argv[2], &c1_len);
    sector = strtoull(argv[3], NULL, 10);
    wrap_c1();
    OK(&error, cuzk_prover_id_from_actor(strtoull(argv[4], NULL, 10), prover_id, &error));
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    parameters = argc > 5 ? argv[5] : NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));

    if (parameters) {
        /* The first one makes the constants of Poseidon, once a process. */
        const task sectors = {"a sector", proving_a_sector};
        static const size_t some[] = {1, 10, 40, 120, 200, 250, 400, 2000};
        all_goes_well(&sectors);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            const size_t n = refuse(&sectors, some[i], false);
            CHECK(n == 1 || some[i] > 1000);
        }
    } else {
        static const task tasks[] = {
            {"a proof", proving}, {"a job", job}, {"reading a C1 output", reading_c1}};
        for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
            for (int all = 0; all < 2; all++) refuse_each(&tasks[i], all);
        const task start = {"starting a sector", starting_a_sector};
        CHECK(refuse(&start, 1, false) == 1);
        all_goes_well(&start);
    }
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    free(circuit.words);
    free(c1);
    free(wrapped);
    printf("no_memory: %zu refused allocations were errors, and nothing else\n", in_all);
    return 0;
}
