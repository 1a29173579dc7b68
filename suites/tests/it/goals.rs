//! Goals over recordings, on data of our own: the same commands run on the public suites.

use praxis_core::goal::spec::RecoveryMode;
use praxis_suites::goals::case::{ExpectedCall, GoalCase};
use praxis_suites::goals::errs::ErrorRate;
use praxis_suites::goals::{course, degradation, react};
use praxis_suites::report::{Metric, SuiteReport};
use praxis_suites::{SuiteArgs, run};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

fn report(name: &str, set: Option<&str>) -> SuiteReport {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let set = set.map(str::to_owned);
    run(&SuiteArgs { name: name.to_owned(), data, set, quick: false }).unwrap()
}

fn metric<'a>(report: &'a SuiteReport, set: &str, name: &str) -> &'a Metric {
    report.metrics.iter().find(|one| one.set == set && one.metric == name).unwrap()
}

#[test]
fn right_plans_make_the_recorded_calls_and_the_same_ones_after_a_crash_anywhere() {
    for (set, cases) in [("tau", 4), ("bfcl", 1), ("workbench", 2)] {
        let report = report("replay", Some(set));
        assert!(report.holds() && report.failures.is_empty(), "{:#?}", report.failures);
        assert_eq!(metric(&report, set, "calls_exact").n, cases);
        assert!(metric(&report, set, "same_after_crash").n > 20);
        let errors = report.metrics.iter().find(|one| one.metric.starts_with("errors_"));
        assert_eq!(errors.map(|one| one.n), (set == "tau").then_some(2));
    }
}

#[test]
fn recovery_helps_a_model_that_errs_and_changes_nothing_for_one_that_does_not() {
    let report = report("degradation", None);
    let value = |set: &str, name: &str| metric(&report, set, name).value;
    for mode in ["off", "classes"] {
        // Of seven tasks with calls, two have a recorded error that the plan could not know.
        assert!(value("p0", &format!("{mode}.success")) >= 0.6, "{mode}");
    }
    assert!((value("p0", "full.success") - 1.0).abs() < 1e-9);
    assert!(value("p40", "full.model_calls") > value("p0", "full.model_calls"));
    let errs = |mode| value("p40", &format!("{mode}.success"));
    assert!(errs("full") >= errs("off"), "{} {}", errs("full"), errs("off"));
}

fn two_notes() -> Arc<GoalCase> {
    let tool = json!({"id": "note", "risk": "write", "idempotent": true, "input_schema": {"type": "object"}});
    let call = |text: &str, needs: &[usize]| ExpectedCall {
        tool: "note".to_owned(),
        arguments: json!({"text": text}),
        parameters: json!({"text": text}),
        needs: needs.to_vec(),
        answer: Ok(json!("noted")),
    };
    let calls = vec![call("one", &[]), call("two", &[0])];
    Arc::new(GoalCase {
        id: "notes".to_owned(),
        goal: "note one, two".to_owned(),
        tools: vec![tool],
        calls,
    })
}

#[test]
fn the_same_seed_errs_in_the_same_way() {
    let case = two_notes();
    let attempt =
        || degradation::attempt(&case, ErrorRate::OfAnswers(0.4), RecoveryMode::Full).unwrap();
    assert_eq!(format!("{:?}", attempt()), format!("{:?}", attempt()));
    let certain =
        degradation::attempt(&case, ErrorRate::OfAnswers(1.0), RecoveryMode::Full).unwrap();
    assert!(!certain.good && certain.model_calls > 1.0, "{certain:?}");
}

#[test]
fn a_loop_pays_for_every_result_again() {
    let case = two_notes();
    let cost = react::run(&case, "prefix", &[1000, 2000]);
    assert_eq!(cost.model_calls, 3);
    let longer = react::run(&case, &format!("prefix{}", "x".repeat(400)), &[1000, 2000]);
    assert_eq!(longer.tokens - cost.tokens, 300, "a hundred tokens more, three times");
    assert!(cost.ms > 3000 + 3 * 350 && longer.ms > cost.ms);
}

#[test]
fn a_plan_is_faster_than_a_loop_and_a_new_plan_keeps_what_was_done() {
    let report = report("speed", None);
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    for set in ["sealtools", "glaive", "exec", "sgd"] {
        assert!(metric(&report, set, "times_faster").value > 1.2, "{set}");
        assert!(metric(&report, set, "calls_spared_by_keeping").value > 0.1, "{set}");
        assert!(metric(&report, set, "times_fewer_tokens").value > 1.9, "{set}");
        assert!(metric(&report, set, "judged_by_plan").value > 0.5, "{set}");
    }
}

// The gate of 0.70 is that of `cargo xtask bench prefix`.
#[test]
fn the_more_calls_a_task_takes_the_more_of_its_prompts_was_read_before() {
    let (plain, few) = course::prefix(false).unwrap();
    let (share, calls) = course::prefix(true).unwrap();
    assert!(calls >= 6 && calls > few, "{calls} and {few} calls");
    assert!(share.fraction() >= 0.70 && share.fraction() > plain.fraction(), "{share:?} {plain:?}");
}
