// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each gadget against the one of the circuit: the same variables in the same order.

use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bellperson::gadgets::sha256::sha256 as sha256_circuit;
use blstrs::Scalar;
use ff::{Field, PrimeField};
use filecoin_hashers::{
    POSEIDON_CONSTANTS_11, POSEIDON_CONSTANTS_2, POSEIDON_CONSTANTS_4, POSEIDON_CONSTANTS_8,
};
use neptune::circuit::poseidon_hash;
use neptune::poseidon::PoseidonConstants;
use neptune::Arity;
use storage_proofs_core::gadgets::insertion;

use super::path::{insert, Level};
use super::poseidon::Poseidon;
use super::sha256::sha256;
use super::sink::Sink;
use super::word::Word;

/// Keeps the gadgets' variables one by one.
#[derive(Default)]
struct List(Vec<Scalar>);

impl Sink for List {
    fn bits(&mut self, bits: u64, n: u32) {
        assert!(n == 64 || bits >> n == 0, "{bits:x} has more than {n} bits");
        self.0.extend((0..n).map(|i| Scalar::from(bits >> i & 1)));
    }

    fn full(&mut self, value: Scalar) {
        self.0.push(value);
    }
}

/// Keeps the circuit's variables one by one.
#[derive(Default)]
struct Variables(Vec<Scalar>);

