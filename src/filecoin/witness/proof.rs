// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the circuit reads of a challenge, as field elements and of the lengths that it has.

use blstrs::Scalar;
use cuzk_prover::{Error, ErrorKind, Result};
use ff::Field;

use super::element::Element;
use super::path::Level;
use crate::filecoin::c1::{self, Node};
use crate::filecoin::kinds::{Shape, DRG_PARENTS, EXP_PARENTS};

/// The private inputs of one challenge.
#[derive(Clone, Debug)]
pub struct Challenge {
    pub data: Element,
    pub data_path: Vec<Level<Element>>,
    /// The parents in the node's own layer, then those in the layer before.
    pub parents: Vec<Parent>,
    pub node: u64,
    pub replica_path: Vec<Level<Scalar>>,
    pub column_path: Vec<Level<Scalar>>,
    /// The roots of the trees over columns and replica that the paths name.
    pub comm_c: Scalar,
    pub comm_r_last: Scalar,
}

/// A parent's labels, and the path of their hash.
#[derive(Clone, Debug)]
pub struct Parent {
    pub column: Vec<Element>,
    pub path: Vec<Level<Scalar>>,
}

impl Challenge {
    /// Reads a challenge of a circuit of `shape`.
    ///
    /// Errors: `InvalidC1` for a wrong length or index and for a value that is not canonical.
    pub fn read(challenge: &c1::Challenge, shape: &Shape) -> Result<Self> {
        let columns = &challenge.replica_column_proofs;
        let arities = shape.tree_arities();
        let mut parents = Vec::with_capacity(DRG_PARENTS + EXP_PARENTS);
        for (place, proofs, needed) in [
            ("drg_parents", &columns.drg_parents[..], DRG_PARENTS),
            ("exp_parents", &columns.exp_parents[..], EXP_PARENTS),
        ] {
            count(place, proofs.len(), needed)?;
            for (i, proof) in proofs.iter().enumerate() {
                let parent = Parent::read(proof, shape.layers, &arities)
                    .map_err(|e| e.context(format!("{place}[{i}]")))?;
                parents.push(parent);
            }
        }
        count(
            "labeling_proofs",
            challenge.labeling_proofs.len(),
            shape.layers,
        )?;
        let data = &challenge.comm_d_proofs;
        let replica = &challenge.comm_r_last_proof;
        let column = &columns.c_x.inclusion_proof;
        Ok(Self {
            data: element("comm_d_proofs leaf", data.leaf())?,
            data_path: path("comm_d_proofs", data, &shape.data_tree_arities(), element)?,
            parents,
            node: challenge.node(),
            replica_path: path("comm_r_last_proof", replica, &arities, scalar)?,
            column_path: path("c_x path", column, &arities, scalar)?,
            comm_c: scalar("c_x root", column.root())?,
            comm_r_last: scalar("comm_r_last_proof root", replica.root())?,
        })
    }

    /// A challenge of all zeros: what a shape allocates is the same for any values.
    pub fn blank(shape: &Shape) -> Self {
        fn path<T: Clone>(arities: &[usize], zero: T) -> Vec<Level<T>> {
            let level = |arity: &usize| Level {
                index: 0,
                siblings: vec![zero.clone(); arity - 1],
            };
            arities.iter().map(level).collect()
        }
        let zero = Element::default();
        let tree = path(&shape.tree_arities(), Scalar::ZERO);
        let parent = Parent {
            column: vec![zero; shape.layers],
            path: tree.clone(),
        };
        Self {
            data: zero,
            data_path: path(&shape.data_tree_arities(), zero),
            parents: vec![parent; DRG_PARENTS + EXP_PARENTS],
            node: 0,
            replica_path: tree.clone(),
            column_path: tree,
            comm_c: Scalar::ZERO,
            comm_r_last: Scalar::ZERO,
        }
    }
}

impl Parent {
    fn read(proof: &c1::ColumnProof, layers: usize, arities: &[usize]) -> Result<Self> {
        let rows = &proof.column.rows;
        count("column", rows.len(), layers)?;
        Ok(Self {
            column: rows
                .iter()
                .map(|row| element("column", row))
                .collect::<Result<_>>()?,
            path: path("inclusion_proof", &proof.inclusion_proof, arities, scalar)?,
        })
    }
}

fn path<T>(
    place: &'static str,
    proof: &c1::MerkleProof,
    arities: &[usize],
    value: impl Fn(&'static str, &Node) -> Result<T>,
) -> Result<Vec<Level<T>>> {
    count(place, proof.levels().count(), arities.len())?;
    proof
        .levels()
        .zip(arities)
        .map(|(level, &arity)| {
            count(place, level.hashes.len() + 1, arity)?;
            if level.index >= arity as u64 {
                return Err(invalid(format!(
                    "{place}: index {} of {arity}",
                    level.index
                )));
            }
            let siblings = level.hashes.iter().map(|hash| value(place, hash));
            Ok(Level {
                index: level.index,
                siblings: siblings.collect::<Result<_>>()?,
            })
        })
        .collect()
}

/// A canonical field element.
pub fn element(place: &'static str, bytes: &Node) -> Result<Element> {
    Element::from_bytes(*bytes).ok_or_else(|| {
        invalid(format!(
            "{place}: a value is not below the modulus of the field"
        ))
    })
}

/// A canonical field element whose bits are not used.
pub fn scalar(place: &'static str, bytes: &Node) -> Result<Scalar> {
    element(place, bytes).map(|element| element.value())
}

fn count(place: &str, present: usize, needed: usize) -> Result<()> {
    if present == needed {
        return Ok(());
    }
    Err(invalid(format!(
        "{place}: {present} present, {needed} needed"
    )))
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidC1, text)
}
