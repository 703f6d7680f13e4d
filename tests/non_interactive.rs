// SPDX-License-Identifier: MIT OR Apache-2.0

//! A real non-interactive sector of 2 KiB, 13 partitions, from Commit-1 to proofs and aggregates
//! that filecoin-proofs accepts. It takes minutes: `make test-aggregation` runs it.

mod common;

use common::c1::{Fixture, NON_INTERACTIVE};
use common::filecoin::use_parameters;
use common::parameters::development_parameters;
use common::verify::verify_seal_2kib;
use cuzk::filecoin::aggregate::{aggregate, verify_aggregate};
use cuzk::filecoin::c2::{self, JobRequest, Request, WitnessMethod};
use cuzk::filecoin::Aggregation;
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::schedule::{Context, Options};
use filecoin_proofs_api::seal::{get_seal_inputs, verify_aggregate_seal_commit_proofs};
use filecoin_proofs_api::RegisteredAggregationProof;

#[test]
#[ignore = "proves 13 partitions: run `make test-aggregation`"]
fn filecoin_proofs_accepts_a_non_interactive_sector_and_aggregates_of_two() {
    let folder = development_parameters();
    use_parameters(&folder).unwrap();
    let context = Context::new(Options {
        backend: Some(BackendChoice::Cpu),
        parameter_folder: Some(folder.clone()),
        ..Options::default()
    })
    .unwrap();
    let fixture = Fixture::load(NON_INTERACTIVE);
    let (prover_id, number) = (fixture.sector.prover_id, fixture.sector.sector_number);
    let request = JobRequest::new(fixture.c1.clone(), prover_id, number, WitnessMethod::Native);
    let job = context.start(vec![Box::new(request)], Default::default());
    let job = job.unwrap();
    assert!(job.wait(None).unwrap());
    let outcome = job.outcome(0).unwrap();

    // The proof of one sector.
    let proof = outcome.result.as_ref().unwrap();
    assert_eq!(proof.len(), 14_164);
    assert_eq!(verify_seal_2kib(proof, &fixture, &folder), Ok(true));
    println!("{:?}", outcome.timings);
    assert!(!outcome.timings.assemble.is_zero());
    let request = Request::new(&fixture.c1, &prover_id, number).unwrap();
    let statement = request.statement().unwrap().clone();
    assert!(c2::verify(&context, &statement, proof).unwrap());

    // The proofs of its partitions, joined once more.
    let partitions = outcome.partitions.iter().map(|made| made.proof.to_bytes());
    let partitions: Vec<[u8; 192]> = partitions.collect();
    let each: Vec<&[u8]> = partitions.iter().map(|bytes| bytes.as_slice()).collect();
    let joined = c2::assemble(&context, &request, &each).unwrap();
    assert!(joined == *proof);
    let apart = partitions.concat();

    // Two sectors: this one and, there being no other, this one once more.
    let statements = [statement.clone(), statement.clone()];
    let sector = &fixture.sector;
    let inputs = get_seal_inputs(
        sector.registered_proof,
        sector.comm_r,
        sector.comm_d,
        sector.prover_id,
        sector.sector_number.into(),
        sector.ticket,
        sector.seed,
    )
    .unwrap();
    for (ours, theirs) in [
        (
            Aggregation::SnarkPackV1,
            RegisteredAggregationProof::SnarkPackV1,
        ),
        (
            Aggregation::SnarkPackV2,
            RegisteredAggregationProof::SnarkPackV2,
        ),
    ] {
        let bytes = aggregate(&context, ours, &statements, &apart.repeat(2)).unwrap();
        assert!(verify_aggregate(&context, ours, &statements, &bytes).unwrap());
        let accepted = verify_aggregate_seal_commit_proofs(
            sector.registered_proof,
            theirs,
            bytes,
            &[sector.comm_r; 2],
            &[sector.seed; 2],
            [inputs.clone(), inputs.clone()].concat(),
        );
        assert!(accepted.unwrap(), "{ours:?}");
    }
}