impl ConstraintSystem<Scalar> for Variables {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.0.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        panic!("no gadget here has an input");
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let seed = std::env::var("CUZK_TEST_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or(1);
        println!("CUZK_TEST_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// No, some or all of 32 bits.
    fn mask(&mut self) -> u32 {
        let bits = self.next();
        match bits >> 62 {
            0 => 0,
            1 => u32::MAX,
            2 => bits as u32,
            _ => (bits & bits >> 8 & bits >> 16) as u32,
        }
    }

    fn scalar(&mut self) -> Scalar {
        (0..4).fold(Scalar::ZERO, |sum, _| {
            sum * Scalar::from(u64::MAX) + Scalar::from(self.next())
        })
    }

    /// A word of constants, variables and negations of variables.
    fn word(&mut self) -> Word {
        let (value, constant, negated) = (self.mask(), self.mask(), self.mask());
        // A constant one negates the wires that are no constants.
        let ones = Word::constant(negated);
        Word::new(value, constant).xor(ones, &mut List::default())
    }
}

/// The wires of a word; `cs` gets the variables behind them.
fn wires(word: Word, cs: &mut Variables) -> Vec<Boolean> {
    let [value, constant, negated] = word.masks();
    (0..32)
        .map(|i| {
            let bit = |mask: u32| mask >> i & 1 == 1;
            let variable = |cs: &mut Variables, value| {
                Boolean::from(AllocatedBit::alloc(cs, Some(value)).unwrap())
            };
            if bit(constant) {
                Boolean::constant(bit(value))
            } else if bit(negated) {
                variable(cs, !bit(value)).not()
            } else {
                variable(cs, bit(value))
            }
        })
        .collect()
}

fn assert_same(word: Word, wires: &[Boolean]) {
    let [value, constant, negated] = word.masks();
    for (i, wire) in wires.iter().enumerate() {
        let bit = |mask: u32| mask >> i & 1 == 1;
        assert_eq!(wire.get_value(), Some(bit(value)), "value of wire {i}");
        assert_eq!(wire.is_constant(), bit(constant), "wire {i} constant");
        assert_eq!(
            matches!(wire, Boolean::Not(_)),
            bit(negated),
            "wire {i} negated"
        );
    }
}

#[test]
fn word_gadgets_allocate_what_the_circuits_do() {
    let mut random = Random::new();
    for _ in 0..2000 {
        let [a, b, c] = [random.word(), random.word(), random.word()];
        let mut cs = Variables::default();
        let wires = [a, b, c].map(|word| wires(word, &mut cs));
        let [wa, wb, wc] = &wires;
        let compare =
            |word: Word, list: List, gadget: &dyn Fn(&mut Variables, usize) -> Boolean| {
                let mut cs = Variables::default();
                let expected: Vec<Boolean> = (0..32).map(|i| gadget(&mut cs, i)).collect();
                assert_same(word, &expected);
                assert_eq!(list.0, cs.0);
            };

        let mut list = List::default();
        let word = a.xor(b, &mut list);
        compare(word, list, &|cs, i| {
            Boolean::xor(cs, &wa[i], &wb[i]).unwrap()
        });
        let mut list = List::default();
        let word = Word::choose(a, b, c, &mut list);
        compare(word, list, &|cs, i| {
            Boolean::sha256_ch(cs, &wa[i], &wb[i], &wc[i]).unwrap()
        });
        let mut list = List::default();
        let word = Word::majority(a, b, c, &mut list);
        compare(word, list, &|cs, i| {
            Boolean::sha256_maj(cs, &wa[i], &wb[i], &wc[i]).unwrap()
        });
    }
}

#[test]
fn sha256_allocates_what_the_circuit_does() {
    let mut random = Random::new();
    let lengths = (0..35).chain([55, 56, 312]);
    for words in lengths {
        // Constants in some words, in one bit as of a field element, in all, and in none.
        let message: Vec<Word> = (0..words)
            .map(|i| match (words % 4, i % 8) {
                (0, 7) => Word::new(random.next() as u32 & !0x80, 0x80),
                (1, _) => Word::constant(random.next() as u32),
                (2, _) => Word::new(random.next() as u32, random.mask()),
                _ => Word::new(random.next() as u32, 0),
            })
            .collect();
        let mut list = List::default();
        let digest = sha256(&message, &mut list);

        let mut cs = Variables::default();
        let mut bits = Vec::new();
        for word in &message {
            bits.extend(wires(*word, &mut cs).into_iter().rev());
        }
        let before = cs.0.len();
        let expected = sha256_circuit(&mut cs, &bits).unwrap();
        let expected: Vec<bool> = expected
            .iter()
            .map(|bit| bit.get_value().unwrap())
            .collect();
        let bits = |word: &u32| {
            (0..32)
                .rev()
                .map(move |i| word >> i & 1 == 1)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            digest.iter().flat_map(bits).collect::<Vec<_>>(),
            expected,
            "{words} words"
        );
        assert!(list.0 == cs.0[before..], "{words} words");
    }
}

fn numbers(values: &[Scalar], cs: &mut Variables) -> Vec<AllocatedNum<Scalar>> {
    let number = |value: &Scalar| AllocatedNum::alloc(&mut *cs, || Ok(*value)).unwrap();
    values.iter().map(number).collect()
}

fn poseidon_allocates_what_the_circuit_does<A: Arity<Scalar>>(
    constants: &PoseidonConstants<Scalar, A>,
) {
    let mut random = Random::new();
    let arity = constants.arity();
    let hasher = Poseidon::new(arity).unwrap();
    assert_eq!(hasher.arity(), arity);
    let edges = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE].map(|edge| vec![edge; arity]);
    let randoms = [(); 5].map(|()| (0..arity).map(|_| random.scalar()).collect());
    for preimage in edges.into_iter().chain(randoms) {
        let mut list = List::default();
        let digest = hasher.hash(&preimage, &mut list);

        let mut cs = Variables::default();
        let preimage = numbers(&preimage, &mut cs);
        let expected = poseidon_hash(&mut cs, preimage, constants).unwrap();
        assert_eq!(Some(digest), expected.get_value());
        assert!(list.0 == cs.0[arity..], "arity {arity}");
    }
}

#[test]
fn poseidon_hashes_allocate_what_the_circuits_do() {
    poseidon_allocates_what_the_circuit_does(&POSEIDON_CONSTANTS_2);
    poseidon_allocates_what_the_circuit_does(&POSEIDON_CONSTANTS_4);
    poseidon_allocates_what_the_circuit_does(&POSEIDON_CONSTANTS_8);
    poseidon_allocates_what_the_circuit_does(&POSEIDON_CONSTANTS_11);
    for arity in [0, 1, 3, 9, 12] {
        assert!(Poseidon::new(arity).is_none());
    }
}

#[test]
fn insertions_allocate_what_the_circuits_do() {
    let mut random = Random::new();
    for children in [2, 4, 8usize] {
        for index in 0..children as u64 {
            let node = random.scalar();
            let siblings: Vec<Scalar> = (1..children).map(|_| random.scalar()).collect();
            let mut nodes = vec![Scalar::ZERO; children];
            let mut list = List::default();
            let level = Level {
                index,
                siblings: siblings.clone(),
            };
            insert(node, &level, &mut nodes, &mut list);

            let mut cs = Variables::default();
            let bits: Vec<Boolean> = (0..children.trailing_zeros())
                .map(|i| {
                    AllocatedBit::alloc(&mut cs, Some(index >> i & 1 == 1))
                        .unwrap()
                        .into()
                })
                .collect();
            let element = numbers(&[node], &mut cs);
            let elements = numbers(&siblings, &mut cs);
            let before = cs.0.len();
            let expected = insertion::insert(&mut cs, &element[0], &bits, &elements).unwrap();
            let expected: Vec<Scalar> = expected.iter().map(|n| n.get_value().unwrap()).collect();
            assert_eq!(nodes, expected, "index {index} of {children}");
            assert_eq!(list.0, cs.0[before..], "index {index} of {children}");
        }
    }
}

#[test]
fn the_modulus_is_not_canonical() {
    let mut modulus = (-Scalar::ONE).to_repr();
    assert!(super::element::Element::from_bytes(modulus).is_some());
    modulus[0] += 1;
    assert!(super::element::Element::from_bytes(modulus).is_none());
}
