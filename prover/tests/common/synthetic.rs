// SPDX-License-Identifier: MIT OR Apache-2.0
//! A made-up circuit of any size with the proportions of a PoRep partition, whose parameters are
//! cheap to make: every auxiliary variable has a row of its own, so its polynomials are Lagrange
//! polynomials. Its proofs verify. INSECURE like all parameters from a seed.
//!
//! Row k is x * x = x (a bit in A and B), x * 1 = x (in A), or 1 * x = x (in B). Full-width values
//! that are in B too have one more row each, 0 * x = 0. Then come the rows input * 0 = 0.

use std::fs::File;
use std::os::unix::fs::FileExt;

use cuzk_prover::backend::{Assignment, AuxAssignment, Rows};
use cuzk_prover::circuit::Bitmap;
use cuzk_prover::curve::{G1Affine, G2Affine, Scalar};
use cuzk_prover::srs::{Section, SrsShape, VerifyingKey};
use cuzk_prover::Result;
use ff::{Field, PrimeField};
use group::prime::PrimeCurveAffine;
use group::Curve;
use rayon::prelude::*;

/// Shares of a PoRep partition's auxiliary variables, in millionths.
const FULL: u64 = 13_053;
const OUTSIDE_A: u64 = 3_200;
const BITS_IN_B: u64 = 250_000;
const FULL_IN_B: u64 = 235_000;

/// Makes the encoded multiples of a generator: the group (2 for G2), the scalars, and where they go.
pub type Multiply<'m> =
    dyn Fn(u32, &[Scalar], &(dyn Fn(usize, &[u8]) -> Result<()> + Sync)) -> Result<()> + 'm;

/// What row k looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Square,
    TimesOne,
    OneTimes,
}

/// The circuit and one witness.
pub struct Synthetic {
    seed: u64,
    log_n: u32,
    pub input: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub a: Vec<Scalar>,
    pub b: Vec<Scalar>,
    pub c: Vec<Scalar>,
    pub a_aux_density: Bitmap,
    pub b_input_density: Bitmap,
    pub b_aux_density: Bitmap,
    /// Variables with a second row, ascending.
    again: Vec<u32>,
}

/// The secrets of the parameters.
struct Secrets {
    tau: Scalar,
    alpha: Scalar,
    beta: Scalar,
    gamma: Scalar,
    delta: Scalar,
}

