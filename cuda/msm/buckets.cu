// SPDX-License-Identifier: MIT OR Apache-2.0
// Digits sorted by bucket. The sort and the scan are CUB's.
#include "../cub.cuh"
#include "buckets.cuh"
#include "memory.cuh"

namespace cuzk {
namespace {

constexpr int BLOCK = 256;

unsigned blocks_for(uint64_t n) { return (unsigned)((n + BLOCK - 1) / BLOCK); }

__global__ void __launch_bounds__(BLOCK)
    digits_kernel(const __grid_constant__ msm_plan plan, const __grid_constant__ msm_scalars in,
                  uint32_t first_group, uint32_t groups, uint32_t* keys, uint32_t* values) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= in.n) return;
    uint64_t source = in.sources ? in.sources[i] : i;
    fr a = load_pieces<fr>(reinterpret_cast<const uint4*>(in.values) + 2 * source, 1);
    if (in.montgomery) a = from_montgomery(a);
    scalar s;
    CUZK_UNROLL
    for (int j = 0; j < 8; j++) s.v[j] = a.v[j];
    const msm_windows& windows = plan.windows;
    msm_recoded recoded = msm_recode(windows, s);
    uint32_t point = in.indices ? in.indices[i] : i;
    uint64_t at = i;
    recoded.drop(windows.bits * plan.group * first_group);
    CUZK_NO_UNROLL
    for (uint32_t g = first_group; g < first_group + groups; g++) {
        const uint32_t first = g * plan.group, count = plan.group_size(g);
        const uint32_t none = windows.used_buckets(first, count);
        CUZK_NO_UNROLL
        for (uint32_t w = 0; w < count; w++, at += in.n, recoded.drop(windows.bits)) {
            msm_digit d = recoded.lowest(windows, first + w + 1 == windows.windows);
            keys[at] = d.magnitude ? w * windows.run() + d.magnitude - 1 : none;
            values[at] = d.negative ? point | FLAG : point;
        }
    }
}

// A bucket begins where its key differs from the one before. Empty buckets keep begin = end = 0.
// Each thread looks at four keys.
__global__ void __launch_bounds__(BLOCK)
    bounds_kernel(const uint32_t* keys, uint64_t n, uint32_t buckets, uint32_t* begin,
                  uint32_t* end) {
    uint64_t i = 4 * ((uint64_t)blockIdx.x * BLOCK + threadIdx.x);
    if (i >= n) return;
    uint32_t before = i == 0 ? ~0u : keys[i - 1], key[5];
    CUZK_UNROLL
    for (int j = 0; j < 5; j++) key[j] = i + j < n ? keys[i + j] : ~0u;
    CUZK_UNROLL
    for (int j = 0; j < 4; j++) {
        if (key[j] >= buckets) return;
        if (key[j] != before) begin[key[j]] = (uint32_t)i + j;
        if (key[j] != key[j + 1]) end[key[j]] = (uint32_t)i + j + 1;
        before = key[j];
    }
}

__global__ void __launch_bounds__(BLOCK)
    find_hot_kernel(const uint32_t* begin, const uint32_t* end, uint32_t buckets, uint32_t round,
                    uint32_t* found, uint32_t* list) {
    uint32_t k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < buckets && bucket_elements(end[k] - begin[k], round) > 0) list[atomicAdd(found, 1)] = k;
}

struct round_counts {
    const uint32_t *begin, *end;
    uint32_t buckets, round;

    CUZK_HD uint64_t operator()(uint32_t k) const {
        if (k >= buckets) return 0;
        uint32_t count = end[k] - begin[k];
        uint64_t pairs = bucket_elements(count, round - 1) / 2;
        return pairs << 32 | bucket_elements(count, round);
    }
};

using counts_iterator =
    thrust::transform_iterator<round_counts, thrust::counting_iterator<uint32_t>>;

int key_bits(uint32_t largest) {
    int bits = 1;
    while (bits < 32 && largest >> bits) bits++;
    return bits;
}

