// SPDX-License-Identifier: MIT OR Apache-2.0
// The product by a factor (factor.h) on the device: 86 wide products and 14 low ones, where a
// Montgomery product takes 112 wide ones.
//
// Columns are numbered by the limb they begin at. As in montgomery_device.cuh there are two
// windows, for products that begin at even columns and at odd ones. A row's carry goes into the
// upper limb of the pair that the other window has just begun, where there is always room for it.
#pragma once
#include "montgomery_device.cuh"

namespace cuzk {
namespace ptx {

// acc += x[c - i] y for the columns c = from, from + 2, ..., to; column `base` is acc[0]. Carry out
// in CC.
CUZK_DEVICE void mad_columns(uint32_t* acc, int base, const uint32_t* x, uint32_t y, int i,
                             int from, int to) {
    CUZK_UNROLL
    for (int c = from; c <= to; c += 2) {
        uint32_t* pair = acc + (c - base);
        pair[0] = c == from ? mad_lo_cc(x[c - i], y, pair[0]) : madc_lo_cc(x[c - i], y, pair[0]);
        pair[1] = madc_hi_cc(x[c - i], y, pair[1]);
    }
}

// The same, where the pairs hold nothing yet and only one product each is added.
CUZK_DEVICE void mul_columns(uint32_t* acc, int base, const uint32_t* x, uint32_t y, int i,
                             int from, int to) {
    CUZK_UNROLL
    for (int c = from; c <= to; c += 2) {
        uint64_t t = (uint64_t)x[c - i] * y;
        acc[c - base] = (uint32_t)t;
        acc[c - base + 1] = (uint32_t)(t >> 32);
    }
}

// q = a b / 2^(32 N), rounded down but for what the columns below N - 2 add up to: q may be one
// too small, with a chance of about 2^-29.
template <int N>
CUZK_DEVICE void mul_high(uint32_t* q, const uint32_t* a, const uint32_t* b) {
    constexpr int even = N - 2, odd = N - 1;
    uint32_t E[N + 2], O[N];
    CUZK_UNROLL
    for (int k = 0; k < N + 2; k++) E[k] = 0;
    CUZK_UNROLL
    for (int k = 0; k < N; k++) O[k] = 0;
    mul_columns(E, even, a, b[0], 0, even, even);
    mul_columns(O, odd, a, b[0], 0, odd, odd);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) {
        const int from_even = i + i % 2 > even ? i + i % 2 : even;
        const int from_odd = i + 1 - i % 2 > odd ? i + 1 - i % 2 : odd;
        if (i % 2) {
            mad_columns(E, even, a, b[i], i, from_even, i + N - 1);
            mad_columns(O, odd, a, b[i], i, from_odd, i + N - 2);
            E[i + N - even] = addc(E[i + N - even], 0);
        } else {
            mad_columns(O, odd, a, b[i], i, from_odd, i + N - 1);
            mad_columns(E, even, a, b[i], i, from_even, i + N - 2);
            O[i + N - odd] = addc(O[i + N - odd], 0);
        }
    }
    add_cc(E[1], O[0]);
    CUZK_UNROLL
    for (int k = 0; k < N - 1; k++) q[k] = addc_cc(E[k + 2], O[k + 1]);
    q[N - 1] = addc(E[N + 1], 0);
}

// r = a w - q m mod 2^(32 N), q as above of a and the factor's quotient. In: a below 2 m; out:
// below 2 m, see factor.h.
template <class P>
CUZK_DEVICE void mul_by_factor(uint32_t* r, const uint32_t* a, const uint32_t* w,
                               const uint32_t* quotient) {
    constexpr int N = P::N;
    static_assert(P::modulus(0) == 1 && P::modulus(1) == 0xffffffffu, "Fr's modulus");
    uint32_t q[N], E[N], O[N], top, m[N - 2];
    mul_high<N>(q, a, quotient);
    // -m = 2^64 times the upper limbs inverted, and 2^32 - 1.
    CUZK_UNROLL
    for (int k = 0; k < N - 2; k++) m[k] = ~P::modulus(k + 2);
    E[0] = sub_cc(0, q[0]);
    CUZK_UNROLL
    for (int k = 1; k < N; k++) E[k] = subc_cc(q[k - 1], q[k]);
    // O begins at column 1; of column N - 1 only the low half counts.
    mul_columns(O, 1, a, w[0], 0, 1, N - 3);
    mad_columns(E, 0, a, w[0], 0, 0, N - 2);
    top = a[N - 1] * w[0];
    CUZK_UNROLL
    for (int i = 1; i < N; i++) {
        mad_columns(E, 0, a, w[i], i, i + i % 2, N - 2);
        if (i < N - 2) {
            mad_columns(O, 1, a, w[i], i, i + 1 - i % 2, N - 3);
            top = addc(top, 0);
        }
        top += a[N - 1 - i] * w[i];
    }
    CUZK_UNROLL
    for (int i = 0; i < N - 2; i++) {
        mad_columns(E, 0, m, q[i], i + 2, i + 2 + i % 2, N - 2);
        if (i < N - 4) {
            mad_columns(O, 1, m, q[i], i + 2, i + 3 - i % 2, N - 3);
            top = addc(top, 0);
        }
        top += m[N - 3 - i] * q[i];
    }
    r[0] = E[0];
    r[1] = add_cc(E[1], O[0]);
    CUZK_UNROLL
    for (int k = 2; k < N - 1; k++) r[k] = addc_cc(E[k], O[k - 1]);
    r[N - 1] = addc(E[N - 1], top);
}

}  // namespace ptx
}  // namespace cuzk
