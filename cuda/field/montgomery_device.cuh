// SPDX-License-Identifier: MIT OR Apache-2.0
// Montgomery arithmetic on the device, in PTX carry chains over 32-bit limbs.
//
// The multiplier's currency is IMAD.WIDE.U32 (32 x 32 + 64 bits with carry in a predicate): ptxas
// makes one of each `mad.lo.cc`/`madc.hi.cc` pair. An Fp product is 288 of them, a squaring 222, an
// Fr product 112 (r's two low limbs are 1 and 2^32 - 1, so two products of each reduction step are
// additions). Products are summed in two windows, one for columns that begin at even limbs and one
// for odd, so that no two products of a row overlap and every row is one carry chain.
//
// Every helper is `asm volatile`: the compiler keeps volatile asm in program order, which is what
// keeps the unmodelled carry flag alive from one helper to the next. Never put a plain 64-bit
// addition between two helpers of one chain.
//
// What else ptxas wants (CUDA 13.0): a product whose low half is dead is split into IMAD and
// IMAD.HI, so the limb known to be zero is named as an addend; and a factor that ends in a negation
// is pushed into every low half, which unfuses all pairs, so the negation hides behind asm.
#pragma once
#include "../host_device.h"

namespace cuzk {
namespace ptx {

#define CUZK_PTX2(name, op)                                       \
    CUZK_DEVICE uint32_t name(uint32_t a, uint32_t b) {           \
        uint32_t r;                                               \
        asm volatile(op " %0,%1,%2;" : "=r"(r) : "r"(a), "r"(b)); \
        return r;                                                 \
    }
#define CUZK_PTX3(name, op)                                                  \
    CUZK_DEVICE uint32_t name(uint32_t a, uint32_t b, uint32_t c) {          \
        uint32_t r;                                                          \
        asm volatile(op " %0,%1,%2,%3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
        return r;                                                            \
    }
CUZK_PTX2(add_cc, "add.cc.u32")
CUZK_PTX2(addc_cc, "addc.cc.u32")
CUZK_PTX2(addc, "addc.u32")
CUZK_PTX2(sub_cc, "sub.cc.u32")
CUZK_PTX2(subc_cc, "subc.cc.u32")
CUZK_PTX2(subc, "subc.u32")
CUZK_PTX3(mad_lo_cc, "mad.lo.cc.u32")
CUZK_PTX3(madc_lo_cc, "madc.lo.cc.u32")
CUZK_PTX3(madc_hi_cc, "madc.hi.cc.u32")
#undef CUZK_PTX2
#undef CUZK_PTX3

// r = a + b, carry left in CC.
template <int N>
CUZK_DEVICE void add(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    r[0] = add_cc(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) r[i] = addc_cc(a[i], b[i]);
}

// r = a - b, borrow left in CC.
template <int N>
CUZK_DEVICE void sub(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    r[0] = sub_cc(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) r[i] = subc_cc(a[i], b[i]);
}

// A row: every second limb of x times y, added to consecutive pairs of acc.
// acc = products; nothing can carry.
template <int N>
CUZK_DEVICE void mul_row(uint32_t* acc, const uint32_t* x, uint32_t y) {
    CUZK_UNROLL
    for (int j = 0; j < N; j += 2) {
        uint64_t t = (uint64_t)x[j] * y;
        acc[j] = (uint32_t)t;
        acc[j + 1] = (uint32_t)(t >> 32);
    }
}

// acc += products; carry out in CC, and in from CC when CARRY_IN.
template <int N, bool CARRY_IN>
CUZK_DEVICE void mad_row(uint32_t* acc, const uint32_t* x, uint32_t y) {
    CUZK_UNROLL
    for (int j = 0; j < N; j += 2) {
        acc[j] = (j == 0 && !CARRY_IN) ? mad_lo_cc(x[j], y, acc[j]) : madc_lo_cc(x[j], y, acc[j]);
        acc[j + 1] = madc_hi_cc(x[j], y, acc[j + 1]);
    }
}

// acc = (acc >> 64 bits) + products + CC: a Montgomery step's shift for nothing.
template <int N>
CUZK_DEVICE void madc_row_shift(uint32_t* acc, const uint32_t* x, uint32_t y) {
    CUZK_UNROLL
    for (int j = 0; j < N - 2; j += 2) {
        acc[j] = madc_lo_cc(x[j], y, acc[j + 2]);
        acc[j + 1] = madc_hi_cc(x[j], y, acc[j + 3]);
    }
    acc[N - 2] = madc_lo_cc(x[N - 2], y, 0);
    acc[N - 1] = madc_hi_cc(x[N - 2], y, 0);
}

// The modulus as two rows: `even` limb j, `odd` limb j + 1.
template <class P>
CUZK_DEVICE void modulus_rows(uint32_t* even, uint32_t* odd) {
    CUZK_UNROLL
    for (int j = 0; j < P::N; j++) {
        even[j] = P::modulus(j);
        odd[j] = j + 1 < P::N ? P::modulus(j + 1) : 0;
    }
}

// A reduction factor of Fr is -t, hidden from ptxas (see above).
CUZK_DEVICE uint32_t hidden_negative(uint32_t t) {
    uint32_t r;
    asm("not.b32 %0,%1;" : "=r"(r) : "r"(t));
    return r + 1;
}

// One reduction step on windows X (limb 0 on) and Y (limb 1 on): adds a multiple of the modulus
// that makes X[0] zero.
template <class P>
CUZK_DEVICE void reduce_step(uint32_t* X, uint32_t* Y) {
    constexpr int N = P::N;
    uint32_t even[N], odd[N];
    modulus_rows<P>(even, odd);
    if constexpr (P::modulus(0) == 1 && P::modulus(1) == 0xffffffffu) {
        uint32_t t = X[0], f = hidden_negative(t);
        sub_cc(0, t);
        uint32_t high = subc(f, 0);  // f (2^32 - 1) = {t, f - (t != 0)}
        Y[0] = add_cc(Y[0], t);
        Y[1] = addc_cc(Y[1], high);
        mad_row<N - 2, true>(Y + 2, odd + 2, f);
        add_cc(X[0], f);
        X[1] = addc_cc(X[1], 0);
        mad_row<N - 2, true>(X + 2, even + 2, f);
        Y[N - 1] = addc(Y[N - 1], 0);
    } else {
        uint32_t f = X[0] * P::NEG_INV32;
        mad_row<N, false>(Y, odd, f);
        mad_row<N, false>(X, even, f);
        Y[N - 1] = addc(Y[N - 1], X[0]);  // X[0] is zero here; naming it keeps the pair fused
    }
}

// r = the two windows joined: limb k is A[k] + B[k + 1].
template <int N>
CUZK_DEVICE void join_windows(uint32_t* r, const uint32_t* A, const uint32_t* B) {
    r[0] = add_cc(A[0], B[1]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; i++) r[i] = addc_cc(A[i], B[i + 1]);
    r[N - 1] = addc(A[N - 1], 0);
}

// r = a b / R, reduction interleaved. In: a below ka m, b below kb m with ka kb m / R <= 1 and
// a + m < R; out: below 2 m. For Fp a and b may both be below 3 m; for Fr a must be canonical and b
// may be below 2 m (3 r > 2^256: the wrong order fails on rare values only).
template <class P>
CUZK_DEVICE void montgomery_mul(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    constexpr int N = P::N;
    uint32_t A[N], B[N];
    mul_row<N>(A, a, b[0]);
    mul_row<N>(B, a + 1, b[0]);
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        uint32_t *X = i & 1 ? B : A, *Y = i & 1 ? A : B;
        if (i) {
            X[0] = add_cc(X[0], Y[1]);
            madc_row_shift<N>(Y, a + 1, b[i]);
            mad_row<N, false>(X, a, b[i]);
            Y[N - 1] = addc(Y[N - 1], 0);
        }
        reduce_step<P>(X, Y);
    }
    join_windows<N>(r, A, B);
}

// T = a b, 2N limbs, unreduced: E holds the columns that begin at even limbs, O those at odd ones.
template <int N>
CUZK_DEVICE void mul_wide(uint32_t* T, const uint32_t* a, const uint32_t* b) {
    uint32_t E[2 * N], O[2 * N];
    mul_row<N>(E, a, b[0]);
    mul_row<N>(O, a + 1, b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) {
        // X's row cannot carry: its top limbs are the carry that Y's row left there, and zero.
        uint32_t *X = i & 1 ? E + i + 1 : O + i, *Y = i & 1 ? O + i - 1 : E + i;
        if (i == 1) X[N - 2] = 0;
        X[N - 1] = 0;
        mad_row<N, false>(X, a + 1, b[i]);
        mad_row<N, false>(Y, a, b[i]);
        Y[N] = addc(0, 0);
    }
    T[0] = E[0];
    T[1] = add_cc(E[1], O[0]);
    CUZK_UNROLL
    for (int i = 2; i < 2 * N; i++) T[i] = addc_cc(E[i], O[i - 1]);
}

// T = a^2, 2N limbs: row i is a_i times {a_i, 2 a_(i+1), 2 a_(i+2), ...}. In: 2 a < 2^(32 N).
template <int N>
CUZK_DEVICE void square_wide(uint32_t* T, const uint32_t* a) {
    uint32_t *E = T, O[2 * N], doubled[N];
    CUZK_UNROLL
    for (int i = 0; i < 2 * N; i++) O[i] = E[i] = 0;
    CUZK_UNROLL
    for (int i = 1; i < N; i++) doubled[i] = __funnelshift_l(a[i - 1], a[i], 1);
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        uint32_t row[N];
        row[i] = a[i];
        CUZK_UNROLL
        for (int j = i + 1; j < N; j++) row[j] = j == i + 1 ? a[j] << 1 : doubled[j];
        if (i == 0) {
            mul_row<N>(E, row, a[0]);
            mul_row<N - 1>(O, row + 1, a[0]);
            continue;
        }
        int top = 0;
        CUZK_UNROLL
        for (int j = i; j < N; j += 2) {
            E[i + j] =
                j == i ? mad_lo_cc(row[j], a[i], E[i + j]) : madc_lo_cc(row[j], a[i], E[i + j]);
            E[i + j + 1] = madc_hi_cc(row[j], a[i], E[i + j + 1]);
            top = i + j + 2;
        }
        if (!(i & 1) && top < 2 * N) E[top] = addc(0, 0);
        top = 0;
        CUZK_UNROLL
        for (int j = i + 1; j < N; j += 2) {
            O[i + j - 1] = j == i + 1 ? mad_lo_cc(row[j], a[i], O[i + j - 1])
                                      : madc_lo_cc(row[j], a[i], O[i + j - 1]);
            O[i + j] = madc_hi_cc(row[j], a[i], O[i + j]);
            top = i + j + 1;
        }
        if ((i & 1) && top && top < 2 * N) O[top] = addc(0, 0);
    }
    T[1] = add_cc(E[1], O[0]);
    CUZK_UNROLL
    for (int i = 2; i < 2 * N; i++) T[i] = addc_cc(E[i], O[i - 1]);
}

// r = T / R: reduces the low half in a sliding window, then adds the high half. Out: below 2 m when
// T < m R.
template <class P>
CUZK_DEVICE void montgomery_reduce(uint32_t* r, const uint32_t* T) {
    constexpr int N = P::N;
    uint32_t A[N], B[N], even[N], odd[N];
    modulus_rows<P>(even, odd);
    CUZK_UNROLL
    for (int i = 0; i < N; i++) A[i] = T[i];
    CUZK_UNROLL
    for (int i = 0; i < N; i++) B[i] = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) {
        uint32_t *X = i & 1 ? B : A, *Y = i & 1 ? A : B;
        if (i == 0) {
            uint32_t f = X[0] * P::NEG_INV32;
            mul_row<N>(Y, odd, f);
            mad_row<N, false>(X, even, f);
            Y[N - 1] = addc(Y[N - 1], X[0]);
        } else {
            X[0] = add_cc(X[0], Y[1]);
            uint32_t f = X[0] * P::NEG_INV32;
            madc_row_shift<N>(Y, odd, f);
            mad_row<N, false>(X, even, f);
            Y[N - 1] = addc(Y[N - 1], X[0]);
        }
    }
    uint32_t low[N];
    join_windows<N>(low, A, B);
    add<N>(r, low, T + N);
}

