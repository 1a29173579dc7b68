//! The report of a suite: metrics, their gates, and every failed case.

use serde::Serialize;

/// The results of a suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteReport {
    /// The metrics, in order.
    pub metrics: Vec<Metric>,
    /// The metrics as a printed table, for suites that are easier to read that way.
    pub table: Vec<String>,
    /// The failed cases, in order.
    pub failures: Vec<FailedCase>,
}

/// One measured value.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// The name of the suite.
    pub suite: &'static str,
    /// The set of the suite.
    pub set: String,
    /// The name of the metric.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// The number of items it was computed from.
    pub n: usize,
    /// The bound that the value must satisfy.
    #[serde(skip)]
    pub gate: Option<SuiteGate>,
}

/// A bound on a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SuiteGate {
    /// The value must not be smaller.
    AtLeast(f64),
    /// The value must not be larger.
    AtMost(f64),
}

/// A case with a wrong result.
#[derive(Clone, Debug, Serialize)]
pub struct FailedCase {
    /// The name of the suite.
    pub suite: &'static str,
    /// The set of the suite.
    pub set: String,
    /// The id of the case.
    pub case: String,
    /// The metric that it counts against.
    pub metric: String,
    /// The details of the failure.
    pub detail: String,
}

/// A number of good items out of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// The number of good items.
    pub good: usize,
    /// The number of all items.
    pub all: usize,
}

impl Count {
    /// Counts one item.
    pub fn add(&mut self, good: bool) {
        self.all += 1;
        self.good += usize::from(good);
    }

    /// Adds the counts of another one.
    pub fn join(&mut self, other: Self) {
        self.all += other.all;
        self.good += other.good;
    }
}

impl Metric {
    /// Returns true if the value satisfies its gate, or has none.
    pub fn holds(&self) -> bool {
        match self.gate {
            Some(SuiteGate::AtLeast(bound)) => self.value >= bound,
            Some(SuiteGate::AtMost(bound)) => self.value <= bound,
            None => true,
        }
    }

    /// Formats the metric as one line of text.
    pub fn line(&self) -> String {
        let gate = match self.gate {
            Some(SuiteGate::AtLeast(bound)) => format!("at least {bound}"),
            Some(SuiteGate::AtMost(bound)) => format!("at most {bound}"),
            None => String::new(),
        };
        let verdict = if self.holds() { "" } else { "  MISSED" };
        let tiny = self.value != 0.0 && self.value.abs() < 1e-3;
        let value = if tiny { format!("{:.2e}", self.value) } else { format!("{:.4}", self.value) };
        let Self { set, metric, n, .. } = self;
        format!("{set:<11} {metric:<58} {value:>9}  n {n:<6} {gate}{verdict}").trim_end().to_owned()
    }
}

impl SuiteReport {
    /// Adds a metric without a gate.
    pub fn figure(&mut self, suite: &'static str, set: &str, metric: &str, of: (f64, usize)) {
        let (set, metric) = (set.to_owned(), metric.to_owned());
        self.metrics.push(Metric { suite, set, metric, value: of.0, n: of.1, gate: None });
    }

    /// Adds a rate with the gate 1.0; adds nothing if nothing was counted.
    pub fn rate(&mut self, suite: &'static str, set: &str, metric: &str, count: Count) {
        if count.all > 0 {
            self.figure(suite, set, metric, (count.good as f64 / count.all as f64, count.all));
            self.gate_last(SuiteGate::AtLeast(1.0));
        }
    }

    /// Sets the gate of the metric that was added last.
    pub fn gate_last(&mut self, gate: SuiteGate) {
        if let Some(last) = self.metrics.last_mut() {
            last.gate = Some(gate);
        }
    }

    /// Returns true if every gate is satisfied.
    pub fn holds(&self) -> bool {
        self.metrics.iter().all(Metric::holds)
    }
}
