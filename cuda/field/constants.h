// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants of BLS12-381's base field Fp and scalar field Fr, as 32-bit limbs, low first.
// Written by constants.py; a test runs it again and compares.
// clang-format off
#pragma once
#include "../host_device.h"

namespace cuzk {

struct fp_params {
    static constexpr int N = 12;
    // -1/modulus mod 2^32 and mod 2^64
    static constexpr uint32_t NEG_INV32 = 0xfffcfffdu;
    static constexpr uint64_t NEG_INV64 = 0x89f3fffcfffcfffdull;
    // the modulus m
    CUZK_HD static constexpr uint32_t modulus(int i) {
        constexpr uint32_t t[12] = {
            0xffffaaabu, 0xb9feffffu, 0xb153ffffu, 0x1eabfffeu,
            0xf6b0f624u, 0x6730d2a0u, 0xf38512bfu, 0x64774b84u,
            0x434bacd7u, 0x4b1ba7b6u, 0x397fe69au, 0x1a0111eau};
        return t[i];
    }
    // 2 m
    CUZK_HD static constexpr uint32_t modulus2(int i) {
        constexpr uint32_t t[12] = {
            0xffff5556u, 0x73fdffffu, 0x62a7ffffu, 0x3d57fffdu,
            0xed61ec48u, 0xce61a541u, 0xe70a257eu, 0xc8ee9709u,
            0x869759aeu, 0x96374f6cu, 0x72ffcd34u, 0x340223d4u};
        return t[i];
    }
    // R mod m, R = 2^(32 N): one in Montgomery form
    CUZK_HD static constexpr uint32_t one(int i) {
        constexpr uint32_t t[12] = {
            0x0002fffdu, 0x76090000u, 0xc40c0002u, 0xebf4000bu,
            0x53c758bau, 0x5f489857u, 0x70525745u, 0x77ce5853u,
            0xa256ec6du, 0x5c071a97u, 0xfa80e493u, 0x15f65ec3u};
        return t[i];
    }
    // R^2 mod m: takes a number into Montgomery form
    CUZK_HD static constexpr uint32_t r2(int i) {
        constexpr uint32_t t[12] = {
            0x1c341746u, 0xf4df1f34u, 0x09d104f1u, 0x0a76e6a6u,
            0x4c95b6d5u, 0x8de5476cu, 0x939d83c0u, 0x67eb88a9u,
            0xb519952du, 0x9a793e85u, 0x92cae3aau, 0x11988fe5u};
        return t[i];
    }
    // R^3 mod m: a plain inverse of x R, times this, is R/x
    CUZK_HD static constexpr uint32_t r3(int i) {
        constexpr uint32_t t[12] = {
            0xd94ca1e0u, 0xed48ac6bu, 0x03a7adf8u, 0x315f831eu,
            0x615e29ddu, 0x9a53352au, 0x921e1761u, 0x34c04e5eu,
            0x65724728u, 0x2512d435u, 0x91755d4du, 0x0aa63460u};
        return t[i];
    }
    // p in 13 limbs of 30 bits and 1/p mod 2^30, for the inversion by divsteps
    CUZK_HD static constexpr int32_t modulus30(int i) {
        constexpr int32_t t[13] = {0x3fffaaab, 0x27fbffff, 0x153ffffb, 0x2affffac, 0x30f6241e, 0x034a83da,
                                   0x112bf673, 0x12e13ce1, 0x2cd76477, 0x1ed90d2e, 0x29a4b1ba, 0x3a8e5ff9,
                                   0x001a0111};
        return t[i];
    }
    static constexpr int32_t INV30 = 0x00030003;
};

struct fr_params {
    static constexpr int N = 8;
    // -1/modulus mod 2^32 and mod 2^64
    static constexpr uint32_t NEG_INV32 = 0xffffffffu;
    static constexpr uint64_t NEG_INV64 = 0xfffffffeffffffffull;
    // the modulus m
    CUZK_HD static constexpr uint32_t modulus(int i) {
        constexpr uint32_t t[8] = {
            0x00000001u, 0xffffffffu, 0xfffe5bfeu, 0x53bda402u,
            0x09a1d805u, 0x3339d808u, 0x299d7d48u, 0x73eda753u};
        return t[i];
    }
    // 2 m
    CUZK_HD static constexpr uint32_t modulus2(int i) {
        constexpr uint32_t t[8] = {
            0x00000002u, 0xfffffffeu, 0xfffcb7fdu, 0xa77b4805u,
            0x1343b00au, 0x6673b010u, 0x533afa90u, 0xe7db4ea6u};
        return t[i];
    }
    // R mod m, R = 2^(32 N): one in Montgomery form
    CUZK_HD static constexpr uint32_t one(int i) {
        constexpr uint32_t t[8] = {
            0xfffffffeu, 0x00000001u, 0x00034802u, 0x5884b7fau,
            0xecbc4ff5u, 0x998c4fefu, 0xacc5056fu, 0x1824b159u};
        return t[i];
    }
    // R^2 mod m: takes a number into Montgomery form
    CUZK_HD static constexpr uint32_t r2(int i) {
        constexpr uint32_t t[8] = {
            0xf3f29c6du, 0xc999e990u, 0x87925c23u, 0x2b6cedcbu,
            0x7254398fu, 0x05d31496u, 0x9f59ff11u, 0x0748d9d9u};
        return t[i];
    }
    // R^3 mod m: a plain inverse of x R, times this, is R/x
    CUZK_HD static constexpr uint32_t r3(int i) {
        constexpr uint32_t t[8] = {
            0x439b73afu, 0xc62c1807u, 0x8cf06990u, 0x1b3e0d18u,
            0xc7b5f418u, 0x73d13c71u, 0xc8db33e9u, 0x6e2a5bb9u};
        return t[i];
    }
    static constexpr int TWO_ADICITY = 32;
    // a primitive 2^32-th root of unity, 7^((r-1)/2^32), Montgomery form
    CUZK_HD static constexpr uint32_t root(int i) {
        constexpr uint32_t t[8] = {
            0x5f0e466au, 0xb9b58d8cu, 0x1819d7ecu, 0x5b1b4c80u,
            0x52a31e64u, 0x0af53ae3u, 0x19e9b27bu, 0x5bf3addau};
        return t[i];
    }
    // the multiplicative generator 7, Montgomery form: the coset's shift
    CUZK_HD static constexpr uint32_t generator(int i) {
        constexpr uint32_t t[8] = {
            0xfffffff1u, 0x0000000eu, 0x00189c0fu, 0x17e363d3u,
            0x6f8457b0u, 0xff9c5787u, 0x8fc5a8c4u, 0x35133220u};
        return t[i];
    }
    // 1/7, Montgomery form
    CUZK_HD static constexpr uint32_t generator_inverse(int i) {
        constexpr uint32_t t[8] = {
            0xdb6db6dcu, 0xdb6db6dau, 0xdb6cc6dau, 0xe6b5824au,
            0x05810db9u, 0xf8b356e0u, 0x60ec4796u, 0x66d0f1e6u};
        return t[i];
    }
    // -1/r mod 2^256
    CUZK_HD static constexpr uint32_t neg_inv(int i) {
        constexpr uint32_t t[8] = {
            0xffffffffu, 0xfffffffeu, 0xfffe5bfdu, 0x53ba5bffu,
            0x0004ec06u, 0x181b2c17u, 0xd7bf2839u, 0x3d443ab0u};
        return t[i];
    }
    // (r - 1)/2, a plain number: the largest scalar that is not negated
    CUZK_HD static constexpr uint32_t half(int i) {
        constexpr uint32_t t[8] = {
            0x80000000u, 0x7fffffffu, 0x7fff2dffu, 0xa9ded201u,
            0x04d0ec02u, 0x199cec04u, 0x94cebea4u, 0x39f6d3a9u};
        return t[i];
    }
};

}  // namespace cuzk
