//! One measured figure, as one line of JSON.

use serde::Serialize;
use std::path::Path;

/// One measured figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FigureLine {
    /// `praxis`, or `limit` for a raw limit of the machine.
    pub(crate) peer: &'static str,
    /// The cargo profile of the build.
    pub(crate) profile: String,
    /// The store it ran on: `sqlite`, `raw` or `memory`.
    pub(crate) backend: &'static str,
    /// The name of the workload.
    pub(crate) workload: &'static str,
    /// The name of the metric, with its unit.
    pub(crate) metric: &'static str,
    /// The measured value.
    pub(crate) value: f64,
    /// The bound that the value must meet.
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
    /// True if the value meets the bound.
    pub(crate) holds: bool,
}

impl FigureLine {
    /// Creates a figure of Praxis.
    pub(crate) fn praxis(workload: &'static str, metric: &'static str, value: f64) -> Self {
        let profile = profile();
        Self { peer: "praxis", profile, backend: "sqlite", workload, metric, value, gate: None }
    }

    /// Creates a figure of the raw machine.
    pub(crate) fn limit(metric: &'static str, value: f64) -> Self {
        let (profile, workload) = (profile(), "machine");
        Self { peer: "limit", profile, backend: "raw", workload, metric, value, gate: None }
    }

    /// Sets a lower bound.
    #[must_use]
    pub(crate) fn at_least(mut self, bound: f64) -> Self {
        self.gate = Some(BenchGate { kind: "at_least", bound, holds: self.value >= bound });
        self
    }

    /// Sets an upper bound.
    #[must_use]
    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.gate = Some(BenchGate { kind: "at_most", bound, holds: self.value <= bound });
        self
    }

    /// Formats the figure as one line of text.
    pub(crate) fn shown(&self) -> String {
        let gate = self.gate.map_or(String::new(), |gate| {
            let verdict = if gate.holds { "" } else { "  MISSED" };
            format!("{} {:.2}{verdict}", gate.kind.replace('_', " "), gate.bound)
        });
        let Self { peer, profile, workload, metric, value, .. } = self;
        format!("{peer:<7} {profile:<8} {workload:<8} {metric:<28} {value:>12.2}  {gate}")
    }
}

/// Returns the profile of this build: cargo puts programs into a folder named after it.
pub(crate) fn profile() -> String {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent).and_then(Path::file_name);
    folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
