//! One measured figure, as one line of JSON.

use serde::Serialize;

/// A figure.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// `praxis`, or `limit` for what the machine can do at all.
    pub peer: &'static str,
    /// What it ran on.
    pub backend: &'static str,
    /// Which workload.
    pub workload: &'static str,
    /// What was measured.
    pub metric: &'static str,
    /// The figure.
    pub value: f64,
    /// The figure that must be reached, and whether it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// A bound on a figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gate {
    /// `at_least` or `at_most`.
    pub kind: &'static str,
    /// The bound.
    pub bound: f64,
    /// Whether it holds.
    pub holds: bool,
}

impl Line {
    /// A figure of ours.
    pub fn praxis(workload: &'static str, metric: &'static str, value: f64) -> Self {
        Self { peer: "praxis", backend: "sqlite", workload, metric, value, gate: None }
    }

    /// A figure of the machine.
    pub fn limit(metric: &'static str, value: f64) -> Self {
        Self { peer: "limit", backend: "raw", workload: "machine", metric, value, gate: None }
    }

    /// It must be at least this.
    #[must_use]
    pub fn at_least(mut self, bound: f64) -> Self {
        self.gate = Some(Gate { kind: "at_least", bound, holds: self.value >= bound });
        self
    }

    /// It must be at most this.
    #[must_use]
    pub fn at_most(mut self, bound: f64) -> Self {
        self.gate = Some(Gate { kind: "at_most", bound, holds: self.value <= bound });
        self
    }
}
