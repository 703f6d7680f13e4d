// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]

use cuzk_fuzz::Door;

libfuzzer_sys::fuzz_target!(
    init: Door::named("circuit").write_inputs(),
    |input: &[u8]| cuzk_fuzz::circuit::run(input)
);
