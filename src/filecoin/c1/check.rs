// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a Commit-1 output against the shape of its registered proof.
//!
//! Each check stands for a place where the circuit or filecoin-proofs' types would panic, index out
//! of bounds or build another circuit than the one that the parameters are for: bytes that are no
//! field element, a column of another height, a path of another length.

use std::fmt::Display;

use cuzk_prover::Result;
use ff::PrimeField;

use super::json::{Challenge, ColumnProof, MerkleProof, Node, ProofData};
use super::{invalid, Head, C1};
use crate::filecoin::kinds::{Shape, TreeShape, DRG_PARENTS, EXP_PARENTS};

/// Checks the commitments and the seed.
pub fn head(head: &Head) -> Result<()> {
    commitments(head)?;
    not_zero("seed", &head.seed)
}

/// Checks the commitments.
pub fn commitments(head: &Head) -> Result<()> {
    field_element(&head.comm_r, "comm_r")?;
    field_element(&head.comm_d, "comm_d")?;
    field_element(&head.replica_id, "replica_id")?;
    not_zero("comm_r", &head.comm_r)?;
    not_zero("comm_d", &head.comm_d)
}

fn not_zero(name: &str, value: &Node) -> Result<()> {
    if value == &[0; 32] {
        return Err(invalid(format!("{name} is zero")));
    }
    Ok(())
}

/// Checks counts, lengths, indices and field elements of every challenge.
pub fn partitions(c1: &C1) -> Result<()> {
    let proof = c1.proof();
    let shape = proof.shape();
    count(
        c1.partitions().len(),
        proof.partitions(),
        "vanilla_proofs",
        "partitions",
    )?;
    for (k, challenges) in c1.partitions().iter().enumerate() {
        let place = format!("vanilla_proofs[{k}]");
        count(challenges.len(), shape.challenges, &place, "challenges")?;
        for (i, challenge) in challenges.iter().enumerate() {
            check_challenge(challenge, &shape).map_err(|e| e.context(format!("{place}[{i}]")))?;
        }
    }
    Ok(())
}

fn check_challenge(challenge: &Challenge, shape: &Shape) -> Result<()> {
    let columns = &challenge.replica_column_proofs;
    count(
        columns.drg_parents.len(),
        DRG_PARENTS,
        "replica_column_proofs.drg_parents",
        "columns",
    )?;
    count(
        columns.exp_parents.len(),
        EXP_PARENTS,
        "replica_column_proofs.exp_parents",
        "columns",
    )?;
    data_path(&challenge.comm_d_proofs, shape).map_err(|e| e.context("comm_d_proofs"))?;
    tree_path(&challenge.comm_r_last_proof, shape).map_err(|e| e.context("comm_r_last_proof"))?;
    column(&columns.c_x, shape).map_err(|e| e.context("replica_column_proofs.c_x"))?;
    for (name, parents) in [
        ("drg_parents", &columns.drg_parents[..]),
        ("exp_parents", &columns.exp_parents[..]),
    ] {
        for (i, parent) in parents.iter().enumerate() {
            column(parent, shape)
                .map_err(|e| e.context(format!("replica_column_proofs.{name}[{i}]")))?;
        }
    }
    labelings(challenge, shape)
}

fn labelings(challenge: &Challenge, shape: &Shape) -> Result<()> {
    let labelings = &challenge.labeling_proofs;
    count(labelings.len(), shape.layers, "labeling_proofs", "layers")?;
    for (i, labeling) in labelings.iter().enumerate() {
        if labeling.layer_index as usize != i + 1 {
            return Err(invalid(format!(
                "labeling_proofs[{i}].layer_index is {}, {} is needed",
                labeling.layer_index,
                i + 1
            )));
        }
        if labeling.node != labelings[0].node {
            return Err(invalid(format!(
                "labeling_proofs[{i}].node is {}, that of the first layer is {}",
                labeling.node, labelings[0].node
            )));
        }
    }
    if challenge.node() >= shape.nodes() {
        return Err(invalid(format!(
            "labeling_proofs[0].node is {}, the sector has {} nodes",
            challenge.node(),
            shape.nodes()
        )));
    }
    Ok(())
}

