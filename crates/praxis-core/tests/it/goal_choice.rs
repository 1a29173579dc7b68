//! What words tell where a model chooses, and what a caller hands in as earlier work.

use crate::goal::{answered, asked, brief, library, submitted};
use praxis_core::ask::purpose::Purpose;
use praxis_core::call::manifest;
use praxis_core::goal::history::handed;
use praxis_core::goal::spec::{EarlierWork, GoalContext, GoalDocument};
use praxis_core::goal::strategy::StrategyDecision;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::journal::event::Event;
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::plan::retrieved;
use praxis_planner::LexicalPlanner;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn with(tools: &[(&str, &str)], lang: Lang) -> Library {
    let manifests = tools.iter().map(
        |(id, words)| json!({"id": id, "builtin": "noop", "risk": "read", "description": words}),
    );
    let catalog = manifest::read(&manifests.collect()).unwrap();
    let catalog = catalog.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
    Library { catalog: Arc::new(catalog), ..library(0, lang) }
}

// A-034
#[test]
fn a_chinese_need_is_compared_by_pairs_of_characters_and_the_nearest_tool_is_taken() {
    let library = with(
        &[
            ("mail", "发送电子邮件给指定的人"),
            ("chart", "根据数据绘制折线图"),
            ("store", "保存数据到数据库"),
            ("translate", "把文本翻译成英文"),
        ],
        Lang::Zh,
    );
    let found = |need: &str| -> Vec<String> {
        retrieved::for_need(library.search(&LexicalPlanner), need)
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(found("发送邮件通知"), ["mail"]);
    assert_eq!(found("画一张折线图"), ["chart"]);
    assert_eq!(found("文本处理"), ["translate"], "one pair that only one tool has is near enough");
    assert!(
        found("数据").len() <= 3 && found("数据清洗").is_empty(),
        "what many share says nothing"
    );
    assert!(found("预订机票").is_empty() && found("").is_empty());
}

// A-034
#[test]
fn a_single_word_of_a_need_counts_only_if_one_tool_alone_has_it() {
    let library = with(
        &[("mail", "delivers an email"), ("chart", "draws rows"), ("sort", "sorts rows")],
        Lang::En,
    );
    assert_eq!(
        retrieved::for_need(library.search(&LexicalPlanner), "send email"),
        [ToolId::from("mail")]
    );
    assert!(retrieved::for_need(library.search(&LexicalPlanner), "filter rows quickly").is_empty());
}

fn strategy(confidence: u32, request: &str) -> (StrategyDecision, String) {
    let library = library(3, Lang::Zh);
    let mut pinned = brief(3);
    let (task, goal) = (TaskId::from("task_0"), "before".to_owned());
    pinned.past =
        Some(Box::new(EarlierWork { task, goal, done: vec![], undone: vec![], strategy: None }));
    let mut state = submitted(request, pinned, json!({}));
    asked(&mut state, &Purpose::Strategy, &library);
    let said = json!({"strategy": "replanning", "confidence": confidence, "reasoning": "r"});
    let events = answered(&state, &library, 1, &said);
    let [Event::StrategyChosen { strategy, by, .. }] = events.as_slice() else {
        panic!("{events:?}")
    };
    (*strategy, by.clone())
}

// A-078
#[test]
fn a_strategy_of_which_the_model_is_not_sure_is_left_to_the_words() {
    assert_eq!(strategy(70, "继续执行"), (StrategyDecision::Replanning, "model".to_owned()));
    assert_eq!(
        strategy(69, "继续执行"),
        (StrategyDecision::ContinuePlanning, "keywords".to_owned())
    );
    let own = strategy(69, "创建一个继续教育培训的项目");
    assert_eq!(own, (StrategyDecision::NormalPlanning, "keywords".to_owned()));
}

fn document(name: &str, doc_type: &str, content: Value) -> GoalContext {
    let (name, doc_type, description) = (name.to_owned(), doc_type.to_owned(), String::new());
    let content = Payload::json(content);
    GoalContext {
        documents: vec![GoalDocument { name, content, doc_type, description }],
        ..GoalContext::default()
    }
}

// A-077
#[test]
fn a_history_is_read_from_the_additional_information_or_a_document_of_that_name_or_kind() {
    let steps = json!([
        {"step_id": "step_1", "step_name": "look", "tool_id": "look", "status": "SUCCESS",
         "parameters": "{\"x\": 1}", "output": "{\"n\": 7}"},
        {"step_id": "step_2", "tool": "put", "status": "failed", "error": "no space"},
    ]);
    let text = json!(steps.to_string());
    let info = BTreeMap::from([("execution_history".to_owned(), steps.clone())]);
    let materials = [
        GoalContext { additional_info: info, ..GoalContext::default() },
        document("in/execution_history.json", "json", text.clone()),
        document("mine.txt", "execution_history", text),
    ];
    for material in materials {
        let past = handed(&material).unwrap().unwrap();
        let [done] = past.done.as_slice() else { panic!("{past:?}") };
        assert_eq!((done.id().as_str(), done.step.tool.as_str()), ("step_1", "look"));
        assert_eq!(done.output, Payload::json(json!({"n": 7})), "what the tool gave, not its text");
        assert_eq!(past.undone, ["step_2  (put) no space"]);
    }
    assert!(handed(&document("notes.md", "md", json!("[]"))).is_none());
}

// A-077
#[test]
fn a_history_of_another_form_is_refused_with_every_reason() {
    let codes = |value: Value| -> Vec<(String, String)> {
        let problems = handed(&document("execution_history", "", value)).unwrap().unwrap_err();
        problems.into_iter().map(|problem| (problem.code, problem.at)).collect()
    };
    let one = |code: &str, at: &str| vec![(code.to_owned(), at.to_owned())];
    assert_eq!(codes(json!("we did it all")), one("bad_history", "execution_history"));
    assert_eq!(codes(json!({"steps": []})), one("bad_history", "execution_history"));
    assert_eq!(codes(json!([])), one("no_history", "execution_history"));
    let many = codes(json!([
        {"tool_id": "look", "output": 1}, {"step_id": "a", "tool": "look", "status": "success"}, 3,
        {"step_id": "b", "tool": "look", "output": 1}, {"step_id": "b", "tool": "look", "output": 1},
    ]));
    let places: Vec<&str> = many.iter().map(|(_, at)| at.as_str()).collect();
    assert_eq!(
        places,
        [
            "execution_history[0], step_id",
            "execution_history[1], output",
            "execution_history[2]",
            "execution_history[4], step_id"
        ]
    );
}
