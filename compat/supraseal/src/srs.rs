// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counted handles of parameter files, and the files that are kept open by path.
//!
//! No handle pins memory: what is resident is the context's cache under its byte budget, below all
//! handles, and is loaded again when it is used. It goes when memory is needed, by `evict`, and
//! with the last handle of its file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuzk_prover::cancel::Cancel;
use cuzk_prover::schedule::{Context, Srs, SrsOptions};
use cuzk_prover::srs::FileIdentity;

use crate::context::home;
use crate::Error;

/// Handles of each file, and the handles that the cache holds.
#[derive(Default)]
struct Table {
    uses: HashMap<FileIdentity, usize>,
    cached: HashMap<PathBuf, Arc<Open>>,
}

static TABLE: Mutex<Option<Table>> = Mutex::new(None);

struct Locked(MutexGuard<'static, Option<Table>>);

impl Locked {
    fn table(&mut self) -> &mut Table {
        self.0.get_or_insert_with(Table::default)
    }
}

fn lock() -> Locked {
    Locked(TABLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A file that was opened, for as long as a handle of it lives.
struct Open {
    srs: Srs,
    path: PathBuf,
}

impl Open {
    /// Counts one more of its file.
    fn new(srs: Srs, path: &Path) -> Self {
        *lock().table().uses.entry(srs.file_identity()).or_default() += 1;
        Self {
            srs,
            path: path.to_path_buf(),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // In a forked child the lock may be held by a thread that is not there.
        if self.srs.is_resident().is_err() {
            return;
        }
        let identity = self.srs.file_identity();
        let mut locked = lock();
        let uses = &mut locked.table().uses;
        let last = match uses.get_mut(&identity) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            _ => uses.remove(&identity).is_some(),
        };
        drop(locked);
        if last {
            // It was a cache's entry; that it is gone already is as good.
            let _ = self.srs.evict();
        }
    }
}

/// A handle of proving parameters. Clones are the same handle; `SRS::default()` holds none.
#[derive(Clone, Default)]
pub struct SRS {
    open: Option<Arc<Open>>,
}

impl SRS {
    /// Opens a parameter file, checks it and loads it.
    ///
    /// With `cache` the file is kept open by its path until [`SRS::evict`], so that its parameters
    /// outlive the handle in memory, as far as the byte budget lets them.
    ///
    /// # Errors
    ///
    /// ENOENT without such a file; EIO; EINVAL naming file, section, index and bytes of what is
    /// wrong, and for a variable of the environment that makes no sense; ENOMEM with the sizes,
    /// before anything is loaded; ENODEV when a GPU was asked for and none can be used.
    pub fn try_new(srs_path: PathBuf, cache: bool) -> Result<Self, Error> {
        let home = home()?;
        Self::open_in(&home.context, &home.srs_options(), &srs_path, cache)
    }

    /// As [`SRS::try_new`], in a context of the caller's.
    ///
    /// # Errors
    ///
    /// Those of [`SRS::try_new`], but for the environment's.
    pub fn open_in(
        context: &Context,
        options: &SrsOptions,
        path: &Path,
        cache: bool,
    ) -> Result<Self, Error> {
        let srs = context.open_srs(path, options, &Cancel::default())?;
        let mut open = Arc::new(Open::new(srs, path));
        if cache {
            let mut locked = lock();
            let cached = &mut locked.table().cached;
            match cached.get(path) {
                Some(same) if same.srs.file_identity() == open.srs.file_identity() => {
                    let spare = std::mem::replace(&mut open, same.clone());
                    drop(locked);
                    drop(spare);
                }
                _ => {
                    let replaced = cached.insert(path.to_path_buf(), open.clone());
                    drop(locked);
                    drop(replaced);
                }
            }
        }
        Ok(Self { open: Some(open) })
    }

    /// Drops the file from the cache, and its parameters from memory: at once, or when the work
    /// that uses them has ended. The handle stays good; the next use loads them again.
    pub fn evict(&self) {
        let Some(open) = &self.open else {
            return;
        };
        // In a forked child this is an error, and the lock is not to be touched.
        if open.srs.evict().is_err() {
            return;
        }
        let removed = lock().table().cached.remove(&open.path);
        drop(removed);
    }

    /// The parameters.
    pub(crate) fn open(&self) -> Result<&Srs, Error> {
        match &self.open {
            Some(open) => Ok(&open.srs),
            None => Err(Error::invalid("srs holds no parameters: it was not opened")),
        }
    }
}
