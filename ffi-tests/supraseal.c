/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: supraseal SMALL_CIRCUIT_FOLDER SCRATCH_FOLDER
 * libsupraseal_c2.so beside libcuzk.so: the same proofs, at once and in two
 * steps from two threads, rows overwritten as soon as they may be, and an error
 * for whatever is wrong. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "circuit.h"
#include "supraseal_c2.h"

enum { WORKERS = 2, EACH = 2 };

static const cuzk_randomness blinding = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}};

static supraseal_c2_assignment given;
static supraseal_c2_fr r_s[2], s_s[2];
static supraseal_c2_proof expected;
static SRS srs;

/* Ends the program unless an error has the code and a text of one line with
 * `part` in it; frees the text. */
static void expect_code(int code, const char* part, supraseal_c2_error error, int line) {
    if (error.code != code || (code == 0) != (error.message == NULL) ||
        (error.message && (!strstr(error.message, part) || strchr(error.message, '\n')))) {
        fprintf(stderr, "%s:%d: code %d, text \"%s\"; %d and \"%s\" wanted\n", __FILE__, line,
                error.code, error.message ? error.message : "", code, part);
        exit(1);
    }
    free(error.message);
}

#define FINE(call) expect_code(0, "", (call), __LINE__)
#define BAD(code, part, call) expect_code((code), (part), (call), __LINE__)

/* One call on this assignment alone. */
static supraseal_c2_error prove_one(const supraseal_c2_assignment* assignment,
                                    supraseal_c2_proof* proof) {
    return generate_groth16_proofs_c(assignment, 1, r_s, s_s, proof, &srs);
}

static supraseal_c2_fr* copy_rows(const supraseal_c2_fr* rows) {
    supraseal_c2_fr* copy = malloc(given.abc_size * sizeof *rows);
    CHECK(copy);
    memcpy(copy, rows, given.abc_size * sizeof *rows);
    return copy;
}

/* A worker that begins proofs, spoils and frees their rows at once, and takes
 * the proofs later. */
static void* worker(void* gpu_mutex) {
    void* pending[EACH];
    for (int i = 0; i < EACH; i++) {
        supraseal_c2_assignment* mine = malloc(2 * sizeof *mine);
        supraseal_c2_fr* blinds = malloc(4 * sizeof *blinds);
        supraseal_c2_fr* rows[3] = {copy_rows(given.a), copy_rows(given.b), copy_rows(given.c)};
        CHECK(mine && blinds);
        mine[0] = given;
        mine[0].a = rows[0];
        mine[0].b = rows[1];
        mine[0].c = rows[2];
        mine[1] = mine[0];
        memcpy(blinds, r_s, sizeof r_s);
        memcpy(blinds + 2, s_s, sizeof s_s);
        FINE(generate_groth16_proofs_start_c(mine, 2, blinds, blinds + 2, &srs, gpu_mutex, i - 1,
                                             &pending[i]));
        CHECK(pending[i]);
        for (int row = 0; row < 3; row++) {
            memset(rows[row], 0xa5, given.abc_size * sizeof **rows);
            free(rows[row]);
        }
        memset(mine, 0xa5, 2 * sizeof *mine);
        memset(blinds, 0xa5, 4 * sizeof *blinds);
        free(mine);
        free(blinds);
    }
    for (int i = 0; i < EACH; i++) {
        supraseal_c2_proof proofs[2];
        FINE(finalize_groth16_proof_c(pending[i], proofs));
        CHECK(memcmp(&proofs[0], &expected, sizeof expected) == 0);
        CHECK(memcmp(&proofs[1], &expected, sizeof expected) == 0);
        BAD(EINVAL, "no pending proof", finalize_groth16_proof_c(pending[i], proofs));
    }
    return NULL;
}

