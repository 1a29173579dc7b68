use super::*;
use praxis_core::call::tool::Toolbox;
use proptest::prelude::*;

fn step(parameters: &Value) -> Vec<Value> {
    vec![json!({"step_id": "step_1", "tool": "sort", "parameters": parameters})]
}

fn tools() -> Toolbox {
    let schema = json!({"type": "object", "properties": {
        "order": {"type": "string", "enum": ["ascending", "descending"]},
        "most_rows": {"type": "integer", "default": 100},
        "by": {"type": "array", "items": {"type": "object", "properties": {
            "direction": {"type": "string", "enum": ["ascending", "descending"]}}}},
    }});
    let manifest = json!({"id": "sort", "input_schema": schema, "builtin": "echo"});
    let read = praxis_core::call::manifest::read(&manifest).unwrap().into_iter();
    read.map(|tool| (tool.id.clone(), std::sync::Arc::new(tool))).collect()
}

fn made_with(goal: &str, parameters: &Value, metadata: &Value) -> Option<PlanTemplate> {
    let setting =
        PlanSetting { tools: &tools(), metadata: metadata.as_object().unwrap(), promise: None };
    template(goal, &step(parameters), &setting)
}

fn made(goal: &str, parameters: &Value) -> Option<PlanTemplate> {
    made_with(goal, parameters, &json!({}))
}

fn again(goal: &str, parameters: &Value, other: &str) -> Option<Value> {
    let steps = filled(&made(goal, parameters)?, other)?.steps;
    steps.first().and_then(|step| step.get("parameters")).cloned()
}

//
#[test]
fn a_plan_is_filled_with_what_another_goal_says_and_keeps_nothing_that_the_first_one_said() {
    let goal = "Sort orders.csv by \"net amount\" and keep 67 rows since 2026-03-01";
    let by = json!([{"column": "net amount", "direction": "descending"}]);
    let parameters = json!({"path": "orders.csv", "by": by, "most_rows": 67, "at_most": "67 rows",
        "since": "2026-03-01", "distinct": true});
    let written = serde_json::to_string(&made(goal, &parameters).unwrap()).unwrap();
    for value in ["orders", "net", "2026", "67"] {
        assert!(!written.contains(value), "{value} in {written}");
    }
    let other = "please sort may.csv by \"city\" and keep 12 rows since March 4, 2026";
    let by = json!([{"column": "city", "direction": "descending"}]);
    let expected = json!({"path": "may.csv", "by": by, "most_rows": 12, "at_most": "12 rows",
        "since": "2026-03-04", "distinct": true});
    assert_eq!(again(goal, &parameters, other).unwrap(), expected);
}

//
#[test]
fn a_chinese_goal_fills_the_plan_of_another_one() {
    let goal = "请对杭州进行负荷预测，文件路径：load.csv，预测7天";
    let parameters = json!({"region": "杭州", "path": "load.csv", "days": "7天"});
    let other = "帮我对宁波北区进行负荷预测，文件路径：data/may.csv，预测30天";
    let expected = json!({"region": "宁波北区", "path": "data/may.csv", "days": "30天"});
    assert_eq!(again(goal, &parameters, other), Some(expected));
    assert_eq!(again(goal, &parameters, "对宁波进行负荷校验，文件路径：may.csv，预测30天"), None);
    let several = "对宁波和杭州进行负荷预测，文件路径：may.csv，预测30天";
    assert_eq!(again(goal, &parameters, several), None);
}

//
#[test]
fn a_goal_that_is_worded_otherwise_or_says_another_kind_of_thing_is_not_filled() {
    let goal = "keep 5 rows of orders.csv";
    let parameters = json!({"path": "orders.csv", "most_rows": 5});
    let again = |other: &str| again(goal, &parameters, other);
    assert!(again("keep 7 rows of a.csv").is_some());
    for other in [
        "drop 7 rows of a.csv",
        "keep all rows of a.csv",
        "keep 7 hours of a.csv",
        "keep 7 rows of orders",
        "keep 7 rows of a.csv and b.csv",
        "keep 7 rows of {{secret}}.csv",
        "keep 7 rows of a.csv in reverse",
        "",
    ] {
        assert_eq!(again(other), None, "{other}");
    }
}

//
#[test]
fn a_plan_is_not_used_again_if_two_places_of_its_goal_say_the_same() {
    assert_eq!(made("between 5 and 5", &json!({"least": 5, "most": 5})), None);
    let nobody = PlanSetting { tools: &tools(), metadata: &Map::new(), promise: None };
    assert_eq!(template("anything", &[], &nobody), None);
    assert_eq!(template("anything", &[json!("no step")], &nobody), None);
}

