// SPDX-License-Identifier: MIT OR Apache-2.0
// The pair engine: adds many pairs of affine points, sharing inversions (the arithmetic is pair.h).
//
// A *job* is one round of pairs. It is cut into chunks; a chunk's forward pass leaves prefix products
// and one total a thread, one kernel inverts all totals (an inversion inside each block would stall
// it), and the backward pass adds. The pair kernel does the backward pass of one chunk and the forward
// pass of the next in one loop: the forward pass waits for memory and hides behind the arithmetic.
// What the next iteration reads is copied to shared memory during this one.
//
// The number of pairs may be known on the device only; a chunk past the end does nothing.
#pragma once
#include "memory.cuh"
#include "pair.h"

namespace cuzk {

// Threads of a block: 128 registers a thread for G1, 255 for G2, 48 KB of shared memory either way.
template <class F>
constexpr int PAIR_BLOCK = sizeof(F) == 48 ? 128 : 64;
constexpr int PAIR_BLOCKS_PER_SM = 4;
constexpr uint32_t PAIR_MAX_WAVES = 8;   // rounds of resident blocks in one launch
constexpr int INVERT_BLOCK = 32;         // one warp: inversions are latency, spread them wide

// Threads that share a chunk of n pairs, `resident` being what the device holds at once. A thread's
// pairs cost one share of an inversion, so many are good; but no thread of the device should idle.
CUZK_HD uint32_t pair_threads(uint32_t n, uint32_t resident) {
    if (n <= 4 * resident) return (n + 3) / 4;
    uint32_t waves = n / (40 * resident);
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

    // Listed pairs: references and destinations, their number on the device in the high half of *count.
    const uint2* refs;
    const uint32_t* dests;
    const uint64_t* count;
    // Or `meet` pairs of equal index in the source's two sets of planes.
    uint32_t meet;
    // Otherwise segments: the first in planes[0], the second in planes[1]; or, with `of_table`, the first
    // is of table points, `list`'s where it is given.
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

// A thread's own places in shared memory, for what comes next.
template <class F>
struct pair_slots {
    enum slot { X1, X2, Y1, Y2, PREFIX, AHEAD_X1, AHEAD_X2, PRODUCT, COUNT };
    static constexpr int BLOCK = PAIR_BLOCK<F>, PIECES = pieces<F>;
    uint4 data[COUNT * PIECES * BLOCK];

    CUZK_DEVICE void fetch(slot s, const uint4* from, uint64_t stride) {
        CUZK_UNROLL
        for (int j = 0; j < PIECES; j++)
            copy_async(data + (s * PIECES + j) * BLOCK + threadIdx.x, from + j * stride);
    }
    CUZK_DEVICE void write(slot s, const F& a) {
        const uint32_t* v = reinterpret_cast<const uint32_t*>(&a);
        CUZK_UNROLL
        for (int j = 0; j < PIECES; j++)
            data[(s * PIECES + j) * BLOCK + threadIdx.x] =
                make_uint4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
    }
    CUZK_DEVICE F read(slot s) const {
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

// `back`'s backward pass and `ahead`'s forward pass. Thread t of T has pairs t, t + T, ...
template <class F>
__global__ void __launch_bounds__(PAIR_BLOCK<F>, PAIR_BLOCKS_PER_SM)
    pair_kernel(const __grid_constant__ pair_chunk<F> back,
                const __grid_constant__ pair_chunk<F> ahead) {
    using slots = pair_slots<F>;
    __shared__ slots shared;
    const int32_t t = blockIdx.x * PAIR_BLOCK<F> + threadIdx.x;
    const int32_t n_back = back.capacity ? back.size() : 0;
    const int32_t n_ahead = ahead.capacity ? ahead.size() : 0;
    const int32_t T_back = pair_threads(n_back, back.job.resident);
    const int32_t T_ahead = pair_threads(n_ahead, ahead.job.resident);
    if (t >= T_back && t >= T_ahead) return;

    auto fetch_back = [&](pair_place p, int32_t i) {
        const point_source<F>& source = back.job.source;
        uint64_t stride = source.stride(p.first);  // the two points' strides differ only when they `meet`
        uint64_t stride2 = source.stride(p.second);
        shared.fetch(slots::X1, source.x(p.first), stride);
        shared.fetch(slots::X2, source.x(p.second), stride2);
        shared.fetch(slots::PREFIX, back.prefix.base + i, back.prefix.stride);
        shared.fetch(slots::Y1, source.y(p.first), stride);
        shared.fetch(slots::Y2, source.y(p.second), stride2);
    };
    auto fetch_ahead = [&](pair_place p) {
        const point_source<F>& source = ahead.job.source;
        shared.fetch(slots::AHEAD_X1, source.x(p.first), source.stride(p.first));
        shared.fetch(slots::AHEAD_X2, source.x(p.second), source.stride(p.second));
    };

    // The backward pass walks down, so that it meets the prefix products in reverse. A place is read
    // one iteration before its points are fetched, and those one before they are used.
    int32_t i = t < T_back ? t + (n_back - 1 - t) / T_back * T_back : -1;
    int32_t k = t < T_ahead ? t : n_ahead;
    pair_place p = {}, p_next = {}, q = {}, q_next = {};
    F inverse = F::one();
    shared.write(slots::PRODUCT, F::one());  // the running product: registers are short
    if (i >= 0) {
        inverse = back.totals.load(t);
        p = back.job.place(back.first + i);
        fetch_back(p, i);
        if (i >= T_back) p_next = back.job.place(back.first + i - T_back);
    }
    if (k < n_ahead) {
        q = ahead.job.place(ahead.first + k);
        fetch_ahead(q);
        if (k < n_ahead - T_ahead) q_next = ahead.job.place(ahead.first + k + T_ahead);
    }
    CUZK_NO_UNROLL
    while (i >= 0 || k < n_ahead) {
        copy_async_wait();
        if (k < n_ahead) {
            const point_source<F>& source = ahead.job.source;
            F x1 = shared.read(slots::AHEAD_X1), x2 = shared.read(slots::AHEAD_X2), term;
            const int32_t at = k;
            k += T_ahead;
            if (is_plain_chord(x1, x2)) {
                term = sub_lazy(x2, x1);
            } else {
                const affine<F> a = source.load(q.first), b = source.load(q.second);
                term = pair_denominator(classify_pair(x1, a.y, x2, b.y), x1, a.y, x2);
            }
            if (k < n_ahead) {
                q = q_next;
                fetch_ahead(q);
                if (k < n_ahead - T_ahead) q_next = ahead.job.place(ahead.first + k + T_ahead);
            }
            F product = shared.read(slots::PRODUCT);
            ahead.prefix.store(at, product);
            shared.write(slots::PRODUCT, mul_lazy(term, product));
        }
        if (i >= 0) {
            const point_source<F>& source = back.job.source;
            uint32_t out = back.job.destination(back.first + i);
            F x1 = shared.read(slots::X1), x2 = shared.read(slots::X2), term;
            const bool plain = is_plain_chord(x1, x2);
            pair_kind kind = pair_kind::chord;
            F slope = mul_lazy(shared.read(slots::PREFIX), inverse);
            if (plain) {
                term = sub_lazy(x2, x1);
            } else {
                const affine<F> a = source.load(p.first), b = source.load(p.second);
                kind = classify_pair(x1, a.y, x2, b.y);
                term = pair_denominator(kind, x1, a.y, x2);
            }
            inverse = mul_lazy(term, inverse);
            F y1 = shared.read(slots::Y1), y2 = shared.read(slots::Y2);
            if (source.negative(p.first)) y1 = neg(y1);
            if (source.negative(p.second)) y2 = neg(y2);
            const point_planes<F> to = out & FLAG ? back.job.buckets : back.job.out;
            if (plain) {
                term = sub_lazy(y2, y1);
            } else {
                term = pair_numerator(kind, x1, y1, y2);
                if (kind != pair_kind::chord && kind != pair_kind::tangent)
                    to.store(out & INDEX_MASK, pair_choice(kind, affine<F>{x1, y1}, affine<F>{x2, y2}));
            }
            i -= T_back;
            if (i >= 0) {
                p = p_next;
                fetch_back(p, i);
                if (i >= T_back) p_next = back.job.place(back.first + i - T_back);
            }
            slope = mul_lazy(term, slope);
            affine<F> sum = pair_sum(slope, x1, y1, x2);
            if (kind == pair_kind::chord || kind == pair_kind::tangent)
                to.store(out & INDEX_MASK, sum);
        }
    }
    if (t < T_ahead) ahead.totals.store(t, reduce(shared.read(slots::PRODUCT)));
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

// Scratch of the pair engine.
template <class F>
struct pair_scratch {
    element_planes<F> prefix[2], totals[2], chain;
};

// Launches a whole job of at most `most` pairs in chunks of `capacity`.
template <class F>
cudaError_t launch_pairs(cudaStream_t stream, const pair_job<F>& job, uint64_t most,
                         uint32_t capacity, const pair_scratch<F>& scratch) {
    pair_chunk<F> none = {};
    none.job = job;
    pair_chunk<F> back = none;
    uint32_t chunks = (uint32_t)((most + capacity - 1) / capacity);
    for (uint32_t c = 0; c <= chunks && chunks > 0; c++) {
        pair_chunk<F> ahead = none;
        if (c < chunks) {
            uint64_t left = most - (uint64_t)c * capacity;
            ahead.first = c * capacity;
            ahead.capacity = (uint32_t)(left < capacity ? left : capacity);
            ahead.prefix = scratch.prefix[c & 1];
            ahead.totals = scratch.totals[c & 1];
        }
        uint32_t widest = ahead.capacity > back.capacity ? ahead.capacity : back.capacity;
        uint32_t threads = pair_threads(widest, job.resident);  // grows with its argument
        constexpr uint32_t block = PAIR_BLOCK<F>;
        pair_kernel<F><<<(threads + block - 1) / block, block, 0, stream>>>(back, ahead);
        if (ahead.capacity) {
            uint32_t most_totals = pair_threads(ahead.capacity, job.resident);
            uint32_t warps = (most_totals + 4 * INVERT_BLOCK - 1) / (4 * INVERT_BLOCK);
            uint32_t full = 2 * job.resident / PAIR_BLOCK<F>;  // two warps for each of an SM's schedulers
            invert_totals_kernel<F>
                <<<warps < full ? warps : full, INVERT_BLOCK, 0, stream>>>(ahead, scratch.chain);
        }
        back = ahead;
    }
    return cudaGetLastError();
}

}  // namespace cuzk
