//! Makes a plan for a goal without a model.
//!
//! - in: a goal, the metadata that the caller gave, and the available tools
//! - out: a plan with its confidence and open parameters; or the reason why there is none, with the nearest tools
//! - never: plans for a goal of which it understands too little, or gives a step a value that nobody stated

use super::assemble::assembled;
use super::bind::{BindingSource, BoundParameter, StepToBind, bind};
use super::by_cases::{Precedent, precedent};
use super::chain;
use super::coverage::{self, UsedParts, sureness};
use super::goals::align;
use super::needs::ToolsById;
use super::needs::{PlannerTool, ToolField};
use super::reading::RequestReading;
use super::values::ValueKind;
use crate::retrieve::search::LexicalSearch;
use crate::weights::WEIGHTS;
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::lex::{LexedPiece, print};
use praxis_core::ids::{StepId, TaskId, ToolId};
use praxis_core::journal::memory::RecalledTask;
use praxis_core::journal::selection::Sureness;
use praxis_core::lang::Lang;
use praxis_core::planner::{Cancelled, FoundTool};
use praxis_core::problem::Bilingual;
use praxis_core::text::phrase::is_chinese;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The minimum share of the goal that a plan must explain, in percent.
pub const LEAST_SURE: u32 = 50;
/// The size up to which all tools of a catalog become candidates.
const SMALL: usize = 200;
/// The number of candidates for the whole goal from a larger catalog.
const MOST_FOUND: usize = 100;
/// The number of candidates for each piece of the goal from a larger catalog.
const MOST_OF_PIECE: usize = 20;
/// The number of best matching tools that a refusal names.
const NEAREST: usize = 5;

/// The goal and the context of a lexical plan.
#[derive(Clone, Copy)]
pub struct LexicalQuery<'a> {
    /// The goal in words.
    pub goal: &'a str,
    /// The metadata that the caller gave.
    pub given: &'a Map<String, Value>,
    /// The available tools.
    pub catalog: &'a Toolbox,
    /// The search index of the tools.
    pub search: &'a LexicalSearch,
    /// Earlier tasks with similar goals.
    pub memories: &'a [RecalledTask],
    /// The cancellation flag.
    pub cancelled: &'a Cancelled,
}

/// The result of planning.
#[derive(Clone, Debug)]
pub enum LexicalOutcome {
    /// A complete plan.
    Ready(MadePlan),
    /// A plan with open parameters that must be asked for.
    NeedParams(MadePlan),
    /// No plan, with the reason.
    NoPlan(NoPlanReason),
}

/// A plan made without a model.
#[derive(Clone, Debug)]
pub struct MadePlan {
    /// The steps, each after the steps that supply its inputs.
    pub steps: Vec<MadeStep>,
    /// The share of the goal that the plan explains.
    pub sureness: Sureness,
    /// True if a value that must not be ignored, such as a path or a date, is unused.
    pub leaves_out: bool,
    /// The earlier tasks whose tools it reuses.
    pub like: Vec<TaskId>,
}

/// A step of a `MadePlan`.
#[derive(Clone, Debug)]
pub struct MadeStep {
    /// Its id.
    pub id: StepId,
    /// Its name for people.
    pub name: String,
    /// The tool that it calls.
    pub tool: ToolId,
    /// Its parameters with their sources.
    pub bound: Vec<BoundParameter>,
    /// The indices of the steps that must finish before it.
    pub after: BTreeSet<usize>,
    /// The words of the goal that ask for it.
    pub words: String,
}

/// The reason why there is no plan.
#[derive(Clone, Debug)]
pub struct NoPlanReason {
    /// The share of the goal that the best attempt explains.
    pub sureness: Sureness,
    /// The best matching tools, best first.
    pub nearest: Vec<FoundTool>,
}

/// Plans for a goal. Reuses the tools of similar past goals if that explains at least as much of the goal.
pub fn plan(wanted: &LexicalQuery<'_>) -> LexicalOutcome {
    let given_up = || NoPlanReason { sureness: Sureness::default(), nearest: vec![] };
    unless_cancelled(wanted).unwrap_or_else(|| LexicalOutcome::NoPlan(given_up()))
}

