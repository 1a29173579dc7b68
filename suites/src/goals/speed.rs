//! The suite `speed`: compares a plan whose calls start while it is still streamed with a loop of one call at a time.

use super::case::GoalCase;
use super::errs::one_wrong;
use super::offered::with_results_of;
use super::pace::{ANSWER_TOKENS, OFFERED, PIECE_MS, RESULT_TOKENS, SAID_TOKENS, delays, timing};
use super::pursue::{PursuitMode, in_virtual_time, manner, pursue};
use super::work::each;
use super::{nested, oracle, react, sealtools, tau, told};
use crate::recorded::lengths;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use anyhow::ensure;
use praxis_core::ask::usage::{estimate, estimate_request};
use praxis_core::goal::spec::{GoalOptions, RecoveryMode, TwoStage};
use praxis_testkit::model::{ScriptedAnswers, ScriptedRequest, ScriptedSays};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const SUITE: &str = "speed";
/// The set that measures the constants of the simulation in the recorded data.
const RECORDED: &str = "recorded";
/// Sampling step of a quick run, which takes one case out of this many.
const SAMPLE: usize = 20;
/// Least share of tool calls that a replan must save by keeping finished steps.
const SPARED: f64 = 0.18;

/// Result lengths, in tokens, that are measured in addition.
const LONGER: [usize; 2] = [1000, 2000];

/// A part of the suite: its name, its reader, and the factors by which the plan must be faster and use fewer tokens.
type SpeedSet = (&'static str, fn(&Path) -> anyhow::Result<Vec<GoalCase>>, f64, f64);

const SETS: [SpeedSet; 4] = [
    ("sealtools", |data| sealtools::cases(&data.join("sealtools")), 1.7, 2.5),
    ("glaive", |data| nested::cases(&data.join("nestful"), "glaive"), 1.5, 2.3),
    ("exec", |data| nested::cases(&data.join("nestful"), "exec"), 1.5, 2.3),
    ("sgd", |data| nested::cases(&data.join("nestful"), "sgd"), 1.3, 1.9),
];

/// Runs every chosen set.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    for (set, read, faster, cheaper) in SETS.iter().filter(|set| wanted.chose(set.0)) {
        let step = if wanted.quick { SAMPLE } else { 1 };
        let cases: Vec<Arc<GoalCase>> =
            read(&wanted.data)?.into_iter().step_by(step).map(Arc::new).collect();
        let runs = each(&cases, compare);
        let good = kept(set, &cases, runs, &mut report);
        let share = good.len() as f64 / cases.len().max(1) as f64;
        report.figure(SUITE, set, "completed", (share, cases.len()));
        report.gate_last(SuiteGate::AtLeast(1.0));
        tell(set, &good, (*faster, *cheaper), &mut report);
        for tokens in LONGER {
            longer(set, &cases, tokens, &mut report);
        }
    }
    if wanted.chose(RECORDED) && wanted.data.join("recorded_llm").exists() {
        recorded(&wanted.data, &mut report)?;
    }
    Ok(report)
}

/// Reports the values that the constants of the simulation were taken from, beside the chosen constants.
fn recorded(data: &Path, report: &mut SuiteReport) -> anyhow::Result<()> {
    let (said, answer) = lengths(&data.join("recorded_llm"))?;
    let tau = tau::cases(&data.join("tau"))?;
    let results = tau.iter().flat_map(|case| &case.calls).map(|call| match &call.answer {
        Ok(Value::String(text)) | Err(text) => estimate(text),
        Ok(result) => estimate(&result.to_string()),
    });
    let results: Vec<u64> = results.collect();
    let mean = results.iter().sum::<u64>() as f64 / results.len().max(1) as f64;
    let offered = tau.iter().map(|case| case.tools.len()).min().unwrap_or(0);
    for (metric, found, chosen) in [
        ("tokens_said_for_a_call", said, SAID_TOKENS),
        ("tokens_of_an_answer", answer, ANSWER_TOKENS),
        ("tokens_of_a_result", mean, RESULT_TOKENS),
        ("tools_offered", offered as f64, OFFERED),
    ] {
        report.figure(SUITE, RECORDED, metric, (found, results.len()));
        report.figure(SUITE, RECORDED, &format!("{metric}.chosen"), (chosen as f64, 1));
    }
    Ok(())
}

