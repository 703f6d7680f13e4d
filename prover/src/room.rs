// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists whose memory may be refused. Whatever grows with the input is made here, so that a system
//! without memory is an error and not the end of the process.

use crate::{Error, ErrorKind, Result};

/// The error of `n` elements that there is no memory for. `what` begins the text: "the witness".
pub fn missing<T>(what: &str, n: usize) -> Error {
    let bytes = n as u128 * size_of::<T>() as u128;
    Error::new(
        ErrorKind::OutOfMemory,
        format!("{what} needs {bytes} bytes of host memory, the system has not that much"),
    )
}

/// An empty list with room for exactly `n` elements.
pub fn list<T>(what: &str, n: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    match list.try_reserve_exact(n) {
        Ok(()) => Ok(list),
        Err(_) => Err(missing::<T>(what, n)),
    }
}

/// A list of `n` equal elements.
pub fn filled<T: Clone>(what: &str, n: usize, value: T) -> Result<Vec<T>> {
    let mut list = list(what, n)?;
    list.resize(n, value);
    Ok(list)
}

/// Makes room for `more` elements behind those of a list that grows.
#[inline]
pub fn reserve<T>(list: &mut Vec<T>, what: &str, more: usize) -> Result<()> {
    match list.try_reserve(more) {
        Ok(()) => Ok(()),
        Err(_) => Err(missing::<T>(what, list.len().saturating_add(more))),
    }
}

/// Appends an element.
#[inline]
pub fn push<T>(list: &mut Vec<T>, what: &str, value: T) -> Result<()> {
    reserve(list, what, 1)?;
    list.push(value);
    Ok(())
}

/// Appends `n` elements of an iterator, or as many as it has.
#[inline]
pub fn extend<T>(
    list: &mut Vec<T>,
    what: &str,
    n: usize,
    values: impl Iterator<Item = T>,
) -> Result<()> {
    reserve(list, what, n)?;
    list.extend(values.take(n));
    Ok(())
}

/// A list of `n` elements of an iterator, or as many as it has.
pub fn collected<T>(what: &str, n: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut list = list(what, n)?;
    list.extend(values.take(n));
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_made_and_what_cannot_be_is_said_with_the_bytes() {
        let mut made = list::<u64>("x", 3).unwrap();
        assert!(made.is_empty() && made.capacity() >= 3);
        push(&mut made, "x", 7).unwrap();
        extend(&mut made, "x", 2, 8..).unwrap();
        assert_eq!(made, [7, 8, 9]);
        assert_eq!(filled("x", 2, 5u8).unwrap(), [5, 5]);
        assert_eq!(collected("x", 9, 1..4).unwrap(), [1, 2, 3]);

        let refusals = [
            list::<u64>("the witness", 1 << 60).unwrap_err(),
            filled("the witness", 1 << 60, 1u64).unwrap_err(),
            reserve(&mut made, "the witness", (1 << 60) - 3).unwrap_err(),
        ];
        for error in refusals {
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            assert_eq!(
                error.message(),
                "the witness needs 9223372036854775808 bytes of host memory, the system has not \
                 that much"
            );
        }
        assert_eq!(made, [7, 8, 9]);
    }
}
