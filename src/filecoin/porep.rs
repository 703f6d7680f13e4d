// SPDX-License-Identifier: MIT OR Apache-2.0
//! The PoRep circuit of filecoin-proofs and its public inputs, for a checked Commit-1 output.

use cuzk_prover::circuit::{self, CompiledCircuit, Witness};
use cuzk_prover::curve::Scalar;
use cuzk_prover::{Error, ErrorKind, Result};
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::parameter_cache::CacheableParameters;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{
    generate_replica_id, Challenges, PublicInputs, PublicParams, SetupParams, StackedCircuit,
    StackedCompound, StackedDrg, Tau,
};

use super::c1::{Head, Node, C1};
use super::kinds::{SealProof, SectorSize, Shape, TreeShape, Variant, DRG_PARENTS, EXP_PARENTS};
use super::vanilla::vanilla_proofs;

/// The trees over columns and replica hash with Poseidon.
pub(super) trait Tree: 'static + MerkleTreeTrait<Hasher = PoseidonHasher> {}
impl<T: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>> Tree for T {}

/// Calls a function that is generic over the tree with that of a shape.
macro_rules! with_tree {
    ($shape:expr, $function:ident($($argument:expr),*)) => {
        match $shape.tree {
            TreeShape::Base => $function::<SectorShapeBase>($($argument),*),
            TreeShape::Sub8 => $function::<SectorShapeSub8>($($argument),*),
            TreeShape::Top2 => $function::<SectorShapeTop2>($($argument),*),
        }
    };
}
pub(super) use with_tree;

type Compound<T> = StackedCompound<T, Sha256Hasher>;
type Drg<T> = StackedDrg<'static, T, Sha256Hasher>;
pub(super) type Inputs = PublicInputs<PoseidonDomain, Sha256Domain>;

/// An error of filecoin-proofs that its inputs, checked before, should not have caused.
fn unexpected(doing: &str, error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("{doing}: {error:#}"))
}

/// The vanilla parameters of a registered proof.
pub(super) fn public_params<T: Tree>(proof: SealProof) -> Result<PublicParams<T>> {
    let shape = proof.shape();
    let challenges = match proof.variant() {
        Variant::V1 | Variant::V1_1 => Challenges::new_interactive(shape.challenges),
        Variant::Synthetic => Challenges::new_synthetic(shape.challenges),
        Variant::NonInteractive => Challenges::new_non_interactive(shape.challenges),
    };
    vanilla_params(proof, &shape, challenges)
}

/// The vanilla parameters of a shape, with the graph of a proof's version.
fn vanilla_params<T: Tree>(
    proof: SealProof,
    shape: &Shape,
    challenges: Challenges,
) -> Result<PublicParams<T>> {
    Drg::<T>::setup(&SetupParams {
        nodes: shape.nodes() as usize,
        degree: DRG_PARENTS,
        expansion_degree: EXP_PARENTS,
        porep_id: proof.porep_id(),
        challenges,
        num_layers: shape.layers,
        api_version: proof.api_version(),
        api_features: proof.api_features(),
    })
    .map_err(|error| unexpected("setting up the graph", error))
}

/// The vanilla public inputs of a checked head.
pub(super) fn vanilla_inputs(head: &Head) -> Inputs {
    PublicInputs {
        replica_id: head.replica_id.into(),
        seed: Some(head.seed),
        tau: Some(Tau {
            comm_d: Sha256Domain(head.comm_d),
            comm_r: head.comm_r.into(),
        }),
        k: None,
    }
}

/// The name of a sector size's circuit in the parameter cache. It does not depend on the version.
pub fn cache_identifier(size: SectorSize) -> Result<String> {
    fn identifier<T: Tree>(proof: SealProof) -> Result<String> {
        type Circuit<T> = StackedCircuit<T, Sha256Hasher>;
        let params = public_params::<T>(proof)?;
        Ok(<Compound<T> as CacheableParameters<Circuit<T>, _>>::cache_identifier(&params))
    }
    with_tree!(
        size.shape(),
        identifier(SealProof::new(Variant::V1_1, size))
    )
}

/// The compiled circuit of one partition as the library carries it in saved form. It does not
/// depend on the version. `make circuits` makes the files, and a test compares them with the
/// circuits.
pub fn saved(size: SectorSize) -> &'static [u8] {
    match size {
        SectorSize::Kib2 => include_bytes!("circuits/2KiB.circuit"),
        SectorSize::Mib8 => include_bytes!("circuits/8MiB.circuit"),
        SectorSize::Mib512 => include_bytes!("circuits/512MiB.circuit"),
        SectorSize::Gib32 => include_bytes!("circuits/32GiB.circuit"),
        SectorSize::Gib64 => include_bytes!("circuits/64GiB.circuit"),
    }
}

/// Loads the compiled circuit of one partition from its saved form, on rayon's current pool.
pub fn load(size: SectorSize) -> Result<CompiledCircuit> {
    // A quarter of it is what the largest takes.
    const MOST_BYTES: u64 = 1 << 30;
    CompiledCircuit::load(saved(size), MOST_BYTES)
}

/// Compiles the circuit of one partition of any shape: one challenge's rows kept once, found from
/// the circuits of one and of two challenges.
///
/// Works on rayon's current pool.
pub fn compile(shape: &Shape) -> Result<CompiledCircuit> {
    if shape.challenges < 2 {
        return record_all(shape);
    }
    let of = |challenges| {
        record_all(&Shape {
            challenges,
            ..*shape
        })
    };
    let (one, two) = rayon::join(|| of(1), || of(2));
    CompiledCircuit::repeated(&one?, &two?, shape.challenges)
}

