// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people type and what files hold.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cuzk::filecoin::{prover_id_from_actor, Head, SealProof, SectorSize};
use cuzk::{Error, ErrorKind, Result};

/// Reads a file, or standard input for "-".
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|e| Error::io(Path::new("standard input"), "reading", &e))?;
    } else {
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|e| Error::io(path, "reading", &e))?;
    }
    Ok(bytes)
}

/// The prover id from whichever option was given.
pub fn prover_id(actor_id: Option<u64>, prover_id: Option<[u8; 32]>) -> Result<[u8; 32]> {
    match (actor_id, prover_id) {
        (_, Some(id)) => Ok(id),
        (Some(actor), None) => Ok(prover_id_from_actor(actor)),
        (None, None) => Err(Error::new(
            ErrorKind::InvalidArgument,
            "the storage provider is needed: give --actor-id or --prover-id",
        )),
    }
}

/// The sector number given, or the one that a wrapped output says.
pub fn sector_number(given: Option<u64>, head: &Head) -> Result<u64> {
    given.or(head.sector_number).ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidArgument,
            "the C1 output does not say its sector number: give --sector-number",
        )
    })
}

pub fn parse_size(text: &str) -> Result<SectorSize> {
    SectorSize::parse(text)
}

/// A number of bytes with one of the units B, KiB, MiB, GiB, TiB, or none for bytes.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let number_end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kib" => Some(10),
        "m" | "mib" => Some(20),
        "g" | "gib" => Some(30),
        "t" | "tib" => Some(40),
        _ => None,
    };
    number
        .parse::<u64>()
        .ok()
        .zip(shift)
        .and_then(|(number, shift)| number.checked_mul(1 << shift))
        .ok_or_else(|| invalid(format!("{text:?} is no size, write it like 16GiB")))
}

/// An actor id: a number, or an id address of any network.
pub fn parse_actor(text: &str) -> Result<u64> {
    let number = text
        .strip_prefix("f0")
        .or_else(|| text.strip_prefix("t0"))
        .unwrap_or(text);
    number.parse().map_err(|_| {
        invalid(format!(
            "{text:?} is no actor id, write it like f01000 or 1000"
        ))
    })
}

/// A registered seal proof by name or number.
pub fn parse_proof(text: &str) -> Result<SealProof> {
    if let Ok(number) = text.parse() {
        return SealProof::from_number(number);
    }
    SealProof::from_name(text).ok_or_else(|| {
        invalid(format!(
            "{text:?} is no registered seal proof, write it like StackedDrg32GiBV1_1 or 8"
        ))
    })
}

/// 32 bytes in hex.
pub fn parse_node(text: &str) -> Result<[u8; 32]> {
    let bytes = parse_hex(text)?;
    let count = bytes.len();
    bytes
        .try_into()
        .map_err(|_| invalid(format!("{count} bytes in hex, 32 are needed")))
}

/// Bytes in hex, with or without 0x in front.
pub fn parse_hex(text: &str) -> Result<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(value(*high)? << 4 | value(*low)?),
            _ => None,
        })
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| invalid("not hex, two digits a byte".to_string()))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_actors_and_hex_are_read() {
        assert_eq!(parse_bytes("16GiB").unwrap(), 16 << 30);
        assert_eq!(parse_bytes("512 mib").unwrap(), 512 << 20);
        assert_eq!(parse_bytes("123").unwrap(), 123);
        for text in ["", "GiB", "1.5GiB", "-1", "1PB", "99999999999TiB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        for text in ["f01000", "t01000", "1000"] {
            assert_eq!(parse_actor(text).unwrap(), 1000);
        }
        for text in ["", "f1abc", "f0", "-1", "18446744073709551616"] {
            assert!(parse_actor(text).is_err(), "{text}");
        }
        assert_eq!(parse_hex("0x00fF").unwrap(), [0, 255]);
        for text in ["0", "0g", "0x1", "é"] {
            assert!(parse_hex(text).is_err(), "{text}");
        }
        assert_eq!(parse_node(&"07".repeat(32)).unwrap(), [7; 32]);
        assert!(parse_node(&"07".repeat(31)).is_err());
        assert_eq!(hex(&[0, 255]), "00ff");
        assert_eq!(parse_proof("8").unwrap().name(), "StackedDrg32GiBV1_1");
        assert_eq!(parse_proof("StackedDrg2KiBV1").unwrap().number(), 0);
        assert!(parse_proof("StackedDrg").is_err());
    }
}
