// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blinding scalars of a proof.

use ff::PrimeField;
use rand_core::{OsRng, RngCore};

use crate::curve::Scalar;
use crate::{Error, ErrorKind, Result};

/// A uniform scalar from the operating system's generator.
pub fn random_scalar() -> Result<Scalar> {
    scalar_from(&mut OsRng)
}

/// Draws 255 bits until they are below the modulus: about every second time.
fn scalar_from(generator: &mut impl RngCore) -> Result<Scalar> {
    loop {
        let mut bytes = [0u8; 32];
        generator.try_fill_bytes(&mut bytes).map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("the operating system gave no random bytes: {error}"),
            )
        })?;
        bytes[31] &= 0x7f;
        let scalar: Option<Scalar> = Scalar::from_repr_vartime(bytes);
        if let Some(scalar) = scalar {
            return Ok(scalar);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::impls;

    /// Gives blocks of 32 bytes in turn, then fails.
    struct Blocks(Vec<[u8; 32]>);

    impl RngCore for Blocks {
        fn next_u32(&mut self) -> u32 {
            impls::next_u32_via_fill(self)
        }

        fn next_u64(&mut self) -> u64 {
            impls::next_u64_via_fill(self)
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            self.try_fill_bytes(bytes).unwrap();
        }

        fn try_fill_bytes(
            &mut self,
            bytes: &mut [u8],
        ) -> std::result::Result<(), rand_core::Error> {
            if self.0.is_empty() {
                return Err(std::num::NonZeroU32::MIN.into());
            }
            bytes.copy_from_slice(&self.0.remove(0));
            Ok(())
        }
    }

    #[test]
    fn values_above_the_modulus_are_drawn_again_and_failure_is_an_error() {
        let mut seven = [0u8; 32];
        (seven[0], seven[31]) = (7, 0x80);
        let mut generator = Blocks(vec![[0xff; 32], seven]);
        assert_eq!(scalar_from(&mut generator).unwrap(), Scalar::from(7u64));
        let error = scalar_from(&mut generator).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the operating system gave no"),
            "{error}"
        );
    }

    #[test]
    fn scalars_differ_and_fill_the_field() {
        let scalars: Vec<Scalar> = (0..64).map(|_| random_scalar().unwrap()).collect();
        for (i, scalar) in scalars.iter().enumerate() {
            assert!(!scalars[..i].contains(scalar));
        }
        // The top bits are not stuck: 0x73 is the modulus's first byte.
        let tops: Vec<u8> = scalars.iter().map(|scalar| scalar.to_repr()[31]).collect();
        assert!(tops.iter().any(|top| *top >= 0x40) && tops.iter().any(|top| *top < 0x20));
    }
}
