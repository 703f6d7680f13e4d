// SPDX-License-Identifier: MIT OR Apache-2.0
//! A context: devices, memory, threads and caches, and the state of all of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::memory;
use super::notifier::Notifier;
use super::options::{LogTarget, Options, Settings};
use super::pool::Pool;
use super::queue::Queue;
use super::residents::{ResidentCounts, ResidentInfo, Residents};
use crate::backend::{choose, Backend, Chosen, Memory, Multiplier, Wish};
use crate::log::{Level, Log};
use crate::srs::{Checks, FileIdentity};
use crate::{Error, ErrorKind, Result};

/// What proofs are made with: devices, a memory budget, threads, resident parameters and
/// circuits. Clones are the same context; what is opened in it and the jobs started in it keep
/// it alive. All calls are safe from many threads; in a forked child they return `Forked`.
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) backends: Vec<Arc<dyn Backend>>,
    reason: String,
    pub(super) residents: Residents<ResidentKey>,
    pub(super) queue: Queue,
    /// Partitions that all devices together take at a time.
    pub(super) turns: usize,
    pub(super) log: Log,
    pub(super) self_verification: bool,
    pub(super) counters: Counters,
    host_limit_source: String,
    parameter_folder: PathBuf,
    threads: usize,
    process: u32,
    pub(super) pool: Pool,
    notifier: Mutex<Option<Arc<Notifier>>>,
}

/// What a resident is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ResidentKey {
    Srs {
        file: FileIdentity,
        checks: Checks,
        lane: usize,
    },
    Circuit(String),
    /// By name and state.
    Kept(String, String),
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) proofs: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) self_check_retries: AtomicU64,
}

/// The state of a context, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextInfo {
    /// The devices, by name.
    pub backends: Vec<String>,
    /// Why these, as a sentence.
    pub reason: String,
    /// Host threads.
    pub threads: usize,
    /// Where parameter files are looked for.
    pub parameter_folder: PathBuf,
    /// Whether proofs are verified before they are returned.
    pub self_verification: bool,
    /// The most memory that residents and work may take.
    pub budget: Memory,
    /// What set the host's budget.
    pub host_budget_source: String,
    /// Memory that residents and work take now.
    pub used: Memory,
    /// The most that they took at one time.
    pub peak: Memory,
    /// What is resident, the most recently used first.
    pub residents: Vec<ResidentInfo>,
    /// Loads, hits and evictions of residents.
    pub resident_counts: ResidentCounts,
    /// Partitions that wait for a device.
    pub waiting: usize,
    /// Proofs made.
    pub proofs: u64,
    /// Partitions whose proof failed, for whatever reason but cancelling.
    pub failures: u64,
    /// Proofs that were made again because the first did not verify.
    pub self_check_retries: u64,
}

impl Context {
    /// Makes a context from options and the environment, and starts its threads.
    ///
    /// Errors: `InvalidArgument` for an option or a variable that makes no sense; `NoDevice` when
    /// GPUs were asked for and none can be used; `OutOfMemory` when threads cannot be started.
    pub fn new(options: Options) -> Result<Self> {
        let settings = Settings::new(options, |name| std::env::var_os(name))?;
        let chosen = choose(&Wish {
            choice: settings.backend,
            by: settings.backend_chosen_by,
            no_gpu: settings.no_gpu.as_deref(),
            devices: settings.devices.as_deref(),
            device_bytes: settings.device_bytes,
            threads: Some(settings.threads),
        })?;
        Self::from_settings(settings, chosen)
    }

    /// Makes a context that proves with the caller's own device, whatever the options choose.
    pub fn with_backend(options: Options, backend: Arc<dyn Backend>) -> Result<Self> {
        Self::with_backends(options, vec![backend])
    }

    /// The same with several devices.
    ///
    /// Errors: `InvalidArgument` for none at all; otherwise those of `new`.
    pub fn with_backends(options: Options, backends: Vec<Arc<dyn Backend>>) -> Result<Self> {
        let settings = Settings::new(options, |name| std::env::var_os(name))?;
        let Some(first) = backends.first() else {
            let message = "a context needs a device, the caller brought none";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        };
        let chosen = Chosen {
            reason: format!("the caller brought {}", first.name()),
            backends,
        };
        Self::from_settings(settings, chosen)
    }

