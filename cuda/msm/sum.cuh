// SPDX-License-Identifier: MIT OR Apache-2.0
// The plain sum of chosen points of a table, by the pair engine: what an assignment's ones need.
#pragma once
#include "pairs.cuh"
#include "reduce.cuh"

namespace cuzk {

constexpr uint32_t SUM_PARTS = 16;            // partial sums handed to the host
constexpr uint32_t SUM_ROUNDS_TO = 1u << 14;  // points left for sum_parts_kernel

template <class F>
struct sum_scratch {
    point_planes<F> elements[2];
    pair_scratch<F> pairs;
    uint32_t chunk;
    size_t size;

    sum_scratch(uint64_t n, uint32_t resident, void* base) {
        size = 0;
        uint64_t half = n / 2 + 1;
        chunk = (uint32_t)(half < PAIR_CHUNK ? half : PAIR_CHUNK);
        take(base, elements[0].base, half * pieces<affine<F>>);
        elements[0].stride = half;
        take(base, elements[1].base, (half / 2 + 1) * pieces<affine<F>>);
        elements[1].stride = half / 2 + 1;
        uint32_t threads = pair_threads(chunk, resident);
        take(base, pairs.prefix.base, (uint64_t)chunk * pieces<F>);
        pairs.prefix.stride = chunk;
        take(base, pairs.totals.base, (uint64_t)threads * pieces<F>);
        pairs.totals.stride = threads;
        take(base, pairs.chain.base, (uint64_t)threads * pieces<F>);
        pairs.chain.stride = threads;
    }

  private:
    void take(void* base, uint4*& pointer, uint64_t n) {
        pointer = reinterpret_cast<uint4*>(static_cast<char*>(base) + size);
        size += (n * sizeof(uint4) + 255) & ~(size_t)255;
    }
};

// The last of an odd number of elements moves on by itself.
template <class F>
__global__ void move_last_kernel(point_source<F> source, const uint32_t* list, uint32_t last,
                                 point_planes<F> out, uint32_t to) {
    uint32_t ref = source.table == nullptr ? last | IN_PLANES : list ? list[last] : last;
    out.store(to, source.load(ref));
}

// One round: n elements, of the table or of planes[0], as pairs of neighbours, into out.
template <class F>
cudaError_t launch_sum_round(cudaStream_t stream, uint32_t resident, const point_source<F>& source,
                             const uint32_t* list, uint32_t n, point_planes<F> out,
                             const sum_scratch<F>& s) {
    pair_job<F> job = {};
    job.source = source;
    job.of_table = source.table != nullptr;
    job.out = out;
    job.resident = resident;
    job.segment[0] = {0, 0, n / 2};
    job.list = list;
    if (n % 2) move_last_kernel<F><<<1, 1, 0, stream>>>(source, list, n - 1, out, n / 2);
    return launch_pairs(stream, job, n / 2, s.chunk, s.pairs);
}

// parts[0 ... SUM_PARTS) add up to the sum of points[indices[i]], or of points[i] without indices.
template <class F>
cudaError_t launch_sum(cudaStream_t stream, uint32_t resident, void* scratch_memory,
                       const affine<F>* points, const uint32_t* indices, uint32_t n,
                       xyzz<F>* parts) {
    sum_scratch<F> s(n, resident, scratch_memory);
    int now = 0;
    bool gather = true;
    for (; n > SUM_ROUNDS_TO; gather = false) {
        point_planes<F> in = s.elements[!now], out = s.elements[now];
        point_source<F> source = {gather ? points : nullptr, {in, in}};
        cudaError_t status =
            launch_sum_round(stream, resident, source, gather ? indices : nullptr, n, out, s);
        if (status != cudaSuccess) return status;
        n = (n + 1) / 2;
        now = !now;
    }
    point_planes<F> rest = s.elements[!now];
    point_source<F> source = {gather ? points : nullptr, {rest, rest}};
    sum_parts_kernel<F>
        <<<SUM_PARTS, REDUCE_BLOCK, 0, stream>>>(source, gather ? indices : nullptr, n, parts);
    return cudaGetLastError();
}

}  // namespace cuzk
