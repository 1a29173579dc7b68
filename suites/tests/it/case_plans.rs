//! Chains of tools from past requests, on data of our own: the same command runs on the public suite.

use praxis_suites::report::SuiteReport;
use praxis_suites::{SuiteArgs, run};
use std::path::{Path, PathBuf};

fn report(data: PathBuf, quick: bool) -> SuiteReport {
    run(&SuiteArgs { name: "case-plans".to_owned(), data, set: None, quick }).unwrap()
}

/// The value of a figure and of how many things it is made.
fn figure(report: &SuiteReport, set: &str, metric: &str) -> (f64, usize) {
    let found = report.metrics.iter().find(|one| one.set == set && one.metric == metric);
    let found = found.unwrap_or_else(|| panic!("no {metric} of {set} in {:?}", report.metrics));
    (found.value, found.n)
}

#[test]
fn a_sixth_of_few_rows_is_tried_and_served_as_the_others_were() {
    let report = report(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), false);
    // Of 48 rows 8 are tried with each of four seeds; one kind of request has a chain without a link.
    let (nodes, tried) = figure(&report, "40 past", "node-F1");
    assert!(tried == 32 && (nodes - 1.0).abs() < 1e-9, "{nodes} {tried}");
    let (links, linked) = figure(&report, "40 past", "link-F1");
    assert!(linked < 32 && (links - 1.0).abs() < 1e-9, "{links} {linked}");
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
}

#[test]
fn the_chains_of_public_requests_are_told_by_those_before() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(PathBuf::from) else {
        return;
    };
    let report = report(data, true);
    assert!(report.holds(), "{:#?}", report.metrics);
}
