//! When the plan of an earlier task is used again, what becomes of it, and why it is not.

use crate::goal::{brief, inputs, library, submitted, tell};
use praxis_core::ask::purpose::Purpose;
use praxis_core::decide::begin::begin;
use praxis_core::decide::decide;
use praxis_core::effect::{Effect, WorkKind};
use praxis_core::goal::plan_reuse::PlanReuse;
use praxis_core::goal::spec::{GoalContext, GoalSpec, TwoStage};
use praxis_core::journal::case::{Case, PlanTemplate};
use praxis_core::journal::event::Event;
use praxis_core::journal::memory::{PlanBarred, RecalledTask};
use praxis_core::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::planner::PlanSetting;
use praxis_core::state::State;
use praxis_planner::offline::template::template;
use serde_json::{Map, Value, json};

const EARLIER: &str = "count the rooms of Lisbon up to 7";
const NOW: &str = "please count the rooms of Porto up to 31";

fn steps() -> Vec<Value> {
    vec![
        json!({"step_id": "step_1", "step_name": "find", "tool": "tool_01",
            "parameters": {"city": "Lisbon", "most": 7}, "depends_on": []}),
        json!({"step_id": "step_2", "step_name": "count", "tool": "tool_02",
            "parameters": {"rows": "{{step_1.outputs.rows}}"}, "depends_on": ["step_1"]}),
    ]
}

fn plan(metadata: &Value) -> PlanTemplate {
    let promise = json!({"answer": "Lisbon has {{step_2.outputs.b}}", "checks": []});
    let metadata = metadata.as_object().unwrap();
    let tools = &library(12, Lang::En).catalog;
    let setting = PlanSetting { tools, metadata, promise: Some(promise) };
    template(EARLIER, &steps(), &setting).unwrap()
}

fn memory(task: &str, similarity: u32, plan: Option<PlanTemplate>) -> RecalledTask {
    let tools = vec!["tool_01".into(), "tool_02".into()];
    let case = Case { goal: EARLIER.to_owned(), tools, plan, misled_by: None };
    let (hash, summary) = (case.hash(), String::new());
    RecalledTask { task: task.into(), similarity, hash, summary, case, at: None, barred: None }
}

/// A goal that recalls these.
fn recalling(
    words: &str,
    pinned: GoalSpec,
    metadata: &Value,
    memories: Vec<RecalledTask>,
) -> State {
    let mut state = submitted(words, pinned, metadata.clone());
    tell(&mut state, Event::Recalled { memories });
    state
}

fn usual(words: &str) -> State {
    let memories = vec![memory("task_a", 700, Some(plan(&json!({}))))];
    recalling(words, brief(12), &json!({}), memories)
}

fn begun(state: &State, effect: &Effect, library: &Library) -> Vec<Event> {
    let inputs = inputs(library);
    begin(state, effect, &inputs)
}

fn next(state: &State, library: &Library) -> (Effect, Vec<Event>) {
    let effect = decide(state).remove(0);
    let events = begun(state, &effect, library);
    (effect, events)
}

fn choice(state: &State, library: &Library) -> Option<ToolSelection> {
    match next(state, library).1.remove(0) {
        Event::ToolsSelected { selection, .. } => Some(*selection),
        Event::AskStarted { purpose: Purpose::Select, .. } => None,
        other => panic!("{other:?}"),
    }
}

fn is_hit(state: &State, library: &Library) -> bool {
    choice(state, library).is_some_and(|chosen| chosen.by == SelectionMethod::Case)
}

//
#[test]
fn a_plan_is_used_again_with_the_values_of_the_goal_and_no_model_is_asked_for_it() {
    let library = library(12, Lang::En);
    let mut state = usual(NOW);
    let (_, mut chosen) = next(&state, &library);
    let Event::ToolsSelected { selection, .. } = &chosen[0] else { panic!("{chosen:?}") };
    let case = selection.case.as_ref().unwrap();
    assert_eq!((selection.by, selection.why), (SelectionMethod::Case, Some(SelectionReason::Case)));
    assert_eq!((case.task.as_str(), case.similarity), ("task_a", 700));
    assert_eq!(selection.tools.len(), 12, "whoever plans the rest anew has all there are");
    tell(&mut state, chosen.remove(0));
    let (effect, planned) = next(&state, &library);
    assert_eq!(effect, Effect::Work(WorkKind::Plan));
    let [Event::StepsPlanned { steps, .. }, Event::PlanClosed { promise, .. }] = &planned[..]
    else {
        panic!("{planned:?}")
    };
    assert_eq!(steps[0].parameters, json!({"city": "Porto", "most": 31}));
    assert_eq!(steps[1].parameters, json!({"rows": "{{step_1.outputs.rows}}"}));
    assert_eq!(promise.as_ref().unwrap().answer, "Porto has {{step_2.outputs.b}}");
    // Praxis stopped between the two: the rest is the same.
    tell(&mut state, planned[0].clone());
    assert!(decide(&state).contains(&Effect::Work(WorkKind::Plan)));
    assert_eq!(begun(&state, &Effect::Work(WorkKind::Plan), &library), planned[1..]);
    tell(&mut state, planned[1].clone());
    assert!(!decide(&state).contains(&Effect::Ask(Purpose::Plan)));
}

