// SPDX-License-Identifier: MIT OR Apache-2.0
//! The saved form of a compiled circuit: some hundred kilobytes for a PoRep partition.
//!
//! Circuits consist of gadgets that repeat, one inside the other. Rows are cut into a class (the
//! numbers of their terms and the coefficients) and moves (how far their columns lie from those of
//! the last row of the same class). Within a gadget the moves repeat from copy to copy, so the
//! rows become a short list of different tokens and a sequence of them that mostly copies itself.
//!
//! # Format
//!
//! A head of 44 bytes: [`MAGIC`], the version as a little-endian u32, the BLAKE2b digest of the
//! body in 32 bytes. The body is made of numbers in LEB128 (seven bits a byte, the lowest first,
//! the top bit set in all but the last); a signed number n is 2 n, or -2 n - 1 when it is negative.
//!
//! - inputs, auxiliary variables;
//! - the count of coefficients behind one and minus one, then each: a byte with the length n of
//!   what follows, 128 more if the coefficient is its negative; n little-endian bytes;
//! - the count of pieces, then each: rows of a copy, copies, and if there are several, the first
//!   own input, the first own auxiliary variable and both strides; then operations until all rows
//!   of the first copy are there.
//!
//! An operation starts with a number whose two low bits are its kind; n is the rest.
//!
//! - 0, a row with a new token. The class is that which was defined n classes ago, counted from 1;
//!   for n = 0 it is new and follows: for A, B and C each the number of terms t, the coefficient
//!   indices as runs, and the columns as the first, if there is one, then runs. Here a run is a
//!   step, signed for coefficients, and how many indices or columns follow by it. Then for A, B
//!   and C each the moves: a signed distance and how many terms move by it, until all have.
//! - 1, a row with the token that was defined n tokens ago, counted from 0.
//! - 2, n rows with the tokens of those that lie a distance back, which follows; they may overlap.
//! - 3, the same at the distance of the last such operation.

mod bytes;
mod encode;
mod expand;
mod program;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use blstrs::Scalar;
use ff::Field;

use self::bytes::{invalid, put_number, Reader};
use self::expand::expand;
use self::program::{Budget, Program, WHAT};
use super::bitmap::or_bits;
use super::pack::AUX;
use super::piece::Piece;
use super::rows::Shift;
use super::{Bitmap, CircuitShape, CompiledCircuit, Origin, COEFFICIENT_ONE};
use crate::curve::montgomery_limbs;
use crate::{room, Result};

/// The first bytes of a saved circuit.
pub const MAGIC: [u8; 8] = *b"cuzkrows";

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u32 = 1;

const HEAD: usize = 44;
const DIGEST: usize = 32;

/// Set in a coefficient's length when its negative follows.
const NEGATIVE: u8 = 0x80;

/// The most pieces: more are no circuit's.
const MOST_PIECES: usize = 1 << 16;

impl CompiledCircuit {
    /// The saved form; the same for equal circuits whose pieces and coefficients are in one order.
    pub fn save(&self) -> Vec<u8> {
        let mut body = Vec::new();
        put_number(&mut body, self.shape.inputs as u64);
        put_number(&mut body, self.shape.aux as u64);
        put_number(&mut body, self.coefficients.len() as u64 - 2);
        for coefficient in &self.coefficients[2..] {
            put_coefficient(&mut body, coefficient);
        }
        put_number(&mut body, self.pieces.len() as u64);
        for piece in &self.pieces {
            encode::put_piece(&mut body, self, piece);
        }
        let mut saved = Vec::with_capacity(HEAD + body.len());
        saved.extend_from_slice(&MAGIC);
        saved.extend_from_slice(&VERSION.to_le_bytes());
        saved.extend_from_slice(&digest(&body));
        saved.extend_from_slice(&body);
        saved
    }

    /// Reads a saved form whose digest is right, into `most_bytes` of memory at most, as nearly as
    /// that is known beforehand. Works on rayon's current pool.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`; `InvalidArgument` with the cause for anything that is not the saved form of a
    /// circuit in this version: no bytes make it panic or allocate much more than `most_bytes`.
    pub fn load(saved: &[u8], most_bytes: u64) -> Result<Self> {
        let body = body(saved)?;
        if saved[HEAD - DIGEST..HEAD] != digest(body) {
            return Err(invalid("the digest is not that of the contents"));
        }
        Self::load_body(body, most_bytes)
    }

