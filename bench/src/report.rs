//! One measured figure, as one line of JSON.

use serde::Serialize;
use std::path::Path;

/// A figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FigureLine {
    /// `praxis`, or `limit` for what the machine can do at all.
    pub(crate) peer: &'static str,
    /// The profile that it was built in.
    pub(crate) profile: String,
    /// What it ran on.
    pub(crate) backend: &'static str,
    /// Which workload.
    pub(crate) workload: &'static str,
    /// What was measured.
    pub(crate) metric: &'static str,
    /// The figure.
    pub(crate) value: f64,
    /// The figure that must be reached, and whether it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gate: Option<BenchGate>,
}

/// A bound on a figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct BenchGate {
    /// `at_least` or `at_most`.
    pub(crate) kind: &'static str,
    /// The bound.
    pub(crate) bound: f64,
    /// Whether it holds.
    pub(crate) holds: bool,
}

impl FigureLine {
    /// A figure of ours.
    pub(crate) fn praxis(workload: &'static str, metric: &'static str, value: f64) -> Self {
        let profile = profile();
        Self { peer: "praxis", profile, backend: "sqlite", workload, metric, value, gate: None }
    }

    /// A figure of the machine.
    pub(crate) fn limit(metric: &'static str, value: f64) -> Self {
        let (profile, workload) = (profile(), "machine");
        Self { peer: "limit", profile, backend: "raw", workload, metric, value, gate: None }
    }

    /// It must be at least this.
    #[must_use]
    pub(crate) fn at_least(mut self, bound: f64) -> Self {
        self.gate = Some(BenchGate { kind: "at_least", bound, holds: self.value >= bound });
        self
    }

    /// It must be at most this.
    #[must_use]
    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.gate = Some(BenchGate { kind: "at_most", bound, holds: self.value <= bound });
        self
    }

    /// One line for people.
    pub(crate) fn shown(&self) -> String {
        let gate = self.gate.map_or(String::new(), |gate| {
            let verdict = if gate.holds { "" } else { "  MISSED" };
            format!("{} {:.2}{verdict}", gate.kind.replace('_', " "), gate.bound)
        });
        let Self { peer, profile, workload, metric, value, .. } = self;
        format!("{peer:<7} {profile:<8} {workload:<8} {metric:<28} {value:>12.2}  {gate}")
    }
}

/// The profile that this program was built in: cargo puts programs into a folder of that name.
pub(crate) fn profile() -> String {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent).and_then(Path::file_name);
    folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
