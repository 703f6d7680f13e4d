// SPDX-License-Identifier: MIT OR Apache-2.0
//! The doors through which bytes of others come in, each as a function of any bytes. They panic
//! when the library breaks its word: answers are values or errors, never a crash.
//!
//! `make fuzz` searches with libFuzzer; `tests/corpus.rs` replays the corpus and mutates it.

use std::path::PathBuf;

pub mod c1;
pub mod calls;
pub mod circuit;
pub mod parameters;
mod small;

/// A door.
#[derive(Clone, Copy)]
pub struct Door {
    /// Its name, that of its program and of its corpus.
    pub name: &'static str,
    /// Gives it one input.
    pub run: fn(&[u8]),
    /// What it is shown first.
    seeds: fn() -> Vec<Vec<u8>>,
    /// What searches found worth keeping: an input a line, in hexadecimal digits.
    corpus: &'static str,
}

/// All doors.
pub const DOORS: [Door; 4] = [
    Door {
        name: "c1",
        run: c1::run,
        seeds: c1::seeds,
        corpus: include_str!("../corpus/c1.hex"),
    },
    Door {
        name: "parameters",
        run: parameters::run,
        seeds: parameters::seeds,
        corpus: include_str!("../corpus/parameters.hex"),
    },
    Door {
        name: "circuit",
        run: circuit::run,
        seeds: circuit::seeds,
        corpus: include_str!("../corpus/circuit.hex"),
    },
    Door {
        name: "calls",
        run: calls::run,
        seeds: calls::seeds,
        corpus: include_str!("../corpus/calls.hex"),
    },
];

impl Door {
    /// The door of that name.
    pub fn named(name: &str) -> Self {
        let known = DOORS.into_iter().find(|door| door.name == name);
        known.expect("the name of a door")
    }

    /// Its seeds and its corpus.
    pub fn inputs(&self) -> Vec<Vec<u8>> {
        let digit = |digit: u8| char::from(digit).to_digit(16).expect("a hexadecimal digit") as u8;
        let line = |line: &str| -> Vec<u8> {
            let pairs = line.as_bytes().chunks_exact(2);
            pairs
                .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
                .collect()
        };
        let mut inputs = (self.seeds)();
        inputs.extend(self.corpus.lines().map(line));
        inputs
    }

    /// Writes its inputs into the folder that CUZK_FUZZ_SEEDS names, for a search to start from.
    pub fn write_inputs(&self) {
        let Some(folder) = std::env::var_os("CUZK_FUZZ_SEEDS").map(PathBuf::from) else {
            return;
        };
        for (i, input) in self.inputs().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i}")), input).expect("a folder for seeds");
        }
    }
}

/// Takes bytes from the front of an input; an input that has ended gives zeros.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    /// The next three bytes as a number, below `n` (0 if `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        let number = (0..3).fold(0, |number, _| number << 8 | usize::from(self.byte()));
        number % n.max(1)
    }

    /// The next `n` bytes, or what is left.
    pub fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        front
    }
}
