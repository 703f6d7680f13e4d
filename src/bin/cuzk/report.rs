// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress on standard error, tables and JSON.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use cuzk::filecoin::c2::{Phase, Progress};
use cuzk::{Error, Result};
use cuzk_prover::timing::Timings;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{json, Map, Value};

/// A bar on standard error, which shows nothing when that is no terminal.
pub fn bar(total: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.set_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Writes a line to standard error, where nobody may be listening: that is no reason to fail.
pub fn line_to_stderr(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// As `eprintln`, which panics when standard error is full.
macro_rules! say {
    ($($words:tt)*) => { $crate::report::line_to_stderr(format_args!($($words)*)) };
}
pub(crate) use say;

/// The sectors in work, a line each: a bar while standard error is a terminal, and a line that
/// stays when a sector has ended.
pub struct SectorLines {
    bars: MultiProgress,
    terminal: bool,
    total: usize,
}

impl SectorLines {
    pub fn new(total: usize) -> Self {
        Self {
            bars: MultiProgress::with_draw_target(ProgressDrawTarget::stderr()),
            terminal: std::io::stderr().is_terminal(),
            total,
        }
    }

    pub fn total(&self) -> usize {
        self.total
    }

    /// The line of the sector with this index; `name` tells it from others.
    pub fn begin(&self, index: usize, name: &str, partitions: usize) -> SectorLine {
        let who = match self.total {
            1 => String::new(),
            total => format!("{}/{total} {} ", index + 1, name.replace(['{', '}'], "?")),
        };
        let template =
            format!("{{elapsed_precise}} {who}[{{bar:30}}] {{pos}}/{{len}} partitions, {{msg}}");
        SectorLine(self.bars.add(bar(partitions as u64, &template)))
    }

    /// Writes a line that stays.
    pub fn end(&self, line: String) {
        match self.terminal {
            true => drop(self.bars.println(line)),
            false => line_to_stderr(format_args!("{line}")),
        }
    }
}

/// The bar of one sector.
pub struct SectorLine(ProgressBar);

impl SectorLine {
    pub fn show(&self, progress: Progress) {
        self.0.set_position(progress.done as u64);
        self.0.set_message(match progress.phase {
            Phase::Parameters => "loading parameters",
            Phase::Queue => "waiting for a device or memory",
            Phase::Witness => "making the witness",
            Phase::Prove => "proving",
            Phase::Aggregate => "aggregating",
            Phase::Done => "done",
        });
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// One line of a result on standard output.
pub fn print(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|e| Error::io(Path::new("standard output"), "writing to", &e))
}

/// A result as JSON on standard output.
pub fn print_json(document: &Value) -> Result<()> {
    print(&format!("{document:#}"))
}

/// The timings as JSON, with the members that cuzk_timings_json() gives them.
pub fn timings_json(timings: &Timings) -> Value {
    let phases: Map<_, _> = timings
        .phases()
        .into_iter()
        .map(|(name, time)| (name.to_owned(), json!(time.as_nanos() as u64)))
        .collect();
    let bytes = timings
        .byte_counts()
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), json!(bytes)));
    let mut members = Map::new();
    members.insert("nanoseconds".to_owned(), Value::Object(phases));
    members.extend(bytes);
    Value::Object(members)
}

/// The timings as a table of those phases that took any time.
pub fn timings_table(timings: &Timings) -> String {
    let mut rows: Vec<(String, String)> = timings
        .phases()
        .into_iter()
        .filter(|(_, time)| !time.is_zero())
        .map(|(name, time)| (name.replace('_', " "), seconds(time)))
        .collect();
    rows.extend(
        timings
            .byte_counts()
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(name, count)| {
                (
                    name.replace("_bytes", " memory").replace('_', " "),
                    bytes(count),
                )
            }),
    );
    table(&rows)
}

/// Two columns, both aligned at their left ends.
pub fn list(rows: &[(String, String)]) -> String {
    let left = rows.iter().map(|row| row.0.chars().count()).max();
    let left = left.unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:<left$}  {value}\n"))
        .collect()
}

/// Two columns, the second one aligned at its right end.
pub fn table(rows: &[(String, String)]) -> String {
    let left = rows.iter().map(|row| row.0.chars().count()).max();
    let right = rows.iter().map(|row| row.1.chars().count()).max();
    let (left, right) = (left.unwrap_or(0), right.unwrap_or(0));
    rows.iter()
        .map(|(name, value)| format!("  {name:<left$}  {value:>right$}\n"))
        .collect()
}

/// Seconds with as many digits as mean something.
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 100.0 => format!("{s:.1} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.001 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}

/// Bytes in the largest unit that gives at least one.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let power = count.max(1).ilog2() / 10;
    match units.get((power as usize).wrapping_sub(1)) {
        Some(unit) => format!("{:.1} {unit}", count as f64 / (1u64 << (10 * power)) as f64),
        None => format!("{count} B"),
    }
}

/// The middle one, or the mean of the middle two.
pub fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    match sorted.len() {
        0 => Duration::ZERO,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let s = |nanos| seconds(Duration::from_nanos(nanos));
        assert_eq!(s(0), "0.0 us");
        assert_eq!(s(1_500), "1.5 us");
        assert_eq!(s(12_345_678), "12.3 ms");
        assert_eq!(s(1_234_567_890), "1.23 s");
        assert_eq!(s(123_456_789_012), "123.5 s");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(47 << 30), "47.0 GiB");
        assert_eq!(bytes(1 << 45), "32.0 TiB");
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        let d = Duration::from_millis;
        assert_eq!(median(&[]), d(0));
        assert_eq!(median(&[d(9), d(1), d(5)]), d(5));
        assert_eq!(median(&[d(4), d(1), d(9), d(2)]), d(3));
    }

    #[test]
    fn tables_show_what_took_time() {
        let timings = Timings {
            msm_h: Duration::from_millis(1500),
            witness: Duration::from_millis(15),
            peak_host_bytes: 1 << 30,
            ..Timings::default()
        };
        assert_eq!(
            timings_table(&timings),
            "  witness           15.0 ms\n  msm h              1.50 s\n  peak host memory  1.0 GiB\n"
        );
        let json = timings_json(&timings);
        assert_eq!(json["nanoseconds"]["msm_h"], 1_500_000_000u64);
        assert_eq!(json["nanoseconds"]["ntt"], 0);
        assert_eq!(json["peak_host_bytes"], 1 << 30);
    }
}
