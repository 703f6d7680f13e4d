// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors in supraseal-c2's form: a code, which is an errno here, and a text.

use std::fmt;

use cuzk_prover::ErrorKind;

/// A number that is never 0, and a one-line text with the cause.
///
/// | code | cause |
/// |---|---|
/// | EINVAL | a null, a size or a value that does not fit; a parameter file with wrong contents |
/// | ENOENT, EIO | no parameter file; reading it failed |
/// | ENOMEM | host or device memory: the text says which, with needed and present |
/// | ENODEV, EREMOTEIO | a GPU was asked for and none can be used; a device call failed |
/// | EBADMSG | a proof did not verify, twice |
/// | ECANCELED, EPERM | the work was cancelled; the call came from a forked child |
/// | ENOTSUP, ENOTRECOVERABLE | not supported; a fault of the library |
#[derive(Clone)]
pub struct Error {
    /// An errno.
    pub code: i32,
    message: String,
}

impl Error {
    /// An error of what the caller brought.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: libc::EINVAL,
            message: message.into(),
        }
    }

    /// The text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<cuzk_prover::Error> for Error {
    fn from(error: cuzk_prover::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::InvalidArgument
            | ErrorKind::InvalidSrs
            | ErrorKind::InvalidAssignment
            | ErrorKind::InvalidC1
            | ErrorKind::AbiMismatch
            | ErrorKind::BufferTooSmall => libc::EINVAL,
            ErrorKind::Io => libc::EIO,
            ErrorKind::ParametersNotFound => libc::ENOENT,
            ErrorKind::NoDevice => libc::ENODEV,
            ErrorKind::OutOfMemory | ErrorKind::OutOfDeviceMemory => libc::ENOMEM,
            ErrorKind::DeviceFailed => libc::EREMOTEIO,
            ErrorKind::SelfCheckFailed => libc::EBADMSG,
            ErrorKind::Cancelled => libc::ECANCELED,
            ErrorKind::Timeout => libc::ETIMEDOUT,
            ErrorKind::Forked => libc::EPERM,
            ErrorKind::Unsupported => libc::ENOTSUP,
            ErrorKind::Internal => libc::ENOTRECOVERABLE,
        };
        Self {
            code,
            message: error.message().to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for Error {}

impl From<&Error> for String {
    fn from(error: &Error) -> Self {
        error.message.clone()
    }
}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.message
    }
}

/// Runs `work`; a panic in it is an error with the panic's text.
///
/// # Errors
///
/// Those of `work`, and ENOTRECOVERABLE.
pub fn catch<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    cuzk_prover::error::catch(|| Ok(work()))?
}

/// Panics with the error's text, as the functions without a result must.
///
/// The payload is a `&'static str`, leaked: filecoin-ffi hands no other kind of text on to its
/// callers. The process lives, as with every panic.
#[cold]
#[track_caller]
pub fn fail(error: Error) -> ! {
    let text: &'static str = Box::leak(error.message.into_boxed_str());
    std::panic::panic_any(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_and_an_errno_come_out() {
        let missing = cuzk_prover::Error::new(ErrorKind::ParametersNotFound, "/p: no such file");
        let error = Error::from(missing);
        assert_eq!(error.code, libc::ENOENT);
        assert_eq!(error.to_string(), "/p: no such file");
        assert_eq!(format!("{error:?}"), "/p: no such file (code 2)");
        assert_eq!(String::from(&error), "/p: no such file");
        assert_eq!(String::from(error), "/p: no such file");
    }

    #[test]
    fn a_failure_is_a_panic_with_static_text() {
        let payload = std::panic::catch_unwind(|| fail(Error::invalid("x is 3, 4 is needed")));
        let payload = payload.unwrap_err();
        let text = payload.downcast_ref::<&'static str>();
        assert_eq!(text, Some(&"x is 3, 4 is needed"));
    }
}
