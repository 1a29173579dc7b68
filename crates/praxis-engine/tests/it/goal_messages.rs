//! a model tells the user how it goes, beside the work.

use crate::goal_rig::{Pursued, named};
use praxis_core::ask::purpose::Purpose;
use praxis_core::journal::event::Event;
use praxis_core::lang::Lang;
use praxis_core::view::seed::{SeedAudience, SeedEvent, SeedStream};
use praxis_testkit::world::BEGINNING;
use serde_json::json;

fn statuses(run: &Pursued) -> Vec<SeedEvent> {
    let mut stream = SeedStream::new(SeedAudience::User, Lang::En);
    let events = run.entries.iter().flat_map(|entry| stream.tell(entry).unwrap());
    events.filter(|event| event.event_type == "STATUS_UPDATE").collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_says_what_happened_since_the_last_one_and_reaches_the_user() {
    let run = named("user_is_told").run().await;
    let asked = run.model.asked();
    let asked = asked.iter().filter(|asked| asked.stage == "message_formatter");
    let facts: Vec<String> =
        asked.map(|asked| asked.request.messages.last().unwrap().content.clone()).collect();
    assert!(facts[0].contains("step_2 b (look)") && facts[0].contains("(0/2)"), "{facts:?}");
    assert!(facts[1].contains("✅ step_1 (look)") && facts[1].contains("(1/2)"), "{facts:?}");
    assert!(!facts[1].contains("step_2 b (look)"), "what was told is not told again: {facts:?}");
    let told = statuses(&run);
    let message = told.iter().find(|event| event.message == "The plan stands (0/2).");
    assert_eq!(message.map(|event| event.phase), Some("工具执行"));
    // Rules still say the rest, so that a phase that was announced is ended.
    assert!(told.iter().any(|event| event.message == "• a （1/2）"), "{told:?}");
    assert!(told.iter().all(|event| !event.message.is_empty()), "an empty message is not sent");
}

#[tokio::test(start_paused = true)]
async fn nothing_waits_for_a_message_and_one_that_comes_too_late_is_not_told() {
    let mut pursuit = named("user_is_told");
    pursuit.file["model"]["message_formatter"] =
        json!([{"late_ms": 60_000, "says": {"message": "slow"}}, {"message": "never"}]);
    let run = pursuit.run().await;
    let at = |run: &Pursued| {
        let end =
            |e: &&praxis_core::journal::event::Entry| matches!(e.event, Event::TaskFinished { .. });
        run.entries.iter().find(end).unwrap().at
    };
    assert!(at(&run).since(BEGINNING) < 1000, "{:?}", run.story());
    assert!(!run.story().iter().any(|line| line.starts_with("told")), "{:?}", run.story());
    assert!(
        run.state.goal.as_deref().unwrap().asks.under_way.is_empty(),
        "it is paid for all the same"
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_is_cut() {
    let mut pursuit = named("user_is_told");
    pursuit.file["model"]["message_formatter"] = json!([{"message": "好".repeat(500)}]);
    let run = pursuit.run().await;
    let long = statuses(&run).into_iter().find(|event| event.message.starts_with('好')).unwrap();
    assert_eq!(long.message.chars().count(), 120);
    assert!(long.message.ends_with('…'));
}

#[tokio::test(start_paused = true)]
async fn by_default_no_model_is_asked_for_messages() {
    let mut pursuit = named("user_is_told");
    pursuit.file["manner"] = json!({});
    let run = pursuit.run().await;
    let tells = |e: &Event| matches!(e, Event::AskStarted { purpose: Purpose::Tell, .. });
    assert!(!run.entries.iter().any(|entry| tells(&entry.event)));
    assert!(statuses(&run).iter().any(|event| event.message == "• a （1/2）"));
}
