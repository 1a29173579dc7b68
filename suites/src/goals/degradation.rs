//! The suite `degradation`: task success with a model that makes errors, with and without recovery.
//!
//! `p20` is a model with one error in 20 percent of its answers. `kinds20` makes each of four kinds of errors with
//! that probability, so more than half of its plans are wrong.

use super::case::GoalCase;
use super::chance::{mean, seed};
use super::errs::{self, ErrorRate};
use super::prefix::PrefixShare;
use super::pursue::{Pursued, PursuitMode, in_virtual_time, manner, pursue};
use super::replay::SETS;
use super::work::each;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use praxis_core::goal::spec::{GoalOptions, RecoveryMode, TwoStage};
use std::sync::Arc;

const SUITE: &str = "degradation";
const PERCENT: [u32; 5] = [0, 5, 10, 20, 40];
/// The rates per kind of error, for comparison.
const OF_KINDS: [u32; 2] = [20, 40];
const MODES: [(&str, RecoveryMode); 3] =
    [("off", RecoveryMode::Off), ("classes", RecoveryMode::Classes), ("full", RecoveryMode::Full)];
/// The minimum gain in success by recovery, for a rate in percent.
const GATES: [(u32, f64); 2] = [(20, 0.15), (40, 0.25)];
/// A quick run takes one case of this many.
const SAMPLE: usize = 20;

/// Runs the cases of all chosen sets together, except those without calls.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut cases: Vec<Arc<GoalCase>> = Vec::new();
    for (set, read) in SETS.iter().filter(|(set, _)| wanted.chose(set)) {
        let read = read(&wanted.data.join(set))?;
        cases.extend(read.into_iter().filter(|case| !case.calls.is_empty()).map(Arc::new));
    }
    let step = if wanted.quick { SAMPLE } else { 1 };
    let cases: Vec<Arc<GoalCase>> = cases.into_iter().step_by(step).collect();
    let mut report = SuiteReport::default();
    for percent in PERCENT {
        let set = DegradedModel { name: format!("p{percent}"), percent, of_kinds: false };
        pursue_all(&cases, &set, &mut report)?;
    }
    for percent in OF_KINDS {
        let set = DegradedModel { name: format!("kinds{percent}"), percent, of_kinds: true };
        pursue_all(&cases, &set, &mut report)?;
    }
    Ok(report)
}

/// A model that makes errors, and the name of its metrics.
struct DegradedModel {
    name: String,
    percent: u32,
    of_kinds: bool,
}

impl DegradedModel {
    fn rate(&self) -> ErrorRate {
        let share = f64::from(self.percent) / 100.0;
        if self.of_kinds { ErrorRate::OfKinds(share) } else { ErrorRate::OfAnswers(share) }
    }
}

/// Runs all cases with every `RecoveryMode`.
fn pursue_all(
    cases: &[Arc<GoalCase>],
    set: &DegradedModel,
    report: &mut SuiteReport,
) -> anyhow::Result<()> {
    let mut without: Option<Vec<f64>> = None;
    for (word, recovery) in MODES {
        let runs = each(cases, |case| attempt(case, set.rate(), recovery));
        let runs = runs.into_iter().collect::<anyhow::Result<Vec<DegradationRun>>>()?;
        tell(&set.name, word, &runs, report);
        let failed = cases.iter().zip(&runs).filter(|(_, run)| !run.good && word == "full");
        report.failures.extend(failed.map(|(case, run)| FailedCase {
            suite: SUITE,
            set: set.name.clone(),
            case: case.id.clone(),
            metric: "full.success".to_owned(),
            detail: run.end.clone(),
        }));
        let good: Vec<f64> = runs.iter().map(|run| f64::from(u8::from(run.good))).collect();
        match &without {
            None => without = Some(good),
            Some(off) => gain(set, word, (off, &good), report),
        }
    }
    Ok(())
}