fn hash(seed: u64, stream: u64, i: u64) -> u64 {
    let mut z =
        seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

fn scalar(seed: u64, stream: u64, i: u64) -> Scalar {
    let mut limbs = [0, 1, 2, 3].map(|limb| hash(seed, stream, 4 * i + limb));
    limbs[3] >>= 2;
    Option::from(Scalar::from_u64s_le(&limbs)).unwrap_or(Scalar::ONE)
}

fn is_full(seed: u64, k: usize) -> bool {
    k > 0 && hash(seed, 1, k as u64) % 1_000_000 < FULL
}

fn form(seed: u64, k: usize) -> Form {
    if k == 0 {
        return Form::TimesOne;
    }
    let dice = hash(seed, 2, k as u64) % 1_000_000;
    match dice {
        _ if dice < OUTSIDE_A => Form::OneTimes,
        _ if dice < OUTSIDE_A + BITS_IN_B && !is_full(seed, k) => Form::Square,
        _ => Form::TimesOne,
    }
}

fn is_again(seed: u64, k: usize) -> bool {
    is_full(seed, k)
        && form(seed, k) == Form::TimesOne
        && hash(seed, 3, k as u64) % 1_000_000 < FULL_IN_B
}

fn bitmap(n: usize, bit: impl Fn(usize) -> bool + Sync) -> Bitmap {
    let word = |w: usize| {
        let bits = 64 * w..n.min(64 * w + 64);
        bits.fold(0u64, |word, i| word | u64::from(bit(i)) << (i % 64))
    };
    Bitmap::from_words((0..n.div_ceil(64)).into_par_iter().map(word).collect(), n)
}

impl Synthetic {
    /// A circuit that fills a domain of 2^log_n rows as a PoRep partition does 2^27.
    pub fn new(log_n: u32, seed: u64) -> Self {
        let n = 1usize << log_n;
        let inputs = 328.min(n / 64 + 1);
        // Of 2^27 rows, 130,169,893 auxiliary variables; the rest of the domain is for second
        // rows and inputs.
        let aux = match log_n {
            27 => 130_169_893,
            _ => (n - inputs).min(n / 100 * 96 + n % 100 * 96 / 100).max(1),
        };
        let again: Vec<u32> = (0..aux as u32)
            .into_par_iter()
            .filter(|k| is_again(seed, *k as usize))
            .collect();
        // A tiny domain may have no room for all.
        let again: Vec<u32> = again
            .into_iter()
            .take(n - inputs.min(n) - aux.min(n - inputs))
            .collect();
        let input: Vec<Scalar> = (0..inputs as u64)
            .map(|i| {
                if i == 0 {
                    Scalar::ONE
                } else {
                    scalar(seed, 4, i)
                }
            })
            .collect();
        let value = |k: usize| match is_full(seed, k) {
            true => scalar(seed, 5, k as u64),
            false => Scalar::from(hash(seed, 6, k as u64) & 1),
        };
        let values: Vec<Scalar> = (0..aux).into_par_iter().map(value).collect();
        let rows = aux + again.len() + inputs;
        let row = |which: usize, row: usize| match row {
            _ if row < aux => match (which, form(seed, row)) {
                (0, Form::OneTimes) | (1, Form::TimesOne) => Scalar::ONE,
                _ => values[row],
            },
            _ if row < aux + again.len() && which == 1 => values[again[row - aux] as usize],
            _ if row >= aux + again.len() && which == 0 => input[row - aux - again.len()],
            _ => Scalar::ZERO,
        };
        let column = |which| (0..rows).into_par_iter().map(|i| row(which, i)).collect();
        let twice = bitmap_of(aux, &again);
        Self {
            seed,
            log_n,
            a: column(0),
            b: column(1),
            c: column(2),
            a_aux_density: bitmap(aux, |k| form(seed, k) != Form::OneTimes),
            b_input_density: bitmap(inputs, |i| i == 0),
            b_aux_density: bitmap(aux, |k| form(seed, k) != Form::TimesOne || twice.get(k)),
            input,
            aux: values,
            again,
        }
    }

    /// The assignment as a caller of the low-level interface brings it.
    pub fn assignment(&self) -> Assignment<'_> {
        Assignment {
            rows: Rows::Given {
                a: &self.a,
                b: &self.b,
                c: &self.c,
            },
            input: &self.input,
            aux: AuxAssignment::Scalars(&self.aux),
            a_aux_density: &self.a_aux_density,
            b_input_density: &self.b_input_density,
            b_aux_density: &self.b_aux_density,
        }
    }

    /// Points in each section.
    pub fn shape(&self) -> SrsShape {
        let b = self.b_input_density.count_ones() + self.b_aux_density.count_ones();
        SrsShape {
            ic: self.input.len(),
            h: (1 << self.log_n) - 1,
            l: self.aux.len(),
            a: self.input.len() + self.a_aux_density.count_ones(),
            b_g1: b,
            b_g2: b,
        }
    }

    /// Writes the parameter file, with points made by `multiply`.
    pub fn write_parameters(&self, file: &File, multiply: &Multiply<'_>) -> Result<()> {
        let secrets = Secrets::new(self.seed);
        let lagrange = secrets.lagrange(self.log_n, self.a.len());
        let mut offset = self.write_key(file, &secrets, &lagrange);
        for section in [
            Section::H,
            Section::L,
            Section::A,
            Section::BG1,
            Section::BG2,
        ] {
            let scalars = self.logarithms(section, &secrets, &lagrange);
            write_at(file, &(scalars.len() as u32).to_be_bytes(), offset);
            offset += 4;
            let size = section.point_bytes();
            let group = if section == Section::BG2 { 2 } else { 1 };
            multiply(group, &scalars, &|first, bytes| {
                write_at(file, bytes, offset + (first * size) as u64);
                Ok(())
            })?;
            offset += (scalars.len() * size) as u64;
        }
        Ok(())
    }

    /// The discrete logarithms of a query's points.
    fn logarithms(&self, section: Section, secrets: &Secrets, lagrange: &[Scalar]) -> Vec<Scalar> {
        let aux = self.aux.len();
        let u = |k: usize| match self.a_aux_density.get(k) {
            true => lagrange[k],
            false => Scalar::ZERO,
        };
        let v = |k: usize| match (form(self.seed, k), self.b_aux_density.get(k)) {
            (_, false) => Scalar::ZERO,
            (Form::TimesOne, true) => {
                lagrange[aux + self.again.partition_point(|i| (*i as usize) < k)]
            }
            _ => lagrange[k],
        };
        let delta_inverse = invert(secrets.delta);
        match section {
            Section::H => secrets.powers(self.log_n),
            Section::L => (0..aux)
                .into_par_iter()
                .map(|k| (secrets.beta * u(k) + secrets.alpha * v(k) + lagrange[k]) * delta_inverse)
                .collect(),
            Section::A => {
                let inputs = (0..self.input.len()).map(|i| self.input_u(i, lagrange));
                let dense = self.a_aux_density.ones().map(u);
                inputs.chain(dense).collect()
            }
            _ => {
                let dense: Vec<usize> = self.b_aux_density.ones().collect();
                let mut values = vec![self.one_v(lagrange)];
                values.par_extend(dense.into_par_iter().map(v));
                values
            }
        }
    }

    /// The polynomial of input i in A at tau.
    fn input_u(&self, i: usize, lagrange: &[Scalar]) -> Scalar {
        let own = lagrange[lagrange.len() - self.input.len() + i];
        if i > 0 {
            return own;
        }
        own + self.sum_of(Form::OneTimes, lagrange)
    }

    /// The polynomial of the constant one in B at tau.
    fn one_v(&self, lagrange: &[Scalar]) -> Scalar {
        self.sum_of(Form::TimesOne, lagrange)
    }

    fn sum_of(&self, wanted: Form, lagrange: &[Scalar]) -> Scalar {
        (0..self.aux.len())
            .into_par_iter()
            .filter(|k| form(self.seed, *k) == wanted)
            .map(|k| lagrange[k])
            .reduce(|| Scalar::ZERO, |a, b| a + b)
    }

    fn write_key(&self, file: &File, secrets: &Secrets, lagrange: &[Scalar]) -> u64 {
        let g1 = |k: Scalar| (G1Affine::generator() * k).to_affine();
        let g2 = |k: Scalar| (G2Affine::generator() * k).to_affine();
        let gamma_inverse = invert(secrets.gamma);
        let ic = |i: usize| {
            let v = if i == 0 {
                self.one_v(lagrange)
            } else {
                Scalar::ZERO
            };
            g1((secrets.beta * self.input_u(i, lagrange) + secrets.alpha * v) * gamma_inverse)
        };
        let key = VerifyingKey {
            alpha_g1: g1(secrets.alpha),
            beta_g1: g1(secrets.beta),
            beta_g2: g2(secrets.beta),
            gamma_g2: g2(secrets.gamma),
            delta_g1: g1(secrets.delta),
            delta_g2: g2(secrets.delta),
            ic: (0..self.input.len()).map(ic).collect(),
        };
        let bytes = key.to_bytes().expect("no point is at infinity");
        write_at(file, &bytes, 0);
        bytes.len() as u64
    }
}

