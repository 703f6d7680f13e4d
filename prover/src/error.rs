// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one error type of both packages: a kind, for what a caller would do differently, and a
//! one-line text with what a reader needs to act.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;

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
