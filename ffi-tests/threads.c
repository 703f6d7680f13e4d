/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: threads SMALL_CIRCUIT_FOLDER [ROUNDS]
 * Eight threads prove on one context, opening, evicting and asking between;
 * then two contexts prove at once. */
#include <pthread.h>

#include "circuit.h"

enum { THREADS = 8 };

static int rounds = 6;

typedef struct {
    const cuzk_context* context;
    const small_circuit* circuit;
    int number;
} job;

static void* prove_often(void* argument) {
    const job* mine = argument;
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(mine->context, mine->circuit->params, NULL, &srs, &error));
    for (int round = 0; round < rounds; round++) {
        cuzk_proof proof;
        OK(&error, cuzk_prove(mine->context, srs, &mine->circuit->assignment, 1, NULL, &proof, NULL,
                              &error));
        CHECK(small_circuit_valid(srs, mine->circuit, &proof));
        char json[4096];
        OK(&error, cuzk_context_info(mine->context, json, sizeof json, NULL, &error));
        if ((round + mine->number) % 3 == 0) OK(&error, cuzk_srs_evict(srs, &error));
        /* A failure beside the others' work stays this thread's own. */
        if (round % 2 == 0) {
            cuzk_assignment wrong = mine->circuit->assignment;
            wrong.abc_size = 3;
            EXPECT(CUZK_STATUS_INVALID_ASSIGNMENT, "assignment 0", &error,
                   cuzk_prove(mine->context, srs, &wrong, 1, NULL, &proof, NULL, &error));
        }
    }
    cuzk_srs_release(srs);
    return NULL;
}

static cuzk_context* new_context(size_t threads) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    options.threads = threads;
    cuzk_context* context = NULL;
    OK(&error, cuzk_context_new(&options, &context, &error));
    return context;
}

static void run(const cuzk_context* const* contexts, size_t n, const small_circuit* circuit) {
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){contexts[(size_t)i % n], circuit, i};
        CHECK(pthread_create(&threads[i], NULL, prove_often, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char** argv) {
    CHECK(argc == 2 || argc == 3);
    if (argc == 3) rounds = atoi(argv[2]);
    small_circuit circuit = read_small_circuit(argv[1]);
    cuzk_context* contexts[2] = {new_context(2), new_context(1)};
    run((const cuzk_context* const[]){contexts[0]}, 1, &circuit);
    run((const cuzk_context* const[]){contexts[0], contexts[1]}, 2, &circuit);
    cuzk_context_free(contexts[0]);
    cuzk_context_free(contexts[1]);
    free(circuit.words);
    printf("threads: %d proofs on one context, as many on two\n", THREADS * rounds);
    return 0;
}