    /// As [`CompiledCircuit::load`] without the digest, to try how bad contents are refused.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn load_unverified(saved: &[u8], most_bytes: u64) -> Result<Self> {
        Self::load_body(body(saved)?, most_bytes)
    }

    fn load_body(body: &[u8], most_bytes: u64) -> Result<Self> {
        let mut reader = Reader::new(body);
        let mut budget = Budget::new(most_bytes);
        // Columns and rows fit 31 bits.
        let inputs = reader.count("inputs", 1, AUX as usize - 1)?;
        let aux = reader.count("auxiliary variables", 0, AUX as usize - 1 - inputs)?;
        let bitmap_words = 2 * (aux / 64) + inputs / 64;
        budget.take(9 * bitmap_words as u64)?;
        let coefficients = coefficients(&mut reader, &mut budget)?;

        let mut densities = Densities::new(inputs, aux)?;
        let mut shape = CircuitShape {
            inputs,
            aux,
            ..CircuitShape::default()
        };
        let count = reader.count("pieces", 1, MOST_PIECES)?;
        let mut pieces = Vec::new();
        for _ in 0..count {
            let rows = reader.count("rows of a piece", 1, AUX as usize - shape.rows)?;
            let copies = reader.count("copies", 1, (AUX as usize - shape.rows) / rows)?;
            let stride = match copies {
                1 => Shift::default(),
                _ => stride(&mut reader, inputs, aux, copies)?,
            };
            let program = Program::read(&mut reader, rows, coefficients.len(), &mut budget)?;
            let (matrices, bits) = expand(&program, inputs, aux, copies, stride)?;
            let piece = Piece {
                copies,
                stride,
                ..Piece::once(matrices, shape.rows)
            };
            densities.add(&piece, &bits, inputs);
            for (nonzeros, matrix) in shape.nonzeros.iter_mut().zip(&piece.matrices) {
                *nonzeros += copies * matrix.nonzeros();
            }
            shape.rows = piece.end_row();
            room::push(&mut pieces, WHAT, piece)?;
        }
        reader.end()?;
        let circuit = Self {
            id: Self::next_id(),
            origin: Origin::Saved,
            shape,
            pieces,
            coefficients,
            a_aux_density: Bitmap::try_from_words(densities.a_aux, aux)?,
            b_input_density: Bitmap::try_from_words(densities.b_input, inputs)?,
            b_aux_density: Bitmap::try_from_words(densities.b_aux, aux)?,
        };
        circuit.check_input_rows()?;
        Ok(circuit)
    }

    /// The last rows have to be those of the inputs.
    fn check_input_rows(&self) -> Result<()> {
        let CircuitShape { rows, inputs, .. } = self.shape;
        let Some(first) = rows.checked_sub(inputs) else {
            return Err(invalid(format!("{rows} rows, fewer than {inputs} inputs")));
        };
        let wrong = (0..3).any(|which| {
            self.rows(which, first..rows)
                .zip(0..)
                .any(|(row, input)| match which {
                    0 => !row.eq([(input, COEFFICIENT_ONE)]),
                    _ => row.count() != 0,
                })
        });
        match wrong {
            true => Err(invalid(format!(
                "the last {inputs} rows are not the inputs'"
            ))),
            false => Ok(()),
        }
    }
}

/// What follows the head.
fn body(saved: &[u8]) -> Result<&[u8]> {
    if saved.len() < HEAD || saved[..MAGIC.len()] != MAGIC {
        return Err(invalid(format!(
            "{} bytes that do not start as a saved circuit",
            saved.len()
        )));
    }
    let (head, body) = saved.split_at(HEAD);
    let version = head[MAGIC.len()..HEAD - DIGEST]
        .iter()
        .rev()
        .fold(0, |version: u32, byte| version << 8 | u32::from(*byte));
    if version != VERSION {
        return Err(invalid(format!(
            "version {version} of the format, this library reads {VERSION}"
        )));
    }
    Ok(body)
}

fn digest(body: &[u8]) -> [u8; DIGEST] {
    let hash = blake2b_simd::Params::new().hash_length(DIGEST).hash(body);
    let mut digest = [0; DIGEST];
    digest.copy_from_slice(hash.as_bytes());
    digest
}

