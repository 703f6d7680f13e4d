// SPDX-License-Identifier: MIT OR Apache-2.0
// Bitmaps over the variables of an assignment: bit i is bit i mod 32 of word i / 32. Bits past the
// end may be anything.
#pragma once
#include "../host_device.h"

namespace cuzk {

// Number of set bits.
CUZK_HD uint32_t bit_count(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __popc(x);
#else
    return (uint32_t)__builtin_popcount(x);
#endif
}

// What the zero/one/rest split reads. A null density is all ones.
struct split_input {
    const uint32_t *ones, *full, *density;
    uint32_t n;

    CUZK_HD uint32_t words() const { return (uint32_t)(((uint64_t)n + 31) / 32); }
    CUZK_HD uint32_t valid(uint32_t word) const {
        uint64_t left = (uint64_t)n - 32 * (uint64_t)word;
        return left >= 32 ? ~0u : (1u << left) - 1;
    }
    CUZK_HD uint32_t dense(uint32_t word) const {
        return valid(word) & (density ? density[word] : ~0u);
    }
    // A variable that is marked as both is full.
    CUZK_HD uint32_t dense_ones(uint32_t word) const {
        return dense(word) & ones[word] & ~full[word];
    }
    CUZK_HD uint32_t dense_full(uint32_t word) const { return dense(word) & full[word]; }
    CUZK_HD uint32_t all_full(uint32_t word) const { return valid(word) & full[word]; }
};

}  // namespace cuzk
