// SPDX-License-Identifier: MIT OR Apache-2.0
// Number-theoretic transforms over Fr, and the quotient of the QAP.
//
// A transform is done in passes of up to 9 levels. A pass reads tiles of 2^levels rows and a few
// columns, transforms each column through shared memory in steps of 8 points a thread, and
// multiplies by the twiddles between passes. Elements stay below 2 r between passes, canonical at
// the end. Coset powers, 1/n, and the quotient's product and difference are applied while loading
// and storing.
#include "../launch.h"
#include "butterfly.h"
#include "domain.h"

namespace cuzk {
namespace {

constexpr int BLOCK = 1 << (NTT_TILE_LOG - 3);
// Registers decide: down keeps a step's twiddles of a thread in flight, up takes one at a time.
constexpr int DOWN_BLOCKS_PER_SM = 4, UP_BLOCKS_PER_SM = 5;
// A gap of 4 elements after 32 keeps the accesses of the last step (stride 1) off one another's
// banks.
constexpr uint32_t tile_padded(uint32_t tile_log) {
    return (1u << tile_log) + (1u << tile_log >> 3);
}
constexpr size_t tile_bytes(uint32_t tile_log) { return 2 * tile_padded(tile_log) * sizeof(uint4); }

enum scale_kind : uint32_t { SCALE_NONE, SCALE_CONSTANT, SCALE_POWERS };

struct scaling {
    scale_kind kind;
    power_table powers;  // SCALE_CONSTANT: low[0]
};

struct ntt_pass {
    const fr* in;
    fr* out;
    const fr* times;  // not null: the input is in * times
    const fr* minus;  // not null: taken from the output in order, itself bit-reversed
    uint32_t log_n;
    uint32_t levels;  // 3 ... 9
    uint32_t below;   // index bits below the pass's
    uint32_t log_columns;
    uint32_t half;      // of an element to the other, in the tile
    bool inverse;       // roots of the inverse transform
    bool first, last;   // of the transform
    bool reversed_out;  // last pass of decimation in frequency: leave bit-reversed, or put in order
    eighth_roots roots;
    scaling before, after;
    const fr_factor *small, *root_high, *root_low;
    uint32_t log_root_low;
};

CUZK_DEVICE fr load(const fr* p) {
    const uint4* q = reinterpret_cast<const uint4*>(p);
    uint4 a = q[0], b = q[1];
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}
CUZK_DEVICE fr_factor load_factor(const fr_factor* p) {
    const uint4* q = reinterpret_cast<const uint4*>(p);
    uint4 a = __ldg(q), b = __ldg(q + 1), c = __ldg(q + 2), d = __ldg(q + 3);
    return {{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}}, {{c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}}};
}
CUZK_DEVICE void store(fr* p, const fr& a) {
    uint4* q = reinterpret_cast<uint4*>(p);
    q[0] = make_uint4(a.v[0], a.v[1], a.v[2], a.v[3]);
    q[1] = make_uint4(a.v[4], a.v[5], a.v[6], a.v[7]);
}

// Rows of a thread's 8 elements in a step of stride 2^log_s: first_row + (i << log_s).
CUZK_DEVICE uint32_t first_row(uint32_t u, uint32_t log_s) {
    return (u >> log_s) << (log_s + 3) | (u & ((1u << log_s) - 1));
}

CUZK_DEVICE uint32_t tile_place(const ntt_pass& p, uint32_t row, uint32_t column) {
    uint32_t e = row << p.log_columns | column;
    return e + 4 * (e >> 5);
}

CUZK_DEVICE void write_tile(const ntt_pass& p, uint4* tile, uint32_t row, uint32_t column,
                            const fr& a) {
    uint32_t e = tile_place(p, row, column);
    tile[e] = make_uint4(a.v[0], a.v[1], a.v[2], a.v[3]);
    tile[e + p.half] = make_uint4(a.v[4], a.v[5], a.v[6], a.v[7]);
}
CUZK_DEVICE fr read_tile(const ntt_pass& p, const uint4* tile, uint32_t row, uint32_t column) {
    uint32_t e = tile_place(p, row, column);
    uint4 x = tile[e], y = tile[e + p.half];
    return {{x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w}};
}

CUZK_DEVICE void write_rows(const ntt_pass& p, uint4* tile, uint32_t u, uint32_t column,
                            uint32_t log_s, const fr* a) {
    CUZK_UNROLL
    for (int i = 0; i < 8; i++)
        write_tile(p, tile, first_row(u, log_s) + (i << log_s), column, a[i]);
}
CUZK_DEVICE void read_rows(const ntt_pass& p, const uint4* tile, uint32_t u, uint32_t column,
                           uint32_t log_s, fr* a) {
    CUZK_UNROLL
    for (int i = 0; i < 8; i++)
        a[i] = read_tile(p, tile, first_row(u, log_s) + (i << log_s), column);
}

// What a thread does with its rows while they lie in the tile, one at a time: a loop that is not
// unrolled needs few registers, so that more threads fit.
template <class Change>
CUZK_DEVICE void change_rows(const ntt_pass& p, uint4* tile, uint32_t u, uint32_t column,
                             uint32_t log_s, int first, const Change& change) {
    CUZK_NO_UNROLL
    for (int i = first; i < 8; i++) {
        uint32_t row = first_row(u, log_s) + (i << log_s);
        write_tile(p, tile, row, column, change(read_tile(p, tile, row, column), i, row));
    }
}

// Hands the elements over: from the rows of stride 2^from to those of stride 2^to. `before_reading`
// is done when these lie in the tile.
template <class Action>
CUZK_DEVICE void exchange(const ntt_pass& p, fr* a, uint4* tile, uint32_t u, uint32_t column,
                          uint32_t from, uint32_t to, const Action& before_reading) {
    // Rows pass between 2^max(from, to) neighbouring u only, which may all be in one warp; the
    // threads that read these rows last are the same ones.
    const bool in_warp = (from > to ? from : to) + p.log_columns <= 5;
    auto wait = [&] {
        if (in_warp) {
            __syncwarp();
        } else {
            __syncthreads();
        }
    };
    wait();
    write_rows(p, tile, u, column, from, a);
    wait();
    before_reading();
    read_rows(p, tile, u, column, to, a);
}
CUZK_DEVICE void exchange(const ntt_pass& p, fr* a, uint4* tile, uint32_t u, uint32_t column,
                          uint32_t from, uint32_t to) {
    exchange(p, a, tile, u, column, from, to, [] {});
}

// The twiddle of slot i, which holds frequency reverse(i), in a step of stride 2^log_s.
CUZK_DEVICE fr step_twiddle(const ntt_pass& p, const fr& a, uint32_t u, uint32_t log_s,
                            uint32_t i) {
    constexpr uint32_t mask = (1u << NTT_SMALL_LOG) - 1;
    uint32_t j = (u & ((1u << log_s) - 1)) << (NTT_SMALL_LOG - 3 - log_s);
    if (p.inverse) j = 0u - j;
    uint32_t k = (i & 1) << 2 | (i & 2) | i >> 2;
    return mul_factor(load_factor(p.small + (j * k & mask)), a);
}

// The twiddle between this pass and the one on the bits below: w^(frequency * low), on
// 2^(levels+below).
CUZK_DEVICE fr pass_twiddle(const ntt_pass& p, fr a, uint32_t row, uint32_t low) {
    uint32_t e = reverse_bits(row, p.levels) * low << (p.log_n - p.levels - p.below);
    if (p.inverse) e = (0u - e) & ((1u << p.log_n) - 1);
    a = mul_factor(load_factor(p.root_high + (e >> p.log_root_low)), a);
    // Between all but the first two passes the exponent is a multiple of 2^log_root_low.
    if (p.levels + p.below + p.log_root_low > p.log_n)
        a = mul_factor(load_factor(p.root_low + (e & ((1u << p.log_root_low) - 1))), a);
    return a;
}

// What an element of this index is scaled by: a factor of its low bits and one of its high bits.
CUZK_DEVICE fr_factor low_factor(const scaling& s, uint32_t index) {
    if (s.kind == SCALE_NONE) return {};
    return load_factor(s.powers.low + (index & ((1u << s.powers.log_low) - 1)));
}
CUZK_DEVICE fr scale(const scaling& s, const fr_factor& low, fr a, uint32_t index) {
    if (s.kind == SCALE_NONE) return a;
    a = mul_factor(low, a);
    if (s.kind == SCALE_CONSTANT) return a;
    return mul_factor(load_factor(s.powers.high + (index >> s.powers.log_low)), a);
}

// The tile of a block: where row r, column c lies.
struct tile_map {
    uint32_t base, log_row, log_column;  // base + (r << log_row) + (c << log_column)
    uint32_t low;                        // index bits below the pass's, for column 0
};

CUZK_DEVICE tile_map map_tile(const ntt_pass& p) {
    if (p.below == 0) {
        uint32_t base = blockIdx.x << (p.levels + p.log_columns);
        return {base, 0, p.levels, 0};
    }
    uint32_t log_blocks = p.below - p.log_columns;  // tiles side by side
    uint32_t high = blockIdx.x >> log_blocks;
    uint32_t low = (blockIdx.x & ((1u << log_blocks) - 1)) << p.log_columns;
    return {high << (p.levels + p.below) | low, p.below, 0, low};
}

// Decimation in frequency: natural to bit-reversed.
__global__ void __launch_bounds__(BLOCK, DOWN_BLOCKS_PER_SM)
    ntt_down_kernel(const __grid_constant__ ntt_pass p) {
    extern __shared__ uint4 tile[];
    const uint32_t column = threadIdx.x & ((1u << p.log_columns) - 1),
                   u = threadIdx.x >> p.log_columns;
    const tile_map map = map_tile(p);
    uint32_t base = map.base + (column << map.log_column);
    // In order, the last pass's columns are chosen so that their outputs are neighbours.
    const bool in_order = p.last && !p.reversed_out;
    const uint32_t log_blocks = p.log_n - p.levels;
    const uint32_t neighbour = blockIdx.x << p.log_columns | column;
    if (in_order) base = reverse_bits(neighbour, log_blocks) << p.levels;

    fr a[8];
    uint32_t log_s = p.levels - 3;
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) {
        uint32_t at = base + ((u + (i << log_s)) << map.log_row);
        a[i] = load(p.in + at);
        if (p.first) {
            if (p.times) a[i] = mul_lazy(load(p.times + at), a[i]);
            a[i] = scale(p.before, low_factor(p.before, at), a[i], at);
        }
    }
    uint32_t left = p.levels;
    CUZK_NO_UNROLL
    for (;;) {
        transform_down(a, p.roots, left < 3 ? left : 3);
        if (left <= 3) break;
        CUZK_UNROLL
        for (int i = 1; i < 8; i++) a[i] = step_twiddle(p, a[i], u, log_s, i);
        left -= 3;
        uint32_t next = left < 3 ? 0 : left - 3;
        exchange(p, a, tile, u, column, log_s, next);
        log_s = next;
    }
    // Back to rows that make neighbouring threads write neighbouring elements.
    const uint32_t spread = p.levels - 3;
    if (p.below == 0 && spread > 0 && !in_order) {
        exchange(p, a, tile, u, column, 0, spread);
        log_s = spread;
    }
    if (!p.last) {
        CUZK_UNROLL
        for (int i = 0; i < 8; i++) {
            uint32_t row = first_row(u, log_s) + (i << log_s);
            store(p.out + base + (row << map.log_row),
                  pass_twiddle(p, a[i], row, map.low + column));
        }
        return;
    }
    // A thread's indices differ in their high bits only.
    const fr_factor low = low_factor(p.after, in_order ? neighbour : reverse_bits(base, p.log_n));
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) {
        uint32_t row = first_row(u, log_s) + (i << log_s);
        uint32_t at = base + (row << map.log_row);
        uint32_t index = in_order ? reverse_bits(row, p.levels) << log_blocks | neighbour
                                  : reverse_bits(at, p.log_n);
        a[i] = reduce(scale(p.after, low, a[i], index));
        if (in_order) {
            if (p.minus) a[i] = sub(a[i], load(p.minus + at));
            at = index;
        }
        store(p.out + at, a[i]);
    }
}

