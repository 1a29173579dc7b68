//! How the tools of a goal with a model are chosen: all, by retrieval, or by the model.

use crate::goal::{answered, asked, brief, inputs, library, submitted, tell};
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::tokens::{Estimate, TokenCounter};
use praxis_core::call::manifest;
use praxis_core::decide::begin::begin;
use praxis_core::decide::decide;
use praxis_core::effect::Effect;
use praxis_core::goal::spec::{GoalSpec, TwoStage};
use praxis_core::ids::ToolId;
use praxis_core::journal::case::Case;
use praxis_core::journal::event::Event;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::plan::retrieved;
use praxis_core::stage::compose::prefix;
use praxis_core::state::State;
use praxis_planner::LexicalPlanner;
use serde_json::{Value, json};
use std::sync::Arc;

/// What the tools of a large catalog work on, each with what is done to it.
const THINGS: [(&str, &str); 12] = [
    ("invoice", "bills that customers have to pay"),
    ("ticket", "complaints of customers"),
    ("warehouse", "goods in stock"),
    ("meeting", "appointments in a calendar"),
    ("flight", "planes between cities"),
    ("hotel", "rooms for guests"),
    ("recipe", "dishes and what they are made of"),
    ("patient", "records of a clinic"),
    ("sensor", "readings of machines"),
    ("contract", "agreements with suppliers"),
    ("song", "music of artists"),
    ("parcel", "packages on their way"),
];
const DEEDS: [(&str, &str); 5] = [
    ("create", "Enters a new one"),
    ("delete", "Removes one for good"),
    ("list", "Shows all of them page by page"),
    ("export", "Writes them into a spreadsheet"),
    ("summarize", "Condenses them into a short text"),
];

/// Sixty tools whose signatures are too long to be sent for nothing.
fn many() -> Library {
    let one = |(thing, about): &(&str, &str), (deed, does): &(&str, &str)| {
        json!({"id": format!("{deed}_{thing}"), "builtin": "noop", "risk": "read", "tags": [thing],
            "description": format!("{does}: {thing}, that is {about}."),
            "input_schema": {"type": "object", "properties": {
                "account": {"type": "string", "description": "whose data it is, as the administration calls it"},
                "since": {"type": "string", "description": "only what happened on this day or later"}}}})
    };
    let manifests = THINGS.iter().flat_map(|thing| DEEDS.iter().map(move |deed| one(thing, deed)));
    let catalog = manifest::read(&manifests.collect()).unwrap();
    let catalog = catalog.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
    Library { catalog: Arc::new(catalog), ..library(0, Lang::En) }
}

/// A brief without what earlier goals did: that comes before the choice and is tested where it is recalled.
fn pinned(tools: usize) -> GoalSpec {
    let mut pinned = brief(tools);
    pinned.manner.experience = false;
    pinned
}

fn goal(words: &str, tools: usize, two_stage: TwoStage) -> State {
    let mut pinned = pinned(tools);
    pinned.manner.two_stage = two_stage;
    submitted(words, pinned, json!({}))
}

/// The first thing that happens to a goal.
fn first(state: &State, library: &Library) -> Event {
    let inputs = inputs(library);
    let effects = decide(state);
    begin(state, &effects[0], &inputs).remove(0)
}

fn chosen(event: &Event) -> &ToolSelection {
    let Event::ToolsSelected { selection, .. } = event else { panic!("{event:?}") };
    selection
}

fn ids(selection: &ToolSelection) -> Vec<&str> {
    selection.tools.iter().map(ToolId::as_str).collect()
}