/// Bytes up to the last that is not zero.
fn significant(bytes: &[u8; 32]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0);
    &bytes[..end.map_or(0, |last| last + 1)]
}

fn put_coefficient(body: &mut Vec<u8>, coefficient: &Scalar) {
    let (positive, negative) = (coefficient.to_bytes_le(), (-coefficient).to_bytes_le());
    let (positive, negative) = (significant(&positive), significant(&negative));
    let (bytes, sign) = match positive.len() <= negative.len() {
        true => (positive, 0),
        false => (negative, NEGATIVE),
    };
    body.push(bytes.len() as u8 | sign);
    body.extend_from_slice(bytes);
}

fn coefficients(reader: &mut Reader<'_>, budget: &mut Budget) -> Result<Vec<Scalar>> {
    let count = reader.count("coefficients", 0, AUX as usize)?;
    let mut coefficients = vec![Scalar::ONE, -Scalar::ONE];
    let mut seen: HashSet<_> = coefficients.iter().map(montgomery_limbs).collect();
    for index in 2..count + 2 {
        budget.take(64)?;
        let head = reader.byte()?;
        let bytes = reader.take(usize::from(head & !NEGATIVE))?;
        let mut canonical = [0; 32];
        let value = canonical
            .get_mut(..bytes.len())
            .map(|low| low.copy_from_slice(bytes))
            .and_then(|()| Option::<Scalar>::from(Scalar::from_bytes_le(&canonical)));
        let value = match (value, head & NEGATIVE) {
            (None, _) => return Err(invalid(format!("coefficient {index} is no scalar"))),
            (Some(value), 0) => value,
            (Some(value), _) => -value,
        };
        seen.try_reserve(1)
            .map_err(|_| room::missing::<[u64; 4]>(WHAT, seen.len() + 1))?;
        if value == Scalar::ZERO || !seen.insert(montgomery_limbs(&value)) {
            return Err(invalid(format!(
                "coefficient {index} is zero or there before"
            )));
        }
        room::push(&mut coefficients, WHAT, value)?;
    }
    Ok(coefficients)
}

/// What moves from copy to copy; all copies' variables are there.
fn stride(reader: &mut Reader<'_>, inputs: usize, aux: usize, copies: usize) -> Result<Shift> {
    let own_inputs = reader.count("inputs before a copy's own", 0, inputs)?;
    let own_aux = reader.count("auxiliary variables before a copy's own", 0, aux)?;
    let input = reader.count("own inputs", 0, (inputs - own_inputs) / copies)?;
    let aux = reader.count("own auxiliary variables", 0, (aux - own_aux) / copies)?;
    Ok(Shift {
        inputs: inputs as u32,
        own_inputs: own_inputs as u32,
        own_aux: (inputs + own_aux) as u32,
        input: input as u32,
        aux: aux as u32,
    })
}

/// The densities' bits so far.
struct Densities {
    a_aux: Vec<u64>,
    b_input: Vec<u64>,
    b_aux: Vec<u64>,
}

impl Densities {
    fn new(inputs: usize, aux: usize) -> Result<Self> {
        let zeros = |bits: usize| room::filled(WHAT, bits.div_ceil(64), 0);
        Ok(Self {
            a_aux: zeros(aux)?,
            b_input: zeros(inputs)?,
            b_aux: zeros(aux)?,
        })
    }

    /// Adds those of all copies of a piece, from those of the first.
    fn add(&mut self, piece: &Piece, bits: &[expand::Touched; 3], inputs: usize) {
        let Shift {
            own_inputs,
            own_aux,
            input,
            aux,
            ..
        } = piece.stride;
        let own_aux = (own_aux as usize).saturating_sub(inputs);
        let [a, b, _] = bits;
        let parts = [
            (&mut self.a_aux, &a.aux, own_aux, aux),
            (&mut self.b_input, &b.inputs, own_inputs as usize, input),
            (&mut self.b_aux, &b.aux, own_aux, aux),
        ];
        for (all, of_a_copy, own, stride) in parts {
            or_bits(all, 0, of_a_copy, 0..own);
            let end = own + stride as usize;
            // Of rows that are there once all variables are their own, and none moves.
            let end = if piece.copies == 1 {
                64 * of_a_copy.len()
            } else {
                end
            };
            for copy in 0..piece.copies {
                or_bits(all, own + copy * stride as usize, of_a_copy, own..end);
            }
        }
    }
}
