// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of seven bits a byte.

use crate::{Error, ErrorKind, Result};

/// The error of bytes that are not a saved circuit.
pub(super) fn invalid(cause: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!("saved circuit: {cause}"),
    )
}

/// Appends a number.
pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a signed number.
pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put_number(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Reads what was appended.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bytes.
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let taken = self.bytes[self.at..].get(..len);
        let taken = taken.ok_or_else(|| {
            invalid(format!(
                "{len} bytes are needed at byte {} of {}",
                self.at,
                self.bytes.len()
            ))
        })?;
        self.at += len;
        Ok(taken)
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// The next number.
    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(invalid(format!(
            "the number before byte {} has more than 63 bits",
            self.at
        )))
    }

    /// The next number as a signed one.
    pub(super) fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The next number, within bounds.
    pub(super) fn count(&mut self, what: &str, least: usize, most: usize) -> Result<usize> {
        let number = self.number()?;
        match usize::try_from(number) {
            Ok(count) if (least..=most).contains(&count) => Ok(count),
            _ => Err(invalid(format!(
                "{number} {what} before byte {}, {least} to {most} are allowed",
                self.at
            ))),
        }
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<()> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(invalid(format!("{left} bytes are left over"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut numbers = vec![0, 1, 127, 128, 16_383, 16_384, (1 << 63) - 1];
        numbers.extend((0..63).map(|shift| 1u64 << shift));
        let mut bytes = Vec::new();
        for &number in &numbers {
            put_number(&mut bytes, number);
        }
        let mut signed = vec![i64::MAX / 2, i64::MIN / 2];
        signed.extend(-200..200);
        for &number in &signed {
            put_signed(&mut bytes, number);
        }
        let mut reader = Reader::new(&bytes);
        for number in numbers {
            assert_eq!(reader.number().unwrap(), number);
        }
        for number in signed {
            assert_eq!(reader.signed().unwrap(), number);
        }
        reader.end().unwrap();
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let refusal = |bytes: &[u8]| Reader::new(bytes).number().unwrap_err().to_string();
        assert_eq!(
            refusal(&[]),
            "saved circuit: 1 bytes are needed at byte 0 of 0"
        );
        assert_eq!(
            refusal(&[0x80; 2]),
            "saved circuit: 1 bytes are needed at byte 2 of 2"
        );
        assert_eq!(
            refusal(&[0xff; 10]),
            "saved circuit: the number before byte 9 has more than 63 bits"
        );
        let error = Reader::new(&[200, 1]).count("rows", 1, 199).unwrap_err();
        assert_eq!(
            error.message(),
            "saved circuit: 200 rows before byte 2, 1 to 199 are allowed"
        );
        assert_eq!(
            Reader::new(&[0; 3]).end().unwrap_err().message(),
            "saved circuit: 3 bytes are left over"
        );
    }
}
