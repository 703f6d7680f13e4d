// SPDX-License-Identifier: MIT OR Apache-2.0
// The zero/one/rest split of an assignment against a query: which points are added as they are,
// which are multiplied, and by which value.
#include "../cub.cuh"
#include "../field/fr.h"
#include "../launch.h"
#include "bitmap.h"

namespace cuzk {
namespace {

constexpr int BLOCK = 256;

__global__ void __launch_bounds__(BLOCK)
    classify_kernel(const fr* assignment, uint32_t n, uint32_t* ones, uint32_t* full) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    fr a = fr::zero();
    if (i < n) {
        const uint4* q = reinterpret_cast<const uint4*>(assignment + i);
        uint4 x = q[0], y = q[1];
        a = {{x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w}};
    }
    bool one = a == fr::one(), rest = !one && !a.is_zero();
    uint32_t one_word = __ballot_sync(~0u, one), full_word = __ballot_sync(~0u, rest);
    if (i < n && threadIdx.x % 32 == 0) {
        ones[i / 32] = one_word;
        full[i / 32] = full_word;
    }
}

// Two counts a word, in the halves of 64 bits. Word `words` closes the scan with zeros.
struct dense_counts {
    split_input in;
    CUZK_HD uint64_t operator()(uint32_t word) const {
        if (word >= in.words()) return 0;
        return (uint64_t)bit_count(in.dense(word)) << 32 | bit_count(in.dense_ones(word));
    }
};
struct full_counts {
    split_input in;
    CUZK_HD uint64_t operator()(uint32_t word) const {
        if (word >= in.words()) return 0;
        return (uint64_t)bit_count(in.all_full(word)) << 32 | bit_count(in.dense_full(word));
    }
};

template <class Counts>
cudaError_t scan(void* temporary, size_t& size, const split_input& in, uint64_t* out,
                 cudaStream_t stream) {
    thrust::transform_iterator<Counts, thrust::counting_iterator<uint32_t>> counts(
        thrust::counting_iterator<uint32_t>(0), Counts{in});
    return cub::DeviceScan::ExclusiveSum(temporary, size, counts, out, (int64_t)in.words() + 1,
                                         stream);
}

// A warp takes 32 words and goes through them, a lane a bit, so that its writes are neighbours.
__global__ void __launch_bounds__(BLOCK)
    split_kernel(const __grid_constant__ split_input in, const uint64_t* before_dense,
                 const uint64_t* before_full, uint32_t first_point, bool compact,
                 uint32_t* one_points, uint32_t* rest_points, uint32_t* rest_values,
                 uint32_t* counts) {
    const uint32_t word = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t words = in.words();
    if (word == 0) {
        counts[0] = (uint32_t)before_dense[words];
        counts[1] = (uint32_t)before_full[words];
    }
    if (!one_points) return;
    uint32_t dense = 0, ones = 0, full = 0, all_full = 0;
    uint64_t dense_before = 0, full_before = 0;
    if (word < words) {
        dense = in.dense(word);
        ones = in.dense_ones(word);
        full = in.dense_full(word);
        all_full = in.all_full(word);
        dense_before = before_dense[word];
        full_before = before_full[word];
    }
    const uint32_t below = (1u << lane) - 1;
    for (uint32_t k = 0; k < 32; k++) {
        uint32_t o = __shfl_sync(~0u, ones, k), f = __shfl_sync(~0u, full, k);
        if ((o | f) == 0) continue;
        uint32_t d = __shfl_sync(~0u, dense, k), a = __shfl_sync(~0u, all_full, k);
        uint64_t db = __shfl_sync(~0u, dense_before, k), fb = __shfl_sync(~0u, full_before, k);
        uint32_t point = first_point + (uint32_t)(db >> 32) + __popc(d & below);
        if (o >> lane & 1) one_points[(uint32_t)db + __popc(o & below)] = point;
        if (f >> lane & 1) {
            uint32_t at = (uint32_t)fb + __popc(f & below);
            rest_points[at] = point;
            rest_values[at] =
                compact ? (uint32_t)(fb >> 32) + __popc(a & below) : 32 * (word - lane + k) + lane;
        }
    }
}

struct split_scratch {
    uint64_t *before_dense, *before_full;
    void* temporary;
    size_t temporary_size, size;

    split_scratch(uint32_t n, void* base) {
        split_input in = {nullptr, nullptr, nullptr, n};
        size_t other = 0;
        temporary_size = 0;
        scan<dense_counts>(nullptr, temporary_size, in, nullptr, 0);
        scan<full_counts>(nullptr, other, in, nullptr, 0);
        if (other > temporary_size) temporary_size = other;
        size_t sums = (((size_t)in.words() + 1) * sizeof(uint64_t) + 255) & ~(size_t)255;
        char* p = static_cast<char*>(base);
        before_dense = reinterpret_cast<uint64_t*>(p);
        before_full = reinterpret_cast<uint64_t*>(p + sums);
        temporary = p + 2 * sums;
        size = 2 * sums + temporary_size;
    }
};

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" int cuzk_launch_classify(cuzk_stream stream, const void* assignment, uint32_t n,
                                    uint32_t* ones, uint32_t* full) {
    if (n == 0) return cudaSuccess;
    classify_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(
        static_cast<const fr*>(assignment), n, ones, full);
    return cudaGetLastError();
}

extern "C" size_t cuzk_split_scratch_size(uint32_t n) { return split_scratch(n, nullptr).size; }

extern "C" int cuzk_launch_split(cuzk_stream stream, void* scratch, uint32_t n,
                                 const uint32_t* ones, const uint32_t* full,
                                 const uint32_t* density, uint32_t first_point, int compact,
                                 uint32_t* one_points, uint32_t* rest_points, uint32_t* rest_values,
                                 uint32_t* counts) {
    split_scratch s(n, scratch);
    split_input in = {ones, full, density, n};
    size_t size = s.temporary_size;
    cudaError_t status = scan<dense_counts>(s.temporary, size, in, s.before_dense, stream);
    if (status != cudaSuccess) return status;
    status = scan<full_counts>(s.temporary, size, in, s.before_full, stream);
    if (status != cudaSuccess) return status;
    uint32_t blocks = one_points ? in.words() / BLOCK + 1 : 1;
    split_kernel<<<blocks, BLOCK, 0, stream>>>(in, s.before_dense, s.before_full, first_point,
                                               compact != 0, one_points, rest_points, rest_values,
                                               counts);
    return cudaGetLastError();
}
