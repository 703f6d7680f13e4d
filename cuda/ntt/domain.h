// SPDX-License-Identifier: MIT OR Apache-2.0
// The domain of n = 2^log_n roots of unity, w = root^(2^(32 - log_n)), and its coset 7 w^i: how a
// transform is cut into passes, and the tables it reads.
//
// Two orders occur: natural, and bit-reversed (position p holds index reverse(p)). Decimation in
// frequency turns natural into reversed, decimation in time reversed into natural, so data that
// goes there and back is never permuted in memory.
#pragma once
#include "../field/factor.h"

namespace cuzk {

constexpr uint32_t NTT_MAX_LOG = 28;
constexpr uint32_t NTT_PASS_LOG = 9;    // levels of a pass at most
constexpr uint32_t NTT_TILE_LOG = 10;   // elements of a block's tile: 128 threads of 8, 32 KB
constexpr uint32_t NTT_BLOCKS_LOG = 8;  // as many blocks a pass if that can be, so that no SM idles
constexpr uint32_t NTT_SMALL_LOG = 9;   // roots of unity for the steps inside a tile
constexpr uint32_t NTT_HIGH_LOG = 18;   // of the high table of roots: 16 MB, stays in the L2 cache
constexpr uint32_t NTT_POWER_HIGH_LOG = 9;  // of the high table of coset powers: in the L1 cache

// The low `bits` bits of x, reversed.
CUZK_HD uint32_t reverse_bits(uint32_t x, uint32_t bits) {
#ifdef __CUDA_ARCH__
    return bits == 0 ? 0 : __brev(x) >> (32 - bits);
#else
    uint32_t r = 0;
    for (uint32_t i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
#endif
}

// Passes of a transform, and the levels of pass i counted from the high bits of an index.
inline uint32_t ntt_passes(uint32_t log_n) { return (log_n + NTT_PASS_LOG - 1) / NTT_PASS_LOG; }
inline uint32_t ntt_pass_levels(uint32_t log_n, uint32_t i) {
    uint32_t passes = ntt_passes(log_n);
    return log_n / passes + (i < log_n % passes ? 1 : 0);
}

// Columns of a tile: as many as fit, side by side, but fewer when there would be too few blocks.
inline uint32_t ntt_log_columns(uint32_t log_n, uint32_t levels, uint32_t below) {
    uint32_t most = below ? below : log_n - levels;
    uint32_t tile = log_n < NTT_TILE_LOG + NTT_BLOCKS_LOG ? log_n - NTT_BLOCKS_LOG : NTT_TILE_LOG;
    if (log_n < NTT_BLOCKS_LOG || tile < levels) tile = levels;
    return tile - levels < most ? tile - levels : most;
}

// base^i = high[i >> log_low] low[i mod 2^log_low], with a constant in `low`.
struct power_table {
    const fr_factor* high;
    const fr_factor* low;
    uint32_t log_low;
};

// The tables of one domain, in one piece of device memory.
struct ntt_tables {
    fr_factor* small;      // w_512^i
    fr_factor* root_high;  // w^(i 2^log_root_low)
    fr_factor* root_low;   // w^i
    fr_factor* one_over_n;
    fr_factor* one_over_n_z;        // 1 / (n Z), to make plain numbers
    fr_factor* coset_high;          // 7^(i 2^log_power_low)
    fr_factor* coset_inverse_high;  // 7^(-i 2^log_power_low)
    fr_factor* coset_low;           // 7^i
    fr_factor* coset_over_n_low;    // 7^i / n
    fr_factor* coset_inverse_low;   // 7^-i / n
    fr_factor* quotient_low;        // 7^-i / (n Z), to make plain numbers; Z = 7^n - 1 is the value
                                    // of X^n - 1 on the coset
    uint32_t log_root_high, log_root_low, log_power_high, log_power_low;
    size_t size;

    ntt_tables(uint32_t log_n, void* base) {
        log_root_high = log_n < NTT_HIGH_LOG ? log_n : NTT_HIGH_LOG;
        log_root_low = log_n - log_root_high;
        log_power_high = log_n < NTT_POWER_HIGH_LOG ? log_n : NTT_POWER_HIGH_LOG;
        log_power_low = log_n - log_power_high;
        size = 0;
        take(base, small, NTT_SMALL_LOG);
        take(base, root_high, log_root_high);
        take(base, root_low, log_root_low);
        take(base, one_over_n, 0);
        take(base, one_over_n_z, 0);
        take(base, coset_high, log_power_high);
        take(base, coset_inverse_high, log_power_high);
        take(base, coset_low, log_power_low);
        take(base, coset_over_n_low, log_power_low);
        take(base, coset_inverse_low, log_power_low);
        take(base, quotient_low, log_power_low);
    }

  private:
    void take(void* base, fr_factor*& pointer, uint32_t log_size) {
        pointer = reinterpret_cast<fr_factor*>(static_cast<char*>(base) + size);
        size += sizeof(fr_factor) << log_size;
    }
};

// A primitive 2^log_n-th root of unity.
inline fr domain_root(uint32_t log_n) {
    fr w = fr_root();
    for (uint32_t i = log_n; i < (uint32_t)fr_params::TWO_ADICITY; i++) w = sqr(w);
    return w;
}

}  // namespace cuzk
