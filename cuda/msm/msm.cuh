// SPDX-License-Identifier: MIT OR Apache-2.0
// Multi-scalar multiplication by sorted buckets and the pair engine, over F = fp (G1) or fp2 (G2).
//
// For each group of windows: digits are sorted by bucket (buckets.cu); then rounds of pairs halve
// every bucket, the first one gathering from the table of points, until each holds one sum. A
// bucket that is finished leaves the rounds for its place in the array of bucket sums; what is left
// after the planned rounds (a few hot buckets) is summed one block a bucket.
//
// At the end each run of 2^(c-1) buckets is seen as rows and columns: the same engine, or threads
// on their own when there are few, sums both, at two additions a bucket, and a last kernel weights
// the sums. The host joins windows (combine.h).
#pragma once
#include "buckets.cuh"
#include "pairs.cuh"
#include "reduce.cuh"

namespace cuzk {

constexpr int PLACE_BLOCK = 256;

// A round of bucket pairs. Its elements are listed by bucket: each one's bucket and a reference to
// its point, in the table or in the arena of sums that earlier rounds made.
template <class F>
struct bucket_round {
    uint32_t round;               // 1, 2, ...
    const uint32_t *begin, *end;  // of buckets, in sorted digits
    const uint64_t* before;       // offsets of the round before; null in round 1
    const uint64_t* offsets;      // of this round
    uint32_t buckets;
    uint64_t digits;  // elements of round 1: all sorted digits, zero digits last
    const uint32_t *keys, *elements;
    uint32_t *out_keys, *out_elements;  // what is left for the next round
    uint2* refs;                        // the pairs, and where their sums go
    uint32_t* dests;
    uint32_t* arena_used;  // [round - 1]: sums of earlier rounds; [round] is written
    const affine<F>* table;
    point_planes<F> sums;  // of finished buckets
};

// One thread an element: the second of two writes down their pair, one that is left over stays
// where it is and is listed again.
template <class F>
__global__ void __launch_bounds__(PLACE_BLOCK)
    place_pairs_kernel(const __grid_constant__ bucket_round<F> r) {
    const bool first_round = r.round == 1;
    const uint64_t n = first_round ? r.digits : (uint32_t)r.before[r.buckets];
    const uint32_t arena = r.arena_used[r.round - 1];
    if (blockIdx.x == 0 && threadIdx.x == 0)
        r.arena_used[r.round] = arena + (uint32_t)(r.offsets[r.buckets] >> 32);
    for (uint64_t i = (uint64_t)blockIdx.x * PLACE_BLOCK + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * PLACE_BLOCK) {
        uint32_t key = r.keys[i];
        if (key >= r.buckets) return;
        uint32_t element = r.elements[i];
        uint32_t begin = r.begin[key];
        uint32_t count = bucket_elements(r.end[key] - begin, r.round - 1);
        uint64_t offset = r.offsets[key];
        if (!first_round) begin = (uint32_t)r.before[key];
        uint32_t at = (uint32_t)i - begin;
        if (at & 1) {
            uint32_t pair = (uint32_t)(offset >> 32) + at / 2;
            r.refs[pair] = make_uint2(r.elements[i - 1], element);
            element = (arena + pair) | IN_PLANES;
            r.dests[pair] = count <= 2 ? key | FLAG : arena + pair;
        } else if (at + 1 < count) {
            continue;  // the first of a pair
        } else if (count == 1) {
            r.sums.store(key, point_source<F>{r.table, {}}.load(element));
        }
        if (count > 2) {
            uint32_t out = (uint32_t)offset + at / 2;
            r.out_keys[out] = key;
            r.out_elements[out] = element;
        }
    }
}

// Sums a hot bucket's remaining elements, one block a bucket.
template <class F>
__global__ void __launch_bounds__(REDUCE_BLOCK)
    sum_hot_buckets_kernel(const uint32_t* begin, const uint32_t* end, const uint64_t* offsets,
                           uint32_t round, const uint32_t* found, const uint32_t* list,
                           const uint32_t* elements, point_source<F> source, point_planes<F> sums) {
    __shared__ xyzz<F> shared[REDUCE_BLOCK];
    for (uint32_t h = blockIdx.x; h < *found; h += gridDim.x) {
        uint32_t key = list[h];
        uint32_t first = (uint32_t)offsets[key], n = bucket_elements(end[key] - begin[key], round);
        xyzz<F> sum = xyzz<F>::infinity();
        CUZK_NO_UNROLL
        for (uint32_t i = threadIdx.x; i < n; i += REDUCE_BLOCK)
            sum = add(sum, source.load(elements[first + i]));
        sum = block_sum(shared, sum);
        if (threadIdx.x == 0) sums.store(key, to_affine(sum));
    }
}

// Where everything of an MSM lies in its scratch memory.
template <class F>
struct msm_scratch {
    uint32_t *digit_keys, *digit_values;  // of groups_ahead() groups
    uint32_t *other_keys, *other_values;  // the sort's other buffers
    msm_sorted sorted;
    uint64_t* offsets[2];
    uint32_t *keys[2], *elements[2];  // lists left after odd rounds, after even rounds
    uint2* refs;
    uint32_t* dests;
    uint32_t* arena_used;
    point_planes<F> arena;  // sums of the rounds; later, of rows and columns
    pair_scratch<F> pairs;
    point_planes<F> sums;   // of all buckets
    point_planes<F> fresh;  // of one group's buckets in a later call
    uint32_t* hot;          // number found, then the list
    msm_run_sums<F>* run_sums;
    size_t size;

