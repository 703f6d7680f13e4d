// SPDX-License-Identifier: MIT OR Apache-2.0
// Transforms of 8, 4 and 2 points in registers. Elements are below 2 r.
#pragma once
#include "../field/factor.h"

namespace cuzk {

// w_8, w_8^2, w_8^3 of the direction.
struct eighth_roots {
    fr_factor w1, w2, w3;
};

CUZK_HD void butterfly(fr& a, fr& b) {
    fr t = sub2(a, b);
    a = add2(a, b);
    b = t;
}

// Decimation in frequency, the last `levels` of three levels: one transform of 8 points, two of 4
// or four of 2, each of neighbours. Natural in, bit-reversed out.
CUZK_HD void transform_down(fr* a, const eighth_roots& w, uint32_t levels) {
    if (levels == 3) {
        CUZK_UNROLL
        for (int i = 0; i < 4; i++) butterfly(a[i], a[i + 4]);
        a[5] = mul_factor(w.w1, a[5]);
        a[6] = mul_factor(w.w2, a[6]);
        a[7] = mul_factor(w.w3, a[7]);
    }
    if (levels >= 2) {
        CUZK_UNROLL
        for (int i = 0; i < 8; i += 4) {
            butterfly(a[i], a[i + 2]);
            butterfly(a[i + 1], a[i + 3]);
            a[i + 3] = mul_factor(w.w2, a[i + 3]);
        }
    }
    CUZK_UNROLL
    for (int i = 0; i < 8; i += 2) butterfly(a[i], a[i + 1]);
}

// Decimation in time, the first `levels` of three levels: the reverse. Bit-reversed in, natural
// out.
CUZK_HD void transform_up(fr* a, const eighth_roots& w, uint32_t levels) {
    CUZK_UNROLL
    for (int i = 0; i < 8; i += 2) butterfly(a[i], a[i + 1]);
    if (levels >= 2) {
        CUZK_UNROLL
        for (int i = 0; i < 8; i += 4) {
            a[i + 3] = mul_factor(w.w2, a[i + 3]);
            butterfly(a[i], a[i + 2]);
            butterfly(a[i + 1], a[i + 3]);
        }
    }
    if (levels == 3) {
        a[5] = mul_factor(w.w1, a[5]);
        a[6] = mul_factor(w.w2, a[6]);
        a[7] = mul_factor(w.w3, a[7]);
        CUZK_UNROLL
        for (int i = 0; i < 4; i++) butterfly(a[i], a[i + 4]);
    }
}

}  // namespace cuzk
