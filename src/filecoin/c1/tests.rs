// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading of real and of damaged Commit-1 outputs.

use super::*;
use serde_json::{json, Value};

const V1: &[u8] = include_bytes!("../../../tests/vectors/c1/2kib-v1.json");
const V1_1: &[u8] = include_bytes!("../../../tests/vectors/c1/2kib-v1_1.json");
const SYNTHETIC: &[u8] = include_bytes!("../../../tests/vectors/c1/2kib-v1_1-synthetic.json");
const NON_INTERACTIVE: &[u8] =
    include_bytes!("../../../tests/vectors/c1/2kib-v1_2-non-interactive.json");

/// r, the order of the scalar field, little-endian.
const MODULUS: Node = [
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53,
    0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
];

fn value() -> Value {
    serde_json::from_slice(V1_1).expect("a fixture is JSON")
}

fn parse(value: &Value) -> Result<C1> {
    C1::parse(value.to_string().as_bytes())
}

/// The error of a document changed in one place.
fn refused(change: impl FnOnce(&mut Value)) -> String {
    let mut document = value();
    change(&mut document);
    let error = parse(&document).expect_err("a damaged document is refused");
    assert_eq!(error.kind(), ErrorKind::InvalidC1, "{error}");
    let message = error.message();
    assert!(
        !message.contains('\n') && message.len() < 900,
        "{message:?} is one short line"
    );
    message.to_owned()
}

#[test]
fn real_outputs_are_read() {
    for (bytes, number) in [(V1, 0), (V1_1, 5), (SYNTHETIC, 10), (NON_INTERACTIVE, 15)] {
        let c1 = C1::parse(bytes).unwrap();
        assert_eq!(c1.proof().number(), number);
        assert_eq!(c1.partitions().len(), c1.proof().partitions());
        assert_eq!(c1.head(), &Head::parse(bytes).unwrap());
        let document: Value = serde_json::from_slice(bytes).unwrap();
        assert_eq!(document["comm_r"], json!(c1.head().comm_r));
        assert_eq!(document["ticket"], json!(c1.head().ticket));
        let challenge = &document["vanilla_proofs"]["StackedDrg2KiBV1"][0][1];
        assert_eq!(
            challenge["labeling_proofs"][0]["node"],
            json!(c1.partitions()[0][1].node())
        );
    }
}

#[test]
fn wrapped_outputs_are_read() {
    let text = BASE64.encode(V1_1);
    let document = json!({"SectorNum": 42, "Phase1Out": text, "SectorSize": 2048});
    let c1 = parse(&document).unwrap();
    assert_eq!(c1.head().sector_number, Some(42));
    assert_eq!(c1.partitions().len(), 1);

    let wrong = |document: Value| parse(&document).unwrap_err().message().to_owned();
    assert!(
        wrong(json!({"SectorNum": 42, "Phase1Out": text, "SectorSize": 8388608}))
            .contains("SectorSize is 8388608, StackedDrg2KiBV1_1 needs 2048")
    );
    assert!(wrong(json!({"SectorNum": 42, "Phase1Out": "?"})).contains("Phase1Out is not base64"));
    assert!(wrong(json!({"SectorNum": 42, "Phase1Out": "e30="}))
        .contains("Phase1Out: C1 output: registered_proof is missing"));
    assert!(wrong(json!({"SectorNum": 42})).contains("Phase1Out is missing"));
    assert!(wrong(json!({"SectorNum": -1, "Phase1Out": text})).contains("SectorNum"));
    // A wrapped document inside a wrapped document is none.
    let twice = json!({"SectorNum": 1, "Phase1Out": BASE64.encode(document.to_string())});
    assert!(wrong(twice).contains("registered_proof is missing"));
}

#[test]
fn cut_outputs_are_refused() {
    // Every prefix near the ends, and some thousand in between.
    let step = 97;
    let cuts = (0..200)
        .chain((200..V1_1.len() - 200).step_by(step))
        .chain(V1_1.len() - 200..V1_1.len());
    for cut in cuts {
        for error in [
            C1::parse(&V1_1[..cut]).expect_err("a cut document is refused"),
            Head::parse(&V1_1[..cut]).expect_err("a cut document is refused"),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidC1, "cut at {cut}: {error}");
        }
    }
}

