//! What earlier tasks taught, as a task recalls it: read once, recorded, and from then on part of its state.

use crate::ids::{TaskId, ToolId};
use crate::journal::memory::Barred;
use crate::journal::memory::Memory;
use crate::offline::template::filled;
use crate::time::At;
use std::collections::{BTreeMap, BTreeSet};

/// So many are recalled at most.
pub const MOST: usize = 20;
/// A goal that is less like it is not recalled, in thousandths.
const LEAST_LIKENESS: u32 = 250;
/// From this likeness on, what it taught is offered to whoever plans.
const OFFERED_FROM: u32 = 400;
/// From this likeness on, its plan comes with it.
const PLAN_FROM: u32 = 500;
/// A plan that is older is not used again.
const PLAN_LASTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// So many are offered at most.
const MOST_OFFERED: usize = 3;

/// Who recalls, and what for.
pub struct Recalling<'a> {
    /// What is wanted.
    pub goal: &'a str,
    /// Now.
    pub now: At,
    /// The task that the caller named: it comes, however little it is like.
    pub named: Option<&'a TaskId>,
}

/// What is kept of what was found: the state of a task stays small.
pub fn recalled(found: Vec<Memory>, who: &Recalling<'_>) -> Vec<Memory> {
    let is_named = |memory: &Memory| who.named == Some(&memory.task);
    let (named, others): (Vec<Memory>, Vec<Memory>) = found.into_iter().partition(is_named);
    let near = others.into_iter().filter(|memory| memory.likeness >= LEAST_LIKENESS).take(MOST);
    named.into_iter().chain(near).map(|memory| kept(memory, who)).collect()
}

fn kept(mut memory: Memory, who: &Recalling<'_>) -> Memory {
    let is_named = who.named == Some(&memory.task);
    let is_old = memory.at.is_some_and(|at| who.now.since(at) > PLAN_LASTS_MS);
    if memory.case.plan.is_none() {
        memory.barred = None;
    } else if is_old {
        memory.barred = Some(Barred::Old);
    }
    // A plan that did not lead to the end may still be named; one that is too old may not.
    let is_barred = memory.barred.is_some() && (is_old || !is_named);
    let fits = memory.likeness >= PLAN_FROM
        || memory.case.plan.as_ref().is_some_and(|plan| filled(plan, who.goal).is_some());
    if is_barred || !(fits || is_named) {
        memory.case.plan = None;
    }
    if memory.likeness < OFFERED_FROM {
        memory.summary.clear();
    }
    memory
}

/// Those that whoever plans is told of.
pub fn offered(memories: &[Memory]) -> impl Iterator<Item = &Memory> {
    memories.iter().filter(|memory| memory.likeness >= OFFERED_FROM).take(MOST_OFFERED)
}

/// The share of what is recalled that used each tool. What is hardly like the goal has hardly a voice, however much
/// it agrees.
#[expect(clippy::cast_precision_loss, reason = "thousandths")]
pub fn voices(memories: &[Memory]) -> BTreeMap<ToolId, f32> {
    let weight = |memory: &Memory| memory.likeness as f32 / 1000.0;
    let nearest = memories.iter().map(weight).fold(0.0, f32::max);
    let all: f32 = memories.iter().map(weight).sum();
    let mut voices: BTreeMap<ToolId, f32> = BTreeMap::new();
    for memory in memories {
        let tools: BTreeSet<&ToolId> = memory.case.tools.iter().collect();
        for tool in tools {
            *voices.entry(tool.clone()).or_default() += nearest * weight(memory) / all;
        }
    }
    voices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::case::{Case, Piece, Template};

    fn memory(likeness: u32) -> Memory {
        let plan = Some(Template::default());
        let tools = vec!["look".into()];
        let case = Case { goal: "g".to_owned(), tools, plan, misled_by: None };
        let (task, hash) = (format!("task_{likeness}").into(), case.hash());
        let (at, barred) = (None, None);
        Memory { task, likeness, hash, summary: "s".to_owned(), case, at, barred }
    }

    fn recalled(found: Vec<Memory>) -> Vec<Memory> {
        super::recalled(found, &Recalling { goal: "g", now: At(0), named: None })
    }

    //
    #[test]
    fn a_plan_comes_if_it_is_like_enough_or_fits_or_is_named_and_not_if_it_is_old_or_failed() {
        let now = At(100 * PLAN_LASTS_MS);
        let aged = |days: u64| Some(At(now.0 - days * 24 * 60 * 60 * 1000));
        let word = |word: &str| Piece::Word(word.to_owned());
        let fitting = Template { wording: vec![word("sum"), word("up")], ..Template::default() };
        let named = TaskId::from("task_400");
        let kept = |memory: Memory, named: Option<&TaskId>| {
            let who = Recalling { goal: "please sum up", now, named };
            let kept = super::recalled(vec![memory], &who).remove(0);
            (kept.case.plan.is_some(), kept.barred)
        };
        let with = |change: &dyn Fn(&mut Memory)| {
            let mut memory = memory(400);
            change(&mut memory);
            memory
        };
        assert_eq!(
            kept(memory(400), None),
            (false, None),
            "too little like it, and worded otherwise"
        );
        assert_eq!(kept(memory(400), Some(&named)), (true, None));
        let fits = with(&|memory| memory.case.plan = Some(fitting.clone()));
        assert_eq!(kept(fits.clone(), None), (true, None));
        let young = Memory { at: aged(29), ..fits.clone() };
        assert_eq!(kept(young, None), (true, None));
        let old = Memory { at: aged(31), ..fits.clone() };
        assert_eq!(kept(old.clone(), None), (false, Some(Barred::Old)));
        assert_eq!(kept(old, Some(&named)), (false, Some(Barred::Old)));
        let failed = Memory { barred: Some(Barred::Failed), ..fits };
        assert_eq!(kept(failed.clone(), None), (false, Some(Barred::Failed)));
        assert_eq!(kept(failed, Some(&named)), (true, Some(Barred::Failed)));
        let none = with(&|memory| (memory.case.plan, memory.barred) = (None, Some(Barred::Failed)));
        assert_eq!(kept(none, None), (false, None), "there is no plan to bar");
        let far = super::recalled(
            vec![memory(10)],
            &Recalling { goal: "g", now, named: Some(&"task_10".into()) },
        );
        assert_eq!(far.len(), 1, "what is named comes, however little it is like");
    }

    //
    #[test]
    fn what_is_hardly_like_a_goal_is_not_recalled_and_what_is_little_like_it_comes_without_a_plan()
    {
        let found = [1000, 500, 499, 400, 399, 250, 249].map(memory).to_vec();
        let kept = recalled(found);
        let told: Vec<(u32, bool, bool)> = kept
            .iter()
            .map(|it| (it.likeness, it.case.plan.is_some(), it.summary.is_empty()))
            .collect();
        assert_eq!(
            told,
            [
                (1000, true, false),
                (500, true, false),
                (499, false, false),
                (400, false, false),
                (399, false, true),
                (250, false, true)
            ]
        );
        let offered: Vec<u32> = offered(&kept).map(|memory| memory.likeness).collect();
        assert_eq!(offered, [1000, 500, 499], "no more than three");
        assert_eq!(recalled((0..30).map(|_| memory(900)).collect()).len(), MOST);
    }
}
