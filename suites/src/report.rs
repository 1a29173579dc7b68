//! What a suite found: figures, the gates that they must pass, and every case that failed.

use serde::Serialize;

/// Everything that a suite found.
#[derive(Clone, Debug, Default)]
pub struct SuiteReport {
    /// The figures, in order.
    pub metrics: Vec<Metric>,
    /// The same figures for people, line by line, where they are easier to read so.
    pub table: Vec<String>,
    /// The failed cases, in order.
    pub failures: Vec<FailedCase>,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// Which suite.
    pub suite: &'static str,
    /// Which part of it.
    pub set: String,
    /// What was measured.
    pub metric: String,
    /// The figure.
    pub value: f64,
    /// How many things it is made of.
    pub n: usize,
    /// The bound that it must keep.
    #[serde(skip)]
    pub gate: Option<SuiteGate>,
}

/// A bound on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SuiteGate {
    /// It may not be smaller.
    AtLeast(f64),
    /// It may not be larger.
    AtMost(f64),
}

/// A case that did not end as it should.
#[derive(Clone, Debug, Serialize)]
pub struct FailedCase {
    /// Which suite.
    pub suite: &'static str,
    /// Which part of it.
    pub set: String,
    /// Which case.
    pub case: String,
    /// The figure that it counts against.
    pub metric: String,
    /// What happened.
    pub detail: String,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// As they should be.
    pub good: usize,
    /// All.
    pub all: usize,
}

impl Count {
    /// Counts one.
    pub fn add(&mut self, good: bool) {
        self.all += 1;
        self.good += usize::from(good);
    }

    /// Counts what another counted.
    pub fn join(&mut self, other: Self) {
        self.all += other.all;
        self.good += other.good;
    }
}

impl Metric {
    /// Whether its gate is kept.
    pub fn holds(&self) -> bool {
        match self.gate {
            Some(SuiteGate::AtLeast(bound)) => self.value >= bound,
            Some(SuiteGate::AtMost(bound)) => self.value <= bound,
            None => true,
        }
    }

    /// One line for people.
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
    /// Adds a figure without a gate.
    pub fn figure(&mut self, suite: &'static str, set: &str, metric: &str, of: (f64, usize)) {
        let (set, metric) = (set.to_owned(), metric.to_owned());
        self.metrics.push(Metric { suite, set, metric, value: of.0, n: of.1, gate: None });
    }

    /// Adds a rate that must be one. Without cases there is no rate.
    pub fn rate(&mut self, suite: &'static str, set: &str, metric: &str, count: Count) {
        if count.all > 0 {
            self.figure(suite, set, metric, (count.good as f64 / count.all as f64, count.all));
            self.gate_last(SuiteGate::AtLeast(1.0));
        }
    }

    /// Puts a gate on the figure that was added last.
    pub fn gate_last(&mut self, gate: SuiteGate) {
        if let Some(last) = self.metrics.last_mut() {
            last.gate = Some(gate);
        }
    }

    /// Whether every gate is kept.
    pub fn holds(&self) -> bool {
        self.metrics.iter().all(Metric::holds)
    }
}
