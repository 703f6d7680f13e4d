// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proving on the CPU: blst's field arithmetic, rayon's threads.

pub mod affine;
mod backend;
pub mod evaluate;
pub mod field;
pub mod fixed_base;
pub mod fr;
#[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
mod ifma;
pub mod msm;
pub mod ntt;
#[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
mod octets;
mod quotient;
pub mod threads;

pub use backend::CpuBackend;

#[cfg(test)]
pub(crate) mod testing {
    use rand_xorshift::XorShiftRng;

    /// A generator whose seed is printed and can be given in CUZK_TEST_SEED.
    pub fn rng() -> XorShiftRng {
        use rand_core::SeedableRng;
        let seed = std::env::var("CUZK_TEST_SEED")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0x5eed);
        println!("CUZK_TEST_SEED={seed}");
        XorShiftRng::seed_from_u64(seed)
    }
}
