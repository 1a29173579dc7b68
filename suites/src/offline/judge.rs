//! Compares the run of a goal with its expectation: the prediction, the plan, and the end.

use super::case::{ExpectedOutcome, OfflineCase};
use super::laid::{Laid, LaidStep};
use super::matching::{PlanPair, StepMatching, equal};
use super::ran::OfflineRun;
use praxis_core::call::tool::Toolbox;
use praxis_core::state::TaskStatus;
use serde_json::Value;
use std::collections::BTreeSet;

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfflineVerdict {
    /// True if the prediction before anything ran is right.
    pub(crate) outcome: bool,
    /// True if the calls, their arguments, and the parameters left open are right.
    pub(crate) plan: bool,
    /// True if the status, the error, the questions to the user, and the outputs of steps are right.
    pub(crate) end: bool,
}

impl OfflineVerdict {
    /// Returns true if all three parts are right.
    pub(crate) fn all(self) -> bool {
        self.outcome && self.plan && self.end
    }
}

/// Judges the run of a goal.
pub(crate) fn judge(case: &OfflineCase, ran: &OfflineRun, tools: &Toolbox) -> OfflineVerdict {
    if case.expect.outcome == ExpectedOutcome::NoPlan {
        // To ask back is right too; to run anything is always wrong.
        let right = ran.said.outcome != ExpectedOutcome::Ready;
        let end = match ran.end.status {
            None => true,
            Some(status) => status == TaskStatus::Waiting && ran.end.calls == 0,
        };
        return OfflineVerdict { outcome: right, plan: right, end };
    }
    CaseJudge { case, ran, tools }.verdict()
}

struct CaseJudge<'a> {
    case: &'a OfflineCase,
    ran: &'a OfflineRun,
    tools: &'a Toolbox,
}

/// A made plan compared with a right one, under one assignment of steps.
struct PlanComparison<'a> {
    /// The index among the right plans; zero is `steps`.
    rank: usize,
    made: &'a Laid,
    taken: StepMatching,
}

impl CaseJudge<'_> {
    fn verdict(&self) -> OfflineVerdict {
        let (expect, said) = (&self.case.expect, &self.ran.said);
        let wanted: BTreeSet<String> = expect.asks.iter().cloned().collect();
        // In the class `wrong` it is also right to ask for one of these parameters first.
        let asks_before = expect.outcome == ExpectedOutcome::Ready
            && said.outcome == ExpectedOutcome::NeedParams
            && said.asks.is_subset(&wanted);
        let outcome = said.outcome == expect.outcome || asks_before;
        let asks = asks_before || said.outcome == ExpectedOutcome::Ready || said.asks == wanted;
        let nothing = BTreeSet::new();
        let open = if asks_before { &said.asks } else { &nothing };
        let unsaid = if expect.outcome == ExpectedOutcome::NeedParams { &wanted } else { &nothing };
        let (alike, fitting) = self.told((open, unsaid));
        // If no plan is right, the outputs are still checked for plans that call the right tools.
        let looked_at = if fitting.is_empty() { &alike } else { &fitting };
        let gives = expect.gives.is_empty() || looked_at.iter().any(|told| self.gives(told));
        let plan = asks && !fitting.is_empty() && self.ends_as_counted();
        OfflineVerdict { outcome, plan, end: self.ends(&wanted, gives) }
    }

    /// Returns the comparisons in which only the tools match, and those in which the whole plan is right.
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

    /// Returns the plans to compare: as entered, and with repaired arguments. If a tool is down and the goal can
    /// still be reached, also the steps that reached it.
    fn made(&self) -> Vec<&Laid> {
        let OfflineRun { entered, put_right, reached, .. } = self.ran;
        let reached = Some(reached).filter(|_| self.takes_another_way());
        reached.into_iter().chain([entered, put_right]).collect()
    }

    fn takes_another_way(&self) -> bool {
        let completes = self.case.expect.status == Some(TaskStatus::Completed);
        !self.case.down.is_empty() && completes
    }

    /// Returns false if a goal that must work around a broken tool ended with another status than expected.
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
        // In the class `wrong` it is also right to ask instead of failing.
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
        // A plan of `also` is only checked against the last entry, at its own last step, in the fields that its tool
        // declares.
        let Some(fields) = expect.gives.values().next_back() else { return true };
        let Some(last) = self.last(told) else { return false };
        let output = end.outputs.get(&last.id);
        let schema = self.tools.get(&last.tool).and_then(|tool| tool.output_schema.as_ref());
        let known = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        let known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        let mut judged = fields.iter().filter(|(name, _)| known(name));
        output.is_some() && judged.all(|(name, right)| has(output, name, right))
    }

    /// Returns the last step of a plan; if the plan failed at a broken tool, the last step that succeeded.
    fn last<'a>(&'a self, told: &PlanComparison<'a>) -> Option<&'a LaidStep> {
        let own = told.made.steps.get(*told.taken.last()?)?;
        let gave = self.ran.end.outputs.contains_key(&own.id);
        if gave || !self.takes_another_way() { Some(own) } else { self.ran.reached.steps.last() }
    }
}

fn has(output: Option<&Value>, name: &str, right: &Value) -> bool {
    output.and_then(|output| output.get(name)).is_some_and(|made| equal(made, right))
}
