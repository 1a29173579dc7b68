//! The cost of a request: in a loop, with a plan of a model, and with a plan cache hit.

use super::SUITE;
use crate::goals::case::GoalCase;
use crate::goals::pace::{PIECE_MS, delays};
use crate::goals::pursue::{Pursued, PursuitMode, in_virtual_time, manner, pursue_knowing};
use crate::goals::react::{self, RunCost};
use crate::goals::recording::Recording;
use crate::goals::speed::{paced, promising};
use crate::report::{SuiteGate, SuiteReport};
use anyhow::{Context, ensure};
use praxis_core::goal::spec::{GoalOptions, TwoStage};
use praxis_core::ids::Tenant;
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::journal::selection::SelectionMethod;
use praxis_core::lang::Lang;
use praxis_core::library::{Library, Lookup};
use praxis_core::prompt::Pack;
use praxis_core::route::scene;
use praxis_engine::seams::{Experiences, TaughtExperience};
use praxis_testkit::experiences::MemoryExperiences;
use praxis_testkit::model::ScriptedAnswers;
use praxis_testkit::world::BEGINNING;
use std::sync::Arc;

/// The least gains of a cache hit: speed against the loop, speed against a new plan, and tokens against a new plan.
const FASTER_THAN_LOOP: f64 = 1.6;
const FASTER_THAN_PLAN: f64 = 1.1;
const FEWER_TOKENS: f64 = 1.5;

/// The costs of one request whose plan is cacheable.
pub(super) struct CacheTimings {
    loops: RunCost,
    judged: TimedPair,
    promised: TimedPair,
}

/// The cost of a new plan, and of a cache hit of the same plan.
struct TimedPair {
    plan: RunCost,
    hit: RunCost,
}

/// Measures a case; returns `None` if its plan is not cacheable.
pub(super) fn measured(case: &Arc<GoalCase>) -> anyhow::Result<Option<CacheTimings>> {
    let delays = delays(&case.id, case.calls.len());
    let judged = pair(case, PursuitMode::right(case).answers, &delays)?;
    let promised = pair(case, promising(case), &delays)?;
    let (Some(judged), Some(promised)) = (judged, promised) else { return Ok(None) };
    let loops = react::run(case, &react::opening(case), &delays);
    Ok(Some(CacheTimings { loops, judged, promised }))
}

fn pair(
    case: &Arc<GoalCase>,
    answers: ScriptedAnswers,
    delays: &[u64],
) -> anyhow::Result<Option<TimedPair>> {
    let manner = GoalOptions { two_stage: TwoStage::Never, ..manner() };
    let (answers, delays) = (paced(answers), delays.to_vec());
    let way = PursuitMode { manner, answers, piece_ms: PIECE_MS, delays };
    let store = MemoryExperiences::default();
    let first = in_virtual_time(pursue_knowing(case, &way, store.clone()))?;
    let plan = cost(case, &first)?;
    if !teach(case, &first, &store)? {
        return Ok(None);
    }
    let second = in_virtual_time(pursue_knowing(case, &way, store))?;
    let chosen = second.state.goal.as_deref().and_then(|course| course.planning.selection.as_ref());
    ensure!(chosen.is_some_and(|chosen| chosen.by == SelectionMethod::Case), "{}: no hit", case.id);
    Ok(Some(TimedPair { plan, hit: cost(case, &second)? }))
}

fn cost(case: &GoalCase, run: &Pursued) -> anyhow::Result<RunCost> {
    ensure!(run.ending() == "completed", "{}: {}", case.id, run.ending());
    let right = run.made.iter().all(|made| made.right.is_some() && !made.extra);
    ensure!(
        right && run.made.len() == case.calls.len(),
        "{}: wrong calls: {:?}",
        case.id,
        run.made
    );
    let (model_calls, tokens) = run.spent();
    Ok(RunCost { ms: run.took_ms, tokens, model_calls })
}

