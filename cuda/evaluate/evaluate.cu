// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows of a circuit evaluated for a witness.
#include "../launch.h"
#include "rows.h"

namespace cuzk {
namespace {

// Terms up to which a row is one thread's; a longer one is shared by a warp.
constexpr uint32_t SHORT_ROW = 12;

CUZK_DEVICE fr load(const fr* at) {
    const uint4* q = reinterpret_cast<const uint4*>(at);
    const uint4 x = __ldg(q), y = __ldg(q + 1);
    return {{x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w}};
}

CUZK_DEVICE fr sum_terms(const rows_view& rows, const witness_view& witness, const fr* coefficients,
                         uint32_t first, uint32_t end, uint32_t step) {
    const uint32_t terms = rows.terms();
    fr sum = fr::zero();
    for (uint32_t i = first; i < end; i += step) {
        uint32_t column, coefficient;
        const fr* at = nullptr;
        rows.term(i, terms, column, coefficient);
        const value_kind kind = find_value(witness, column, at);
        if (kind == value_kind::zero) continue;
        fr value = fr::zero();
        if (kind == value_kind::full) value = load(at);
        sum = add_term(sum, coefficient, coefficients, kind, &value);
    }
    return sum;
}

// The sum over the lanes of a warp, in lane 0.
CUZK_DEVICE fr warp_sum(fr a) {
    CUZK_UNROLL
    for (int offset = 16; offset > 0; offset /= 2) {
        fr other;
        CUZK_UNROLL
        for (int i = 0; i < 8; i++) other.v[i] = __shfl_down_sync(~0u, a.v[i], offset);
        a = add(a, other);
    }
    return a;
}

// A block of 64 threads evaluates a block of 64 rows of one copy. The copies of a block are
// neighbours in the grid: its words are read from memory once.
__global__ void __launch_bounds__(ROWS)
    evaluate_kernel(const __grid_constant__ cuzk_rows stored, const fr* coefficients,
                    const __grid_constant__ witness_view witness, fr* out) {
    const uint32_t block = blockIdx.x / stored.copies, copy = blockIdx.x % stored.copies;
    const uint32_t row = block * ROWS + threadIdx.x;
    const column_shift shift = {witness.n_inputs, stored.own_inputs, stored.own_aux,
                                copy * stored.input_stride, copy * stored.aux_stride};
    const rows_view rows = rows_view::of(static_cast<const rows_block*>(stored.blocks)[block],
                                         static_cast<const uint16_t*>(stored.words), shift);
    const uint32_t start = threadIdx.x == 0 ? 0 : rows.end(threadIdx.x - 1);
    const uint32_t end = rows.end(threadIdx.x);
    const bool is_long = end - start > SHORT_ROW;
    fr sum = fr::zero();
    if (!is_long) sum = sum_terms(rows, witness, coefficients, start, end, 1);
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t left = __ballot_sync(~0u, is_long); left; left &= left - 1) {
        const int owner = __ffs(left) - 1;
        const uint32_t s = __shfl_sync(~0u, start, owner), e = __shfl_sync(~0u, end, owner);
        const fr shared = warp_sum(sum_terms(rows, witness, coefficients, s + lane, e, 32));
        fr total;
        CUZK_UNROLL
        for (int i = 0; i < 8; i++) total.v[i] = __shfl_sync(~0u, shared.v[i], 0);
        if ((int)lane == owner) sum = total;
    }
    if (row < stored.rows) out[(uint64_t)copy * stored.rows + row] = sum;
}

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" int cuzk_launch_evaluate(cuzk_stream stream, const cuzk_rows* rows,
                                    const void* coefficients, const void* inputs, uint32_t n_inputs,
                                    const void* values, const uint32_t* ones, const uint32_t* full,
                                    const uint32_t* ranks, void* out) {
    const uint32_t blocks = (rows->rows + ROWS - 1) / ROWS * rows->copies;
    if (blocks == 0) return cudaSuccess;
    const witness_view witness = {static_cast<const fr*>(inputs),
                                  static_cast<const fr*>(values),
                                  ones,
                                  full,
                                  ranks,
                                  n_inputs};
    evaluate_kernel<<<blocks, ROWS, 0, stream>>>(*rows, static_cast<const fr*>(coefficients),
                                                 witness, static_cast<fr*>(out));
    return cudaGetLastError();
}
