//! What stage 1 may say, and what is kept when nobody looks back: each alone, where goals have several at once.

use crate::goal_rig::{Pursuit, named};
use praxis_core::fault::Fault;
use praxis_core::journal::event::Event;
use praxis_core::state::TaskStatus;
use serde_json::{Value, json};

fn choosing(name: &str, answer: Value) -> Pursuit {
    let mut pursuit = named(name);
    pursuit.file["model"]["selection"] = json!([answer]);
    pursuit
}

//
#[tokio::test(start_paused = true)]
async fn a_goal_is_turned_away_for_the_word_alone_and_for_the_similarity_alone() {
    let answer = |should_reject: bool, similarity: u32| {
        json!({"should_reject": should_reject, "reject_reason": "too vague",
            "similarity_score": similarity, "task_type": "", "selected_tool_ids": ["t01"]})
    };
    for (should_reject, similarity, is_rejected) in
        [(true, 90, true), (false, 29, true), (false, 30, false)]
    {
        let run = choosing("rejected", answer(should_reject, similarity)).run().await;
        let rejected = matches!(run.state.fault(), Some(Fault::GoalRejected { reason }) if reason == "too vague");
        assert_eq!(rejected, is_rejected, "{should_reject} {similarity}: {:?}", run.story());
        let planned = run.story().iter().any(|line| line.starts_with("ask planning"));
        assert_eq!(planned, !is_rejected, "{should_reject} {similarity}");
    }
}

//
#[tokio::test(start_paused = true)]
async fn a_workflow_that_the_model_names_is_not_followed_where_a_tool_of_it_is_missing() {
    let answer = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": ["t05"], "workflow_id": "count_beds"});
    let run = choosing("workflow_lacks_a_tool", answer).run().await;
    let story = run.story();
    assert_eq!(run.state.status(), TaskStatus::Completed, "{story:?}");
    assert!(!story.iter().any(|line| line.contains("follows")), "{story:?}");
}

//
#[tokio::test(start_paused = true)]
async fn an_experience_that_nobody_could_give_has_fifty_for_every_score_and_says_so() {
    let run = named("learning_fails").run().await;
    assert_eq!(run.state.status(), TaskStatus::Completed, "the result stays: {:?}", run.story());
    let learnt: Vec<Value> = run
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::TaskLearnt(experience) => Some(serde_json::to_value(experience).unwrap()),
            _ => None,
        })
        .collect();
    assert_eq!(learnt.len(), 1, "exactly one");
    for score in ["task_completion", "execution_efficiency", "tool_usage"] {
        assert_eq!(learnt[0][score], 50, "{score}");
    }
    assert_eq!(learnt[0]["defaulted"], true);
}
