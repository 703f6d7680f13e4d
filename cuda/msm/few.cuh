// SPDX-License-Identifier: MIT OR Apache-2.0
// Multi-scalar multiplication of few points, where rounds of shared inversions would be all
// latency.
//
// One block a window and slice of the points: it lists the slice's digits by bucket, its threads
// add up equal shares of that list in XYZZ coordinates, whatever the buckets' sizes, and the block
// weights its buckets. Slices are joined by one more small kernel, windows on the host.
#pragma once
#include "../curve/xyzz.h"
#include "buckets.cuh"
#include "memory.cuh"
#include "reduce.cuh"

namespace cuzk {

constexpr uint16_t FEW_NEGATIVE = 0x8000;
constexpr uint32_t NO_BUCKET = ~0u;
static_assert(FEW_SLICE <= FEW_NEGATIVE, "a point's number leaves room for its sign");

// A slice's digits, and its points by bucket; bucket b has magnitude b + 1.
struct few_lists {
    uint16_t digits[FEW_SLICE];  // magnitude, FEW_NEGATIVE
    uint16_t points[FEW_SLICE];  // counted in the slice, FEW_NEGATIVE
    uint32_t begin[FEW_BLOCK + 1], next[FEW_BLOCK];

    CUZK_DEVICE uint32_t point(uint32_t k) const { return points[k] & (FEW_NEGATIVE - 1u); }
    CUZK_DEVICE bool negative(uint32_t k) const { return points[k] & FEW_NEGATIVE; }
    CUZK_DEVICE uint32_t bucket(uint32_t k) const {
        return (digits[point(k)] & (FEW_NEGATIVE - 1u)) - 1;
    }
};

// parts[slice * windows + window] = (or, unless `first`, +=) the window's sum over the slice.
// `sums` has room for every block's buckets.
template <class F>
__global__ void __launch_bounds__(FEW_BLOCK)
    few_kernel(const __grid_constant__ msm_plan plan, const __grid_constant__ msm_scalars in,
               const affine<F>* table, xyzz<F>* sums, xyzz<F>* parts, bool first_call) {
    __shared__ union {
        few_lists lists;
        xyzz<F> points[FEW_BLOCK];
    } shared;
    few_lists& lists = shared.lists;
    const msm_windows& windows = plan.windows;
    const uint32_t t = threadIdx.x, window = blockIdx.x, slice = blockIdx.y;
    const uint32_t buckets = windows.run();
    const uint32_t most = (in.n + plan.few - 1) / plan.few;
    const uint32_t from = min(slice * most, in.n), n = min(most, in.n - from);
    sums += (size_t)(slice * windows.windows + window) * buckets;

    for (uint32_t i = t; i <= buckets; i += FEW_BLOCK) lists.begin[i] = 0;
    __syncthreads();
    for (uint32_t i = t; i < n; i += FEW_BLOCK) {
        uint64_t source = in.sources ? in.sources[from + i] : from + i;
        fr a = load_pieces<fr>(reinterpret_cast<const uint4*>(in.values) + 2 * source, 1);
        if (in.montgomery) a = from_montgomery(a);
        scalar s;
        CUZK_UNROLL
        for (int j = 0; j < 8; j++) s.v[j] = a.v[j];
        msm_recoded recoded = msm_recode(windows, s);
        recoded.drop(windows.bits * window);
        msm_digit d = recoded.lowest(windows, window + 1 == windows.windows);
        lists.digits[i] = (uint16_t)(d.magnitude | (d.negative ? FEW_NEGATIVE : 0));
        if (d.magnitude) atomicAdd(&lists.begin[d.magnitude], 1u);
    }
    __syncthreads();
    if (t == 0)
        for (uint32_t b = 0; b < buckets; b++) {
            lists.next[b] = lists.begin[b];
            lists.begin[b + 1] += lists.begin[b];
        }
    __syncthreads();
    for (uint32_t i = t; i < n; i += FEW_BLOCK) {
        uint32_t digit = lists.digits[i], magnitude = digit & (FEW_NEGATIVE - 1u);
        if (magnitude)
            lists.points[atomicAdd(&lists.next[magnitude - 1], 1u)] =
                (uint16_t)(i | (digit & FEW_NEGATIVE));
    }
    __syncthreads();

    // A share of the list: `head` is its first bucket's sum when others follow, `sum` its last
    // one's.
    const uint32_t listed = lists.begin[buckets], share = (listed + FEW_BLOCK - 1) / FEW_BLOCK;
    const uint32_t begin = min(t * share, listed), end = min(begin + share, listed);
    const uint32_t first = begin < end ? lists.bucket(begin) : NO_BUCKET;
    uint32_t last = first;
    xyzz<F> sum = xyzz<F>::infinity(), head = sum;
    if (t < buckets) sums[t] = sum;
    __syncthreads();
    CUZK_NO_UNROLL
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t bucket = lists.bucket(k), i = from + lists.point(k);
        if (bucket != last) {
            if (last == first) {
                head = sum;
            } else {
                sums[last] = sum;
            }
            sum = xyzz<F>::infinity();
            last = bucket;
        }
        uint32_t ref = in.indices ? in.indices[i] : i;
        if (lists.negative(k)) ref |= FLAG;
        sum = add(sum, point_source<F>{table, {}}.load(ref));
    }