// Sorts from [0]; CUB says which of its two buffers the result is in, and that becomes [1].
cudaError_t sort(void* temporary, size_t& size, msm_sorted& sorted, uint64_t n, int bits,
                 cudaStream_t stream) {
    cub::DoubleBuffer<uint32_t> keys(sorted.keys[0], sorted.keys[1]);
    cub::DoubleBuffer<uint32_t> values(sorted.values[0], sorted.values[1]);
    cudaError_t status =
        cub::DeviceRadixSort::SortPairs(temporary, size, keys, values, n, 0, bits, stream);
    sorted.keys[0] = keys.Alternate();
    sorted.keys[1] = keys.Current();
    sorted.values[0] = values.Alternate();
    sorted.values[1] = values.Current();
    return status;
}

}  // namespace

size_t msm_temporary_size(const msm_plan& plan) {
    size_t sort_size = 0, scan_size = 0;
    uint32_t buckets = (uint32_t)plan.group_buckets();
    msm_sorted nothing = {};
    sort(nullptr, sort_size, nothing, plan.group_digits(), key_bits(buckets), 0);
    counts_iterator counts(thrust::counting_iterator<uint32_t>(0), round_counts{});
    cub::DeviceScan::ExclusiveSum(nullptr, scan_size, counts, (uint64_t*)nullptr,
                                  (int64_t)buckets + 1);
    return sort_size > scan_size ? sort_size : scan_size;
}

cudaError_t launch_digits(cudaStream_t stream, const msm_plan& plan, const msm_scalars& scalars,
                          uint32_t first_group, uint32_t groups, uint32_t* keys, uint32_t* values) {
    digits_kernel<<<blocks_for(scalars.n), BLOCK, 0, stream>>>(plan, scalars, first_group, groups,
                                                               keys, values);
    return cudaGetLastError();
}

cudaError_t launch_sort(cudaStream_t stream, const msm_plan& plan, uint32_t group, uint32_t n,
                        msm_sorted& sorted) {
    const uint32_t count = plan.group_size(group);
    const uint64_t digits = (uint64_t)count * n;
    const uint32_t buckets = plan.windows.used_buckets(group * plan.group, count);
    size_t size = sorted.temporary_size;
    cudaError_t status = sort(sorted.temporary, size, sorted, digits, key_bits(buckets), stream);
    if (status != cudaSuccess) return status;
    status = cudaMemsetAsync(sorted.begin, 0, buckets * sizeof(uint32_t), stream);
    if (status != cudaSuccess) return status;
    status = cudaMemsetAsync(sorted.end, 0, buckets * sizeof(uint32_t), stream);
    if (status != cudaSuccess) return status;
    bounds_kernel<<<blocks_for((digits + 3) / 4), BLOCK, 0, stream>>>(
        sorted.keys[1], digits, buckets, sorted.begin, sorted.end);
    return cudaGetLastError();
}

cudaError_t launch_round_offsets(cudaStream_t stream, const msm_sorted& sorted, uint32_t buckets,
                                 uint32_t round, uint64_t* offsets) {
    counts_iterator counts(thrust::counting_iterator<uint32_t>(0),
                           round_counts{sorted.begin, sorted.end, buckets, round});
    size_t size = sorted.temporary_size;
    return cub::DeviceScan::ExclusiveSum(sorted.temporary, size, counts, offsets,
                                         (int64_t)buckets + 1, stream);
}

cudaError_t launch_find_hot_buckets(cudaStream_t stream, const msm_sorted& sorted, uint32_t buckets,
                                    uint32_t round, uint32_t* found, uint32_t* list) {
    cudaError_t status = cudaMemsetAsync(found, 0, sizeof(uint32_t), stream);
    if (status != cudaSuccess) return status;
    find_hot_kernel<<<blocks_for(buckets), BLOCK, 0, stream>>>(sorted.begin, sorted.end, buckets,
                                                               round, found, list);
    return cudaGetLastError();
}

}  // namespace cuzk
