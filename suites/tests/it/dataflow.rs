//! Gold plans bind and run as written, and broken ones are refused with the place and the reason, on a public suite.

use praxis_suites::{SuiteArgs, run};
use std::path::PathBuf;

#[test]
fn public_plans_run_as_written_and_broken_ones_are_refused_with_the_place_and_the_reason() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(PathBuf::from) else {
        return;
    };
    // The smallest of the sets: the words of a refusal are the same in all of them.
    let set = Some("nestful_v2".to_owned());
    let wanted = SuiteArgs { name: "dataflow".to_owned(), data, set, quick: true };
    let report = run(&wanted).unwrap();
    assert!(report.holds(), "{:#?}", report.metrics);
}
