// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk verify`.

use cuzk::filecoin::c2::{self, Statement};
use cuzk::filecoin::Head;
use cuzk::{Error, ErrorKind, Result};

use crate::args::{ContextArgs, VerifyArgs};
use crate::input;
use crate::report;
use crate::Outcome;

pub fn run(args: &VerifyArgs) -> Result<Outcome> {
    let statement = statement(args)?;
    let proof = proof_bytes(&input::read(&args.proof)?)
        .map_err(|error| error.context(args.proof.display()))?;
    let context = ContextArgs::on_cpu(args.dir.clone()).open()?;
    if c2::verify(&context, &statement, &proof)? {
        report::print("valid")?;
        return Ok(Outcome::Done);
    }
    report::print("not valid")?;
    Ok(Outcome::NotValid)
}

fn statement(args: &VerifyArgs) -> Result<Statement> {
    let prover_id = input::prover_id(args.actor_id, args.prover_id)?;
    if let Some(path) = &args.c1 {
        let head =
            Head::parse(&input::read(path)?).map_err(|error| error.context(path.display()))?;
        let sector_number = input::sector_number(args.sector_number, &head)?;
        return Ok(Statement::of(&head, &prover_id, sector_number));
    }
    let given = |name: &str| {
        Error::new(
            ErrorKind::InvalidArgument,
            format!("{name} is needed without --c1"),
        )
    };
    Ok(Statement {
        proof: args
            .registered_proof
            .ok_or_else(|| given("--registered-proof"))?,
        comm_r: args.comm_r.ok_or_else(|| given("--comm-r"))?,
        comm_d: args.comm_d.ok_or_else(|| given("--comm-d"))?,
        prover_id,
        sector_number: args.sector_number.ok_or_else(|| given("--sector-number"))?,
        ticket: args.ticket.ok_or_else(|| given("--ticket"))?,
        seed: args.seed.ok_or_else(|| given("--seed"))?,
    })
}

/// The proof in any of the forms that `cuzk prove` gives it.
fn proof_bytes(file: &[u8]) -> Result<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(file) else {
        return Ok(file.to_vec());
    };
    let text = text.trim();
    if text.starts_with('{') {
        let document: serde_json::Value = serde_json::from_str(text).map_err(|error| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!("not the JSON of a proof: {error}"),
            )
        })?;
        let proof = document["proof"].as_str().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "the JSON has no text \"proof\"")
        })?;
        return input::parse_hex(proof);
    }
    input::parse_hex(text).or_else(|_| Ok(file.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_read_in_each_of_its_forms() {
        let bytes = vec![0xa5; 192];
        let hex = input::hex(&bytes);
        assert_eq!(proof_bytes(&bytes).unwrap(), bytes);
        assert_eq!(proof_bytes(format!("{hex}\n").as_bytes()).unwrap(), bytes);
        let json = format!("{{\"proof\":\"{hex}\",\"backend\":\"cpu\"}}\n");
        assert_eq!(proof_bytes(json.as_bytes()).unwrap(), bytes);
        assert!(proof_bytes(b"{}").is_err());
        assert!(proof_bytes(b"{\"proof\":\"xy\"}").is_err());
        assert!(proof_bytes(b"{").is_err());
    }
}
