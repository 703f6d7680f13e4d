// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-1 outputs: the input is a document, or changes to that of a real sector.

use std::sync::OnceLock;

use cuzk::filecoin::c2::{check, info, synthesize, Request, WitnessMethod};
use cuzk::filecoin::{prover_id_from_actor, Head};
use cuzk_prover::ErrorKind;

use crate::Input;

/// The output of a sector of 2 KiB, number 42 of actor 1000.
const REAL: &[u8] = include_bytes!("../../tests/vectors/c1/2kib-v1_1.json");
const SECTOR: u64 = 42;
const ACTOR: u64 = 1000;

/// What numbers are changed to.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "7",
    "8",
    "63",
    "64",
    "255",
    "256",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-1",
    "1e400",
];

/// Describes, checks and reads the output; one that is accepted must give a witness.
pub fn run(input: &[u8]) {
    let mut input = Input(input);
    let changed;
    let document = match input.byte() % 4 {
        0 => input.0,
        _ => {
            changed = change(&mut input);
            &changed
        }
    };
    let prover = prover_id_from_actor(ACTOR);
    expect(info(document).map(drop));
    expect(Head::parse(document).map(drop));
    expect(check(document, &prover, SECTOR));
    match Request::new(document, &prover, SECTOR) {
        Err(error) => expect(Err(error)),
        Ok(request) => {
            if let Some(statement) = request.statement() {
                statement.public_inputs().expect("public inputs");
            }
            let made = synthesize(&request, 0, WitnessMethod::Native);
            if document == REAL {
                made.as_ref().expect("the witness of a real sector");
            }
            expect(made.map(drop));
        }
    }
}

/// Where a search starts.
pub fn seeds() -> Vec<Vec<u8>> {
    let wrapped = br#"{"SectorNum":42,"Phase1Out":"e30=","SectorSize":2048}"#;
    let short =
        br#"{"registered_proof":"StackedDrg2KiBV1_1","vanilla_proofs":{"StackedDrg2KiBV1":[]}}"#;
    vec![
        [&[0], &wrapped[..]].concat(),
        [&[0], &short[..]].concat(),
        vec![1],
        vec![1, 0, 0, 0, 0, 1, 2, 0, 1, 0],
    ]
}

fn expect(result: cuzk::Result<()>) {
    if let Err(error) = result {
        let good = matches!(
            error.kind(),
            ErrorKind::InvalidC1 | ErrorKind::InvalidArgument | ErrorKind::Unsupported
        );
        assert!(good, "{:?}: {error}", error.kind());
        assert!(!error.message().contains('\n'), "{error}");
    }
}

/// The real output with the changes that the input asks for.
fn change(input: &mut Input<'_>) -> Vec<u8> {
    let mut document = REAL.to_vec();
    while !input.is_empty() {
        let kind = input.byte();
        let at = input.below(document.len());
        match kind % 4 {
            0 => {
                let (start, end) = number(input.below(numbers().len()));
                let new = NUMBERS[at % NUMBERS.len()].as_bytes();
                if document.get(start..end) == REAL.get(start..end) {
                    document.splice(start..end, new.iter().copied());
                }
            }
            1 => {
                let end = at + input.below((document.len() - at).min(1000));
                document.drain(at..end);
            }
            2 => {
                let end = at + input.below((document.len() - at).min(1000));
                let copy = document[at..end].to_vec();
                document.splice(at..at, copy);
            }
            _ => {
                let n = usize::from(input.byte() % 16);
                let new = input.bytes(n);
                let end = (at + new.len()).min(document.len());
                document.splice(at..end, new.iter().copied());
            }
        }
        if document.is_empty() {
            break;
        }
    }
    document
}

fn number(index: usize) -> (usize, usize) {
    numbers().get(index).copied().unwrap_or_default()
}

/// Where the numbers of the real output stand.
fn numbers() -> &'static [(usize, usize)] {
    static NUMBERS: OnceLock<Vec<(usize, usize)>> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let mut numbers = Vec::new();
        let mut at = 0;
        while at < REAL.len() {
            let len = REAL[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if len > 0 {
                numbers.push((at, at + len));
            }
            at += len.max(1);
        }
        numbers
    })
}
