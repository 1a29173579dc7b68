//! What holds for the texts in the binary: both languages say the same, and what they show is right.

use super::holes::{names, pieces};
use super::parts::PromptOpening;
use super::*;
use crate::lang::Lang;
use crate::schema::Schema;
use serde_json::Value;

const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];

/// The stage that a part belongs to.
fn stage(part: &PromptPart) -> Option<&'static str> {
    match part.opening {
        PromptOpening::Stage(stage) => Some(stage),
        PromptOpening::AnyStage | PromptOpening::Free => None,
    }
}

fn is_numbered(line: &&str) -> bool {
    line.split_once(". ").is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()))
}

fn rules(text: &str) -> Vec<&str> {
    text.lines().filter(is_numbered).collect()
}

/// What a rule says in no language: words in backticks, and numbers.
fn told(rule: &str) -> (Vec<&str>, Vec<&str>) {
    let mut quoted: Vec<&str> = rule.split('`').skip(1).step_by(2).collect();
    quoted.sort_unstable();
    let plain = rule.split('`').step_by(2);
    let digits = plain.flat_map(|text| text.split(|c: char| !c.is_ascii_digit()));
    let mut numbers: Vec<&str> = digits.filter(|run| !run.is_empty()).collect();
    numbers.sort_unstable();
    (quoted, numbers)
}

fn examples(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The keys of a value at any depth, without the names of parameters.
fn keys(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| [vec![key.clone()], keys(value)].concat()).collect()
        }
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
    }
}

#[test]
fn every_part_has_its_first_line_and_exactly_its_holes_in_both_languages() {
    for part in PARTS {
        for lang in LANGS {
            assert_eq!(names(part.text(lang)), part.holes, "{} {lang:?}", part.name);
            assert_eq!(check(part, part.text(lang)), [], "{} {lang:?}", part.name);
        }
    }
}

#[test]
fn a_part_that_is_given_its_holes_has_none_left() {
    for part in PARTS {
        let fillings: Vec<(&str, &str)> = part.holes.iter().map(|hole| (*hole, "x")).collect();
        for lang in LANGS {
            let text = Pack::embedded(lang).render(part.name, &fillings);
            assert!(!text.is_empty() && names(&text).is_empty(), "{} {lang:?}", part.name);
            assert_eq!(pieces(&text).len(), 1);
        }
    }
}

#[test]
fn both_languages_have_the_same_rules_in_the_same_order() {
    for part in PARTS {
        let (en, zh) = (rules(part.text(Lang::En)), rules(part.text(Lang::Zh)));
        assert_eq!(en.len(), zh.len(), "{}", part.name);
        for (en, zh) in en.iter().zip(&zh) {
            assert_eq!(told(en), told(zh), "{}:\n{en}\n{zh}", part.name);
        }
        let headings = |text: &str| text.lines().filter(|line| line.starts_with("# ")).count();
        assert_eq!(headings(part.text(Lang::En)), headings(part.text(Lang::Zh)), "{}", part.name);
    }
}

#[test]
fn every_stage_shows_one_example_that_its_own_schema_takes_alike_in_both_languages() {
    for part in PARTS.iter().filter(|part| !part.name.ends_with("_correction")) {
        let Some(stage) = stage(part) else { continue };
        let fits = Schema::compile(schema(stage).unwrap()).unwrap();
        let (en, zh) = (examples(part.text(Lang::En)), examples(part.text(Lang::Zh)));
        assert_eq!((en.len(), zh.len()), (1, 1), "{}", part.name);
        for example in [&en[0], &zh[0]] {
            assert_eq!(fits.errors(example), [], "{}", part.name);
        }
        assert_eq!(keys(&en[0]), keys(&zh[0]), "{}", part.name);
    }
}

#[test]
fn the_twelve_modules_of_the_documents_are_there() {
    let documented = "selection planning continue_planning evaluation reflection replanning \
        single_step_repair parameter_inference post_task_evaluation message_formatter ai_reporter \
        scene_guidance";
    for module in documented.split_whitespace() {
        assert!(PARTS.iter().any(|part| part.module() == module), "{module}");
    }
    for stage in STAGES {
        assert!(PARTS.iter().any(|part| self::stage(part) == Some(stage)), "{stage}");
        assert!(schema(stage).is_some() && schema_text(stage).is_some(), "{stage}");
    }
    assert!(schema("nothing").is_none());
}

#[test]
fn the_foundation_is_constant_up_to_the_tools_and_ends_with_its_four_holes() {
    for lang in LANGS {
        let text = part("foundation").unwrap().text(lang);
        let (constant, rest) = text.split_once("<<tools>>").unwrap();
        assert!(names(constant).is_empty() && rules(constant).len() == 7);
        let mut lines = rest.lines().filter(|line| !line.is_empty());
        assert!(lines.clone().all(|line| line.starts_with("# ") || line.starts_with("<<")));
        assert_eq!(lines.next_back(), Some("<<metadata>>"));
    }
}

//
#[test]
fn the_guide_shows_the_documented_ranges_with_the_present_numbers() {
    let render = |lang, part: &str, hole, now| Pack::embedded(lang).render(part, &[(hole, now)]);
    let rounds = |lang| render(lang, "guide.rounds", "round", "4");
    let retries = |lang| render(lang, "guide.retries", "step_retries", "5");
    let zh = "轮数，当前 4：1-3 正常范围；4-5 建议审视；6-10 ⚠️ 超出常规范围；11 及以上 🚨 强烈建议停止。";
    assert_eq!(rounds(Lang::Zh), zh);
    let zh = retries(Lang::Zh);
    assert!(zh.starts_with("步骤重试，当前 5：1-2 ") && zh.contains("6 及以上 🚨 应重规划或停止"));
    assert!(rounds(Lang::En).starts_with("Rounds, now 4: 1-3 normal range; 4-5 review; 6-10 ⚠️"));
    assert!(retries(Lang::En).contains("now 5: 1-2 normal") && retries(Lang::En).contains("6+ 🚨"));
}

/// Servers that bind a model to a schema refuse what they do not know.
#[test]
fn schemas_are_made_of_simple_words_and_every_object_says_whether_it_is_open() {
    fn walk(schema: &Value) {
        let map = schema.as_object().unwrap();
        let known = ["type", "properties", "required", "items", "enum"];
        for key in map.keys().filter(|key| *key != "additionalProperties") {
            assert!(known.contains(&key.as_str()), "{key}");
        }
        let is_object = map["type"] == "object";
        assert_eq!(is_object, map.contains_key("additionalProperties"), "{schema}");
        for inner in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
            walk(inner.1);
        }
        map.get("items").into_iter().for_each(walk);
    }
    for stage in STAGES {
        walk(schema(stage).unwrap());
    }
}
