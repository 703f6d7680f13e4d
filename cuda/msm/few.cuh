// SPDX-License-Identifier: MIT OR Apache-2.0
// Multi-scalar multiplication of few points, where rounds of shared inversions would be all latency.
//
// One block a window and slice of the points: it lists the slice's digits by bucket, its threads add
// points up in XYZZ coordinates, several threads a bucket, and the block weights its buckets. Slices
// are joined by one more small kernel, windows on the host.
#pragma once
#include "../curve/xyzz.h"
#include "buckets.cuh"
#include "memory.cuh"

namespace cuzk {

// A slice's digits, and its points by bucket; bucket b has magnitude b + 1.
struct few_lists {
    uint16_t digits[FEW_SLICE];  // magnitude, FEW_NEGATIVE
    uint16_t points[FEW_SLICE];  // counted in the slice, FEW_NEGATIVE
    uint32_t begin[FEW_BLOCK + 1], next[FEW_BLOCK];
};
constexpr uint16_t FEW_NEGATIVE = 0x8000;

// parts[slice * windows + window] = (or, unless `first`, +=) the window's sum over the slice.
template <class F>
__global__ void __launch_bounds__(FEW_BLOCK)
    few_kernel(const __grid_constant__ msm_plan plan, const __grid_constant__ msm_scalars in,
               const affine<F>* table, xyzz<F>* parts, bool first) {
    __shared__ union {
        few_lists lists;
        xyzz<F> points[FEW_BLOCK];
    } shared;
    few_lists& lists = shared.lists;
    const msm_windows& windows = plan.windows;
    const uint32_t t = threadIdx.x, window = blockIdx.x, slice = blockIdx.y;
    const uint32_t buckets = windows.run(), lanes = FEW_BLOCK / buckets;
    const uint32_t most = (in.n + plan.few - 1) / plan.few;
    const uint32_t from = min(slice * most, in.n), n = min(most, in.n - from);

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

    const uint32_t bucket = t / lanes, lane = t % lanes, end = lists.begin[bucket + 1];
    xyzz<F> sum = xyzz<F>::infinity();
    CUZK_NO_UNROLL
    for (uint32_t k = lists.begin[bucket] + lane; k < end; k += lanes) {
        uint32_t point = lists.points[k], i = from + (point & (FEW_NEGATIVE - 1u));
        uint32_t ref = in.indices ? in.indices[i] : i;
        if (point & FEW_NEGATIVE) ref |= FLAG;
        sum = add(sum, point_source<F>{table, {}}.load(ref));
    }

    // Lanes of a bucket.
    xyzz<F>* points = shared.points;
    __syncthreads();
    points[t] = sum;
    CUZK_NO_UNROLL
    for (uint32_t half = lanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            sum = add(sum, points[t + half]);
            points[t] = sum;
        }
    }
    // Each bucket with all that are heavier, and these sums summed: the weighted sum.
    __syncthreads();
    if (t < buckets) sum = points[t * lanes];
    __syncthreads();
    if (t < buckets) points[t] = sum;
    CUZK_NO_UNROLL
    for (uint32_t distance = 1; distance < buckets; distance *= 2) {
        __syncthreads();
        const bool adds = t + distance < buckets;
        xyzz<F> other;
        if (adds) other = points[t + distance];
        __syncthreads();
        if (adds) {
            sum = add(sum, other);
            points[t] = sum;
        }
    }
    CUZK_NO_UNROLL
    for (uint32_t half = buckets / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum = add(sum, points[t + half]);
            points[t] = sum;
        }
    }
    if (t > 0) return;
    xyzz<F>& part = parts[slice * windows.windows + window];
    part = first ? sum : add(part, sum);
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

// Scratch: the windows' sums, then the parts.
template <class F>
size_t few_scratch_size(const msm_plan& plan) {
    return sizeof(xyzz<F>) * plan.windows.windows * (1 + plan.few);
}

template <class F>
cudaError_t few_add(cudaStream_t stream, const msm_plan& plan, void* scratch,
                    const affine<F>* points, const msm_scalars& scalars, bool first_call) {
    xyzz<F>* parts = static_cast<xyzz<F>*>(scratch) + plan.windows.windows;
    dim3 blocks(plan.windows.windows, plan.few);
    few_kernel<F><<<blocks, FEW_BLOCK, 0, stream>>>(plan, scalars, points, parts, first_call);
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
