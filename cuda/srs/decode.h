// SPDX-License-Identifier: MIT OR Apache-2.0
// Points of a parameter file: from the uncompressed encoding into affine Montgomery form, with
// checks.
//
// The encoding is Zcash's: big-endian coordinates, x then y, in Fp2 the coefficient of u first; the
// first byte's top three bits are flags, none of which a finite point has.
#pragma once
#include "../curve/g1.h"
#include "../curve/g2.h"
#include "../field/fr.h"

namespace cuzk {

// How much is checked: each level includes those before it.
enum point_checks : uint32_t {
    CHECK_NOTHING = 0,
    CHECK_ENCODING = 1,  // no flags, coordinates below p, not infinity
    CHECK_CURVE = 2,     // on the curve
};

constexpr uint32_t FLAG_BITS = 0xe0000000u;

CUZK_HD uint32_t swap_bytes(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __byte_perm(x, 0, 0x0123);
#else
    return __builtin_bswap32(x);
#endif
}

// A plain number from 12 big-endian words as they were read.
CUZK_HD fp from_big_endian(const uint32_t* words) {
    fp r;
    CUZK_UNROLL
    for (int i = 0; i < 12; i++) r.v[i] = swap_bytes(words[11 - i]);
    return r;
}

CUZK_HD bool is_below_modulus(const fp& a) {
    uint32_t borrow = 0;
    CUZK_UNROLL
    for (int i = 0; i < 12; i++) {
        uint64_t difference = (uint64_t)a.v[i] - fp_params::modulus(i) - borrow;
        borrow = (uint32_t)(difference >> 63);
    }
    return borrow != 0;
}

// Reads the coordinate whose words start at `words`; `first` takes the flags off. In `canonical`,
// whether it was below p.
CUZK_HD fp read_coordinate(const uint32_t* words, bool first, bool& canonical) {
    fp a = from_big_endian(words);
    if (first) a.v[11] &= ~FLAG_BITS;
    canonical = canonical && is_below_modulus(a);
    a.v[11] &= ~FLAG_BITS;
    return to_montgomery(reduce(a));  // below 2^381 < 2 p
}
CUZK_HD void read_coordinate(const uint32_t* words, bool first, bool& canonical, fp& out) {
    out = read_coordinate(words, first, canonical);
}
CUZK_HD void read_coordinate(const uint32_t* words, bool first, bool& canonical, fp2& out) {
    out.c1 = read_coordinate(words, first, canonical);
    out.c0 = read_coordinate(words + 12, false, canonical);
}

// The point of these words, and whether it passes the checks.
template <class F>
CUZK_HD affine<F> decode_point(const uint32_t* words, uint32_t checks, bool& good) {
    constexpr int N = sizeof(F) / sizeof(uint32_t);
    affine<F> p;
    bool canonical = true;
    read_coordinate(words, true, canonical, p.x);
    read_coordinate(words + N, false, canonical, p.y);
    good = true;
    if (checks >= CHECK_ENCODING)
        good = canonical && (swap_bytes(words[0]) & FLAG_BITS) == 0 && !p.is_infinity();
    if (checks >= CHECK_CURVE && good) good = p.y * p.y == p.x * p.x * p.x + curve_b(p.x);
    return p;
}

CUZK_HD void write_coordinate(const fp& a, uint32_t* words) {
    const fp plain = from_montgomery(a);
    CUZK_UNROLL
    for (int i = 0; i < 12; i++) words[11 - i] = swap_bytes(plain.v[i]);
}
CUZK_HD void write_coordinate(const fp2& a, uint32_t* words) {
    write_coordinate(a.c1, words);
    write_coordinate(a.c0, words + 12);
}

// The words of a point's encoding; infinity has its flag.
template <class F>
CUZK_HD void encode_point(const affine<F>& p, uint32_t* words) {
    write_coordinate(p.x, words);
    write_coordinate(p.y, words + sizeof(F) / sizeof(uint32_t));
    if (p.is_infinity()) words[0] = 0x40;
}

// Whether r P is infinity, r the order of the subgroup. Infinity passes.
template <class F>
CUZK_HD bool is_in_subgroup(const affine<F>& p) {
    uint32_t r[8];
    CUZK_UNROLL
    for (int i = 0; i < 8; i++) r[i] = fr_params::modulus(i);
    return multiply(xyzz<F>::from(p), r, 8).is_infinity();
}

}  // namespace cuzk
