/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The small circuit of tests/small_circuit: parameters and one assignment,
 * read from a folder. */
#ifndef CIRCUIT_H
#define CIRCUIT_H

#include "check.h"

typedef struct {
    char params[512];
    uint64_t* words;
    cuzk_assignment assignment;
} small_circuit;

/* Reads FOLDER/small.assignment: six counts, three densities, then a, b, c,
 * inputs and auxiliary variables. */
static inline small_circuit read_small_circuit(const char* folder) {
    small_circuit circuit;
    char path[512];
    CHECK(snprintf(path, sizeof path, "%s/small.assignment", folder) < (int)sizeof path);
    CHECK(snprintf(circuit.params, sizeof circuit.params, "%s/small.params", folder) <
          (int)sizeof circuit.params);
    size_t size;
    unsigned char* bytes = read_file(path, &size);
    circuit.words = malloc(size);
    CHECK(circuit.words && size % 8 == 0 && size > 48);
    memcpy(circuit.words, bytes, size);
    free(bytes);

    const uint64_t* word = circuit.words;
    cuzk_assignment* given = &circuit.assignment;
    given->abc_size = (size_t)*word++;
    given->inp_assignment_size = given->b_inp_bit_len = (size_t)*word++;
    given->aux_assignment_size = given->a_aux_bit_len = given->b_aux_bit_len = (size_t)*word++;
    given->a_aux_popcount = (size_t)*word++;
    given->b_inp_popcount = (size_t)*word++;
    given->b_aux_popcount = (size_t)*word++;
    given->a_aux_density = word;
    word += (given->a_aux_bit_len + 63) / 64;
    given->b_inp_density = word;
    word += (given->b_inp_bit_len + 63) / 64;
    given->b_aux_density = word;
    word += (given->b_aux_bit_len + 63) / 64;
    const cuzk_fr* scalar = (const cuzk_fr*)word;
    given->a = scalar;
    given->b = scalar + given->abc_size;
    given->c = scalar + 2 * given->abc_size;
    given->inp_assignment_data = scalar + 3 * given->abc_size;
    given->aux_assignment_data = given->inp_assignment_data + given->inp_assignment_size;
    CHECK((const uint64_t*)(given->aux_assignment_data + given->aux_assignment_size) ==
          circuit.words + size / 8);
    return circuit;
}

/* Whether a proof of the small circuit is valid for its inputs. */
static inline bool small_circuit_valid(const cuzk_srs* srs, const small_circuit* circuit,
                                       const cuzk_proof* proof) {
    cuzk_error error = CUZK_ERROR_INIT;
    bool valid = false;
    OK(&error, cuzk_groth16_verify(srs, proof, 1, circuit->assignment.inp_assignment_data + 1,
                                   circuit->assignment.inp_assignment_size - 1, &valid, &error));
    return valid;
}

#endif
