// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalars seen as the limbs that they are in memory.

use rayon::prelude::*;

use super::Scalar;

/// The modulus, little-endian.
pub(super) const MODULUS: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// Scalars that one thread looks at before others help: fewer are not worth a hand-over.
const CHUNK: usize = 1 << 16;

/// The Montgomery form of a scalar: four little-endian limbs, below the modulus.
///
/// Equal scalars have equal limbs, so this is a key for tables that costs no conversion.
#[inline]
pub fn montgomery_limbs(scalar: &Scalar) -> [u64; 4] {
    // SAFETY: `Scalar` is a transparent wrapper of `blst_fr`, a C struct of four 64-bit limbs;
    // the module's assertions pin its size.
    unsafe { *std::ptr::from_ref(scalar).cast::<[u64; 4]>() }
}

/// Limbs that somebody else wrote, as scalars in Montgomery form; or the index of the first that
/// is not below the modulus.
pub fn scalars_from_limbs(limbs: &[[u64; 4]]) -> std::result::Result<&[Scalar], usize> {
    let first_in = |chunk: &[[u64; 4]]| chunk.iter().position(|limbs| !below_modulus(limbs));
    let first = if limbs.len() <= CHUNK {
        first_in(limbs)
    } else {
        limbs
            .par_chunks(CHUNK)
            .enumerate()
            .find_map_first(|(i, chunk)| first_in(chunk).map(|at| i * CHUNK + at))
    };
    match first {
        Some(index) => Err(index),
        // SAFETY: the same layout as in `montgomery_limbs`, and every value is canonical.
        None => Ok(unsafe { std::slice::from_raw_parts(limbs.as_ptr().cast(), limbs.len()) }),
    }
}

/// The scalar of limbs in Montgomery form that are known to be below the modulus.
#[inline]
pub(super) fn scalar_from_limbs(limbs: [u64; 4]) -> Scalar {
    // SAFETY: the same layout as in `montgomery_limbs`; the caller's arithmetic reduces.
    unsafe { *std::ptr::from_ref(&limbs).cast::<Scalar>() }
}

fn below_modulus(limbs: &[u64; 4]) -> bool {
    limbs.iter().rev().lt(MODULUS.iter().rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;

    #[test]
    fn limbs_of_scalars_are_scalars_again() {
        let scalars = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(77u64)];
        let limbs = scalars.map(|scalar| montgomery_limbs(&scalar));
        assert_eq!(scalars_from_limbs(&limbs), Ok(scalars.as_slice()));
        assert_eq!(scalars_from_limbs(&[]), Ok([].as_slice()));
    }

    #[test]
    fn the_first_value_not_below_the_modulus_is_found() {
        let mut largest = MODULUS;
        largest[0] -= 1;
        let mut above = MODULUS;
        above[0] = u64::MAX;
        let mut high = [0; 4];
        high[3] = MODULUS[3] + 1;
        assert!(scalars_from_limbs(&[largest]).is_ok());
        for bad in [MODULUS, above, high, [u64::MAX; 4]] {
            for len in [1, 2, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
                let mut limbs = vec![largest; len];
                assert_eq!(scalars_from_limbs(&limbs).map(<[Scalar]>::len), Ok(len));
                for at in [0, len / 2, len - 1] {
                    limbs[len - 1] = bad;
                    limbs[at] = bad;
                    assert_eq!(scalars_from_limbs(&limbs), Err(at));
                    limbs[at] = largest;
                }
            }
        }
    }
}
