// SPDX-License-Identifier: MIT OR Apache-2.0
// The fields against arithmetic done bit by bit, with operands that saturate every carry.
#pragma once
#include "../field/fp2.h"
#include "../field/factor.h"
#include "expect.h"

namespace cuzk {

constexpr uint32_t FIELD_EDGES = 8;

// An element below k m: one of the edges, then random ones.
template <class P>
CUZK_COLD prime_field<P> test_element(random_source& random, uint32_t which, int k) {
    constexpr int N = P::N;
    prime_field<P> a, m, one = prime_field<P>::zero();
    for (int i = 0; i < N; i++) m.v[i] = P::modulus(i);
    one.v[0] = 1;
    prime_field<P> most = m;
    for (int i = 1; i < k; i++) limbs_add<N>(most.v, most.v, m.v);
    limbs_sub<N>(most.v, most.v, one.v);
    switch (which) {
        case 0:
            return prime_field<P>::zero();
        case 1:
            return one;
        case 2:
            return most;
        case 3:
            return prime_field<P>::one();
        case 4:
            limbs_sub<N>(a.v, m.v, one.v);
            return a;  // m - 1
        case 5:        // all ones below the top limb
            for (int i = 0; i < N; i++) a.v[i] = ~0u;
            a.v[N - 1] = most.v[N - 1] - 1;
            return a;
        case 6:  // a single top limb
            a = prime_field<P>::zero();
            a.v[N - 1] = most.v[N - 1];
            return a;
        case 7:  // limbs of all ones and zeros in turn
            for (int i = 0; i < N; i++) a.v[i] = i & 1 ? 0 : ~0u;
            return a;
        default:
            for (int i = 0; i < N; i++) a.v[i] = (uint32_t)random.next();
            a.v[N - 1] %= most.v[N - 1];
            return a;
    }
}

// x mod m for x below 16 m, by subtraction.
template <class P>
CUZK_HD prime_field<P> slow_reduce(prime_field<P> a) {
    prime_field<P> m;
    for (int i = 0; i < P::N; i++) m.v[i] = P::modulus(i);
    while (!limbs_less<P::N>(a.v, m.v)) limbs_sub<P::N>(a.v, a.v, m.v);
    return a;
}
template <class P>
CUZK_HD prime_field<P> slow_add(const prime_field<P>& a, const prime_field<P>& b) {
    prime_field<P> r;
    limbs_add<P::N>(r.v, a.v, b.v);
    return slow_reduce(r);
}
// a b mod m of plain numbers, by doubling and adding.
template <class P>
CUZK_COLD prime_field<P> slow_mul(prime_field<P> a, prime_field<P> b) {
    a = slow_reduce(a);
    b = slow_reduce(b);
    prime_field<P> r = prime_field<P>::zero();
    for (int i = 32 * P::N - 1; i >= 0; i--) {
        r = slow_add(r, r);
        if (b.v[i >> 5] >> (i & 31) & 1) r = slow_add(r, a);
    }
    return r;
}
// t R mod m, to undo a Montgomery product.
template <class P>
CUZK_COLD prime_field<P> slow_times_r(prime_field<P> t) {
    t = slow_reduce(t);
    for (int i = 0; i < 32 * P::N; i++) t = slow_add(t, t);
    return t;
}
template <class P>
CUZK_HD bool below(const prime_field<P>& a, int k) {
    prime_field<P> t = a, m;
    for (int i = 0; i < P::N; i++) m.v[i] = P::modulus(i);
    for (int i = 0; i < k; i++) {
        if (limbs_less<P::N>(t.v, m.v)) return true;
        limbs_sub<P::N>(t.v, t.v, m.v);
    }
    return false;
}

// The constants are what their names say.
template <class P>
CUZK_COLD int constants_test() {
    prime_field<P> one = prime_field<P>::zero();
    one.v[0] = 1;
    prime_field<P> r = slow_times_r(one), r2 = slow_times_r(r), r3 = slow_times_r(r2);
    for (int i = 0; i < P::N; i++) {
        CUZK_EXPECT(r.v[i] == P::one(i));
        CUZK_EXPECT(r2.v[i] == P::r2(i));
        CUZK_EXPECT(r3.v[i] == P::r3(i));
        uint32_t low = i ? P::modulus(i - 1) >> 31 : 0;
        CUZK_EXPECT(P::modulus2(i) == (P::modulus(i) << 1 | low));
    }
    CUZK_EXPECT(P::modulus(0) * P::NEG_INV32 == ~0u);
    uint64_t low = (uint64_t)P::modulus(1) << 32 | P::modulus(0);
    CUZK_EXPECT(low * P::NEG_INV64 == ~(uint64_t)0);
    return 0;
}

template <class P>
CUZK_COLD int prime_field_test(random_source& random, uint32_t which_a, uint32_t which_b) {
    using F = prime_field<P>;
    const bool wide = P::N == 12;  // Fp has room above 2 m
    F a = test_element<P>(random, which_a, 1), b = test_element<P>(random, which_b, 1);
    F sum = slow_add(a, b), product = slow_mul(a, b), square = slow_mul(a, a);
    CUZK_EXPECT(add(a, b) == sum);
    CUZK_EXPECT(below(sub(a, b), 1) && slow_add(sub(a, b), b) == slow_reduce(a));
    CUZK_EXPECT(below(neg(a), 1) && slow_add(neg(a), a).is_zero());
    CUZK_EXPECT(dbl(a) == slow_add(a, a));
    CUZK_EXPECT(below(mul(a, b), 1) && slow_times_r(mul(a, b)) == product);
    CUZK_EXPECT(a * b == mul(a, b));
    CUZK_EXPECT(below(sqr(a), 1) && slow_times_r(sqr(a)) == square);
    CUZK_EXPECT(slow_times_r(from_montgomery(a)) == slow_reduce(a));
    CUZK_EXPECT(to_montgomery(from_montgomery(a)) == a);
    CUZK_EXPECT((a == b) == limbs_equal<P::N>(a.v, b.v));

    // Lazy operands, below 2 m.
    F c = test_element<P>(random, which_a, 2), d = test_element<P>(random, which_b, 2);
    CUZK_EXPECT(reduce(c) == slow_reduce(c));
    CUZK_EXPECT(below(add2(c, d), 2) &&
                slow_reduce(add2(c, d)) == slow_add(slow_reduce(c), slow_reduce(d)));
    CUZK_EXPECT(below(sub2(c, d), 2) &&
                slow_add(slow_reduce(sub2(c, d)), slow_reduce(d)) == slow_reduce(c));
    F row = wide ? c : a;
    F lazy = mul_lazy(row, d);
    CUZK_EXPECT(below(lazy, 2) && slow_times_r(lazy) == slow_mul(row, d));
    lazy = sqr_lazy(row);
    CUZK_EXPECT(below(lazy, 2) && slow_times_r(lazy) == slow_mul(row, row));
    if (wide) {
        F e = sub_lazy(c, b);
        CUZK_EXPECT(below(e, 3) && slow_add(slow_reduce(e), b) == slow_reduce(c));
        lazy = mul_lazy(e, d);
        CUZK_EXPECT(below(lazy, 2) && slow_times_r(lazy) == slow_mul(e, d));
    }
    CUZK_EXPECT(power(a, (uint64_t)5) == mul(sqr(sqr(a)), a));
    CUZK_EXPECT(power(a, (uint64_t)0) == F::one());
    F i = inverse(a);
    CUZK_EXPECT(below(i, 1) && (a.is_zero() ? i.is_zero() : mul(a, i) == F::one()));
    return 0;
}

CUZK_COLD int factor_test(random_source& random, uint32_t which_a, uint32_t which_b) {
    fr w = test_element<fr_params>(random, which_a, 1);
    fr a = test_element<fr_params>(random, which_b, 2), m;
    fr_factor f = make_factor(w);
    CUZK_EXPECT(f.value == from_montgomery(w));
    // The quotient is what its definition says: value R = quotient m + a rest below m, which is w.
    uint32_t wide[16], rest[8];
    for (int i = 0; i < 8; i++) m.v[i] = fr_params::modulus(i);
    limbs_mul<8>(wide, f.quotient.v, m.v);
    uint32_t carry = limbs_add<8>(rest, wide, w.v);
    CUZK_EXPECT(limbs_is_zero<8>(rest));
    for (int i = 0; i < 8; i++) {
        uint64_t sum = (uint64_t)wide[8 + i] + carry;
        CUZK_EXPECT((uint32_t)sum == f.value.v[i]);
        carry = (uint32_t)(sum >> 32);
    }
    fr product = mul_factor(f, a);
    CUZK_EXPECT(below(product, 2) && reduce(product) == mul(w, slow_reduce(a)));
    return 0;
}

CUZK_COLD int fp2_test(random_source& random, uint32_t which_a, uint32_t which_b) {
    fp2 a = {test_element<fp_params>(random, which_a, 2),
             test_element<fp_params>(random, which_b, 2)};
    fp2 b = {test_element<fp_params>(random, which_b, 2),
             test_element<fp_params>(random, which_a, 2)};
    fp2 ca = reduce(a), cb = reduce(b);
    // (a0 + a1 u)(b0 + b1 u) with u^2 = -1, by Fp's own operations.
    fp2 product = {sub(mul(ca.c0, cb.c0), mul(ca.c1, cb.c1)),
                   add(mul(ca.c0, cb.c1), mul(ca.c1, cb.c0))};
    fp2 square = {sub(sqr(ca.c0), sqr(ca.c1)), dbl(mul(ca.c0, ca.c1))};
    fp2 lazy = mul_lazy(a, b);
    CUZK_EXPECT(below(lazy.c0, 2) && below(lazy.c1, 2) && reduce(lazy) == product);
    lazy = sqr_lazy(a);
    CUZK_EXPECT(below(lazy.c0, 2) && below(lazy.c1, 2) && reduce(lazy) == square);
    CUZK_EXPECT(ca * cb == product);
    CUZK_EXPECT(add(sub(ca, cb), cb) == ca);
    CUZK_EXPECT(add(neg(ca), ca).is_zero());
    CUZK_EXPECT(reduce(sub2(a, b)) == sub(ca, cb));
    fp2 i = inverse(ca);
    CUZK_EXPECT(ca.is_zero() ? i.is_zero() : ca * i == fp2::one());
    return 0;
}

CUZK_COLD int field_test(uint64_t seed) {
    random_source random = {seed};
    // Seeds walk through all pairs of edges, with random operands after them.
    uint32_t which_a = (uint32_t)(seed % (FIELD_EDGES + 2));
    uint32_t which_b = (uint32_t)(seed / (FIELD_EDGES + 2) % (FIELD_EDGES + 2));
    CUZK_EXPECT_PASS(constants_test<fp_params>());
    CUZK_EXPECT_PASS(constants_test<fr_params>());
    CUZK_EXPECT_PASS(prime_field_test<fp_params>(random, which_a, which_b));
    CUZK_EXPECT_PASS(prime_field_test<fr_params>(random, which_a, which_b));
    CUZK_EXPECT_PASS(factor_test(random, which_a, which_b));
    CUZK_EXPECT_PASS(fp2_test(random, which_a, which_b));
    // The root has order 2^32 exactly, and 7 is what generator() says.
    fr w = fr_root();
    for (int i = 0; i < 31; i++) w = sqr(w);
    CUZK_EXPECT(add(w, fr::one()).is_zero());
    CUZK_EXPECT(fr_generator() == fr_from(7));
    CUZK_EXPECT(mul(fr_generator(), fr_generator_inverse()) == fr::one());
    // Bit fields.
    fr x = test_element<fr_params>(random, 9, 1);
    for (int first = 0; first < 256; first += 7)
        for (int bit = 0; bit < 32; bit++) {
            int at = first + bit;
            uint32_t expected = at < 256 ? x.v[at >> 5] >> (at & 31) & 1 : 0;
            CUZK_EXPECT((limbs_bits<8>(x.v, first, 32) >> bit & 1) == expected);
            CUZK_EXPECT(bit == 0 || limbs_bits<8>(x.v, first, bit) ==
                                        (limbs_bits<8>(x.v, first, 32) & ((1u << bit) - 1)));
        }
    return 0;
}

}  // namespace cuzk
