use super::*;

fn refused(parameter: Parameter) -> ModelFault {
    ModelFault::ModelParameterRefused { parameter, message: String::new() }
}

#[test]
fn every_refusal_of_a_form_leads_one_rung_down_and_no_further_than_words() {
    let mut card = CapabilityCard::default();
    let mut rungs = vec![card.rung];
    while card.learn(&refused(Parameter::ResponseFormat)) {
        rungs.push(card.rung);
    }
    assert_eq!(rungs, JsonMode::ALL);
    assert!(!card.learn(&refused(Parameter::GuidedJson)), "there is nothing below words");
}

#[test]
fn a_schema_is_tried_without_its_patterns_before_the_rung_is_given_up() {
    let mut card = CapabilityCard::default();
    assert!(card.learn(&refused(Parameter::Grammar)));
    assert_eq!((card.rung, card.plain_schemas), (JsonMode::Schema, true));
    assert!(card.learn(&refused(Parameter::Grammar)));
    assert_eq!((card.rung, card.plain_schemas), (JsonMode::Object, true));
}

#[test]
fn an_endpoint_without_tools_is_never_made_to_call_one() {
    let mut card = CapabilityCard { rung: JsonMode::Object, ..CapabilityCard::default() };
    assert!(card.learn(&refused(Parameter::ToolChoice)));
    assert_eq!(card.rung, JsonMode::Object, "that rung did not ask for it");
    assert!(card.fall());
    assert_eq!(card.rung, JsonMode::Grammar);
    let mut forced = CapabilityCard { rung: JsonMode::ForcedTool, ..CapabilityCard::default() };
    assert!(forced.learn(&refused(Parameter::Tools)));
    assert_eq!(forced.rung, JsonMode::Grammar);
}

#[test]
fn a_bare_refusal_is_a_lesson_only_where_something_unusual_was_asked() {
    let bare = ModelFault::ModelRefused { status: 400, message: "no".to_owned() };
    assert!(!CapabilityCard::default().learn(&bare));
    let mut forced = CapabilityCard { rung: JsonMode::ForcedTool, ..CapabilityCard::default() };
    assert!(forced.learn(&bare));
    assert_eq!(forced.rung, JsonMode::Grammar);
}
