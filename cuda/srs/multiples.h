// SPDX-License-Identifier: MIT OR Apache-2.0
// Multiples of the generators: k G for many scalars k, from a table of windows.
//
// A scalar is cut into signed digits of 14 bits; the table holds d 2^(14 j) G for every window j
// and digit d = 1 ... 2^13, so a multiple is the sum of at most 19 points of it. The table takes 15
// MB in G1 and 30 MB in G2 and stays in a large device's second-level cache.
#pragma once
#include "../curve/g1.h"
#include "../curve/g2.h"
#include "../field/fr.h"

namespace cuzk {

constexpr int MULTIPLE_BITS = 14;
constexpr int MULTIPLE_WINDOWS = 19;  // 19 windows hold 266 bits: 255 and the last carry
constexpr uint32_t MULTIPLE_DIGITS = 1u << (MULTIPLE_BITS - 1);
constexpr uint32_t MULTIPLE_TABLE = MULTIPLE_WINDOWS * MULTIPLE_DIGITS;

// Entry `index` of the table, from the generator: (index mod 2^13 + 1) 2^(14 (index / 2^13)) G.
template <class F>
CUZK_HD affine<F> multiple_entry(const affine<F>& generator, uint32_t index) {
    const uint32_t window = index / MULTIPLE_DIGITS, digit = index % MULTIPLE_DIGITS + 1;
    uint32_t k[10];
    CUZK_UNROLL
    for (int i = 0; i < 10; i++) k[i] = 0;
    const uint32_t at = window * MULTIPLE_BITS;
    const uint64_t shifted = (uint64_t)digit << (at % 32);
    CUZK_UNROLL
    for (int i = 0; i < 9; i++) {
        if (i == (int)(at / 32)) {
            k[i] = (uint32_t)shifted;
            k[i + 1] = (uint32_t)(shifted >> 32);
        }
    }
    return to_affine(multiply(xyzz<F>::from(generator), k, 10));
}

// k G, k a plain number below r. `table` gives entries by their index.
template <class F, class Table>
CUZK_HD xyzz<F> multiple(const Table& table, const uint32_t* k) {
    xyzz<F> sum = xyzz<F>::infinity();
    uint32_t carry = 0;
    CUZK_NO_UNROLL
    for (int window = 0; window < MULTIPLE_WINDOWS; window++) {
        const int at = window * MULTIPLE_BITS, word = at / 32;
        uint64_t bits = 0;
        if (word < 8) bits = k[word];
        if (word + 1 < 8) bits |= (uint64_t)k[word + 1] << 32;
        uint32_t digit = ((uint32_t)(bits >> (at % 32)) & (2 * MULTIPLE_DIGITS - 1)) + carry;
        carry = digit > MULTIPLE_DIGITS;
        if (digit == 0 || digit == 2 * MULTIPLE_DIGITS) continue;
        const uint32_t size = carry ? 2 * MULTIPLE_DIGITS - digit : digit;
        affine<F> entry = table(window * MULTIPLE_DIGITS + size - 1);
        if (carry) entry = neg(entry);
        sum = add(sum, entry);
    }
    return sum;
}

}  // namespace cuzk
