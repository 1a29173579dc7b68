//! Prompts, scenes and workflows as people see, replace and check them.

use crate::rig::{Rig, finish, json_lines};
use praxis_core::route::workflow;
use serde_json::{Map, Value, json};
use std::path::Path;

fn write(rig: &Rig, name: &str, text: &str) {
    let path = rig.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn codes<'a>(said: &'a str) -> Vec<&'a str> {
    let code = |line: &'a str| line.strip_prefix("error[").or_else(|| line.strip_prefix("错误["));
    let errors = said.lines().filter_map(code);
    errors.map(|line| line.split(']').next().unwrap()).collect()
}

/// The workflows of the example about load.
fn workflows() -> Vec<workflow::Workflow> {
    praxis_toolbox::ExampleProject::named("load-forecast").unwrap().workflows()
}

const GREETING: &str = "[workflows.greeting]\nsteps = [{name = \"x\", tool_id = \"echo\"}]\n";

#[test]
fn scenes_are_listed_in_their_order_and_shown_by_any_name_in_both_languages() {
    let rig = Rig::empty();
    let listed = rig.ask(&["scene", "list"]).unwrap();
    let ids: Vec<&str> = listed.iter().map(|scene| scene["id"].as_str().unwrap()).collect();
    assert_eq!(ids[1], "ToolManagement");
    assert_eq!(ids.len(), 5);
    assert!(listed.iter().all(|scene| scene["source"] == "embedded"));
    let shown = rig.ask(&["scene", "show", "工具管理"]).unwrap();
    assert_eq!(shown[0], listed[1]);
    let (_, en, _) = rig.says(&["scene", "show", "TOOL"]);
    let (_, zh, _) = rig.says(&["scene", "show", "tool", "--lang", "zh"]);
    assert!(
        en.contains("plan only the design document") && zh.contains("只规划设计文档"),
        "{en}{zh}"
    );
    assert!(zh.contains("别名") && zh.contains("来源       内置"), "{zh}");
    let (code, _, said) = rig.says(&["scene", "show", "ToolManagment"]);
    assert_eq!((code, codes(&said)), (Some(6), vec!["unknown_scene"]), "{said}");
    assert!(said.contains("did you mean `ToolManagement`"), "{said}");
}