/// Like `plan`; `None` if the work was cancelled.
fn unless_cancelled(wanted: &LexicalQuery<'_>) -> Option<LexicalOutcome> {
    let goes_on = || (!wanted.cancelled.is_cancelled()).then_some(());
    let reading = RequestReading::of(wanted.goal).beside(wanted.given);
    goes_on()?;
    let tools = candidates(wanted, &reading);
    goes_on()?;
    let parts = chain::plan(&reading, wanted.search, &tools);
    goes_on()?;
    let composed = made(wanted, &reading, &parts, &BTreeSet::new());
    goes_on()?;
    let followed = as_before(wanted, &reading);
    let best = match followed {
        Some(followed) if followed.sureness.percent >= composed.sureness.percent => followed,
        Some(_) | None => composed,
    };
    let is_whole = best.open().next().is_none();
    // An unused value is tolerated only if a parameter is open: the value may be meant for it but have a wrong form,
    // and the parameter is asked for anyway.
    if best.steps.is_empty() || best.sureness.percent < LEAST_SURE || (is_whole && best.leaves_out)
    {
        let nearest = wanted.search.find(wanted.goal, NEAREST);
        return Some(LexicalOutcome::NoPlan(NoPlanReason { sureness: best.sureness, nearest }));
    }
    Some(if is_whole { LexicalOutcome::Ready(best) } else { LexicalOutcome::NeedParams(best) })
}

/// Returns the plan with the tools of similar past goals.
fn as_before(wanted: &LexicalQuery<'_>, reading: &RequestReading) -> Option<MadePlan> {
    let Precedent { tools, tasks, words } = precedent(reading, wanted.memories, wanted.catalog)?;
    let tools: Vec<&Tool> =
        tools.iter().filter_map(|id| Some(&**wanted.catalog.get(id)?)).collect();
    let known: Vec<PlannerTool<'_>> = tools.iter().map(|tool| PlannerTool::of(tool)).collect();
    let pieces = align(reading, &tools);
    let parts = known.iter().zip(pieces).map(|(known, pieces)| StepToBind::of(known, pieces));
    let made = made(wanted, reading, &parts.collect::<Vec<_>>(), &words);
    Some(MadePlan { like: tasks, ..made })
}

/// Binds the parameters of the steps and computes the confidence. Words in `explained` count as explained.
fn made(
    wanted: &LexicalQuery<'_>,
    reading: &RequestReading,
    parts: &[StepToBind<'_>],
    explained: &BTreeSet<String>,
) -> MadePlan {
    let mut bound = bind(reading, parts);
    for one in bound.iter_mut().flatten().filter(|one| is_guess(reading, one)) {
        one.source = None;
    }
    let tools = parts.iter().map(|part| &part.known.tool.id);
    let mut known = coverage::known(reading, wanted.search, tools);
    known.extend(explained.iter().cloned());
    let used = UsedParts::of(reading, bound.iter().flatten());
    let sureness = sureness(reading, &known, &used);
    let leaves_out = used.leaves_out(reading);
    MadePlan { steps: steps(reading, parts, bound), sureness, leaves_out, like: vec![] }
}

/// Returns the candidate tools: all of a small catalog, else those that the search finds.
fn candidates<'a>(wanted: &LexicalQuery<'a>, reading: &RequestReading) -> ToolsById<'a> {
    let known = |tool: &'a Tool| (tool.id.clone(), PlannerTool::of(tool));
    if wanted.catalog.len() <= SMALL {
        return wanted.catalog.values().map(|tool| known(tool)).collect();
    }
    let mut ids: BTreeSet<ToolId> =
        wanted.search.find(wanted.goal, MOST_FOUND).into_iter().map(|found| found.tool).collect();
    for piece in &reading.pieces {
        let hits = wanted.search.of_part(&reading.words_of(piece), MOST_OF_PIECE);
        ids.extend(hits.into_iter().map(|hit| hit.key));
    }
    ids.iter().filter_map(|id| wanted.catalog.get(id)).map(|tool| known(tool)).collect()
}

/// Returns true if a parameter got a bare word that nothing ties to it: then it is asked for instead.
fn is_guess(reading: &RequestReading, bound: &BoundParameter) -> bool {
    let Some(BindingSource::Said { said, told: false, .. }) = &bound.source else { return false };
    let kind = reading.said.get(*said).map(|one| one.kind);
    matches!(kind, Some(ValueKind::Word | ValueKind::Name))
        && bound.score < WEIGHTS.plans.least_word
}

