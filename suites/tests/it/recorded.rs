//! Recorded answers, on a small sample that was made up.

use praxis_suites::report::{Metric, SuiteReport};
use praxis_suites::{SuiteArgs, run};
use std::path::Path;

fn sample(set: &str) -> SuiteReport {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sample");
    let set = Some(set.to_owned());
    run(&SuiteArgs { name: "recorded-llm".to_owned(), data, set, quick: false }).unwrap()
}

/// The value of a figure and of how many things it is made.
fn figure(report: &SuiteReport, metric: &str) -> (f64, usize) {
    let found = report.metrics.iter().find(|found| found.metric == metric);
    let found = found.unwrap_or_else(|| panic!("no {metric} in {:?}", report.metrics));
    (found.value, found.n)
}

#[test]
fn the_call_that_a_program_made_of_an_answer_is_the_one_that_is_read() {
    let report = sample("actions");
    assert_eq!(figure(&report, "read_as_the_recorded_call"), (1.0, 3));
    assert_eq!(figure(&report, "interpretable_answers_read"), (1.0, 3));
    // One stands alone in a fence; the others stand among words, which is never sure.
    assert_eq!(figure(&report, "class/sure").1, 1);
    assert_eq!(figure(&report, "class/mended/prose").1, 2);
    assert!(report.holds());
}

#[test]
fn calls_in_the_words_of_a_programming_language_are_read() {
    let report = sample("calls");
    assert_eq!(figure(&report, "read_as_the_recorded_call"), (1.0, 2));
    assert_eq!(figure(&report, "class/mended/call_in_text").1, 1);
    assert_eq!(figure(&report, "class/only_mended/syntax").1, 1, "raw line feeds in a text");
    assert!(sample("cells").holds());
}

#[test]
fn what_is_cut_off_is_never_sure_and_what_is_not_read_is_a_miss() {
    let report = sample("outputs");
    assert_eq!(figure(&report, "class/words").1, 1);
    assert_eq!(figure(&report, "class/only_mended/truncated").1, 1);
    assert_eq!(figure(&report, "class/mended/syntax").1, 1, "`None`");
    assert_eq!(figure(&report, "guesses_that_may_drive_a_write"), (0.0, 4));
    // The braces of a formula can be taken for sets; Praxis does not.
    assert_eq!(figure(&report, "interpretable_items_read"), (0.5, 4));
    assert_eq!(figure(&report, "unread_with_a_typed_fault"), (1.0, 1));
    assert!(!report.holds(), "the gate is missed");
    assert_eq!(report.failures.len(), 1);
    assert!(report.failures[0].case.ends_with("#2/output"), "{:?}", report.failures);
}

#[test]
fn messages_of_an_endpoint_are_read_as_they_are() {
    let report = sample("tau");
    assert_eq!(figure(&report, "interpretable_items_read"), (1.0, 2));
    assert_eq!(figure(&report, "class/sure"), (1.0, 2));
    assert!(report.holds());
}

#[test]
fn every_recorded_answer_of_real_models_is_read_or_refused_with_a_reason() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(std::path::PathBuf::from) else {
        eprintln!("!!! SKIPPED: PRAXIS_SUITES is not set, recorded answers are not read");
        return;
    };
    let report =
        run(&SuiteArgs { name: "recorded-llm".to_owned(), data, set: None, quick: true }).unwrap();
    let missed: Vec<String> =
        report.metrics.iter().filter(|metric| !metric.holds()).map(Metric::line).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
