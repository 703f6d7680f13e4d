// SPDX-License-Identifier: MIT OR Apache-2.0
// A prime field in Montgomery form, the text shared by Fp and Fr.
//
// Representation: N 32-bit limbs, least significant first, holding x R mod m with R = 2^(32 N); on
// little-endian machines the same bytes as blst's blst_fp and blst_fr (64-bit limbs).
// Range: *canonical* means below m. Plain operations (add, sub, neg, mul, sqr, inverse, operators)
// take and give canonical elements. The `lazy` operations, for hot loops, allow [0, 2 m) and say
// so. Aliasing: everything goes by value; an output may be any of the inputs.
//
// Two versions of the few primitives: a portable one (64-bit limbs, unsigned __int128), always
// built on the host, and PTX carry chains on the device (montgomery_device.cuh). The host version
// of a lazy operation reduces further than it must, and with CUZK_VERIFY asserts the ranges it is
// given.
#pragma once
#include <cstring>

#include "../host_device.h"
#include "limbs.h"
#ifdef __CUDACC__
#include "montgomery_device.cuh"
#endif

namespace cuzk {

template <class P>
struct alignas(16) prime_field {
    using params = P;
    static constexpr int N = P::N;
    uint32_t v[N];

    static CUZK_HD prime_field zero() {
        prime_field r;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) r.v[i] = 0;
        return r;
    }
    static CUZK_HD prime_field one() {
        prime_field r;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) r.v[i] = P::one(i);
        return r;
    }
    CUZK_HD bool is_zero() const { return limbs_is_zero<N>(v); }
    friend CUZK_HD bool operator==(const prime_field& a, const prime_field& b) {
        return limbs_equal<N>(a.v, b.v);
    }
    friend CUZK_HD bool operator!=(const prime_field& a, const prime_field& b) { return !(a == b); }
};

// Is a below k m? For the stated invariants.
template <class P>
inline bool is_below(const prime_field<P>& a, int k) {
    prime_field<P> t = a, m;
    for (int i = 0; i < P::N; i++) m.v[i] = P::modulus(i);
    for (int i = 0; i < k; i++) {
        if (limbs_less<P::N>(t.v, m.v)) return true;
        limbs_sub<P::N>(t.v, t.v, m.v);
    }
    return false;
}