    fn from_settings(settings: Settings, chosen: Chosen) -> Result<Self> {
        let (host, host_limit_source) = host_budget(&settings);
        let (log, notifier) = match settings.log {
            LogTarget::Nowhere => (Log::off(), None),
            LogTarget::StandardError(level) => (Log::to_stderr(level), None),
            LogTarget::Callback(level, sink) => {
                let notifier = Arc::new(Notifier::new()?);
                let calls = Arc::downgrade(&notifier);
                let hand_over = move |level: Level, line: &str| {
                    if let Some(notifier) = calls.upgrade() {
                        let (sink, line) = (sink.clone(), line.to_string());
                        notifier.call(move || sink(level, &line));
                    }
                };
                (Log::to_sink(level, Arc::new(hand_over)), Some(notifier))
            }
        };
        let names: Vec<&str> = chosen
            .backends
            .iter()
            .map(|backend| backend.name())
            .collect();
        log.write(Level::Info, || {
            format!(
                "context: proving on {}: {}; {} threads; at most {host} bytes of host memory \
                 ({host_limit_source})",
                names.join(", "),
                chosen.reason,
                settings.threads
            )
        });
        let turns = turns(&chosen.backends);
        let budgets = chosen.backends.iter().map(|backend| backend.device_bytes());
        let limit = Memory {
            host,
            device: budgets.sum(),
        };
        Ok(Self {
            inner: Arc::new(Inner {
                turns: turns.len(),
                queue: Queue::new(turns),
                backends: chosen.backends,
                reason: chosen.reason,
                residents: Residents::new(limit, log.clone()),
                log,
                self_verification: settings.self_verification,
                counters: Counters::default(),
                host_limit_source,
                parameter_folder: settings.parameter_folder,
                threads: settings.threads,
                process: std::process::id(),
                pool: Pool::new(settings.threads)?,
                notifier: Mutex::new(notifier),
            }),
        })
    }

    /// The folder where parameter files are looked for.
    pub fn parameter_folder(&self) -> &Path {
        &self.inner.parameter_folder
    }

    /// Runs `work` on the context's threads: rayon's parallelism within it uses them. A panic in
    /// it is an `Internal` error with its text. `work` must not wait for other work of the
    /// context, so it opens no parameters and proves nothing by itself.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        self.check_process()?;
        self.inner.pool.run(work)
    }

    /// What makes parameters for development faster than the CPU, if a device of the context does.
    pub fn multiplier(&self) -> Option<&dyn Multiplier> {
        let backends = self.inner.backends.iter();
        backends.filter_map(|backend| backend.multiplier()).next()
    }

    /// Log lines of layers above go where the context's go.
    pub fn log(&self) -> &Log {
        &self.inner.log
    }

    /// The state of the context.
    pub fn info(&self) -> Result<ContextInfo> {
        self.check_process()?;
        let inner = &self.inner;
        let (used, peak) = inner.residents.used();
        let (residents, resident_counts) = inner.residents.report();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Ok(ContextInfo {
            backends: inner
                .backends
                .iter()
                .map(|backend| backend.name().to_string())
                .collect(),
            reason: inner.reason.clone(),
            threads: inner.threads,
            parameter_folder: inner.parameter_folder.clone(),
            self_verification: inner.self_verification,
            budget: inner.residents.limit(),
            host_budget_source: inner.host_limit_source.clone(),
            used,
            peak,
            residents,
            resident_counts,
            waiting: inner.queue.waiting(),
            proofs: count(&inner.counters.proofs),
            failures: count(&inner.counters.failures),
            self_check_retries: count(&inner.counters.self_check_retries),
        })
    }

    /// `Forked` in a child of the process that made the context. Before any lock is taken: what
    /// another thread held when the process forked stays held in the child.
    pub(super) fn check_process(&self) -> Result<()> {
        let here = std::process::id();
        if here == self.inner.process {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Forked,
            format!(
                "the context was made in process {}, this is its forked child {here}",
                self.inner.process
            ),
        ))
    }
}

impl Inner {
    /// The thread for callbacks, started when it is first needed.
    pub(super) fn notifier(&self) -> Result<Arc<Notifier>> {
        let mut notifier = self.notifier.lock().unwrap_or_else(PoisonError::into_inner);
        match &*notifier {
            Some(notifier) => Ok(notifier.clone()),
            None => Ok(notifier.insert(Arc::new(Notifier::new()?)).clone()),
        }
    }
}

/// The devices, each as often as it takes proofs at a time; one of each first.
fn turns(backends: &[Arc<dyn Backend>]) -> Vec<usize> {
    let most = backends.iter().map(|backend| backend.turns()).max();
    let round = |round| (0..backends.len()).filter(move |lane| backends[*lane].turns() > round);
    (0..most.unwrap_or(0)).flat_map(round).collect()
}

/// The most host memory, and what set it.
fn host_budget(settings: &Settings) -> (u64, String) {
    match (settings.host_bytes, memory::available()) {
        (Some(bytes), _) => (bytes, "the options".to_string()),
        (None, Some((bytes, source))) => (bytes / 8 * 7, format!("seven eighths of {source}")),
        (None, None) => (
            u64::MAX,
            "the system does not say how much it has".to_string(),
        ),
    }
}