// Decimation in time: bit-reversed to natural.
__global__ void __launch_bounds__(BLOCK, UP_BLOCKS_PER_SM)
    ntt_up_kernel(const __grid_constant__ ntt_pass p) {
    extern __shared__ uint4 tile[];
    const uint32_t column = threadIdx.x & ((1u << p.log_columns) - 1),
                   u = threadIdx.x >> p.log_columns;
    const tile_map map = map_tile(p);
    const uint32_t base = map.base + (column << map.log_column);
    const uint32_t spread = p.levels - 3;

    fr a[8];
    // The first step has the levels that are left over from steps of three.
    uint32_t done = p.levels % 3 ? p.levels % 3 : 3;
    uint32_t log_s = p.below == 0 ? spread : 0;
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) {
        uint32_t at = base + ((first_row(u, log_s) + (i << log_s)) << map.log_row);
        a[i] = load(p.in + at);
        if (p.first) {
            uint32_t index = reverse_bits(at, p.log_n);
            a[i] = scale(p.before, low_factor(p.before, index), a[i], index);
        }
    }
    if (!p.first) {
        write_rows(p, tile, u, column, log_s, a);
        change_rows(p, tile, u, column, log_s, 0, [&](const fr& x, uint32_t, uint32_t row) {
            return pass_twiddle(p, x, row, map.low + column);
        });
        read_rows(p, tile, u, column, log_s, a);
    }
    if (log_s != 0) exchange(p, a, tile, u, column, log_s, 0);
    transform_up(a, p.roots, done);
    log_s = 0;
    CUZK_NO_UNROLL
    while (done < p.levels) {
        exchange(p, a, tile, u, column, log_s, done, [&] {
            change_rows(p, tile, u, column, done, 1, [&](const fr& x, uint32_t i, uint32_t) {
                return step_twiddle(p, x, u, done, i);
            });
        });
        log_s = done;
        transform_up(a, p.roots, 3);
        done += 3;
    }
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) {
        uint32_t at = base + ((first_row(u, log_s) + (i << log_s)) << map.log_row);
        if (p.last) a[i] = reduce(scale(p.after, low_factor(p.after, at), a[i], at));
        store(p.out + at, a[i]);
    }
}

