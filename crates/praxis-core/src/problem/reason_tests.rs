use super::*;
use crate::document::Unreadable;
use crate::lang::Lang;
use crate::problem::Problem;

/// One of every kind.
fn every_reason() -> Vec<Reason> {
    let text = |text: &str| text.to_owned();
    let breaches = [
        Breach::NotUtf8(7),
        Breach::Syntax(text("`said`")),
        Breach::Deep(100),
        Breach::Many(2000),
        Breach::Aliases(2000),
        Breach::Twice(text("key")),
        Breach::NotFinite,
        Breach::Documents,
        Breach::Inexact(text("123")),
        Breach::LeadingZero(text("007")),
    ];
    let not_json = Unreadable { why: Breach::Twice(text("key")), at: None };
    let mut all: Vec<Reason> = breaches.into_iter().map(Reason::Document).collect();
    all.extend([
        Reason::PlanNoObject,
        Reason::PlanNoSteps,
        Reason::PlanMetadata,
        Reason::PlanEmpty,
        Reason::PlanTooLarge { most: 20_000 },
        Reason::UnknownField { field: text("steps_") },
        Reason::StepNoObject,
        Reason::StepNoId { key: text("step_id"), found: None },
        Reason::StepNoId { key: text("step_id"), found: Some(text("false")) },
        Reason::StepNoTool,
        Reason::StepToolAndActions,
        Reason::StepActionsAndParameters,
        Reason::StepActions,
        Reason::StepDependencies,
        Reason::StepDuration,
        Reason::Parameters(BadParameters::NotJson(not_json)),
        Reason::Parameters(BadParameters::NotAnObject("array")),
        Reason::BadId { key: text("step_id"), why: BadName::Empty },
        Reason::BadId { key: text("step_id"), why: BadName::Long(129) },
        Reason::BadId { key: text("step_id"), why: BadName::Forbidden('/') },
    ]);
    all.extend(of_references());
    all.extend(of_manifests());
    all
}

fn of_references() -> Vec<Reason> {
    let text = |text: &str| text.to_owned();
    vec![
        Reason::DuplicateStep,
        Reason::MetadataIsStep,
        Reason::ParameterTooLarge { limit: 65_536 },
        Reason::UnknownTool { tool: text("crm") },
        Reason::SelfDependency,
        Reason::ReadsItself { source: text("{{a}}") },
        Reason::UnknownDependency { step: text("b") },
        Reason::BadPlaceholder { source: text("{{}}"), why: Malformed::Empty },
        Reason::BadPlaceholder { source: text("{{a"), why: Malformed::Unclosed },
        Reason::BadPlaceholder { source: text("{{a..b}}"), why: Malformed::Path },
        Reason::UnknownStep { source: text("{{c.output}}"), name: text("c") },
        Reason::UnknownOutputField {
            source: text("{{a.outputs.x}}"),
            step: text("a"),
            reached: text(".y"),
            field: text("x"),
        },
        Reason::MissingParameter { tool: text("crm"), name: text("city") },
        Reason::UnknownParameter { tool: text("crm"), name: text("city") },
        Reason::BadParameter { detail: text("7 is not of type `string`") },
        Reason::Cycle { steps: vec![text("a"), text("b"), text("a")] },
    ]
}

fn of_manifests() -> Vec<Reason> {
    let text = |text: &str| text.to_owned();
    vec![
        Reason::ManifestNoTool,
        Reason::ManifestNoTransport { fields: vec!["command", "http"] },
        Reason::ManifestTransports { fields: vec!["command", "http"] },
        Reason::ManifestField { said: text("missing field `id`") },
        Reason::BadSchema { why: text("`x` is no type") },
        Reason::BadSpan,
        Reason::TooManyRetries { most: 100 },
        Reason::NoConcurrency,
        Reason::NoProgram,
        Reason::BadUrl,
        Reason::Http(crate::problem::http_flaw::HttpFlaw::Twice(text("cookie"))),
        Reason::BadDatabaseUrl,
        Reason::OpenPassword,
        Reason::NoQuery,
        Reason::BadBound { most: 7 },
        Reason::NamesItself,
        Reason::OwnName { tool: "Loop".into() },
        Reason::NoArgumentsFit,
        Reason::NoDescription,
        Reason::NotEmptyWrite,
        Reason::NotEmptyField,
        Reason::NotOptional { name: text("city") },
        Reason::DuplicateTool { tool: text("crm"), other: text("a.yaml") },
        Reason::TakenTool { tool: text("crm") },
        Reason::BuiltInTool { tool: text("echo") },
    ]
}

/// What stands in backticks, and the numbers.
fn values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    values.extend(numbers.map(str::to_owned));
    values.sort();
    values
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

#[test]
fn every_reason_has_words_in_both_languages_that_name_the_same_values() {
    for reason in every_reason() {
        let words = reason.words();
        assert!(is_chinese(&words.zh) && !is_chinese(&words.en), "{words:?}");
        assert_eq!(values(&words.en), values(&words.zh), "{words:?}");
    }
}

#[test]
fn every_reason_says_what_to_do_next_in_both_languages() {
    for reason in every_reason() {
        let problem = Problem::of(&reason, "");
        let (en, zh) = (problem.told(Lang::En).next, problem.told(Lang::Zh).next);
        let (en, zh) = (en.expect(&problem.code), zh.expect(&problem.code));
        assert!(!en.is_empty() && is_chinese(zh), "{en} {zh}");
        assert_eq!(values(en), values(zh));
    }
}

#[test]
fn near_names_are_offered_in_both_languages() {
    let problem = Problem::of(&Reason::UnknownTool { tool: "eco".to_owned() }, "step `a`");
    let problem = problem.or_near(&["echo".to_owned(), "ecma".to_owned()]);
    assert_eq!(problem.told(Lang::En).next, Some("did you mean `echo` or `ecma`?"));
    assert_eq!(problem.told(Lang::Zh).next, Some("是否想写 `echo` 或 `ecma`？"));
    assert_eq!(problem.told(Lang::Zh).message, "没有名为 `eco` 的工具");
}
