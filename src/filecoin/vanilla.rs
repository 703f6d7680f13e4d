// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Commit-1 output against itself: are these the challenges that its seed asks for, do the paths
//! start at the right nodes, and do they end in one set of roots.
//!
//! This costs milliseconds and needs no hashing of paths. A path with a wrong hash shows itself
//! only when a proof does not verify; [`verify`] then says whether the output was at fault.

use cuzk_prover::{Error, ErrorKind, Result};
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction, PoseidonHasher};
use filecoin_hashers::sha256::Sha256Hasher;
use filecoin_hashers::{HashFunction, PoseidonArity};
use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};
use storage_proofs_core::drgraph::Graph;
use storage_proofs_core::merkle::{MerkleProof, MerkleProofTrait};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{
    ColumnProof, EncodingProof, LabelingProof, Proof, PublicParams, ReplicaColumnProof, StackedDrg,
    TOTAL_PARENTS,
};

use super::c1::{self, Challenge, Node, C1};
use super::kinds::{TreeShape, DRG_PARENTS, EXP_PARENTS};
use super::porep::{public_params, vanilla_inputs, with_tree, Tree};

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidC1, text)
}

/// Checks challenges, starting nodes and roots of all partitions.
///
/// Errors: `InvalidC1`, naming partition, challenge and field.
pub fn check_consistency(c1: &C1) -> Result<()> {
    fn check<T: Tree>(c1: &C1) -> Result<()> {
        let params = public_params::<T>(c1.proof())?;
        let inputs = vanilla_inputs(c1.head());
        let roots = roots(c1)?;
        for (k, challenges) in c1.partitions().iter().enumerate() {
            let nodes = inputs.challenges(&params.challenges, params.graph.size(), Some(k));
            for (i, (challenge, &node)) in challenges.iter().zip(&nodes).enumerate() {
                check_challenge(challenge, node as u64, c1, &roots, &params)
                    .map_err(|error| error.context(format!("vanilla_proofs[{k}][{i}]")))?;
            }
        }
        Ok(())
    }
    with_tree!(c1.proof().shape(), check(c1))
}

/// The roots that all challenges must have in common.
struct Roots<'a> {
    comm_d: &'a Node,
    comm_c: &'a Node,
    comm_r_last: &'a Node,
}

/// Takes the roots from the first challenge and checks that they hash to comm_r.
fn roots(c1: &C1) -> Result<Roots<'_>> {
    let first = &c1.partitions()[0][0];
    let roots = Roots {
        comm_d: &c1.head().comm_d,
        comm_c: first.replica_column_proofs.c_x.inclusion_proof.root(),
        comm_r_last: first.comm_r_last_proof.root(),
    };
    let comm_r = PoseidonFunction::hash2(&(*roots.comm_c).into(), &(*roots.comm_r_last).into());
    if Node::from(comm_r) != c1.head().comm_r {
        return Err(invalid(
            "comm_r is not the hash of the roots of vanilla_proofs[0][0].replica_column_proofs.c_x \
             and .comm_r_last_proof"
                .into(),
        ));
    }
    Ok(roots)
}

fn check_challenge<T: Tree>(
    challenge: &Challenge,
    node: u64,
    c1: &C1,
    roots: &Roots<'_>,
    params: &PublicParams<T>,
) -> Result<()> {
    if challenge.node() != node {
        return Err(invalid(format!(
            "labeling_proofs[0].node is {}, the seed asks for node {node}",
            challenge.node()
        )));
    }
    let columns = &challenge.replica_column_proofs;
    let path = |proof: &c1::MerkleProof, node: u64, root: &Node, place: &str| {
        check_path(proof, node, root).map_err(|error| error.context(place))
    };
    path(
        &challenge.comm_d_proofs,
        node,
        roots.comm_d,
        "comm_d_proofs",
    )?;
    path(
        &challenge.comm_r_last_proof,
        node,
        roots.comm_r_last,
        "comm_r_last_proof",
    )?;
    path(
        &columns.c_x.inclusion_proof,
        node,
        roots.comm_c,
        "replica_column_proofs.c_x.inclusion_proof",
    )?;

    let mut parents = [0; DRG_PARENTS + EXP_PARENTS];
    params
        .graph
        .parents(node as usize, &mut parents)
        .map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("parents of node {node} of {}: {error:#}", c1.proof()),
            )
        })?;
    let (drg, exp) = parents.split_at(DRG_PARENTS);
    for (name, proofs, nodes) in [
        ("drg_parents", &columns.drg_parents[..], drg),
        ("exp_parents", &columns.exp_parents[..], exp),
    ] {
        for (j, (proof, &parent)) in proofs.iter().zip(nodes).enumerate() {
            check_path(&proof.inclusion_proof, parent.into(), roots.comm_c).map_err(|error| {
                error.context(format!("replica_column_proofs.{name}[{j}].inclusion_proof"))
            })?;
        }
    }
    Ok(())
}

