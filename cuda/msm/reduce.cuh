// SPDX-License-Identifier: MIT OR Apache-2.0
// The ends of long sums: a few thousand points, where one more round of pairs would cost more than
// adding in XYZZ coordinates.
#pragma once
#include "../curve/xyzz.h"
#include "combine.h"
#include "memory.cuh"

namespace cuzk {

constexpr int REDUCE_BLOCK = 128;  // 128 G2 points in XYZZ fill 48 KiB of shared memory

// The sum of a block's points; valid in thread 0.
template <class F>
__device__ __noinline__ xyzz<F> block_sum(xyzz<F> a) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    __syncthreads();
    shared[threadIdx.x] = a;
    CUZK_NO_UNROLL
    for (uint32_t half = REDUCE_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            a = add(a, shared[threadIdx.x + half]);
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
    xyzz<F> sum = xyzz<F>::infinity();
    CUZK_NO_UNROLL
    for (uint32_t i = blockIdx.x * REDUCE_BLOCK + threadIdx.x; i < n;
         i += gridDim.x * REDUCE_BLOCK) {
        uint32_t ref = source.table == nullptr ? i | IN_PLANES : list ? list[i] : i;
        sum = add(sum, source.load(ref));
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// The weighted (0, 1, 2, ...) and plain sums of each run's rows and of its columns, a block for
// each.
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    weighted_sum_kernel(point_planes<F> rows, uint32_t n_rows, point_planes<F> columns,
                        uint32_t n_columns, msm_run_sums<F>* out) {
    const uint32_t run = blockIdx.x / 2;
    const bool of_rows = blockIdx.x % 2 == 0;
    const uint32_t n = of_rows ? n_rows : n_columns;
    const point_planes<F> in = (of_rows ? rows : columns).from((uint64_t)run * n);
    const uint32_t share = (n + REDUCE_BLOCK - 1) / REDUCE_BLOCK;
    const uint32_t first = threadIdx.x * share;

    xyzz<F> plain = xyzz<F>::infinity(), weighted = xyzz<F>::infinity();
    if (first < n) {
        CUZK_NO_UNROLL
        for (uint32_t i = share - 1; i > 0; i--) {
            if (first + i < n) plain = add(plain, in.load(first + i));
            weighted = add(weighted, plain);
        }
        plain = add(plain, in.load(first));
        weighted = add(weighted, multiply(plain, &first, 1));
    }
    weighted = block_sum(weighted);
    if (threadIdx.x == 0) (of_rows ? out[run].rows : out[run].columns) = weighted;
    if (!of_rows) return;
    plain = block_sum(plain);
    if (threadIdx.x == 0) out[run].plain = plain;
}

}  // namespace cuzk