// A-033, decision 14
#[test]
fn few_or_short_tools_are_all_sent_and_of_many_a_model_is_asked_only_where_words_do_not_tell() {
    let clear = "export the invoices and summarize the tickets";
    for (words, library, two_stage, expected) in [
        (clear, library(9, Lang::En), TwoStage::Auto, "All 9 BelowThreshold"),
        (clear, library(15, Lang::En), TwoStage::Auto, "All 15 Small"),
        (clear, library(20, Lang::En), TwoStage::Auto, "All 20 Small"),
        (clear, many(), TwoStage::Never, "All 60 Never"),
        ("do what we spoke of yesterday", many(), TwoStage::Auto, "asks a model"),
        ("做一下", many(), TwoStage::Auto, "asks a model"),
        (clear, many(), TwoStage::Always, "asks a model"),
        (clear, library(12, Lang::En), TwoStage::Always, "asks a model"),
    ] {
        let tools = library.catalog.len();
        let told = match first(&goal(words, tools, two_stage), &library) {
            Event::ToolsSelected { selection, .. } => {
                format!("{:?} {} {:?}", selection.by, selection.tools.len(), selection.why.unwrap())
            }
            Event::AskStarted { purpose: Purpose::Select, .. } => "asks a model".to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(told, expected, "{words}, {tools} tools, {two_stage:?}");
    }
    let mut pinned = pinned(60);
    pinned.manner.two_stage_tool_threshold = 61;
    let event = first(&submitted(clear, pinned, json!({})), &many());
    assert_eq!(
        (chosen(&event).by, chosen(&event).why),
        (SelectionMethod::All, Some(SelectionReason::BelowThreshold))
    );
}

//
#[test]
fn what_retrieval_chose_is_recorded_with_scores_words_and_the_tokens_of_both_ways() {
    let (library, words) = (many(), "export the invoices and summarize the tickets");
    let event = first(&goal(words, 60, TwoStage::Auto), &library);
    let selection = chosen(&event);
    assert_eq!(
        (selection.by, selection.why),
        (SelectionMethod::Retrieval, Some(SelectionReason::Sure))
    );
    for needed in ["export_invoice", "summarize_ticket"] {
        assert!(ids(selection).contains(&needed), "{:?}", ids(selection));
    }
    assert!(selection.tools.is_sorted() && selection.tools.len() <= 20);
    let best = &selection.found[0];
    assert_eq!(best.score, 1000);
    assert!(best.words.len() >= 2 && selection.found.len() <= 20, "{best:?}");
    let (all, sent) = selection.tokens;
    let tokens = Estimate::default();
    let signatures = library.chosen(&selection.tools).map(|tool| library.signature(tool));
    assert_eq!(sent, signatures.map(|it| tokens.count(&it)).sum::<u64>());
    assert!(sent * 2 < all && selection.of == Some(60), "{sent} of {all}");
    assert_eq!(selection.asked_tokens, None, "nobody was asked");
    let again = first(&goal(words, 60, TwoStage::Auto), &many());
    assert_eq!(event, again, "the same goal and the same catalog are the same choice");
}

//
#[test]
fn a_stated_intent_is_the_kind_of_work_where_retrieval_chooses_too() {
    let mut pinned = pinned(60);
    pinned.intent = Some("Song".to_owned());
    let state = submitted("summarize the tickets", pinned, json!({}));
    let event = first(&state, &many());
    let selection = chosen(&event);
    assert_eq!((selection.by, selection.task_type.as_str()), (SelectionMethod::Retrieval, "Song"));
    for needed in ["summarize_ticket", "create_song", "delete_song", "export_song", "list_song"] {
        assert!(ids(selection).contains(&needed), "{needed}: {:?}", ids(selection));
    }
}

// Decision 14: each line of the rule alone.
#[test]
fn words_are_sure_where_tools_know_enough_of_them_and_no_crowd_fits_alike() {
    let library = many();
    let is_sure = |words: &str| {
        retrieved::is_sure(words, &library.search(&LexicalPlanner).find(words, 30), &LexicalPlanner)
    };
    for (words, expected) in [
        ("summarize the tickets", true),
        ("list the flights since Monday", true),
        ("export everything", false),
        ("song", false),
        ("list", false),
        ("delete the yellow submarine with seven masts and green sails", false),
        ("帮我订机票", false),
        ("", false),
    ] {
        assert_eq!(is_sure(words), expected, "{words}");
    }
    let words = "what the boss wants each month";
    let tools = library.catalog.values().map(|tool| &**tool);
    let mut search =
        praxis_planner::retrieve::search::LexicalSearch::over(tools, &library.synonyms);
    let tools = vec![ToolId::from("export_invoice")];
    search.cases_mut().put("task_1", words, tools);
    assert!(
        !is_sure(words) && retrieved::is_sure(words, &search.find(words, 30), &LexicalPlanner),
        "a near case"
    );
}

//
#[test]
fn a_model_that_chooses_among_many_is_shown_the_thirty_that_fit_best_sorted_by_name() {
    let library = many();
    let mut state = goal("summarize the tickets", 60, TwoStage::Always);
    let request = asked(&mut state, &Purpose::Select, &library);
    let last = &request.messages.last().unwrap().content;
    let shown: Vec<&str> = library
        .catalog
        .keys()
        .map(ToolId::as_str)
        .filter(|id| last.contains(&format!("{id} [")))
        .collect();
    assert_eq!(shown.len(), 30, "{last}");
    for needed in ["summarize_ticket", "list_ticket", "summarize_song"] {
        assert!(shown.contains(&needed), "{needed}: {shown:?}");
    }
    let places: Vec<usize> = shown.iter().map(|id| last.find(id).unwrap()).collect();
    assert!(places.is_sorted(), "{shown:?}");
    let mut vague = goal("做一下", 60, TwoStage::Always);
    let request = asked(&mut vague, &Purpose::Select, &library);
    let last = &request.messages.last().unwrap().content;
    let all = library.catalog.keys().filter(|id| last.contains(id.as_str())).count();
    assert_eq!(all, 60, "where no word is shared, all are looked at");
}

//
#[test]
fn an_empty_choice_is_replaced_by_what_fits_best_and_what_was_missed_is_looked_for() {
    let library = many();
    let choice = |words: &str, tools: Value, needs: Value| {
        let mut state = goal(words, 60, TwoStage::Always);
        asked(&mut state, &Purpose::Select, &library);
        let said = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
            "selected_tool_ids": tools, "need_tools": needs});
        let events = answered(&state, &library, 1, &said);
        chosen(&events[0]).clone()
    };
    let clear = "summarize the tickets";
    let fallen = choice(clear, json!(["made_up"]), json!([]));
    assert_eq!(
        (fallen.by, fallen.why),
        (SelectionMethod::Fallback, Some(SelectionReason::FallbackEmpty))
    );
    assert!(ids(&fallen).contains(&"summarize_ticket"), "{:?}", ids(&fallen));
    assert!(fallen.tools.len() < 60 && !fallen.found.is_empty(), "{}", fallen.tools.len());
    let vague = choice("parcels, as my boss told Lin when he came", json!(["made_up"]), json!([]));
    assert_eq!(vague.tools.len(), 60, "one word that a few tools have is no choice");
    let needs = json!(["export parcels to a spreadsheet"]);
    let added = choice(clear, json!(["summarize_ticket"]), needs);
    assert_eq!(added.by, SelectionMethod::Model);
    let added = ids(&added);
    assert!(added.contains(&"export_parcel") && added.len() <= 4, "{added:?}");
}