fn column(proof: &ColumnProof, shape: &Shape) -> Result<()> {
    let rows = &proof.column.rows;
    count(rows.len(), shape.layers, "column.rows", "rows")?;
    for (i, row) in rows.iter().enumerate() {
        field_element(row, format_args!("column.rows[{i}]"))?;
    }
    tree_path(&proof.inclusion_proof, shape).map_err(|e| e.context("inclusion_proof"))
}

/// A path of the tree over the data.
fn data_path(proof: &MerkleProof, shape: &Shape) -> Result<()> {
    path(proof, TreeShape::Base, &[shape.data_tree_arities()])
}

/// A path of the trees over columns and replica.
fn tree_path(proof: &MerkleProof, shape: &Shape) -> Result<()> {
    let mut base = shape.tree_arities();
    let pieces = match shape.tree {
        TreeShape::Base => vec![base],
        TreeShape::Sub8 => {
            let sub = base.split_off(base.len() - 1);
            vec![base, sub]
        }
        TreeShape::Top2 => {
            let top = base.split_off(base.len() - 1);
            let sub = base.split_off(base.len() - 1);
            vec![base, sub, top]
        }
    };
    path(proof, shape.tree, &pieces)
}

/// Checks the pieces of a path against the arity of each of their levels.
fn path(proof: &MerkleProof, tree: TreeShape, pieces: &[Vec<usize>]) -> Result<()> {
    let (present, fits) = match &proof.data {
        ProofData::Single { .. } => ("Single", tree == TreeShape::Base),
        ProofData::Sub { .. } => ("Sub", tree == TreeShape::Sub8),
        ProofData::Top { .. } => ("Top", tree == TreeShape::Top2),
    };
    if !fits {
        let needed = match tree {
            TreeShape::Base => "Single",
            TreeShape::Sub8 => "Sub",
            TreeShape::Top2 => "Top",
        };
        return Err(invalid(format!(
            "data is a {present} path, the sector size needs {needed}"
        )));
    }
    field_element(proof.root(), format_args!("data.{present}.root"))?;
    field_element(proof.leaf(), format_args!("data.{present}.leaf"))?;
    for ((name, elements), arities) in proof.pieces().into_iter().zip(pieces) {
        count(
            elements.len(),
            arities.len(),
            format_args!("data.{name}.path"),
            "levels",
        )?;
        for (i, (element, &arity)) in elements.iter().zip(arities).enumerate() {
            count(
                element.hashes.len(),
                arity - 1,
                format_args!("data.{name}.path[{i}].hashes"),
                "siblings",
            )?;
            if element.index >= arity as u64 {
                return Err(invalid(format!(
                    "data.{name}.path[{i}].index is {}, the level has {arity} nodes",
                    element.index
                )));
            }
            for (j, hash) in element.hashes.iter().enumerate() {
                field_element(hash, format_args!("data.{name}.path[{i}].hashes[{j}]"))?;
            }
        }
    }
    Ok(())
}

fn count(present: usize, needed: usize, place: impl Display, what: &str) -> Result<()> {
    if present != needed {
        return Err(invalid(format!(
            "{place} has {present} {what}, {needed} are needed"
        )));
    }
    Ok(())
}

fn field_element(bytes: &Node, place: impl Display) -> Result<()> {
    if bool::from(blstrs::Scalar::from_repr(*bytes).is_none()) {
        return Err(invalid(format!(
            "{place} is not below the modulus of the field"
        )));
    }
    Ok(())
}

impl Challenge {
    /// The challenged node. Only of a checked challenge: it has at least one layer.
    pub fn node(&self) -> u64 {
        self.labeling_proofs.first().map_or(0, |first| first.node)
    }
}
