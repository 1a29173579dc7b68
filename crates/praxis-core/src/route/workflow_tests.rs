use super::*;
use crate::document::{self, DocumentFormat};
use crate::intake::plan as plan_document;
use serde_json::json;

/// The workflows of the example `load-forecast`, by id.
fn example() -> Vec<Workflow> {
    const FILES: [&str; 4] = [
        include_str!("../../../../examples/load_forecast/.praxis/workflows/csv_check.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/datasource_import.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/datasource_report.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/load_forecast.toml"),
    ];
    let document = |text: &str| document::read(text.as_bytes(), DocumentFormat::Toml).unwrap();
    FILES.into_iter().flat_map(|text| read(&document(text)).unwrap()).collect()
}

fn found(stated: Option<&str>, task_type: Option<&str>, goal: &str) -> Option<(String, u32)> {
    let workflows = example();
    matching(&workflows, stated, task_type, goal).map(|(found, score)| (found.id.clone(), score))
}

fn small(id: &str, keywords: &[&str]) -> Workflow {
    let document = json!({"workflows": {id: {
        "keywords": keywords,
        "steps": [{"name": "one", "tool_id": "echo"}, {"name": "two", "tool_id": "noop"}],
    }}});
    read(&document).unwrap().remove(0)
}

fn steps(document: &Value) -> Vec<PlannedStep> {
    plan_document::read(document).unwrap().steps
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

// A-038
#[test]
fn keywords_score_by_task_type_and_goal_and_the_best_above_nothing_wins() {
    let workflows =
        [small("b", &["负荷预测"]), small("a", &["Load Forecast"]), small("c", &["x y"])];
    let score = |task_type: Option<&str>, goal: &str| {
        matching(&workflows, None, task_type, goal).map(|(found, score)| (found.id.as_str(), score))
    };
    assert_eq!(score(Some("负荷预测"), ""), Some(("b", 10)));
    assert_eq!(score(Some("短期负荷预测"), ""), Some(("b", 5)));
    assert_eq!(score(None, "对杭州进行负荷预测"), Some(("b", 3)));
    assert_eq!(score(Some("负荷预测"), "做负荷预测"), Some(("b", 13)));
    assert_eq!(score(Some("load forecast"), "负荷预测"), Some(("a", 10)));
    assert_eq!(score(None, "load forecasts, 负荷预测"), Some(("a", 3)), "ties by id");
    assert_eq!(score(Some("weather"), "upload forecast"), None);
    assert_eq!(score(None, ""), None);
}

// A-038
#[test]
fn a_stated_intent_admits_only_the_workflows_that_are_for_it() {
    assert_eq!(found(Some("负荷预测"), None, "x").unwrap().0, "load_forecast");
    assert_eq!(found(Some("Load Forecast"), None, "校验CSV").unwrap().0, "load_forecast");
    assert_eq!(found(Some("工具管理"), None, "做负荷预测"), None);
    let goal = "意图: 天气, 用户输入: 出报告";
    assert_eq!(found(intent::intent(goal), None, goal), None);
    assert_eq!(found(None, None, "帮我做负荷预测").unwrap(), ("load_forecast".to_owned(), 3));
}

// A-039
#[test]
fn number_order_and_tools_are_fixed_and_parameters_are_free() {
    let workflow = small("w", &[]);
    let plan = |tools: &[&str]| {
        let step = |(at, tool): (usize, &&str)| json!({"step_id": format!("s{at}"), "tool": tool, "parameters": {"x": at}});
        steps(&json!({"steps": tools.iter().enumerate().map(step).collect::<Vec<_>>()}))
    };
    assert_eq!(conforms(&workflow, &plan(&["echo", "noop"])), []);
    insta::assert_snapshot!(told(&conforms(&workflow, &plan(&["noop", "echo", "echo"]))), @r"
    workflow_left: steps: workflow `w` has `2` steps, but the plan has `3`
    workflow_left: step `s0`: step `1` of the workflow must call `echo`, got `noop`
    workflow_left: step `s1`: step `2` of the workflow must call `noop`, got `echo`
    ");
}

#[test]
fn an_unknown_id_is_told_with_near_ones() {
    let workflows = example();
    assert_eq!(by_id(&workflows, "csv_check").unwrap().id, "csv_check");
    insta::assert_snapshot!(by_id(&workflows, "load_forcast").unwrap_err(), @"unknown_workflow: workflow_id: unknown workflow `load_forcast` (did you mean `load_forecast`?)");
}

#[test]
fn a_plan_has_the_parameters_of_the_workflow_and_the_values_of_the_request() {
    let workflows = example();
    let workflow = by_id(&workflows, "load_forecast").unwrap();
    let goal = "意图: 负荷预测, 用户输入: 请设文件路径: /data/load.csv，预测小时数：48，周期：12，输出文件：x，step_1: x";
    let given = json!({"project_id": "proj_001", "season_hours": 168});
    let plan = plan(workflow, goal, given.as_object().unwrap());
    assert_eq!(
        plan["metadata"],
        json!({
            "file_path": "/data/load.csv", "horizon_hours": 48, "project_id": "proj_001",
            "season_hours": 168, "report_title": "负荷预测 Load forecast",
            "report_path": "load_forecast_report.md", "busy_times": 0, "输出文件": "x",
        })
    );
    let steps = steps(&plan);
    assert_eq!(conforms(workflow, &steps), []);
    assert_eq!(steps[0].name, "校验 CSV 文件");
    assert_eq!(steps[2].depends_on, [StepId::from("step_1"), StepId::from("step_2")]);
    assert_eq!(steps[2].parameters["datasource_id"], "{{step_2.outputs.datasource_id}}");
    let report = by_id(&workflows, "datasource_report").unwrap();
    let english = super::plan(report, "report on the datasource, datasource=ds_1", &Map::new());
    assert_eq!(english["metadata"]["datasource_id"], "ds_1");
    let steps = self::steps(&english);
    assert_eq!(
        (steps[0].name.as_str(), &steps[1].depends_on),
        ("get the data", &vec!["step_1".into()])
    );
}

#[test]
fn a_workflow_is_shown_with_its_steps_tools_and_parameters() {
    let workflows = example();
    insta::assert_snapshot!(workflows[1].shown(Lang::Zh), @r#"
    datasource_import: 数据源导入. 校验 CSV 文件，注册为数据源并上传数据
    1. check_csv_file: 校验 CSV 文件 (检查列、时间戳和数值) {"file_path":"{{file_path}}"}
    2. add_datasource: 注册数据源 (不依赖校验，与其同时运行) {"file_path":"{{file_path}}","project_id":"{{project_id}}"}
    3. data_upload: 上传数据 (在校验和注册之后) {"datasource_id":"{{step_2.outputs.datasource_id}}","project_id":"{{project_id}}"}
    "#);
}

#[test]
fn everything_wrong_with_a_file_of_workflows_is_told_with_its_place() {
    let document = json!({"workflows": {
        "a": {"keyword": [], "name": 7, "steps": []},
        "b": {"steps": [
            {"name": "x", "tool_id": "echo", "depends_on": ["step_1"]},
            {"tool": "echo", "name": {"en": "x"}, "parameters": "none"},
            7,
        ], "names": {"x": 7}},
        "c d": {"steps": [{"name": "x", "tool_id": "t"}], "intent": ""},
    }, "more": 1});
    insta::assert_snapshot!(told(&read(&document).unwrap_err()), @r"
    unknown_field: unknown field `more`
    unknown_field: workflow `a`: unknown field `keyword` (did you mean `keywords`?)
    workflow_shape: workflow `a`, name: expected a string or a table with `en` and `zh`, got `number`
    workflow_shape: workflow `a`, steps: a workflow must have 1 to 1000 steps
    workflow_shape: workflow `b`, steps[0], depends_on: `step_1` is not an earlier step; steps are named `step_1`, `step_2` and so on, in order
    unknown_field: workflow `b`, steps[1]: unknown field `tool` (did you mean `tool_id`?)
    workflow_shape: workflow `b`, steps[1], name, zh: missing or empty
    workflow_shape: workflow `b`, steps[1], tool_id: missing or empty
    workflow_shape: workflow `b`, steps[1], parameters: expected a table, got `string`
    workflow_shape: workflow `b`, steps[2]: expected a table of fields, got `number`
    workflow_shape: workflow `b`, names, x: expected a list of non-empty strings, got `number`
    bad_id: workflow `c d`: `id`: it contains ' ', which is not allowed in an id
    workflow_shape: workflow `c d`, intent: missing or empty
    ");
    for nothing in [json!({}), json!([]), json!({"workflows": []})] {
        assert_eq!(read(&nothing).unwrap_err().len(), 1, "{nothing}");
    }
}
