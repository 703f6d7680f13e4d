// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of the transforms that are ordinary functions, against the sum that defines a
// transform; and the slow twin of whole transforms.
#pragma once
#include "../ntt/butterfly.h"
#include "../ntt/domain.h"
#include "field_test.h"

namespace cuzk {

// sum_i x_i w^(i k)
CUZK_COLD fr slow_transform_at(const fr* x, uint32_t n, const fr& w, uint32_t k) {
    fr point = power(w, k), at = fr::one(), sum = fr::zero();
    for (uint32_t i = 0; i < n; i++) {
        sum = add(sum, mul(x[i], at));
        at = mul(at, point);
    }
    return sum;
}

CUZK_COLD int ntt_test(uint64_t seed) {
    random_source random = {seed};
    fr w8 = fr_root();
    for (int i = 3; i < fr_params::TWO_ADICITY; i++) w8 = sqr(w8);
    eighth_roots roots = {make_factor(w8), make_factor(sqr(w8)), make_factor(mul(w8, sqr(w8)))};
    for (uint32_t levels = 1; levels <= 3; levels++) {
        const uint32_t n = 1u << levels;
        fr w = w8;
        for (uint32_t i = levels; i < 3; i++) w = sqr(w);
        fr x[8], down[8], up[8];
        for (uint32_t i = 0; i < 8; i++) {
            x[i] = test_element<fr_params>(random, (uint32_t)(seed + i) % 12, 2);
            down[i] = x[i];
        }
        transform_down(down, roots, levels);
        for (uint32_t i = 0; i < 8; i++) up[i] = x[i / n * n + reverse_bits(i % n, levels)];
        transform_up(up, roots, levels);
        for (uint32_t i = 0; i < 8; i++) x[i] = reduce(x[i]);
        for (uint32_t i = 0; i < 8; i++) {
            const fr* part = x + i / n * n;
            CUZK_EXPECT(below(down[i], 2) && below(up[i], 2));
            CUZK_EXPECT(reduce(down[i]) ==
                        slow_transform_at(part, n, w, reverse_bits(i % n, levels)));
            CUZK_EXPECT(reduce(up[i]) == slow_transform_at(part, n, w, i % n));
        }
    }
    for (uint32_t bits = 0; bits <= 28; bits++) {
        uint32_t x = (uint32_t)random.next() & (uint32_t)(((uint64_t)1 << bits) - 1);
        CUZK_EXPECT(reverse_bits(reverse_bits(x, bits), bits) == x);
        if (bits) CUZK_EXPECT(reverse_bits(1, bits) == 1u << (bits - 1));
    }
    return 0;
}

// Host only: a transform cut into passes is whole, and no pass is too small for its kernel.
inline int ntt_host_test() {
    for (uint32_t log_n = 3; log_n <= NTT_MAX_LOG; log_n++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < ntt_passes(log_n); i++) {
            uint32_t levels = ntt_pass_levels(log_n, i);
            CUZK_EXPECT(levels >= 3 && levels <= NTT_PASS_LOG);
            sum += levels;
        }
        CUZK_EXPECT(sum == log_n);
    }
    for (uint32_t log_n = 1; log_n <= NTT_MAX_LOG; log_n++) {
        fr w = domain_root(log_n);
        for (uint32_t i = 1; i < log_n; i++) w = sqr(w);
        CUZK_EXPECT(add(w, fr::one()).is_zero());
    }
    return 0;
}

// The slow twin: recursive decimation in time, in place, natural order. `stride` walks x.
inline void slow_transform(fr* x, fr* scratch, uint32_t n, const fr& w) {
    if (n == 1) return;
    for (uint32_t i = 0; i < n / 2; i++) {
        scratch[i] = x[2 * i];
        scratch[n / 2 + i] = x[2 * i + 1];
    }
    for (uint32_t i = 0; i < n; i++) x[i] = scratch[i];
    fr w2 = sqr(w);
    slow_transform(x, scratch, n / 2, w2);
    slow_transform(x + n / 2, scratch, n / 2, w2);
    fr at = fr::one();
    for (uint32_t i = 0; i < n / 2; i++) {
        fr even = x[i], odd = mul(at, x[n / 2 + i]);
        x[i] = add(even, odd);
        x[n / 2 + i] = sub(even, odd);
        at = mul(at, w);
    }
}

}  // namespace cuzk
