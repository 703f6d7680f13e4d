// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes up a sector, in the order in which its values depend on each other.

use std::collections::{BTreeMap, BTreeSet};

use blstrs::Scalar;
use cuzk_prover::{Error, ErrorKind, Result};
use ff::PrimeField;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction, PoseidonHasher};
use filecoin_hashers::sha256::{Sha256Domain, Sha256Function};
use filecoin_hashers::HashFunction;
use rayon::prelude::*;
use storage_proofs_core::drgraph::Graph;
use storage_proofs_porep::stacked::{
    generate_replica_id, Challenges, Column, PublicInputs, StackedBucketGraph, TOTAL_PARENTS,
};

use super::document::{Column as ColumnRows, ColumnProof, Labeling, Proof, ReplicaColumns};
use super::tree::{PeriodicTree, SparseTree};
use super::{Plan, SyntheticC1, ACTOR_ID};
use crate::filecoin::c1::{List, MerkleProof, Node, Path, PathElement, ProofData};
use crate::filecoin::kinds::{Shape, TreeShape, DRG_PARENTS, EXP_PARENTS};
use crate::filecoin::prover_id_from_actor;

/// Nodes after which the data repeat, in sectors that have so many.
const PERIOD: u64 = 1024;

/// The labels of a node, the first layer's first.
type Labels = Vec<Node>;

/// What is made of the seed, each from a number of its own.
#[derive(Clone, Copy)]
enum Purpose {
    Ticket,
    Seed,
    Data,
    Label,
    ColumnTree,
    ReplicaTree,
}

/// Values of 254 bits that follow from the seed.
#[derive(Clone, Copy)]
struct Random(u64);

impl Random {
    fn node(self, purpose: Purpose, major: u64, minor: u64) -> Node {
        let words = [self.0, purpose as u64, major, minor];
        sha256(&words.map(u64::to_le_bytes).concat())
    }
}

pub fn synthesize(plan: &Plan, seed: u64) -> Result<SyntheticC1> {
    let random = Random(seed);
    let shape = &plan.shape;
    let prover_id = prover_id_from_actor(ACTOR_ID);
    let sector_number = 1;

    let period = PERIOD.min(shape.nodes());
    let data = (0..period)
        .map(|i| random.node(Purpose::Data, 0, i))
        .collect();
    let data_tree = PeriodicTree::new(data, shape.nodes_log2 as usize, |nodes| {
        sha256(&nodes.concat())
    });
    let comm_d = data_tree.root();

    let ticket = random.node(Purpose::Ticket, 0, 0);
    let seed = random.node(Purpose::Seed, 0, 0);
    let replica_id: Node = generate_replica_id::<PoseidonHasher, _>(
        &prover_id,
        sector_number,
        &ticket,
        comm_d,
        &plan.porep_id,
    )
    .into();

    let challenges = challenges(plan, &replica_id, &seed);
    let parents = parents(plan, challenges.iter().flatten())?;
    let columns = columns(&parents, &replica_id, shape.layers, random);

    let column_tree = {
        let leaves = columns
            .par_iter()
            .map(|(node, labels)| Ok((*node, column_hash(*node, labels)?)))
            .collect::<Result<Vec<_>>>()?;
        let filler = move |row: usize, i: u64| random.node(Purpose::ColumnTree, row as u64, i);
        SparseTree::new(leaves, shape.tree_arities(), filler, poseidon)
    };
    let replica_tree = {
        let encoded = |node: &u64| {
            let key = columns[node].last().copied().unwrap_or_default();
            (*node, sum(&key, &data_tree.leaf(*node)))
        };
        let leaves = parents.keys().map(encoded).collect();
        let filler = move |row: usize, i: u64| random.node(Purpose::ReplicaTree, row as u64, i);
        SparseTree::new(leaves, shape.tree_arities(), filler, poseidon)
    };
    let (comm_c, comm_r_last) = (column_tree.root(), replica_tree.root());

    let column_proof = |node: u64| ColumnProof {
        column: ColumnRows {
            index: node as u32,
            rows: columns[&node].clone(),
            _h: (),
        },
        inclusion_proof: tree_path(
            shape,
            comm_c,
            column_tree.leaf(node),
            column_tree.path(node),
        ),
    };
    let proof = |node: &u64| {
        let node = *node;
        let (drg, exp) = parents[&node].split_at(DRG_PARENTS);
        let labeling_proofs: Vec<Labeling> = (1..=shape.layers)
            .map(|layer| Labeling {
                parents: parent_labels(&parents[&node], &columns, layer),
                layer_index: layer as u32,
                node,
            })
            .collect();
        let replica_leaf = replica_tree.leaf(node);
        Proof {
            comm_d_proofs: single_path(comm_d, data_tree.leaf(node), data_tree.path(node)),
            comm_r_last_proof: tree_path(shape, comm_r_last, replica_leaf, replica_tree.path(node)),
            replica_column_proofs: ReplicaColumns {
                c_x: column_proof(node),
                drg_parents: drg.iter().map(|parent| column_proof(*parent)).collect(),
                exp_parents: exp.iter().map(|parent| column_proof(*parent)).collect(),
            },
            encoding_proof: labeling_proofs[shape.layers - 1].clone(),
            labeling_proofs,
        }
    };
    let partitions = challenges
        .iter()
        .map(|nodes| nodes.iter().map(proof).collect())
        .collect();
    Ok(SyntheticC1 {
        prover_id,
        sector_number,
        ticket,
        seed,
        comm_d,
        comm_r: poseidon(&[comm_c, comm_r_last]),
        replica_id,
        partitions,
    })
}

