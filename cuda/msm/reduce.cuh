// SPDX-License-Identifier: MIT OR Apache-2.0
// The ends of long sums: a few thousand points, where one more round of pairs would cost more than
// adding in XYZZ coordinates.
#pragma once
#include "../curve/xyzz.h"
#include "combine.h"
#include "memory.cuh"

namespace cuzk {

constexpr int REDUCE_BLOCK = 128;  // 128 G2 points in XYZZ fill 48 KiB of shared memory

// The sum of the first n threads' points, n a power of two; valid in thread 0.
template <class F>
__device__ __noinline__ xyzz<F> block_sum(xyzz<F>* shared, xyzz<F> a, uint32_t n = REDUCE_BLOCK) {
    __syncthreads();
    shared[threadIdx.x] = a;
    CUZK_NO_UNROLL
    for (uint32_t half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            a = add(a, shared[threadIdx.x + half]);
            shared[threadIdx.x] = a;
        }
    }
    return a;
}

// For thread t < n: the sum of the points of threads t, t + 1, ..., n - 1.
template <class F>
__device__ __noinline__ xyzz<F> block_suffix_sum(xyzz<F>* shared, xyzz<F> a, uint32_t n) {
    __syncthreads();
    shared[threadIdx.x] = a;
    CUZK_NO_UNROLL
    for (uint32_t distance = 1; distance < n; distance *= 2) {
        __syncthreads();
        const bool adds = threadIdx.x + distance < n;
        xyzz<F> other;
        if (adds) other = shared[threadIdx.x + distance];
        __syncthreads();
        if (adds) {
            a = add(a, other);
            shared[threadIdx.x] = a;
        }
    }
    return a;
}

// parts[b] = the sum of block b's share of n points: of the table, `list`'s where it is given, or
// without a table of planes[0].
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    sum_parts_kernel(point_source<F> source, const uint32_t* list, uint32_t n, xyzz<F>* parts) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    xyzz<F> sum = xyzz<F>::infinity();
    CUZK_NO_UNROLL
    for (uint32_t i = blockIdx.x * REDUCE_BLOCK + threadIdx.x; i < n;
         i += gridDim.x * REDUCE_BLOCK) {
        uint32_t ref = source.table == nullptr ? i | IN_PLANES : list ? list[i] : i;
        sum = add(sum, source.load(ref));
    }
    sum = block_sum(shared, sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// A run of 2^log_run buckets as lines, its rows or its columns: `count` of them, next to each other
// at a distance of `apart` buckets; a line's elements are `step` buckets apart.
struct run_lines {
    uint32_t count, apart;
    uint32_t length, step;
    uint32_t lanes;   // threads that sum a line
    uint32_t blocks;  // for the lines of all runs
};

inline run_lines make_lines(uint32_t runs, uint32_t count, uint32_t apart, uint32_t length,
                            uint32_t step, uint32_t elements_a_thread) {
    run_lines r = {count, apart, length, step, length / elements_a_thread, 0};
    r.lanes = r.lanes < 1 ? 1 : r.lanes < (uint32_t)REDUCE_BLOCK ? r.lanes : REDUCE_BLOCK;
    const uint64_t threads = (uint64_t)runs * count * r.lanes;
    r.blocks = (uint32_t)((threads + REDUCE_BLOCK - 1) / REDUCE_BLOCK);
    return r;
}

// sums[run * count + k] = the sum of the run's line k, for rows and for columns.
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    sum_lines_kernel(point_planes<F> buckets, uint32_t log_run, uint32_t runs,
                     const __grid_constant__ run_lines rows,
                     const __grid_constant__ run_lines columns, xyzz<F>* row_sums,
                     xyzz<F>* column_sums) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    const bool of_rows = blockIdx.x < rows.blocks;
    const run_lines lines = of_rows ? rows : columns;
    const uint32_t t = threadIdx.x, width = REDUCE_BLOCK / lines.lanes;
    // Neighbouring threads read neighbouring buckets: of a row, or of as many columns.
    const uint32_t lane = of_rows ? t % lines.lanes : t / width;
    const uint32_t first = (of_rows ? blockIdx.x : blockIdx.x - rows.blocks) * width;
    const uint32_t line = first + (of_rows ? t / lines.lanes : t % width);
    const bool real = line < runs * lines.count;

    xyzz<F> sum = xyzz<F>::infinity();
    if (real) {
        const point_planes<F> in = buckets.from(((uint64_t)(line / lines.count) << log_run) +
                                                line % lines.count * lines.apart);
        CUZK_NO_UNROLL
        for (uint32_t i = lane; i < lines.length; i += lines.lanes)
            sum = add(sum, in.load(i * lines.step));
    }
    shared[t] = sum;
    const uint32_t neighbour = of_rows ? 1 : width;
    CUZK_NO_UNROLL
    for (uint32_t half = lines.lanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            sum = add(sum, shared[t + half * neighbour]);
            shared[t] = sum;
        }
    }
    if (real && lane == 0) (of_rows ? row_sums : column_sums)[line] = sum;
}

// Sums of lines: affine in planes, or in XYZZ coordinates.
template <class F>
struct line_sums {
    point_planes<F> planes;
    const xyzz<F>* array;  // null: in planes

    CUZK_DEVICE xyzz<F> load(uint64_t i) const {
        return array ? array[i] : xyzz<F>::from(planes.load(i));
    }
};

// The weighted (0, 1, 2, ...) and plain sums of each run's rows and of its columns, a block for
// each. Powers of two of both.
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    weighted_sum_kernel(line_sums<F> rows, uint32_t n_rows, line_sums<F> columns,
                        uint32_t n_columns, msm_run_sums<F>* out) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    const uint32_t run = blockIdx.x / 2, t = threadIdx.x;
    const bool of_rows = blockIdx.x % 2 == 0;
    const uint32_t n = of_rows ? n_rows : n_columns;
    const line_sums<F>& in = of_rows ? rows : columns;
    const uint32_t share = n < REDUCE_BLOCK ? 1 : n / REDUCE_BLOCK;
    const uint64_t first = (uint64_t)run * n + t * share;

    // Each thread's share: plain, and weighted by the place in it.
    xyzz<F> plain = xyzz<F>::infinity(), weighted = xyzz<F>::infinity();
    if (t * share < n) {
        CUZK_NO_UNROLL
        for (uint32_t i = share - 1; i > 0; i--) {
            plain = add(plain, in.load(first + i));
            weighted = add(weighted, plain);
        }
        plain = add(plain, in.load(first));
    }
    // The sum of share t plain_t, as that of all suffixes but the first.
    xyzz<F> suffix = block_suffix_sum(shared, plain, REDUCE_BLOCK);
    if (t == 0 && of_rows) out[run].plain = suffix;
    xyzz<F> sum = block_sum(shared, t == 0 ? xyzz<F>::infinity() : suffix);
    if (share > 1) weighted = block_sum(shared, weighted);
    if (t > 0) return;
    CUZK_NO_UNROLL
    for (uint32_t k = share; k > 1; k /= 2) sum = dbl(sum);
    (of_rows ? out[run].rows : out[run].columns) = add(sum, weighted);
}

}  // namespace cuzk
