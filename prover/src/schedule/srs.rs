// SPDX-License-Identifier: MIT OR Apache-2.0
//! Handles of parameter files: what a caller holds while the parameters come and go.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::context::{Context, ResidentKey};
use super::queue::Priority;
use super::residents::{Lease, Need, Value};
use crate::backend::Memory;
use crate::cancel::Cancel;
use crate::cpu::threads::with_signals_blocked;
use crate::error::catch;
use crate::groth16::PreparedKey;
use crate::log::Level;
use crate::srs::{
    Checks, FileIdentity, ParameterFile, ResidentSrs, SrsShape, VerifyingKey, DIGEST_BYTES,
};
use crate::{Error, ErrorKind, Result};

/// How a parameter file is opened.
#[derive(Clone, Debug, Default)]
pub struct SrsOptions {
    /// What is checked of every point whenever the file is loaded.
    pub checks: Checks,
    /// The first 16 bytes of the file's BLAKE2b-512, compared once when the file is opened.
    pub digest: Option<[u8; DIGEST_BYTES]>,
    /// The counts that the circuit needs.
    pub shape: Option<SrsShape>,
    /// Leaves what a backend can read later to the proof that first needs it, with the errors of
    /// what it finds. A single proof then takes less memory at its peak.
    pub on_demand: bool,
}

/// An open parameter file. Clones are the same handle.
///
/// A handle does not pin memory: what is resident is a cache of the context, and is loaded again
/// from the open file when it was evicted. Handles of one file share what is resident. When the
/// last handle is dropped the parameters stay in the cache until their memory is needed.
#[derive(Clone)]
pub struct Srs {
    inner: Arc<Inner>,
}

struct Inner {
    context: Context,
    file: ParameterFile,
    checks: Checks,
    prepared: OnceLock<PreparedKey>,
}

impl Context {
    /// Opens a parameter file: measures it, checks it as asked, and loads it.
    ///
    /// Errors: those of `ParameterFile::open` and `HostSrs::load`; `InvalidSrs` for another
    /// digest or other counts than asked for; `OutOfMemory` with the sizes when the budget cannot
    /// hold the parameters, before a query is read.
    pub fn open_srs(&self, path: &Path, options: &SrsOptions, cancel: &Cancel) -> Result<Srs> {
        self.check_process()?;
        let file = ParameterFile::open(path)?;
        if let Some(shape) = &options.shape {
            file.check_shape(shape)?;
        }
        let srs = Srs {
            inner: Arc::new(Inner {
                context: self.clone(),
                file,
                checks: options.checks,
                prepared: OnceLock::new(),
            }),
        };
        let load = || match options.on_demand {
            true => srs.lease(0, true, cancel).map(drop),
            false => srs.load(cancel),
        };
        let Some(digest) = &options.digest else {
            load()?;
            return Ok(srs);
        };
        // Side by side, as the digest is the work of one thread and both need the same bytes.
        let (digested, loaded) = std::thread::scope(|scope| {
            let digested = scope.spawn(|| srs.inner.file.check_digest(digest, cancel));
            let loaded = load();
            let panicked = || {
                Err(Error::new(
                    ErrorKind::Internal,
                    "digesting the file panicked",
                ))
            };
            (digested.join().unwrap_or_else(|_| panicked()), loaded)
        });
        let outcome = digested.and(loaded);
        if let Err(error) = outcome {
            srs.evict()?;
            return Err(error);
        }
        Ok(srs)
    }
}

