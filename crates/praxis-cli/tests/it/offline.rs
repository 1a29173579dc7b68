//! Goals without a model and without a workflow: put together from tools, asked about, refused, explained.

use crate::rig::Rig;
use crate::terminal::{has_script, in_terminal, seen};
use serde_json::{Value, json};

const TOOLS: &str = r#"
tools:
  - id: weigh_parcel
    description: Weigh a parcel by its number / 称量包裹重量
    risk: read
    input_schema: {type: object, required: [parcel_number], properties: {parcel_number: {type: string, description: Number of the parcel 包裹编号}}}
    output_schema: {type: object, required: [parcel_weight], properties: {parcel_weight: {type: string, description: Weight of the parcel 包裹重量}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"parcel_weight\": \"3 kg\"}"']}
  - id: price_shipping
    description: Tell the price of shipping a weight to a city / 查询运费价格
    risk: read
    input_schema: {type: object, required: [parcel_weight, city], properties: {parcel_weight: {type: string, description: Weight of the parcel 包裹重量}, city: {type: string, description: City that it is shipped to 城市}}}
    output_schema: {type: object, required: [shipping_price], properties: {shipping_price: {type: string, description: Price of shipping 运费}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"shipping_price\": \"12 EUR\"}"']}
  - id: ship_parcel
    description: Ship a parcel to a city / 寄送包裹
    input_schema: {type: object, required: [parcel_number, city], properties: {parcel_number: {type: string, description: Number of the parcel 包裹编号}, city: {type: string, description: City that it is shipped to 城市}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"shipment\": \"S-1\"}"']}
"#;

const RUN: [&str; 3] = ["run", "--tools", "tools.yaml"];
const GOAL: &str = r#"Weigh the parcel with the number "P-77", then tell the price of shipping it to the city "Oslo""#;
const GOAL_ZH: &str = "称量包裹编号“P-77”的包裹重量，然后查询寄到城市“奥斯陆”的运费价格";

fn rig() -> Rig {
    Rig::with("", TOOLS)
}

fn explained(rig: &Rig, words: &[&str]) -> (Option<i32>, Value) {
    let output =
        rig.praxis(&[&["plan", "--explain", "--tools", "tools.yaml"], words].concat()).output();
    let output = output.unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_goal_is_put_together_from_tools_in_both_languages_and_says_how_sure_it_is() {
    for (lang, goal, city, told) in [
        ("en", GOAL, "Oslo", ["planned without a model: 2 tools", "% of the goal understood"]),
        ("zh", GOAL_ZH, "奥斯陆", ["离线规划（无模型）：工具 2 个", "理解目标的"]),
    ] {
        let rig = rig();
        let (code, out, noted) = rig.says(&[&RUN[..], &[goal, "--lang", lang]].concat());
        assert_eq!(code, Some(0), "{noted}");
        assert!(out.contains("12 EUR"), "{out}");
        assert!(told.iter().all(|words| noted.contains(words)), "{noted}");
        assert_eq!(rig.calls().values().collect::<Vec<_>>(), [&1, &1], "each step once");
        let why = rig.ask(&["why", "--last", "step_2.parcel_weight"]).unwrap();
        assert_eq!(why[0]["value"], "3 kg");
        assert!(why[0]["source"].to_string().contains("step_1"), "{why:?}");
        let why = rig.ask(&["why", "--last", "step_2.city"]).unwrap();
        assert_eq!((&why[0]["value"], &why[0]["source"]["from"]), (&json!(city), &json!("said")));
    }
}

#[test]
fn what_nobody_said_is_asked_for_and_the_answer_carries_on() {
    let rig = rig();
    let goal = r#"Weigh the parcel with the number "P-77", then tell the price of shipping it"#;
    let (code, _, noted) = rig.says(&[&RUN[..], &[goal]].concat());
    assert_eq!(code, Some(3), "{noted}");
    assert_eq!(rig.calls().len(), 1, "what can be done is done: {noted}");
    let waiting = rig.ask(&["inbox"]).unwrap();
    let question = waiting[0]["question"]["id"].as_str().unwrap().to_owned();
    let (code, out, noted) = rig.says(&["answer", &question, "city=Oslo"]);
    assert!(code == Some(0) && out.contains("12 EUR"), "{out}\n{noted}");
    assert_eq!(rig.calls().values().collect::<Vec<_>>(), [&1, &1], "each step once");
}

// The question names the parameter, its purpose and the form of an answer, and shows no schema.
#[test]
fn a_question_about_a_missing_value_says_what_it_is_for_and_how_to_give_it() {
    for (lang, goal, asked) in [
        ("en", "sort prices.csv", "needs `by` (The columns to sort by)"),
        ("zh", "对 prices.csv 排序", "需要提供 `by`（排序列）"),
    ] {
        let rig = Rig::empty();
        std::fs::write(rig.path("prices.csv"), "item,price\nb,3\na,1\n").unwrap();
        let (code, _, noted) = rig.says(&["run", goal, "--lang", lang]);
        assert_eq!(code, Some(3), "{noted}");
        assert!(noted.contains(asked), "{noted}");
        let (_, inbox, _) = rig.says(&["inbox", "--lang", lang]);
        assert!(inbox.contains(asked) && inbox.contains(r#"by='[{"column":"…"}]'"#), "{inbox}");
        assert!(!inbox.contains("required property") && !inbox.contains("minItems"), "{inbox}");
        let waiting = rig.ask(&["inbox"]).unwrap();
        let question = waiting[0]["question"]["id"].as_str().unwrap();
        let (_, _, told) = rig.says(&["answer", question, r#"by=[{"column":"price"}]"#]);
        assert_eq!(rig.last()["status"], "completed", "{told}");
    }
}

#[test]
fn the_session_of_a_task_is_never_taken_for_a_value_that_nobody_said() {
    let tools = r#"
tools:
  - id: track_parcel
    description: Track a parcel and tell where it is / 跟踪包裹
    risk: read
    input_schema: {type: object, required: [parcel_id], properties: {parcel_id: {type: string}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"place\": \"Oslo\"}"']}
"#;
    let rig = Rig::with("", tools);
    let (code, _, noted) = rig.says(&[&RUN[..], &["Track the parcel"]].concat());
    assert_eq!((code, rig.calls().len()), (Some(3), 0), "{noted}");
    let waiting = rig.ask(&["inbox"]).unwrap();
    assert!(waiting[0]["question"]["fields"]["/parcel_id"].is_object(), "{waiting:?}");
}

#[test]
fn a_plan_without_a_model_that_changes_something_is_asked_about_first() {
    let rig = rig();
    let goal = r#"Ship the parcel with the number "P-77" to the city "Oslo""#;
    let (code, _, noted) = rig.says(&[&RUN[..], &[goal]].concat());
    assert!(code == Some(3) && rig.calls().is_empty(), "{noted}");
    assert!(noted.contains("run plan v1?"), "the plan is asked about as a whole: {noted}");
    let (code, _, noted) = rig.says(&[&RUN[..], &[goal, "--yes"]].concat());
    assert!(code == Some(0) && rig.calls().len() == 1, "{noted}");
}

#[test]
fn what_is_not_understood_is_refused_with_the_words_and_the_nearest_tools_and_no_task_is_made() {
    let rig = rig();
    for (goal, near) in [
        ("make it better", None),
        ("paint the parcel in bright colours and hang it up", Some("weigh_parcel")),
        ("把房间打扫干净", None),
        // All but what stands in quotes is understood.
        (r#"Weigh the parcel "P-77" by its number "urgent""#, Some("weigh_parcel")),
    ] {
        let (code, out, noted) = rig.says(&[&RUN[..], &[goal]].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{goal}: {noted}");
        assert!(noted.contains("error[no_plan]"), "{noted}");
        assert!(near.is_none_or(|tool| noted.contains(tool)), "{noted}");
    }
    assert!(rig.ask(&["ps"]).unwrap_or_default().is_empty() && rig.calls().is_empty());
}

#[test]
fn a_plan_is_explained_with_candidates_values_chains_and_what_lost_and_nothing_runs() {
    let rig = rig();
    let (code, told) = explained(&rig, &[GOAL]);
    assert_eq!((code, &told["outcome"]), (Some(0), &json!("ready")), "{told}");
    assert!(told["sureness"]["percent"].as_u64().unwrap() >= 80, "{told}");
    assert!(told["candidates"].as_array().unwrap().len() >= 2, "{told}");
    let assigned = &told["steps"][1]["assigned"];
    let chained = json!({"from": "step_1", "path": "parcel_weight"});
    let by_name = |name: &str| {
        assigned.as_array().unwrap().iter().find(|one| one["parameter"] == name).unwrap().clone()
    };
    assert_eq!(by_name("parcel_weight")["from"], chained["from"]);
    assert_eq!(by_name("city")["value"], "Oslo");
    assert!(!told["steps"][1]["lost"].as_array().unwrap().is_empty(), "{told}");

    let (code, told) = explained(&rig, &["tell the price of shipping", "-p", "city=Oslo"]);
    assert_eq!((code, &told["outcome"]), (Some(3), &json!("need_params")), "{told}");
    assert!(told["asks"].to_string().contains("parcel_"), "{told}");
    let (code, told) = explained(&rig, &["sing a song"]);
    assert_eq!((code, &told["outcome"]), (Some(2), &json!("no_plan")), "{told}");
    rig.add_load_project();
    let (code, told) = explained(&rig, &["load forecast, the data is in mine.csv"]);
    assert_eq!((code, &told["workflow"]), (Some(0), &json!("load_forecast")), "{told}");
    assert_eq!(told["said"]["file_path"], "mine.csv");
    assert!(rig.ask(&["ps"]).unwrap_or_default().is_empty() && rig.calls().is_empty());
    let (_, out, _) = rig.says(&["plan", "--explain", "--tools", "tools.yaml", GOAL]);
    for words in ["outcome", "price_shipping", "← step_1.parcel_weight", "not chosen:"] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn the_worked_example_starts_from_its_goal_and_runs_in_both_languages() {
    for (lang, words) in [("en", "workflow `load_forecast`"), ("zh", "工作流 `load_forecast`")] {
        let rig = Rig::empty();
        let (code, out, noted) = rig.says(&["run", "--example", "load-forecast", "--lang", lang]);
        assert_eq!(code, Some(0), "{noted}");
        assert!(
            noted.contains(words) && noted.contains("1/3"),
            "the busy store is tried again: {noted}"
        );
        assert!(out.contains("load_forecast_report.md"), "{out}");
        let why = rig.ask(&["why", "--last", "step_1.file_path"]).unwrap();
        assert!(why[0].to_string().contains("csv_path"), "found under its other name: {why:?}");
        rig.add_load_project();
        let goal = "Make a load forecast for Hangzhou for the next 24 hours";
        let (code, _, noted) = rig.says(&["run", goal, "--lang", lang]);
        assert!(
            code == Some(3) && noted.contains(words),
            "what taught it is no reason to leave the workflow: {noted}"
        );
    }
}

#[test]
fn a_workflow_takes_a_file_whatever_the_goal_calls_it_and_a_key_is_understood_with_its_value() {
    let csv = include_str!("../../../../examples/load_forecast/load.csv");
    for goal in [
        "对某区域进行负荷预测, 文件路径: in/load.csv",
        "Forecast the load of some region, file path: in/load.csv",
        "Load forecast, data: in/load.csv",
        "用 in/load.csv 做负荷预测，预测小时数为12",
    ] {
        let rig = Rig::about_load();
        std::fs::create_dir(rig.path("in")).unwrap();
        std::fs::write(rig.path("in/load.csv"), csv).unwrap();
        let (code, out, noted) = rig.says(&["run", goal]);
        assert!(code == Some(0) && noted.contains("workflow `load_forecast`"), "{goal}: {noted}");
        assert!(out.contains("load_forecast_report.md"), "{out}");
        let why = rig.ask(&["why", "--last", "step_1.file_path"]).unwrap();
        assert_eq!(why[0]["value"], "in/load.csv", "{goal}: {why:?}");
        let hours = rig.ask(&["why", "--last", "step_5.horizon_hours"]).unwrap();
        let said = if goal.contains("12") { 12 } else { 24 };
        assert_eq!(hours[0]["value"], said, "{goal}: {hours:?}");
    }
}

#[test]
fn a_goal_of_the_same_words_is_done_as_before_with_its_own_values() {
    let rig = rig();
    assert_eq!(rig.says(&[&RUN[..], &[GOAL]].concat()).0, Some(0));
    let first = rig.last()["task"].as_str().unwrap().to_owned();
    let other = GOAL.replace("P-77", "P-5").replace("Oslo", "Bergen");
    let (_, told) = explained(&rig, &[&other]);
    assert_eq!(told["again"], json!(first), "{told}");
    let (code, _, noted) = rig.says(&[&RUN[..], &[&other]].concat());
    assert!(
        code == Some(0) && noted.contains(&format!("plan cache: reusing the plan of task {first}")),
        "{noted}"
    );
    let why = rig.ask(&["why", "--last", "step_2.city"]).unwrap();
    assert_eq!(why[0]["value"], "Bergen", "never a value of the earlier goal");
    let (code, _, noted) = rig.says(&[&RUN[..], &[&other, "--no-plan-cache"]].concat());
    assert!(code == Some(0) && !noted.contains("plan cache: reusing"), "{noted}");
}

#[test]
fn words_that_no_tool_has_are_understood_once_a_like_goal_was_served() {
    let rig = rig();
    let jargon = r#"Do the usual morning round for "P-77" on the Bergen route"#;
    let (code, _, noted) = rig.says(&[&RUN[..], &[jargon]].concat());
    assert!(code == Some(2) && noted.contains("no_plan"), "{noted}");
    // What a task with a model would have taught.
    let case = json!({"goal": jargon.replace("P-77", "P-1"), "tools": ["weigh_parcel"]});
    let line = json!({"evaluation_id": "task_taught/9", "task_id": "task_taught", "task_completion": 100,
        "execution_efficiency": 100, "tool_usage": 100, "category": "solving_ideas", "intention": "", "task": "round",
        "experience": "", "quick_summary": "weigh_parcel", "defaulted": false, "case": case});
    std::fs::create_dir_all(rig.data()).unwrap();
    std::fs::write(rig.data().join("experiences.jsonl"), format!("{line}\n")).unwrap();
    let (code, told) = explained(&rig, &[jargon]);
    assert_eq!((code, &told["like"]), (Some(0), &json!(["task_taught"])), "{told}");
    let (code, out, noted) = rig.says(&[&RUN[..], &[jargon]].concat());
    assert!(code == Some(0) && out.contains("3 kg"), "{out}\n{noted}");
    let why = rig.ask(&["why", "--last", "step_1.parcel_number"]).unwrap();
    assert_eq!(why[0]["value"], "P-77");
    let (code, _, noted) = rig.says(&[&RUN[..], &[jargon, "--no-experience"]].concat());
    assert!(code == Some(2) && noted.contains("no_plan"), "{noted}");
}

#[test]
fn synonyms_of_ones_own_are_known_to_the_search_and_to_the_plan() {
    let rig = rig();
    let goal = r#"Scale the item "P-77""#;
    assert_ne!(explained(&rig, &[goal]).1["steps"][0]["tool"], "weigh_parcel");
    std::fs::create_dir_all(rig.path(".praxis")).unwrap();
    std::fs::write(rig.path(".praxis/synonyms.txt"), "scale = weigh # our word\nitem = parcel\n")
        .unwrap();
    let found = rig.ask(&["tool", "search", "scale", "--tools", "tools.yaml"]).unwrap();
    assert_eq!(found[0]["tool"], "weigh_parcel");
    let (code, out, noted) = rig.says(&[&RUN[..], &[goal]].concat());
    assert!(code == Some(0) && out.contains("3 kg"), "{out}\n{noted}");
}

#[test]
fn in_a_terminal_the_answer_is_a_template_over_what_the_last_steps_gave() {
    if !has_script() {
        return;
    }
    let rig = rig();
    let goal = GOAL.replace('"', "\\\"");
    let mut run = in_terminal(&rig, 100, &format!("run --tools tools.yaml \"{goal}\""));
    assert!(run.wait().unwrap().success(), "{}", seen(&rig));
    let told = seen(&rig);
    assert!(told.contains("step_2") && told.contains("  shipping_price  12 EUR"), "{told}");
    assert!(!told.contains("\"shipping_price\": \"12 EUR\""), "{told}");
}
