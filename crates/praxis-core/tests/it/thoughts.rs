//! What a model thought before an answer that could not be used goes back to it with the reasons.

use crate::goal::{asked, brief, choose_all, inputs, library, submitted, tell};
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reply::ModelReply;
use praxis_core::ask::request::{MessageRole, ModelMessage};
use praxis_core::decide::answer;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::state::State;
use serde_json::json;

/// Lets a reply arrive; gives the refusal that it meets.
fn refused(state: &mut State, library: &Library, reply: &ModelReply) -> Event {
    let inputs = inputs(library);
    let events = answer::events(state, 1, reply, &inputs);
    let outcome = AskOutcome::Answered { reply: Payload::json(json!(reply)), usage: reply.usage };
    tell(state, Event::AskFinished { ask: 1, outcome });
    for event in &events {
        tell(state, event.clone());
    }
    events.into_iter().find(|event| matches!(event, Event::AnswerRefused { .. })).unwrap()
}

/// What the model reads as its own words when it is asked once more.
fn own_words(purpose: &Purpose, reply: &ModelReply) -> (Event, ModelMessage) {
    let library = library(3, Lang::En);
    let mut state = submitted("count the rooms", brief(3), json!({}));
    if purpose.plans() {
        choose_all(&mut state, &library);
    }
    asked(&mut state, purpose, &library);
    let refusal = refused(&mut state, &library, reply);
    let again = asked(&mut state, purpose, &library);
    let own = again.messages.into_iter().find(|message| message.role == MessageRole::Assistant);
    (refusal, own.unwrap())
}

#[test]
fn the_thoughts_of_a_refused_answer_stand_beside_its_words_when_it_is_asked_for_again() {
    let unknown_tool = json!({"steps": [{"step_id": "x", "tool": "nothing", "parameters": {}}]});
    // Without any JSON; with some that does not fit; with some that fits and cannot be done.
    for (purpose, text) in [
        (Purpose::Select, "I cannot say.".to_owned()),
        (Purpose::Select, "{\"selected\": 1}".to_owned()),
        (Purpose::Plan, unknown_tool.to_string()),
    ] {
        let reply = ModelReply {
            text: text.clone(),
            reasoning: "Which tools count?".to_owned(),
            ..ModelReply::default()
        };
        let (_, own) = own_words(&purpose, &reply);
        let told = (own.content, own.reasoning.as_deref());
        assert_eq!(told, (text, Some("Which tools count?")));
    }
}

#[test]
fn a_refused_answer_without_thoughts_is_written_as_it_ever_was() {
    let reply = ModelReply { text: "no".to_owned(), ..ModelReply::default() };
    let (refusal, own) = own_words(&Purpose::Select, &reply);
    assert_eq!(own.reasoning, None);
    let written = json!(refusal);
    assert_eq!(written.get("reasoning"), None, "{written}");
    assert_eq!(serde_json::from_value::<Event>(written).unwrap(), refusal);
}

#[test]
fn endless_thoughts_go_back_no_longer_than_a_few_pages() {
    let reply = ModelReply {
        text: "no".to_owned(),
        reasoning: "想".repeat(100_000),
        ..ModelReply::default()
    };
    let (_, own) = own_words(&Purpose::Select, &reply);
    assert_eq!(own.reasoning.unwrap(), "想".repeat(8000));
}