impl Srs {
    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        self.inner.file.path()
    }

    /// What tells this state of the file from others.
    pub fn file_identity(&self) -> FileIdentity {
        self.inner.file.identity()
    }

    /// Points in each section.
    pub fn shape(&self) -> &SrsShape {
        self.inner.file.shape()
    }

    /// The verifying key at the file's head.
    pub fn verifying_key(&self) -> &VerifyingKey {
        self.inner.file.verifying_key()
    }

    /// The verifying key with what verification needs of it.
    pub fn prepared_key(&self) -> &PreparedKey {
        self.inner
            .prepared
            .get_or_init(|| PreparedKey::new(self.verifying_key()))
    }

    /// What is checked whenever the file is loaded.
    pub fn checks(&self) -> Checks {
        self.inner.checks
    }

    /// The context that it was opened in.
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Whether the parameters are in memory.
    pub fn is_resident(&self) -> Result<bool> {
        self.context().check_process()?;
        let lanes = 0..self.context().inner.backends.len();
        let mut keys = lanes.map(|lane| self.key(lane));
        Ok(keys.any(|key| self.context().inner.residents.is_resident(&key)))
    }

    /// Memory that the parameters take when they are resident on the first device.
    pub fn memory(&self) -> Memory {
        self.context().inner.backends[0].srs_memory(self.shape())
    }

    /// Drops the parameters from memory, at once or when the work that uses them has ended.
    pub fn evict(&self) -> Result<()> {
        self.context().check_process()?;
        for lane in 0..self.context().inner.backends.len() {
            self.context().inner.residents.evict(&self.key(lane));
        }
        Ok(())
    }

    /// Loads the parameters, or what is not resident of them, to all devices at a time. Where they
    /// stay in host memory, only the first device's are loaded before a proof needs others.
    pub fn load(&self, cancel: &Cancel) -> Result<()> {
        self.context().check_process()?;
        let backends = &self.context().inner.backends;
        let on_device = |lane: &usize| backends[*lane].srs_memory(self.shape()).host == 0;
        std::thread::scope(|scope| {
            let others = (1..backends.len()).filter(on_device);
            let others: Vec<_> = others
                .map(|lane| {
                    let load = move || catch(|| self.load_on(lane, cancel));
                    scope.spawn(move || with_signals_blocked(load))
                })
                .collect();
            let first = self.load_on(0, cancel);
            let panicked = || Err(Error::new(ErrorKind::Internal, "loading panicked"));
            others
                .into_iter()
                .map(|other| other.join().unwrap_or_else(|_| panicked()))
                .fold(first, Result::and)
        })
    }

    fn load_on(&self, lane: usize, cancel: &Cancel) -> Result<()> {
        let lost = || Error::new(ErrorKind::Internal, "the parameters have another type");
        let lease = self.lease(lane, false, cancel)?;
        if Self::of_value(&lease.values()[0])
            .ok_or_else(lost)?
            .is_loaded()
        {
            return Ok(());
        }
        // Somebody opened them on demand, and may be proving with them and reading right now. As
        // for a proof, the turn comes before the memory: whoever has a turn may wait for the memory
        // that is held here.
        drop(lease);
        let context = &self.context().inner;
        let mut seat = context.queue.seat(context.queue.place(Priority::Normal));
        let _turn = seat.enter(cancel)?;
        let lease = self.lease(lane, false, cancel)?;
        let resident = Self::of_value(&lease.values()[0]).ok_or_else(lost)?;
        if resident.is_loaded() {
            return Ok(());
        }
        let loaded = context.pool.run(|| resident.load(cancel));
        loaded.inspect_err(|_| {
            context.residents.evict(&self.key(lane));
        })
    }

    /// Holds the parameters on one device.
    fn lease<'a>(
        &'a self,
        lane: usize,
        on_demand: bool,
        cancel: &'a Cancel,
    ) -> Result<Lease<'a, ResidentKey>> {
        let purpose = format!("opening {}", self.path().display());
        let needs = vec![self.need(lane, on_demand, cancel)];
        let residents = &self.context().inner.residents;
        residents.lease(needs, Memory::default(), &purpose, cancel)
    }

    fn key(&self, lane: usize) -> ResidentKey {
        ResidentKey::Srs {
            file: self.inner.file.identity(),
            checks: self.inner.checks,
            lane,
        }
    }

    /// What a lease of the parameters on one device takes. With `on_demand`, what is missing is
    /// loaded only as far as the backend does at once.
    pub(super) fn need<'a>(
        &'a self,
        lane: usize,
        on_demand: bool,
        cancel: &'a Cancel,
    ) -> Need<'a, ResidentKey> {
        let context = &self.context().inner;
        let backend = &context.backends[lane];
        let load = move || {
            let start = Instant::now();
            let file = &self.inner.file;
            let srs = context.pool.run(|| {
                let srs = backend.load_srs(file, self.inner.checks, cancel)?;
                if !on_demand {
                    srs.load(cancel)?;
                }
                Ok(srs)
            })?;
            let memory = Memory {
                host: srs.host_bytes(),
                device: srs.device_bytes(),
            };
            context.log.write(Level::Info, || {
                format!(
                    "{} {}: {} bytes, checks {:?}, {:.1?}",
                    match srs.is_loaded() {
                        true => "loaded",
                        false => "made room for",
                    },
                    file.path().display(),
                    memory.host + memory.device,
                    self.inner.checks,
                    start.elapsed()
                )
            });
            Ok((Arc::new(srs) as Value, memory))
        };
        Need {
            key: self.key(lane),
            name: self.path().display().to_string(),
            memory: backend.srs_memory(self.shape()),
            load: Box::new(load),
        }
    }

    /// The parameters in a resident's value.
    pub(super) fn of_value(value: &Value) -> Option<&dyn ResidentSrs> {
        let srs: &Arc<dyn ResidentSrs> = value.downcast_ref()?;
        Some(&**srs)
    }
}
