// SPDX-License-Identifier: MIT OR Apache-2.0
//! What storage-proofs-porep's circuit allocates: its prelude, and one challenge.

use std::sync::Arc;

use blstrs::Scalar;
use storage_proofs_porep::stacked::TOTAL_PARENTS;

use super::element::Element;
use super::path::{poseidon_path, sha256_path, Climbed};
use super::poseidon::Poseidon;
use super::proof::Challenge;
use super::sha256::sha256;
use super::sink::Sink;
use super::word::Word;
use crate::filecoin::kinds::{Shape, DRG_PARENTS};

/// The Poseidon permutations of a circuit.
pub struct Hashers {
    pair: Arc<Poseidon>,
    column: Arc<Poseidon>,
    /// One a level of the trees C and R.
    tree: Vec<Arc<Poseidon>>,
}

impl Hashers {
    /// The permutations of a shape; nothing when one of them is unknown.
    pub fn new(shape: &Shape) -> Option<Self> {
        let mut known: Vec<Arc<Poseidon>> = Vec::new();
        let mut hasher = |arity: usize| {
            let same = known.iter().find(|hasher| hasher.arity() == arity).cloned();
            same.or_else(|| {
                known.push(Arc::new(Poseidon::new(arity)?));
                known.last().cloned()
            })
        };
        Some(Self {
            pair: hasher(2)?,
            column: hasher(shape.layers)?,
            tree: shape
                .tree_arities()
                .iter()
                .map(|arity| hasher(*arity))
                .collect::<Option<_>>()?,
        })
    }
}

/// What all challenges of a partition share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    pub replica_id: Element,
    pub comm_d: Scalar,
    pub comm_r: Scalar,
    pub comm_c: Scalar,
    pub comm_r_last: Scalar,
}

/// Public inputs of a part of the circuit and, when a constraint cannot hold, what is wrong.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub inputs: Vec<Scalar>,
    pub wrong: Option<String>,
}

impl Outcome {
    fn expect(&mut self, what: impl FnOnce() -> String, holds: bool) {
        if !holds && self.wrong.is_none() {
            self.wrong = Some(what());
        }
    }

    fn path(&mut self, what: impl FnOnce() -> String, climbed: Climbed, root: Scalar) {
        self.inputs.push(climbed.position);
        self.expect(
            || format!("{} leads to another root", what()),
            climbed.root == root,
        );
    }
}

/// The prelude: the public values, and comm_r as the hash of the two trees' roots.
pub fn prelude(shared: &Shared, hashers: &Hashers, sink: &mut impl Sink) -> Outcome {
    sink.full(shared.replica_id.value());
    shared.replica_id.unpack(sink);
    for root in [
        shared.comm_d,
        shared.comm_r,
        shared.comm_r_last,
        shared.comm_c,
    ] {
        sink.full(root);
    }
    let hash = hashers
        .pair
        .hash(&[shared.comm_c, shared.comm_r_last], sink);
    let mut outcome = Outcome {
        inputs: vec![shared.replica_id.value(), shared.comm_d, shared.comm_r],
        wrong: None,
    };
    let what = || "comm_r is not the hash of comm_c and comm_r_last".into();
    outcome.expect(what, hash == shared.comm_r);
    outcome
}

/// One challenge.
pub fn challenge(
    challenge: &Challenge,
    shared: &Shared,
    hashers: &Hashers,
    sink: &mut impl Sink,
) -> Outcome {
    let mut outcome = Outcome::default();

    sink.full(challenge.data.value());
    let climbed = sha256_path(challenge.data, &challenge.data_path, sink);
    outcome.path(|| "comm_d path".into(), climbed, shared.comm_d);

    for (i, parent) in challenge.parents.iter().enumerate() {
        let mut column = Vec::with_capacity(parent.column.len());
        for label in &parent.column {
            sink.full(label.value());
            column.push(label.value());
        }
        let hash = hashers.column.hash(&column, sink);
        let climbed = poseidon_path(hash, &parent.path, &hashers.tree, sink);
        outcome.path(
            || format!("comm_c path of parent {i}"),
            climbed,
            shared.comm_c,
        );
    }

    sink.bits(challenge.node, 64);
    outcome.inputs.push(Scalar::from(challenge.node));

    let column = labels(challenge, shared, sink);

    let key = column.last().copied().unwrap_or_default();
    let replica = key + challenge.data.value();
    sink.full(replica);
    let climbed = poseidon_path(replica, &challenge.replica_path, &hashers.tree, sink);
    outcome.path(|| "comm_r_last path".into(), climbed, shared.comm_r_last);

    let hash = hashers.column.hash(&column, sink);
    let climbed = poseidon_path(hash, &challenge.column_path, &hashers.tree, sink);
    outcome.path(|| "comm_c path".into(), climbed, shared.comm_c);
    outcome
}

/// The challenged node's labels, layer by layer: each is SHA-256 of the replica id, the layer,
/// the node, and the parents' labels in turn until there are 37. Base parents are of the layer
/// itself, expander parents of the one before, so the first layer has none.
fn labels(challenge: &Challenge, shared: &Shared, sink: &mut impl Sink) -> Vec<Scalar> {
    let layers = challenge
        .parents
        .first()
        .map_or(0, |parent| parent.column.len());
    let (base, expander) = challenge.parents.split_at(DRG_PARENTS);
    // The replica id's bits are the prelude's, the node's those allocated before.
    let replica_id = shared.replica_id.words();
    let node = [(challenge.node >> 32) as u32, challenge.node as u32];
    let mut labels = Vec::with_capacity(layers);
    let mut parents = Vec::with_capacity(challenge.parents.len());
    let mut message = Vec::with_capacity(8 * (2 + TOTAL_PARENTS));
    for layer in 1..=layers {
        parents.clear();
        parents.extend(
            base.iter()
                .map(|parent| parent.column[layer - 1].unpack(sink)),
        );
        if layer > 1 {
            parents.extend(
                expander
                    .iter()
                    .map(|parent| parent.column[layer - 2].unpack(sink)),
            );
        }

        message.clear();
        message.extend(replica_id);
        message.push(Word::constant(layer as u32));
        message.extend(node.map(|word| Word::new(word, 0)));
        message.resize(16, Word::constant(0));
        message.extend(parents.iter().cycle().take(TOTAL_PARENTS).flatten());
        let label = Element::from_digest(sha256(&message, sink));
        sink.full(label.value());
        labels.push(label.value());
    }
    labels
}
