// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opt-in log lines: nothing is written unless a callback or `CUZK_LOG` asks.
//!
//! There is no global logger. Each context has its own, so two contexts in one process, or the
//! library beside another of its kind, do not mix their lines.
//!
//! What the levels say: `error`, work that failed for a reason of the library's or the machine's;
//! `warn`, what was worked around (a proof made again after its verification failed); `info`, what
//! was chosen and why, parameters loaded and evicted; `debug`, each partition with its times.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

/// How much a line matters; each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Work failed.
    Error,
    /// Something was worked around.
    Warn,
    /// A choice was made, something large was loaded or dropped.
    Info,
    /// Each step.
    Debug,
}

impl Level {
    /// The names that `CUZK_LOG` takes, in order.
    pub const NAMES: [&'static str; 4] = ["error", "warn", "info", "debug"];

    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        let levels = [Level::Error, Level::Warn, Level::Info, Level::Debug];
        levels
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Takes lines; called from the threads that log, so it must not wait.
pub type Sink = Arc<dyn Fn(Level, &str) + Send + Sync>;

/// Where a context's log lines go.
#[derive(Clone, Default)]
pub struct Log(Option<(Level, Sink)>);

impl Log {
    /// No log.
    pub fn off() -> Self {
        Self(None)
    }

    /// Lines up to `level` to `sink`.
    pub fn to_sink(level: Level, sink: Sink) -> Self {
        Self(Some((level, sink)))
    }

    /// Lines up to `level` to standard error.
    pub fn to_stderr(level: Level) -> Self {
        Self::to_sink(
            level,
            Arc::new(|level, line| {
                // A closed standard error is no reason to fail.
                let _ = writeln!(std::io::stderr(), "cuzk {}: {line}", level.name());
            }),
        )
    }

    /// Writes the line that `line` makes, if anyone wants it.
    pub fn write<D: fmt::Display>(&self, level: Level, line: impl FnOnce() -> D) {
        if let Some((most, sink)) = &self.0 {
            if level <= *most {
                sink(level, &line().to_string());
            }
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((level, _)) => write!(f, "Log({})", level.name()),
            None => f.write_str("Log(off)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn lines_up_to_the_level_reach_the_sink_and_others_are_not_made() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = lines.clone();
        let log = Log::to_sink(
            Level::Info,
            Arc::new(move |level, line| seen.lock().unwrap().push((level, line.to_string()))),
        );
        log.write(Level::Error, || "one");
        log.write(Level::Info, || format_args!("two {}", 2).to_string());
        log.write(Level::Debug, || -> &str {
            panic!("made without being asked for")
        });
        Log::off().write(Level::Error, || -> &str {
            panic!("made without being asked for")
        });
        let expected = vec![
            (Level::Error, "one".to_string()),
            (Level::Info, "two 2".to_string()),
        ];
        assert_eq!(*lines.lock().unwrap(), expected);
    }

    #[test]
    fn levels_are_known_by_name() {
        for name in Level::NAMES {
            assert_eq!(Level::from_name(name).unwrap().name(), name);
        }
        assert_eq!(Level::from_name("WARN"), Some(Level::Warn));
        assert_eq!(Level::from_name("trace"), None);
        assert_eq!(Level::from_name(""), None);
    }
}
