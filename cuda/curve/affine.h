// SPDX-License-Identifier: MIT OR Apache-2.0
// Affine points of y^2 = x^3 + b over a field F (fp for G1, fp2 for G2).
//
// Representation: canonical coordinates in Montgomery form, the same bytes as blst_p1_affine and
// blst_p2_affine. Infinity is (0, 0), which is on neither curve since b is not 0. A point may be
// any point of the curve, in the subgroup or not.
#pragma once
#include "../field/fp2.h"

namespace cuzk {

template <class F>
struct affine {
    using field = F;
    F x, y;

    static CUZK_HD affine infinity() { return {F::zero(), F::zero()}; }
    CUZK_HD bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    friend CUZK_HD bool operator==(const affine& a, const affine& b) {
        return a.x == b.x && a.y == b.y;
    }
    friend CUZK_HD bool operator!=(const affine& a, const affine& b) { return !(a == b); }
};

template <class F>
CUZK_HD affine<F> neg(const affine<F>& a) {
    return {a.x, neg(a.y)};
}

// The sum by the chord-and-tangent rule itself, with an inversion: complete, slow, and the twin
// that every faster addition is compared with.
template <class F>
CUZK_COLD affine<F> add_affine(const affine<F>& a, const affine<F>& b) {
    if (a.is_infinity()) return b;
    if (b.is_infinity()) return a;
    F slope;
    if (a.x == b.x) {
        if ((a.y + b.y).is_zero()) return affine<F>::infinity();
        F square = a.x * a.x;
        slope = (square + square + square) * inverse(a.y + a.y);
    } else {
        slope = (b.y - a.y) * inverse(b.x - a.x);
    }
    F x = slope * slope - a.x - b.x;
    return {x, slope * (a.x - x) - a.y};
}

}  // namespace cuzk
