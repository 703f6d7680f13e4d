// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of 32 boolean wires, and the gadgets of SHA-256 on them, all bits at once.
//!
//! A wire is a constant, a variable, or the negation of a variable. bellpepper's gadgets fold
//! constants bit by bit and allocate only where a result needs a new variable; which bits these
//! are follows here from the masks, by the same case distinctions in the same order.

use super::sink::Sink;

/// 32 wires; bit `i` of each mask is wire `i`, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The wires' values.
    value: u32,
    /// Wires that are constants.
    constant: u32,
    /// Wires that are negations of a variable (so never constants).
    negated: u32,
}

impl Word {
    /// Constants.
    pub const fn constant(value: u32) -> Self {
        Self {
            value,
            constant: u32::MAX,
            negated: 0,
        }
    }

    /// Variables, but for the wires of `constant`.
    pub const fn new(value: u32, constant: u32) -> Self {
        Self {
            value,
            constant,
            negated: 0,
        }
    }

    /// The wires' values.
    pub fn value(self) -> u32 {
        self.value
    }

    /// Values, constants and negated wires.
    #[cfg(test)]
    pub fn masks(self) -> [u32; 3] {
        [self.value, self.constant, self.negated]
    }

    /// Rotates right: no variable.
    pub fn rotr(self, by: u32) -> Self {
        Self {
            value: self.value.rotate_right(by),
            constant: self.constant.rotate_right(by),
            negated: self.negated.rotate_right(by),
        }
    }

    /// Shifts right and fills with constant zeros: no variable. `by` is 1 to 31.
    pub fn shr(self, by: u32) -> Self {
        Self {
            value: self.value >> by,
            constant: self.constant >> by | !(u32::MAX >> by),
            negated: self.negated >> by,
        }
    }

    /// The values of the variables behind the wires.
    fn variables(self) -> u32 {
        self.value ^ self.negated
    }

    fn not(self) -> Self {
        Self {
            value: !self.value,
            constant: self.constant,
            negated: !self.negated & !self.constant,
        }
    }

    fn is(self, constant: bool) -> u32 {
        self.constant & if constant { self.value } else { !self.value }
    }

    /// The conjunction, and the wires for which it needs a variable: its own value.
    fn and(self, other: Self) -> (Self, u32) {
        let allocated = !(self.constant | other.constant);
        let zero = self.is(false) | other.is(false);
        let result = Self {
            value: self.value & other.value,
            constant: zero | (self.constant & other.constant),
            negated: (other.negated & self.is(true)) | (self.negated & other.is(true)),
        };
        (result, allocated)
    }

    /// Exclusive or.
    #[inline]
    pub fn xor(self, other: Self, sink: &mut impl Sink) -> Self {
        let allocated = !(self.constant | other.constant);
        put(sink, self.variables() ^ other.variables(), allocated);
        Self {
            value: self.value ^ other.value,
            constant: self.constant & other.constant,
            // Against a constant one the wire is negated; between variables, the negation of
            // either negates the result.
            negated: (self.negated ^ other.negated ^ self.is(true) ^ other.is(true))
                & !(self.constant & other.constant),
        }
    }

    /// SHA-256's choice: `b` where `a` is one, else `c`.
    #[inline]
    pub fn choose(a: Self, b: Self, c: Self, sink: &mut impl Sink) -> Self {
        let value = (a.value & b.value) | (!a.value & c.value);
        if a.constant | b.constant | c.constant == 0 {
            sink.bits(value.into(), 32);
            return Self::new(value, 0);
        }
        let mut result = Mixed::new(value, a.constant & b.constant & c.constant);
        result.take(a.is(false), (c, 0));
        result.take(b.is(false), a.not().and(c));
        result.take(c.is(false), a.and(b));
        result.take(c.is(true), negation(a.and(b.not())));
        result.take(b.is(true), negation(a.not().and(c.not())));
        result.allocate_rest();
        put(sink, result.word.variables(), result.allocated);
        result.word
    }