/* Writes bytes to FOLDER/NAME. */
static void write_file(const char* path, const unsigned char* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void refuse_bad_files(const char* params, const char* scratch) {
    char path[600];
    CHECK(snprintf(path, sizeof path, "%s/bad.params", scratch) < (int)sizeof path);
    SRS bad = {&path};
    unlink(path);
    BAD(ENOENT, "bad.params: no such file", create_SRS(&bad, path, false));
    CHECK(bad.ptr == NULL);

    size_t size;
    unsigned char* bytes = read_file(params, &size);
    /* Half of the last section is missing; the original went past the end. */
    write_file(path, bytes, size - 96);
    BAD(EINVAL, "b_g2", create_SRS(&bad, path, true));
    /* A bit of the last point's x: off the curve; the original took it. */
    bytes[size - 192 + 20] ^= 1;
    write_file(path, bytes, size);
    BAD(EINVAL, "b_g2 query point", create_SRS(&bad, path, true));
    CHECK(bad.ptr == NULL);
    free(bytes);
    unlink(path);
    BAD(EINVAL, "srs_out is null", create_SRS(NULL, path, false));
    BAD(EINVAL, "srs_path is null", create_SRS(&bad, NULL, false));
}

/* Each size and pointer that can be wrong: an error that names it, before any
 * work is started. The original's asserts were compiled out. */
static void refuse_bad_assignments(void) {
    supraseal_c2_proof proof;
    memset(&proof, 0x5a, sizeof proof);
    const supraseal_c2_proof untouched = proof;
    supraseal_c2_assignment bad;
#define WITH(member, value, part)                     \
    do {                                              \
        bad = given;                                  \
        bad.member = (value);                         \
        BAD(EINVAL, (part), prove_one(&bad, &proof)); \
    } while (0)
    WITH(a_aux_density, NULL, "assignment 0: a_aux_density is null");
    WITH(a_aux_bit_len, given.a_aux_bit_len - 1, "a_aux_density");
    WITH(a_aux_popcount, given.a_aux_popcount + 1, "a query has");
    WITH(b_inp_bit_len, 0, "b_inp");
    WITH(b_inp_popcount, given.b_inp_popcount + 1, "b query in G1 has");
    WITH(b_aux_popcount, SIZE_MAX, "b query in G1 has");
    WITH(b_aux_bit_len, given.b_aux_bit_len - 1, "b_aux");
    WITH(a, NULL, "assignment 0: a is null");
    WITH(b, NULL, "b is null");
    WITH(c, NULL, "c is null");
    WITH(abc_size, given.abc_size / 3, "rows");
    WITH(abc_size, 0, "rows");
    WITH(abc_size, SIZE_MAX / 2, "rows");
    WITH(inp_assignment_data, NULL, "inp_assignment_data is null");
    WITH(inp_assignment_size, given.inp_assignment_size - 1, "inputs");
    WITH(aux_assignment_data, NULL, "aux_assignment_data is null");
    WITH(aux_assignment_size, given.aux_assignment_size - 1, "auxiliary variables");
#undef WITH
    BAD(EINVAL, "provers is null", prove_one(NULL, &proof));
    BAD(EINVAL, "proofs_out is null", prove_one(&given, NULL));
    BAD(EINVAL, "r_s is null", generate_groth16_proofs_c(&given, 1, NULL, s_s, &proof, &srs));
    BAD(EINVAL, "s_s is null", generate_groth16_proofs_c(&given, 1, r_s, NULL, &proof, &srs));
    BAD(EINVAL, "srs is null", generate_groth16_proofs_c(&given, 1, r_s, s_s, &proof, NULL));
    const SRS empty = {NULL};
    BAD(EINVAL, "holds no parameters",
        generate_groth16_proofs_c(&given, 1, r_s, s_s, &proof, &empty));
    const supraseal_c2_fr large = {{0, 0, 0, UINT64_MAX}};
    BAD(EINVAL, "r_s element 0 of 1 is not below the modulus",
        generate_groth16_proofs_c(&given, 1, &large, s_s, &proof, &srs));
    FINE(generate_groth16_proofs_c(NULL, 0, NULL, NULL, NULL, &srs));

    /* Rows that satisfy nothing. */
    supraseal_c2_fr* rows = copy_rows(given.c);
    rows[1].limbs[0] ^= 1;
    bad = given;
    bad.c = rows;
    BAD(EINVAL, "row 1 of the assignment is not satisfied", prove_one(&bad, &proof));
    free(rows);

    void* pending = &proof;
    BAD(EINVAL, "gpu_mtx is no lock",
        generate_groth16_proofs_start_c(&given, 1, r_s, s_s, &srs, &proof, -1, &pending));
    CHECK(pending == NULL);
    BAD(EINVAL, "gpu_index is -2",
        generate_groth16_proofs_start_c(&given, 1, r_s, s_s, &srs, NULL, -2, &pending));
    BAD(EINVAL, "pending_out is null",
        generate_groth16_proofs_start_c(&given, 1, r_s, s_s, &srs, NULL, -1, NULL));
    BAD(EINVAL, "no pending proof", finalize_groth16_proof_c(NULL, &proof));
    BAD(EINVAL, "no pending proof", finalize_groth16_proof_c(&proof, &proof));
    CHECK(memcmp(&proof, &untouched, sizeof proof) == 0);
}

/* A forked child gets an error from each call, and ends as it wants to. */
static void refuse_in_a_child(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        supraseal_c2_proof proof;
        SRS copy = clone_SRS(&srs);
        supraseal_c2_error error = prove_one(&given, &proof);
        bool told = error.code == EPERM && strstr(error.message, "fork");
        free(error.message);
        drop_SRS(&copy);
        evict_SRS(&srs);
        /* What the threads left is no leak that a checker should report: the
         * child goes without its exit. */
        if (told) raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The same proof by libcuzk. */
static void expect_proof_of_libcuzk(const small_circuit* circuit) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(NULL, &context, &error));
    cuzk_srs* handle = NULL;
    OK(&error, cuzk_srs_open(context, circuit->params, NULL, &handle, &error));
    cuzk_proof proof;
    OK(&error,
       cuzk_prove(context, handle, &circuit->assignment, 1, &blinding, &proof, NULL, &error));
    CHECK(small_circuit_valid(handle, circuit, &proof));
    cuzk_proof_points points;
    OK(&error, cuzk_proof_to_points(&proof, &points, &error));
    CHECK(sizeof points == sizeof expected);
    memcpy(&expected, &points, sizeof expected);
    cuzk_srs_release(handle);
    cuzk_context_free(context);
}

