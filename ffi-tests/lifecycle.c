/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: lifecycle SMALL_CIRCUIT_FOLDER
 * Handles begin and end in any order, null is fine for every ending, a child
 * that was forked is told so, and what is asked about comes as JSON. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "circuit.h"

static int lines;

static void count_line(void* user, int32_t level, const char* line) {
    CHECK(user == &lines && level >= CUZK_LOG_LEVEL_ERROR && level <= CUZK_LOG_LEVEL_DEBUG);
    CHECK(strlen(line) > 0);
    lines++;
}

static void ends_accept_null(void) {
    cuzk_context_free(NULL);
    cuzk_srs_release(NULL);
}

static cuzk_context* new_context(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = 2;
    options.log = count_line;
    options.log_user = &lines;
    options.log_level = CUZK_LOG_LEVEL_DEBUG;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    CHECK(context);
    return context;
}

static void info_is_json_of_the_length_said(const cuzk_context* context) {
    cuzk_error error = CUZK_ERROR_INIT;
    size_t length = 0;
    EXPECT(CUZK_STATUS_BUFFER_TOO_SMALL, "json_out has room for 0 bytes", &error,
           cuzk_context_info(context, NULL, 0, &length, &error));
    CHECK(length > 100);
    char* json = malloc(length + 1);
    CHECK(json);
    OK(&error, cuzk_context_info(context, json, length + 1, &length, &error));
    CHECK(json[0] == '{' && strlen(json) == length && json[length - 1] == '}');
    CHECK(strstr(json, "\"backends\":[\"cpu\"]"));
    free(json);
}

static void parameters_outlive_their_context_and_each_other(const char* folder) {
    cuzk_error error = CUZK_ERROR_INIT;
    small_circuit circuit = read_small_circuit(folder);
    cuzk_context* context = new_context();
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    CHECK(srs);
    cuzk_srs_shape shape = CUZK_SRS_SHAPE_INIT;
    OK(&error, cuzk_srs_info(srs, &shape, &error));
    CHECK(shape.resident == 1 && shape.inputs == circuit.assignment.inp_assignment_size);
    CHECK(shape.l == circuit.assignment.aux_assignment_size && shape.b_g1 == shape.b_g2);

    OK(&error, cuzk_srs_evict(srs, &error));
    OK(&error, cuzk_srs_info(srs, &shape, &error));
    CHECK(shape.resident == 0);

    OK(&error, cuzk_srs_retain(srs, &error));
    cuzk_srs_release(srs);
    cuzk_proof proof;
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
    cuzk_context_free(context);
    CHECK(small_circuit_valid(srs, &circuit, &proof));
    OK(&error, cuzk_srs_info(srs, &shape, &error));
    CHECK(shape.resident == 1);
    cuzk_srs_release(srs);
    free(circuit.words);
}

static void a_forked_child_is_told_so(const char* folder) {
    cuzk_context* context = new_context();
    small_circuit circuit = read_small_circuit(folder);
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        cuzk_context* second = NULL;
        cuzk_proof proof;
        EXPECT(CUZK_STATUS_FORKED, "forked child", &error, cuzk_context_new(NULL, &second, &error));
        CHECK(!second);
        EXPECT(CUZK_STATUS_FORKED, "forked child", &error,
               cuzk_context_info(context, NULL, 0, NULL, &error));
        EXPECT(CUZK_STATUS_FORKED, "forked child", &error,
               cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
        EXPECT(CUZK_STATUS_FORKED, "forked child", &error, cuzk_srs_evict(srs, &error));
        /* Endings do nothing, and come back. What they leave is no leak that
         * a checker should report: the child goes without its exit. */
        cuzk_srs_release(srs);
        cuzk_context_free(context);
        raise(SIGKILL);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    /* The parent goes on as if nothing had been. */
    info_is_json_of_the_length_said(context);
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    free(circuit.words);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    ends_accept_null();
    cuzk_context* context = new_context();
    info_is_json_of_the_length_said(context);
    cuzk_context_free(context);
    CHECK(lines > 0);
    parameters_outlive_their_context_and_each_other(argv[1]);
    a_forked_child_is_told_so(argv[1]);
    printf("lifecycle: handles in any order, %d log lines\n", lines);
    return 0;
}