/// The challenged nodes of each partition.
fn challenges(plan: &Plan, replica_id: &Node, seed: &Node) -> Vec<Vec<u64>> {
    let inputs = PublicInputs::<PoseidonDomain, Sha256Domain> {
        replica_id: (*replica_id).into(),
        seed: Some(*seed),
        tau: None,
        k: None,
    };
    let challenges = Challenges::new_interactive(plan.shape.challenges);
    let nodes = plan.shape.nodes() as usize;
    (0..plan.partitions)
        .map(|k| inputs.challenges(&challenges, nodes, Some(k)))
        .map(|nodes| nodes.into_iter().map(|node| node as u64).collect())
        .collect()
}

/// The parents of each challenged node: those in its layer, then those in the layer before.
fn parents<'a>(
    plan: &Plan,
    challenged: impl Iterator<Item = &'a u64>,
) -> Result<BTreeMap<u64, Vec<u64>>> {
    let graph = StackedBucketGraph::<PoseidonHasher>::new_stacked(
        plan.shape.nodes() as usize,
        DRG_PARENTS,
        EXP_PARENTS,
        plan.porep_id,
        plan.api_version,
    )
    .map_err(|e| internal("making the graph", e))?;
    challenged
        .map(|node| {
            let mut parents = [0; DRG_PARENTS + EXP_PARENTS];
            graph
                .parents(*node as usize, &mut parents)
                .map_err(|e| internal("reading the graph", e))?;
            Ok((*node, parents.map(u64::from).to_vec()))
        })
        .collect()
}

/// The columns of the challenged nodes and of their parents. A challenged node has the labels
/// that its parents give it, also where it is another one's parent; any other node has made-up
/// ones.
fn columns(
    parents: &BTreeMap<u64, Vec<u64>>,
    replica_id: &Node,
    layers: usize,
    random: Random,
) -> BTreeMap<u64, Labels> {
    let nodes: BTreeSet<u64> = parents
        .iter()
        .flat_map(|(node, parents)| parents.iter().chain([node]).copied())
        .collect();
    let mut columns: BTreeMap<u64, Labels> = nodes
        .iter()
        .map(|node| (*node, Labels::with_capacity(layers)))
        .collect();
    for layer in 1..=layers {
        // Parents in the same layer come before their child.
        for &node in &nodes {
            let label = match parents.get(&node) {
                Some(of_node) => label(
                    replica_id,
                    layer,
                    node,
                    &parent_labels(of_node, &columns, layer),
                ),
                None => random.node(Purpose::Label, layer as u64, node),
            };
            columns.entry(node).or_default().push(label);
        }
    }
    columns
}

/// The labels that a node's label is made of: its parents', in turn until there are 37.
fn parent_labels(parents: &[u64], columns: &BTreeMap<u64, Labels>, layer: usize) -> Vec<Node> {
    let (drg, exp) = parents.split_at(DRG_PARENTS);
    let exp = if layer == 1 { &[] } else { exp };
    let drg = drg.iter().map(|parent| columns[parent][layer - 1]);
    let exp = exp.iter().map(|parent| columns[parent][layer - 2]);
    let labels: Vec<Node> = drg.chain(exp).collect();
    labels.into_iter().cycle().take(TOTAL_PARENTS).collect()
}

fn label(replica_id: &Node, layer: usize, node: u64, parents: &[Node]) -> Node {
    let mut message = Vec::with_capacity(64 + 32 * parents.len());
    message.extend(replica_id);
    message.extend((layer as u32).to_be_bytes());
    message.extend(node.to_be_bytes());
    message.resize(64, 0);
    message.extend(parents.concat());
    sha256(&message)
}

fn column_hash(node: u64, labels: &[Node]) -> Result<Node> {
    let rows = labels.iter().map(|label| (*label).into()).collect();
    let column = Column::<PoseidonHasher>::new(node as u32, rows)
        .map_err(|e| internal("making a column", e))?;
    Ok(column.hash().to_repr())
}

/// A path in a binary tree.
fn single_path(root: Node, leaf: Node, path: Vec<PathElement>) -> MerkleProof {
    MerkleProof {
        data: ProofData::Single {
            root,
            leaf,
            path: piece(path),
        },
    }
}

/// A path in the trees of a shape, in the pieces that these have.
fn tree_path(shape: &Shape, root: Node, leaf: Node, mut path: Vec<PathElement>) -> MerkleProof {
    let mut last = || piece(path.split_off(path.len() - 1));
    let data = match shape.tree {
        TreeShape::Base => return single_path(root, leaf, path),
        TreeShape::Sub8 => ProofData::Sub {
            sub_proof: last(),
            base_proof: piece(path),
            root,
            leaf,
        },
        TreeShape::Top2 => {
            let (top_proof, sub_proof) = (last(), last());
            ProofData::Top {
                base_proof: piece(path),
                sub_proof,
                top_proof,
                root,
                leaf,
            }
        }
    };
    MerkleProof { data }
}

fn piece(path: Vec<PathElement>) -> Path {
    Path { path: List(path) }
}

/// SHA-256 without its two top bits.
fn sha256(bytes: &[u8]) -> Node {
    Sha256Function::hash(bytes).into()
}

fn poseidon(nodes: &[Node]) -> Node {
    PoseidonFunction::hash(&nodes.concat()).into()
}

/// The sum of two canonical field elements.
fn sum(a: &Node, b: &Node) -> Node {
    let read = |bytes: &Node| Scalar::from_repr_vartime(*bytes).unwrap_or_default();
    (read(a) + read(b)).to_repr()
}

fn internal(doing: &str, error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("{doing}: {error:#}"))
}
