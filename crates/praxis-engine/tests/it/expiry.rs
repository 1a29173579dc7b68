//! questions that nobody answers.

use crate::goal_rig::{Pursuit, all};
use crate::ledger::InFlight;
use praxis_core::journal::event::Event;
use praxis_core::journal::question::EXPIRY;
use std::collections::BTreeSet;

/// Every goal, in a world where nobody answers.
fn unanswered(within_ms: Option<u64>) -> impl Iterator<Item = Pursuit> {
    all().into_iter().map(move |mut it| {
        let answers = it.file["answers"].as_object_mut();
        // Approval of a single call is asked for after that of its plan.
        if answers.is_none_or(|answers| answers.remove("approval").is_none()) {
            it.file["answers"] = serde_json::json!({});
        }
        it.file["options"]["answer_within_ms"] = within_ms.into();
        it
    })
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_in_time_counts_as_given_up_whatever_it_is_about() {
    let mut kinds = BTreeSet::new();
    for pursuit in unanswered(Some(60_000)) {
        let run = pursuit.run().await;
        let name = &pursuit.name;
        assert!(run.state.status().is_final(), "{name}: {:?}", run.story());
        assert!(run.state.questions.is_empty(), "{name}");
        let mut asked_at = std::collections::BTreeMap::new();
        for entry in &run.entries {
            match &entry.event {
                Event::QuestionAsked { question } => {
                    kinds.insert(question.about.kind());
                    asked_at.insert(question.id.clone(), entry.at);
                }
                Event::QuestionAnswered { question, by, .. } if by != "script" => {
                    assert_eq!(by, EXPIRY, "{name}");
                    let waited = entry.at.since(asked_at[question]);
                    assert!((60_000..61_000).contains(&waited), "{name}: {waited}");
                }
                _ => {}
            }
        }
    }
    let all: BTreeSet<&str> =
        ["approval", "budget", "in_doubt", "param", "plan", "user"].into_iter().collect();
    assert_eq!(kinds, all);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_expired_while_nothing_ran_is_given_up_at_the_next_start() {
    for pursuit in unanswered(Some(60_000)) {
        let run = pursuit.run().await;
        let expired = run.entries.iter().find_map(|entry| match &entry.event {
            Event::QuestionAnswered { question, by, .. } if by == EXPIRY => Some(question),
            _ => None,
        });
        let asked = |entry: &&praxis_core::journal::event::Entry| match &entry.event {
            Event::QuestionAsked { question } => Some(&question.id) == expired,
            _ => false,
        };
        let Some(asked) = run.entries.iter().find(asked) else { continue };
        // It is taken up an hour later.
        let again = run.crashed_after(asked.seq, InFlight::Unsent).await;
        assert!(again.state.status().is_final(), "{}: {:?}", pursuit.name, again.story());
        assert_eq!(again.end()["status"], run.end()["status"], "{}", pursuit.name);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_time_a_question_waits_for_ever() {
    let mut waiting = 0;
    for pursuit in unanswered(None) {
        let run = pursuit.run().await;
        let asked = run.entries.iter().any(|e| matches!(e.event, Event::QuestionAsked { .. }));
        assert_eq!(run.state.status().is_final(), !asked, "{}", pursuit.name);
        assert_eq!(run.state.alarm(), None, "{}", pursuit.name);
        waiting += usize::from(asked);
    }
    assert!(waiting > 20, "{waiting}");
}