// Domains of 2 and 4 by the sum itself, one thread: below a tile's 8 points.
__global__ void ntt_tiny_kernel(const __grid_constant__ ntt_pass p, bool reversed_in) {
    const uint32_t n = 1u << p.log_n;
    fr x[4], y[4];
    for (uint32_t i = 0; i < n; i++) {
        fr a = load(p.in + i);
        if (p.times) a = mul(load(p.times + i), a);
        uint32_t index = reversed_in ? reverse_bits(i, p.log_n) : i;
        x[index] = reduce(scale(p.before, low_factor(p.before, index), a, index));
    }
    for (uint32_t k = 0; k < n; k++) {
        y[k] = fr::zero();
        for (uint32_t i = 0; i < n; i++) {
            uint32_t e = i * k & (n - 1);
            if (p.inverse) e = (n - e) & (n - 1);
            y[k] = add(y[k], reduce(mul_factor(load_factor(p.root_high + e), x[i])));
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        fr a = reduce(scale(p.after, low_factor(p.after, k), y[k], k));
        if (p.minus) a = sub(a, load(p.minus + reverse_bits(k, p.log_n)));
        store(p.out + (p.reversed_out ? reverse_bits(k, p.log_n) : k), a);
    }
}

// table[i] = constant * base^i, each thread a stretch.
__global__ void powers_kernel(fr_factor* table, uint32_t n, const __grid_constant__ fr base,
                              const __grid_constant__ fr constant) {
    constexpr uint32_t STRETCH = 32;
    uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) * STRETCH;
    if (i >= n) return;
    fr a = mul(constant, power(base, i));
    for (uint32_t end = min(i + STRETCH, n); i < end; i++) {
        fr_factor f = make_factor(a);
        store(&table[i].value, f.value);
        store(&table[i].quotient, f.quotient);
        a = mul(a, base);
    }
}