//
#[test]
fn a_plan_that_was_made_for_something_else_is_not_used() {
    let small = library(12, Lang::En);
    assert!(is_hit(&usual(NOW), &small));
    for words in [
        "count the rooms of Porto up to seven thousand and more",
        "count the beds of Porto up to 31",
        "count the rooms of Porto and Lisbon up to 31",
        "count the rooms of Porto up to 31 and delete them",
        "count the rooms of Porto up to 31%",
    ] {
        assert!(!is_hit(&usual(words), &small), "{words}");
    }
    let with = |change: &dyn Fn(&mut GoalSpec)| {
        let mut pinned = brief(12);
        change(&mut pinned);
        let memories = vec![memory("task_a", 700, Some(plan(&json!({}))))];
        is_hit(&recalling(NOW, pinned, &json!({}), memories), &small)
    };
    assert!(with(&|_| {}));
    assert!(with(&|pinned| pinned.manner.two_stage = TwoStage::Always));
    assert!(!with(&|pinned| pinned.manner.plan_cache = false));
    assert!(!with(&|pinned| pinned.workflow = Some("load_forecast".to_owned())));
    let preferences = vec!["in feet".to_owned()];
    let material = GoalContext { user_preferences: preferences, ..GoalContext::default() };
    assert!(!with(&|pinned| pinned.material = material.clone()));
    let without = memory("task_a", 700, None);
    let barred = RecalledTask { barred: Some(PlanBarred::Failed), ..without.clone() };
    for memory in [without, barred] {
        assert!(!is_hit(&recalling(NOW, brief(12), &json!({}), vec![memory]), &small));
    }
}

//
#[test]
fn a_plan_is_used_only_with_the_same_metadata_and_tools_and_if_it_passes_the_check() {
    let small = library(12, Lang::En);
    let hit = |then: Value, now: Value| {
        let memories = vec![memory("task_a", 700, Some(plan(&then)))];
        is_hit(&recalling(NOW, brief(12), &now, memories), &small)
    };
    assert!(hit(json!({"region": "north"}), json!({"region": "south"})));
    assert!(!hit(json!({"region": "north"}), json!({})));
    assert!(!hit(json!({}), json!({"region": "south"})));
    assert!(!is_hit(&usual(NOW), &library(2, Lang::En)), "`tool_02` is gone");
    let mut broken = plan(&json!({}));
    broken.steps[1]["parameters"]["rows"] = json!("{{step_9.outputs.rows}}");
    let memories = vec![memory("task_a", 700, Some(broken))];
    assert!(!is_hit(&recalling(NOW, brief(12), &json!({}), memories), &small));
}

//
#[test]
fn a_caller_may_forbid_it_name_the_task_or_ask_for_more_similarity() {
    let small = library(12, Lang::En);
    let near = memory("task_a", 700, Some(plan(&json!({}))));
    let far = memory("task_b", 500, Some(plan(&json!({}))));
    let chosen = |hit: PlanReuse, memories: Vec<RecalledTask>| {
        let pinned = GoalSpec { hit: Some(hit), ..brief(9) };
        choice(&recalling(NOW, pinned, &json!({}), memories), &small).unwrap()
    };
    let used = |hit: PlanReuse| {
        let chosen = chosen(hit, vec![near.clone(), far.clone()]);
        chosen.case.map(|case| case.task.to_string())
    };
    let plain = PlanReuse { enabled: true, task: None, threshold: None };
    assert_eq!(used(plain.clone()).as_deref(), Some("task_a"));
    assert_eq!(used(PlanReuse { enabled: false, ..plain.clone() }), None);
    let named = PlanReuse { task: Some("task_b".into()), ..plain.clone() };
    assert_eq!(used(named.clone()).as_deref(), Some("task_b"));
    assert_eq!(
        used(PlanReuse { threshold: Some(700), ..plain.clone() }).as_deref(),
        Some("task_a")
    );
    assert_eq!(used(PlanReuse { threshold: Some(701), ..plain.clone() }), None);
    let failed = RecalledTask { barred: Some(PlanBarred::Failed), ..far.clone() };
    assert!(chosen(named.clone(), vec![failed]).case.is_some(), "a person knows better");
    let old = RecalledTask { barred: Some(PlanBarred::Old), ..memory("task_b", 500, None) };
    let said = chosen(named.clone(), vec![old]);
    assert_eq!(said.by, SelectionMethod::All);
    assert_eq!(said.reasoning, "the plan of task_b was not reused: it is older than 30 days.");
    let said = chosen(named, vec![near]);
    assert_eq!(said.reasoning, "the plan of task_b was not reused: it has no stored plan.");
}

//
#[test]
fn a_goal_in_other_words_uses_a_plan_that_says_nothing_of_its_goal_if_the_caller_allows_it() {
    let small = library(12, Lang::En);
    let open = json!([{"step_id": "step_1", "step_name": "", "tool": "tool_01",
        "parameters": {"city": "{{city}}"}, "depends_on": []}]);
    let metadata = json!({"city": "Lisbon"});
    let setting = PlanSetting {
        tools: &small.catalog,
        metadata: metadata.as_object().unwrap(),
        promise: None,
    };
    let open = template("what is there", open.as_array().unwrap(), &setting).unwrap();
    let hit = |hit: Option<PlanReuse>, similarity: u32, plan: &PlanTemplate| {
        let memories = vec![memory("task_a", similarity, Some(plan.clone()))];
        let pinned = GoalSpec { hit, ..brief(12) };
        is_hit(&recalling("tell me all of it", pinned, &metadata, memories), &small)
    };
    let plain = PlanReuse { enabled: true, task: None, threshold: None };
    assert!(!hit(None, 900, &open));
    assert!(hit(Some(plain.clone()), 800, &open));
    assert!(!hit(Some(plain.clone()), 799, &open));
    assert!(hit(Some(PlanReuse { threshold: Some(300), ..plain.clone() }), 300, &open));
    assert!(hit(Some(PlanReuse { task: Some("task_a".into()), ..plain.clone() }), 10, &open));
    let of_its_goal = plan(&Map::from_iter([("city".to_owned(), json!("x"))]).into());
    assert!(!hit(Some(plain), 1000, &of_its_goal), "its values would be those of another goal");
}
