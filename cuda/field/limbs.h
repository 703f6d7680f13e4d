// SPDX-License-Identifier: MIT OR Apache-2.0
// Numbers of N 32-bit limbs, least significant first: the plain operations, without any modulus.
// Outputs may alias inputs.
#pragma once
#include "../host_device.h"

namespace cuzk {

// r = a + b; returns the carry out.
template <int N>
CUZK_HD uint32_t limbs_add(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    uint64_t carry = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        carry += (uint64_t)a[i] + b[i];
        r[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (uint32_t)carry;
}

// r = a - b; returns the borrow out.
template <int N>
CUZK_HD uint32_t limbs_sub(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    uint64_t borrow = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        uint64_t t = (uint64_t)a[i] - b[i] - borrow;
        r[i] = (uint32_t)t;
        borrow = t >> 63;
    }
    return (uint32_t)borrow;
}

// r = a b, 2 N limbs, apart from a and b.
template <int N>
CUZK_HD void limbs_mul(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    CUZK_UNROLL
    for (int i = 0; i < 2 * N; i++) r[i] = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        uint64_t carry = 0;
        CUZK_UNROLL
        for (int j = 0; j < N; j++) {
            carry += (uint64_t)a[j] * b[i] + r[i + j];
            r[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        r[i + N] = (uint32_t)carry;
    }
}

template <int N>
CUZK_HD bool limbs_less(const uint32_t* a, const uint32_t* b) {
    uint64_t borrow = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) borrow = ((uint64_t)a[i] - b[i] - borrow) >> 63;
    return borrow != 0;
}

template <int N>
CUZK_HD bool limbs_is_zero(const uint32_t* a) {
    uint32_t any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) any |= a[i];
    return any == 0;
}

template <int N>
CUZK_HD bool limbs_equal(const uint32_t* a, const uint32_t* b) {
    uint32_t any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) any |= a[i] ^ b[i];
    return any == 0;
}

// `count` bits of a from bit `first` on (count <= 32); bits past the top limb are zero. Selects
// instead of indexing, so that a number in registers stays there.
template <int N>
CUZK_HD uint32_t limbs_bits(const uint32_t* a, int first, int count) {
    int word = first >> 5, shift = first & 31;
    uint32_t low = 0, high = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        low = i == word ? a[i] : low;
        high = i == word + 1 ? a[i] : high;
    }
    uint64_t both = ((uint64_t)high << 32 | low) >> shift;
    return (uint32_t)(both & (((uint64_t)1 << count) - 1));
}

}  // namespace cuzk
