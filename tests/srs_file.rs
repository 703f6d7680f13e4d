// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameter files: what bellperson writes is read as bellperson reads it, and every way in which
//! a file can be bad is refused with its cause.

mod chain;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use chain::parameters;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::srs::{
    Checks, HostSrs, ParameterFile, ResidentSrs, Section, SrsShape, VerifyingKey,
};
use cuzk_prover::ErrorKind;

/// Bytes of the verifying key before the count of ic.
const KEY_POINTS: u64 = 864;

const LEVELS: [Checks; 4] = [
    Checks::None,
    Checks::Structure,
    Checks::Curve,
    Checks::CurveAndSubgroup,
];

/// The folder of the files here, the whole parameters and the file's bytes. Five thousand steps
/// make the sections longer than one chunk of reading and one batch of the subgroup check.
fn fixture() -> &'static (tempfile::TempDir, Parameters<Bls12>, Vec<u8>) {
    static FIXTURE: OnceLock<(tempfile::TempDir, Parameters<Bls12>, Vec<u8>)> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let parameters = parameters(5000, 1);
        let mut bytes = Vec::new();
        parameters.write(&mut bytes).unwrap();
        (folder, parameters, bytes)
    })
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = fixture().0.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn load(path: &Path, checks: Checks) -> cuzk_prover::Result<HostSrs> {
    HostSrs::load(&ParameterFile::open(path)?, checks, &Cancel::default())
}

/// Offset and size in bytes of one point of a section.
fn point_at(bytes: &[u8], section: Section, index: usize) -> std::ops::Range<usize> {
    let path = file(&format!("at-{section}-{index}"), bytes);
    let span = ParameterFile::open(&path).unwrap().section(section);
    std::fs::remove_file(path).unwrap();
    assert!(index < span.points);
    let start = span.offset as usize + index * section.point_bytes();
    start..start + section.point_bytes()
}

