// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk doctor`: what would keep proofs from being made, and what to do about it.

mod machine;
mod parameters;

use cuzk::Result;
use serde_json::{json, Value};

use crate::args::DoctorArgs;
use crate::report;
use crate::Outcome;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Ok,
    /// Worth knowing; proofs can be made.
    Note,
    /// Proofs cannot be made, or not as asked for.
    Problem,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
pub struct Check {
    subject: String,
    state: State,
    finding: String,
    advice: Option<String>,
    /// The registered proofs that it is about, by name.
    proofs: Vec<String>,
}

impl Check {
    fn new(state: State, subject: impl Into<String>, finding: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            state,
            finding: finding.into(),
            advice: None,
            proofs: Vec::new(),
        }
    }

    pub fn ok(subject: impl Into<String>, finding: impl Into<String>) -> Self {
        Self::new(State::Ok, subject, finding)
    }

    /// With what to do about it.
    pub fn note(
        subject: impl Into<String>,
        finding: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(State::Note, subject, finding).advise(advice)
    }

    /// With what to do about it.
    pub fn problem(
        subject: impl Into<String>,
        finding: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(State::Problem, subject, finding).advise(advice)
    }

    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    pub fn about(mut self, proofs: &[String]) -> Self {
        self.proofs = proofs.to_vec();
        self
    }

    fn json(&self) -> Value {
        json!({
            "subject": self.subject,
            "state": self.state.name(),
            "finding": self.finding,
            "advice": self.advice,
            "registered_proofs": self.proofs,
        })
    }

    fn text(&self) -> String {
        let (state, subject) = (self.state.name(), &self.subject);
        let mut line = format!("{state:<7}  {subject}: {}", self.finding);
        if let Some(advice) = &self.advice {
            line += &format!("\n         -> {advice}");
        }
        line
    }
}

pub fn run(args: &DoctorArgs) -> Result<Outcome> {
    let mut checks = machine::build_and_devices(&args.context);
    let context = machine::context(&args.context, &mut checks);
    if let Some(context) = &context {
        checks.extend(machine::memory_and_threads(&context.info()?));
    }
    // Which folder it is, is the context's to say; that there is none is a problem already.
    if let Some(context) = &context {
        let wanted = parameters::Wanted {
            sizes: &args.sector_size,
            digest: args.digest,
        };
        checks.extend(parameters::checks(&wanted, context)?);
    }

    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let problems = count(State::Problem);
    if args.json {
        report::print_json(&json!({
            "problems": problems,
            "notes": count(State::Note),
            "checks": checks.iter().map(Check::json).collect::<Vec<_>>(),
        }))?;
    } else {
        for check in &checks {
            report::print(&check.text())?;
        }
        let many = |count, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {more}"),
        };
        report::print(&format!(
            "{}, {}",
            many(problems, "problem", "problems"),
            many(count(State::Note), "note", "notes")
        ))?;
    }
    Ok(match problems {
        0 => Outcome::Done,
        _ => Outcome::Problems,
    })
}