/// The result of one case.
#[derive(Clone, Debug, Default)]
pub struct DegradationRun {
    /// True if every expected call was made once and no other call took effect.
    pub good: bool,
    /// The number of tool calls beyond the expected ones.
    pub extra_calls: f64,
    /// The number of model calls.
    pub model_calls: f64,
    /// The tokens of all model calls.
    pub tokens: f64,
    /// The final status, and the expected calls that were made.
    pub end: String,
    share: PrefixShare,
}

/// Pursues one case with a model that makes errors: the same errors for every `RecoveryMode` until the runs diverge.
pub fn attempt(
    case: &Arc<GoalCase>,
    rate: ErrorRate,
    recovery: RecoveryMode,
) -> anyhow::Result<DegradationRun> {
    let (ErrorRate::OfAnswers(share) | ErrorRate::OfKinds(share)) = rate;
    let seed = seed(&case.id, share.to_bits());
    let way = PursuitMode {
        manner: GoalOptions { recovery, two_stage: TwoStage::Never, ..manner() },
        answers: errs::answers(case, rate, seed),
        ..PursuitMode::right(case)
    };
    let run = in_virtual_time(pursue(case, &way))?;
    let (model_calls, tokens) = run.spent();
    Ok(DegradationRun {
        good: is_good(case, &run),
        extra_calls: run.made.len() as f64 - case.calls.len() as f64,
        model_calls: model_calls as f64,
        tokens: tokens as f64,
        end: format!(
            "{}: {:?}",
            run.ending(),
            run.made.iter().map(|made| made.right).collect::<Vec<_>>()
        ),
        share: PrefixShare::of(&run.asked),
    })
}

/// Returns true if every expected call was made exactly once; any other call took no effect, because its tool rejects
/// it. A case without recorded errors must also be completed.
fn is_good(case: &GoalCase, run: &Pursued) -> bool {
    let mut right: Vec<usize> = run.made.iter().filter_map(|made| made.right).collect();
    right.sort_unstable();
    let whole = right == (0..case.calls.len()).collect::<Vec<_>>();
    whole && (case.has_errors() || run.ending() == "completed")
}

fn tell(set: &str, word: &str, runs: &[DegradationRun], report: &mut SuiteReport) {
    let of = |value: fn(&DegradationRun) -> f64| runs.iter().map(value).collect::<Vec<f64>>();
    let success = mean(&of(|run| f64::from(u8::from(run.good))));
    let plain = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let figures = [
        ("success", success.mean),
        ("success_low", success.low),
        ("success_high", success.high),
        ("extra_tool_calls", plain(of(|run| run.extra_calls))),
        ("model_calls", plain(of(|run| run.model_calls))),
        ("tokens", plain(of(|run| run.tokens))),
        ("cacheable", cacheable(runs, 0.0)),
        ("cacheable_from_6_calls", cacheable(runs, 6.0)),
    ];
    for (metric, value) in figures {
        report.figure(SUITE, set, &format!("{word}.{metric}"), (value, runs.len()));
    }
}

/// Returns the cacheable share of the prompts, over all tasks with at least `calls` model calls.
fn cacheable(runs: &[DegradationRun], calls: f64) -> f64 {
    let long = runs.iter().filter(|run| run.model_calls >= calls);
    long.fold(PrefixShare::default(), |all, run| all.with(run.share)).fraction()
}

fn gain(set: &DegradedModel, word: &str, (off, on): (&[f64], &[f64]), report: &mut SuiteReport) {
    let gains: Vec<f64> = on.iter().zip(off).map(|(on, off)| on - off).collect();
    let gain = mean(&gains);
    let bound = GATES.iter().find(|(at, _)| *at == set.percent && word == "full" && !set.of_kinds);
    for (metric, value) in [("gain", gain.mean), ("gain_low", gain.low), ("gain_high", gain.high)] {
        report.figure(SUITE, &set.name, &format!("{word}.{metric}"), (value, gains.len()));
        if let Some((_, bound)) = bound.filter(|_| metric == "gain") {
            report.gate_last(SuiteGate::AtLeast(*bound));
        }
    }
}