//
#[test]
fn a_constant_stays_only_if_it_can_be_no_value_of_the_goal() {
    let goal = "report on Lisbon with 3 pages";
    let kept = |constant: Value| made(goal, &json!({"city": "Lisbon", "x": constant})).is_some();
    for constant in [
        json!("markdown"),
        json!("out/summary.md"),
        json!("{{step_1.outputs.text}} of {{when}}"),
        json!(true),
        json!(""),
        json!(7),
    ] {
        assert!(kept(constant.clone()), "{constant}");
    }
    for constant in [
        json!("the city of Lisbon"),
        json!("lisbon"),
        json!("see lisbon.md"),
        json!("3 chapters"),
        json!("2026-03-01"),
        json!("{{x}} at 10:30"),
        json!("{{slot_1}}"),
    ] {
        assert!(!kept(constant.clone()), "{constant}");
    }
    let reckoned = json!({"pages": 3, "words": 900});
    assert_eq!(made(goal, &reckoned), None, "could be three times three hundred");
    let of_schema = json!({"pages": 3, "most_rows": 100, "order": "ascending"});
    assert!(made(goal, &of_schema).is_some());
}

//
#[test]
fn metadata_stays_a_placeholder_and_is_never_written_into_a_plan_that_is_kept() {
    let metadata = json!({"region": "north", "limits": {"most": 40}});
    let goal = "report on Lisbon";
    let made = |parameters: Value| made_with(goal, &parameters, &metadata);
    let kept = made(json!({"city": "Lisbon", "region": "{{region}}"})).unwrap();
    assert_eq!(kept.metadata, ["limits", "region"]);
    assert_eq!(kept.steps[0]["parameters"]["region"], "{{region}}");
    assert_eq!(made(json!({"city": "Lisbon", "region": "north"})), None);
    assert_eq!(made(json!({"city": "Lisbon", "most": 40})), None);
    assert_eq!(made(json!({"city": "Lisbon", "note": "the north"})), None);
}

//
#[test]
fn the_name_of_a_step_that_tells_a_value_is_not_kept() {
    let named = |name: &str| {
        let step = json!({"step_id": "a", "step_name": name, "tool": "sort",
            "parameters": {"city": "Lisbon"}});
        let nobody = PlanSetting { tools: &tools(), metadata: &Map::new(), promise: None };
        let kept = template("report on Lisbon", &[step], &nobody).unwrap();
        kept.steps[0].get("step_name").cloned()
    };
    assert_eq!(named("look it up"), Some(json!("look it up")));
    assert_eq!(named("look Lisbon up"), None);
    assert_eq!(named("step 1"), Some(json!("step 1")));
}

//
#[test]
fn what_a_plan_says_of_its_outcome_is_told_of_the_other_values_or_not_at_all() {
    let goal = "count the 15 rows of a.csv";
    let told = |answer: &str| {
        let promise = json!({"answer": answer, "checks": [{"value": "{{step_1.outputs.n}}"}]});
        let setting =
            PlanSetting { tools: &tools(), metadata: &Map::new(), promise: Some(promise) };
        let steps = step(&json!({"path": "a.csv", "n": "15 rows"}));
        let kept = template(goal, &steps, &setting).unwrap();
        let promise = filled(&kept, "count the 5 rows of b.csv").unwrap().promise?;
        promise["answer"].as_str().map(str::to_owned)
    };
    let kept = told("a.csv has {{step_1.outputs.n}} of 15 rows, csv");
    assert_eq!(kept.as_deref(), None, "a part of the value stands elsewhere");
    let kept = told("a.csv has {{step_1.outputs.n}} of 15 rows");
    assert_eq!(kept.as_deref(), Some("b.csv has {{step_1.outputs.n}} of 5 rows"));
    assert_eq!(
        told("{{step_1.outputs.n}} of fifteen").as_deref(),
        Some("{{step_1.outputs.n}} of fifteen")
    );
    assert_eq!(told("{{step_1.outputs.n}} of 15"), None);
}

//
#[test]
fn a_plan_that_says_nothing_of_its_goal_serves_any_goal_as_it_stands() {
    let open = made(
        "sum it up",
        &json!({"path": "{{file}}", "lines": ["{{step_1.outputs.l}}"], "all": true}),
    );
    assert!(as_it_stands(&open.unwrap()).is_some());
    let constant = made("sum it up", &json!({"path": "notes.md"})).unwrap();
    assert_eq!(as_it_stands(&constant), None);
    let of_goal = made("sum a.md up", &json!({"path": "a.md"})).unwrap();
    assert_eq!(as_it_stands(&of_goal), None);
}

proptest! {
    #[test]
    fn a_plan_that_is_kept_is_given_back_to_its_own_goal(
        words in prop::collection::vec("[a-z]{1,8}|[0-9]{1,3}|[A-Z][a-z]{3,6}|[a-z]{3,5}\\.csv|杭州|进行|\"[a-z ]{1,9}\"", 1..12),
        picked in prop::collection::vec(0_usize..12, 0..5),
    ) {
        let goal = words.join(" ");
        let value = |at: &usize| {
            let word = words.get(*at)?.trim_matches('"');
            Some(word.parse::<u64>().map_or_else(|_| json!(word), |number| json!(number)))
        };
        let values: Vec<Value> = picked.iter().filter_map(value).collect();
        let parameters = json!({"all": values, "one": values.first()});
        if let Some(kept) = made(&goal, &parameters) {
            prop_assert_eq!(filled(&kept, &goal).map(|filled| filled.steps), Some(step(&parameters)));
        }
    }
}
