// SPDX-License-Identifier: MIT OR Apache-2.0
// The pair engine: adds many pairs of affine points, sharing inversions (the arithmetic is pair.h).
//
// A *job* is one round of pairs. It is cut into chunks; a chunk's forward pass leaves prefix
// products and one total a thread, one kernel inverts all totals (an inversion inside each block
// would stall it), and the backward pass adds.
//
// The number of pairs may be known on the device only; a chunk past the end does nothing.
//
// Tried on an H200: doing one chunk's backward pass and the next one's forward pass in one loop, so
// that the memory-bound forward pass hides behind arithmetic, is 4 % slower than one after the
// other: the loop is then too long for the instruction caches.
#pragma once
#include "memory.cuh"
#include "pair.h"
#include "plan.h"

namespace cuzk {

// Threads of a block of the backward pass: 128 registers a thread for G1, 255 for G2, 48 KB of
// shared memory either way.
template <class F>
constexpr int PAIR_BLOCK = sizeof(F) == 48 ? 128 : 64;
constexpr int PAIR_BLOCKS_PER_SM = 4;
constexpr uint32_t PAIR_MAX_WAVES = 8;  // rounds of resident blocks in one launch
constexpr int FORWARD_BLOCK = 128;
constexpr int INVERT_BLOCK = 32;  // one warp: inversions are latency, spread them wide

// Threads that share a chunk of n pairs, `resident` being what the device holds at once. A thread's
// pairs cost one share of an inversion, so many are good; but no thread of the device should idle.
CUZK_HD uint32_t pair_threads(uint32_t n, uint32_t resident) {
    if (n <= 4 * resident) return (n + 3) / 4;
    uint32_t waves = n / (60 * resident);
    return resident * (waves < 1 ? 1 : waves > PAIR_MAX_WAVES ? PAIR_MAX_WAVES : waves);
}

// Where a pair's points are.
struct pair_place {
    uint32_t first, second;
};

// Pairs at a power-of-two distance in up to two segments: element j of a segment meets j + 2^log_d.
struct pair_segment {
    uint32_t log_d;
    uint32_t out;  // sums go from here on
    uint32_t pairs;
};

template <class F>
struct pair_job {
    point_source<F> source;
    point_planes<F> out;      // sums
    point_planes<F> buckets;  // sums whose `out` carries FLAG
    uint32_t resident;

    // Listed pairs: references and destinations, their number on the device in the high half of
    // *count.
    const uint2* refs;
    const uint32_t* dests;
    const uint64_t* count;
    // Or `meet` pairs of equal index in the source's two sets of planes.
    uint32_t meet;
    // Otherwise segments: the first in planes[0], the second in planes[1]; or, with `of_table`, the
    // first is of table points, `list`'s where it is given.
    pair_segment segment[2];
    bool of_table;
    const uint32_t* list;

    CUZK_DEVICE uint32_t pairs() const {
        if (refs) return (uint32_t)(*count >> 32);
        return meet ? meet : segment[0].pairs + segment[1].pairs;
    }
    CUZK_DEVICE pair_place place(uint32_t i) const {
        if (refs) {
            uint2 q = __ldg(refs + i);
            return {q.x, q.y};
        }
        if (meet) return {i | IN_PLANES, i | IN_PLANES | FLAG};
        uint32_t s = i >= segment[0].pairs;
        uint32_t j = s ? i - segment[0].pairs : i;
        uint32_t d = s ? segment[1].log_d : segment[0].log_d;
        uint32_t a = (j >> d) << (d + 1) | (j & ((1u << d) - 1)), b = a + (1u << d);
        if (list) return {__ldg(list + a), __ldg(list + b)};
        uint32_t flags = of_table ? 0 : IN_PLANES | s << 31;
        return {a | flags, b | flags};
    }
    CUZK_DEVICE uint32_t destination(uint32_t i) const {
        if (refs) return __ldg(dests + i);
        if (meet) return i;
        return i >= segment[0].pairs ? segment[1].out + (i - segment[0].pairs) : segment[0].out + i;
    }
};

// One chunk of a job: pairs [first, first + capacity), as far as there are any.
template <class F>
struct pair_chunk {
    pair_job<F> job;
    uint32_t first, capacity;
    element_planes<F> prefix;  // `capacity` elements
    element_planes<F> totals;  // one a thread

    CUZK_DEVICE uint32_t size() const {
        uint32_t all = job.pairs();
        return all <= first ? 0 : min(all - first, capacity);
    }
};

// A thread's own places in shared memory, for what comes next. Two sets of the coordinates that an
// iteration reads until its end.
template <class F>
struct pair_slots {
    enum slot { X1, X2, Y1, SECOND_SET = 3, Y2 = 6, PREFIX, COUNT };
    static constexpr int BLOCK = PAIR_BLOCK<F>, PIECES = pieces<F>;
    uint4 data[COUNT * PIECES * BLOCK];

