// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the searches of `make fuzz` found worth keeping, again; and mutations of it by a generator
//! whose seed CUZK_TEST_SEED gives. A failure says the input in hexadecimal digits: write its bytes
//! to a file and run the door's program on it, or add the line to its corpus.

use std::panic::{catch_unwind, resume_unwind};

use rand_core::{RngCore, SeedableRng};
use rand_xorshift::XorShiftRng;

use cuzk_fuzz::Door;

/// Runs the door on its seeds, its corpus, and `rounds` mutations of both.
fn door(name: &str, rounds: usize) {
    let Door { run, .. } = Door::named(name);
    let inputs = Door::named(name).inputs();
    let run = |input: &[u8]| {
        if let Err(payload) = catch_unwind(|| run(input)) {
            let digits: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("the input of {name} that failed: {digits}");
            resume_unwind(payload);
        }
    };
    inputs.iter().for_each(|input| run(input));

    let seed = std::env::var("CUZK_TEST_SEED");
    let seed = seed
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0x5eed);
    println!("CUZK_TEST_SEED={seed}");
    let mut random = XorShiftRng::seed_from_u64(seed);
    for _ in 0..rounds {
        let at = random.next_u32() as usize % inputs.len();
        let mut input = inputs[at].clone();
        for _ in 0..1 + random.next_u32() % 4 {
            mutate(&mut input, &mut random);
        }
        run(&input);
    }
}

fn mutate(input: &mut Vec<u8>, random: &mut XorShiftRng) {
    let mut below = |n: usize| random.next_u32() as usize % n.max(1);
    let at = below(input.len() + 1);
    let n = below(9).min(input.len() - at);
    match below(6) {
        0 if at < input.len() => input[at] ^= 1 << below(8),
        1 if at < input.len() => input[at] = [0, 1, 0x7f, 0x80, 0xff][below(5)],
        2 => drop(input.drain(at..at + n)),
        3 => {
            let copy = input[at..at + n].to_vec();
            let to = below(input.len() + 1);
            input.splice(to..to, copy);
        }
        4 => {
            let bytes: Vec<u8> = (0..=below(4)).map(|_| below(256) as u8).collect();
            input.splice(at..at, bytes);
        }
        _ if at < input.len() => input[at] = below(256) as u8,
        _ => {}
    }
}

#[test]
fn commit_1_outputs_are_values_or_errors() {
    door("c1", 2000);
}

#[test]
fn parameter_files_are_good_or_refused() {
    door("parameters", 3000);
}

#[test]
fn saved_circuits_come_back_or_are_refused() {
    door("circuit", 100_000);
}

#[test]
fn calls_in_any_order_are_answered() {
    door("calls", 400);
}
