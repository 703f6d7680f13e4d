// SPDX-License-Identifier: MIT OR Apache-2.0
// The group laws against the chord-and-tangent rule, in every special case.
#pragma once
#include "../curve/g1.h"
#include "../curve/g2.h"
#include "expect.h"

namespace cuzk {

// The generators, Montgomery form, 32-bit limbs.
CUZK_HD g1_affine generator(const fp&);
CUZK_HD g2_affine generator(const fp2&);

CUZK_HD fp fp_from_limbs(const uint32_t* v) {
    fp r;
    for (int i = 0; i < 12; i++) r.v[i] = v[i];
    return to_montgomery(r);
}
CUZK_HD g1_affine generator(const fp&) {
    const uint32_t x[12] = {0xdb22c6bb, 0xfb3af00a, 0xf97a1aef, 0x6c55e83f, 0x171bac58, 0xa14e3a3f,
                            0x9774b905, 0xc3688c4f, 0x4fa9ac0f, 0x2695638c, 0x3197d794, 0x17f1d3a7};
    const uint32_t y[12] = {0x46c5e7e1, 0x0caa2329, 0xa2888ae4, 0xd03cc744, 0x2c04b3ed, 0x00db18cb,
                            0xd5d00af6, 0xfcf5e095, 0x741d8ae4, 0xa09e30ed, 0xe3aaa0f1, 0x08b3f481};
    return {fp_from_limbs(x), fp_from_limbs(y)};
}
CUZK_HD g2_affine generator(const fp2&) {
    const uint32_t x0[12] = {0xc121bdb8, 0xd48056c8, 0xa805bbef, 0x0bac0326,
                             0x7ae3d177, 0xb4510b64, 0xfa403b02, 0xc6e47ad4,
                             0x2dc51051, 0x26080527, 0xf08f0a91, 0x024aa2b2};
    const uint32_t x1[12] = {0x5d042b7e, 0xe5ac7d05, 0x13945d57, 0x334cf112,
                             0xdc7f5049, 0xb5da61bb, 0x9920b61a, 0x596bd0d0,
                             0x88274f65, 0x7dacd3a0, 0x52719f60, 0x13e02b60};
    const uint32_t y0[12] = {0x08b82801, 0xe1935486, 0x3baca289, 0x923ac9cc,
                             0x5160d12c, 0x6d429a69, 0x8cbdd3a7, 0xadfd9baa,
                             0xda2e351a, 0x8cc9cdc6, 0x727d6e11, 0x0ce5d527};
    const uint32_t y1[12] = {0xf05f79be, 0xaaa9075f, 0x5cec1da1, 0x3f370d27,
                             0x572e99ab, 0x267492ab, 0x85a763af, 0xcb3e287e,
                             0x2bc28b99, 0x32acd2b0, 0x2ea734cc, 0x0606c4a0};
    return {{fp_from_limbs(x0), fp_from_limbs(x1)}, {fp_from_limbs(y0), fp_from_limbs(y1)}};
}

template <class F>
CUZK_HD bool is_on_curve(const affine<F>& a) {
    return a.is_infinity() || a.y * a.y == a.x * a.x * a.x + curve_b(a.x);
}

// The same point with other coordinates: ZZ = z^2, ZZZ = z^3.
template <class F>
CUZK_HD xyzz<F> rescaled(const affine<F>& a, const F& z) {
    if (a.is_infinity()) return xyzz<F>::infinity();
    F zz = z * z, zzz = zz * z;
    return {a.x * zz, a.y * zzz, zz, zzz};
}

template <class F>
CUZK_COLD int group_test(random_source& random, const F& z1, const F& z2) {
    affine<F> g = generator(z1), infinity = affine<F>::infinity();
    CUZK_EXPECT(is_on_curve(g));
    uint32_t k[3] = {1 + random.below(1000), 1 + random.below(1000), 0};
    affine<F> a = to_affine(multiply(xyzz<F>::from(g), k, 1));
    affine<F> b = to_affine(multiply(xyzz<F>::from(g), k + 1, 1));
    CUZK_EXPECT(is_on_curve(a) && is_on_curve(b));
    CUZK_EXPECT(multiply(xyzz<F>::from(g), k + 2, 1).is_infinity());
    const affine<F> lhs[6] = {a, a, a, infinity, a, infinity};
    const affine<F> rhs[6] = {b, a, neg(a), a, infinity, infinity};
    for (int i = 0; i < 6; i++) {
        affine<F> sum = add_affine(lhs[i], rhs[i]);
        CUZK_EXPECT(is_on_curve(sum));
        CUZK_EXPECT(to_affine(add(rescaled(lhs[i], z1), rescaled(rhs[i], z2))) == sum);
        CUZK_EXPECT(to_affine(add(rescaled(lhs[i], z1), rhs[i])) == sum);
        CUZK_EXPECT(to_affine(dbl(rescaled(lhs[i], z1))) == add_affine(lhs[i], lhs[i]));
        CUZK_EXPECT(to_affine(rescaled(lhs[i], z1)) == lhs[i]);
    }
    // k a by additions alone.
    affine<F> sum = infinity;
    for (uint32_t i = 1; i < 20; i++) {
        sum = add_affine(sum, a);
        CUZK_EXPECT(to_affine(multiply(rescaled(a, z1), &i, 1)) == sum);
    }
    // r times the generator is infinity, (r - 1) times is its negative.
    uint32_t r[8];
    for (int i = 0; i < 8; i++) r[i] = fr_params::modulus(i);
    CUZK_EXPECT(multiply(xyzz<F>::from(g), r, 8).is_infinity());
    r[0] = 0;
    CUZK_EXPECT(to_affine(multiply(xyzz<F>::from(g), r, 8)) == neg(g));
    return 0;
}

CUZK_COLD int curve_test(uint64_t seed) {
    random_source random = {seed};
    fp z[4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 12; j++) z[i].v[j] = (uint32_t)random.next();
        z[i].v[11] %= fp_params::modulus(11);
    }
    CUZK_EXPECT_PASS(group_test<fp>(random, z[0], z[1]));
    CUZK_EXPECT_PASS(group_test<fp2>(random, fp2{z[0], z[1]}, fp2{z[2], z[3]}));
    return 0;
}

}  // namespace cuzk
