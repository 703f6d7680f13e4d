// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of the MSM that are ordinary functions: digits, pairs, plans, and the joining of
// windows.
#pragma once
#include "../msm/combine.h"
#include "../msm/pair.h"
#include "curve_test.h"
#include "field_test.h"

namespace cuzk {

// Digits put together again give the scalar, and stay in their range.
CUZK_COLD int digits_test(const msm_windows& g, const scalar& s) {
    msm_recoded recoded = msm_recode(g, s), again = recoded;
    fr sum = fr::zero(), weight = fr::one(), radix = fr_from((uint64_t)1 << g.bits);
    for (uint32_t w = 0; w < g.windows; w++, recoded.drop(g.bits)) {
        const bool top = w + 1 == g.windows;
        msm_digit d = recoded.lowest(g, top);
        CUZK_EXPECT(d.magnitude <= (top ? g.top_max : g.run()));
        fr digit = mul(fr_from(d.magnitude), weight);
        sum = add(sum, d.negative ? neg(digit) : digit);
        weight = mul(weight, radix);
    }
    again.drop(g.bits * (g.windows - 1));
    CUZK_EXPECT(again.lowest(g, true).magnitude <= g.top_max);
    fr plain = from_montgomery(sum);
    CUZK_EXPECT(limbs_equal<8>(plain.v, s.v));
    return 0;
}

// Forward and backward over one pair after a product that already stands.
template <class F>
CUZK_COLD int pair_test(const affine<F>& a, const affine<F>& b, const F& product) {
    const bool plain = is_plain_chord(a.x, b.x);
    pair_kind kind = classify_pair(a.x, a.y, b.x, b.y);
    CUZK_EXPECT(!plain || kind == pair_kind::chord);
    F denominator = pair_denominator(kind, a.x, a.y, b.x);
    F whole = mul_lazy(denominator, product);
    F slope = mul_lazy(product, inverse(whole));
    slope = mul_lazy(pair_numerator(kind, a.x, a.y, b.y), slope);
    affine<F> sum = pair_sum(slope, a.x, a.y, b.x);
    if (kind != pair_kind::chord && kind != pair_kind::tangent) {
        CUZK_EXPECT(reduce(whole) == product);
        sum = pair_choice(kind, a, b);
    }
    CUZK_EXPECT(sum == add_affine(a, b));
    return 0;
}

template <class F>
CUZK_COLD int pairs_test(random_source& random, const F& product) {
    uint32_t k[2] = {1 + random.below(1000), 1001 + random.below(1000)};
    xyzz<F> g = xyzz<F>::from(generator(product));
    affine<F> a = to_affine(multiply(g, k, 1)), b = to_affine(multiply(g, k + 1, 1));
    affine<F> infinity = affine<F>::infinity();
    CUZK_EXPECT_PASS(pair_test(a, b, product));
    CUZK_EXPECT_PASS(pair_test(b, a, product));
    CUZK_EXPECT_PASS(pair_test(a, a, product));
    CUZK_EXPECT_PASS(pair_test(a, neg(a), product));
    CUZK_EXPECT_PASS(pair_test(a, infinity, product));
    CUZK_EXPECT_PASS(pair_test(infinity, a, product));
    CUZK_EXPECT_PASS(pair_test(infinity, infinity, product));
    return 0;
}

CUZK_COLD int msm_test(uint64_t seed) {
    random_source random = {seed};
    fp x = test_element<fp_params>(random, 9, 1), y = test_element<fp_params>(random, 9, 1);
    CUZK_EXPECT_PASS(pairs_test<fp>(random, x));
    CUZK_EXPECT_PASS(pairs_test<fp2>(random, fp2{x, y}));
    // (0, 2) is on G1's curve, outside the subgroup, and shares x = 0 with infinity.
    g1_affine odd = {fp::zero(), add(fp::one(), fp::one())};
    CUZK_EXPECT(is_on_curve(odd));
    g1_affine g = generator(x);
    CUZK_EXPECT_PASS(pair_test(odd, g, x));
    CUZK_EXPECT_PASS(pair_test(g, odd, x));
    CUZK_EXPECT_PASS(pair_test(odd, odd, x));
    CUZK_EXPECT_PASS(pair_test(odd, neg(odd), x));
    CUZK_EXPECT_PASS(pair_test(odd, g1_affine::infinity(), x));
    // A bucket loses half its elements a round and leaves when one is left.
    for (uint32_t count = 0; count < 70; count++) {
        uint32_t left = count;
        for (uint32_t round = 1; round < 9; round++) {
            left = left <= 2 ? 0 : (left + 1) / 2;
            CUZK_EXPECT(bucket_elements(count, round) == left);
        }
    }
    return 0;
}

// Host only: every window size with scalars at the ends, and joining of windows.
inline int msm_host_test(uint64_t seed) {
    random_source random = {seed};
    for (uint32_t bits = 3; bits <= MSM_MAX_BITS; bits++) {
        for (uint32_t windows = 254 / bits; windows <= (254 + bits - 1) / bits; windows++) {
            if (254 - bits * (windows - 1) > bits + 2) continue;
            msm_windows g = make_windows(bits, windows);
            scalar s = {};
            CUZK_EXPECT_PASS(digits_test(g, s));
            for (int i = 0; i < 8; i++) s.v[i] = fr_params::half(i);
            CUZK_EXPECT_PASS(digits_test(g, s));
            // The largest digit of the top window is reached, and no other scalar passes it.
            msm_recoded largest = msm_recode(g, s);
            largest.drop(bits * (windows - 1));
            CUZK_EXPECT(largest.lowest(g, true).magnitude == g.top_max || g.top_max == 1);
            s.v[0] += 1;  // (r + 1)/2
            CUZK_EXPECT_PASS(digits_test(g, s));
            for (int i = 0; i < 8; i++) s.v[i] = fr_params::modulus(i);
            s.v[0] -= 1;  // r - 1
            CUZK_EXPECT_PASS(digits_test(g, s));
            for (int k = 0; k < 255; k++) {
                s = {};
                s.v[k >> 5] = 1u << (k & 31);  // a power of two, and all ones below it
                if (k < 254) CUZK_EXPECT_PASS(digits_test(g, s));
                scalar one = {{1}};
                limbs_sub<8>(s.v, s.v, one.v);
                CUZK_EXPECT_PASS(digits_test(g, s));
            }
            for (int k = 0; k < 20; k++) {
                for (int i = 0; i < 8; i++) s.v[i] = (uint32_t)random.next();
                s.v[7] %= fr_params::modulus(7);
                CUZK_EXPECT_PASS(digits_test(g, s));
            }
        }
    }
    // Plans for few points: slices that fit a block, digits that fit its buckets.
    const uint32_t few[] = {1, 2, 100, 2048, 2049, 16384, 65536};
    for (uint32_t n : few)
        for (int g2 = 0; g2 < 2; g2++) {
            msm_plan plan = few_plan(g2 != 0, n, 132);
            CUZK_EXPECT(plan.few >= 1 && plan.few <= FEW_MAX_SLICES && plan.call_n == n);
            CUZK_EXPECT((n + plan.few - 1) / plan.few <= FEW_SLICE);
            CUZK_EXPECT(plan.windows.run() <= FEW_BLOCK && FEW_BLOCK % plan.windows.run() == 0);
            CUZK_EXPECT(plan.windows.top_max <= plan.windows.run());
        }
    // Bucket sums that are multiples of the generator, k_i for bucket i, joined by the definition.
    for (uint32_t bits = 4; bits <= 7; bits++) {
        msm_plan plan = msm_plan_for(false, 100, 100, 67584, bits, (254 + bits - 1) / bits);
        const msm_windows& g = plan.windows;
        CUZK_EXPECT(plan.group_buckets() <= g.buckets());
        const uint32_t columns = 1u << plan.log_columns();
        xyzz<fp> G = xyzz<fp>::from(generator(fp()));
        msm_run_sums<fp> sums[300];
        CUZK_EXPECT(g.subwindows <= 300);
        fr total = fr::zero(), radix = fr_from((uint64_t)1 << bits);
        for (uint32_t run = g.subwindows; run-- > 0;) {
            fr rows = fr::zero(), cols = fr::zero(), all = fr::zero(), value = fr::zero();
            uint32_t window = run < g.windows ? run : g.windows - 1;
            for (uint32_t i = 0; i < g.run(); i++) {
                fr k = fr_from(random.next());
                rows = add(rows, mul(k, fr_from(i / columns)));
                cols = add(cols, mul(k, fr_from(i % columns)));
                all = add(all, k);
                value = add(value, mul(k, fr_from((run - window) * g.run() + i + 1)));
            }
            auto times_g = [&](const fr& k) { return multiply(G, from_montgomery(k).v, 8); };
            sums[run] = {times_g(rows), times_g(cols), times_g(all)};
            for (uint32_t w = 0; w < window; w++) value = mul(value, radix);
            total = add(total, value);
        }
        g1_affine expected = to_affine(multiply(G, from_montgomery(total).v, 8));
        CUZK_EXPECT(combine_runs(plan, sums) == expected);
        // The same result from whole windows.
        xyzz<fp> whole[64];
        CUZK_EXPECT(g.windows <= 64);
        total = fr::zero();
        for (uint32_t w = g.windows; w-- > 0;) {
            fr k = fr_from(random.next());
            whole[w] = multiply(G, from_montgomery(k).v, 8);
            total = add(mul(total, radix), k);
        }
        expected = to_affine(multiply(G, from_montgomery(total).v, 8));
        CUZK_EXPECT(combine_windows(g, whole) == expected);
    }
    return 0;
}

}  // namespace cuzk
