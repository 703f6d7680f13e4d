// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prover ids: how Filecoin writes a storage provider into a proof.

use super::c1::Node;

/// The prover id of an actor: its number as unsigned LEB128, followed by zeros.
pub fn prover_id_from_actor(actor_id: u64) -> Node {
    let mut id = [0; 32];
    let mut rest = actor_id;
    for byte in &mut id {
        *byte = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            break;
        }
        *byte |= 0x80;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_are_written_in_leb128() {
        for (actor, bytes) in [
            (0, &[0x00][..]),
            (1, &[0x01]),
            (127, &[0x7f]),
            (128, &[0x80, 0x01]),
            (1000, &[0xe8, 0x07]),
            (3_000_000, &[0xc0, 0x8d, 0xb7, 0x01]),
            (
                u64::MAX,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            ),
        ] {
            let id = prover_id_from_actor(actor);
            assert_eq!(&id[..bytes.len()], bytes, "actor {actor}");
            assert!(id[bytes.len()..].iter().all(|byte| *byte == 0));
        }
    }
}
