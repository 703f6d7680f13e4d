// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eight integers at a time in the registers of AVX-512, with its 52-bit multiply-add (IFMA).
//!
//! An integer is N limbs of 52 bits, a register holding one limb of all eight lanes. Limbs are
//! signed and may be some bits too long between operations, which adds up to nothing near 63
//! bits; `carried` makes them 52 bits long, as factors must be.

// Compiled only where the compiler has these intrinsics (build.rs), whatever rust-version says.
#![allow(clippy::incompatible_msrv)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi64_mask, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_mask_mov_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

/// Integers side by side.
pub const LANES: usize = 8;

/// The bits of a limb.
pub const MASK: u64 = (1 << 52) - 1;

/// Eight integers in registers.
pub type Registers<const N: usize> = [__m512i; N];

/// The same in memory, where each lane can be reached.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Lanes<const N: usize>(Registers<N>);

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        // SAFETY: a register may have any bits.
        Self(unsafe { std::mem::zeroed() })
    }
}

/// Whether this processor has what the code here needs.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

impl<const N: usize> Lanes<N> {
    /// Into registers.
    #[inline(always)]
    pub fn registers(&self) -> Registers<N> {
        self.0
    }

    /// From registers.
    #[inline(always)]
    pub fn of(registers: Registers<N>) -> Self {
        Self(registers)
    }

    /// Limb i of all lanes, lane by lane.
    #[inline(always)]
    pub fn limbs(&self) -> &[[u64; LANES]; N] {
        // SAFETY: N registers are N times eight u64, of stricter alignment.
        unsafe { &*std::ptr::from_ref(&self.0).cast() }
    }

    /// The same, to change.
    #[inline(always)]
    pub fn limbs_mut(&mut self) -> &mut [[u64; LANES]; N] {
        // SAFETY: as in `limbs`; any bits are valid registers.
        unsafe { &mut *std::ptr::from_mut(&mut self.0).cast() }
    }
}

// No closures below: std's functions over arrays do not have the processor's features, so a
// closure that has them would not be inlined into them but called.

/// The same integer in all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn broadcast<const N: usize>(limbs: &[u64; N]) -> Registers<N> {
    let mut out = [_mm512_setzero_si512(); N];
    for i in 0..N {
        out[i] = _mm512_set1_epi64(limbs[i] as i64);
    }
    out
}

/// a + b, limb by limb.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn add<const N: usize>(a: &Registers<N>, b: &Registers<N>) -> Registers<N> {
    let mut out = *a;
    for i in 0..N {
        out[i] = _mm512_add_epi64(a[i], b[i]);
    }
    out
}

/// a - b, limb by limb.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn sub<const N: usize>(a: &Registers<N>, b: &Registers<N>) -> Registers<N> {
    let mut out = *a;
    for i in 0..N {
        out[i] = _mm512_sub_epi64(a[i], b[i]);
    }
    out
}

/// a where a lane's bit in `mask` is set, else b.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn select<const N: usize>(mask: u8, a: &Registers<N>, b: &Registers<N>) -> Registers<N> {
    let mut out = *b;
    for i in 0..N {
        out[i] = _mm512_mask_mov_epi64(b[i], mask, a[i]);
    }
    out
}

/// The same values with limbs of 52 bits; only the top limb of a negative value is negative.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn carried<const N: usize>(mut a: Registers<N>) -> Registers<N> {
    let mask = _mm512_set1_epi64(MASK as i64);
    for i in 0..N - 1 {
        a[i + 1] = _mm512_add_epi64(a[i + 1], _mm512_srai_epi64::<52>(a[i]));
        a[i] = _mm512_and_si512(a[i], mask);
    }
    a
}

/// a - b where that is not negative, else a. Limbs of a are 52 bits, as are those of the result.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn sub_if_not_less<const N: usize>(a: &Registers<N>, b: &[u64; N]) -> Registers<N> {
    let difference = carried(sub(a, &broadcast(b)));
    let negative = _mm512_cmplt_epi64_mask(difference[N - 1], _mm512_setzero_si512());
    select(negative, a, &difference)
}

/// (a b + m p) / 2^(52 N) for the m that makes this whole: a Montgomery product, below
/// a b / 2^(52 N) + p. `inverse` is -1/p mod 2^52. Limbs of both factors are 52 bits, those of
/// the result are not.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn mul<const N: usize>(
    a: &Registers<N>,
    b: &Registers<N>,
    modulus: &[u64; N],
    inverse: u64,
) -> Registers<N> {
    let zero = _mm512_setzero_si512();
    let inverse = _mm512_set1_epi64(inverse as i64);
    let modulus = broadcast(modulus);
    let mut t = [zero; N];
    for limb in b {
        let mut top = zero;
        // One limb's two halves after the other: the order that keeps t in registers.
        for j in 0..N - 1 {
            t[j] = _mm512_madd52lo_epu64(t[j], a[j], *limb);
            t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], a[j], *limb);
        }
        t[N - 1] = _mm512_madd52lo_epu64(t[N - 1], a[N - 1], *limb);
        top = _mm512_madd52hi_epu64(top, a[N - 1], *limb);
        let m = _mm512_madd52lo_epu64(zero, t[0], inverse);
        for j in 0..N - 1 {
            t[j] = _mm512_madd52lo_epu64(t[j], m, modulus[j]);
            t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], m, modulus[j]);
        }
        t[N - 1] = _mm512_madd52lo_epu64(t[N - 1], m, modulus[N - 1]);
        top = _mm512_madd52hi_epu64(top, m, modulus[N - 1]);
        let carry = _mm512_srli_epi64::<52>(t[0]);
        // Into another array: a shift in place would become a memmove and go through memory.
        let mut next = [top; N];
        next[..N - 1].copy_from_slice(&t[1..]);
        next[0] = _mm512_add_epi64(next[0], carry);
        t = next;
    }
    t
}
