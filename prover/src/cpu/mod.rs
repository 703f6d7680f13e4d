// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proving on the CPU: blst's field arithmetic, rayon's threads.

pub mod evaluate;
