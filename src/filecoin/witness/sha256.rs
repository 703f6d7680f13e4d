// SPDX-License-Identifier: MIT OR Apache-2.0
//! The SHA-256 gadget: what bellpepper's allocates, in its order.

use super::sink::Sink;
use super::word::{Sum, Word};

const INITIAL: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// Hashes a message of whole words, padded here; the digest's words.
pub fn sha256(message: &[Word], sink: &mut impl Sink) -> [u32; 8] {
    let mut state = INITIAL.map(Word::constant);
    let mut blocks = message.chunks_exact(16);
    for block in &mut blocks {
        let mut words = [Word::constant(0); 16];
        words.copy_from_slice(block);
        state = compress(&words, state, sink);
    }

    let rest = blocks.remainder();
    let bits = 32 * message.len() as u64;
    let mut padding = [Word::constant(0); 32];
    padding[..rest.len()].copy_from_slice(rest);
    padding[rest.len()] = Word::constant(0x8000_0000);
    let end = if rest.len() < 14 { 16 } else { 32 };
    padding[end - 2] = Word::constant((bits >> 32) as u32);
    padding[end - 1] = Word::constant(bits as u32);
    for block in padding[..end].chunks_exact(16) {
        let mut words = [Word::constant(0); 16];
        words.copy_from_slice(block);
        state = compress(&words, state, sink);
    }
    state.map(Word::value)
}

/// A word of the state in a round: the additions that make `a` and `e` wait until the next round
/// (or the end, where the state before the block is one operand more) needs them.
#[derive(Clone, Copy)]
enum Lazy {
    Ready(Word),
    Waiting(Sum),
}

impl Lazy {
    fn finish(self, sink: &mut impl Sink) -> Word {
        match self {
            Self::Ready(word) => word,
            Self::Waiting(sum) => sum.finish(sink),
        }
    }
}

/// The state after a block.
fn compress(block: &[Word; 16], before: [Word; 8], sink: &mut impl Sink) -> [Word; 8] {
    let mut schedule = [Word::constant(0); 64];
    schedule[..16].copy_from_slice(block);
    for i in 16..64 {
        let word = schedule[i - 15];
        let s0 = word.rotr(7).xor(word.rotr(18), sink).xor(word.shr(3), sink);
        let word = schedule[i - 2];
        let s1 = word
            .rotr(17)
            .xor(word.rotr(19), sink)
            .xor(word.shr(10), sink);
        schedule[i] = Sum::of([schedule[i - 16], s0, schedule[i - 7], s1]).finish(sink);
    }

    let [a, mut b, mut c, mut d, e, mut f, mut g, mut h] = before;
    let (mut a, mut e) = (Lazy::Ready(a), Lazy::Ready(e));
    for i in 0..64 {
        let e_now = e.finish(sink);
        let s1 = e_now
            .rotr(6)
            .xor(e_now.rotr(11), sink)
            .xor(e_now.rotr(25), sink);
        let choice = Word::choose(e_now, f, g, sink);
        let first = Sum::of([h, s1, choice, Word::constant(ROUNDS[i]), schedule[i]]);

        let a_now = a.finish(sink);
        let s0 = a_now
            .rotr(2)
            .xor(a_now.rotr(13), sink)
            .xor(a_now.rotr(22), sink);
        let majority = Word::majority(a_now, b, c, sink);

        (h, g, f) = (g, f, e_now);
        e = Lazy::Waiting(first.plus(d));
        (d, c, b) = (c, b, a_now);
        a = Lazy::Waiting(first.plus(s0).plus(majority));
    }

    let finish = |word: Lazy, before: Word, sink: &mut _| match word {
        Lazy::Ready(word) => Sum::of([before, word]).finish(sink),
        Lazy::Waiting(sum) => sum.plus(before).finish(sink),
    };
    // In order: each line allocates.
    let h0 = finish(a, before[0], sink);
    let h1 = finish(Lazy::Ready(b), before[1], sink);
    let h2 = finish(Lazy::Ready(c), before[2], sink);
    let h3 = finish(Lazy::Ready(d), before[3], sink);
    let h4 = finish(e, before[4], sink);
    let h5 = finish(Lazy::Ready(f), before[5], sink);
    let h6 = finish(Lazy::Ready(g), before[6], sink);
    let h7 = finish(Lazy::Ready(h), before[7], sink);
    [h0, h1, h2, h3, h4, h5, h6, h7]
}