    /// SHA-256's majority. Where it needs the general form, it allocates two variables: the
    /// result and, after it, `b` and `c`.
    #[inline]
    pub fn majority(a: Self, b: Self, c: Self, sink: &mut impl Sink) -> Self {
        let value = (a.value & b.value) | (a.value & c.value) | (b.value & c.value);
        let both = b.value & c.value;
        if a.constant | b.constant | c.constant == 0 {
            sink.bits(spread(value) | spread(both) << 1, 64);
            return Self::new(value, 0);
        }
        let mut result = Mixed::new(value, a.constant & b.constant & c.constant);
        result.take(a.is(false), b.and(c));
        result.take(b.is(false), a.and(c));
        result.take(c.is(false), a.and(b));
        result.take(c.is(true), negation(a.not().and(b.not())));
        result.take(b.is(true), negation(a.not().and(c.not())));
        result.take(a.is(true), negation(b.not().and(c.not())));
        let general = result.allocate_rest();
        let (values, wires) = compress(
            spread(result.word.variables()) | spread(both) << 1,
            spread(result.allocated) | spread(general) << 1,
        );
        sink.bits(values, wires);
        result.word
    }
}

/// A result that differs by wire in the case that made it: the first one taken wins.
struct Mixed {
    word: Word,
    allocated: u32,
    /// Wires still without a case.
    rest: u32,
}

impl Mixed {
    /// The result's values are known, and the wires of `constant` are done.
    fn new(value: u32, constant: u32) -> Self {
        Self {
            word: Word::new(value, constant),
            allocated: 0,
            rest: !constant,
        }
    }

    fn take(&mut self, case: u32, (from, allocated): (Word, u32)) {
        let wires = self.rest & case;
        self.word.constant |= from.constant & wires;
        self.word.negated |= from.negated & wires;
        self.allocated |= allocated & wires;
        self.rest &= !case;
    }

    /// New variables for all wires without a case; says which these are.
    fn allocate_rest(&mut self) -> u32 {
        self.allocated |= self.rest;
        std::mem::take(&mut self.rest)
    }
}

fn negation((word, allocated): (Word, u32)) -> (Word, u32) {
    (word.not(), allocated)
}

/// Words being added. The result has as many variables as the greatest possible sum has bits,
/// whatever the operands; it is a constant when all operands are.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    total: u64,
    operands: u64,
    constant: bool,
}

impl Sum {
    /// The sum of `words`.
    pub fn of<const N: usize>(words: [Word; N]) -> Self {
        let none = Self {
            total: 0,
            operands: 0,
            constant: true,
        };
        words.into_iter().fold(none, Self::plus)
    }

    /// One more operand.
    #[must_use]
    pub fn plus(self, word: Word) -> Self {
        Self {
            total: self.total + u64::from(word.value),
            operands: self.operands + 1,
            constant: self.constant & (word.constant == u32::MAX),
        }
    }

    /// Allocates the result, carries included, and drops the carries.
    #[inline]
    pub fn finish(self, sink: &mut impl Sink) -> Word {
        let word = self.total as u32;
        if self.constant {
            return Word::constant(word);
        }
        let greatest = self.operands * u64::from(u32::MAX);
        sink.bits(self.total, 64 - greatest.leading_zeros());
        Word::new(word, 0)
    }
}

/// Allocates the wires of `mask`.
#[inline]
fn put(sink: &mut impl Sink, values: u32, mask: u32) {
    if mask == u32::MAX {
        sink.bits(values.into(), 32);
    } else if mask != 0 {
        let (values, wires) = compress(values.into(), mask.into());
        sink.bits(values, wires);
    }
}

/// Moves the bits of `mask` together at the low end, and counts them.
fn compress(values: u64, mask: u64) -> (u64, u32) {
    let (mut packed, mut wires, mut rest) = (0, 0, mask);
    while rest != 0 {
        // A run of ones in the mask moves as a whole.
        let start = rest.trailing_zeros();
        let run = (!(rest >> start)).trailing_zeros();
        let ones = if run == 64 { u64::MAX } else { (1 << run) - 1 };
        packed |= (values >> start & ones) << wires;
        wires += run;
        rest &= !(ones << start);
    }
    (packed, wires)
}

/// Moves bit `i` to bit `2 i`.
fn spread(word: u32) -> u64 {
    let mut bits = u64::from(word);
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}
