// SPDX-License-Identifier: MIT OR Apache-2.0
// Factors: constants of Fr that many elements are multiplied by, such as roots of unity. With the
// quotient floor(w R / r) known beforehand, R = 2^256, a product needs the upper half of one
// product and the lower halves of two (Shoup's trick): a w - floor(a quotient / R) r.
//
// That is below (1 + a / R) r, and 2^-28 r more when the upper half leaves low columns out: below
// 2 r for a below 2 r. An element a in Montgomery form gives a product in Montgomery form, since w
// is a plain number.
#pragma once
#include "fr.h"
#ifdef __CUDACC__
#include "factor_device.cuh"
#endif

namespace cuzk {

struct fr_factor {
    fr value, quotient;  // plain numbers
};

// In: a in Montgomery form, canonical: a = w R - quotient r.
CUZK_HD fr_factor make_factor(const fr& a) {
    uint32_t inverse[8], wide[16];
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) inverse[i] = fr_params::neg_inv(i);
    limbs_mul<8>(wide, a.v, inverse);
    fr_factor f;
    f.value = from_montgomery(a);
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) f.quotient.v[i] = wide[i];
    return f;
}

// a times the factor, below 2 r. In: a below 2 r.
CUZK_HD fr mul_factor(const fr_factor& f, const fr& a) {
#ifdef __CUDA_ARCH__
    fr r;
    ptx::mul_by_factor<fr_params>(r.v, a.v, f.value.v, f.quotient.v);
    return r;
#else
    CUZK_CHECK(is_below(a, 2));
    uint32_t product[16], q[16], multiple[16], modulus[8];
    for (int i = 0; i < 8; i++) modulus[i] = fr_params::modulus(i);
    limbs_mul<8>(q, a.v, f.quotient.v);
    limbs_mul<8>(multiple, q + 8, modulus);
    limbs_mul<8>(product, a.v, f.value.v);
    fr r;
    limbs_sub<8>(r.v, product, multiple);
    CUZK_CHECK(is_below(r, 2));
    return r;
#endif
}

}  // namespace cuzk