fn check_path(proof: &c1::MerkleProof, node: u64, root: &Node) -> Result<()> {
    let (mut start, mut stride) = (0, 1);
    for level in proof.levels() {
        start += level.index * stride;
        stride *= level.hashes.len() as u64 + 1;
    }
    if start != node {
        return Err(invalid(format!(
            "the path starts at node {start}, node {node} is needed"
        )));
    }
    if proof.root() != root {
        return Err(invalid(
            "the root is not the one that all paths of this tree must have".into(),
        ));
    }
    Ok(())
}

/// Hashes every path and recomputes every label of partition `k`: about a second of one core for a
/// partition of 32 GiB.
///
/// filecoin-proofs' verification does not hash the paths to comm_d and comm_r_last, so that is
/// added.
///
/// Errors: `InvalidC1`, naming the first challenge whose values do not hold.
pub fn verify(c1: &C1, k: usize) -> Result<()> {
    fn vanilla<T: Tree>(c1: &C1, k: usize) -> Result<()> {
        let params = public_params::<T>(c1.proof())?;
        let inputs = vanilla_inputs(c1.head());
        let nodes = inputs.challenges(&params.challenges, params.graph.size(), Some(k));
        let proofs = vanilla_proofs::<T>(c1, k)?;
        let holds = |proof: &TreeProof<T>, node| {
            proof.comm_d_proofs.verify()
                && proof.comm_r_last_proof.verify()
                && proof.verify(&params, &inputs, node, &params.graph)
        };
        match proofs
            .iter()
            .zip(nodes)
            .position(|(p, node)| !holds(p, node))
        {
            Some(i) => Err(invalid(format!(
                "vanilla_proofs[{k}][{i}] does not hold: a label or a hash on its paths is wrong"
            ))),
            None => Ok(()),
        }
    }
    with_tree!(c1.proof().shape(), vanilla(c1, k))
}

type TreeProof<T> = Proof<T, Sha256Hasher>;

/// The proofs of partition `k` as filecoin-proofs' circuit takes them. The output is checked.
pub fn vanilla_proofs<T: Tree>(
    c1: &C1,
    k: usize,
) -> Result<<StackedDrg<'static, T, Sha256Hasher> as ProofScheme<'static>>::Proof> {
    let challenges = c1.partition(k)?;
    Ok(challenges.iter().map(vanilla_proof::<T>).collect())
}

fn vanilla_proof<T: Tree>(challenge: &Challenge) -> TreeProof<T> {
    let columns = &challenge.replica_column_proofs;
    let labeling_proofs = labeling_proofs(challenge);
    let encoding_proof = {
        let layer = columns.c_x.column.rows.len();
        EncodingProof::new(
            layer as u32,
            challenge.node(),
            parent_labels(challenge, layer),
        )
    };
    Proof {
        comm_d_proofs: merkle_proof(&challenge.comm_d_proofs),
        comm_r_last_proof: merkle_proof(&challenge.comm_r_last_proof),
        replica_column_proofs: ReplicaColumnProof {
            c_x: column_proof(&columns.c_x),
            drg_parents: columns.drg_parents.iter().map(column_proof).collect(),
            exp_parents: columns.exp_parents.iter().map(column_proof).collect(),
        },
        labeling_proofs,
        encoding_proof,
    }
}

fn merkle_proof<H, A, B, C>(proof: &c1::MerkleProof) -> MerkleProof<H, A, B, C>
where
    H: filecoin_hashers::Hasher,
    H::Domain: From<Node>,
    A: PoseidonArity,
    B: PoseidonArity,
    C: PoseidonArity,
{
    let path = proof
        .levels()
        .map(|level| {
            let hashes = level.hashes.iter().map(|hash| (*hash).into()).collect();
            (hashes, level.index as usize)
        })
        .collect();
    MerkleProof::from_parts((*proof.leaf()).into(), (*proof.root()).into(), path)
}

fn column_proof<A, B, C>(
    proof: &c1::ColumnProof,
) -> ColumnProof<MerkleProof<PoseidonHasher, A, B, C>>
where
    A: 'static + PoseidonArity,
    B: 'static + PoseidonArity,
    C: 'static + PoseidonArity,
{
    let rows = proof.column.rows.iter().map(|row| (*row).into()).collect();
    ColumnProof::new(
        proof.column.index,
        rows,
        merkle_proof(&proof.inclusion_proof),
    )
}

fn labeling_proofs(challenge: &Challenge) -> Vec<LabelingProof<PoseidonHasher>> {
    let layers = challenge.replica_column_proofs.c_x.column.rows.len();
    (1..=layers)
        .map(|layer| {
            LabelingProof::new(
                layer as u32,
                challenge.node(),
                parent_labels(challenge, layer),
            )
        })
        .collect()
}

