use super::*;
use crate::document::UnreadableDocument;
use crate::lang::Lang;
use crate::problem::Problem;

/// One of every kind.
fn every_reason() -> Vec<ProblemReason> {
    let text = |text: &str| text.to_owned();
    let breaches = [
        DocumentBreach::NotUtf8(7),
        DocumentBreach::Syntax(text("`said`")),
        DocumentBreach::Deep(100),
        DocumentBreach::Many(2000),
        DocumentBreach::Aliases(2000),
        DocumentBreach::Twice(text("key")),
        DocumentBreach::NotFinite,
        DocumentBreach::Documents,
        DocumentBreach::Inexact(text("123")),
        DocumentBreach::LeadingZero(text("007")),
    ];
    let not_json = UnreadableDocument { why: DocumentBreach::Twice(text("key")), at: None };
    let mut all: Vec<ProblemReason> = breaches.into_iter().map(ProblemReason::Document).collect();
    all.extend([
        ProblemReason::PlanNoObject,
        ProblemReason::PlanNoSteps,
        ProblemReason::PlanMetadata,
        ProblemReason::PlanEmpty,
        ProblemReason::PlanTooLarge { most: 20_000 },
        ProblemReason::UnknownField { field: text("steps_") },
        ProblemReason::StepNoObject,
        ProblemReason::StepNoId { key: text("step_id"), found: None },
        ProblemReason::StepNoId { key: text("step_id"), found: Some(text("false")) },
        ProblemReason::StepNoTool,
        ProblemReason::StepToolAndActions,
        ProblemReason::StepActionsAndParameters,
        ProblemReason::StepActions,
        ProblemReason::StepDependencies,
        ProblemReason::StepDuration,
        ProblemReason::Parameters(BadParameters::NotJson(not_json)),
        ProblemReason::Parameters(BadParameters::NotAnObject("array")),
        ProblemReason::BadId { key: text("step_id"), why: BadName::Empty },
        ProblemReason::BadId { key: text("step_id"), why: BadName::Long(129) },
        ProblemReason::BadId { key: text("step_id"), why: BadName::Forbidden('/') },
    ]);
    all.extend(of_references());
    all.extend(of_manifests());
    all
}

fn of_references() -> Vec<ProblemReason> {
    let text = |text: &str| text.to_owned();
    vec![
        ProblemReason::DuplicateStep,
        ProblemReason::MetadataIsStep,
        ProblemReason::ParameterTooLarge { limit: 65_536 },
        ProblemReason::UnknownTool { tool: text("crm") },
        ProblemReason::SelfDependency,
        ProblemReason::ReadsItself { source: text("{{a}}") },
        ProblemReason::UnknownDependency { step: text("b") },
        ProblemReason::BadPlaceholder { source: text("{{}}"), why: Malformed::Empty },
        ProblemReason::BadPlaceholder { source: text("{{a"), why: Malformed::Unclosed },
        ProblemReason::BadPlaceholder { source: text("{{a..b}}"), why: Malformed::Path },
        ProblemReason::UnknownStep { source: text("{{c.output}}"), name: text("c") },
        ProblemReason::UnknownOutputField {
            source: text("{{a.outputs.x}}"),
            step: text("a"),
            reached: text(".y"),
            field: text("x"),
        },
        ProblemReason::MissingParameter { tool: text("crm"), name: text("city") },
        ProblemReason::UnknownParameter { tool: text("crm"), name: text("city") },
        ProblemReason::BadParameter { detail: text("7 is not of type `string`") },
        ProblemReason::Cycle { steps: vec![text("a"), text("b"), text("a")] },
    ]
}

fn of_manifests() -> Vec<ProblemReason> {
    let text = |text: &str| text.to_owned();
    vec![
        ProblemReason::ManifestNoTool,
        ProblemReason::ManifestNoTransport { fields: vec!["command", "http"] },
        ProblemReason::ManifestTransports { fields: vec!["command", "http"] },
        ProblemReason::ManifestField { said: text("missing field `id`") },
        ProblemReason::BadSchema { why: text("`x` is no type") },
        ProblemReason::BadSpan,
        ProblemReason::TooManyRetries { most: 100 },
        ProblemReason::NoConcurrency,
        ProblemReason::NoProgram,
        ProblemReason::BadUrl,
        ProblemReason::Http(crate::problem::http_flaw::HttpFlaw::Twice(text("cookie"))),
        ProblemReason::BadDatabaseUrl,
        ProblemReason::OpenPassword,
        ProblemReason::NoQuery,
        ProblemReason::BadBound { most: 7 },
        ProblemReason::NamesItself,
        ProblemReason::OwnName { tool: "Loop".into() },
        ProblemReason::NoArgumentsFit,
        ProblemReason::NoDescription,
        ProblemReason::NotEmptyWrite,
        ProblemReason::NotEmptyField,
        ProblemReason::NotOptional { name: text("city") },
        ProblemReason::DuplicateTool { tool: text("crm"), other: text("a.yaml") },
        ProblemReason::TakenTool { tool: text("crm") },
        ProblemReason::BuiltInTool { tool: text("echo") },
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
    let problem = Problem::of(&ProblemReason::UnknownTool { tool: "eco".to_owned() }, "step `a`");
    let problem = problem.or_near(&["echo".to_owned(), "ecma".to_owned()]);
    assert_eq!(problem.told(Lang::En).next, Some("did you mean `echo` or `ecma`?"));
    assert_eq!(problem.told(Lang::Zh).next, Some("是否想写 `echo` 或 `ecma`？"));
    assert_eq!(problem.told(Lang::Zh).message, "未知工具 `eco`");
}