// r0 + r1 u = (a0 + a1 u)(b0 + b1 u) / R with u^2 = -1 (Fp only), Karatsuba's way: three products
// and two reductions, 720 wide products where two sums of two products take 864. In: all below 2 m,
// 8 m < R; out: below 2 m.
template <class P>
CUZK_DEVICE void montgomery_mul_complex(uint32_t* r0, uint32_t* r1, const uint32_t* a0,
                                        const uint32_t* a1, const uint32_t* b0,
                                        const uint32_t* b1) {
    constexpr int N = P::N;
    uint32_t low[2 * N], high[2 * N], both[2 * N], a[N], b[N];
    add<N>(a, a0, a1);
    add<N>(b, b0, b1);
    mul_wide<N>(low, a0, b0);
    mul_wide<N>(high, a1, b1);
    mul_wide<N>(both, a, b);
    sub<2 * N>(both, both, low);
    sub<2 * N>(both, both, high);
    montgomery_reduce<P>(r1, both);
    // The difference may be negative: then m R more.
    sub<2 * N>(low, low, high);
    const uint32_t negative = subc(0, 0);
    low[N] = add_cc(low[N], P::modulus(0) & negative);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) low[N + i] = addc_cc(low[N + i], P::modulus(i) & negative);
    montgomery_reduce<P>(r0, low);
}

// a in [0, 2 M) -> [0, M), M the modulus or, for TWICE, its double.
template <class P, bool TWICE>
CUZK_DEVICE void subtract_once(uint32_t* a) {
    constexpr int N = P::N;
    uint32_t t[N];
    t[0] = sub_cc(a[0], TWICE ? P::modulus2(0) : P::modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < N; i++) t[i] = subc_cc(a[i], TWICE ? P::modulus2(i) : P::modulus(i));
    uint32_t borrow = subc(0, 0);
    CUZK_UNROLL
    for (int i = 0; i < N; i++) a[i] = borrow ? a[i] : t[i];
}

}  // namespace ptx
}  // namespace cuzk
