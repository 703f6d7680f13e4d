// SPDX-License-Identifier: MIT OR Apache-2.0
//! The gadgets of a Merkle path: a node's place among its siblings, and the two kinds of hash.

use std::sync::Arc;

use blstrs::Scalar;

use super::element::Element;
use super::poseidon::Poseidon;
use super::sha256::sha256;
use super::sink::Sink;
use super::word::Word;

/// The greatest arity of a tree.
pub const MOST_CHILDREN: usize = 8;

/// One level of a path: a node's siblings, and which child it is.
#[derive(Clone, Debug)]
pub struct Level<T> {
    pub index: u64,
    pub siblings: Vec<T>,
}

/// Collects a path's index bits, which become one public input.
#[derive(Default)]
struct Position {
    value: u64,
    bits: u32,
}

impl Position {
    /// Allocates the bits of one level's index.
    fn push(&mut self, index: u64, children: usize, sink: &mut impl Sink) {
        let bits = children.trailing_zeros();
        sink.bits(index, bits);
        self.value |= index << self.bits;
        self.bits += bits;
    }
}

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub struct Climbed {
    pub root: Scalar,
    /// The node's position in its row: a public input.
    pub position: Scalar,
}

/// A path in a tree hashed by Poseidon, with each level's permutation.
pub fn poseidon_path(
    node: Scalar,
    path: &[Level<Scalar>],
    hashers: &[Arc<Poseidon>],
    sink: &mut impl Sink,
) -> Climbed {
    let mut position = Position::default();
    let mut node = node;
    for (level, hasher) in path.iter().zip(hashers) {
        let children = hasher.arity();
        position.push(level.index, children, sink);
        for sibling in &level.siblings {
            sink.full(*sibling);
        }
        let mut nodes = [node; MOST_CHILDREN];
        insert(node, level, &mut nodes[..children], sink);
        node = hasher.hash(&nodes[..children], sink);
    }
    Climbed {
        root: node,
        position: Scalar::from(position.value),
    }
}

/// A path in a binary tree hashed by SHA-256 cut to 254 bits.
pub fn sha256_path(node: Element, path: &[Level<Element>], sink: &mut impl Sink) -> Climbed {
    let mut position = Position::default();
    let mut node = node;
    for level in path {
        position.push(level.index, 2, sink);
        for sibling in &level.siblings {
            sink.full(sibling.value());
            let pair = if level.index == 0 {
                [node, *sibling]
            } else {
                [*sibling, node]
            };
            for child in pair {
                sink.full(child.value());
            }
            let mut message = [Word::constant(0); 16];
            for (words, child) in message.chunks_exact_mut(8).zip(pair) {
                words.copy_from_slice(&child.unpack(sink));
            }
            node = Element::from_digest(sha256(&message, sink));
            sink.full(node.value());
        }
    }
    Climbed {
        root: node.value(),
        position: Scalar::from(position.value),
    }
}

/// Puts `node` among its siblings, as selections by the bits of its index.
///
/// Each line is one selection and allocates its result: the first value where the condition
/// holds, else the second. Four and eight children share selections between places, two are
/// the general case.
pub(super) fn insert(
    node: Scalar,
    level: &Level<Scalar>,
    nodes: &mut [Scalar],
    sink: &mut impl Sink,
) {
    let bit = |i: u32| level.index >> i & 1 == 1;
    let (b0, b1, b2) = (bit(0), bit(1), bit(2));
    let (neither, both) = (!b0 & !b1, b0 & b1);
    if nodes.len() == 8 {
        sink.bits(u64::from(neither) | u64::from(both) << 1, 2);
    }
    let a = node;
    let mut pick = |condition: bool, yes: Scalar, no: Scalar| {
        let picked = if condition { yes } else { no };
        sink.full(picked);
        picked
    };
    match (level.siblings.as_slice(), nodes) {
        (&[b], [n0, n1]) => {
            *n0 = pick(b0, b, a);
            *n1 = pick(b0, a, b);
        }
        (&[b, c, d], [n0, n1, n2, n3]) => {
            let low = pick(b0, b, a);
            *n0 = pick(b1, b, low);
            let low = pick(b0, a, b);
            *n1 = pick(b1, c, low);
            let high = pick(b0, d, a);
            *n2 = pick(b1, high, c);
            let high = pick(b0, a, d);
            *n3 = pick(b1, high, d);
        }
        (&[b, c, d, e, f, g, h], [n0, n1, n2, n3, n4, n5, n6, n7]) => {
            let low = pick(neither, a, b);
            *n0 = pick(b2, b, low);
            let even = pick(b0, a, b);
            let low = pick(b1, c, even);
            *n1 = pick(b2, c, low);
            let even = pick(b0, d, a);
            let low = pick(b1, even, c);
            *n2 = pick(b2, d, low);
            let low = pick(both, a, d);
            *n3 = pick(b2, e, low);
            let high = pick(neither, a, f);
            *n4 = pick(b2, high, e);
            let even = pick(b0, a, f);
            let high = pick(b1, g, even);
            *n5 = pick(b2, high, f);
            let even = pick(b0, h, a);
            let high = pick(b1, even, g);
            *n6 = pick(b2, high, g);
            let high = pick(both, a, h);
            *n7 = pick(b2, high, h);
        }
        _ => {}
    }
}
