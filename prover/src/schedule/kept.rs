// SPDX-License-Identifier: MIT OR Apache-2.0
//! What layers above keep in memory between uses, under the same budget as parameters and
//! circuits.

use std::any::Any;
use std::sync::Arc;

use super::context::{Context, ResidentKey};
use super::residents::{Need, Value};
use crate::backend::Memory;
use crate::cancel::Cancel;
use crate::{Error, ErrorKind, Result};

/// Something that is made once and kept for as long as there is memory for it.
pub struct Kept<'a, T> {
    /// The name that tells it from everything else that is kept, and messages call it by.
    pub name: String,
    /// Tells one state of what it is made from from another, such as that of a file.
    pub state: String,
    /// Host memory that it takes in bytes.
    pub bytes: u64,
    /// Makes it, on the context's threads.
    pub make: Box<dyn FnOnce() -> Result<T> + Send + 'a>,
}

impl Context {
    /// Does `work` with something that is kept, on the context's threads. It is made when it is
    /// not in memory; `work_bytes` of host memory are held beside it until the work is done.
    ///
    /// As for [`Context::run`], neither the work nor the making may wait for other work of the
    /// context.
    ///
    /// Errors: `OutOfMemory` with the sizes when the budget can never hold it; `Cancelled`;
    /// `Internal` when the name belongs to something of another type; those of the two functions.
    pub fn with_kept<T: Any + Send + Sync, R: Send>(
        &self,
        kept: Kept<'_, T>,
        work_bytes: u64,
        cancel: &Cancel,
        work: impl FnOnce(&T) -> Result<R> + Send,
    ) -> Result<R> {
        self.check_process()?;
        let inner = &self.inner;
        let host = |bytes| Memory {
            host: bytes,
            device: 0,
        };
        let Kept {
            name,
            state,
            bytes,
            make,
        } = kept;
        let purpose = format!("using {name}");
        let load = || {
            let made = inner.pool.run(make)?;
            Ok((Arc::new(made) as Value, host(bytes)))
        };
        let need = Need {
            key: ResidentKey::Kept(name.clone(), state),
            name: name.clone(),
            memory: host(bytes),
            load: Box::new(load),
        };
        let residents = &inner.residents;
        let lease = residents.lease(vec![need], host(work_bytes), &purpose, cancel)?;
        let value = lease.values()[0].downcast_ref::<T>().ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("{name} is kept and has another type"),
            )
        })?;
        inner.pool.run(|| work(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::BackendChoice;
    use crate::schedule::Options;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn context(host_bytes: u64) -> Context {
        Context::new(Options {
            backend: Some(BackendChoice::Cpu),
            threads: Some(1),
            host_bytes: Some(host_bytes),
            ..Options::default()
        })
        .unwrap()
    }

    fn kept<'a>(name: &str, bytes: u64, made: &'a AtomicUsize) -> Kept<'a, usize> {
        Kept {
            name: name.into(),
            state: String::new(),
            bytes,
            make: Box::new(|| Ok(made.fetch_add(1, Ordering::Relaxed))),
        }
    }

    #[test]
    fn it_is_made_once_and_again_when_memory_was_needed() {
        let context = context(1000);
        let made = AtomicUsize::new(0);
        let cancel = Cancel::default();
        let use_it = |name, bytes, work| {
            context.with_kept(kept(name, bytes, &made), work, &cancel, |value| Ok(*value))
        };
        assert_eq!(use_it("a", 600, 100).unwrap(), 0);
        assert_eq!(use_it("a", 600, 100).unwrap(), 0);
        assert_eq!(context.info().unwrap().used.host, 600);
        // There is no room for both.
        assert_eq!(use_it("b", 500, 0).unwrap(), 1);
        assert_eq!(use_it("a", 600, 0).unwrap(), 2);

        let error = use_it("c", 900, 101).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        assert_eq!(
            error.message(),
            "using c needs 1001 bytes of host memory (c 900, work 101), the budget is 1000 bytes"
        );
        cancel.cancel();
        assert_eq!(
            use_it("a", 600, 0).unwrap_err().kind(),
            ErrorKind::Cancelled
        );
    }

    #[test]
    fn failures_keep_nothing_and_types_are_told_apart() {
        let context = context(1000);
        let cancel = Cancel::default();
        let failing = Kept::<u8> {
            name: "x".into(),
            state: String::new(),
            bytes: 10,
            make: Box::new(|| panic!("no way")),
        };
        let error = context
            .with_kept(failing, 0, &cancel, |_| Ok(()))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().contains("no way"), "{error}");
        assert_eq!(context.info().unwrap().used.host, 0);

        let made = AtomicUsize::new(7);
        let seven = context.with_kept(kept("x", 10, &made), 0, &cancel, |value| Ok(*value));
        assert_eq!(seven.unwrap(), 7);
        let other = Kept::<u8> {
            name: "x".into(),
            state: String::new(),
            bytes: 10,
            make: Box::new(|| Ok(1)),
        };
        let error = context
            .with_kept(other, 0, &cancel, |_| Ok(()))
            .unwrap_err();
        assert_eq!(error.message(), "x is kept and has another type");

        let newer = Kept {
            state: "newer".into(),
            ..kept("x", 10, &made)
        };
        let eight = context.with_kept(newer, 0, &cancel, |value| Ok(*value));
        assert_eq!(eight.unwrap(), 8);
    }
}
