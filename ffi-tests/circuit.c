/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: circuit SMALL_CIRCUIT_FOLDER
 * Proves a small circuit from its evaluated rows: with fixed and with random
 * blinding, several at once, and in both forms of a proof. */
#include "circuit.h"

int main(int argc, char** argv) {
    CHECK(argc == 2);
    cuzk_error error = CUZK_ERROR_INIT;
    small_circuit circuit = read_small_circuit(argv[1]);
    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    OK(&error, cuzk_context_new(&options, &context, &error));
    cuzk_srs* srs = NULL;
    cuzk_srs_options checked = CUZK_SRS_OPTIONS_INIT;
    checked.checks = CUZK_SRS_CHECKS_SUBGROUP;
    OK(&error, cuzk_srs_open(context, circuit.params, &checked, &srs, &error));

    /* Two equal assignments, blinded at random: different proofs, both valid. */
    const cuzk_assignment pair[2] = {circuit.assignment, circuit.assignment};
    cuzk_proof proofs[2];
    cuzk_timings timings = CUZK_TIMINGS_INIT;
    OK(&error, cuzk_prove(context, srs, pair, 2, NULL, proofs, &timings, &error));
    CHECK(memcmp(&proofs[0], &proofs[1], sizeof proofs[0]) != 0);
    CHECK(small_circuit_valid(srs, &circuit, &proofs[0]));
    CHECK(small_circuit_valid(srs, &circuit, &proofs[1]));
    CHECK(timings.proofs == 2 && timings.total > 0 && timings.msm_h > 0 && timings.verify > 0);
    CHECK(strcmp(timings.backend, "cpu") == 0);
    char json[2048];
    size_t length = 0;
    OK(&error, cuzk_timings_json(&timings, json, sizeof json, &length, &error));
    CHECK(strlen(json) == length && strstr(json, "\"msm_b_g2\":"));

    /* Blinded alike: the same proof. */
    cuzk_randomness fixed[2] = {{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}, {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}};
    OK(&error, cuzk_prove(context, srs, pair, 2, fixed, proofs, NULL, &error));
    CHECK(memcmp(&proofs[0], &proofs[1], sizeof proofs[0]) == 0);
    CHECK(small_circuit_valid(srs, &circuit, &proofs[0]));

    /* None at all is fine too. */
    OK(&error, cuzk_prove(context, srs, NULL, 0, NULL, NULL, NULL, &error));

    /* The other form, and back. */
    cuzk_proof_points points;
    cuzk_proof again;
    OK(&error, cuzk_proof_to_points(&proofs[0], &points, &error));
    OK(&error, cuzk_proof_from_points(&points, &again, &error));
    CHECK(memcmp(&proofs[0], &again, sizeof again) == 0);

    /* A proof that was changed is not valid, whether it still has points or not. */
    again.bytes[20] ^= 1;
    CHECK(!small_circuit_valid(srs, &circuit, &again));
    cuzk_fr input = circuit.assignment.inp_assignment_data[1];
    input.limbs[0] ^= 1;
    bool valid = true;
    OK(&error, cuzk_groth16_verify(srs, proofs, 1, &input, 1, &valid, &error));
    CHECK(!valid);

    cuzk_srs_release(srs);
    cuzk_context_free(context);
    free(circuit.words);
    puts("circuit: proved, verified, both forms");
    return 0;
}
