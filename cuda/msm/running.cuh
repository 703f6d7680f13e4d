// SPDX-License-Identifier: MIT OR Apache-2.0
// A sum that grows from launch to launch, for points that come in pieces: each thread keeps a part
// of it in XYZZ coordinates. One kernel a piece, where rounds of pairs would be many small ones
// between which the device does other work.
#pragma once
#include "../curve/xyzz.h"
#include "memory.cuh"
#include "reduce.cuh"

namespace cuzk {

constexpr int RUNNING_BLOCK = 128;
// As many as leave a thread the registers for its sum, a point and a product.
template <class F>
constexpr int RUNNING_BLOCKS_PER_SM = sizeof(F) == 48 ? 4 : 2;

template <class F>
constexpr uint32_t running_threads(int multiprocessors) {
    return (uint32_t)multiprocessors * RUNNING_BLOCK * RUNNING_BLOCKS_PER_SM<F>;
}

template <class F>
constexpr size_t running_size(int multiprocessors) {
    return running_threads<F>(multiprocessors) * sizeof(xyzz<F>);
}

// Thread t adds points t, t + threads, ... to its part; `first` starts it anew.
template <class F>
__global__ void __launch_bounds__(RUNNING_BLOCK, RUNNING_BLOCKS_PER_SM<F>)
    running_sum_kernel(const affine<F>* points, const uint32_t* indices, uint32_t n,
                       element_planes<xyzz<F>> parts, bool first) {
    const uint32_t t = blockIdx.x * RUNNING_BLOCK + threadIdx.x;
    const uint32_t threads = gridDim.x * RUNNING_BLOCK;
    const point_source<F> source = {points, {}};
    xyzz<F> sum = first ? xyzz<F>::infinity() : parts.load(t);
    CUZK_NO_UNROLL
    for (uint32_t i = t; i < n; i += threads) {
        affine<F> point = source.load(indices ? indices[i] : i);
        // In G2 the formula is too much code for a loop.
        if constexpr (sizeof(F) == 48) {
            sum = add_inlined(sum, point);
        } else {
            sum = add(sum, point);
        }
    }
    parts.store(t, sum);
}

// out[b] = block b's share of the parts.
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    running_end_kernel(element_planes<xyzz<F>> parts, uint32_t n, xyzz<F>* out) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    xyzz<F> sum = xyzz<F>::infinity();
    CUZK_NO_UNROLL
    for (uint32_t i = blockIdx.x * REDUCE_BLOCK + threadIdx.x; i < n; i += gridDim.x * REDUCE_BLOCK)
        sum = add(sum, parts.load(i));
    sum = block_sum(shared, sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class F>
element_planes<xyzz<F>> running_parts(const void* state, int multiprocessors) {
    return {static_cast<uint4*>(const_cast<void*>(state)), running_threads<F>(multiprocessors)};
}

template <class F>
int running_add(cudaStream_t stream, int multiprocessors, void* state, const void* points,
                const uint32_t* indices, uint32_t n, int first) {
    if (n == 0 && !first) return cudaSuccess;
    running_sum_kernel<F>
        <<<running_threads<F>(multiprocessors) / RUNNING_BLOCK, RUNNING_BLOCK, 0, stream>>>(
            static_cast<const affine<F>*>(points), indices, n,
            running_parts<F>(state, multiprocessors), first != 0);
    return cudaGetLastError();
}

template <class F>
int running_end(cudaStream_t stream, int multiprocessors, const void* state, void* parts) {
    running_end_kernel<F><<<CUZK_SUM_PARTS, REDUCE_BLOCK, 0, stream>>>(
        running_parts<F>(state, multiprocessors), running_threads<F>(multiprocessors),
        static_cast<xyzz<F>*>(parts));
    return cudaGetLastError();
}

}  // namespace cuzk
