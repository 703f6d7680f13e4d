/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: errors SMALL_CIRCUIT_FOLDER SCRATCH_FOLDER
 * Every status that a caller can bring about on a small circuit, each with a
 * text that says what to do; results stay untouched by failures; the context
 * stays good. Elsewhere: INVALID_C1 and UNSUPPORTED in sector.c,
 * BUFFER_TOO_SMALL and FORKED in lifecycle.c, TIMEOUT and CANCELLED in jobs.c.
 * A healthy device and a good library give no OUT_OF_DEVICE_MEMORY,
 * DEVICE_FAILED and INTERNAL: the first comes from small budgets in
 * prover/tests/backends_agree, the others from a backend that fails and
 * panics in tests/context.rs; src/ffi/status.rs maps them. */
#include <sys/stat.h>
#include <unistd.h>

#include "circuit.h"

static cuzk_error error = CUZK_ERROR_INIT;
static cuzk_context* context;
static cuzk_srs* srs;
static small_circuit circuit;

static cuzk_context_options cpu_options(void) {
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    return options;
}

static void null_is_an_error_everywhere(void) {
    size_t count = 99;
    bool valid = true;
    char json[64];
    cuzk_device device = CUZK_DEVICE_INIT;
    cuzk_srs_shape shape = CUZK_SRS_SHAPE_INIT;
    cuzk_timings timings = CUZK_TIMINGS_INIT;
    cuzk_proof proof = {{7}};
    cuzk_proof_points points;
    const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;
    cuzk_context* none = (cuzk_context*)&count;
    cuzk_srs* no_srs = (cuzk_srs*)&count;
    const cuzk_assignment* given = &circuit.assignment;

    CHECK(cuzk_device_count(NULL, NULL, NULL) == invalid);
    EXPECT(invalid, "count_out is null", &error, cuzk_device_count(NULL, NULL, &error));
    EXPECT(invalid, "device_out is null", &error, cuzk_device_info(0, NULL, &error));
    OK(&error, cuzk_device_count(&count, NULL, &error));
    EXPECT(invalid, "device index", &error, cuzk_device_info(count, &device, &error));
    EXPECT(invalid, "context_out is null", &error, cuzk_context_new(NULL, NULL, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_context_info(NULL, json, sizeof json, NULL, &error));
    EXPECT(invalid, "json_out is null", &error, cuzk_context_info(context, NULL, 9, NULL, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_srs_open(NULL, circuit.params, NULL, &no_srs, &error));
    CHECK(!no_srs);
    EXPECT(invalid, "path is null", &error, cuzk_srs_open(context, NULL, NULL, &no_srs, &error));
    EXPECT(invalid, "path is empty", &error, cuzk_srs_open(context, "", NULL, &no_srs, &error));
    EXPECT(invalid, "srs_out is null", &error,
           cuzk_srs_open(context, circuit.params, NULL, NULL, &error));
    EXPECT(invalid, "srs is null", &error, cuzk_srs_retain(NULL, &error));
    EXPECT(invalid, "srs is null", &error, cuzk_srs_evict(NULL, &error));
    EXPECT(invalid, "srs is null", &error, cuzk_srs_info(NULL, &shape, &error));
    EXPECT(invalid, "shape_out is null", &error, cuzk_srs_info(srs, NULL, &error));
    EXPECT(invalid, "context is null", &error,
           cuzk_prove(NULL, srs, given, 1, NULL, &proof, NULL, &error));
    EXPECT(invalid, "srs is null", &error,
           cuzk_prove(context, NULL, given, 1, NULL, &proof, NULL, &error));
    EXPECT(invalid, "assignments is null, with 1 elements", &error,
           cuzk_prove(context, srs, NULL, 1, NULL, &proof, NULL, &error));
    EXPECT(invalid, "proofs_out is null, with 1 elements", &error,
           cuzk_prove(context, srs, given, 1, NULL, NULL, NULL, &error));
    EXPECT(invalid, "more than an address space holds", &error,
           cuzk_prove(context, srs, given, SIZE_MAX, NULL, &proof, NULL, &error));
    EXPECT(invalid, "srs is null", &error,
           cuzk_groth16_verify(NULL, &proof, 1, given->a, 1, &valid, &error));
    EXPECT(invalid, "proofs is null", &error,
           cuzk_groth16_verify(srs, NULL, 1, given->a, 1, &valid, &error));
    EXPECT(invalid, "inputs is null", &error,
           cuzk_groth16_verify(srs, &proof, 1, NULL, 1, &valid, &error));
    EXPECT(invalid, "valid_out is null", &error,
           cuzk_groth16_verify(srs, &proof, 1, given->a, 1, NULL, &error));
    EXPECT(invalid, "proof is null", &error, cuzk_proof_to_points(NULL, &points, &error));
    EXPECT(invalid, "points_out is null", &error, cuzk_proof_to_points(&proof, NULL, &error));
    EXPECT(invalid, "points is null", &error, cuzk_proof_from_points(NULL, &proof, &error));
    EXPECT(invalid, "timings is null", &error,
           cuzk_timings_json(NULL, json, sizeof json, NULL, &error));
    EXPECT(invalid, "json_out is null", &error, cuzk_timings_json(&timings, NULL, 9, NULL, &error));
    CHECK(proof.bytes[0] == 7 && valid);
    (void)none;
}

static void other_sizes_are_abi_mismatch(void) {
    const cuzk_status mismatch = CUZK_STATUS_ABI_MISMATCH;
    cuzk_device device = CUZK_DEVICE_INIT;
    device.struct_size = 3;
    EXPECT(mismatch, "struct_size is 3", &error, cuzk_device_info(0, &device, &error));

    cuzk_context* none = (cuzk_context*)&device;
    cuzk_context_options options = cpu_options();
    options.struct_size = 8;
    EXPECT(mismatch, "struct_size is 8, a cuzk_context_options has 72", &error,
           cuzk_context_new(&options, &none, &error));
    CHECK(!none);

    /* A caller built against a newer header: served while what is new is
     * zero. */
    struct {
        cuzk_context_options known;
        uint64_t newer;
    } longer = {cpu_options(), 0};
    longer.known.struct_size = (uint32_t)sizeof longer;
    OK(&error, cuzk_context_new(&longer.known, &none, &error));
    cuzk_context_free(none);
    longer.newer = 1;
    EXPECT(mismatch, "the caller needs a newer library", &error,
           cuzk_context_new(&longer.known, &none, &error));
    CHECK(!none);

    /* An error that cannot be written is not written, and nothing is done. */
    size_t count = 99;
    cuzk_error bad = CUZK_ERROR_INIT;
    bad.struct_size = 0;
    CHECK(cuzk_device_count(&count, NULL, &bad) == mismatch);
    CHECK(bad.message[0] == '\0' && count == 99);
}

/* A handle that was not made is null, whatever was wrong: its ending is safe. */
static void handles_are_null_on_every_failure(void) {
    cuzk_error bad = CUZK_ERROR_INIT;
    bad.struct_size = 3;
    cuzk_context* new_context = (cuzk_context*)(uintptr_t)1;
    cuzk_srs* new_srs = (cuzk_srs*)(uintptr_t)1;
    cuzk_job* job = (cuzk_job*)(uintptr_t)1;
    CHECK(cuzk_context_new(NULL, &new_context, &bad) == CUZK_STATUS_ABI_MISMATCH);
    CHECK(cuzk_srs_open(context, circuit.params, NULL, &new_srs, &bad) == CUZK_STATUS_ABI_MISMATCH);
    CHECK(cuzk_prove_start(context, srs, &circuit.assignment, 1, NULL, NULL, &job, &bad) ==
          CUZK_STATUS_ABI_MISMATCH);
    CHECK(!new_context && !new_srs && !job);
    job = (cuzk_job*)(uintptr_t)1;
    CHECK(cuzk_c2_prove_start(context, NULL, 0, NULL, &job, &bad) == CUZK_STATUS_ABI_MISMATCH);
    CHECK(!job);
}

static void options_are_checked(void) {
    const cuzk_status invalid = CUZK_STATUS_INVALID_ARGUMENT;
    cuzk_context* none = NULL;
    cuzk_context_options options = cpu_options();
    options.backend = 4;
    EXPECT(invalid, "options.backend is 4", &error, cuzk_context_new(&options, &none, &error));
    options = cpu_options();
    options.self_verification = -1;
    EXPECT(invalid, "options.self_verification is -1", &error,
           cuzk_context_new(&options, &none, &error));
    options = cpu_options();
    options.log_level = CUZK_LOG_LEVEL_DEBUG;
    EXPECT(invalid, "options.log is null", &error, cuzk_context_new(&options, &none, &error));
    options = cpu_options();
    options.parameter_directory = "";
    EXPECT(invalid, "options.parameter_directory is empty", &error,
           cuzk_context_new(&options, &none, &error));
    /* Asked for by the environment, which forbids it too. */
    options = cpu_options();
    options.backend = CUZK_BACKEND_DEFAULT;
    CHECK(setenv("CUZK_BACKEND", "cuda", 1) == 0 && setenv("BELLMAN_NO_GPU", "1", 1) == 0);
    EXPECT(CUZK_STATUS_NO_DEVICE, "BELLMAN_NO_GPU", &error,
           cuzk_context_new(&options, &none, &error));
    CHECK(unsetenv("CUZK_BACKEND") == 0 && unsetenv("BELLMAN_NO_GPU") == 0);
    options = cpu_options();
    options.backend = CUZK_BACKEND_CUDA;
    options.devices = "97";
    cuzk_status status = cuzk_context_new(&options, &none, &error);
    CHECK(!none && (status == CUZK_STATUS_NO_DEVICE || status == invalid));
    CHECK(strlen(error.message) > 10);

    cuzk_srs* no_srs = NULL;
    cuzk_srs_options checks = CUZK_SRS_OPTIONS_INIT;
    checks.checks = 5;
    EXPECT(invalid, "options.checks is 5", &error,
           cuzk_srs_open(context, circuit.params, &checks, &no_srs, &error));
    checks = (cuzk_srs_options)CUZK_SRS_OPTIONS_INIT;
    checks.digest = "abc";
    EXPECT(invalid, "32 hexadecimal digits", &error,
           cuzk_srs_open(context, circuit.params, &checks, &no_srs, &error));
    checks.digest = "00000000000000000000000000000000";
    EXPECT(CUZK_STATUS_INVALID_SRS, "small.params", &error,
           cuzk_srs_open(context, circuit.params, &checks, &no_srs, &error));
    CHECK(!no_srs);
}

static void files_are_checked(const char* scratch) {
    char path[512];
    cuzk_srs* none = (cuzk_srs*)&path;
    CHECK(snprintf(path, sizeof path, "%s/no-such.params", scratch) < (int)sizeof path);
    EXPECT(CUZK_STATUS_PARAMETERS_NOT_FOUND, "no-such.params", &error,
           cuzk_srs_open(context, path, NULL, &none, &error));
    CHECK(!none);
    EXPECT(CUZK_STATUS_IO, scratch, &error, cuzk_srs_open(context, scratch, NULL, &none, &error));

    CHECK(snprintf(path, sizeof path, "%s/short.params", scratch) < (int)sizeof path);
    size_t size;
    unsigned char* bytes = read_file(circuit.params, &size);
    FILE* file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size - 1, file) == size - 1 && fclose(file) == 0);
    EXPECT(CUZK_STATUS_INVALID_SRS, "short.params", &error,
           cuzk_srs_open(context, path, NULL, &none, &error));
    bytes[size - 5] ^= 1;
    file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    EXPECT(CUZK_STATUS_INVALID_SRS, "b_g2", &error,
           cuzk_srs_open(context, path, NULL, &none, &error));
    CHECK(!none && unlink(path) == 0);
    free(bytes);
}

