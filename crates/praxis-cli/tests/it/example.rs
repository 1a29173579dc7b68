//! Examples: what they bring is at hand in their folder and nowhere else, and the folder can be written anywhere.

use crate::rig::{Rig, finish, json_lines};
use serde_json::{Value, json};

/// Goals that a load tool would be found by.
const SENTENCES: [&str; 6] = [
    "load forecast, file_path: load.csv",
    "对杭州进行负荷预测，文件路径: load.csv",
    "find the peaks of the load in load.csv",
    "check sales.csv for errors",
    "Write a report about sales.csv",
    "汇总 sales.csv",
];

/// Goals about any table. With load tools at hand, each was planned with one of them.
const GENERAL: [&str; 4] = [
    "load sales.csv",
    "load the data in sales.csv",
    "获取 sales.csv 的数据",
    "查看 sales.csv 的数据",
];

fn load_tools() -> Vec<String> {
    let example = praxis_toolbox::ExampleProject::named("load-forecast").unwrap();
    example.tools().iter().map(|tool| tool.id.to_string()).collect()
}

/// The tools that a goal comes near to, and those of its plan.
fn explained(rig: &Rig, goal: &str) -> Value {
    let output = finish(rig, &mut rig.praxis(&["plan", "--explain", goal]));
    json_lines(&output.stdout).remove(0)
}

#[test]
fn outside_of_the_example_no_load_tool_is_listed_found_or_planned_with() {
    let rig = Rig::empty();
    let listed = rig.ask(&["tool", "list"]).unwrap();
    assert!(listed.iter().all(|tool| !load_tools().iter().any(|id| tool["id"] == **id)));
    assert!(rig.ask(&["workflow", "list"]).unwrap().is_empty());
    for words in SENTENCES.into_iter().chain(GENERAL) {
        let found = rig.ask(&["tool", "search", words, "-n", "1000"]).unwrap();
        let told = [json!(found), explained(&rig, words)].map(|one| one.to_string()).concat();
        let offered = load_tools().into_iter().find(|id| told.contains(&format!("\"{id}\"")));
        assert_eq!(offered, None, "{words}: {told}");
    }
}

#[test]
fn a_goal_about_any_table_is_served_by_a_general_tool() {
    let rig = Rig::empty();
    std::fs::write(rig.path("sales.csv"), "city,amount\nHangzhou,3\n").unwrap();
    for goal in GENERAL {
        let (code, out, noted) = rig.says(&["run", goal, "--no-experience"]);
        assert!(code == Some(0) && out.contains("Hangzhou"), "{goal}: {out}\n{noted}");
        let steps = rig.last()["steps"].as_array().unwrap().clone();
        assert_eq!(steps.len(), 1, "{goal}: {noted}");
        assert!(noted.contains("read_table"), "{goal}: {noted}");
    }
}

#[test]
fn what_the_example_taught_does_not_bring_its_tools_elsewhere() {
    let rig = Rig::empty();
    let (code, _, noted) = rig.says(&["run", "--example", "load-forecast"]);
    assert_eq!(code, Some(0), "{noted}");
    let (code, _, noted) =
        rig.says(&["run", "Make a load forecast for Hangzhou for the next 24 hours"]);
    assert!(code == Some(2) && noted.contains("error[no_plan]"), "{noted}");
}

#[test]
fn the_folder_of_the_example_is_written_and_its_sentences_work_in_it() {
    let rig = Rig::empty();
    for (lang, next) in [("en", "  next    cd load_"), ("zh", "  下一步  cd load_")] {
        let folder = format!("load_{lang}");
        let words = ["example", "load-forecast", &folder, "--lang", lang];
        let (code, out, noted) = rig.says(&words);
        assert_eq!((code, out.trim()), (Some(0), folder.as_str()), "{noted}");
        assert!(noted.contains(next), "{noted}");
        let run = noted.lines().find_map(|line| line.trim().strip_prefix("praxis run ")).unwrap();
        let inside = |words: &[&str]| {
            let output = finish(&rig, rig.praxis(words).current_dir(rig.path(&folder)));
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (code, noted) = inside(&["run", run.trim_matches('"')]);
        assert_eq!(code, Some(0), "{noted}");
        assert!(rig.path(&folder).join("load_forecast_report.md").exists());
        for words in [&["run", "plan.yaml"][..], &["run", "--example", "load-forecast"]] {
            let (code, noted) = inside(words);
            assert_eq!(code, Some(0), "{words:?}: {noted}");
        }
    }
}

#[test]
fn an_example_is_written_over_nothing() {
    let rig = Rig::empty();
    std::fs::create_dir(rig.path("empty")).unwrap();
    assert_eq!(rig.says(&["example", "load-forecast", "empty"]).0, Some(0));
    std::fs::write(rig.path("file"), "mine").unwrap();
    std::fs::create_dir(rig.path("mine")).unwrap();
    std::fs::write(rig.path("mine/.hidden"), "mine").unwrap();
    for (folder, why) in [
        ("empty", "empty is not empty"),
        ("mine", "mine is not empty"),
        ("file", "file is not a folder"),
    ] {
        let (code, out, noted) = rig.says(&["example", "load-forecast", folder]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{noted}");
        assert!(noted.contains(&format!("error[folder_taken]: {why}")), "{noted}");
        assert!(noted.contains("next: choose a new or empty folder"), "{noted}");
    }
    assert_eq!(std::fs::read_to_string(rig.path("file")).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(rig.path("mine")).unwrap().count(), 1);
}

#[test]
fn examples_are_listed_in_both_languages_and_for_programs() {
    let rig = Rig::empty();
    let (_, en, _) = rig.says(&["example"]);
    let (_, zh, _) = rig.says(&["example", "--lang", "zh"]);
    assert!(en.starts_with("load-forecast ") && en.contains("12 tools"), "{en}");
    assert!(zh.starts_with("load-forecast ") && zh.contains("12 个工具"), "{zh}");
    let listed = rig.ask(&["example"]).unwrap();
    assert_eq!((listed.len(), &listed[0]["example"]), (1, &json!("load-forecast")));
    let written = rig.ask(&["example", "load-forecast", "a b"]).unwrap().remove(0);
    assert_eq!((&written["folder"], &written["next"][0]), (&json!("a b"), &json!("cd 'a b'")));
    let (code, _, noted) = rig.says(&["example", "load-forcast"]);
    assert!(
        code == Some(6) && noted.contains("run `praxis example` to list all examples"),
        "{noted}"
    );
}

#[test]
fn what_only_an_example_brings_is_missed_with_the_way_to_it() {
    let rig = Rig::empty();
    let way = "`praxis example load-forecast`";
    for words in [
        &["tool", "show", "find_peaks"][..],
        &["tool", "call", "find_peaks"],
        &["workflow", "show", "csv_check"],
        &["run", "check it", "--workflow", "csv_check"],
    ] {
        for lang in ["en", "zh"] {
            let (code, _, noted) = rig.says(&[words, &["--lang", lang]].concat());
            assert!(code == Some(6) && noted.contains(way), "{words:?}: {noted}");
        }
    }
}