    // A bucket over several threads, from thread `start` on: shares of nothing else add what the
    // threads before them have.
    const bool goes_on = first != NO_BUCKET && lists.begin[first] < begin;
    const bool ends = last != NO_BUCKET && lists.begin[last + 1] <= end;
    const uint32_t start = goes_on && first == last ? lists.begin[first] / share : t;
    xyzz<F>* points = shared.points;
    __syncthreads();
    points[t] = sum;
    CUZK_NO_UNROLL
    for (uint32_t distance = 1; distance < FEW_BLOCK; distance *= 2) {
        __syncthreads();
        const bool adds = start + distance <= t;
        xyzz<F> other;
        if (adds) other = points[t - distance];
        if (!__syncthreads_or(adds)) break;
        if (adds) {
            sum = add(sum, other);
            points[t] = sum;
        }
    }
    __syncthreads();
    if (first != last) sums[first] = goes_on ? add(head, points[t - 1]) : head;
    if (ends) sums[last] = sum;
    // Each bucket with all that are heavier, and these sums summed: the weighted sum.
    __syncthreads();
    if (t < buckets) sum = sums[t];
    sum = block_suffix_sum(points, sum, buckets);
    sum = block_sum(points, sum, buckets);
    if (t > 0) return;
    xyzz<F>& part = parts[slice * windows.windows + window];
    part = first_call ? sum : add(part, sum);
}

// sums[window] = the sum of its slices' parts; a block a window.
template <class F>
__global__ void __launch_bounds__(FEW_MAX_SLICES)
    few_join_kernel(const xyzz<F>* parts, uint32_t slices, xyzz<F>* sums) {
    __shared__ xyzz<F> shared[FEW_MAX_SLICES];
    const uint32_t t = threadIdx.x, window = blockIdx.x, windows = gridDim.x;
    xyzz<F> sum = t < slices ? parts[t * windows + window] : xyzz<F>::infinity();
    shared[t] = sum;
    CUZK_NO_UNROLL
    for (uint32_t half = FEW_MAX_SLICES / 2; half > 0; half /= 2) {
        __syncwarp();
        if (t < half) {
            sum = add(sum, shared[t + half]);
            shared[t] = sum;
        }
    }
    if (t == 0) sums[window] = sum;
}

// Scratch: the windows' sums, then the parts, then the buckets.
template <class F>
size_t few_scratch_size(const msm_plan& plan) {
    return sizeof(xyzz<F>) * plan.windows.windows * (1 + plan.few * (1 + plan.windows.run()));
}

template <class F>
cudaError_t few_add(cudaStream_t stream, const msm_plan& plan, void* scratch,
                    const affine<F>* points, const msm_scalars& scalars, bool first_call) {
    xyzz<F>* parts = static_cast<xyzz<F>*>(scratch) + plan.windows.windows;
    xyzz<F>* sums = parts + plan.windows.windows * plan.few;
    dim3 blocks(plan.windows.windows, plan.few);
    few_kernel<F><<<blocks, FEW_BLOCK, 0, stream>>>(plan, scalars, points, sums, parts, first_call);
    return cudaGetLastError();
}

template <class F>
cudaError_t few_finish(cudaStream_t stream, const msm_plan& plan, void* scratch, void* sums_out) {
    const uint32_t windows = plan.windows.windows;
    xyzz<F>* sums = static_cast<xyzz<F>*>(scratch);
    few_join_kernel<F><<<windows, FEW_MAX_SLICES, 0, stream>>>(sums + windows, plan.few, sums);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    return cudaMemcpyAsync(sums_out, sums, windows * sizeof(xyzz<F>), cudaMemcpyDefault, stream);
}

}  // namespace cuzk
