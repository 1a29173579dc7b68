//! Runs all sets of the suite. Each answer has a time limit, and a panic counts as a result.

use super::answers::{self, RecordedAnswer};
use super::judge::{AnswerVerdict, judge};
use crate::report::{Count, FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use praxis_core::ask::reply::ReplyRepair;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use tokio::time::Instant;

const SUITE: &str = "recorded-llm";
const SETS: [&str; 5] = ["actions", "calls", "cells", "outputs", "tau"];
/// Least share of items and answers that Praxis must read.
const READ: f64 = 0.95;
/// Time limit for reading an answer.
const LONGEST: Duration = Duration::from_secs(10);
/// Sampling step of a quick run, which takes one answer out of this many.
const SAMPLE: usize = 20;

/// Runs every chosen set.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let records = answers::read(&wanted.data.join("recorded_llm"))?;
    let tools: Arc<[String]> = records.tools.into_iter().collect();
    let mut report = SuiteReport::default();
    for set in SETS.into_iter().filter(|set| wanted.chose(set)) {
        let of_set = records.answers.iter().filter(|recorded| recorded.set == set);
        let step = if wanted.quick { SAMPLE } else { 1 };
        let answers: Arc<[RecordedAnswer]> = of_set.step_by(step).cloned().collect();
        if answers.is_empty() {
            continue;
        }
        let mut tally = RecordedTally::default();
        for (recorded, result) in answers.iter().zip(results(&answers, &tools)) {
            tally.add(set, recorded, result, &mut report.failures);
        }
        tally.tell(set, &mut report);
    }
    Ok(report)
}

/// The verdict on an answer with the time it took, or `panic` or `hang`.
type ReadOutcome = Result<(AnswerVerdict, Duration), &'static str>;

/// Reads all answers on another thread. A thread that hangs is abandoned, and a new one goes on with the next answer.
fn results(answers: &Arc<[RecordedAnswer]>, tools: &Arc<[String]>) -> Vec<ReadOutcome> {
    let mut outcomes: Vec<ReadOutcome> = Vec::new();
    while outcomes.len() < answers.len() {
        let reader = reader(outcomes.len(), Arc::clone(answers), Arc::clone(tools));
        loop {
            match reader.recv_timeout(LONGEST) {
                Ok(outcome) => outcomes.push(outcome),
                Err(RecvTimeoutError::Timeout) => {
                    outcomes.push(Err("hang"));
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
    outcomes
}

fn reader(
    from: usize,
    answers: Arc<[RecordedAnswer]>,
    tools: Arc<[String]>,
) -> Receiver<ReadOutcome> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let offered: Vec<&str> = tools.iter().map(String::as_str).collect();
        for recorded in answers.iter().skip(from) {
            let begin = Instant::now();
            let judged =
                AssertUnwindSafe(|| judge(&recorded.answer, &offered, recorded.meant.as_ref()));
            let outcome = catch_unwind(judged).map_err(|_| "panic");
            // After a timeout the receiver is gone.
            if tell.send(outcome.map(|verdict| (verdict, begin.elapsed()))).is_err() {
                return;
            }
        }
    });
    told
}

/// The counts of one set.
#[derive(Default)]
struct RecordedTally {
    answers: usize,
    items: Count,
    interpretable: Count,
    typed: Count,
    as_meant: Count,
    broken: usize,
    wrongly_sure: usize,
    slowest: Duration,
    classes: BTreeMap<String, usize>,
}

impl RecordedTally {
    fn add(
        &mut self,
        set: &str,
        recorded: &RecordedAnswer,
        outcome: ReadOutcome,
        failures: &mut Vec<FailedCase>,
    ) {
        self.answers += 1;
        let mut fail = |metric: &str, detail: String| {
            let (set, case, metric) = (set.to_owned(), recorded.case.clone(), metric.to_owned());
            failures.push(FailedCase { suite: SUITE, set, case, metric, detail });
        };
        let (verdict, took) = match outcome {
            Ok(outcome) => outcome,
            Err(why) => {
                self.broken += 1;
                return fail("broken", why.to_owned());
            }
        };
        self.slowest = self.slowest.max(took);
        self.items.join(Count { good: verdict.read, all: verdict.items });
        self.wrongly_sure += verdict.wrongly_sure;
        if verdict.items > 0 {
            self.interpretable.add(verdict.is_read());
        }
        if !verdict.is_read() {
            let typed = verdict.fault.as_ref().is_some_and(|code| !code.is_empty());
            self.typed.add(typed);
            fail("read", format!("{verdict:?}"));
        }
        if verdict.wrongly_sure > 0 {
            fail("wrongly_sure", format!("{verdict:?}"));
        }
        if let Some(as_meant) = verdict.as_meant {
            self.as_meant.add(as_meant);
            if !as_meant {
                fail("as_meant", format!("{verdict:?}"));
            }
        }
        self.classify(&verdict);
    }

    fn classify(&mut self, verdict: &AnswerVerdict) {
        let class = match (verdict.items, verdict.is_read(), verdict.beyond) {
            (0, _, 0) => "words".to_owned(),
            (0, _, _) => "only_mended".to_owned(),
            (_, false, _) => format!("fault/{}", verdict.fault.as_deref().unwrap_or("none")),
            (_, true, _) if verdict.is_sure() => "sure".to_owned(),
            (_, true, _) => "mended".to_owned(),
        };
        if class.ends_with("mended") {
            for repair in &verdict.repairs {
                *self.classes.entry(format!("{class}/{}", code(*repair))).or_default() += 1;
            }
        }
        *self.classes.entry(class).or_default() += 1;
    }

    fn tell(&self, set: &str, report: &mut SuiteReport) {
        let mut tell = |metric: &str, count: Count, gate: f64| {
            if count.all > 0 {
                let rate = count.good as f64 / count.all as f64;
                report.figure(SUITE, set, metric, (rate, count.all));
                report.gate_last(SuiteGate::AtLeast(gate));
            }
        };
        tell("interpretable_items_read", self.items, READ);
        tell("interpretable_answers_read", self.interpretable, READ);
        tell("unread_with_a_typed_fault", self.typed, 1.0);
        tell("read_as_the_recorded_call", self.as_meant, READ);
        for (metric, count) in [
            ("panics_and_hangs", self.broken),
            ("guesses_that_may_drive_a_write", self.wrongly_sure),
        ] {
            report.figure(SUITE, set, metric, (count as f64, self.answers));
            report.gate_last(SuiteGate::AtMost(0.0));
        }
        report.figure(SUITE, set, "slowest_ms", (self.slowest.as_secs_f64() * 1e3, self.answers));
        report.gate_last(SuiteGate::AtMost(LONGEST.as_secs_f64() * 1e3));
        for (class, count) in &self.classes {
            let share = *count as f64 / self.answers as f64;
            report.figure(SUITE, set, &format!("class/{class}"), (share, *count));
        }
    }
}

fn code(repair: ReplyRepair) -> String {
    let code = serde_json::to_value(repair).unwrap_or_default();
    code.as_str().unwrap_or_default().to_owned()
}
