// SPDX-License-Identifier: MIT OR Apache-2.0

//! What is written down of parameter files is what the circuits need: their sections' counts, and
//! with them the files' sizes.

use cuzk::filecoin::params::srs_shape;
use cuzk::filecoin::{porep, SectorSize};

fn counts_are_those_of_the_circuit(size: SectorSize) {
    let circuit = porep::load(size).unwrap();
    assert_eq!(srs_shape(size), circuit.srs_shape(), "{size}");
}

#[test]
fn parameters_of_2kib_have_the_counts_of_the_circuit() {
    counts_are_those_of_the_circuit(SectorSize::Kib2);
}

#[test]
fn parameters_of_8mib_have_the_counts_of_the_circuit() {
    counts_are_those_of_the_circuit(SectorSize::Mib8);
}

#[test]
fn parameters_of_512mib_have_the_counts_of_the_circuit() {
    counts_are_those_of_the_circuit(SectorSize::Mib512);
}

#[test]
fn parameters_of_32gib_have_the_counts_of_the_circuit() {
    counts_are_those_of_the_circuit(SectorSize::Gib32);
}

#[test]
fn parameters_of_64gib_have_the_counts_of_the_circuit() {
    counts_are_those_of_the_circuit(SectorSize::Gib64);
}

#[test]
fn file_sizes_follow_from_the_counts() {
    assert_eq!(srs_shape(SectorSize::Kib2).file_bytes(), 1_114_707_768);
    assert_eq!(
        srs_shape(SectorSize::Gib32).file_bytes(),
        864 + 6 * 4 + 96 * 427_253_850 + 192 * 33_112_282
    );
}
