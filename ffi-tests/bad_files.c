/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: bad_files SMALL_CIRCUIT_FOLDER C1_FILE SECTOR ACTOR SCRATCH_FOLDER [PARAMETER_FOLDER]
 * Files that cannot be opened, read, written or kept. This program's calls
 * stand in for libc's and fail at the k-th call that concerns the folder
 * under test, for each k until everything goes well. Each time the library
 * must name the file and the system's cause, leave no half file, and do the
 * same work when there is no fault. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "circuit.h"

/* Calls that fail together. */
typedef enum { OPEN, STAT, READ, WRITE, SYNC, RENAME } call;

/* What happens instead of a success, beside the errors of errno. */
enum { HALF = -1, END = -2 };

static atomic_int failing_call, fault;
static atomic_size_t seen, failing_k;
static size_t in_all;
static const char* watched_folder;
static atomic_bool watched[1024];

/* The real function of that name. */
static void* real(const char* name) {
    void* function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

#define REAL(name)                        \
    static __typeof__(name)* real_##name; \
    if (!real_##name) *(void**)(&real_##name) = real(#name)

static bool watches(const char* path) {
    return watched_folder && strncmp(path, watched_folder, strlen(watched_folder)) == 0;
}

/* What is to happen at this call: nothing special, an error, HALF or END. */
static int fault_at(call kind) {
    const size_t k = atomic_load(&failing_k);
    if (k == 0 || (int)kind != atomic_load(&failing_call)) return 0;
    return atomic_fetch_add(&seen, 1) + 1 == k ? atomic_load(&fault) : 0;
}

static bool fails(call kind) {
    const int what = fault_at(kind);
    if (what > 0) errno = what;
    return what > 0;
}

static bool fd_fails(call kind, int fd) {
    return fd >= 0 && fd < 1024 && atomic_load(&watched[fd]) && fails(kind);
}

/* How much of a transfer is done: all, half, nothing at the end of a file, or
 * -1 for an error. */
static ssize_t part(call kind, int fd, size_t size) {
    if (fd < 0 || fd >= 1024 || !atomic_load(&watched[fd])) return (ssize_t)size;
    const int what = fault_at(kind);
    if (what == END) return 0;
    if (what == HALF) return (ssize_t)((size + 1) / 2);
    if (what > 0) errno = what;
    return what > 0 ? -1 : (ssize_t)size;
}

int open64(const char* path, int flags, ...) {
    REAL(open64);
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (watches(path) && fails(OPEN)) return -1;
    const int fd = real_open64(path, flags, mode);
    if (fd >= 0 && fd < 1024) atomic_store(&watched[fd], watches(path));
    return fd;
}

int mkdir(const char* path, mode_t mode) {
    REAL(mkdir);
    return watches(path) && fails(OPEN) ? -1 : real_mkdir(path, mode);
}

int statx(int fd, const char* path, int flags, unsigned mask, struct statx* buffer) {
    REAL(statx);
    if ((watches(path) && fails(STAT)) || fd_fails(STAT, fd)) return -1;
    return real_statx(fd, path, flags, mask, buffer);
}

ssize_t read(int fd, void* buffer, size_t size) {
    REAL(read);
    const ssize_t n = part(READ, fd, size);
    return n <= 0 && size != 0 ? n : real_read(fd, buffer, (size_t)n);
}

ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
    REAL(pread64);
    const ssize_t n = part(READ, fd, size);
    return n <= 0 && size != 0 ? n : real_pread64(fd, buffer, (size_t)n, offset);
}

ssize_t write(int fd, const void* buffer, size_t size) {
    REAL(write);
    const ssize_t n = part(WRITE, fd, size);
    return n <= 0 && size != 0 ? n : real_write(fd, buffer, (size_t)n);
}

ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
    REAL(pwrite64);
    const ssize_t n = part(WRITE, fd, size);
    return n <= 0 && size != 0 ? n : real_pwrite64(fd, buffer, (size_t)n, offset);
}

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    return fd_fails(WRITE, fd) ? -1 : real_ftruncate64(fd, size);
}