/// Repeats the comparison with longer results, without a gate: the loop resends every result in each prompt, the
/// judge of the plan reads the start of each result once.
fn longer(set: &str, cases: &[Arc<GoalCase>], tokens: usize, report: &mut SuiteReport) {
    let runs = each(cases, |case| both_sides(&Arc::new(with_results_of(case, tokens))));
    let runs = kept(set, cases, runs, report);
    let sum = |value: fn(&Compared) -> u64| runs.iter().map(value).sum::<u64>() as f64;
    let times = sum(|run| run.loops.tokens) / sum(|run| run.plan.tokens).max(1.0);
    report.figure(
        SUITE,
        set,
        &format!("times_fewer_tokens.results_of_{tokens}"),
        (times, runs.len()),
    );
    let times = sum(|run| run.loops.ms) / sum(|run| run.plan.ms).max(1.0);
    report.figure(SUITE, set, &format!("times_faster.results_of_{tokens}"), (times, runs.len()));
}

/// Returns the successful runs and reports the others as failures.
fn kept(
    set: &str,
    cases: &[Arc<GoalCase>],
    runs: Vec<anyhow::Result<Compared>>,
    report: &mut SuiteReport,
) -> Vec<Compared> {
    let mut good = Vec::new();
    for (case, run) in cases.iter().zip(runs) {
        match run {
            Ok(run) => good.push(run),
            Err(error) => report.failures.push(FailedCase {
                suite: SUITE,
                set: set.to_owned(),
                case: case.id.clone(),
                metric: "completed".to_owned(),
                detail: error.to_string(),
            }),
        }
    }
    good
}

/// The results of both sides for one case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// The number of expected calls.
    pub calls: f64,
    /// The cost of the loop.
    pub loops: react::RunCost,
    /// The cost of the loop if its prompts had the same prefix as those of the plan.
    pub loops_alike: react::RunCost,
    /// The cost of a plan with a promise, which rules can check.
    pub plan: react::RunCost,
    /// The cost of a plan without a promise: a model judges the outcome and writes the answer.
    pub judged: react::RunCost,
    /// Numbers of tool calls after an error: with a replan that keeps finished steps, and with a full restart.
    pub kept_and_anew: (f64, f64),
}

/// Runs both sides of a case, and measures replanning.
pub fn compare(case: &Arc<GoalCase>) -> anyhow::Result<Compared> {
    Ok(Compared { kept_and_anew: replanned(case)?, ..both_sides(case)? })
}

/// Runs both sides of a case. Tool selection is off, so that both sides see the same tools.
fn both_sides(case: &Arc<GoalCase>) -> anyhow::Result<Compared> {
    let delays = delays(&case.id, case.calls.len());
    let (plan, _) = planned(case, promising(case), &delays)?;
    let (judged, prefix) = planned(case, PursuitMode::right(case).answers, &delays)?;
    Ok(Compared {
        calls: case.calls.len() as f64,
        loops: react::run(case, &react::opening(case), &delays),
        loops_alike: react::run(case, &prefix, &delays),
        plan,
        judged,
        kept_and_anew: (0.0, 0.0),
    })
}

/// Answers like the oracle, with a promise in every plan.
pub(crate) fn promising(case: &Arc<GoalCase>) -> ScriptedAnswers {
    let (case, right) = (Arc::clone(case), PursuitMode::right(case).answers);
    Arc::new(move |asked: &ScriptedRequest| {
        let told = told::read(&asked.request);
        if told.stage == "planning" {
            return ScriptedSays::Words(oracle::promising(&case, &told).to_string());
        }
        right(asked)
    })
}

/// Returns the cost of the plan, and the first message of its prompts.
fn planned(
    case: &Arc<GoalCase>,
    answers: ScriptedAnswers,
    delays: &[u64],
) -> anyhow::Result<(react::RunCost, String)> {
    let manner = GoalOptions { two_stage: TwoStage::Never, ..manner() };
    let delays = delays.to_vec();
    let way = PursuitMode { manner, answers: paced(answers), piece_ms: PIECE_MS, delays };
    let run = in_virtual_time(pursue(case, &way))?;
    let faults =
        || run.state.steps.iter().filter_map(|step| step.fault.as_ref()).collect::<Vec<_>>();
    ensure!(run.ending() == "completed", "{}: {:?}", run.ending(), faults());
    ensure!(run.made.iter().all(|made| made.right.is_some() && !made.extra), "a wrong call");
    ensure!(run.made.len() == case.calls.len(), "{} calls", run.made.len());
    let prefix = run.asked.first().and_then(|asked| asked.request.messages.first());
    let prefix = prefix.map(|said| said.content.clone()).unwrap_or_default();
    let (model_calls, tokens) = run.spent();
    Ok((react::RunCost { ms: run.took_ms, tokens, model_calls }, prefix))
}

