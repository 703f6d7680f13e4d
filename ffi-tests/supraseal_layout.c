/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The layouts of supraseal_c2.h, written out as numbers; and the header a
 * second time. */
#include "supraseal_c2.h"
#include "supraseal_c2.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define OFFSET(type, member, bytes) \
    _Static_assert(offsetof(type, member) == (bytes), #type "." #member)

SIZE(supraseal_c2_error, 16);
OFFSET(supraseal_c2_error, code, 0);
OFFSET(supraseal_c2_error, message, 8);
SIZE(SRS, 8);
SIZE(supraseal_c2_fr, 32);
SIZE(supraseal_c2_proof, 384);
OFFSET(supraseal_c2_proof, a, 0);
OFFSET(supraseal_c2_proof, b, 96);
OFFSET(supraseal_c2_proof, c, 288);
SIZE(supraseal_c2_assignment, 136);
OFFSET(supraseal_c2_assignment, a_aux_density, 0);
OFFSET(supraseal_c2_assignment, a_aux_bit_len, 8);
OFFSET(supraseal_c2_assignment, a_aux_popcount, 16);
OFFSET(supraseal_c2_assignment, b_inp_density, 24);
OFFSET(supraseal_c2_assignment, b_inp_bit_len, 32);
OFFSET(supraseal_c2_assignment, b_inp_popcount, 40);
OFFSET(supraseal_c2_assignment, b_aux_density, 48);
OFFSET(supraseal_c2_assignment, b_aux_bit_len, 56);
OFFSET(supraseal_c2_assignment, b_aux_popcount, 64);
OFFSET(supraseal_c2_assignment, a, 72);
OFFSET(supraseal_c2_assignment, b, 80);
OFFSET(supraseal_c2_assignment, c, 88);
OFFSET(supraseal_c2_assignment, abc_size, 96);
OFFSET(supraseal_c2_assignment, inp_assignment_data, 104);
OFFSET(supraseal_c2_assignment, inp_assignment_size, 112);
OFFSET(supraseal_c2_assignment, aux_assignment_data, 120);
OFFSET(supraseal_c2_assignment, aux_assignment_size, 128);