void launch_powers(cudaStream_t stream, fr_factor* table, uint32_t log_size, const fr& base,
                   const fr& constant) {
    uint32_t n = 1u << log_size, threads = (n + 31) / 32;
    powers_kernel<<<(threads + 127) / 128, 128, 0, stream>>>(table, n, base, constant);
}

fr power_of_two_power(fr a, uint32_t log_exponent) {
    for (uint32_t i = 0; i < log_exponent; i++) a = sqr(a);
    return a;
}

// What one whole transform is.
struct transform {
    const fr* in;
    fr* out;
    bool down;  // decimation in frequency
    bool inverse;
    bool reversed_out;
    const fr *times, *minus;
    scaling before, after;
};

cudaError_t launch_transform(cudaStream_t stream, const ntt_tables& tables, uint32_t log_n,
                             const transform& t) {
    ntt_pass p = {};
    p.in = t.in;
    p.times = t.times;
    p.minus = t.minus;
    p.log_n = log_n;
    p.inverse = t.inverse;
    p.reversed_out = t.reversed_out;
    p.before = t.before;
    p.after = t.after;
    p.small = tables.small;
    p.root_high = tables.root_high;
    p.root_low = tables.root_low;
    p.log_root_low = tables.log_root_low;
    if (log_n < 3) {
        p.out = t.out;
        ntt_tiny_kernel<<<1, 1, 0, stream>>>(p, !t.down);
        return cudaGetLastError();
    }
    fr w1 = domain_root(3), w2 = sqr(w1), w3 = mul(w1, w2);
    // 1/w_8 = w_8^7 = -w_8^3, and so on.
    if (t.inverse) {
        fr first = w1;
        w1 = neg(w3);
        w2 = neg(w2);
        w3 = neg(first);
    }
    p.roots = {make_factor(w1), make_factor(w2), make_factor(w3)};

    auto kernel = t.down ? ntt_down_kernel : ntt_up_kernel;
    uint32_t passes = ntt_passes(log_n), above = 0;
    for (uint32_t i = 0; i < passes; i++) {
        // Down: from the high bits of an index to the low; up: back.
        uint32_t which = t.down ? i : passes - 1 - i;
        p.levels = ntt_pass_levels(log_n, which);
        above = 0;
        for (uint32_t j = 0; j <= which; j++) above += ntt_pass_levels(log_n, j);
        p.below = log_n - above;
        p.first = i == 0;
        p.last = i + 1 == passes;
        p.log_columns = ntt_log_columns(log_n, p.levels, p.below);
        // All passes but the last work in place, unless there is but one.
        p.in = i == 0 ? t.in : p.out;
        p.out = p.last ? t.out : const_cast<fr*>(t.in);
        uint32_t tile_log = p.levels + p.log_columns;
        p.half = tile_padded(tile_log);
        kernel<<<1u << (log_n - tile_log), 1u << (tile_log - 3), tile_bytes(tile_log), stream>>>(p);
    }
    return cudaGetLastError();
}