    CUZK_DEVICE void fetch(int s, const uint4* from, uint64_t stride) {
        CUZK_UNROLL
        for (int j = 0; j < PIECES; j++)
            copy_async(data + (s * PIECES + j) * BLOCK + threadIdx.x, from + j * stride);
    }
    CUZK_DEVICE void write(int s, const F& a) {
        const uint32_t* v = reinterpret_cast<const uint32_t*>(&a);
        CUZK_UNROLL
        for (int j = 0; j < PIECES; j++)
            data[(s * PIECES + j) * BLOCK + threadIdx.x] =
                make_uint4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
    }
    CUZK_DEVICE F read(int s) const {
        F r;
        uint32_t* v = reinterpret_cast<uint32_t*>(&r);
        CUZK_UNROLL
        for (int j = 0; j < PIECES; j++) {
            uint4 q = data[(s * PIECES + j) * BLOCK + threadIdx.x];
            v[4 * j] = q.x;
            v[4 * j + 1] = q.y;
            v[4 * j + 2] = q.z;
            v[4 * j + 3] = q.w;
        }
        return r;
    }
};

// The forward pass. Thread t of T has pairs t, t + T, ...
template <class F>
__global__ void __launch_bounds__(FORWARD_BLOCK, sizeof(F) == 48 ? 7 : 3)
    forward_kernel(const __grid_constant__ pair_chunk<F> chunk) {
    const uint32_t t = blockIdx.x * FORWARD_BLOCK + threadIdx.x, n = chunk.size();
    const uint32_t T = pair_threads(n, chunk.job.resident);
    if (t >= T) return;
    const point_source<F>& source = chunk.job.source;
    F product = F::one();
    pair_place p = chunk.job.place(chunk.first + t);
    CUZK_NO_UNROLL
    for (uint32_t k = t; k < n; k += T) {
        F x1 = load_pieces<F>(source.x(p.first), source.stride(p.first));
        F x2 = load_pieces<F>(source.x(p.second), source.stride(p.second));
        pair_place next = p;
        if (k + T < n) next = chunk.job.place(chunk.first + k + T);
        chunk.prefix.store(k, product);
        F term;
        if (is_plain_chord(x1, x2)) {
            term = sub_lazy(x2, x1);
        } else {
            const affine<F> a = source.load(p.first), b = source.load(p.second);
            term = pair_denominator(classify_pair(a.x, a.y, b.x, b.y), a.x, a.y, b.x);
        }
        product = mul_lazy(term, product);
        p = next;
    }
    chunk.totals.store(t, reduce(product));
}

// A pair that is no plain chord, or may be none: its kind, and its terms for the products into two
// slots. Apart from the loop, which runs faster the shorter it is.
template <class F>
__device__ __noinline__ pair_kind rare_terms(const point_source<F>& source, pair_place p,
                                             pair_slots<F>& shared, int denominator_slot,
                                             int numerator_slot) {
    const affine<F> a = source.load(p.first), b = source.load(p.second);
    pair_kind kind = classify_pair(a.x, a.y, b.x, b.y);
    shared.write(denominator_slot, pair_denominator(kind, a.x, a.y, b.x));
    shared.write(numerator_slot, pair_numerator(kind, a.x, a.y, b.y));
    return kind;
}

// The sum of a pair that is neither chord nor tangent.
template <class F>
__device__ __noinline__ void store_choice(const point_source<F>& source, pair_place p,
                                          pair_kind kind, const point_planes<F>& to, uint32_t out) {
    to.store(out, pair_choice(kind, source.load(p.first), source.load(p.second)));
}

// The backward pass; walks down, so that it meets the prefix products in reverse.
template <class F>
__global__ void __launch_bounds__(PAIR_BLOCK<F>, PAIR_BLOCKS_PER_SM)
    backward_kernel(const __grid_constant__ pair_chunk<F> chunk) {
    using slots = pair_slots<F>;
    __shared__ slots shared;
    const int32_t t = blockIdx.x * PAIR_BLOCK<F> + threadIdx.x, n = chunk.size();
    const int32_t T = pair_threads(n, chunk.job.resident);
    if (t >= T) return;
    const pair_job<F>& job = chunk.job;
    const point_source<F>& source = job.source;

    auto fetch = [&](pair_place p, int32_t i, int set) {
        shared.fetch(set + slots::X1, source.x(p.first), source.stride(p.first));
        shared.fetch(set + slots::X2, source.x(p.second), source.stride(p.second));
        shared.fetch(slots::PREFIX, chunk.prefix.base + i, chunk.prefix.stride);
        shared.fetch(set + slots::Y1, source.y(p.first), source.stride(p.first));
        shared.fetch(slots::Y2, source.y(p.second), source.stride(p.second));
    };
    // Points are fetched half an iteration ahead, and their places read one iteration before that:
    // the compiler waits for a place at the end of the iteration that reads it.
    int32_t i = t + (n - 1 - t) / T * T;
    int set = 0;
    pair_place p = job.place(chunk.first + i), next = p;
    fetch(p, i, set);
    if (i >= T) next = job.place(chunk.first + i - T);
    F inverse = chunk.totals.load(t);
    CUZK_NO_UNROLL
    for (; i >= 0; i -= T) {
        copy_async_wait();
        const uint32_t out = job.destination(chunk.first + i);
        pair_place later = next;
        if (i >= 2 * T) later = job.place(chunk.first + i - 2 * T);
        F slope = mul_lazy(shared.read(slots::PREFIX), inverse), term;
        pair_kind kind = pair_kind::chord;
        bool plain;
        {
            F x1 = shared.read(set + slots::X1), x2 = shared.read(set + slots::X2);
            plain = is_plain_chord(x1, x2);
            if (plain) {
                term = sub_lazy(x2, x1);
            } else {
                kind = rare_terms(source, p, shared, slots::PREFIX, slots::Y2);
                term = shared.read(slots::PREFIX);
            }
        }
        inverse = mul_lazy(term, inverse);
        term = shared.read(slots::Y2);
        if (plain) {
            F y1 = negated_if(source.negative(p.first), shared.read(set + slots::Y1));
            term = sub_lazy(negated_if(source.negative(p.second), term), y1);
        }
        const int other_set = slots::SECOND_SET - set;
        if (i >= T) fetch(next, i - T, other_set);
        slope = mul_lazy(term, slope);
        F y1 = negated_if(source.negative(p.first), shared.read(set + slots::Y1));
        affine<F> sum =
            pair_sum(slope, shared.read(set + slots::X1), y1, shared.read(set + slots::X2));
        const point_planes<F> to = out & FLAG ? job.buckets : job.out;
        // Sums may take the place of what they are made from: one store, the last thing.
        if (kind == pair_kind::chord || kind == pair_kind::tangent) {
            to.store(out & INDEX_MASK, sum);
        } else {
            store_choice(source, p, kind, to, out & INDEX_MASK);
        }
        p = next;
        next = later;
        set = other_set;
    }
}

// Inverts a chunk's totals in place: each thread chains some, inverts once, and walks back.
template <class F>
__global__ void __launch_bounds__(INVERT_BLOCK)
    invert_totals_kernel(const __grid_constant__ pair_chunk<F> chunk, element_planes<F> chain) {
    const uint32_t T = pair_threads(chunk.size(), chunk.job.resident);
    const uint32_t S = gridDim.x * INVERT_BLOCK, s = blockIdx.x * INVERT_BLOCK + threadIdx.x;
    if (s >= T) return;
    // Not through the read-only path: this kernel writes what it reads.
    auto load = [](const element_planes<F>& planes, uint32_t i) {
        F r;
        uint32_t* v = reinterpret_cast<uint32_t*>(&r);
        CUZK_UNROLL
        for (int j = 0; j < pieces<F>; j++) {
            uint4 q = planes.base[j * planes.stride + i];
            v[4 * j] = q.x;
            v[4 * j + 1] = q.y;
            v[4 * j + 2] = q.z;
            v[4 * j + 3] = q.w;
        }
        return r;
    };
    F product = F::one();
    CUZK_NO_UNROLL
    for (uint32_t i = s; i < T; i += S) {
        chain.store(i, product);
        product = product * load(chunk.totals, i);
    }
    product = inverse(product);
    CUZK_NO_UNROLL
    for (int64_t i = s + (int64_t)((T - 1 - s) / S) * S; i >= 0; i -= S) {
        F total = load(chunk.totals, (uint32_t)i);
        chunk.totals.store((uint32_t)i, product * load(chain, (uint32_t)i));
        product = product * total;
    }
}

// Scratch of the pair engine: prefix products of a chunk; the rest for each of its threads.
template <class F>
struct pair_scratch {
    element_planes<F> prefix, totals, chain;
};

// Launches a whole job of at most `most` pairs in chunks of `capacity`.
template <class F>
cudaError_t launch_pairs(cudaStream_t stream, const pair_job<F>& job, uint64_t most,
                         uint32_t capacity, const pair_scratch<F>& scratch) {
    for (uint64_t first = 0; first < most; first += capacity) {
        const uint32_t n = (uint32_t)(most - first < capacity ? most - first : capacity);
        pair_chunk<F> chunk = {job, (uint32_t)first, n, scratch.prefix, scratch.totals};
        const uint32_t threads = pair_threads(n, job.resident);  // grows with its argument
        constexpr uint32_t block = PAIR_BLOCK<F>;
        forward_kernel<F>
            <<<(threads + FORWARD_BLOCK - 1) / FORWARD_BLOCK, FORWARD_BLOCK, 0, stream>>>(chunk);
        uint32_t warps = (threads + 4 * INVERT_BLOCK - 1) / (4 * INVERT_BLOCK);
        const uint32_t full = 2 * job.resident / block;  // two warps for each of an SM's schedulers
        if (warps > full) warps = full;
        invert_totals_kernel<F><<<warps, INVERT_BLOCK, 0, stream>>>(chunk, scratch.chain);
        backward_kernel<F><<<(threads + block - 1) / block, block, 0, stream>>>(chunk);
    }
    return cudaGetLastError();
}

}  // namespace cuzk