    explicit msm_scratch(const msm_plan& plan, void* base) {
        size = 0;
        uint64_t digits = plan.group_digits(), buckets = plan.group_buckets();
        uint64_t all_buckets = plan.windows.buckets();
        for (int i = 0; i < 2; i++) {
            take(base, offsets[i], buckets + 1);
        }
        take(base, digit_keys, digits * plan.groups_ahead());
        take(base, digit_values, digits * plan.groups_ahead());
        take(base, other_keys, digits);
        take(base, other_values, digits);
        take(base, sorted.begin, buckets);
        take(base, sorted.end, buckets);
        sorted.temporary_size = msm_temporary_size(plan);
        uint8_t* temporary;
        take(base, temporary, sorted.temporary_size);
        sorted.temporary = temporary;
        take(base, refs, digits / 2 + 1);
        take(base, dests, digits / 2 + 1);
        for (int i = 0; i < 2; i++) {
            take(base, keys[i], plan.elements(1 + i));
            take(base, elements[i], plan.elements(1 + i));
        }
        take_elements(base, pairs.prefix, plan.chunk);
        take_elements(base, pairs.totals, pair_threads(plan.chunk, plan.resident));
        take_elements(base, pairs.chain, pair_threads(plan.chunk, plan.resident));
        take(base, arena_used, plan.rounds + 1);
        // Rows and columns need as many as all buckets, and three quarters at the same time.
        uint64_t row_sums = all_buckets + (all_buckets - all_buckets / 4);
        take_points(base, arena, digits > row_sums ? digits : row_sums);
        take_points(base, sums, all_buckets);
        take_points(base, fresh, plan.n > plan.call_n ? buckets : 0);
        take(base, hot, (digits >> plan.rounds) + 2);
        take(base, run_sums, plan.windows.subwindows);
    }

