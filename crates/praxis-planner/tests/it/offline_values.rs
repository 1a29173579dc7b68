//! Plans without a model: values keep the schemas, lists and records are put together, words mean choices, files are read.

use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::planner::UNCANCELLED;
use praxis_core::schema::Schema;
use praxis_planner::offline::planner::{LexicalOutcome, LexicalQuery, plan};
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

fn tool(id: &str, about: &str, takes: &Value, gives: &Value) -> Tool {
    let manifest = json!({
        "id": id, "description": about, "builtin": "noop", "risk": "read",
        "input_schema": takes, "output_schema": {"type": "object", "properties": gives},
    });
    serde_json::from_value(manifest).unwrap()
}

fn object(required: &[&str], properties: &Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

fn rows() -> Value {
    json!({"type": ["array", "string"], "description": "[{column: cell, …}, …]"})
}

fn many() -> Value {
    json!({"rows": {"type": "array", "items": {"type": "object"}}})
}

/// Tools of a small bakery.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let path = json!({"type": "string", "description": "The file"});
    let order = json!({"type": "object", "required": ["column"], "properties": {
        "column": {"type": "string"},
        "direction": {"enum": ["ascending", "descending"], "default": "ascending"},
    }});
    let condition = json!({"type": "object", "required": ["column", "operator"], "properties": {
        "column": {"type": "string"},
        "operator": {"enum": ["equals", "at_least", "less"]},
        "value": {},
    }});
    vec![
        tool(
            "open_ledger",
            "Opens a CSV ledger as rows 打开账本",
            &object(&["path"], &json!({"path": path.clone()})),
            &many(),
        ),
        tool(
            "rank_entries",
            "Ranks the entries of a ledger by columns 给账本条目排名",
            &object(
                &["rows", "by"],
                &json!({"rows": rows(), "by": {"type": "array", "minItems": 1, "items": order},
                    "most": {"type": "integer", "minimum": 1}}),
            ),
            &many(),
        ),
        tool(
            "pick_entries",
            "Picks the entries of a ledger that meet conditions 挑选账本条目",
            &object(
                &["rows", "conditions"],
                &json!({"rows": rows(), "conditions": {"type": "array", "items": condition}}),
            ),
            &many(),
        ),
        tool(
            "shift_baking",
            "Shifts a baking day 推迟烘焙日",
            &object(
                &["day"],
                &json!({"day": {"type": "string", "format": "date"}, "days": {"type": "integer"},
                    "rest_hours": {"type": "integer", "minimum": 0}}),
            ),
            &json!({"moved_day": {"type": "string"}}),
        ),
        tool(
            "blend_flour",
            "Blends amounts of flour 混合面粉",
            &object(
                &["method", "amounts"],
                &json!({"method": {"enum": ["add", "multiply"]},
                    "amounts": {"type": "array", "items": {"type": "number"}},
                    "sift": {"type": "boolean", "default": false}}),
            ),
            &json!({"blend": {"type": "number"}}),
        ),
    ]
});

fn made(goal: &str) -> LexicalOutcome {
    let catalog: Toolbox =
        TOOLS.iter().map(|tool| (tool.id.clone(), Arc::new(tool.clone()))).collect();
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    TOOLS.iter().for_each(|tool| search.put(tool));
    let (given, cancelled) = (&Map::new(), &UNCANCELLED);
    plan(&LexicalQuery {
        goal,
        given,
        catalog: &catalog,
        search: &search,
        memories: &[],
        cancelled,
    })
}

/// The calls of a plan in one line each.
fn planned(goal: &str) -> Vec<String> {
    let (LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made)) = made(goal) else {
        return vec!["no plan".to_owned()];
    };
    let call = |step: &praxis_planner::offline::planner::MadeStep| {
        format!("{} {}", step.tool, Value::Object(step.parameters()))
    };
    made.steps.iter().map(call).collect()
}

#[test]
fn a_file_is_read_for_the_step_that_works_on_its_rows_and_records_are_put_together() {
    assert_eq!(
        planned("Rank the entries of the ledger bread.csv by price, largest first"),
        [
            r#"open_ledger {"path":"bread.csv"}"#,
            r#"rank_entries {"by":[{"column":"price","direction":"descending"}],"rows":"{{step_1.outputs.rows}}"}"#,
        ]
    );
    assert_eq!(
        planned("给账本 bread.csv 的条目排名，按 price 从低到高"),
        [
            r#"open_ledger {"path":"bread.csv"}"#,
            r#"rank_entries {"by":[{"column":"price","direction":"ascending"}],"rows":"{{step_1.outputs.rows}}"}"#,
        ]
    );
}

