//! The suite `replay`: checks calls and arguments, recovery from recorded errors, and equal results after crashes.

use super::case::GoalCase;
use super::chance::seed;
use super::crash::{InFlight, after};
use super::kill::{KillTarget, killed, right};
use super::pursue::{Pursued, PursuitMode, in_virtual_time, pursue};
use super::work::each;
use super::{bfcl, tau, workbench};
use crate::report::{Count, FailedCase, SuiteReport};
use crate::run::SuiteArgs;
use praxis_core::goal::spec::{GoalOptions, TwoStage};
use praxis_rehearsal::chance::SeededChance;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SUITE: &str = "replay";
/// Sampling step of a quick run, which takes one case out of this many.
const SAMPLE: usize = 10;

/// A part of the suite: its name, which is also its folder, and its reader.
type ReplaySet = (&'static str, fn(&Path) -> anyhow::Result<Vec<GoalCase>>);

/// All sets of the suite.
pub(crate) const SETS: [ReplaySet; 3] =
    [("tau", tau::cases), ("bfcl", bfcl::cases), ("workbench", workbench::cases)];

/// Runs every chosen set.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    for (set, read) in SETS.iter().filter(|(set, _)| wanted.chose(set)) {
        let cases = read(&wanted.data.join(set))?;
        let step = if wanted.quick { SAMPLE } else { 1 };
        let cases: Vec<Arc<GoalCase>> = cases.into_iter().step_by(step).map(Arc::new).collect();
        let verdicts = each(&cases, |case| in_virtual_time(judge(case)));
        tell(set, &cases, verdicts, &mut report);
    }
    if wanted.chose("kill") {
        kills(wanted, &mut report)?;
    }
    Ok(report)
}

/// Number of runs that are killed with SIGKILL.
const KILLS: usize = 100;
/// Longest wait between a call and the kill, in microseconds.
const LONGEST_WAIT_US: usize = 8000;

/// Kills random cases with SIGKILL, each after a random number of calls, and lets a second process finish them.
fn kills(wanted: &SuiteArgs, report: &mut SuiteReport) -> anyhow::Result<()> {
    let mut all: Vec<(&str, GoalCase)> = Vec::new();
    for (set, read) in SETS {
        let cases = read(&wanted.data.join(set))?.into_iter();
        all.extend(cases.filter(|case| !case.calls.is_empty()).map(|case| (set, case)));
    }
    let mut chance = SeededChance::of(seed("kill", 7));
    let (mut same, mut struck) = (Count::default(), Count::default());
    for _ in 0..KILLS {
        let at = chance.below(all.len());
        let Some((set, case)) = all.get(at) else { break };
        let (calls, wait) = (chance.below(case.calls.len() + 1), chance.below(LONGEST_WAIT_US));
        let home = crate::rig::folder()?;
        let (data, home) = (wanted.data.clone(), home.path().to_owned());
        let place = KillTarget { data, set: (*set).to_owned(), case: case.id.clone(), home };
        let left = killed(&place, calls, Duration::from_micros(wait as u64))?;
        let good = left.calls == right(case) && (case.has_errors() || left.ending == "completed");
        same.add(good);
        struck.add(left.killed);
        if !good {
            let detail = format!("killed after {calls} calls: {left:?}");
            let (set, case, metric) =
                ("kill".to_owned(), case.id.clone(), "same_after_kill".to_owned());
            report.failures.push(FailedCase { suite: SUITE, set, case, metric, detail });
        }
    }
    report.rate(SUITE, "kill", "same_after_kill", same);
    report.figure(SUITE, "kill", "killed_before_the_end", (struck.good as f64, struck.all));
    Ok(())
}

/// The verdict on one case.
#[derive(Debug, Default)]
pub struct ReplayVerdict {
    /// The difference from the expected calls; `None` if there is none.
    pub calls: Option<String>,
    /// The wrong ending; `None` if the task ended as expected.
    pub ending: Option<String>,
    /// Crash points tried; good are those after which calls and ending were the same.
    pub crashes: Count,
    /// The first crash after which they were not the same.
    pub crashed: Option<String>,
}

