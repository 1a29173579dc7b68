//! What earlier tasks taught, as a later one recalls it.

use praxis_core::ids::TaskId;
use praxis_core::journal::case::{Case, PlanTemplate, WordingPiece};
use praxis_core::journal::memory::{PlanBarred, RecalledTask};
use praxis_core::learn::memory::{self, RecallQuery};
use praxis_core::time::Timestamp;
use praxis_planner::LexicalPlanner;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn taught(similarity: u32) -> RecalledTask {
    let plan = Some(PlanTemplate::default());
    let tools = vec!["look".into()];
    let case = Case { goal: "g".to_owned(), tools, plan, misled_by: None };
    let (task, hash) = (format!("task_{similarity}").into(), case.hash());
    let (at, barred) = (None, None);
    RecalledTask { task, similarity, hash, summary: "s".to_owned(), case, at, barred }
}

fn recalled(found: Vec<RecalledTask>) -> Vec<RecalledTask> {
    memory::recalled(
        found,
        &RecallQuery { goal: "g", now: Timestamp(0), named: None, planner: &LexicalPlanner },
    )
}

//
#[test]
fn a_plan_comes_if_it_is_like_enough_or_fits_or_is_named_and_not_if_it_is_old_or_failed() {
    let now = Timestamp(100 * 30 * DAY_MS);
    let aged = |days: u64| Some(Timestamp(now.0 - days * DAY_MS));
    let word = |word: &str| WordingPiece::Word(word.to_owned());
    let fitting =
        PlanTemplate { wording: vec![word("sum"), word("up")], ..PlanTemplate::default() };
    let named = TaskId::from("task_400");
    let kept = |memory: RecalledTask, named: Option<&TaskId>| {
        let who = RecallQuery { goal: "please sum up", now, named, planner: &LexicalPlanner };
        let kept = memory::recalled(vec![memory], &who).remove(0);
        (kept.case.plan.is_some(), kept.barred)
    };
    let with = |change: &dyn Fn(&mut RecalledTask)| {
        let mut memory = taught(400);
        change(&mut memory);
        memory
    };
    assert_eq!(kept(taught(400), None), (false, None), "too little like it, and worded otherwise");
    assert_eq!(kept(taught(400), Some(&named)), (true, None));
    let fits = with(&|memory| memory.case.plan = Some(fitting.clone()));
    assert_eq!(kept(fits.clone(), None), (true, None));
    let young = RecalledTask { at: aged(29), ..fits.clone() };
    assert_eq!(kept(young, None), (true, None));
    let old = RecalledTask { at: aged(31), ..fits.clone() };
    assert_eq!(kept(old.clone(), None), (false, Some(PlanBarred::Old)));
    assert_eq!(kept(old, Some(&named)), (false, Some(PlanBarred::Old)));
    let failed = RecalledTask { barred: Some(PlanBarred::Failed), ..fits };
    assert_eq!(kept(failed.clone(), None), (false, Some(PlanBarred::Failed)));
    assert_eq!(kept(failed, Some(&named)), (true, Some(PlanBarred::Failed)));
    let none = with(&|memory| (memory.case.plan, memory.barred) = (None, Some(PlanBarred::Failed)));
    assert_eq!(kept(none, None), (false, None), "there is no plan to bar");
    let far = memory::recalled(
        vec![taught(10)],
        &RecallQuery { goal: "g", now, named: Some(&"task_10".into()), planner: &LexicalPlanner },
    );
    assert_eq!(far.len(), 1, "what is named comes, however little it is like");
}

//
#[test]
fn what_is_hardly_like_a_goal_is_not_recalled_and_what_is_little_like_it_comes_without_a_plan() {
    let found = [1000, 500, 499, 400, 399, 250, 249].map(taught).to_vec();
    let kept = recalled(found);
    let told: Vec<(u32, bool, bool)> = kept
        .iter()
        .map(|it| (it.similarity, it.case.plan.is_some(), it.summary.is_empty()))
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
    let offered: Vec<u32> = memory::offered(&kept).map(|memory| memory.similarity).collect();
    assert_eq!(offered, [1000, 500, 499], "no more than three");
    assert_eq!(recalled((0..30).map(|_| taught(900)).collect()).len(), memory::MOST);
}