#[test]
fn each_condition_has_its_own_column_operator_and_value() {
    assert_eq!(
        planned(
            "Pick the ledger entries of bread.csv where kind is rye and weight is at least 750"
        ),
        [
            r#"open_ledger {"path":"bread.csv"}"#,
            r#"pick_entries {"conditions":[{"column":"kind","operator":"equals","value":"rye"},{"column":"weight","operator":"at_least","value":750}],"rows":"{{step_1.outputs.rows}}"}"#,
        ]
    );
}

#[test]
fn how_many_are_wanted_is_told_by_the_word_beside_the_number() {
    assert_eq!(
        planned("Rank the top 4 entries of the ledger bread.csv by price").last().unwrap(),
        r#"rank_entries {"by":[{"column":"price","direction":"descending"}],"most":4,"rows":"{{step_1.outputs.rows}}"}"#
    );
}

#[test]
fn a_length_of_time_is_counted_in_the_unit_of_the_parameter_and_leads_back_where_words_say_so() {
    assert_eq!(
        planned("Shift the baking day 2026-05-09 by 6 days"),
        [r#"shift_baking {"day":"2026-05-09","days":6}"#]
    );
    assert_eq!(
        planned("Shift the baking day to 3 days before 2026-05-09"),
        [r#"shift_baking {"day":"2026-05-09","days":-3}"#]
    );
}

#[test]
fn a_value_that_the_schema_refuses_is_not_given() {
    let LexicalOutcome::NeedParams(made) = made("Shift the baking day of 'next Tuesday' by 6 days")
    else {
        panic!("a text is no date");
    };
    let open: Vec<String> = made.open().map(|(_, slot)| slot.path.join(".")).collect();
    assert_eq!(open, ["day"]);
}

#[test]
fn numbers_make_a_list_and_words_mean_choices_and_answers_but_for_a_letter() {
    assert_eq!(
        planned("Blend flour: multiply 12.5 by 4"),
        [r#"blend_flour {"amounts":[12.5,4],"method":"multiply"}"#]
    );
    assert_eq!(
        planned("Blend the flour amounts 3 and 5 with method multipy and sift"),
        [r#"blend_flour {"amounts":[3,5],"method":"multiply","sift":true}"#]
    );
}

#[test]
fn a_goal_that_no_tool_explains_has_no_plan_even_if_a_tool_could_take_its_file() {
    for goal in [
        "improve bread.csv",
        "把 bread.csv 弄漂亮点",
        "Translate the ledger bread.csv into Greek poetry and paint it green",
        "把账本 bread.csv 翻译成希腊语再装裱起来",
    ] {
        assert!(matches!(made(goal), LexicalOutcome::NoPlan(_)), "{goal}: {:?}", planned(goal));
    }
}

#[test]
fn a_long_goal_is_planned_within_bounds() {
    let goal = "Rank the entries of the ledger bread.csv by price, then pick 12 rows. ".repeat(300);
    assert!(planned(&goal).len() < 20);
}

proptest! {
    #[test]
    fn what_is_given_keeps_the_schema_whatever_was_said(
        words in prop::collection::vec(
            "ledger|rank|pick|blend|shift|by price|largest first|at least|[0-9]{1,4}|bread\\.csv|'[a-z ]{1,8}'|2026-05-0[1-9]|\
             where|is|and|,|days|账本|排名|从高到低|multiply|\\PC{1,3}",
            0..14,
        ),
    ) {
        let goal = words.join(" ");
        let (LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made)) = made(&goal) else { return Ok(()) };
        for step in &made.steps {
            let tool = TOOLS.iter().find(|tool| tool.id == step.tool).unwrap();
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, value) in step.parameters() {
                let is_reference = value.to_string().contains("{{step_");
                let schema = Schema::with_formats(&properties[&name]).unwrap();
                prop_assert!(is_reference || schema.fits(&value), "{goal}: {name} is {value}");
            }
        }
    }
}
