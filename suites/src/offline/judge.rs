//! Whether a goal went as a person would call right: what was said before, the plan, and the end.

use super::case::{ExpectedOutcome, OfflineCase};
use super::laid::{Laid, LaidStep};
use super::matching::{PlanPair, StepMatching, equal};
use super::ran::Ran;
use praxis_core::call::tool::Toolbox;
use praxis_core::state::TaskStatus;
use serde_json::Value;
use std::collections::BTreeSet;

/// What is right of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfflineVerdict {
    /// What was said before anything ran.
    pub(crate) outcome: bool,
    /// The calls and their arguments, and what is left open.
    pub(crate) plan: bool,
    /// Status, error, what was asked and what steps gave.
    pub(crate) end: bool,
}

impl OfflineVerdict {
    /// Whether all of it is right.
    pub(crate) fn all(self) -> bool {
        self.outcome && self.plan && self.end
    }
}

/// Judges a goal.
pub(crate) fn judge(case: &OfflineCase, ran: &Ran, tools: &Toolbox) -> OfflineVerdict {
    if case.expect.outcome == ExpectedOutcome::NoPlan {
        // To ask what is meant is as right; to do something is always wrong.
        let right = ran.said.outcome != ExpectedOutcome::Ready;
        let end = match ran.end.status {
            None => true,
            Some(status) => status == TaskStatus::Waiting && ran.end.calls == 0,
        };
        return OfflineVerdict { outcome: right, plan: right, end };
    }
    Bench { case, ran, tools }.verdict()
}

struct Bench<'a> {
    case: &'a OfflineCase,
    ran: &'a Ran,
    tools: &'a Toolbox,
}

/// A made plan beside a right one, with the steps told apart.
struct PlanComparison<'a> {
    /// The place among the right plans; the first is that of `steps`.
    rank: usize,
    made: &'a Laid,
    taken: StepMatching,
}

impl Bench<'_> {
    fn verdict(&self) -> OfflineVerdict {
        let (expect, said) = (&self.case.expect, &self.ran.said);
        let wanted: BTreeSet<String> = expect.asks.iter().cloned().collect();
        // In the class `wrong` it is as right to ask for one of these before.
        let asks_before = expect.outcome == ExpectedOutcome::Ready
            && said.outcome == ExpectedOutcome::NeedParams
            && said.asks.is_subset(&wanted);
        let outcome = said.outcome == expect.outcome || asks_before;
        let asks = asks_before || said.outcome == ExpectedOutcome::Ready || said.asks == wanted;
        let nothing = BTreeSet::new();
        let open = if asks_before { &said.asks } else { &nothing };
        let unsaid = if expect.outcome == ExpectedOutcome::NeedParams { &wanted } else { &nothing };
        let (alike, fitting) = self.told((open, unsaid));
        // Where no plan is right, what it gave is still looked at if it calls the right tools.
        let looked_at = if fitting.is_empty() { &alike } else { &fitting };
        let gives = expect.gives.is_empty() || looked_at.iter().any(|told| self.gives(told));
        let plan = asks && !fitting.is_empty() && self.ends_as_counted();
        OfflineVerdict { outcome, plan, end: self.ends(&wanted, gives) }
    }

    /// The plans that call the tools of a right one, and those of them that are right.
    fn told<'a>(
        &'a self,
        (open, unsaid): (&'a BTreeSet<String>, &'a BTreeSet<String>),
    ) -> (Vec<PlanComparison<'a>>, Vec<PlanComparison<'a>>) {
        let right = || self.case.expect.plans().enumerate();
        let pairs = self.made().into_iter().flat_map(|made| {
            right().map(move |(rank, right)| {
                (rank, PlanPair { right, made, tools: self.tools, open, unsaid })
            })
        });
        let told = pairs.flat_map(|(rank, pair)| {
            let one =
                move |taken| (pair.fits(&taken), PlanComparison { rank, made: pair.made, taken });
            pair.ways().into_iter().map(one)
        });
        let (fitting, alike): (Vec<_>, Vec<_>) = told.partition(|(fits, _)| *fits);
        let plain =
            |all: Vec<(bool, PlanComparison<'a>)>| all.into_iter().map(|(_, told)| told).collect();
        (plain(alike), plain(fitting))
    }

    /// The plans that are looked at: as it entered, and with what was put right; beside it, where a tool was broken
    /// and the goal can be reached all the same, the steps that reached it.
    fn made(&self) -> Vec<&Laid> {
        let Ran { entered, put_right, reached, .. } = self.ran;
        let reached = Some(reached).filter(|_| self.takes_another_way());
        reached.into_iter().chain([entered, put_right]).collect()
    }

    fn takes_another_way(&self) -> bool {
        let completes = self.case.expect.status == Some(TaskStatus::Completed);
        !self.case.down.is_empty() && completes
    }

    /// A plan that runs into a broken tool counts only if the task ends as it should.
    fn ends_as_counted(&self) -> bool {
        !self.takes_another_way() || self.ran.end.status == self.case.expect.status
    }

    fn ends(&self, wanted: &BTreeSet<String>, gives: bool) -> bool {
        let (expect, end) = (&self.case.expect, &self.ran.end);
        let asked: BTreeSet<String> = end.asked.iter().cloned().collect();
        let error = expect.error.as_ref().is_none_or(|code| end.errors.contains(code));
        let status = end.status == expect.status;
        let as_said = match expect.outcome {
            ExpectedOutcome::NeedParams => asked == *wanted,
            ExpectedOutcome::Ready | ExpectedOutcome::NoPlan => true,
        };
        // In the class `wrong` it is as right to ask instead.
        let asks_instead = end.status == Some(TaskStatus::Waiting)
            && expect.outcome == ExpectedOutcome::Ready
            && !asked.is_empty()
            && asked.is_subset(wanted);
        asks_instead || (status && error && as_said && gives)
    }

    fn gives(&self, told: &PlanComparison<'_>) -> bool {
        let (expect, end) = (&self.case.expect, &self.ran.end);
        let output = |at: usize| {
            let step = told.made.steps.get(*told.taken.get(at)?)?;
            end.outputs.get(&step.id)
        };
        if told.rank == 0 {
            return expect.gives.iter().all(|(number, fields)| {
                let output = number.checked_sub(1).and_then(output);
                fields.iter().all(|(name, right)| has(output, name, right))
            });
        }
        // Another plan is held to the last entry only, at its own last step, in the fields which that tool has.
        let Some(fields) = expect.gives.values().next_back() else { return true };
        let Some(last) = self.last(told) else { return false };
        let output = end.outputs.get(&last.id);
        let schema = self.tools.get(&last.tool).and_then(|tool| tool.output_schema.as_ref());
        let known = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        let known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        let mut judged = fields.iter().filter(|(name, _)| known(name));
        output.is_some() && judged.all(|(name, right)| has(output, name, right))
    }

    /// The last step of a plan; of one that ran into a broken tool, the last that was done.
    fn last<'a>(&'a self, told: &PlanComparison<'a>) -> Option<&'a LaidStep> {
        let own = told.made.steps.get(*told.taken.last()?)?;
        let gave = self.ran.end.outputs.contains_key(&own.id);
        if gave || !self.takes_another_way() { Some(own) } else { self.ran.reached.steps.last() }
    }
}

fn has(output: Option<&Value>, name: &str, right: &Value) -> bool {
    output.and_then(|output| output.get(name)).is_some_and(|made| equal(made, right))
}