/// Pursues a case, then repeats it with a crash after every event.
pub async fn judge(case: &Arc<GoalCase>) -> anyhow::Result<ReplayVerdict> {
    let way = PursuitMode::right(case);
    let run = pursue(case, &way).await?;
    let ending = match wrong_ending(case, &run) {
        None if case.calls.is_empty() => with_an_empty_plan(case).await?,
        wrong => wrong,
    };
    let mut verdict =
        ReplayVerdict { calls: wrong_calls(case, &run), ending, ..ReplayVerdict::default() };
    for seq in 1..=run.entries.len() as u64 {
        for in_flight in [InFlight::Unsent, InFlight::Acted] {
            let again = after(&run, (case, &way), seq, in_flight).await?;
            let wrong = wrong_calls(case, &again).or_else(|| {
                let (one, other) = (run.ending(), again.ending());
                (one != other).then(|| format!("{other} instead of {one}"))
            });
            verdict.crashes.add(wrong.is_none());
            let told = wrong.map(|wrong| format!("after {seq}, {in_flight:?}: {wrong}"));
            verdict.crashed = verdict.crashed.or(told);
        }
    }
    Ok(verdict)
}

/// Checks that the expected calls were made in their order, each once.
fn wrong_calls(case: &GoalCase, run: &Pursued) -> Option<String> {
    let made: Vec<Option<usize>> = run.made.iter().map(|made| made.right).collect();
    let right: Vec<Option<usize>> = (0..case.calls.len()).map(Some).collect();
    let wishes = || run.made.iter().map(|made| &made.wish).collect::<Vec<_>>();
    let shown = || format!("{made:?} of {}, {}, {:?}", right.len(), run.ending(), wishes());
    (made != right).then(shown)
}

/// Checks the ending. A task without recorded errors must complete without reflection. One with recorded errors must
/// reach recovery, and then complete or fail with `steps_failed`. A goal that needs no calls must be rejected.
fn wrong_ending(case: &GoalCase, run: &Pursued) -> Option<String> {
    let ending = run.ending();
    let good = if case.calls.is_empty() {
        ending == "goal_rejected"
    } else if case.has_errors() {
        run.reflected() && ["completed", "steps_failed"].contains(&ending.as_str())
    } else {
        ending == "completed" && !run.reflected()
    };
    (!good).then_some(ending)
}

/// Runs a goal that needs no calls without tool selection: the plan is empty, and the task must complete without a
/// call.
async fn with_an_empty_plan(case: &Arc<GoalCase>) -> anyhow::Result<Option<String>> {
    let right = PursuitMode::right(case);
    let way =
        PursuitMode { manner: GoalOptions { two_stage: TwoStage::Never, ..right.manner }, ..right };
    let run = pursue(case, &way).await?;
    let good = run.ending() == "completed" && run.made.is_empty();
    Ok((!good).then(|| format!("{} with an empty plan", run.ending())))
}

fn tell(
    set: &str,
    cases: &[Arc<GoalCase>],
    verdicts: Vec<anyhow::Result<ReplayVerdict>>,
    report: &mut SuiteReport,
) {
    let (mut exact, mut ended, mut errors) = (Count::default(), Count::default(), Count::default());
    let mut crashes = Count::default();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let verdict = verdict.unwrap_or_else(|error| ReplayVerdict {
            calls: Some(error.to_string()),
            ..ReplayVerdict::default()
        });
        exact.add(verdict.calls.is_none());
        let count = if case.has_errors() { &mut errors } else { &mut ended };
        count.add(verdict.ending.is_none());
        crashes.join(verdict.crashes);
        let found = [
            ("calls_exact", verdict.calls),
            ("ending", verdict.ending),
            ("crashes", verdict.crashed),
        ];
        let failure = |(metric, wrong): (&str, Option<String>)| {
            let (set, case) = (set.to_owned(), case.id.clone());
            Some(FailedCase { suite: SUITE, set, case, metric: metric.to_owned(), detail: wrong? })
        };
        report.failures.extend(found.into_iter().filter_map(failure));
    }
    report.rate(SUITE, set, "calls_exact", exact);
    report.rate(SUITE, set, "ended_as_it_should", ended);
    report.rate(SUITE, set, "errors_recovered_to_a_named_end", errors);
    report.rate(SUITE, set, "same_after_crash", crashes);
}
