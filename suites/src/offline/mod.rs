//! The suite `offline-goals`: goals in words over the built-in tools and workflows, run without a model and judged by
//! class and language.
//!
//! - outcome: the prediction before anything runs: `ready`, `need_params` or `no_plan`
//! - plan: neither more nor fewer calls than a right plan, with every argument, reference and question right
//! - end: the status if nobody answers, the error, the questions to the user, and the outputs of the steps
//!
//! The rules are in `tests/offline/README.md`.

mod case;

mod ground;

mod laid;

mod ran;

mod matching;

mod judge;

mod table;

#[cfg(test)]
mod judge_tests;

#[cfg(test)]
mod right_plans_tests;

use crate::goals::pursue::in_virtual_time;
use crate::goals::work::each;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use case::{ExpectedOutcome, OfflineCase};
use judge::{OfflineVerdict, judge};
use laid::Laid;
use ran::{OfflineRun, Shop};
use table::OfflineTable;

const SUITE: &str = "offline-goals";

/// Runs all goals. The metrics are numbers of goals.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let shop = Shop::open();
    let set = |case: &OfflineCase| format!("{} {}", case.class(), case.lang());
    let chose = |case: &OfflineCase| wanted.chose(case.class()) || wanted.chose(&set(case));
    let mut cases = case::cases(&case::folder())?;
    cases.retain(chose);
    let all = each(&cases, |case| in_virtual_time(shop.run(case)));
    let (mut report, mut table) = (SuiteReport::default(), OfflineTable::default());
    let (mut vague, mut guessed) = (0_usize, 0_usize);
    for (case, ran) in cases.iter().zip(all) {
        let ran = ran?;
        let verdict = judge(case, &ran, &shop.tools);
        table.add((case.class(), case.lang()), verdict);
        if case.expect.outcome == ExpectedOutcome::NoPlan {
            vague += 1;
            guessed += usize::from(ran.end.calls > 0);
        }
        if !verdict.all() {
            report.failures.push(failure(case, &set(case), (&ran, verdict)));
        }
    }
    table.tell(&mut report);
    if vague > 0 {
        report.figure(SUITE, "all", "ran where nothing can be planned", (guessed as f64, vague));
        report.gate_last(SuiteGate::AtMost(0.0));
    }
    Ok(report)
}

fn failure(
    case: &OfflineCase,
    set: &str,
    (ran, verdict): (&OfflineRun, OfflineVerdict),
) -> FailedCase {
    let (expect, end) = (&case.expect, &ran.end);
    let mut lines = vec![case.goal.clone(), format!("  {verdict:?}")];
    lines.push(format!(
        "  right: {:?} asks {:?} {:?} {:?} gives {}",
        expect.outcome,
        expect.asks,
        expect.status,
        expect.error,
        serde_json::json!(expect.gives)
    ));
    for steps in expect.plans() {
        let step = |step: &case::ExpectedStep| {
            let with = serde_json::Value::Object(step.with.clone());
            format!("    {} {with}", step.tool)
        };
        lines.extend(steps.iter().map(step));
        lines.push("    -".to_owned());
    }
    lines.push(format!(
        "  made: {:?} asks {:?} {:?} {:?} asked {:?} calls {}",
        ran.said.outcome, ran.said.asks, end.status, end.errors, end.asked, end.calls
    ));
    lines.extend(end.faults.iter().map(|fault| format!("    ! {fault}")));
    lines.extend(steps_told(&ran.entered, ran));
    if !case.down.is_empty() {
        lines.push("  reached:".to_owned());
        lines.extend(steps_told(&ran.reached, ran));
    }
    FailedCase {
        suite: SUITE,
        set: set.to_owned(),
        case: case.id.clone(),
        metric: table::ALL.to_owned(),
        detail: lines.join("\n"),
    }
}

/// Describes the steps of a plan, each with the start of its output.
fn steps_told<'a>(laid: &'a Laid, ran: &'a OfflineRun) -> impl Iterator<Item = String> + 'a {
    laid.steps.iter().map(|step| {
        let output = ran.end.outputs.get(&step.id).map(ToString::to_string).unwrap_or_default();
        let output: String = output.chars().take(200).collect();
        let arguments = serde_json::Value::Object(step.arguments.clone());
        format!("    {} {arguments} -> {output}", step.tool)
    })
}