#[test]
fn what_is_no_c1_output_is_refused() {
    let deep = "[".repeat(100_000);
    let long = format!("{{\"registered_proof\":\"{}\"}}", "x".repeat(1_000_000));
    for text in [
        "",
        " ",
        "null",
        "[]",
        "{}",
        "42",
        "\"\"",
        "\u{0}",
        "{\"a\":1}",
        &deep,
        &long,
    ] {
        let error = C1::parse(text.as_bytes()).expect_err("no C1 output");
        assert_eq!(error.kind(), ErrorKind::InvalidC1);
        assert!(error.message().len() < 900, "{}", error.message().len());
    }
    assert!(C1::parse(&[0xff; 64]).is_err());
    let mut tail = V1_1.to_vec();
    tail.extend_from_slice(b"{}");
    assert!(C1::parse(&tail)
        .unwrap_err()
        .message()
        .contains("trailing characters"));
}

#[test]
fn every_field_must_be_there() {
    for field in [
        "registered_proof",
        "vanilla_proofs",
        "comm_r",
        "comm_d",
        "replica_id",
        "seed",
        "ticket",
    ] {
        let text = refused(|document| {
            document.as_object_mut().unwrap().remove(field);
        });
        assert!(text.contains(&format!("{field} is missing")), "{text}");
        let text = refused(|document| document[field] = json!(true));
        assert!(text.contains(field), "{text}");
    }
}

#[test]
fn proof_and_tag_must_fit() {
    let text = refused(|document| document["registered_proof"] = json!("StackedDrg2KiBV9"));
    assert!(
        text.contains("registered_proof \"StackedDrg2KiBV9\" is unknown"),
        "{text}"
    );
    let text = refused(|document| document["registered_proof"] = json!("StackedDrg32GiBV1_1"));
    assert!(
        text.contains("2KiB sector") && text.contains("needs 32GiB"),
        "{text}"
    );
    let text = refused(|document| {
        let proofs = document["vanilla_proofs"]["StackedDrg2KiBV1"].take();
        document["vanilla_proofs"] = json!({"StackedDrg8MiBV1": proofs});
    });
    assert!(
        text.contains("8MiB sector") && text.contains("needs 2KiB"),
        "{text}"
    );
    // The tag and the proof agree, the proofs are those of another size.
    let text = refused(|document| {
        let proofs = document["vanilla_proofs"]["StackedDrg2KiBV1"].take();
        document["vanilla_proofs"] = json!({"StackedDrg8MiBV1": proofs});
        document["registered_proof"] = json!("StackedDrg8MiBV1_1");
    });
    assert!(
        text.contains("comm_d_proofs: data.Single.path.path has 6 levels, 18 are needed"),
        "{text}"
    );
}

/// Places of one challenge, as JSON pointers below it, and what to put there; then what the error
/// must name.
#[test]
fn every_place_of_a_challenge_is_checked() {
    let node = json!(MODULUS);
    let short = json!(MODULUS[..31]);
    let modulus = "is not below the modulus of the field";
    let element = "/replica_column_proofs/drg_parents/3/inclusion_proof/data/Single/path/path/1";
    let cases: Vec<(&str, Value, String)> = vec![
        ("/comm_d_proofs/data/Single/root", node.clone(), format!("comm_d_proofs: data.Single.root {modulus}")),
        ("/comm_d_proofs/data/Single/leaf", node.clone(), format!("data.Single.leaf {modulus}")),
        ("/comm_d_proofs/data/Single/path/path/5/hashes/0", node.clone(), format!("comm_d_proofs: data.Single.path.path[5].hashes[0] {modulus}")),
        ("/comm_d_proofs/data/Single/path/path/5/index", json!(2), "path[5].index is 2, the level has 2 nodes".into()),
        ("/comm_d_proofs/data/Single/path/path/5/index", json!(u64::MAX), "the level has 2 nodes".into()),
        ("/comm_d_proofs/data/Single/path/path/5/index", json!(-1), "comm_d_proofs.data.Single.path.path[5].index: invalid value".into()),
        ("/comm_d_proofs/data/Single/path/path", json!([]), "has 0 levels, 6 are needed".into()),
        ("/comm_d_proofs/data/Single/path/path/0/hashes", json!([]), "path[0].hashes has 0 siblings, 1 are needed".into()),
        ("/comm_d_proofs/data/Single/leaf", short.clone(), "comm_d_proofs.data.Single.leaf: invalid length 31".into()),
        ("/comm_r_last_proof/data/Single/root", node.clone(), format!("comm_r_last_proof: data.Single.root {modulus}")),
        ("/comm_r_last_proof/data/Single/path/path/1/index", json!(8), "comm_r_last_proof: data.Single.path.path[1].index is 8, the level has 8 nodes".into()),
        ("/comm_r_last_proof/data/Single/path/path/1/hashes/6", node.clone(), format!("hashes[6] {modulus}")),
        ("/comm_r_last_proof/data", json!({"Sub": {"base_proof": {"path": []}, "sub_proof": {"path": []}, "root": vec![0; 32], "leaf": vec![0; 32]}}), "comm_r_last_proof: data is a Sub path, the sector size needs Single".into()),
        ("/replica_column_proofs/c_x/column/rows/1", node.clone(), format!("replica_column_proofs.c_x: column.rows[1] {modulus}")),
        ("/replica_column_proofs/c_x/column/rows", json!([]), "c_x: column.rows has 0 rows, 2 are needed".into()),
        ("/replica_column_proofs/drg_parents/3/column/rows/0", node.clone(), format!("replica_column_proofs.drg_parents[3]: column.rows[0] {modulus}")),
        ("/replica_column_proofs/drg_parents", json!([]), "drg_parents has 0 columns, 6 are needed".into()),
        ("/replica_column_proofs/exp_parents", json!([]), "exp_parents has 0 columns, 8 are needed".into()),
        (element, json!({"hashes": [], "index": 0}), "drg_parents[3]: inclusion_proof: data.Single.path.path[1].hashes has 0 siblings, 7 are needed".into()),
        (element, json!(null), "replica_column_proofs.drg_parents[3].inclusion_proof.data.Single.path.path[1]".into()),
        ("/labeling_proofs", json!([]), "labeling_proofs has 0 layers, 2 are needed".into()),
        ("/labeling_proofs/0/node", json!(64), "labeling_proofs[1].node".into()),
        ("/labeling_proofs/1/layer_index", json!(1), "labeling_proofs[1].layer_index is 1, 2 is needed".into()),
        ("/labeling_proofs/1/layer_index", json!(4294967296u64), "labeling_proofs[1].layer_index".into()),
    ];
    for (place, new, needed) in cases {
        let text = refused(|document| {
            let pointer = format!("/vanilla_proofs/StackedDrg2KiBV1/0/1{place}");
            *document.pointer_mut(&pointer).expect("the place is there") = new;
        });
        assert!(text.contains(&needed), "{place}: {text:?} lacks {needed:?}");
        assert!(
            text.contains("[0][1]"),
            "{place}: {text:?} lacks partition and challenge"
        );
    }
}

