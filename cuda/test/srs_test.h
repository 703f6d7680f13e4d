// SPDX-License-Identifier: MIT OR Apache-2.0
// Decoding a parameter file's points, good and bad ones, and multiples of the generators.
#pragma once
#include "../srs/decode.h"
#include "../srs/multiples.h"
#include "curve_test.h"

namespace cuzk {

template <class F>
CUZK_HD bool passes(const uint32_t* words, uint32_t checks) {
    bool good;
    decode_point<F>(words, checks, good);
    return good;
}

template <class F>
CUZK_COLD int decode_test(random_source& random, const F& field) {
    constexpr int N = sizeof(F) / sizeof(uint32_t);
    uint32_t k = 1 + random.below(1u << 20);
    const affine<F> p = to_affine(multiply(xyzz<F>::from(generator(field)), &k, 1));
    uint32_t words[2 * N];
    encode_point(p, words);
    bool good;
    for (uint32_t checks = CHECK_NOTHING; checks <= CHECK_CURVE; checks++) {
        CUZK_EXPECT(decode_point<F>(words, checks, good) == p);
        CUZK_EXPECT(good);
    }
    CUZK_EXPECT(is_in_subgroup(p));
    // Each flag.
    for (int bit = 5; bit < 8; bit++) {
        words[0] ^= 1u << bit;
        CUZK_EXPECT(passes<F>(words, CHECK_NOTHING) && !passes<F>(words, CHECK_ENCODING));
        words[0] ^= 1u << bit;
    }
    // The modulus itself in each coordinate, and one less: below it, but off the curve.
    for (int coordinate = 0; coordinate < 2 * N / 12; coordinate++) {
        uint32_t spoilt[2 * N];
        for (int i = 0; i < 2 * N; i++) spoilt[i] = words[i];
        for (int i = 0; i < 12; i++)
            spoilt[12 * coordinate + 11 - i] = swap_bytes(fp_params::modulus(i));
        CUZK_EXPECT(!passes<F>(spoilt, CHECK_ENCODING));
        spoilt[12 * coordinate + 11] = swap_bytes(fp_params::modulus(0) - 1);
        CUZK_EXPECT(passes<F>(spoilt, CHECK_ENCODING) && !passes<F>(spoilt, CHECK_CURVE));
    }
    // Any flipped bit leaves the curve or the encoding.
    for (int i = 0; i < 32; i++) {
        const uint32_t bit = random.below(64 * N);
        words[bit / 32] ^= 1u << (bit % 32);
        CUZK_EXPECT(!passes<F>(words, CHECK_CURVE));
        words[bit / 32] ^= 1u << (bit % 32);
    }
    for (int i = 0; i < 2 * N; i++) words[i] = 0;
    CUZK_EXPECT(decode_point<F>(words, CHECK_NOTHING, good).is_infinity() && good);
    CUZK_EXPECT(!passes<F>(words, CHECK_ENCODING));
    encode_point(affine<F>::infinity(), words);
    CUZK_EXPECT(words[0] == 0x40);
    CUZK_EXPECT(decode_point<F>(words, CHECK_NOTHING, good).is_infinity() && good);
    CUZK_EXPECT(!passes<F>(words, CHECK_ENCODING));
    return 0;
}

template <class F>
struct computed_table {
    affine<F> generator;
    CUZK_HD affine<F> operator()(uint32_t index) const { return multiple_entry(generator, index); }
};

template <class F>
CUZK_COLD int multiples_test(random_source& random, const F& field) {
    const affine<F> g = generator(field);
    for (int i = 0; i < 6; i++) {
        uint32_t k[8];
        for (int j = 0; j < 8; j++) k[j] = (uint32_t)random.next();
        k[7] &= 0x3fffffff;
        if (i < 3)
            for (int j = 0; j < 8; j++) k[j] = j == 0 ? (uint32_t)i << 13 : 0;
        if (i == 3)  // r - 1
            for (int j = 0; j < 8; j++) k[j] = fr_params::modulus(j) - (j == 0);
        if (i == 4)  // digits that carry all along
            for (int j = 0; j < 8; j++) k[j] = j == 7 ? 0x3fffffff : ~0u;
        const xyzz<F> expected = multiply(xyzz<F>::from(g), k, 8);
        const xyzz<F> present = multiple<F>(computed_table<F>{g}, k);
        CUZK_EXPECT(to_affine(present) == to_affine(expected));
    }
    return 0;
}

CUZK_COLD int srs_test(uint64_t seed) {
    random_source random = {seed};
    CUZK_EXPECT_PASS(decode_test(random, fp::one()));
    CUZK_EXPECT_PASS(decode_test(random, fp2::one()));
    CUZK_EXPECT_PASS(multiples_test(random, fp::one()));
    CUZK_EXPECT_PASS(multiples_test(random, fp2::one()));
    return 0;
}

}  // namespace cuzk
