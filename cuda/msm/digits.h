// SPDX-License-Identifier: MIT OR Apache-2.0
// Signed window digits of a scalar.
//
// A scalar s above (r-1)/2 is replaced by r - s and a sign, so 254 bits remain. They are cut into
// `windows` digits: all but the top one have `bits` bits and lie in (-2^(bits-1), 2^(bits-1)]; the
// top one holds what is left and is not negative. Adding one constant, sum of (2^(bits-1) - 1)
// 2^(bits i) over the lower windows, makes every digit a plain bit field, so a window can be read
// alone.
//
// A digit of magnitude m > 0 in window w belongs to bucket w 2^(bits-1) + m - 1. The top window may
// be wider than the others and then covers several runs of 2^(bits-1) buckets ("subwindows").
#pragma once
#include "../field/fr.h"

namespace cuzk {

struct msm_windows {
    uint32_t bits;        // of a lower window
    uint32_t windows;     // digits of a scalar
    uint32_t top_max;     // largest digit of the top window
    uint32_t subwindows;  // runs of 2^(bits-1) buckets, over all windows
    uint32_t offset[8];   // the constant that makes digits plain

    CUZK_HD uint32_t run() const { return 1u << (bits - 1); }
    CUZK_HD uint32_t buckets() const { return subwindows * run(); }
    // Buckets that digits of windows [first, first + count) can name.
    CUZK_HD uint32_t used_buckets(uint32_t first, uint32_t count) const {
        return first + count == windows ? (count - 1) * run() + top_max : count * run();
    }
};

// The windows of `bits` bits; `windows` of them. In: bits (windows - 1) < 254.
inline msm_windows make_windows(uint32_t bits, uint32_t windows) {
    msm_windows r = {};
    r.bits = bits;
    r.windows = windows;
    for (uint32_t w = 0; w + 1 < windows; w++) {
        uint64_t plain = (uint64_t)((1u << (bits - 1)) - 1) << (bits * w & 31);
        uint32_t add[8] = {};
        uint32_t word = bits * w >> 5;
        add[word] = (uint32_t)plain;
        if (word + 1 < 8) add[word + 1] = (uint32_t)(plain >> 32);
        limbs_add<8>(r.offset, r.offset, add);
    }
    uint32_t half[8], most[8];
    for (int i = 0; i < 8; i++) half[i] = fr_params::half(i);
    limbs_add<8>(most, half, r.offset);
    r.top_max = limbs_bits<8>(most, (int)(bits * (windows - 1)), 32);
    if (r.top_max == 0) r.top_max = 1;
    r.subwindows = windows - 1 + (r.top_max + r.run() - 1) / r.run();
    return r;
}

struct msm_digit {
    uint32_t magnitude;
    bool negative;
};

// A scalar made ready for reading digits, the lowest window first: magnitude plus the constant, and
// the sign.
struct msm_recoded {
    uint32_t v[8];
    bool negative;

    // The digit of the lowest window that is left; `top`: it is the last one.
    CUZK_HD msm_digit lowest(const msm_windows& g, bool top) const {
        if (top) return {v[0], negative};
        int32_t d = (int32_t)(v[0] & ((1u << g.bits) - 1)) - (int32_t)(g.run() - 1);
        return {(uint32_t)(d < 0 ? -d : d), (d < 0) != negative};
    }
    // Drops the low n bits.
    CUZK_HD void drop(uint32_t n) {
        for (; n >= 32; n -= 32) {
            CUZK_UNROLL
            for (int i = 0; i < 7; i++) v[i] = v[i + 1];
            v[7] = 0;
        }
        CUZK_UNROLL
        for (int i = 0; i < 8; i++) {
            uint64_t both = (uint64_t)(i < 7 ? v[i + 1 < 8 ? i + 1 : 7] : 0) << 32 | v[i];
            v[i] = (uint32_t)(both >> n);
        }
    }
};

// In: s below r.
CUZK_HD msm_recoded msm_recode(const msm_windows& g, const scalar& s) {
    uint32_t half[8], modulus[8];
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) {
        half[i] = fr_params::half(i);
        modulus[i] = fr_params::modulus(i);
    }
    msm_recoded r;
    r.negative = limbs_less<8>(half, s.v);
    if (r.negative) {
        limbs_sub<8>(r.v, modulus, s.v);
    } else {
        CUZK_UNROLL
        for (int i = 0; i < 8; i++) r.v[i] = s.v[i];
    }
    limbs_add<8>(r.v, r.v, g.offset);
    return r;
}

}  // namespace cuzk
