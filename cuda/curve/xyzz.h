// SPDX-License-Identifier: MIT OR Apache-2.0
// Points in extended Jacobian (XYZZ) coordinates: x = X/ZZ, y = Y/ZZZ, ZZ^3 = ZZZ^2; infinity has
// ZZ = 0. Canonical coordinates. The laws are complete: infinity, equal and opposite operands are
// all handled. Formulas: https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html, for a = 0, names
// as there.
#pragma once
#include "affine.h"

namespace cuzk {

template <class F>
struct xyzz {
    F x, y, zz, zzz;

    static CUZK_HD xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    static CUZK_HD xyzz from(const affine<F>& a) {
        if (a.is_infinity()) return infinity();
        return {a.x, a.y, F::one(), F::one()};
    }
    CUZK_HD bool is_infinity() const { return zz.is_zero(); }
};

// dbl-2008-s-1: 6M + 4S (a = 0 saves one of each listed there).
template <class F>
CUZK_COLD xyzz<F> dbl(const xyzz<F>& a) {
    if (a.is_infinity() || a.y.is_zero()) return xyzz<F>::infinity();
    F U = a.y + a.y, V = U * U, W = U * V, S = a.x * V;
    F square = a.x * a.x, M = square + square + square;
    F X3 = M * M - S - S;
    F Y3 = M * (S - X3) - W * a.y;
    return {X3, Y3, V * a.zz, W * a.zzz};
}

// add-2008-s: 12M + 2S.
template <class F>
CUZK_COLD xyzz<F> add(const xyzz<F>& a, const xyzz<F>& b) {
    if (a.is_infinity()) return b;
    if (b.is_infinity()) return a;
    F U1 = a.x * b.zz, S1 = a.y * b.zzz;
    F P = b.x * a.zz - U1, R = b.y * a.zzz - S1;
    if (P.is_zero()) return R.is_zero() ? dbl(a) : xyzz<F>::infinity();
    F PP = P * P, PPP = P * PP, Q = U1 * PP;
    F X3 = R * R - PPP - Q - Q;
    F Y3 = R * (Q - X3) - S1 * PPP;
    return {X3, Y3, a.zz * b.zz * PP, a.zzz * b.zzz * PPP};
}

// madd-2008-s: 8M + 2S.
template <class F>
CUZK_HD xyzz<F> add_inlined(const xyzz<F>& a, const affine<F>& b) {
    if (b.is_infinity()) return a;
    if (a.is_infinity()) return xyzz<F>::from(b);
    F P = b.x * a.zz - a.x, R = b.y * a.zzz - a.y;
    if (P.is_zero()) return R.is_zero() ? dbl(a) : xyzz<F>::infinity();
    F PP = P * P, PPP = P * PP, Q = a.x * PP;
    F X3 = R * R - PPP - Q - Q;
    F Y3 = R * (Q - X3) - a.y * PPP;
    return {X3, Y3, a.zz * PP, a.zzz * PPP};
}

template <class F>
CUZK_COLD xyzz<F> add(const xyzz<F>& a, const affine<F>& b) {
    return add_inlined(a, b);
}

// One inversion. 1/ZZ = (ZZ/ZZZ)^2, since ZZ^3 = ZZZ^2.
template <class F>
CUZK_COLD affine<F> to_affine(const xyzz<F>& a) {
    if (a.is_infinity()) return affine<F>::infinity();
    F zzz_inverse = inverse(a.zzz);
    F z_inverse = zzz_inverse * a.zz;
    return {a.x * (z_inverse * z_inverse), a.y * zzz_inverse};
}

// k a for a plain number k of `count` limbs, most significant bit first.
template <class F>
CUZK_COLD xyzz<F> multiply(const xyzz<F>& a, const uint32_t* k, int count) {
    xyzz<F> r = xyzz<F>::infinity();
    CUZK_NO_UNROLL
    for (int i = 32 * count - 1; i >= 0; i--) {
        r = dbl(r);
        if (k[i >> 5] >> (i & 31) & 1) r = add(r, a);
    }
    return r;
}

}  // namespace cuzk
