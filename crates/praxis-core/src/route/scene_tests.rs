use super::*;
use serde_json::json;

fn found(intent: Option<&str>, goal: &str) -> (String, SceneMatch) {
    let scenes = embedded();
    let (id, how) = matching(&scenes, intent, goal);
    (id.to_owned(), how)
}

fn of_intent(intent: &str) -> (String, SceneMatch) {
    found(Some(intent), "")
}

#[test]
fn the_five_scenes_are_read_in_their_order_with_seven_guidances_in_both_languages() {
    let scenes = embedded();
    let ids: Vec<&str> = scenes.iter().map(|scene| scene.id.as_str()).collect();
    let expected =
        ["NaturalLanguageModeling", "ToolManagement", "PlcController", "ClientManagement", GENERAL];
    assert_eq!(ids, expected);
    for scene in &scenes {
        assert_eq!(scene.guidance.len(), 7, "{}", scene.id);
        for (topic, words) in &scene.guidance {
            let quoted = |line: &str| {
                let mut quoted: Vec<String> =
                    line.split('`').skip(1).step_by(2).map(str::to_owned).collect();
                quoted.sort();
                quoted
            };
            let lines = |text: &str| text.lines().map(quoted).collect::<Vec<_>>();
            assert!(words.en.starts_with("- ") && words.zh.starts_with("- "));
            assert_eq!(lines(&words.en), lines(&words.zh), "{} {topic:?}", scene.id);
        }
    }
}

// A-031
#[test]
fn an_intent_that_is_a_name_of_a_scene_names_it_in_any_case_and_width() {
    let documented = [
        ("NaturalLanguageModeling", "自然语言建模 自动建模 建模 modeling 仿真"),
        ("ToolManagement", "工具管理 代码生成 工具 tool_management Tool TOOL_MANAGEMENT"),
        ("PlcController", "PLC控制器 plc ＰＬＣ 控制器 Controller"),
        ("ClientManagement", "客户端管理 客户端操作 客户端 角色 role client"),
        ("General", "通用 general Default GENERAL"),
    ];
    for (scene, names) in documented {
        for name in names.split_whitespace() {
            assert_eq!(of_intent(name), (scene.to_owned(), SceneMatch::Alias), "{name}");
        }
    }
}

// A-031
#[test]
fn a_name_within_an_intent_tells_the_scene_by_whole_words() {
    for (intent, scene) in [
        ("PLC控制器调试", "PlcController"),
        ("角色管理", "ClientManagement"),
        ("tools for PLC", "ToolManagement"),
        ("控制", "PlcController"),
        ("自动建", "NaturalLanguageModeling"),
    ] {
        assert_eq!(of_intent(intent), (scene.to_owned(), SceneMatch::Keyword), "{intent}");
    }
    for intent in ["controllers_x", "stool", "parole", "负荷预测", "天气"] {
        assert_eq!(of_intent(intent), (GENERAL.to_owned(), SceneMatch::Default), "{intent}");
    }
}

// A-031
#[test]
fn a_text_that_is_tiny_empty_or_part_of_several_names_tells_nothing() {
    for intent in ["角", "模", "", " ", "pl", "管理", "manage"] {
        assert_eq!(of_intent(intent), (GENERAL.to_owned(), SceneMatch::Default), "{intent:?}");
    }
}

#[test]
fn a_goal_is_asked_only_where_no_intent_is_stated_and_only_for_telling_phrases() {
    let keyword = |scene: &str| (scene.to_owned(), SceneMatch::Keyword);
    assert_eq!(found(None, "为水箱系统建模并仿真"), keyword("NaturalLanguageModeling"));
    assert_eq!(found(None, "Please create a tool that adds"), keyword("ToolManagement"));
    assert_eq!(found(None, "读取PLC的状态"), keyword("PlcController"));
    assert_eq!(found(None, "为张三分配角色"), keyword("ClientManagement"));
    for goal in ["", "用工具查询天气", "the role of rain", "温度控制器说明书", "分析小说角色"]
    {
        assert_eq!(found(None, goal), (GENERAL.to_owned(), SceneMatch::Default), "{goal}");
    }
    assert_eq!(found(Some("负荷预测"), "读取PLC"), (GENERAL.to_owned(), SceneMatch::Default));
}

// A-032
#[test]
fn guidance_is_told_by_topic_and_language_and_none_is_none() {
    let scenes = embedded();
    let tools = &scenes[1];
    let told = tools.guidance(Topic::Planning, Lang::Zh).unwrap();
    assert!(told.contains("只规划设计文档"), "{told}");
    let bare = read(&json!({"id": "x"})).unwrap();
    assert_eq!(bare.guidance(Topic::Planning, Lang::En), None);
    assert_eq!(bare.name.zh, "x");
    assert_eq!(Topic::of_stage("reflection_step"), Some(Topic::Reflection));
    assert_eq!(Topic::of_stage("strategy"), None);
}

#[test]
fn everything_wrong_with_a_scene_is_told_with_its_place_and_near_names() {
    let document = json!({
        "id": "a b", "name": {"en": "A"}, "alias": [], "keywords": ["x", 7],
        "guidance": {"plan": "x", "planning": 7, "selection": ""},
    });
    let problems = read(&document).unwrap_err();
    let told: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
    insta::assert_snapshot!(told, @r"
    unknown_field: unknown field `alias` (did you mean `aliases`?)
    bad_id: `id`: it contains ' ', which is not allowed in an id
    scene_shape: name, zh: missing or empty
    scene_shape: keywords: expected a list of non-empty strings, got `array`
    unknown_field: guidance: unknown field `plan` (did you mean `planning` or `replanning`?)
    scene_shape: guidance, selection: missing or empty
    scene_shape: guidance, planning: expected a string or a table with `en` and `zh`, got `number`
    ");
    assert_eq!(read(&json!([])).unwrap_err().len(), 1);
}