#[test]
fn a_scene_of_the_project_is_in_force_below_its_settings_and_one_with_a_problem_is_a_warning() {
    let rig = Rig::empty();
    write(&rig, "praxis.toml", "");
    write(&rig, ".praxis/scenes/weather.toml", "id = \"Weather\"\naliases = [\"天气\"]\n");
    write(&rig, ".config/praxis/scenes/weather.toml", "id = \"Weather\"\naliases = [\"sky\"]\n");
    write(&rig, ".config/praxis/scenes/bad.toml", "id = \"Bad\"\nalias = []\n");
    write(&rig, "deep/er/x", "");
    let mut command = rig.praxis(&["scene", "list"]);
    let output = finish(&rig, command.current_dir(rig.path("deep/er")));
    let first = json_lines(&output.stdout).remove(0);
    assert_eq!((&first["id"], &first["aliases"]), (&json!("Weather"), &json!(["天气"])));
    assert!(first["source"].as_str().unwrap().ends_with(".praxis/scenes/weather.toml"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("warning[unknown_field]") && said.contains("bad.toml"), "{said}");
    assert!(said.contains("next: did you mean `aliases`?") && output.status.success(), "{said}");
}

#[test]
fn workflows_are_listed_shown_and_checked_against_the_tools() {
    let rig = Rig::about_load();
    let listed = rig.ask(&["workflow", "list"]).unwrap();
    assert_eq!(listed.last().unwrap()["id"], "load_forecast");
    let (_, zh, _) = rig.says(&["workflow", "show", "load_forecast", "--lang", "zh"]);
    assert!(
        zh.contains("5. forecast_load: 负荷预测") && zh.contains("意图       负荷预测"),
        "{zh}"
    );
    write(&rig, "own.toml", GREETING);
    assert_eq!(
        rig.ask(&["workflow", "check", "own.toml"]).unwrap(),
        [json!({"workflow": "greeting", "steps": 1, "ok": true})]
    );
    let (code, out, _) = rig.says(&["workflow", "check", "own.toml", "--lang", "zh"]);
    assert_eq!((code, out.trim()), (Some(0), "✔ greeting: 1 步"));
    let (code, _, said) = rig.says(&["workflow", "show", "load_forcast"]);
    assert_eq!((code, codes(&said)), (Some(6), vec!["unknown_workflow"]));
    assert!(said.contains("did you mean `load_forecast`?"), "{said}");
}

#[test]
fn a_bad_workflow_file_is_refused_with_every_place_and_what_to_do_in_both_languages() {
    let rig = Rig::with("", "id: mine\nbuiltin: echo\n");
    let twice = GREETING.replace("echo", "ecko")
        + &GREETING.replace("greeting", "b").replace("echo", "mine");
    write(&rig, "own.toml", &twice);
    let (code, _, said) = rig.says(&["workflow", "check", "own.toml"]);
    assert_eq!((code, codes(&said)), (Some(2), vec!["unknown_tool"; 2]), "{said}");
    assert!(
        said.contains("own.toml, workflow `greeting`, step `step_1`: unknown tool `ecko`"),
        "{said}"
    );
    let (_, _, said) = rig.says(&["workflow", "check", "own.toml", "--tools", "tools.yaml"]);
    assert_eq!(codes(&said), ["unknown_tool"], "{said}");
    write(&rig, "bad.yaml", "workflows: {a: {step: []}}\n");
    for (lang, next) in [("en", "did you mean `steps`?"), ("zh", "是否想写 `steps`？")] {
        let (code, _, said) = rig.says(&["workflow", "check", "bad.yaml", "--lang", lang]);
        assert_eq!(
            (code, codes(&said)),
            (Some(2), vec!["unknown_field", "workflow_shape"]),
            "{said}"
        );
        assert!(said.contains(next), "{said}");
    }
    let (code, _, said) = rig.says(&["workflow", "check", "."]);
    assert_eq!((code, codes(&said)), (Some(2), vec!["file_unreadable"]), "{said}");
}

#[test]
fn a_part_that_is_shown_can_be_put_in_its_own_place() {
    let rig = Rig::empty();
    let (_, text, _) = rig.says(&["prompt", "show", "planning", "--lang", "zh"]);
    assert!(text.starts_with("stage: planning\n") && text.contains("<<workflow>>"), "{text}");
    write(&rig, ".praxis/prompts/zh/planning.md", &text.replace("最小计划", "\t小计划"));
    let (_, again, _) = rig.says(&["prompt", "show", "planning", "--lang", "zh"]);
    assert_eq!(again, text.replace("最小计划", "\t小计划"));
    let listed = rig.ask(&["prompt", "list"]).unwrap();
    let part = |name: &str| listed.iter().find(|line| line["part"] == name).unwrap();
    let source = &part("planning")["source"];
    assert!(source["zh"].as_str().unwrap().ends_with("prompts/zh/planning.md"), "{source}");
    assert_eq!(source["en"], "embedded");
    assert_eq!(part("reflection.step")["module"], "reflection");
    assert_eq!(part("reflection.step")["stage"], "reflection_step");
    assert_eq!(part("guide.rounds")["stage"], Value::Null);
    let checked = rig.ask(&["prompt", "check"]).unwrap();
    assert_eq!(checked.len(), 1);
    assert_eq!((&checked[0]["part"], &checked[0]["ok"]), (&json!("planning"), &json!(true)));
}

#[test]
fn a_bad_text_is_refused_by_check_and_only_warned_of_elsewhere() {
    let rig = Rig::empty();
    write(
        &rig,
        ".praxis/prompts/en/planning.md",
        "stage: plan\n<<notes>>\n<<workflows>> <<scene_guidance>>\n",
    );
    write(&rig, ".praxis/prompts/en/guides.md", "x");
    let expected = [
        "prompt_unknown_part",
        "prompt_bad_stage_line",
        "prompt_unknown_hole",
        "prompt_missing_hole",
    ];
    for words in [
        &["prompt", "check"][..],
        &["prompt", "check", ".praxis"],
        &["prompt", "check", ".praxis/prompts"],
    ] {
        let (code, out, said) = rig.says(words);
        assert_eq!((code, codes(&said), out.as_str()), (Some(2), expected.to_vec(), ""), "{said}");
        assert!(said.contains("planning line 3: unknown placeholder `<<workflows>>`"), "{said}");
        assert!(said.contains("did you mean `workflow`?"), "{said}");
    }
    let (_, _, said) = rig.says(&["prompt", "check", "--lang", "zh"]);
    assert!(said.contains("缺少占位符 `<<workflow>>`") && said.contains("第一行必须是"), "{said}");
    let (code, text, said) = rig.says(&["prompt", "show", "planning"]);
    assert!(
        code == Some(0) && text.contains("smallest plan") && said.contains("warning["),
        "{said}"
    );
    let (code, _, said) = rig.says(&["prompt", "show", "plan"]);
    assert_eq!((code, codes(&said)), (Some(6), vec!["prompt_unknown_part"]), "{said}");
    let (code, _, said) = rig.says(&["prompt", "check", "nowhere"]);
    assert_eq!((code, codes(&said)), (Some(2), vec!["file_unreadable"]), "{said}");
}

#[test]
fn without_texts_of_ones_own_there_is_nothing_to_check() {
    let rig = Rig::empty();
    let (code, out, said) = rig.says(&["prompt", "check"]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert!(said.contains("no prompt files found; the built-in prompts are used"), "{said}");
}

// A-038, A-039
#[test]
fn a_goal_with_its_values_becomes_a_plan_that_runs_without_a_model() {
    let rig = Rig::about_load();
    let csv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/load_forecast/load.csv");
    std::fs::copy(csv, rig.path("load.csv")).unwrap();
    let file = rig.path("load.csv").display().to_string();
    let goal = format!("意图: 负荷预测, 用户输入: 文件路径: {file}，预测小时数：6");
    let workflows = workflows();
    let stated = praxis_core::route::intent::intent(&goal);
    let (found, _) = workflow::matching(&workflows, stated, None, &goal).unwrap();
    let report = rig.path("report.md").display().to_string();
    let given = json!({"report_path": report}).as_object().unwrap().clone();
    let plan = workflow::plan(found, &goal, &given);
    write(&rig, "plan.json", &plan.to_string());
    let output = finish(&rig, &mut rig.praxis(&["run", "plan.json"]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let steps = rig.last()["steps"].as_array().unwrap().clone();
    assert!(steps.len() == 6 && steps.iter().all(|step| step["status"] == "SUCCESS"), "{steps:?}");
    let report = std::fs::read_to_string(rig.path("report.md")).unwrap();
    assert!(report.contains("负荷预测 Load forecast"), "{report}");
}

/// What the goal does not say is asked for, never made up.
#[test]
fn a_goal_without_its_values_becomes_a_plan_that_asks() {
    let rig = Rig::about_load();
    let workflows = workflows();
    let plan = workflow::plan(&workflows[0], "check the csv", &Map::new());
    write(&rig, "plan.json", &plan.to_string());
    let output = finish(&rig, &mut rig.praxis(&["run", "plan.json"]));
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(rig.says(&["inbox"]).1.contains("file_path"));
}

/// The pages' files are written and their commands run, in the order of the page.
#[test]
fn the_examples_of_the_guide_work() {
    for (page, least) in [("scenes", 2), ("workflows", 2), ("prompts", 2)] {
        let rig = Rig::empty();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
        let text = std::fs::read_to_string(root.join(format!("{page}.md"))).unwrap();
        let mut run = 0;
        for block in text.split("\n```").skip(1).step_by(2) {
            let (kind, body) = block.split_once('\n').unwrap();
            if kind == "toml" {
                write(&rig, body.lines().next().unwrap().trim_start_matches("# "), body);
            } else if kind == "sh" {
                run += 1;
                succeeds(&rig, body);
            }
        }
        assert!(run >= least, "{page}: {run}");
    }
}

fn succeeds(rig: &Rig, script: &str) {
    let folder = Path::new(env!("CARGO_BIN_EXE_praxis")).parent().unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let mut shell = rig.program("sh");
    shell.args(["-e", "-c", script]).env("PRAXIS_DATA", rig.data());
    shell.env("PATH", format!("{}:{}", folder.display(), known.display()));
    let output = finish(rig, &mut shell);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("warning"), "{script}\n{said}");
}
