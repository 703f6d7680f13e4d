// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saved circuits: the input is what a file would hold behind its digest.

use blstrs::Scalar;
use cuzk_prover::circuit::{CompactAux, CompiledCircuit, Witness};
use cuzk_prover::ErrorKind;

use crate::small::small;

/// The most memory that a circuit may take here.
const MOST_BYTES: u64 = 1 << 22;

/// The most variables whose rows are evaluated.
const MOST_VARIABLES: usize = 1 << 16;

/// Loads the circuit; one that loads must come back when saved, and its rows must be there for any
/// witness.
pub fn run(input: &[u8]) {
    let circuit = match CompiledCircuit::load_unverified(input, MOST_BYTES) {
        Ok(circuit) => circuit,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(!error.message().contains('\n'), "{error}");
            return;
        }
    };
    let saved = circuit.save();
    let again = CompiledCircuit::load(&saved, MOST_BYTES).expect("a saved circuit");
    assert!(again == circuit, "a circuit does not come back as it was");
    let shape = circuit.shape();
    if shape.inputs + shape.aux > MOST_VARIABLES {
        return;
    }
    let aux: Vec<Scalar> = (0..shape.aux as u64).map(|i| Scalar::from(i % 5)).collect();
    let witness = Witness {
        input: vec![Scalar::from(1); shape.inputs],
        aux: CompactAux::from_scalars(&aux),
    };
    let rows = circuit.evaluate(&witness).expect("rows of any witness");
    assert!(rows.iter().all(|column| column.len() == shape.rows));
}

/// Where a search starts.
pub fn seeds() -> Vec<Vec<u8>> {
    vec![small().circuit.save()]
}