const scaling NOTHING = {SCALE_NONE, {}};
scaling constant(const fr_factor* c) { return {SCALE_CONSTANT, {nullptr, c, 0}}; }
scaling powers(const fr_factor* high, const fr_factor* low, uint32_t log_low) {
    return {SCALE_POWERS, {high, low, log_low}};
}

// What goes before and after a transform of the given direction, coset or not.
void set_scaling(transform& t, const ntt_tables& tables, bool coset) {
    t.before = t.after = NOTHING;
    if (!t.inverse && coset)
        t.before = powers(tables.coset_high, tables.coset_low, tables.log_power_low);
    if (t.inverse && !coset) t.after = constant(tables.one_over_n);
    if (t.inverse && coset)
        t.after = powers(tables.coset_inverse_high, tables.coset_inverse_low, tables.log_power_low);
}

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" size_t cuzk_ntt_tables_size(uint32_t log_n) { return ntt_tables(log_n, nullptr).size; }

extern "C" int cuzk_launch_ntt_tables(cuzk_stream stream, uint32_t log_n, void* tables) {
    if (log_n < 1 || log_n > NTT_MAX_LOG) return cudaErrorInvalidValue;
    ntt_tables t(log_n, tables);
    fr one = fr::one(), w = domain_root(log_n), g = fr_generator(), h = fr_generator_inverse();
    fr over_n = inverse(fr_from((uint64_t)1 << log_n));
    fr over_z = inverse(sub(power_of_two_power(g, log_n), one));
    launch_powers(stream, t.small, NTT_SMALL_LOG, domain_root(NTT_SMALL_LOG), one);
    launch_powers(stream, t.root_high, t.log_root_high, power_of_two_power(w, t.log_root_low), one);
    launch_powers(stream, t.root_low, t.log_root_low, w, one);
    launch_powers(stream, t.one_over_n, 0, one, over_n);
    launch_powers(stream, t.one_over_n_z, 0, one, from_montgomery(mul(over_n, over_z)));
    launch_powers(stream, t.coset_high, t.log_power_high, power_of_two_power(g, t.log_power_low),
                  one);
    launch_powers(stream, t.coset_inverse_high, t.log_power_high,
                  power_of_two_power(h, t.log_power_low), one);
    launch_powers(stream, t.coset_low, t.log_power_low, g, one);
    launch_powers(stream, t.coset_over_n_low, t.log_power_low, g, over_n);
    launch_powers(stream, t.coset_inverse_low, t.log_power_low, h, over_n);
    launch_powers(stream, t.quotient_low, t.log_power_low, h, from_montgomery(mul(over_n, over_z)));
    return cudaGetLastError();
}

