//! Schemas mean what their standard says.

use praxis_suites::{SuiteArgs, run};
use std::path::PathBuf;

#[test]
fn every_required_case_of_the_claimed_drafts_has_the_verdict_of_the_suite() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(PathBuf::from) else {
        eprintln!("!!! SKIPPED: PRAXIS_SUITES is not set, JSON Schema's own suite is not run");
        return;
    };
    let report =
        run(&SuiteArgs { name: "conformance".to_owned(), data, set: None, quick: false }).unwrap();
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    let counts: Vec<usize> = report.metrics.iter().map(|metric| metric.n).collect();
    assert!(counts.len() == 2 && counts.iter().all(|count| *count > 900), "{counts:?}");
    assert!(report.holds());
}
