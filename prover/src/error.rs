// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one error type of both packages: a kind, for what a caller would do differently, and a
//! one-line text with what a reader needs to act.

use std::any::Any;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What went wrong, in the kinds that a caller handles differently.
///
/// The C ABI maps each kind to one pinned status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A null, out-of-range or inconsistent argument.
    InvalidArgument,
    /// Caller and library disagree about a structure's size or the ABI number.
    AbiMismatch,
    /// Reading or writing a file.
    Io,
    /// No parameter file where one was looked for.
    ParametersNotFound,
    /// A parameter or verifying key file with wrong contents.
    InvalidSrs,
    /// An assignment that does not fit the parameters or the circuit.
    InvalidAssignment,
    /// A Commit-1 output that cannot be proved.
    InvalidC1,
    /// The caller's buffer is shorter than the result.
    BufferTooSmall,
    /// A device was asked for and there is none, or none usable.
    NoDevice,
    /// Host memory: the budget or the machine has too little.
    OutOfMemory,
    /// Device memory: the budget or the device has too little.
    OutOfDeviceMemory,
    /// A device call failed.
    DeviceFailed,
    /// A proof was made and its verification failed.
    SelfCheckFailed,
    /// The caller cancelled the work.
    Cancelled,
    /// A wait ran out of time.
    Timeout,
    /// The call came from a forked child of the process that made the context.
    Forked,
    /// Known, but not supported by this build or this function.
    Unsupported,
    /// A fault of the library, such as a caught panic.
    Internal,
}

/// A kind and a one-line text: lower case, no full stop, naming the thing and the numbers.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The result of everything fallible here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Makes an error from its kind and its text.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What a caller would do differently.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The text, one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Puts context in front of the text and keeps the kind: `context: text`.
    #[must_use]
    pub fn context(self, context: impl fmt::Display) -> Self {
        Self {
            kind: self.kind,
            message: format!("{context}: {}", self.message),
        }
    }

    /// The error of an operating system call on a named file.
    pub fn io(path: &std::path::Path, doing: &str, error: &std::io::Error) -> Self {
        Self::new(
            ErrorKind::Io,
            format!("{doing} {}: {error}", path.display()),
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Runs `work`; a panic in it becomes an `Internal` error with the panic's text.
///
/// What `work` shares with others must bear being left half-way: the rooms here hold locks only
/// over code that cannot panic, and publish results whole.
pub fn catch<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = panic_text(&*payload);
        // A payload's own destructor may panic; forgetting it is the end of the matter.
        std::mem::forget(payload);
        Err(Error::new(
            ErrorKind::Internal,
            format!("a fault of the library: {text}"),
        ))
    })
}

/// The text of a panic's payload, on one line.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.as_str()
    } else if let Some(text) = payload.downcast_ref::<Box<str>>() {
        text
    } else if let Some(error) = payload.downcast_ref::<Error>() {
        error.message()
    } else {
        "its payload is not text"
    };
    text.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    #[test]
    fn a_panic_comes_out_as_its_text() {
        let text = |work: fn() -> Result<()>| {
            let error = catch(work).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal);
            error.to_string()
        };
        assert_eq!(text(|| panic!("plain")), "a fault of the library: plain");
        assert_eq!(text(|| panic!("x {}", 1)), "a fault of the library: x 1");
        assert_eq!(
            text(|| panic!("two\n  lines")),
            "a fault of the library: two; lines"
        );
        assert_eq!(
            text(|| panic_any(Error::new(ErrorKind::Io, "inner"))),
            "a fault of the library: inner"
        );
        assert_eq!(
            text(|| panic_any(7u8)),
            "a fault of the library: its payload is not text"
        );
        let numbers: Vec<u8> = Vec::new();
        let error = catch(|| Ok(numbers[3])).unwrap_err();
        assert!(error.to_string().contains("index is 3"), "{error}");
        assert_eq!(catch(|| Ok(5)).unwrap(), 5);
    }

    #[test]
    fn context_goes_in_front_and_the_kind_stays() {
        let error = Error::new(ErrorKind::InvalidSrs, "h query has 3 points, 7 needed")
            .context("/tmp/x.params");
        assert_eq!(
            error.to_string(),
            "/tmp/x.params: h query has 3 points, 7 needed"
        );
        assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    }
}