namespace portable {

template <int N>
struct words {
    uint64_t w[N / 2];
};
template <class P>
inline words<P::N> load(const prime_field<P>& a) {
    words<P::N> r;
    std::memcpy(r.w, a.v, sizeof r.w);
    return r;
}

template <class P>
inline uint64_t modulus_word(int i) {
    return (uint64_t)P::modulus(2 * i + 1) << 32 | P::modulus(2 * i);
}

// t (with a carry above its top word) minus m when that does not go below zero.
template <class P>
inline prime_field<P> subtract_once(const uint64_t* t, uint64_t carry) {
    constexpr int n = P::N / 2;
    uint64_t d[n], borrow = 0;
    for (int i = 0; i < n; i++) {
        unsigned __int128 x = (unsigned __int128)t[i] - modulus_word<P>(i) - borrow;
        d[i] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
    prime_field<P> r;
    std::memcpy(r.v, carry >= borrow ? d : t, sizeof r.v);
    return r;
}

// a b / R, canonical, for a b < m R and a + m <= R: then no sum needs a word more.
template <class P>
inline prime_field<P> mul(const prime_field<P>& a, const prime_field<P>& b) {
    constexpr int n = P::N / 2;
    words<P::N> x = load(a), y = load(b);
    uint64_t t[n] = {};
    for (int i = 0; i < n; i++) {
        // Both rows at once, each with its own carry: a times a word of b, m times what clears t's
        // lowest word.
        unsigned __int128 c = (unsigned __int128)x.w[0] * y.w[i] + t[0];
        const uint64_t f = (uint64_t)c * P::NEG_INV64;
        unsigned __int128 d = (unsigned __int128)f * modulus_word<P>(0) + (uint64_t)c;
        for (int j = 1; j < n; j++) {
            c = (unsigned __int128)x.w[j] * y.w[i] + t[j] + (uint64_t)(c >> 64);
            d = (unsigned __int128)f * modulus_word<P>(j) + (uint64_t)c + (uint64_t)(d >> 64);
            t[j - 1] = (uint64_t)d;
        }
        t[n - 1] = (uint64_t)(c >> 64) + (uint64_t)(d >> 64);
    }
    return subtract_once<P>(t, 0);
}

template <class P>
inline prime_field<P> add(const prime_field<P>& a, const prime_field<P>& b) {
    constexpr int n = P::N / 2;
    words<P::N> x = load(a), y = load(b);
    unsigned __int128 c = 0;
    for (int i = 0; i < n; i++) {
        c += (unsigned __int128)x.w[i] + y.w[i];
        x.w[i] = (uint64_t)c;
        c >>= 64;
    }
    return subtract_once<P>(x.w, (uint64_t)c);
}

// a - b + k m as a number; the caller knows that it is not negative and below R.
template <class P>
inline prime_field<P> sub_plus(const prime_field<P>& a, const prime_field<P>& b, int k) {
    prime_field<P> r, m;
    for (int i = 0; i < P::N; i++) m.v[i] = P::modulus(i);
    limbs_sub<P::N>(r.v, a.v, b.v);
    for (int i = 0; i < k; i++) limbs_add<P::N>(r.v, r.v, m.v);
    return r;
}

}  // namespace portable

// ---- canonical operations
// -------------------------------------------------------------------------

// a in [0, 2 m) -> canonical.
template <class P>
CUZK_HD prime_field<P> reduce(prime_field<P> a) {
#ifdef __CUDA_ARCH__
    ptx::subtract_once<P, false>(a.v);
    return a;
#else
    CUZK_CHECK(is_below(a, 2));
    portable::words<P::N> t = portable::load(a);
    return portable::subtract_once<P>(t.w, 0);
#endif
}

template <class P>
CUZK_HD prime_field<P> add(const prime_field<P>& a, const prime_field<P>& b) {
    CUZK_CHECK(is_below(a, 1) && is_below(b, 1));
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    ptx::add<P::N>(r.v, a.v, b.v);  // 2 m < R for both fields
    ptx::subtract_once<P, false>(r.v);
    return r;
#else
    return portable::add(a, b);
#endif
}

template <class P>
CUZK_HD prime_field<P> sub(const prime_field<P>& a, const prime_field<P>& b) {
    CUZK_CHECK(is_below(a, 1) && is_below(b, 1));
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    ptx::sub<P::N>(r.v, a.v, b.v);
    uint32_t mask = ptx::subc(0, 0);
    r.v[0] = ptx::add_cc(r.v[0], P::modulus(0) & mask);
    CUZK_UNROLL
    for (int i = 1; i < P::N; i++) r.v[i] = ptx::addc_cc(r.v[i], P::modulus(i) & mask);
    return r;
#else
    return portable::sub_plus(a, b, limbs_less<P::N>(a.v, b.v) ? 1 : 0);
#endif
}

template <class P>
CUZK_HD prime_field<P> neg(const prime_field<P>& a) {
    return sub(prime_field<P>::zero(), a);
}

template <class P>
CUZK_HD prime_field<P> dbl(const prime_field<P>& a) {
    return add(a, a);
}

// ---- lazy operations
// ------------------------------------------------------------------------------

// a b / R in [0, 2 m). In: a below ka m, b below kb m. Fp: ka kb <= 9 with ka <= 4.
// Fr: a canonical (the row operand), b below 2 m.
template <class P>
CUZK_HD prime_field<P> mul_lazy(const prime_field<P>& a, const prime_field<P>& b) {
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    ptx::montgomery_mul<P>(r.v, a.v, b.v);
    return r;
#else
    CUZK_CHECK(P::N == 12 ? is_below(a, 4) : is_below(a, 1));
    CUZK_CHECK(P::N == 12 ? is_below(b, 4) && (is_below(a, 3) || is_below(b, 2)) &&
                                (is_below(b, 3) || is_below(a, 2))
                          : is_below(b, 2));
    return portable::mul(a, b);
#endif
}

// a^2 / R in [0, 2 m). In: Fp below 3 m; Fr canonical.
template <class P>
CUZK_HD prime_field<P> sqr_lazy(const prime_field<P>& a) {
#ifdef __CUDA_ARCH__
    if constexpr (P::N == 12) {
        prime_field<P> r;
        uint32_t wide[2 * P::N];
        ptx::square_wide<P::N>(wide, a.v);
        ptx::montgomery_reduce<P>(r.v, wide);
        return r;
    } else {
        return mul_lazy(a, a);
    }
#else
    CUZK_CHECK(is_below(a, P::N == 12 ? 3 : 1));
    return portable::mul(a, a);
#endif
}

// a - b + m, no comparison. In: b canonical, a below k m; out: below (k + 1) m.
template <class P>
CUZK_HD prime_field<P> sub_lazy(const prime_field<P>& a, const prime_field<P>& b) {
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    ptx::sub<P::N>(r.v, a.v, b.v);
    r.v[0] = ptx::add_cc(r.v[0], P::modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < P::N; i++) r.v[i] = ptx::addc_cc(r.v[i], P::modulus(i));
    return r;
#else
    CUZK_CHECK(is_below(b, 1));
    return portable::sub_plus(a, b, 1);
#endif
}

// a - b mod m in [0, 2 m). In: both below 2 m.
template <class P>
CUZK_HD prime_field<P> sub2(const prime_field<P>& a, const prime_field<P>& b) {
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    ptx::sub<P::N>(r.v, a.v, b.v);
    uint32_t mask = ptx::subc(0, 0);
    r.v[0] = ptx::add_cc(r.v[0], P::modulus2(0) & mask);
    CUZK_UNROLL
    for (int i = 1; i < P::N; i++) r.v[i] = ptx::addc_cc(r.v[i], P::modulus2(i) & mask);
    return r;
#else
    CUZK_CHECK(is_below(a, 2) && is_below(b, 2));
    return portable::sub_plus(a, b, limbs_less<P::N>(a.v, b.v) ? 2 : 0);
#endif
}

// a + b mod m in [0, 2 m). In: both below 2 m (for Fr the sum may carry out of the top limb).
template <class P>
CUZK_HD prime_field<P> add2(const prime_field<P>& a, const prime_field<P>& b) {
#ifdef __CUDA_ARCH__
    prime_field<P> r;
    uint32_t s[P::N], d[P::N];
    ptx::add<P::N>(s, a.v, b.v);
    uint32_t carry = ptx::addc(0, 0);
    d[0] = ptx::sub_cc(s[0], P::modulus2(0));
    CUZK_UNROLL
    for (int i = 1; i < P::N; i++) d[i] = ptx::subc_cc(s[i], P::modulus2(i));
    bool keep = (int)ptx::subc(carry, 0) < 0;
    CUZK_UNROLL
    for (int i = 0; i < P::N; i++) r.v[i] = keep ? s[i] : d[i];
    return r;
#else
    CUZK_CHECK(is_below(a, 2) && is_below(b, 2));
    return portable::add(reduce(a), reduce(b));
#endif
}

// ---- canonical products
// ---------------------------------------------------------------------------

template <class P>
CUZK_HD prime_field<P> mul(const prime_field<P>& a, const prime_field<P>& b) {
    CUZK_CHECK(is_below(a, 1) && is_below(b, 1));
    return reduce(mul_lazy(a, b));
}
template <class P>
CUZK_HD prime_field<P> sqr(const prime_field<P>& a) {
    CUZK_CHECK(is_below(a, 1));
    return reduce(sqr_lazy(a));
}

// The operators are for formulas that are not hot: on the device they call, so code stays small.
template <class P>
CUZK_COLD prime_field<P> operator*(const prime_field<P>& a, const prime_field<P>& b) {
    return mul(a, b);
}
template <class P>
CUZK_HD prime_field<P> operator+(const prime_field<P>& a, const prime_field<P>& b) {
    return add(a, b);
}
template <class P>
CUZK_HD prime_field<P> operator-(const prime_field<P>& a, const prime_field<P>& b) {
    return sub(a, b);
}

// A number below m into Montgomery form, and back.
template <class P>
CUZK_HD prime_field<P> to_montgomery(const prime_field<P>& a) {
    prime_field<P> r2;
    CUZK_UNROLL
    for (int i = 0; i < P::N; i++) r2.v[i] = P::r2(i);
    return mul(a, r2);
}
template <class P>
CUZK_HD prime_field<P> from_montgomery(const prime_field<P>& a) {
    prime_field<P> one = prime_field<P>::zero();
    one.v[0] = 1;
    return mul(a, one);
}

// a^e for a plain number e of `count` limbs; square and multiply, not constant time.
template <class P>
CUZK_COLD prime_field<P> power(const prime_field<P>& a, const uint32_t* e, int count) {
    prime_field<P> r = prime_field<P>::one();
    CUZK_NO_UNROLL
    for (int i = 32 * count - 1; i >= 0; i--) {
        r = r * r;
        if (e[i >> 5] >> (i & 31) & 1) r = r * a;
    }
    return r;
}
template <class P>
CUZK_HD prime_field<P> power(const prime_field<P>& a, uint64_t e) {
    uint32_t limbs[2] = {(uint32_t)e, (uint32_t)(e >> 32)};
    return power(a, limbs, 2);
}

}  // namespace cuzk