/// Records all rows of a partition's circuit.
pub fn record_all(shape: &Shape) -> Result<CompiledCircuit> {
    fn record<T: Tree>(shape: &Shape) -> Result<CompiledCircuit> {
        CompiledCircuit::record(blank_circuit::<T>(shape)?)
    }
    with_tree!(shape, record(shape))
}

/// Compares every row of a compiled circuit with a partition's own as it is synthesized: at 32 GiB
/// minutes of one core, in little memory.
///
/// Errors: `SelfCheckFailed` with the first row that differs.
pub fn check(shape: &Shape, compiled: &CompiledCircuit) -> Result<()> {
    fn check<T: Tree>(shape: &Shape, compiled: &CompiledCircuit) -> Result<()> {
        compiled.check(blank_circuit::<T>(shape)?)
    }
    with_tree!(shape, check(shape, compiled))
}

/// A partition's circuit without values.
fn blank_circuit<T: Tree>(shape: &Shape) -> Result<StackedCircuit<T, Sha256Hasher>> {
    // What else the parameters hold does not show in the circuit.
    let proof = SealProof::new(Variant::V1_1, SectorSize::Kib2);
    let challenges = Challenges::new_interactive(shape.challenges);
    let params = vanilla_params::<T>(proof, shape, challenges)?;
    Ok(Compound::<T>::blank_circuit(&params))
}

/// Makes the witness of partition `k` through the circuit's own closures.
pub fn synthesize(c1: &C1, k: usize) -> Result<Witness> {
    fn closures<T: Tree>(c1: &C1, k: usize) -> Result<Witness> {
        let params = public_params::<T>(c1.proof())?;
        let inputs = vanilla_inputs(c1.head());
        let proofs = vanilla_proofs::<T>(c1, k)?;
        let circuit = Compound::<T>::circuit(&inputs, (), &proofs, &params, Some(k))
            .map_err(|error| unexpected("building the circuit", error))?;
        circuit::synthesize(circuit)
    }
    with_tree!(c1.proof().shape(), closures(c1, k))
}

/// The public inputs of partition `k`, without the constant one. The head is checked.
pub fn public_inputs(head: &Head, k: usize) -> Result<Vec<Scalar>> {
    fn inputs<T: Tree>(head: &Head, k: usize) -> Result<Vec<Scalar>> {
        let params = public_params::<T>(head.proof)?;
        Compound::<T>::generate_public_inputs(&vanilla_inputs(head), &params, Some(k))
            .map_err(|error| unexpected("deriving the public inputs", error))
    }
    with_tree!(head.proof.shape(), inputs(head, k))
}

/// The replica id that a sector of this prover has.
pub fn replica_id(
    proof: SealProof,
    prover_id: &Node,
    sector_number: u64,
    ticket: &Node,
    comm_d: &Node,
) -> Node {
    generate_replica_id::<PoseidonHasher, _>(
        prover_id,
        sector_number,
        ticket,
        comm_d,
        &proof.porep_id(),
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;

    const FIXTURES: [&[u8]; 4] = [
        include_bytes!("../../tests/vectors/c1/2kib-v1.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_1.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_1-synthetic.json"),
        include_bytes!("../../tests/vectors/c1/2kib-v1_2-non-interactive.json"),
    ];

    #[test]
    fn one_recorded_circuit_serves_all_kinds_of_proofs() {
        let circuit = load(SectorSize::Kib2).unwrap();
        let shape = circuit.shape();
        assert_eq!(shape.inputs, 40);
        assert_eq!(shape.aux, 2_685_673);
        assert_eq!(shape.rows, 2_687_921 + 40);
        assert_eq!(circuit.log_domain(), 22);
        for bytes in FIXTURES {
            let c1 = C1::parse(bytes).unwrap();
            let k = c1.partitions().len() - 1;
            let witness = synthesize(&c1, k).unwrap();
            assert_eq!(
                circuit.first_unsatisfied_row(&witness).unwrap(),
                None,
                "{}",
                c1.proof()
            );
            assert_eq!(witness.input[0], Scalar::ONE);
            assert_eq!(witness.input[1..], public_inputs(c1.head(), k).unwrap());
            let past = synthesize(&c1, k + 1).unwrap_err();
            assert_eq!(past.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn replica_ids_are_those_of_the_sealed_sectors() {
        let prover_id = |actor: &[u8]| {
            let mut id = [0; 32];
            id[..actor.len()].copy_from_slice(actor);
            id
        };
        // Actors 127, 1000, 3000000 and 1001.
        let sectors = [
            (prover_id(&[0x7f]), 1),
            (prover_id(&[0xe8, 0x07]), 42),
            (prover_id(&[0xc0, 0x8d, 0xb7, 0x01]), (1 << 32) + 5),
            (prover_id(&[0xe9, 0x07]), 7),
        ];
        for (bytes, (prover_id, number)) in FIXTURES.into_iter().zip(sectors) {
            let head = Head::parse(bytes).unwrap();
            let id =
                |number| replica_id(head.proof, &prover_id, number, &head.ticket, &head.comm_d);
            assert_eq!(id(number), head.replica_id, "{}", head.proof);
            assert_ne!(id(number + 1), head.replica_id, "{}", head.proof);
        }
    }
}
