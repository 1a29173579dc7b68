//! What plans that are used again spare, and whether they are the right ones, on the public suites.

use praxis_suites::{SuiteArgs, run};
use std::path::PathBuf;

//
#[test]
fn public_requests_with_other_values_are_served_faster_and_not_wrongly_by_plans_used_again() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(PathBuf::from) else {
        return;
    };
    let wanted = SuiteArgs { name: "plan-cache".to_owned(), data, set: None, quick: true };
    let report = run(&wanted).unwrap();
    assert!(report.holds(), "{:#?}", report.metrics);
}