int fsync(int fd) {
    REAL(fsync);
    return fd_fails(SYNC, fd) ? -1 : real_fsync(fd);
}

int rename(const char* old, const char* new) {
    REAL(rename);
    return watches(new) && fails(RENAME) ? -1 : real_rename(old, new);
}

static small_circuit circuit;
static cuzk_context* context;
static cuzk_c2_statement statement = CUZK_C2_STATEMENT_INIT;

/* Makes the k-th call of the kind fail from here on. */
static void arm(call kind, int what, size_t k) {
    atomic_store(&failing_call, (int)kind);
    atomic_store(&fault, what);
    atomic_store(&seen, 0);
    atomic_store(&failing_k, k);
}

/* Ends the faults; whether there was one. */
static bool disarm(void) {
    const size_t k = atomic_exchange(&failing_k, 0);
    const bool failed = atomic_load(&seen) >= k;
    in_all += failed;
    return failed;
}

/* Opens, checks and loads parameters anew, and proves with them. */
static cuzk_status proving(cuzk_error* error) {
    cuzk_srs* srs = NULL;
    cuzk_proof proof;
    cuzk_srs_options options = CUZK_SRS_OPTIONS_INIT;
    options.checks = CUZK_SRS_CHECKS_SUBGROUP;
    cuzk_status status = cuzk_srs_open(context, circuit.params, &options, &srs, error);
    CHECK((status == CUZK_STATUS_OK) == (srs != NULL));
    if (srs) {
        cuzk_error ignored = CUZK_ERROR_INIT;
        OK(&ignored, cuzk_srs_evict(srs, &ignored));
        status = cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, error);
        if (status == CUZK_STATUS_OK) CHECK(small_circuit_valid(srs, &circuit, &proof));
        OK(&ignored, cuzk_srs_evict(srs, &ignored));
    }
    cuzk_srs_release(srs);
    return status;
}

/* Reads the verifying key of a sector size. The proof is none. */
static cuzk_status verifying(cuzk_error* error) {
    const uint8_t proof[192] = {0};
    bool valid = true;
    const cuzk_status status =
        cuzk_c2_verify(context, &statement, proof, sizeof proof, &valid, error);
    CHECK(status != CUZK_STATUS_OK || !valid);
    return status;
}

/* An error's text names a file of the folder and the cause. */
static void says(const cuzk_error* error, const char* cause, const char* where, size_t k) {
    if (strstr(error->message, watched_folder) && strstr(error->message, cause) &&
        !strchr(error->message, '\n'))
        return;
    fprintf(stderr, "%s, call %zu: %s: \"%s\", \"%s\" wanted in it\n", where, k,
            cuzk_status_name(error->status), error->message, cause);
    exit(1);
}

/* A fault and what must come of it. */
typedef struct {
    call kind;
    int what;
    cuzk_status status;
    const char* cause;
} expected;