fn steps(
    reading: &RequestReading,
    parts: &[StepToBind<'_>],
    bound: Vec<Vec<BoundParameter>>,
) -> Vec<MadeStep> {
    let changes = |part: &StepToBind<'_>| part.known.tool.risk() > Risk::Read;
    let lang = if reading.text.chars().any(is_chinese) { Lang::Zh } else { Lang::En };
    let step = |(at, (part, bound)): (usize, (&StepToBind<'_>, Vec<BoundParameter>))| {
        let mut after: BTreeSet<usize> = bound.iter().filter_map(needed).collect();
        // A step with side effects keeps its position: after all steps before it, before all steps after it.
        let before = parts.iter().enumerate().take(at);
        after.extend(before.filter(|(_, it)| changes(it) || changes(part)).map(|(at, _)| at));
        let words = part.pieces.clone().filter_map(|piece| reading.pieces.get(piece));
        let words: String = words.filter_map(|place| reading.text.get(place.clone())).collect();
        MadeStep {
            id: step_id(at),
            name: name(part.known.tool, lang),
            tool: part.known.tool.id.clone(),
            bound,
            after,
            words: words.trim().to_owned(),
        }
    };
    parts.iter().zip(bound).enumerate().map(step).collect()
}

/// Returns the name of a tool in a language. For English, the id is clearer than a Chinese name.
fn name(tool: &Tool, lang: Lang) -> String {
    let told = tool.told(lang).0;
    let foreign = lang == Lang::En && told.chars().any(is_chinese);
    if foreign { tool.id.as_str().replace('_', " ") } else { told.to_owned() }
}

fn step_id(at: usize) -> StepId {
    StepId::from(format!("step_{}", at + 1))
}

/// Returns the step whose output a parameter takes.
fn needed(bound: &BoundParameter) -> Option<usize> {
    match bound.source.as_ref()? {
        BindingSource::Output { step, .. } => Some(*step),
        BindingSource::Said { .. } | BindingSource::Given { .. } => None,
    }
}

impl NoPlanReason {
    /// Returns the reason for people.
    pub fn words(&self) -> Bilingual {
        let Sureness { percent, unexplained } = &self.sureness;
        if unexplained.is_empty() {
            return ("the goal cannot be planned without a model", "没有模型，无法规划此目标")
                .into();
        }
        let en = format!(
            "without a model, only {percent} % of the goal is understood; not understood: {}",
            unexplained.join(", ")
        );
        let zh = format!("没有模型时只能理解目标的 {percent}%；未理解：{}", unexplained.join("、"));
        (en, zh).into()
    }
}

impl MadePlan {
    /// Returns the tools that it calls.
    pub fn tools(&self) -> BTreeSet<ToolId> {
        self.steps.iter().map(|step| step.tool.clone()).collect()
    }

    /// Returns the open parameters, each with the index of its step.
    pub fn open(&self) -> impl Iterator<Item = (usize, &ToolField)> {
        let of_step = |(at, step)| MadeStep::open(step).map(move |slot| (at, slot));
        self.steps.iter().enumerate().flat_map(of_step)
    }

    /// Returns the steps in the form of a plan file.
    pub fn written(&self) -> Vec<Value> {
        self.steps.iter().map(MadeStep::written).collect()
    }
}

impl MadeStep {
    fn open(&self) -> impl Iterator<Item = &ToolField> {
        let open = self.bound.iter().filter(|one| one.source.is_none()).map(|one| &one.slot);
        open.filter(|slot| slot.required && slot.default.is_none())
    }

    fn written(&self) -> Value {
        let depends_on: Vec<StepId> = self.after.iter().map(|at| step_id(*at)).collect();
        json!({
            "step_id": self.id, "step_name": self.name, "tool": self.tool,
            "parameters": self.parameters(), "depends_on": depends_on,
        })
    }

    /// Returns the parameters, with placeholders for outputs of other steps and for metadata.
    pub fn parameters(&self) -> Map<String, Value> {
        assembled(self.bound.iter().filter_map(|one| Some((one.slot.path.as_slice(), given(one)?))))
    }
}

/// Returns the value of a parameter in the form of a plan file.
fn given(bound: &BoundParameter) -> Option<Value> {
    Some(match bound.source.as_ref()? {
        BindingSource::Said { value, .. } => literal(value),
        BindingSource::Output { step, path } => {
            Value::String(format!("{{{{{}.outputs.{}}}}}", step_id(*step), path.join(".")))
        }
        BindingSource::Given { key } => Value::String(format!("{{{{{key}}}}}")),
    })
}

/// Escapes a value so that braces in it are not read as placeholders.
fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(print(&[LexedPiece::Literal(text.clone())])),
        Value::Array(all) => Value::Array(all.iter().map(literal).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), literal(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
