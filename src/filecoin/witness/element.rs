// SPDX-License-Identifier: MIT OR Apache-2.0
//! Field elements whose bits are used: the value and its canonical form side by side.

use blstrs::Scalar;
use ff::PrimeField;

use super::sink::Sink;
use super::word::Word;

/// Bits of the scalar field's modulus.
const BITS: u32 = Scalar::NUM_BITS;

/// A field element and the 32 bytes of its canonical form, little-endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Element {
    value: Scalar,
    bytes: [u8; 32],
}

impl Element {
    /// Reads the canonical form; nothing when it is not below the modulus.
    pub fn from_bytes(bytes: [u8; 32]) -> Option<Self> {
        let value = Scalar::from_repr_vartime(bytes)?;
        Some(Self { value, bytes })
    }

    /// Packs a SHA-256 digest: its bytes as a little-endian number, without the two top bits.
    pub fn from_digest(words: [u32; 8]) -> Self {
        let mut bytes = [0; 32];
        for (four, word) in bytes.chunks_exact_mut(4).zip(words) {
            four.copy_from_slice(&word.to_be_bytes());
        }
        bytes[31] &= 0x3f;
        // 254 bits are below the modulus.
        let value = Scalar::from_repr_vartime(bytes).unwrap_or_default();
        Self { value, bytes }
    }

    /// The element.
    pub fn value(&self) -> Scalar {
        self.value
    }

    /// Allocates its bits, the least significant first, and gives them as SHA-256 reads them:
    /// the bytes in their order, filled up to 256 bits by a constant zero.
    pub fn unpack(&self, sink: &mut impl Sink) -> [Word; 8] {
        let mut rest = BITS;
        for eight in self.bytes.chunks_exact(8) {
            let n = rest.min(64);
            sink.bits(u64::from_le_bytes(std::array::from_fn(|i| eight[i])), n);
            rest -= n;
        }
        self.words()
    }

    /// Its bits, allocated before, as SHA-256 reads them.
    pub fn words(&self) -> [Word; 8] {
        std::array::from_fn(|i| {
            let four = std::array::from_fn(|byte| self.bytes[4 * i + byte]);
            let constant = if i == 7 { 0x80 } else { 0 };
            Word::new(u32::from_be_bytes(four), constant)
        })
    }
}