static void refused(const cuzk_assignment* given, cuzk_status status, const char* part) {
    cuzk_proof proof = {{7}};
    EXPECT(status, part, &error, cuzk_prove(context, srs, given, 1, NULL, &proof, NULL, &error));
    CHECK(proof.bytes[0] == 7);
}

static void assignments_are_checked(void) {
    const cuzk_status invalid = CUZK_STATUS_INVALID_ASSIGNMENT;
    cuzk_assignment given = circuit.assignment;
    given.aux_assignment_size--;
    refused(&given, invalid, "auxiliary variables");
    given = circuit.assignment;
    given.inp_assignment_size--;
    refused(&given, invalid, "inputs");
    given = circuit.assignment;
    given.abc_size = 3;
    refused(&given, invalid, "rows");
    given = circuit.assignment;
    given.a_aux_popcount++;
    refused(&given, invalid, "popcount");
    given = circuit.assignment;
    given.b_aux_bit_len -= 64;
    refused(&given, invalid, "b_aux_density");
    given = circuit.assignment;
    given.a = NULL;
    refused(&given, CUZK_STATUS_INVALID_ARGUMENT, "a is null");
    given = circuit.assignment;
    given.aux_assignment_size = SIZE_MAX;
    refused(&given, invalid, "18446744073709551615 auxiliary variables");
    /* Bytes given for elements: refused before 32 times too much is read. */
    given = circuit.assignment;
    given.abc_size *= sizeof(cuzk_fr);
    refused(&given, invalid, "rows");

    size_t bytes = circuit.assignment.aux_assignment_size * sizeof(cuzk_fr);
    cuzk_fr* aux = malloc(bytes);
    CHECK(aux);
    memcpy(aux, circuit.assignment.aux_assignment_data, bytes);
    given = circuit.assignment;
    given.aux_assignment_data = aux;
    memset(&aux[5], 0xff, sizeof aux[5]);
    refused(&given, invalid, "aux_assignment_data element 5");
    /* A witness that satisfies nothing: the proof fails its verification. */
    memcpy(&aux[5], &circuit.assignment.aux_assignment_data[1], sizeof aux[5]);
    refused(&given, CUZK_STATUS_SELF_CHECK_FAILED, "verif");
    free(aux);

    cuzk_proof proof = {{0}};
    bool valid = true;
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "inputs", &error,
           cuzk_groth16_verify(srs, &proof, 1, given.a, 2, &valid, &error));
    OK(&error, cuzk_groth16_verify(srs, &proof, 1, given.a, 1, &valid, &error));
    CHECK(!valid);
    cuzk_proof_points points;
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "point a", &error,
           cuzk_proof_to_points(&proof, &points, &error));
    memset(&points, 0xff, sizeof points);
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "point a", &error,
           cuzk_proof_from_points(&points, &proof, &error));
}

static void budgets_are_kept(void) {
    cuzk_context_options options = cpu_options();
    options.host_memory_bytes = 1000;
    cuzk_context* small = NULL;
    cuzk_srs* none = NULL;
    OK(&error, cuzk_context_new(&options, &small, &error));
    EXPECT(CUZK_STATUS_OUT_OF_MEMORY, "1000", &error,
           cuzk_srs_open(small, circuit.params, NULL, &none, &error));
    CHECK(!none);
    cuzk_context_free(small);
}

static void the_context_is_still_good(void) {
    cuzk_proof proof;
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
    CHECK(small_circuit_valid(srs, &circuit, &proof));
}

int main(int argc, char** argv) {
    CHECK(argc == 3);
    circuit = read_small_circuit(argv[1]);
    cuzk_context_options options = cpu_options();
    OK(&error, cuzk_context_new(&options, &context, &error));
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    null_is_an_error_everywhere();
    other_sizes_are_abi_mismatch();
    handles_are_null_on_every_failure();
    options_are_checked();
    files_are_checked(argv[2]);
    assignments_are_checked();
    budgets_are_kept();
    the_context_is_still_good();
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    free(circuit.words);
    puts("errors: each status with its text");
    return 0;
}