int main(int argc, char** argv) {
    CHECK(argc == 3);
    small_circuit circuit = read_small_circuit(argv[1]);
    CHECK(sizeof given == sizeof circuit.assignment);
    memcpy(&given, &circuit.assignment, sizeof given);
    for (int i = 0; i < 2; i++) {
        memcpy(&r_s[i], &blinding.r, sizeof *r_s);
        memcpy(&s_s[i], &blinding.s, sizeof *s_s);
    }
    expect_proof_of_libcuzk(&circuit);

    /* Endings accept nothing, and before anything was opened. */
    SRS nothing = {NULL};
    drop_SRS(NULL);
    drop_SRS(&nothing);
    evict_SRS(NULL);
    evict_SRS(&nothing);
    CHECK(clone_SRS(NULL).ptr == NULL && clone_SRS(&nothing).ptr == NULL);
    destroy_pending_proof(NULL);
    destroy_gpu_mutex(NULL);

    FINE(create_SRS(&srs, circuit.params, false));
    supraseal_c2_proof proofs[2];
    const supraseal_c2_assignment pair[2] = {given, given};
    FINE(generate_groth16_proofs_c(pair, 2, r_s, s_s, proofs, &srs));
    CHECK(memcmp(&proofs[0], &expected, sizeof expected) == 0);
    CHECK(memcmp(&proofs[1], &expected, sizeof expected) == 0);

    refuse_bad_files(circuit.params, argv[2]);
    refuse_bad_assignments();
    refuse_in_a_child();

    /* A handle outlives the one it was cloned from, and eviction. */
    SRS copy = clone_SRS(&srs);
    drop_SRS(&srs);
    CHECK(srs.ptr == NULL);
    drop_SRS(&srs);
    srs = copy;
    evict_SRS(&srs);
    FINE(prove_one(&given, proofs));
    CHECK(memcmp(&proofs[0], &expected, sizeof expected) == 0);

    /* By path, several times; what was dropped is found again. */
    for (int i = 0; i < 3; i++) {
        SRS cached;
        FINE(create_SRS(&cached, circuit.params, true));
        if (i == 2) evict_SRS(&cached);
        drop_SRS(&cached);
    }

    void* gpu_mutex = create_gpu_mutex();
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, i ? gpu_mutex : NULL) == 0);
    for (int i = 0; i < WORKERS; i++) CHECK(pthread_join(threads[i], NULL) == 0);

    /* Given up half-way: nothing is left, and what was lent is free. */
    void* pending = NULL;
    FINE(generate_groth16_proofs_start_c(pair, 2, r_s, s_s, &srs, gpu_mutex, -1, &pending));
    destroy_pending_proof(pending);
    destroy_pending_proof(pending);
    destroy_gpu_mutex(gpu_mutex);
    destroy_gpu_mutex(gpu_mutex);

    drop_SRS(&srs);
    free(circuit.words);
    puts("supraseal: the same proofs as libcuzk, at once and in two steps; errors for the rest");
    return 0;
}