/// Delays the answers by the model's time to first token.
pub(crate) fn paced(answers: ScriptedAnswers) -> ScriptedAnswers {
    Arc::new(move |asked: &ScriptedRequest| match answers(asked) {
        ScriptedSays::Words(words) => {
            ScriptedSays::Late(timing(estimate_request(&asked.request), 0).first_ms, words)
        }
        other => other,
    })
}

/// Makes each call of the plan wrong in turn. Returns the tool calls with a replan that keeps finished steps, and
/// with a restart of the task.
fn replanned(case: &Arc<GoalCase>) -> anyhow::Result<(f64, f64)> {
    let (mut kept, mut anew) = (0.0, 0.0);
    for wrong in 0..case.calls.len() {
        let with = |recovery| PursuitMode {
            manner: GoalOptions { two_stage: TwoStage::Never, recovery, ..manner() },
            answers: paced(one_wrong(case, wrong)),
            piece_ms: PIECE_MS,
            delays: delays(&case.id, case.calls.len()),
        };
        let full = in_virtual_time(pursue(case, &with(RecoveryMode::Full)))?;
        ensure!(full.ending() == "completed", "replan after {wrong}: {}", full.ending());
        let off = in_virtual_time(pursue(case, &with(RecoveryMode::Off)))?;
        kept += full.made.len() as f64;
        anew += (off.made.len() + case.calls.len()) as f64;
    }
    Ok((kept, anew))
}

fn tell(set: &str, runs: &[Compared], (faster, cheaper): (f64, f64), report: &mut SuiteReport) {
    let sum = |value: fn(&Compared) -> f64| runs.iter().map(value).sum::<f64>();
    let count = runs.len().max(1) as f64;
    let (loop_ms, plan_ms) = (sum(|r| r.loops.ms as f64), sum(|r| r.plan.ms as f64));
    let (loop_tokens, plan_tokens) =
        (sum(|r| r.loops.tokens as f64), sum(|r| r.plan.tokens as f64));
    let (kept, anew) = (sum(|r| r.kept_and_anew.0), sum(|r| r.kept_and_anew.1));
    let figures = [
        ("calls", sum(|r| r.calls) / count, None),
        ("loop_seconds", loop_ms / count / 1000.0, None),
        ("plan_seconds", plan_ms / count / 1000.0, None),
        ("times_faster", loop_ms / plan_ms.max(1.0), Some(faster)),
        ("loop_tokens", loop_tokens / count, None),
        ("plan_tokens", plan_tokens / count, None),
        ("times_fewer_tokens", loop_tokens / plan_tokens.max(1.0), Some(cheaper)),
        (
            "times_fewer_tokens.same_opening",
            sum(|r| r.loops_alike.tokens as f64) / plan_tokens.max(1.0),
            None,
        ),
        ("times_faster.judged_by_model", loop_ms / sum(|r| r.judged.ms as f64).max(1.0), None),
        (
            "times_fewer_tokens.judged_by_model",
            loop_tokens / sum(|r| r.judged.tokens as f64).max(1.0),
            None,
        ),
        ("judged_by_plan", sum(|r| f64::from(r.plan.model_calls == 1)) / count, None),
        ("loop_model_calls", sum(|r| r.loops.model_calls as f64) / count, None),
        ("plan_model_calls", sum(|r| r.plan.model_calls as f64) / count, None),
        ("calls_spared_by_keeping", 1.0 - kept / anew.max(1.0), Some(SPARED)),
    ];
    for (metric, value, gate) in figures {
        report.figure(SUITE, set, metric, (value, runs.len()));
        if let Some(bound) = gate {
            report.gate_last(SuiteGate::AtLeast(bound));
        }
    }
}
