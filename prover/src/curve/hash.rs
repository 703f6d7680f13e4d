// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalars derived from bytes by a standard hash.

use super::Scalar;
use ff::Field;

/// Bytes that one scalar is reduced from: 16 more than it has, so that no value is preferred.
const WIDE_BYTES: usize = 48;

/// `N` scalars from a message: `hash_to_field` of RFC 9380, section 5.2, for the scalar field,
/// with `expand_message_xmd` over SHA-256 and L = 48.
///
/// `domain` separates uses; it has 255 bytes at most, and `N` is 170 at most.
pub fn hash_to_scalars<const N: usize>(message: &[u8], domain: &[u8]) -> [Scalar; N] {
    const { assert!(N * WIDE_BYTES <= 255 * 32) };
    let mut bytes = [[0u8; WIDE_BYTES]; N];
    // SAFETY: writes as many bytes as the array has, reads as many as the slices have.
    unsafe {
        blst::blst_expand_message_xmd(
            bytes.as_mut_ptr().cast(),
            N * WIDE_BYTES,
            message.as_ptr(),
            message.len(),
            domain.as_ptr(),
            domain.len(),
        );
    }
    let shift = Scalar::from(1 << 32);
    bytes.map(|bytes| {
        bytes.chunks_exact(4).fold(Scalar::ZERO, |sum, limb| {
            let limb = limb
                .iter()
                .fold(0, |limb, byte| limb << 8 | u64::from(*byte));
            sum * shift + Scalar::from(limb)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::PrimeField;

    #[test]
    fn scalars_are_those_of_the_standard() {
        // Made by Python: hashlib's SHA-256 in the construction of RFC 9380, section 5.3.1.
        let [first, second]: [Scalar; 2] = hash_to_scalars(&[7; 32], b"TEST-DOMAIN");
        let hex = |scalar: Scalar| {
            let mut bytes = scalar.to_repr();
            bytes.reverse();
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        assert_eq!(
            hex(first),
            "136e44dedd38337888238d8db616f25b6d589602490afb3cbcfdaa44b935ea7f"
        );
        assert_eq!(
            hex(second),
            "0e4b30e4c9770132be430b29ce048048ad423933c14c13a4d54ecb96cb4f51be"
        );
    }
}
