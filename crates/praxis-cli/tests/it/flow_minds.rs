//! Flows that ask a model over HTTP: agents, questions at a database, values that nobody wrote.

use crate::goal_rig::{Rehearsal, script};
use crate::rig::json_lines;
use serde_json::{Value, json};

/// A rule: what is answered when all of these words stand in the request.
fn rule(stage: &str, words: &[&str], answer: Value) -> Value {
    json!({"when": {"stage": stage, "contains": words}, "reply": {"json": answer}})
}

fn once(mut rule: Value) -> Value {
    rule["times"] = json!(1);
    rule
}

fn write(model: &Rehearsal, name: &str, text: &str) {
    std::fs::write(model.rig.path(name), text).unwrap();
}

/// The output of the flow in this file.
fn result(model: &Rehearsal, words: &[&str]) -> Value {
    let output = model.does(&[&["flow", "run", "flow.yaml"], words].concat());
    let lines = json_lines(&output.stdout);
    let last = lines.last().unwrap_or_else(|| panic!("{output:?}"));
    let shown = || model.says(&["show", "--last", "--step", "q"]).1;
    assert_eq!(last["type"], "dev.praxis.task.succeeded.v1", "{}", shown());
    last["data"]["result"]["outputs"].clone()
}

const SHOP: &str = "tools:
  - id: shop
    description: Runs one SQL query at the shop.
    input_schema: {type: object, required: [sql], properties: {sql: {type: string}, parameters: {type: object}}}
    sql: {url: 'sqlite:shop.db'}
";

// B-034
#[test]
fn a_model_that_is_shown_the_tables_writes_the_query_and_corrects_what_the_guard_refuses() {
    let wants = |sql: &str| json!({"calls": [{"tool": "shop", "arguments": {"sql": sql}}]});
    let shown = ["Sqlite tables:", "orders(id integer primary key, city text, amount real)"];
    let model = Rehearsal::of(&script(&[
        once(rule("turn", &shown, wants("delete from orders"))),
        rule(
            "turn",
            &["sql_statement"],
            wants("select city, sum(amount) as amount from orders group by city order by city"),
        ),
    ]));
    let database = rusqlite::Connection::open(model.rig.path("shop.db")).unwrap();
    database
        .execute_batch(
            "create table orders (id integer primary key, city text, amount real);
             insert into orders (city, amount) values ('Lyon', 2.5), ('Ningbo', 4), ('Lyon', 1);",
        )
        .unwrap();
    write(&model, "shop.yaml", SHOP);
    write(
        &model,
        "flow.yaml",
        "flow: ask
inputs: {question: {type: string}}
nodes: [{id: q, call: SQL, database: shop, params: {question: \"{{question}}\"}}]
outputs: {rows: \"{{q.outputs.result}}\", sql: \"{{q.outputs.sql}}\"}
",
    );
    let words = ["--tools", "shop.yaml", "-p", "question=What was sold in each city?"];
    let result = result(&model, &words);
    let rows = json!([{"city": "Lyon", "amount": 3.5}, {"city": "Ningbo", "amount": 4.0}]);
    assert_eq!(result["rows"], rows);
    assert!(result["sql"].as_str().unwrap().starts_with("select city"), "{result}");
    let left: u32 =
        database.query_row("select count(*) from orders", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 3);
}

// B-040
#[test]
fn an_agent_calls_tools_of_the_machine_and_its_calls_are_steps_that_can_be_looked_at() {
    let calls = json!({"calls": [
        {"tool": "look", "arguments": {}}, {"tool": "fail", "arguments": {}},
    ]});
    let model = Rehearsal::of(&script(&[
        rule("turn", &["no such day"], json!({"answer": "It is 42."})),
        rule("turn", &["looks at something", "What is there"], calls),
    ]));
    write(
        &model,
        "flow.yaml",
        "flow: agent
nodes: [{id: a, call: Agent, tools: [look, fail], params: {task: What is there?}}]
outputs: {text: \"{{a.outputs.text}}\", failed: \"{{a.outputs.failed_calls}}\"}
",
    );
    let result = result(&model, &["--tools", "tools.yaml"]);
    assert_eq!(result, json!({"text": "It is 42.", "failed": 1}));
    let calls = std::fs::read_to_string(model.rig.path("calls")).unwrap();
    assert_eq!(calls, "a[1]/call_1\n");
    let (_, _, told) = model.says(&["flow", "run", "flow.yaml", "--tools", "tools.yaml"]);
    assert!(told.contains("a[1]/call_1") && told.contains("look"), "{told}");
    assert!(told.contains("turn 1: a[1]/call_2 failed; the error was sent to the model"), "{told}");
    assert!(told.contains("cost") && told.contains("2 model calls"), "{told}");
    let (code, said, _) = model.says(&["show", "--last", "--step", "a"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("It is 42."), "{said}");
}

// B-032
#[test]
fn what_a_model_thought_is_kept_apart_and_not_told_to_the_user() {
    let thoughtful = json!({"when": {"contains": ["How is the weather"]},
        "reply": {"text": "Sunny all day.", "reasoning": "the barometer is high"}});
    let model = Rehearsal::of(&script(&[thoughtful]));
    write(
        &model,
        "flow.yaml",
        "flow: weather
nodes: [{id: a, call: LLM, to_user: true, params: {prompt: How is the weather?}}]
outputs: {text: \"{{a.outputs.text}}\"}
",
    );
    let (code, said, noted) = model.says(&["flow", "run", "flow.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    let told = format!("{said}{noted}");
    assert!(told.contains("Sunny all day."), "{told}");
    assert!(!told.contains("barometer"), "{told}");
    let (_, kept, _) = model.says(&["show", "--last", "--step", "a"]);
    assert!(kept.contains("the barometer is high"), "{kept}");
}

// B-009, B-015
#[test]
fn a_value_that_a_model_found_is_told_with_where_it_came_from_and_how_sure_that_is() {
    let found = json!({"/n": "7"});
    let model = Rehearsal::of(&script(&[rule("values", &["seven of them"], found)]));
    write(
        &model,
        "flow.yaml",
        "flow: fill
inputs: {question: {type: string}}
nodes: [{id: a, call: count}]
outputs: {n: \"{{a.outputs.n}}\"}
",
    );
    let question = ["--tools", "tools.yaml", "-p", "question=I want seven of them counted"];
    assert_eq!(result(&model, &question), json!({"n": 7}));
    let (code, why, _) = model.says(&["why", "--last", "a.n"]);
    assert_eq!(code, Some(0), "{why}");
    assert!(why.contains("a model") && why.contains("60"), "{why}");
    let told = json_lines(&model.does(&["watch", "--last"]).stdout);
    let of_fill = |event: &&Value| event["subject"].as_str().unwrap().ends_with("steps/a/fill");
    assert_eq!(told.iter().filter(of_fill).count(), 2, "it begins and it ends: {told:?}");
}

#[test]
fn a_flow_that_needs_a_model_says_so_before_it_runs_and_one_that_could_use_one_runs_without() {
    let model = Rehearsal::of(&script(&[]));
    write(
        &model,
        "flow.yaml",
        "flow: f\nnodes: [{id: a, call: Agent, tools: [look], params: {task: Go}}]\n",
    );
    let run = ["flow", "run", "flow.yaml", "--tools", "tools.yaml", "--model", "offline"];
    let (code, _, said) = model.says(&run);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`Agent`") && said.contains("praxis model add"), "{said}");
    write(&model, "flow.yaml", "flow: f\nnodes: [{id: a, call: look}]\n");
    let (code, _, said) = model.says(&run);
    assert_eq!(code, Some(0), "{said}");
}
