//! The texts that models read, and what may take their place.

use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::prompt::{PARTS, Pack, part};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn overrides(part: &str, text: &str) -> BTreeMap<String, String> {
    [(part.to_owned(), text.to_owned())].into()
}

fn refused(part: &str, text: &str) -> String {
    let problems = Pack::embedded(Lang::En).with(overrides(part, text)).unwrap_err();
    problems.iter().map(|problem: &Problem| format!("{problem}\n")).collect()
}

// A-079
#[test]
fn a_text_of_ones_own_takes_the_place_of_one_part_and_of_no_other() {
    let own = "stage: planning\n<<notes>> <<workflow>>\n<<scene_guidance>> <<notes>>\n";
    let pack = Pack::embedded(Lang::Zh).with(overrides("planning", own)).unwrap();
    let fillings = [("scene_guidance", "s"), ("workflow", "w"), ("notes", "n")];
    assert_eq!(pack.render("planning", &fillings), "stage: planning\nn w\ns n");
    let embedded = Pack::embedded(Lang::Zh);
    for part in PARTS.iter().filter(|part| part.name != "planning") {
        assert_eq!(pack.text(part.name), embedded.text(part.name));
    }
}

// A-079
#[test]
fn an_unknown_part_an_unknown_hole_and_a_missing_one_are_refused_with_near_names() {
    insta::assert_snapshot!(refused("planing", "x"), @"prompt_unknown_part: planing: unknown prompt part `planing` (did you mean `planning` or `replanning`?)");
    insta::assert_snapshot!(refused("planning", "stage: planning\n\n<<scene_guidance>> <<workflows>> <<workflows>>\n<<Notes>>"), @r"
    prompt_unknown_hole: planning line 3: unknown placeholder `<<workflows>>` (did you mean `workflow`?)
    prompt_unknown_hole: planning line 4: unknown placeholder `<<Notes>>` (did you mean `notes`?)
    prompt_missing_hole: planning: missing placeholder `<<workflow>>`
    prompt_missing_hole: planning: missing placeholder `<<notes>>`
    ");
    insta::assert_snapshot!(refused("none", "<<goal>>"), @"prompt_unknown_hole: none line 1: unknown placeholder `<<goal>>`");
}

#[test]
fn a_stage_keeps_its_first_line() {
    insta::assert_snapshot!(refused("plan_correction", "Stage: plan\n<<problems>>"), @"prompt_bad_stage_line: plan_correction line 1: the first line must be `stage: planning`");
    insta::assert_snapshot!(refused("answer_correction", "stage: planning\n<<stage>><<problems>>"), @"prompt_bad_stage_line: answer_correction line 1: the first line must be `stage: <<stage>>`");
}

#[test]
fn all_problems_of_all_parts_are_told_at_once() {
    let two = [("none".to_owned(), "<<x>>".to_owned()), ("guides".to_owned(), String::new())];
    assert_eq!(Pack::embedded(Lang::En).with(two.into()).unwrap_err().len(), 2);
}

// A-032
#[test]
fn a_scene_without_guidance_has_the_neutral_sentence_and_one_with_it_the_highest_priority() {
    let pack = Pack::embedded(Lang::Zh);
    for nothing in [None, Some(""), Some(" \n")] {
        assert_eq!(pack.guidance(nothing), "无场景专属指导，使用通用规划策略。");
    }
    let shown = pack.guidance(Some("先写设计文档。\n"));
    assert!(shown.contains("优先级最高") && shown.ends_with("\n先写设计文档。"), "{shown}");
    assert_eq!([pack.or_none(""), pack.or_none("x")], ["无", "x"]);
}

#[test]
fn a_pack_that_was_pinned_before_a_part_came_to_be_has_the_text_of_today() {
    let mut written = serde_json::to_value(Pack::embedded(Lang::En)).unwrap();
    written["texts"].as_object_mut().unwrap().remove("guide.rounds");
    let pinned: Pack = serde_json::from_value(written).unwrap();
    assert_eq!(pinned.text("guide.rounds"), part("guide.rounds").unwrap().text(Lang::En));
    assert_eq!(pinned.lang(), Lang::En);
}

proptest! {
    #[test]
    fn what_is_filled_in_is_never_scanned(text in r"(<<goal>>|<<tools>>|<<|>>|<|goal|步| |\n){0,12}") {
        let pack = Pack::embedded(Lang::En);
        let fillings = [("tools", text.as_str()), ("goal", "G"), ("context", "C"), ("metadata", "M")];
        let rendered = pack.render("foundation", &fillings);
        let (before, after) = pack.text("foundation").split_once("<<tools>>").unwrap();
        let after = after.replace("<<goal>>", "G").replace("<<context>>", "C").replace("<<metadata>>", "M");
        prop_assert_eq!(rendered, format!("{before}{text}{after}"));
    }

    #[test]
    fn the_name_of_a_pack_is_that_of_its_content(words in "[a-z 步]{0,8}") {
        let own = format!("{words}<<guidance>>");
        let make = || Pack::embedded(Lang::En).with(overrides("scene_guidance", &own)).unwrap();
        let written = serde_json::to_string(&make()).unwrap();
        let read: Pack = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(make().hash(), read.hash());
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let other = format!("{words}!<<guidance>>");
        let other = Pack::embedded(Lang::En).with(overrides("scene_guidance", &other)).unwrap();
        prop_assert_ne!(other.hash(), read.hash());
    }
}