//
#[test]
fn a_plan_that_misses_an_ability_gets_more_tools_behind_those_that_are_frozen() {
    let library = many();
    let mut state = goal("summarize the tickets", 60, TwoStage::Auto);
    let event = first(&state, &library);
    tell(&mut state, event);
    let before = prefix(&state, &library, &Estimate::default(), true);
    asked(&mut state, &Purpose::Plan, &library);
    let said = json!({"steps": [], "need_tools": ["delete parcels"]});
    let events = answered(&state, &library, 1, &said);
    let selection = chosen(&events[0]).clone();
    assert_eq!(
        (selection.by, selection.why),
        (SelectionMethod::Retrieval, Some(SelectionReason::Needed))
    );
    assert!(ids(&selection).contains(&"delete_parcel"), "{:?}", ids(&selection));
    tell(&mut state, events.into_iter().next().unwrap());
    assert_eq!(prefix(&state, &library, &Estimate::default(), true), before, "frozen");
    assert!(state.goal.as_deref().unwrap().has_tool(&"delete_parcel".into()));
    let again = answered(&state, &library, 1, &said);
    let is_refused = matches!(again.first(), Some(Event::AnswerRefused { .. }));
    assert!(is_refused, "what is there already is no news: {again:?}");
    let with_steps = json!({"need_tools": ["delete songs"], "steps": [
        {"step_id": "a", "tool": "summarize_ticket", "parameters": {}}]});
    let planned = answered(&state, &library, 1, &with_steps);
    assert!(matches!(planned.first(), Some(Event::StepsPlanned { .. })), "{planned:?}");
    assert!(matches!(decide(&state).first(), None | Some(Effect::Ask(Purpose::Plan))));
}

//
#[test]
fn what_like_goals_used_is_chosen_where_the_words_tell_nothing_and_the_goals_are_near_enough() {
    let library = many();
    let words = "what the boss wants each month";
    let memory = |similarity: u32, tools: &[&str]| RecalledTask {
        task: format!("task_{similarity}").into(),
        similarity,
        hash: String::new(),
        summary: String::new(),
        case: Case {
            goal: words.to_owned(),
            tools: tools.iter().copied().map(ToolId::from).collect(),
            ..Case::default()
        },
        at: None,
        barred: None,
    };
    let first_with = |memories: Vec<RecalledTask>| {
        let mut state = goal(words, 60, TwoStage::Auto);
        state.goal.as_deref_mut().unwrap().planning.memories = Some(memories);
        first(&state, &library)
    };
    let near = first_with(vec![memory(900, &["export_invoice", "a_tool_that_is_gone"])]);
    assert_eq!(
        (chosen(&near).by, chosen(&near).why),
        (SelectionMethod::Retrieval, Some(SelectionReason::Sure))
    );
    assert!(ids(chosen(&near)).contains(&"export_invoice"), "{:?}", ids(chosen(&near)));
    assert!(!ids(chosen(&near)).contains(&"a_tool_that_is_gone"));
    for unsure in [
        vec![],
        vec![memory(300, &["export_invoice"])],
        vec![memory(900, &["export_invoice"]), memory(899, &["list_song"])],
        vec![memory(900, &["a_tool_that_is_gone"])],
    ] {
        let event = first_with(unsure);
        let asks = matches!(event, Event::AskStarted { purpose: Purpose::Select, .. });
        assert!(asks, "{event:?}");
    }
}
