// SPDX-License-Identifier: MIT OR Apache-2.0
// Fr, BLS12-381's scalar field: 255 bits in 8 limbs, see montgomery.h for form and ranges.
#pragma once
#include "constants.h"
#include "montgomery.h"

namespace cuzk {

using fr = prime_field<fr_params>;
static_assert(sizeof(fr) == 32, "an Fr element is 32 bytes, as blst_fr");

// A plain number below r, 8 limbs, low first: 32 little-endian bytes.
struct alignas(16) scalar {
    uint32_t v[8];
};

CUZK_HD fr fr_root() {
    fr r;
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) r.v[i] = fr_params::root(i);
    return r;
}
CUZK_HD fr fr_generator() {
    fr r;
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) r.v[i] = fr_params::generator(i);
    return r;
}
CUZK_HD fr fr_generator_inverse() {
    fr r;
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) r.v[i] = fr_params::generator_inverse(i);
    return r;
}

// A small number as an element.
CUZK_HD fr fr_from(uint64_t x) {
    fr r = fr::zero();
    r.v[0] = (uint32_t)x;
    r.v[1] = (uint32_t)(x >> 32);
    return to_montgomery(r);
}

// 1/a by Fermat's power; 0 for 0. For setting up tables, not for hot code.
CUZK_HD fr inverse(const fr& a) {
    uint32_t e[8];
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) e[i] = fr_params::modulus(i);
    e[0] -= 2;  // r's low limb is 1: the borrow goes on
    e[1] -= 1;
    return power(a, e, 8);
}

}  // namespace cuzk
