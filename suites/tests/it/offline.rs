//! Goals in words, planned without a model.

use praxis_suites::{Wanted, run};
use std::path::PathBuf;

#[test]
fn every_goal_in_words_is_judged_by_class_and_language() {
    let (name, data) = ("offline-goals".to_owned(), PathBuf::new());
    let report = run(&Wanted { name, data, set: None, quick: false }).unwrap();
    let of_all =
        report.metrics.iter().find(|one| one.set == "all" && one.metric == "whole plan right");
    assert!(of_all.is_some_and(|one| one.n == 132), "{:#?}", report.metrics);
}
