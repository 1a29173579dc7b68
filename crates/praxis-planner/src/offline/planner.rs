//! From a goal in words to a plan, without a model.
//!
//! - in: a goal, what the caller gave beside it, and the tools that there are
//! - out: a plan and how sure it is; with it what nobody said; or why there is no plan, and what comes near
//! - never: plans for a goal of which it understands too little, or gives a step a value that nobody said

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

/// A plan that explains less of its goal than this is a guess, of 100.
pub const LEAST_SURE: u32 = 50;
/// A catalog of no more tools is looked at as a whole.
const SMALL: usize = 200;
/// Of a larger one, so many that fit the whole goal.
const MOST_FOUND: usize = 100;
/// And so many that fit a piece of it.
const MOST_OF_PIECE: usize = 20;
/// So many tools are named that come near.
const NEAREST: usize = 5;

/// What is planned for.
#[derive(Clone, Copy)]
pub struct LexicalQuery<'a> {
    /// In words.
    pub goal: &'a str,
    /// What the caller gave beside the words.
    pub given: &'a Map<String, Value>,
    /// The tools that there are.
    pub catalog: &'a Toolbox,
    /// How these are found.
    pub search: &'a LexicalSearch,
    /// Earlier tasks whose goals are like it.
    pub memories: &'a [RecalledTask],
    /// The wish to stop.
    pub cancelled: &'a Cancelled,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum LexicalOutcome {
    /// A plan with all that it needs.
    Ready(MadePlan),
    /// A plan for which something must be asked.
    NeedParams(MadePlan),
    /// None.
    NoPlan(NoPlanReason),
}

/// A plan that was made.
#[derive(Clone, Debug)]
pub struct MadePlan {
    /// Its steps in the order in which they are asked for.
    pub steps: Vec<MadeStep>,
    /// How sure it is.
    pub sureness: Sureness,
    /// Whether a value that is one for sure is not used.
    pub leaves_out: bool,
    /// The earlier tasks that it follows, if it follows any.
    pub like: Vec<TaskId>,
}

/// One of its steps.
#[derive(Clone, Debug)]
pub struct MadeStep {
    /// Its id.
    pub id: StepId,
    /// What people call what it does.
    pub name: String,
    /// What it calls.
    pub tool: ToolId,
    /// Where its parameters come from.
    pub bound: Vec<BoundParameter>,
    /// The steps that come before it, by their numbers.
    pub after: BTreeSet<usize>,
    /// The words of the goal that ask for it.
    pub words: String,
}

/// Why there is no plan.
#[derive(Clone, Debug)]
pub struct NoPlanReason {
    /// How much would have been understood.
    pub sureness: Sureness,
    /// The tools that come near, the nearest first.
    pub nearest: Vec<FoundTool>,
}

/// Plans for a goal: as like goals were served, if that explains it at least as well as what its words alone tell.
pub fn plan(wanted: &LexicalQuery<'_>) -> LexicalOutcome {
    let given_up = || NoPlanReason { sureness: Sureness::default(), nearest: vec![] };
    unless_cancelled(wanted).unwrap_or_else(|| LexicalOutcome::NoPlan(given_up()))
}

/// The same; none if it was cancelled meanwhile.
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
    // What is left out may be what is missing, and wrong: then it is asked for.
    if best.steps.is_empty() || best.sureness.percent < LEAST_SURE || (is_whole && best.leaves_out)
    {
        let nearest = wanted.search.find(wanted.goal, NEAREST);
        return Some(LexicalOutcome::NoPlan(NoPlanReason { sureness: best.sureness, nearest }));
    }
    Some(if is_whole { LexicalOutcome::Ready(best) } else { LexicalOutcome::NeedParams(best) })
}

/// The plan with the tools that like goals were served by.
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

/// A plan of steps whose parameters are filled, and how sure it is. Some words are explained by something else.
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

/// The tools that may have a part in it: all of a few, else those that are found.
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

/// Whether a parameter got a word because it was free: then it is asked for.
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
        // What changes something keeps its place: it comes behind all that stands before it, and before all behind it.
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

/// What a tool is called in a language: a name in another one says less than its id.
fn name(tool: &Tool, lang: Lang) -> String {
    let told = tool.told(lang).0;
    let foreign = lang == Lang::En && told.chars().any(is_chinese);
    if foreign { tool.id.as_str().replace('_', " ") } else { told.to_owned() }
}

fn step_id(at: usize) -> StepId {
    StepId::from(format!("step_{}", at + 1))
}

/// The step that gives what a parameter takes.
fn needed(bound: &BoundParameter) -> Option<usize> {
    match bound.source.as_ref()? {
        BindingSource::Output { step, .. } => Some(*step),
        BindingSource::Said { .. } | BindingSource::Given { .. } => None,
    }
}

impl NoPlanReason {
    /// Why, in words.
    pub fn words(&self) -> Bilingual {
        let Sureness { percent, unexplained } = &self.sureness;
        if unexplained.is_empty() {
            return ("without a model nothing of it can be planned", "没有模型时无法规划此目标")
                .into();
        }
        let en = format!(
            "without a model only {percent} % of it is understood, not: {}",
            unexplained.join(", ")
        );
        let zh =
            format!("没有模型时只能理解其中的 {percent} %，未理解：{}", unexplained.join("、"));
        (en, zh).into()
    }
}

impl MadePlan {
    /// The tools that it calls.
    pub fn tools(&self) -> BTreeSet<ToolId> {
        self.steps.iter().map(|step| step.tool.clone()).collect()
    }

    /// What has to be asked for: the number of the step and the parameter.
    pub fn open(&self) -> impl Iterator<Item = (usize, &ToolField)> {
        let of_step = |(at, step)| MadeStep::open(step).map(move |slot| (at, slot));
        self.steps.iter().enumerate().flat_map(of_step)
    }

    /// The steps as a plan file writes them.
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

    /// What it is given, with placeholders for what other steps and the caller give.
    pub fn parameters(&self) -> Map<String, Value> {
        assembled(self.bound.iter().filter_map(|one| Some((one.slot.path.as_slice(), given(one)?))))
    }
}

/// What a parameter is given as a plan file writes it.
fn given(bound: &BoundParameter) -> Option<Value> {
    Some(match bound.source.as_ref()? {
        BindingSource::Said { value, .. } => literal(value),
        BindingSource::Output { step, path } => {
            Value::String(format!("{{{{{}.outputs.{}}}}}", step_id(*step), path.join(".")))
        }
        BindingSource::Given { key } => Value::String(format!("{{{{{key}}}}}")),
    })
}

/// A value as it stands, whatever braces are in it.
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
