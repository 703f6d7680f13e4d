// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows of a circuit in compact form, and the witness they are evaluated for.
//
// Rows lie in blocks of 64. A narrow block has, in 16-bit words: 64 row ends (terms of the block up
// to each row's end), `far` columns of two words each (low word first), a column code a term, a
// coefficient index a term. Codes below WINDOW count from the block's base column, the others index
// its far columns. A wide block has the same without far columns, every number in two words.
//
// Rows that a circuit repeats are stored once, with the columns of their first copy.
#pragma once
#include "../field/fr.h"

namespace cuzk {

constexpr uint32_t ROWS = 64;
constexpr uint32_t WINDOW = 0xf800;
constexpr uint32_t COEFFICIENT_ONE = 0, COEFFICIENT_MINUS_ONE = 1;

struct rows_block {
    uint64_t start;  // first word
    uint32_t base;
    uint16_t far;
    uint16_t form;  // 0 narrow, 1 wide
};
static_assert(sizeof(rows_block) == 16, "a block as Rust lays it out");

// What a copy adds to the columns of the first: inputs from own_inputs on and auxiliary columns
// (from `inputs` on) from own_aux on move, the others stay. No window holds an auxiliary column
// that stays.
struct column_shift {
    uint32_t inputs, own_inputs, own_aux, input, aux;

    CUZK_HD uint32_t place(uint32_t column) const {
        if (column >= own_aux) return column + aux;
        return column >= own_inputs && column < inputs ? column + input : column;
    }
};

struct rows_view {
    const uint16_t* words;
    column_shift shift;
    uint32_t base, far;
    bool wide;

    static CUZK_HD rows_view of(const rows_block& block, const uint16_t* words,
                                const column_shift& shift) {
        return {words + block.start, shift, block.base + shift.aux, block.far, block.form != 0};
    }
    // Number `i` of those that start at word `at` and take two words each.
    CUZK_HD uint32_t pair(uint32_t at, uint32_t i) const {
        return words[at + 2 * i] | (uint32_t)words[at + 2 * i + 1] << 16;
    }
    CUZK_HD uint32_t end(uint32_t row) const { return wide ? pair(0, row) : words[row]; }
    CUZK_HD uint32_t terms() const { return end(ROWS - 1); }
    CUZK_HD void term(uint32_t i, uint32_t terms, uint32_t& column, uint32_t& coefficient) const {
        if (wide) {
            column = shift.place(pair(2 * ROWS, i));
            coefficient = pair(2 * ROWS + 2 * terms, i);
            return;
        }
        const uint32_t columns = ROWS + 2 * far, code = words[columns + i];
        column = code < WINDOW ? base + code : shift.place(pair(ROWS, code - WINDOW));
        coefficient = words[columns + terms + i];
    }
};

// A witness: inputs, then auxiliary variables. With `ranks`, `ones` marks those that are one,
// `full` those whose values lie in `values` in their order, `ranks` has the number of such before
// every 512th; without, every value lies in `values`.
struct witness_view {
    const fr *inputs, *values;
    const uint32_t *ones, *full, *ranks;
    uint32_t n_inputs;
};

enum class value_kind { zero, one, full };

CUZK_HD uint32_t count_bits(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __popc(x);
#else
    return (uint32_t)__builtin_popcount(x);
#endif
}

// What the value of a column is, and where it lies when it is not zero or one.
CUZK_HD value_kind find_value(const witness_view& witness, uint32_t column, const fr*& at) {
    if (column < witness.n_inputs) {
        at = witness.inputs + column;
        return value_kind::full;
    }
    const uint32_t variable = column - witness.n_inputs;
    if (!witness.ranks) {
        at = witness.values + variable;
        return value_kind::full;
    }
    const uint32_t word = variable / 32, bit = 1u << (variable % 32);
    if (witness.ones[word] & bit) return value_kind::one;
    if (!(witness.full[word] & bit)) return value_kind::zero;
    uint32_t rank = witness.ranks[variable / 512] + count_bits(witness.full[word] & (bit - 1));
    for (uint32_t i = word / 16 * 16; i < word; i++) rank += count_bits(witness.full[i]);
    at = witness.values + rank;
    return value_kind::full;
}

// The sum with a term's product.
CUZK_HD fr add_term(const fr& sum, uint32_t coefficient, const fr* coefficients, value_kind kind,
                    const fr* value) {
    if (kind == value_kind::zero) return sum;
    if (kind == value_kind::one) return add(sum, coefficients[coefficient]);
    if (coefficient == COEFFICIENT_ONE) return add(sum, *value);
    if (coefficient == COEFFICIENT_MINUS_ONE) return sub(sum, *value);
    return add(sum, mul(coefficients[coefficient], *value));
}

}  // namespace cuzk