/// The labels that the label of a layer, counted from one, is made of: those of the parents in its
/// layer and, from the second on, of the expander's parents in the layer before, over and over.
fn parent_labels(challenge: &Challenge, layer: usize) -> Vec<PoseidonDomain> {
    let columns = &challenge.replica_column_proofs;
    let drg = columns.drg_parents.iter().map(|p| p.column.rows[layer - 1]);
    let exp = columns
        .exp_parents
        .iter()
        .filter_map(|p| p.column.rows.get(layer.checked_sub(2)?).copied());
    let labels: Vec<PoseidonDomain> = drg.chain(exp).map(Into::into).collect();
    labels.into_iter().cycle().take(TOTAL_PARENTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    const FIXTURES: [&[u8]; 4] = [
        include_bytes!("../../tests/vectors/c1/2kib-v1.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_1.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_1-synthetic.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_2-non-interactive.json"),
    ];

    #[test]
    fn real_outputs_are_consistent_and_verify() {
        for bytes in FIXTURES {
            let c1 = C1::parse(bytes).unwrap();
            check_consistency(&c1).unwrap();
            for k in 0..c1.partitions().len() {
                verify(&c1, k).unwrap();
            }
            let past = verify(&c1, c1.partitions().len()).unwrap_err();
            assert_eq!(past.kind(), ErrorKind::InvalidArgument);
        }
    }

    /// Skipped parts of the document are rebuilt: the result is the document again.
    #[test]
    fn vanilla_proofs_are_those_of_the_document() {
        for bytes in FIXTURES {
            let c1 = C1::parse(bytes).unwrap();
            let document: Value = serde_json::from_slice(bytes).unwrap();
            for k in 0..c1.partitions().len() {
                let proofs = vanilla_proofs::<SectorShapeBase>(&c1, k).unwrap();
                assert_eq!(
                    serde_json::to_value(&proofs).unwrap(),
                    document["vanilla_proofs"]["StackedDrg2KiBV1"][k],
                    "{} partition {k}",
                    c1.proof()
                );
            }
        }
    }

    fn changed(place: &str, change: impl FnOnce(&mut Value)) -> C1 {
        let mut document: Value = serde_json::from_slice(FIXTURES[1]).unwrap();
        change(document.pointer_mut(place).expect("the place is there"));
        C1::parse(document.to_string().as_bytes()).expect("a document of the right shape")
    }

    #[test]
    fn inconsistent_outputs_are_refused() {
        let challenge = "/vanilla_proofs/StackedDrg2KiBV1/0/1";
        let flip = |value: &mut Value| *value = json!(value.as_u64().unwrap() ^ 1);
        for (place, needed) in [
            ("/seed/0", "the seed asks for node"),
            ("/comm_r/0", "comm_r is not the hash of the roots"),
            (
                "/comm_d/0",
                "vanilla_proofs[0][0]: comm_d_proofs: the root is not the one",
            ),
            (
                &format!("{challenge}/comm_d_proofs/data/Single/path/path/3/index"),
                "vanilla_proofs[0][1]: comm_d_proofs: the path starts at node",
            ),
            (
                &format!("{challenge}/comm_r_last_proof/data/Single/path/path/0/index"),
                "comm_r_last_proof: the path starts at node",
            ),
            (
                &format!("{challenge}/comm_r_last_proof/data/Single/root/1"),
                "comm_r_last_proof: the root is not the one",
            ),
            (
                &format!(
                    "{challenge}/replica_column_proofs/exp_parents/7/inclusion_proof/data/Single\
                     /path/path/1/index"
                ),
                "replica_column_proofs.exp_parents[7].inclusion_proof: the path starts at node",
            ),
            (
                &format!(
                    "{challenge}/replica_column_proofs/drg_parents/0/inclusion_proof/data/Single\
                     /root/0"
                ),
                "replica_column_proofs.drg_parents[0].inclusion_proof: the root is not the one",
            ),
        ] {
            let error = check_consistency(&changed(place, flip)).expect_err(place);
            assert_eq!(error.kind(), ErrorKind::InvalidC1);
            assert!(error.message().contains(needed), "{place}: {error}");
        }
    }

    #[test]
    fn wrong_hashes_and_labels_are_found_by_verification() {
        for place in [
            "comm_d_proofs/data/Single/path/path/2/hashes/0/0",
            "comm_d_proofs/data/Single/leaf/0",
            "comm_r_last_proof/data/Single/path/path/1/hashes/6/0",
            "replica_column_proofs/c_x/column/rows/1/0",
            "replica_column_proofs/drg_parents/5/inclusion_proof/data/Single/path/path/0/hashes/0/0",
            "replica_column_proofs/exp_parents/7/column/rows/0/0",
        ] {
            let c1 = changed(
                &format!("/vanilla_proofs/StackedDrg2KiBV1/0/1/{place}"),
                |value| *value = json!(value.as_u64().unwrap() ^ 1),
            );
            check_consistency(&c1).expect(place);
            let error = verify(&c1, 0).expect_err(place);
            assert_eq!(error.kind(), ErrorKind::InvalidC1);
            let needed = "vanilla_proofs[0][1] does not hold";
            assert!(error.message().starts_with(needed), "{place}: {error}");
        }
    }
}