  private:
    template <class T>
    void take(void* base, T*& pointer, uint64_t n) {
        pointer = reinterpret_cast<T*>(static_cast<char*>(base) + size);
        size += (n * sizeof(T) + 255) & ~(size_t)255;
    }
    void take_points(void* base, point_planes<F>& planes, uint64_t n) {
        take(base, planes.base, n * pieces<affine<F>>);
        planes.stride = n;
    }
    void take_elements(void* base, element_planes<F>& planes, uint64_t n) {
        take(base, planes.base, n * pieces<F>);
        planes.stride = n;
    }
};

// Adds one call's products to the bucket sums. `first_call` says that these are the first.
template <class F>
cudaError_t msm_add(cudaStream_t stream, const msm_plan& plan, void* scratch_memory,
                    const affine<F>* points, const msm_scalars& scalars, bool first_call) {
    msm_scratch<F> s(plan, scratch_memory);
    cudaError_t status;
    if (first_call) {
        // Infinity is all zeros.
        status = cudaMemsetAsync(s.sums.base, 0, s.sums.stride * sizeof(affine<F>), stream);
        if (status != cudaSuccess) return status;
    }
    if (scalars.n == 0) return cudaSuccess;
    for (uint32_t g = 0; g < plan.groups(); g++) {
        uint32_t first = g * plan.group, count = plan.group_size(g);
        uint32_t buckets = plan.windows.used_buckets(first, count);
        uint64_t digits = (uint64_t)count * scalars.n;
        const uint32_t ahead = g % plan.groups_ahead();
        if (ahead == 0) {
            uint32_t groups = plan.groups() - g;
            if (groups > plan.groups_ahead()) groups = plan.groups_ahead();
            status = launch_digits(stream, plan, scalars, g, groups, s.digit_keys, s.digit_values);
            if (status != cudaSuccess) return status;
        }
        const uint64_t place = (uint64_t)ahead * plan.group * scalars.n;
        s.sorted.keys[0] = s.digit_keys + place;
        s.sorted.keys[1] = s.other_keys;
        s.sorted.values[0] = s.digit_values + place;
        s.sorted.values[1] = s.other_values;
        status = launch_sort(stream, plan, g, scalars.n, s.sorted);
        if (status != cudaSuccess) return status;
        point_planes<F> group_sums = s.sums.from((uint64_t)first * plan.windows.run());
        point_planes<F> round_sums = group_sums;
        if (!first_call) {
            round_sums = s.fresh;
            status = cudaMemsetAsync(s.fresh.base, 0, s.fresh.stride * sizeof(affine<F>), stream);
            if (status != cudaSuccess) return status;
        }
        status = cudaMemsetAsync(s.arena_used, 0, sizeof(uint32_t), stream);
        if (status != cudaSuccess) return status;
        point_source<F> source = {points, {s.arena, s.arena}};
        for (uint32_t round = 1; round <= plan.rounds; round++) {
            uint32_t now = round & 1;  // offsets of this round; the other's are read
            status = launch_round_offsets(stream, s.sorted, buckets, round, s.offsets[now]);
            if (status != cudaSuccess) return status;
            bucket_round<F> r = {};
            r.round = round;
            r.begin = s.sorted.begin;
            r.end = s.sorted.end;
            r.before = round == 1 ? nullptr : s.offsets[!now];
            r.offsets = s.offsets[now];
            r.buckets = buckets;
            r.digits = digits;
            r.keys = round == 1 ? s.sorted.keys[1] : s.keys[now];
            r.elements = round == 1 ? s.sorted.values[1] : s.elements[now];
            r.out_keys = s.keys[!now];
            r.out_elements = s.elements[!now];
            r.refs = s.refs;
            r.dests = s.dests;
            r.arena_used = s.arena_used;
            r.table = points;
            r.sums = round_sums;
            uint64_t most = round == 1 ? digits : plan.elements(round - 1);
            if (most > digits) most = digits;
            uint64_t blocks = (most + PLACE_BLOCK - 1) / PLACE_BLOCK;
            uint64_t full = plan.resident / 4;  // many small blocks an SM; the loop takes the rest
            place_pairs_kernel<F>
                <<<(unsigned)(blocks < full ? blocks : full), PLACE_BLOCK, 0, stream>>>(r);
            pair_job<F> job = {};
            job.source = source;
            job.out = s.arena;
            job.buckets = round_sums;
            job.resident = plan.resident;
            job.refs = r.refs;
            job.dests = r.dests;
            job.count = r.offsets + buckets;
            status = launch_pairs(stream, job, most / 2, plan.chunk, s.pairs);
            if (status != cudaSuccess) return status;
        }
        status = launch_find_hot_buckets(stream, s.sorted, buckets, plan.rounds, s.hot, s.hot + 1);
        if (status != cudaSuccess) return status;
        sum_hot_buckets_kernel<F><<<plan.resident / 256, REDUCE_BLOCK, 0, stream>>>(
            s.sorted.begin, s.sorted.end, s.offsets[plan.rounds & 1], plan.rounds, s.hot, s.hot + 1,
            s.elements[!(plan.rounds & 1)], source, round_sums);
        if (!first_call) {
            pair_job<F> job = {};
            job.source = {nullptr, {group_sums, s.fresh}};
            job.out = group_sums;
            job.resident = plan.resident;
            job.meet = buckets;
            status = launch_pairs(stream, job, buckets, plan.chunk, s.pairs);
            if (status != cudaSuccess) return status;
        }
    }
    return cudaGetLastError();
}

// Sums rows and columns by the pair engine.
template <class F>
cudaError_t sum_lines_by_pairs(cudaStream_t stream, const msm_plan& plan, const msm_scratch<F>& s,
                               line_sums<F>& rows_out, line_sums<F>& columns_out) {
    const uint32_t log_columns = plan.log_columns(), log_rows = plan.log_rows();
    // Segment 0 sums along rows (neighbours meet), segment 1 along columns (halves of a run meet).
    // Columns take as many rounds as rows or one more, and begin.
    point_planes<F> rows = s.sums, columns = s.sums;
    uint32_t row_elements = plan.windows.buckets(), column_elements = row_elements;
    uint32_t log_run = plan.windows.bits - 1;
    for (uint32_t round = 0; round < log_rows; round++) {
        point_planes<F> out = s.arena.from(round & 1 ? plan.windows.buckets() : 0);
        pair_job<F> job = {};
        job.source = {nullptr, {rows, columns}};
        job.out = out;
        job.resident = plan.resident;
        bool rows_move = round >= log_rows - log_columns;
        if (rows_move) {
            job.segment[0] = {0, 0, row_elements / 2};
            row_elements /= 2;
        }
        job.segment[1] = {log_run - 1 - round, job.segment[0].pairs, column_elements / 2};
        column_elements /= 2;
        uint64_t pairs = (uint64_t)job.segment[0].pairs + job.segment[1].pairs;
        cudaError_t status = launch_pairs(stream, job, pairs, plan.chunk, s.pairs);
        if (status != cudaSuccess) return status;
        if (rows_move) rows = out;
        columns = out.from(job.segment[1].out);
    }
    rows_out = {rows, nullptr};
    columns_out = {columns, nullptr};
    return cudaSuccess;
}

// The same in XYZZ coordinates, a few threads a line.
template <class F>
void sum_lines_by_threads(cudaStream_t stream, const msm_plan& plan, const msm_scratch<F>& s,
                          line_sums<F>& rows_out, line_sums<F>& columns_out) {
    const uint32_t runs = plan.windows.subwindows, log_run = plan.windows.bits - 1;
    const uint32_t n_rows = 1u << plan.log_rows(), n_columns = 1u << plan.log_columns();
    // Threads for all of the device, but with a few additions each before they are joined.
    uint32_t share = 4;
    while (2ull * plan.windows.buckets() / share > plan.resident) share *= 2;
    run_lines rows = make_lines(runs, n_rows, n_columns, n_columns, 1, share);
    run_lines columns = make_lines(runs, n_columns, 1, n_rows, n_columns, share);
    // In the arena, which holds 1.75 affine points a bucket.
    xyzz<F>* row_sums = reinterpret_cast<xyzz<F>*>(s.arena.base);
    xyzz<F>* column_sums = row_sums + (size_t)runs * n_rows;
    sum_lines_kernel<F><<<rows.blocks + columns.blocks, REDUCE_BLOCK, 0, stream>>>(
        s.sums, log_run, runs, rows, columns, row_sums, column_sums);
    rows_out = {{}, row_sums};
    columns_out = {{}, column_sums};
}

// Sums the buckets of every run, weighted and plain, into scratch; returns where.
template <class F>
cudaError_t msm_sum_runs(cudaStream_t stream, const msm_plan& plan, void* scratch_memory,
                         const msm_run_sums<F>*& sums_out) {
    msm_scratch<F> s(plan, scratch_memory);
    line_sums<F> rows = {}, columns = {};
    if (plan.by_lines()) {
        sum_lines_by_threads(stream, plan, s, rows, columns);
    } else {
        cudaError_t status = sum_lines_by_pairs(stream, plan, s, rows, columns);
        if (status != cudaSuccess) return status;
    }
    weighted_sum_kernel<F><<<2 * plan.windows.subwindows, REDUCE_BLOCK, 0, stream>>>(
        rows, 1u << plan.log_rows(), columns, 1u << plan.log_columns(), s.run_sums);
    sums_out = s.run_sums;
    return cudaGetLastError();
}

}  // namespace cuzk
