// SPDX-License-Identifier: MIT OR Apache-2.0
//! From rows to tokens, and from tokens to operations.

use std::collections::HashMap;

use super::super::piece::Piece;
use super::super::rows::Shift;
use super::super::CompiledCircuit;
use super::bytes::{put_number, put_signed};
use super::program::{COPY, COPY_AGAIN, NEW, OLD};

/// Tokens by whose equality rows that may be copied are found.
const SEED: usize = 4;
/// How many places with the same seed are looked at, the latest first.
const MOST_TRIED: usize = 32;

/// Appends a piece of a circuit.
pub(super) fn put_piece(body: &mut Vec<u8>, circuit: &CompiledCircuit, piece: &Piece) {
    put_number(body, piece.rows as u64);
    put_number(body, piece.copies as u64);
    if piece.copies > 1 {
        let Shift {
            inputs,
            own_inputs,
            own_aux,
            input,
            aux,
        } = piece.stride;
        for number in [own_inputs, own_aux - inputs, input, aux] {
            put_number(body, number.into());
        }
    }
    let mut tokens = Tokens::default();
    let rows = piece.first_row..piece.first_row + piece.rows;
    let [a, b, c] = [0, 1, 2].map(|which| circuit.rows(which, rows.clone()));
    for ((a, b), c) in a.zip(b).zip(c) {
        tokens.push([a.unzip(), b.unzip(), c.unzip()]);
    }
    tokens.put_operations(body);
}

/// Columns and coefficient indices of a row in one matrix.
type Terms = (Vec<u32>, Vec<u32>);

/// The rows so far.
#[derive(Default)]
struct Tokens {
    /// Classes by the numbers of their terms and coefficients.
    classes: HashMap<Vec<u32>, u32>,
    /// The columns of the last row of each class.
    last: Vec<[Vec<u32>; 3]>,
    /// Tokens by class and moves.
    numbers: HashMap<(u32, Vec<(i64, usize)>), u32>,
    tokens: Vec<Token>,
    /// The token of every row.
    rows: Vec<u32>,
}

/// A token as it is written where it comes first.
struct Token {
    class: u32,
    /// The class's definition, when it is new too.
    definition: Vec<u8>,
    moves: Vec<u8>,
}

impl Tokens {
    fn push(&mut self, row: [Terms; 3]) {
        let mut key = Vec::new();
        for (_, coefficients) in &row {
            key.push(coefficients.len() as u32);
            key.extend_from_slice(coefficients);
        }
        let mut definition = Vec::new();
        let class = match self.classes.get(&key) {
            Some(&class) => class,
            None => {
                let class = self.last.len() as u32;
                for (columns, coefficients) in &row {
                    put_class(&mut definition, columns, coefficients);
                }
                self.last.push(row.clone().map(|(columns, _)| columns));
                self.classes.insert(key, class);
                class
            }
        };
        let mut moves = Vec::new();
        for (last, (columns, _)) in self.last[class as usize].iter_mut().zip(row) {
            let first = moves.len();
            for (last, column) in last.iter_mut().zip(columns) {
                let distance = i64::from(column) - i64::from(*last);
                *last = column;
                match moves[first..].last_mut() {
                    Some((same, terms)) if *same == distance => *terms += 1,
                    _ => moves.push((distance, 1)),
                }
            }
        }
        let tokens = &mut self.tokens;
        let number = *self
            .numbers
            .entry((class, moves))
            .or_insert_with_key(|key| {
                let mut moves = Vec::new();
                for &(distance, terms) in &key.1 {
                    put_signed(&mut moves, distance);
                    put_number(&mut moves, terms as u64);
                }
                tokens.push(Token {
                    class,
                    definition,
                    moves,
                });
                tokens.len() as u32 - 1
            });
        self.rows.push(number);
    }

    fn put_operations(&self, body: &mut Vec<u8>) {
        let mut places = Places::default();
        let (mut defined, mut classes) = (0, 0);
        let mut last_distance = 0;
        let mut row = 0;
        while row < self.rows.len() {
            let (len, distance) = places.longest_copy(&self.rows, row);
            let end = row + len.max(1);
            let token = self.rows[row];
            if len > 0 {
                let len = (len as u64) << 2;
                if distance == last_distance {
                    put_number(body, len | COPY_AGAIN);
                } else {
                    put_number(body, len | COPY);
                    put_number(body, distance as u64);
                }
                last_distance = distance;
            } else if token < defined {
                put_number(body, u64::from(defined - 1 - token) << 2 | OLD);
            } else {
                let Token {
                    class,
                    definition,
                    moves,
                } = &self.tokens[token as usize];
                if *class == classes {
                    put_number(body, NEW);
                    body.extend_from_slice(definition);
                    classes += 1;
                } else {
                    put_number(body, u64::from(classes - class) << 2 | NEW);
                }
                body.extend_from_slice(moves);
                defined += 1;
            }
            for row in row..end {
                places.add(&self.rows, row);
            }
            row = end;
        }
    }
}

/// A class's coefficients and the columns of its first row, as runs.
fn put_class(bytes: &mut Vec<u8>, columns: &[u32], coefficients: &[u32]) {
    put_number(bytes, coefficients.len() as u64);
    let steps = |numbers: &[u32], mut last: u32| {
        let mut runs: Vec<(i64, u64)> = Vec::new();
        for &number in numbers {
            let step = i64::from(number) - i64::from(last);
            last = number;
            match runs.last_mut() {
                Some((same, times)) if *same == step => *times += 1,
                _ => runs.push((step, 1)),
            }
        }
        runs
    };
    for (step, times) in steps(coefficients, 0) {
        put_signed(bytes, step);
        put_number(bytes, times);
    }
    if let Some((&first, rest)) = columns.split_first() {
        put_number(bytes, first.into());
        for (step, times) in steps(rest, first) {
            // Columns ascend.
            put_number(bytes, step as u64);
            put_number(bytes, times);
        }
    }
}

/// Where each seed is among the rows.
#[derive(Default)]
struct Places(HashMap<[u32; SEED], Vec<u32>>);

impl Places {
    fn seed(rows: &[u32], row: usize) -> Option<[u32; SEED]> {
        rows.get(row..)?.first_chunk().copied()
    }

    fn add(&mut self, rows: &[u32], row: usize) {
        if let Some(seed) = Self::seed(rows, row) {
            let places = self.0.entry(seed).or_default();
            // Thinned out where there are many, so that old ones stay within reach.
            if places.len() < 2 * MOST_TRIED || row % 16 == 0 {
                places.push(row as u32);
            }
        }
    }

    /// The longest copy of earlier rows that begins at a row, and its distance; 0 for none.
    fn longest_copy(&self, rows: &[u32], row: usize) -> (usize, usize) {
        let places = Self::seed(rows, row).and_then(|seed| self.0.get(&seed));
        let mut best = (0, 0);
        for &place in places.into_iter().flatten().rev().take(MOST_TRIED) {
            let place = place as usize;
            let same = rows[row..].iter().zip(&rows[place..]);
            let len = same.take_while(|(here, there)| here == there).count();
            if len > best.0 {
                best = (len, row - place);
            }
        }
        best
    }
}
