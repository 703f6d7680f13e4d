// SPDX-License-Identifier: MIT OR Apache-2.0
// Adding two affine points with an inverse that is made elsewhere, for many pairs together.
//
// Forward: the pairs' denominators are multiplied up, each prefix product kept. Backward: from the
// inverse of the whole product each denominator's inverse is peeled off and its pair is added: 5M +
// 1S a pair in all (Montgomery's trick). Any two points of the curve may meet: a pair is classified
// the same way in both passes.
#pragma once
#include "../curve/affine.h"

namespace cuzk {

enum class pair_kind : uint32_t {
    chord,    // different x
    tangent,  // equal points
    first,    // the sum is the first point (the second is infinite)
    second,   // the sum is the second point (the first is infinite)
    nothing,  // opposite points: the sum is infinity
};

// a or -a, without a branch.
CUZK_HD fp negated_if(bool negative, const fp& a) {
    fp r = neg(a);
    CUZK_UNROLL
    for (int i = 0; i < fp::N; i++) r.v[i] = negative ? r.v[i] : a.v[i];
    return r;
}
CUZK_HD fp2 negated_if(bool negative, const fp2& a) {
    return {negated_if(negative, a.c0), negated_if(negative, a.c1)};
}

// Different x, and neither is 0 (which infinity has): a chord, for sure.
template <class F>
CUZK_HD bool is_plain_chord(const F& x1, const F& x2) {
    return x1 != x2 && !x1.is_zero() && !x2.is_zero();
}

template <class F>
CUZK_HD pair_kind classify_pair(const F& x1, const F& y1, const F& x2, const F& y2) {
    if (x1.is_zero() && y1.is_zero()) return pair_kind::second;
    if (x2.is_zero() && y2.is_zero()) return pair_kind::first;
    if (x1 != x2) return pair_kind::chord;
    return y1 == y2 && !y1.is_zero() ? pair_kind::tangent : pair_kind::nothing;
}

// The slope is numerator / denominator. A pair that needs no inverse has denominator 1, which
// leaves the products as they are. Out: below 2 p.
template <class F>
CUZK_HD F pair_denominator(pair_kind kind, const F& x1, const F& y1, const F& x2) {
    if (kind == pair_kind::chord) return sub_lazy(x2, x1);
    return kind == pair_kind::tangent ? add(y1, y1) : F::one();
}
template <class F>
CUZK_HD F pair_numerator(pair_kind kind, const F& x1, const F& y1, const F& y2) {
    if (kind == pair_kind::chord) return sub_lazy(y2, y1);
    if (kind != pair_kind::tangent) return F::zero();
    F square = sqr(x1);
    return add(add(square, square), square);
}

// The sum of a chord or tangent pair. In: slope below 2 p; out: canonical.
template <class F>
CUZK_HD affine<F> pair_sum(const F& slope, const F& x1, const F& y1, const F& x2) {
    F x3 = reduce(sub2(sub2(sqr_lazy(slope), x1), x2));
    F y3 = reduce(sub2(mul_lazy(sub_lazy(x1, x3), slope), y1));
    return {x3, y3};
}

// The sum of any other pair.
template <class F>
CUZK_HD affine<F> pair_choice(pair_kind kind, const affine<F>& a, const affine<F>& b) {
    return kind == pair_kind::first ? a : kind == pair_kind::second ? b : affine<F>::infinity();
}

}  // namespace cuzk