fn bitmap_of(n: usize, ones: &[u32]) -> Bitmap {
    let mut words = vec![0u64; n.div_ceil(64)];
    for i in ones {
        words[*i as usize / 64] |= 1 << (i % 64);
    }
    Bitmap::from_words(words, n)
}

fn write_at(file: &File, bytes: &[u8], offset: u64) {
    file.write_all_at(bytes, offset)
        .expect("writing the parameter file");
}

fn invert(value: Scalar) -> Scalar {
    Option::from(value.invert()).expect("secrets are not zero")
}

/// Where a chunk of a vector starts, and how long its chunks are.
const CHUNK: usize = 1 << 14;

impl Secrets {
    fn new(seed: u64) -> Self {
        let secret = |i| scalar(seed, 7, i);
        Self {
            tau: secret(0),
            alpha: secret(1),
            beta: secret(2),
            gamma: secret(3),
            delta: secret(4),
        }
    }

    /// tau^n - 1.
    fn vanishing(&self, log_n: u32) -> Scalar {
        (0..log_n).fold(self.tau, |power, _| power.square()) - Scalar::ONE
    }

    /// The first `rows` Lagrange polynomials of the domain at tau: Z(tau) w^k / (n (tau - w^k)).
    fn lagrange(&self, log_n: u32, rows: usize) -> Vec<Scalar> {
        let root = (log_n..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
        let scale = self.vanishing(log_n) * invert(Scalar::from(1u64 << log_n));
        let mut values = vec![Scalar::ZERO; rows];
        values
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, values)| {
                let mut power = root.pow_vartime([(chunk * CHUNK) as u64]);
                let mut product = Scalar::ONE;
                let mut powers = Vec::with_capacity(values.len());
                for value in values.iter_mut() {
                    *value = product;
                    product *= self.tau - power;
                    powers.push(power);
                    power *= root;
                }
                let mut inverse = invert(product);
                for (value, power) in values.iter_mut().zip(powers).rev() {
                    *value *= inverse * power * scale;
                    inverse *= self.tau - power;
                }
            });
        values
    }

    /// tau^i Z(tau) / delta for i < n - 1.
    fn powers(&self, log_n: u32) -> Vec<Scalar> {
        let first = self.vanishing(log_n) * invert(self.delta);
        let mut values = vec![Scalar::ZERO; (1 << log_n) - 1];
        values
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, values)| {
                let mut power = first * self.tau.pow_vartime([(chunk * CHUNK) as u64]);
                for value in values {
                    *value = power;
                    power *= self.tau;
                }
            });
        values
    }
}
