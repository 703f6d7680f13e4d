// SPDX-License-Identifier: MIT OR Apache-2.0
// Fp, BLS12-381's base field: 381 bits in 12 limbs, see montgomery.h for form and ranges.
#pragma once
#include "constants.h"
#include "montgomery.h"

namespace cuzk {

using fp = prime_field<fp_params>;
static_assert(sizeof(fp) == 48, "an Fp element is 48 bytes, as blst_fp");

// 1/a, canonical; 0 for 0. In: below 2 p.
//
// Bernstein and Yang's divsteps (ePrint 2019/266) in the half-delta variant (Wuille's bounds: 881
// steps suffice for 381 bits), 30 steps a batch on 32-bit words, numbers in 13 signed limbs of 30
// bits. About ten times faster on the device than Fermat's power.
CUZK_COLD fp inverse(fp a) {
    constexpr int L = 13;
    constexpr int32_t MASK = 0x3fffffff;
    a = reduce(a);
    int32_t f[L], g[L], d[L], e[L];
    CUZK_UNROLL
    for (int i = 0; i < L; i++) {
        f[i] = fp_params::modulus30(i);
        g[i] = (int32_t)limbs_bits<12>(a.v, 30 * i, 30);
        d[i] = 0;
        e[i] = i == 0;
    }
    int32_t zeta = -1;  // -(delta + 1/2), delta = 1/2
    CUZK_NO_UNROLL
    for (int batch = 0; batch < 30; batch++) {
        int32_t any = 0;
        CUZK_UNROLL
        for (int i = 0; i < L; i++) any |= g[i];
        if (any == 0) break;

        // 30 steps on the low words give a matrix (u v; q r), scaled by 2^30.
        uint32_t u = 1, v = 0, q = 0, r = 1;
        uint32_t F = (uint32_t)f[0] | (uint32_t)f[1] << 30,
                 G = (uint32_t)g[0] | (uint32_t)g[1] << 30;
#ifdef __CUDACC__
#pragma unroll 10
#endif
        for (int i = 0; i < 30; i++) {
            uint32_t swap = (uint32_t)(zeta >> 31), odd = 0u - (G & 1);
            uint32_t x = (F ^ swap) - swap, y = (u ^ swap) - swap, z = (v ^ swap) - swap;
            G += x & odd;
            q += y & odd;
            r += z & odd;
            swap &= odd;
            zeta = (zeta ^ (int32_t)swap) - 1;
            F += G & swap;
            u += q & swap;
            v += r & swap;
            G >>= 1;
            u <<= 1;
            v <<= 1;
        }
        int64_t U = (int32_t)u, V = (int32_t)v, Q = (int32_t)q, R = (int32_t)r;

        // (d, e) times the matrix over 2^30 mod p: add the multiples of p that clear the low 30
        // bits.
        int32_t sign_d = d[L - 1] >> 31, sign_e = e[L - 1] >> 31;
        uint32_t md = (u & (uint32_t)sign_d) + (v & (uint32_t)sign_e);
        uint32_t me = (q & (uint32_t)sign_d) + (r & (uint32_t)sign_e);
        int64_t cd = U * d[0] + V * e[0], ce = Q * d[0] + R * e[0];
        md -= ((uint32_t)fp_params::INV30 * (uint32_t)cd + md) & MASK;
        me -= ((uint32_t)fp_params::INV30 * (uint32_t)ce + me) & MASK;
        int64_t MD = (int32_t)md, ME = (int32_t)me;
        cd += MD * fp_params::modulus30(0);
        ce += ME * fp_params::modulus30(0);
        cd >>= 30;
        ce >>= 30;
        CUZK_UNROLL
        for (int i = 1; i < L; i++) {
            cd += U * d[i] + V * e[i] + MD * fp_params::modulus30(i);
            ce += Q * d[i] + R * e[i] + ME * fp_params::modulus30(i);
            d[i - 1] = (int32_t)cd & MASK;
            e[i - 1] = (int32_t)ce & MASK;
            cd >>= 30;
            ce >>= 30;
        }
        d[L - 1] = (int32_t)cd;
        e[L - 1] = (int32_t)ce;

        // (f, g) times the matrix over 2^30, exactly.
        cd = U * f[0] + V * g[0];
        ce = Q * f[0] + R * g[0];
        cd >>= 30;
        ce >>= 30;
        CUZK_UNROLL
        for (int i = 1; i < L; i++) {
            cd += U * f[i] + V * g[i];
            ce += Q * f[i] + R * g[i];
            f[i - 1] = (int32_t)cd & MASK;
            g[i - 1] = (int32_t)ce & MASK;
            cd >>= 30;
            ce >>= 30;
        }
        f[L - 1] = (int32_t)cd;
        g[L - 1] = (int32_t)ce;
    }

    // f is 1 or -1 (p when a is 0, and then d is 0); the inverse is d f, with d in (-2p, p).
    int32_t sign = f[L - 1] >> 31;
    int64_t carry = 0;
    uint32_t t[L + 1];
    CUZK_UNROLL
    for (int i = 0; i < L; i++) {
        carry += ((d[i] ^ sign) - sign) + 2 * (int64_t)fp_params::modulus30(i);
        t[i] = (uint32_t)carry & (i < L - 1 ? (uint32_t)MASK : ~0u);
        carry >>= 30;
    }
    t[L] = 0;
    fp x, r3;
    CUZK_UNROLL
    for (int w = 0; w < 12; w++) {
        int i = 32 * w / 30, s = 32 * w - 30 * i;
        uint64_t bits = (uint64_t)t[i] | (uint64_t)t[i + 1] << 30;
        if (i + 2 <= L) bits |= (uint64_t)t[i + 2] << 60;
        x.v[w] = (uint32_t)(bits >> s);
    }
    CUZK_UNROLL
    for (int i = 0; i < 12; i++) r3.v[i] = fp_params::r3(i);
    return reduce(mul_lazy(r3, x));  // x is below 4 p
}

}  // namespace cuzk
