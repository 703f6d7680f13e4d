// SPDX-License-Identifier: MIT OR Apache-2.0
// Fp2 = Fp[u]/(u^2 + 1), G2's coordinates: c0 + c1 u. Form, ranges and aliasing are those of Fp in
// both coefficients; the same bytes as blst_fp2.
#pragma once
#include "fp.h"

namespace cuzk {

struct alignas(16) fp2 {
    fp c0, c1;

    static CUZK_HD fp2 zero() { return {fp::zero(), fp::zero()}; }
    static CUZK_HD fp2 one() { return {fp::one(), fp::zero()}; }
    CUZK_HD bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    friend CUZK_HD bool operator==(const fp2& a, const fp2& b) {
        return a.c0 == b.c0 && a.c1 == b.c1;
    }
    friend CUZK_HD bool operator!=(const fp2& a, const fp2& b) { return !(a == b); }
};
static_assert(sizeof(fp2) == 96, "an Fp2 element is 96 bytes, as blst_fp2");

CUZK_HD fp2 reduce(const fp2& a) { return {reduce(a.c0), reduce(a.c1)}; }
CUZK_HD fp2 add(const fp2& a, const fp2& b) { return {add(a.c0, b.c0), add(a.c1, b.c1)}; }
CUZK_HD fp2 sub(const fp2& a, const fp2& b) { return {sub(a.c0, b.c0), sub(a.c1, b.c1)}; }
CUZK_HD fp2 neg(const fp2& a) { return {neg(a.c0), neg(a.c1)}; }
CUZK_HD fp2 dbl(const fp2& a) { return add(a, a); }
CUZK_HD fp2 sub_lazy(const fp2& a, const fp2& b) {
    return {sub_lazy(a.c0, b.c0), sub_lazy(a.c1, b.c1)};
}
CUZK_HD fp2 sub2(const fp2& a, const fp2& b) { return {sub2(a.c0, b.c0), sub2(a.c1, b.c1)}; }

// In: both below 2 p; out: below 2 p.
CUZK_HD fp2 mul_lazy(const fp2& a, const fp2& b) {
#ifdef __CUDA_ARCH__
    fp2 r;
    ptx::montgomery_mul_complex<fp_params>(r.c0.v, r.c1.v, a.c0.v, a.c1.v, b.c0.v, b.c1.v);
    return r;
#else
    return {sub2(mul_lazy(a.c0, b.c0), mul_lazy(a.c1, b.c1)),
            add2(mul_lazy(a.c0, b.c1), mul_lazy(a.c1, b.c0))};
#endif
}
// (c0 + c1)(c0 - c1) and 2 c0 c1: two products. In: below 2 p; out: below 2 p.
CUZK_HD fp2 sqr_lazy(const fp2& a) {
    fp sum = add2(a.c0, a.c1), difference = sub2(a.c0, a.c1);
    fp product = mul_lazy(a.c0, a.c1);
    return {mul_lazy(sum, difference), add2(product, product)};
}
CUZK_HD fp2 mul(const fp2& a, const fp2& b) { return reduce(mul_lazy(a, b)); }
CUZK_HD fp2 sqr(const fp2& a) { return reduce(sqr_lazy(a)); }

CUZK_COLD fp2 operator*(const fp2& a, const fp2& b) { return mul(a, b); }
CUZK_HD fp2 operator+(const fp2& a, const fp2& b) { return add(a, b); }
CUZK_HD fp2 operator-(const fp2& a, const fp2& b) { return sub(a, b); }

// 1/a = (c0 - c1 u) / (c0^2 + c1^2); 0 for 0. In: below 2 p; out: canonical.
CUZK_COLD fp2 inverse(fp2 a) {
    a = reduce(a);
    fp n = inverse(a.c0 * a.c0 + a.c1 * a.c1);
    return {a.c0 * n, neg(a.c1) * n};
}

}  // namespace cuzk