extern "C" int cuzk_launch_ntt_to_reversed(cuzk_stream stream, const void* tables, uint32_t log_n,
                                           void* data, int inverse, int coset) {
    if (log_n < 1 || log_n > NTT_MAX_LOG) return cudaErrorInvalidValue;
    ntt_tables t(log_n, const_cast<void*>(tables));
    fr* d = static_cast<fr*>(data);
    transform f = {d, d, true, inverse != 0, true, nullptr, nullptr, NOTHING, NOTHING};
    set_scaling(f, t, coset != 0);
    return launch_transform(stream, t, log_n, f);
}

extern "C" int cuzk_launch_ntt_from_reversed(cuzk_stream stream, const void* tables, uint32_t log_n,
                                             void* data, int inverse, int coset) {
    if (log_n < 1 || log_n > NTT_MAX_LOG) return cudaErrorInvalidValue;
    ntt_tables t(log_n, const_cast<void*>(tables));
    fr* d = static_cast<fr*>(data);
    transform f = {d, d, false, inverse != 0, false, nullptr, nullptr, NOTHING, NOTHING};
    set_scaling(f, t, coset != 0);
    return launch_transform(stream, t, log_n, f);
}

extern "C" int cuzk_launch_ntt(cuzk_stream stream, const void* tables, uint32_t log_n, void* in,
                               void* out, int inverse, int coset) {
    if (log_n < 1 || log_n > NTT_MAX_LOG || in == out) return cudaErrorInvalidValue;
    ntt_tables t(log_n, const_cast<void*>(tables));
    transform f = {static_cast<fr*>(in),
                   static_cast<fr*>(out),
                   true,
                   inverse != 0,
                   false,
                   nullptr,
                   nullptr,
                   NOTHING,
                   NOTHING};
    set_scaling(f, t, coset != 0);
    return launch_transform(stream, t, log_n, f);
}

extern "C" int cuzk_launch_quotient_begin(cuzk_stream stream, const void* tables, uint32_t log_n,
                                          int which, void* values) {
    if (log_n < 1 || log_n > NTT_MAX_LOG || which < 0 || which > 2) return cudaErrorInvalidValue;
    ntt_tables t(log_n, const_cast<void*>(tables));
    fr* x = static_cast<fr*>(values);
    transform down = {x, x, true, true, true, nullptr, nullptr, NOTHING, NOTHING};
    if (which == 2) {
        // c needs no values on the coset: Z is a constant z there, so the polynomial of degree
        // below n that takes a b / z is h + c / z. Its coefficients over z, bit-reversed:
        down.after = constant(t.one_over_n_z);
        return launch_transform(stream, t, log_n, down);
    }
    // Evaluations to coefficients, bit-reversed and scaled for the coset, to values on the coset.
    down.after = powers(t.coset_high, t.coset_over_n_low, t.log_power_low);
    cudaError_t status = launch_transform(stream, t, log_n, down);
    if (status != cudaSuccess) return status;
    transform up = {x, x, false, false, false, nullptr, nullptr, NOTHING, NOTHING};
    return launch_transform(stream, t, log_n, up);
}

extern "C" int cuzk_launch_quotient_end(cuzk_stream stream, const void* tables, uint32_t log_n,
                                        void* a, const void* b, const void* c, void* h) {
    if (log_n < 1 || log_n > NTT_MAX_LOG || h == a || h == c) return cudaErrorInvalidValue;
    ntt_tables t(log_n, const_cast<void*>(tables));
    transform back = {static_cast<fr*>(a),       static_cast<fr*>(h),       true,    true,   false,
                      static_cast<const fr*>(b), static_cast<const fr*>(c), NOTHING, NOTHING};
    back.after = powers(t.coset_inverse_high, t.quotient_low, t.log_power_low);
    return launch_transform(stream, t, log_n, back);
}