/// Stores the experience of a run. Returns true if it contains a reusable plan.
fn teach(case: &Arc<GoalCase>, run: &Pursued, store: &MemoryExperiences) -> anyhow::Result<bool> {
    let library = Library {
        pack: Pack::embedded(Lang::En),
        scene: scene::embedded().into_iter().next().context("no scene")?,
        workflows: vec![],
        catalog: Recording::of(case, vec![], vec![]).tools(&case.tools).toolbox(),
        synonyms: String::new(),
        lookup: Lookup::default(),
    };
    let did = praxis_core::journal::case::Case::of(
        &run.state,
        Some(&library),
        &praxis_planner::LexicalPlanner,
    );
    let kept = did.plan.is_some();
    let experience = &Experience {
        task_completion: 100,
        execution_efficiency: 100,
        tool_usage: 100,
        category: ExperienceCategory::SolvingIdeas,
        intention: String::new(),
        task: String::new(),
        experience: String::new(),
        quick_summary: String::new(),
        defaulted: false,
        case: Some(did),
    };
    let (tenant, task) = (&Tenant::default(), &"task_earlier".into());
    let taught = TaughtExperience { tenant, task, seq: 1, at: BEGINNING, experience };
    store.keep(&taught).map_err(|why| anyhow::anyhow!(why))?;
    Ok(kept)
}

/// Adds the metrics of a set to the report.
pub(super) fn tell(
    set: &str,
    runs: Vec<anyhow::Result<Option<CacheTimings>>>,
    report: &mut SuiteReport,
) -> anyhow::Result<()> {
    let all = runs.len();
    let runs: Vec<Option<CacheTimings>> = runs.into_iter().collect::<anyhow::Result<_>>()?;
    let kept: Vec<CacheTimings> = runs.into_iter().flatten().collect();
    let n = kept.len();
    report.figure(SUITE, set, "plans_kept", (n as f64 / all.max(1) as f64, all));
    if kept.is_empty() {
        return Ok(());
    }
    let sum = |of: fn(&CacheTimings) -> u64| kept.iter().map(of).sum::<u64>() as f64;
    let times = |one: f64, other: f64| one / other.max(1.0);
    let (loop_ms, plan_ms, hit_ms) =
        (sum(|r| r.loops.ms), sum(|r| r.judged.plan.ms), sum(|r| r.judged.hit.ms));
    let (plan_tokens, hit_tokens) = (sum(|r| r.judged.plan.tokens), sum(|r| r.judged.hit.tokens));
    let count = n as f64;
    for (metric, value, gate) in [
        ("loop_seconds", loop_ms / count / 1000.0, None),
        ("plan_seconds", plan_ms / count / 1000.0, None),
        ("hit_seconds", hit_ms / count / 1000.0, None),
        ("times_faster_than_loop", times(loop_ms, hit_ms), Some(FASTER_THAN_LOOP)),
        ("times_faster_than_plan", times(plan_ms, hit_ms), Some(FASTER_THAN_PLAN)),
        ("loop_tokens", sum(|r| r.loops.tokens) / count, None),
        ("plan_tokens", plan_tokens / count, None),
        ("hit_tokens", hit_tokens / count, None),
        ("times_fewer_tokens_than_plan", times(plan_tokens, hit_tokens), Some(FEWER_TOKENS)),
        ("hit_seconds.says_its_outcome", sum(|r| r.promised.hit.ms) / count / 1000.0, None),
        (
            "times_faster_than_plan.says_its_outcome",
            times(sum(|r| r.promised.plan.ms), sum(|r| r.promised.hit.ms)),
            None,
        ),
        ("hit_tokens.says_its_outcome", sum(|r| r.promised.hit.tokens) / count, None),
        ("hit_model_calls.says_its_outcome", sum(|r| r.promised.hit.model_calls) / count, None),
    ] {
        report.figure(SUITE, set, metric, (value, n));
        if let Some(least) = gate {
            report.gate_last(SuiteGate::AtLeast(least));
        }
    }
    Ok(())
}