/// Asserts that the file of these bytes is refused, with the file's name and all these words.
fn refused(name: &str, bytes: &[u8], checks: Checks, words: &[&str]) {
    let path = file(name, bytes);
    let error = load(&path, checks).expect_err(name);
    assert_eq!(error.kind(), ErrorKind::InvalidSrs, "{name}: {error}");
    let text = error.to_string();
    assert!(text.starts_with(&*path.to_string_lossy()), "{text}");
    assert_eq!(text.matches(&*path.to_string_lossy()).count(), 1, "{text}");
    for word in words {
        assert!(text.contains(word), "{name}: {word:?} is not in: {text}");
    }
    assert!(!text.contains('\n'), "{text}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_file_of_bellperson_is_read_as_bellperson_reads_it() {
    let (_, expected, bytes) = fixture();
    let path = file("good.params", bytes);
    let opened = ParameterFile::open(&path).unwrap();
    let shape = SrsShape {
        ic: expected.vk.ic.len(),
        h: expected.h.len(),
        l: expected.l.len(),
        a: expected.a.len(),
        b_g1: expected.b_g1.len(),
        b_g2: expected.b_g2.len(),
    };
    assert_eq!(*opened.shape(), shape);
    assert!(shape.h > 4096 && shape.b_g2 < shape.a, "{shape:?}");
    for checks in LEVELS {
        let cancel = Cancel::default();
        let srs = HostSrs::load(&opened, checks, &cancel).unwrap();
        assert!(srs.h(&cancel).unwrap() == &expected.h[..]);
        assert!(srs.l(&cancel).unwrap() == &expected.l[..]);
        assert!(srs.a(&cancel).unwrap() == &expected.a[..]);
        assert!(srs.b_g1(&cancel).unwrap() == &expected.b_g1[..]);
        assert!(srs.b_g2(&cancel).unwrap() == &expected.b_g2[..]);
        assert_eq!(*srs.shape(), shape);
        assert_eq!(srs.verifying_key(), opened.verifying_key());
        assert_eq!(srs.host_bytes(), bytes.len() as u64 - KEY_POINTS - 6 * 4);
    }
    let key = opened.verifying_key();
    assert_eq!(key.alpha_g1, expected.vk.alpha_g1);
    assert_eq!(key.beta_g1, expected.vk.beta_g1);
    assert_eq!(key.beta_g2, expected.vk.beta_g2);
    assert_eq!(key.gamma_g2, expected.vk.gamma_g2);
    assert_eq!(key.delta_g1, expected.vk.delta_g1);
    assert_eq!(key.delta_g2, expected.vk.delta_g2);
    assert_eq!(key.ic, expected.vk.ic);

    let mut key_bytes = Vec::new();
    expected.vk.write(&mut key_bytes).unwrap();
    let key_path = file("good.vk", &key_bytes);
    let read = VerifyingKey::read(&key_path).unwrap();
    assert_eq!(read, *key);
    assert_eq!(VerifyingKey::from_bytes(&key_bytes).unwrap(), *key);
    opened.check_verifying_key(&read, &key_path).unwrap();
    opened.check_shape(&shape).unwrap();
}

#[test]
fn the_bytes_of_a_section_are_given_as_they_are() {
    let (_, _, bytes) = fixture();
    let path = file("bytes.params", bytes);
    let opened = ParameterFile::open(&path).unwrap();
    for section in Section::ALL {
        let points = opened.section(section).points;
        let size = section.point_bytes();
        let mut buffer = vec![0u8; 2 * size];
        opened
            .read_section(section, points - 2, &mut buffer)
            .unwrap();
        let start = opened.section(section).offset as usize + (points - 2) * size;
        assert_eq!(buffer, bytes[start..start + 2 * size]);
        opened.read_section(section, points, &mut []).unwrap();
        for (first, length) in [(points - 1, 2 * size), (points + 1, 0), (0, size - 1)] {
            let mut buffer = vec![0u8; length];
            let error = opened
                .read_section(section, first, &mut buffer)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        }
    }
}

#[test]
fn a_file_of_any_other_length_is_refused_before_its_queries_are_read() {
    let (_, _, bytes) = fixture();
    let ends: Vec<usize> = Section::ALL
        .iter()
        .map(|section| point_at(bytes, *section, 0).start)
        .chain([bytes.len()])
        .collect();
    let mut lengths = vec![0, 1, 95, 863, 864, 867];
    for end in ends {
        lengths.extend([end - 5, end - 4, end - 1, end, end + 1, end + 95, end + 96]);
    }
    for length in lengths {
        let mut changed = bytes.clone();
        changed.resize(length, 0);
        let path = file("length.params", &changed);
        match ParameterFile::open(&path) {
            Ok(_) => assert_eq!(length, bytes.len()),
            Err(error) => {
                assert_ne!(length, bytes.len());
                assert_eq!(error.kind(), ErrorKind::InvalidSrs);
                let text = error.to_string();
                assert!(text.contains("need") && text.contains("present"), "{text}");
            }
        }
    }
    // The case that supraseal-c2 maps past the end of: b_g2 with 96 bytes a point.
    let b_g2 = point_at(bytes, Section::BG2, 0).start;
    let short = b_g2 + (bytes.len() - b_g2) / 2;
    let needed = (bytes.len() - b_g2).to_string();
    let present = (short - b_g2).to_string();
    let words = ["b_g2 query", &needed, &present];
    refused("half-b_g2.params", &bytes[..short], Checks::None, &words);
}

#[test]
fn every_changed_bit_of_a_count_is_refused() {
    let (_, _, bytes) = fixture();
    for section in Section::ALL {
        let count = point_at(bytes, section, 0).start - 4;
        for bit in 0..32 {
            let mut changed = bytes.clone();
            changed[count + 3 - bit / 8] ^= 1 << (bit % 8);
            refused("count.params", &changed, Checks::None, &[]);
        }
    }
}

#[test]
fn counts_that_overflow_are_refused() {
    let (_, _, bytes) = fixture();
    let mut changed = bytes.clone();
    for section in Section::ALL {
        let count = point_at(bytes, section, 0).start - 4;
        changed[count..count + 4].fill(0xff);
        let needed = (u64::from(u32::MAX) * section.point_bytes() as u64).to_string();
        let words = [section.name(), "4294967295", &needed];
        refused("overflow.params", &changed, Checks::None, &words);
        changed[count..count + 4].copy_from_slice(&bytes[count..count + 4]);
    }
}

#[test]
fn a_changed_bit_of_any_section_is_named_by_section_and_index() {
    let (_, _, bytes) = fixture();
    for section in &Section::ALL[1..] {
        for index in [0, 1, 1600] {
            let place = point_at(bytes, *section, index);
            let words = [section.name(), &format!("point {index} ")];
            // Bits of flags, of leading and trailing coordinates.
            for (byte, bit) in [(0, 7), (0, 6), (0, 5), (0, 0), (47, 0), (48, 3), (95, 0)] {
                let mut changed = bytes.clone();
                changed[place.start + byte] ^= 1 << bit;
                refused("bit.params", &changed, Checks::Curve, &words);
                refused("bit.params", &changed, Checks::CurveAndSubgroup, &words);
            }
            let mut changed = bytes.clone();
            changed[place.end - 1] ^= 0x10;
            refused("last.params", &changed, Checks::Curve, &words);
        }
    }
}

#[test]
fn the_first_of_several_bad_points_is_named() {
    let (_, _, bytes) = fixture();
    let mut changed = bytes.clone();
    for index in [4995, 4500, 300] {
        changed[point_at(bytes, Section::H, index).end - 1] ^= 1;
    }
    for _ in 0..10 {
        refused(
            "several.params",
            &changed,
            Checks::Curve,
            &["h query point 300 is not on"],
        );
    }
}

#[test]
fn every_changed_bit_of_the_verifying_key_is_refused_at_every_level() {
    let (_, _, bytes) = fixture();
    let names = [
        "alpha_g1", "beta_g1", "beta_g2", "gamma_g2", "delta_g1", "delta_g2",
    ];
    let starts = [0, 96, 192, 384, 576, 672];
    for (name, start) in names.iter().zip(starts) {
        for byte in [0, 47, 95] {
            let mut changed = bytes.clone();
            changed[start + byte] ^= 0x08;
            refused(
                "key.params",
                &changed,
                Checks::None,
                &["verifying key", name],
            );
            changed.truncate(point_at(bytes, Section::H, 0).start - 4);
            let error = VerifyingKey::read(&file("key.vk", &changed)).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
    let mut changed = bytes.clone();
    changed[point_at(bytes, Section::Ic, 1).start + 50] ^= 1;
    refused(
        "ic.params",
        &changed,
        Checks::None,
        &["verifying key: ic point 1 is not on the"],
    );
}

#[test]
fn infinity_and_zeroed_points_are_refused_in_every_section() {
    let (_, _, bytes) = fixture();
    for section in Section::ALL {
        for first in [0x40, 0] {
            let place = point_at(bytes, section, 1);
            let mut changed = bytes.clone();
            changed[place.clone()].fill(0);
            changed[place.start] = first;
            let words = [section.name(), "point 1 is the point at infinity"];
            for checks in [Checks::Structure, Checks::Curve, Checks::CurveAndSubgroup] {
                refused("infinity.params", &changed, checks, &words);
            }
            if section != Section::Ic {
                load(&file("infinity.params", &changed), Checks::None).unwrap();
            }
        }
    }
    for start in [0, 96, 192, 384, 576, 672] {
        let mut changed = bytes.clone();
        changed[start..start + 96].fill(0);
        changed[start] = 0x40;
        if (192..576).contains(&start) || start == 672 {
            changed[start + 96..start + 192].fill(0);
        }
        refused(
            "key-infinity.params",
            &changed,
            Checks::None,
            &["is the point at infinity"],
        );
    }
}

/// Bytes of a point of the curve outside the subgroup: (0, 2) in G1; the least abscissa that
/// serves in G2.
fn outside_the_subgroup(section: Section) -> Vec<u8> {
    if section != Section::BG2 {
        let mut bytes = vec![0u8; 96];
        bytes[95] = 2;
        return bytes;
    }
    (1..=255u8)
        .find_map(|x| {
            let mut compressed = [0u8; 96];
            compressed[0] = 0x80;
            compressed[95] = x;
            let point: Option<blstrs::G2Affine> =
                blstrs::G2Affine::from_compressed_unchecked(&compressed).into();
            point.filter(|point| !bool::from(point.is_torsion_free()))
        })
        .unwrap()
        .to_uncompressed()
        .to_vec()
}

#[test]
fn a_point_outside_the_subgroup_is_refused_in_every_section() {
    let (_, _, bytes) = fixture();
    for section in Section::ALL {
        let last = {
            let path = file("subgroup-points.params", bytes);
            ParameterFile::open(&path).unwrap().section(section).points - 1
        };
        for index in [0, 1, last] {
            let mut changed = bytes.clone();
            changed[point_at(bytes, section, index)]
                .copy_from_slice(&outside_the_subgroup(section));
            let words = [
                section.name(),
                &format!("point {index} is not in the subgroup"),
            ];
            refused(
                "subgroup.params",
                &changed,
                Checks::CurveAndSubgroup,
                &words,
            );
            if section != Section::Ic {
                load(&file("subgroup.params", &changed), Checks::Curve).unwrap();
            }
        }
    }
}

#[test]
fn a_coordinate_above_the_modulus_is_refused() {
    let (_, _, bytes) = fixture();
    for section in &Section::ALL[1..] {
        let mut changed = bytes.clone();
        let place = point_at(bytes, *section, 1);
        changed[place.start..place.start + 48].fill(0xff);
        changed[place.start] = 0x1f;
        let words = [section.name(), "point 1 has a coordinate above"];
        refused("modulus.params", &changed, Checks::Structure, &words);
    }
}

#[test]
fn the_digest_catches_what_is_still_a_good_point() {
    let (_, _, bytes) = fixture();
    let path = file("digest.params", bytes);
    let opened = ParameterFile::open(&path).unwrap();
    let cancel = Cancel::default();
    let digest = opened.digest(&cancel).unwrap();
    let expected = blake2b_of(bytes);
    assert_eq!(digest, expected);
    opened.check_digest(&expected, &cancel).unwrap();

    // Two points of a query exchanged: every check of points passes.
    let mut changed = bytes.clone();
    let (first, second) = (
        point_at(bytes, Section::L, 1),
        point_at(bytes, Section::L, 2),
    );
    changed[first.clone()].copy_from_slice(&bytes[second.clone()]);
    changed[second].copy_from_slice(&bytes[first]);
    let path = file("exchanged.params", &changed);
    let opened = ParameterFile::open(&path).unwrap();
    HostSrs::load(&opened, Checks::CurveAndSubgroup, &cancel).unwrap();
    let error = opened.check_digest(&expected, &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    let text = error.to_string();
    let hex = expected
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect::<String>();
    assert!(
        text.contains(&hex) && text.contains("exchanged.params"),
        "{text}"
    );
}

/// The digest by the system's b2sum, which is not our code.
fn blake2b_of(bytes: &[u8]) -> [u8; 16] {
    let path = file("b2sum.bin", bytes);
    let mut child = std::process::Command::new("b2sum")
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(child.wait().unwrap().success());
    let digest = hex::decode(&text[..32]).unwrap();
    digest.try_into().unwrap()
}

#[test]
fn parameters_of_another_circuit_are_refused() {
    let (_, _, bytes) = fixture();
    let path = file("ours.params", bytes);
    let opened = ParameterFile::open(&path).unwrap();
    let mut other = Vec::new();
    parameters(10, 1).write(&mut other).unwrap();
    let other = ParameterFile::open(&file("other.params", &other)).unwrap();
    let error = other.check_shape(opened.shape()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    assert!(error.to_string().contains("the circuit needs"), "{error}");

    // The same circuit under other secrets: the counts are equal, the keys are not.
    let mut again = Vec::new();
    parameters(10, 2).write(&mut again).unwrap();
    let again = ParameterFile::open(&file("again.params", &again)).unwrap();
    again.check_shape(other.shape()).unwrap();
    let error = again
        .check_verifying_key(other.verifying_key(), Path::new("/somewhere/other.vk"))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    assert!(error.to_string().contains("/somewhere/other.vk"), "{error}");
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = fixture().0.path();
    let missing = ParameterFile::open(&folder.join("missing.params")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::ParametersNotFound);
    assert!(
        missing
            .to_string()
            .ends_with("missing.params: no such file"),
        "{missing}"
    );
    let missing = VerifyingKey::read(&folder.join("missing.vk")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::ParametersNotFound);
    assert_eq!(
        ParameterFile::open(folder).unwrap_err().kind(),
        ErrorKind::Io
    );

    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let error = ParameterFile::open(&pipe).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: not a regular file", pipe.display())
    );
}

#[test]
fn a_file_that_changes_after_it_was_opened_is_refused() {
    let (_, _, bytes) = fixture();
    let path = file("shrinks.params", bytes);
    let opened = ParameterFile::open(&path).unwrap();
    let handle = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    for (left, says) in [
        (bytes.len() - 1, "the file changed while it was read"),
        (5000, "became shorter while it was read: h query"),
    ] {
        handle.set_len(left as u64).unwrap();
        let error = HostSrs::load(&opened, Checks::Curve, &Cancel::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSrs);
        assert!(error.to_string().contains(says), "{error}");
    }

    handle.set_len(bytes.len() as u64 + 1).unwrap();
    let opened = ParameterFile::open(&file("grows.params", bytes)).unwrap();
    std::fs::write(opened.path(), [&bytes[..], &[0]].concat()).unwrap();
    let error = HostSrs::load(&opened, Checks::Curve, &Cancel::default()).unwrap_err();
    assert!(
        error.to_string().contains("changed while it was read"),
        "{error}"
    );
}

#[test]
fn a_cancelled_load_ends() {
    let (_, _, bytes) = fixture();
    let opened = ParameterFile::open(&file("cancel.params", bytes)).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let error = HostSrs::load(&opened, Checks::CurveAndSubgroup, &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(
        opened.digest(&cancel).unwrap_err().kind(),
        ErrorKind::Cancelled
    );
}