static void read_faults(const char* name, cuzk_status (*work)(cuzk_error* error)) {
    static const expected faults[] = {
        {OPEN, EACCES, CUZK_STATUS_IO, "Permission denied"},
        {OPEN, EMFILE, CUZK_STATUS_IO, "Too many open files"},
        {OPEN, EINTR, CUZK_STATUS_OK, ""},
        {STAT, EIO, CUZK_STATUS_IO, "Input/output error"},
        {READ, EIO, CUZK_STATUS_IO, "Input/output error"},
        {READ, ESTALE, CUZK_STATUS_IO, "tale file handle"},
        {READ, EINTR, CUZK_STATUS_OK, ""},
        {READ, HALF, CUZK_STATUS_OK, ""},
        {READ, END, CUZK_STATUS_INVALID_SRS, "became shorter while it was read"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        size_t k = 1;
        for (;; k++) {
            cuzk_error error = CUZK_ERROR_INIT;
            arm(faults[i].kind, faults[i].what, k);
            const cuzk_status status = work(&error);
            if (!disarm()) {
                CHECK(status == CUZK_STATUS_OK);
                break;
            }
            if (status != faults[i].status) {
                fprintf(stderr, "%s, fault %zu at call %zu: %s: %s\n", name, i, k,
                        cuzk_status_name(status), error.message);
                exit(1);
            }
            if (status != CUZK_STATUS_OK) says(&error, faults[i].cause, name, k);
        }
        CHECK(k > 1);
        cuzk_error error = CUZK_ERROR_INIT;
        OK(&error, work(&error));
    }
}

/* How many names in a folder end so. */
static size_t names(const char* folder, const char* suffix) {
    DIR* opened = opendir(folder);
    if (!opened) return 0;
    size_t n = 0;
    for (const struct dirent* entry; (entry = readdir(opened)) != NULL;) {
        const size_t length = strlen(entry->d_name), end = strlen(suffix);
        n += entry->d_name[0] != '.' && length >= end &&
             strcmp(entry->d_name + length - end, suffix) == 0;
    }
    closedir(opened);
    return n;
}

/* The first file that a setup makes is the one for aggregates, within a
 * second; each call on its way fails once. Faults behind it meet the next
 * files, of which the first ones are made at once. */
static void write_faults(const char* folder) {
    static const expected faults[] = {
        {OPEN, EACCES, CUZK_STATUS_IO, "Permission denied"},
        {WRITE, ENOSPC, CUZK_STATUS_IO, "No space left on device"},
        {WRITE, END, CUZK_STATUS_IO, "failed to write whole buffer"},
        {SYNC, EIO, CUZK_STATUS_IO, "Input/output error"},
        {RENAME, EROFS, CUZK_STATUS_IO, "Read-only file system"},
    };
    const uint8_t seed[32] = {0};
    char powers[PATH_MAX];
    CHECK(snprintf(powers, sizeof powers, "%s/v28-fil-inner-product-v1.srs", folder) > 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        size_t k = 0;
        for (bool made = false; !made;) {
            cuzk_error error = CUZK_ERROR_INIT;
            arm(faults[i].kind, faults[i].what, ++k);
            const cuzk_status status = cuzk_dev_setup(context, 5, seed, NULL, NULL, &error);
            CHECK(disarm());
            CHECK(status == faults[i].status);
            says(&error, faults[i].cause, folder, k);
            made = names(folder, ".srs") == 1;
            CHECK(names(folder, "") == (made ? 1 : 0));
            /* The next would come at the end of a minute's work. */
            if (faults[i].kind == SYNC || faults[i].kind == RENAME) break;
        }
        unlink(powers);
        rmdir(folder);
    }
}

int main(int argc, char** argv) {
    CHECK(argc >= 6);
    cuzk_error error = CUZK_ERROR_INIT;
    circuit = read_small_circuit(argv[1]);
    size_t c1_len = 0;
    unsigned char* c1 = read_file(argv[2], &c1_len);
    unsigned char prover_id[32];
    OK(&error, cuzk_prover_id_from_actor(strtoull(argv[4], NULL, 10), prover_id, &error));
    OK(&error, cuzk_c2_statement_from_c1(c1, c1_len, strtoull(argv[3], NULL, 10), prover_id,
                                         &statement, &error));
    free(c1);
    char folder[PATH_MAX];
    CHECK(snprintf(folder, sizeof folder, "%s/bad-files", argv[5]) < (int)sizeof folder);
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    options.parameter_directory = argc > 6 ? argv[6] : folder;
    watched_folder = argc > 6 ? argv[6] : argv[1];
    OK(&error, cuzk_context_new(&options, &context, &error));
    if (argc > 6) {
        read_faults("a verifying key", verifying);
    } else {
        read_faults("a proof", proving);
        watched_folder = folder;
        write_faults(folder);
    }
    cuzk_context_free(context);
    free(circuit.words);
    printf("bad_files: after each of %zu failed calls the proof, or an error with the name\n",
           in_all);
    return 0;
}