#[test]
fn a_challenged_node_must_be_in_the_sector() {
    let text = refused(|document| {
        for layer in 0..2 {
            document["vanilla_proofs"]["StackedDrg2KiBV1"][0][0]["labeling_proofs"][layer]
                ["node"] = json!(64);
        }
    });
    assert!(
        text.contains("node is 64, the sector has 64 nodes"),
        "{text}"
    );
}

#[test]
fn counts_of_partitions_and_challenges_must_fit() {
    let proofs = |document: &mut Value| {
        document["vanilla_proofs"]["StackedDrg2KiBV1"]
            .as_array_mut()
            .unwrap()
            .clone()
    };
    let set = |document: &mut Value, new: Value| {
        document["vanilla_proofs"] = json!({"StackedDrg2KiBV1": new});
    };
    let text = refused(|document| set(document, json!([])));
    assert!(
        text.contains("vanilla_proofs has 0 partitions, 1 are needed"),
        "{text}"
    );
    let text = refused(|document| {
        let one = proofs(document)[0].clone();
        set(document, json!([one, one]));
    });
    assert!(
        text.contains("vanilla_proofs has 2 partitions, 1 are needed"),
        "{text}"
    );
    let text = refused(|document| set(document, json!([[]])));
    assert!(
        text.contains("vanilla_proofs[0] has 0 challenges, 2 are needed"),
        "{text}"
    );
    // Far more than any proof has: the reader stops at the bound.
    let text = refused(|document| set(document, json!(vec![Value::Array(vec![]); 100_000])));
    assert!(text.contains("more than 126 elements"), "{text}");
    let text = refused(|document| {
        let one = proofs(document)[0][0].clone();
        set(document, json!([vec![one; 19]]));
    });
    assert!(text.contains("more than 18 elements"), "{text}");
}

#[test]
fn commitments_are_checked() {
    for field in ["comm_r", "comm_d", "replica_id"] {
        let text = refused(|document| document[field] = json!(MODULUS));
        assert!(
            text.contains(&format!("{field} is not below the modulus")),
            "{text}"
        );
    }
    for field in ["comm_r", "comm_d", "seed"] {
        let text = refused(|document| document[field] = json!(vec![0; 32]));
        assert!(text.contains(&format!("{field} is zero")), "{text}");
    }
    let text = refused(|document| document["seed"] = json!(vec![1; 33]));
    assert!(text.contains("seed"), "{text}");
    let text = refused(|document| document["seed"][7] = json!(256));
    assert!(text.contains("seed[7]") && text.contains("256"), "{text}");
}
