//! D-029: how much of a long output a model is shown, and which words.

use crate::goal_rig::{Pursued, named};
use praxis_core::ask::tokens::{Estimate, TokenCounter};
use praxis_core::ask::trim::MARKER;
use serde_json::json;

/// The words of the only request of a stage.
fn request(run: &Pursued, stage: &str) -> String {
    let asked = run.model.asked();
    let of_stage: Vec<_> = asked.iter().filter(|asked| asked.stage == stage).collect();
    assert_eq!(of_stage.len(), 1, "{stage}");
    let messages = &of_stage[0].request.messages;
    messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

/// The last message of it: the words of the stage itself.
fn stage_words(run: &Pursued, stage: &str) -> String {
    let asked = run.model.asked();
    let asked = asked.iter().find(|asked| asked.stage == stage).unwrap();
    asked.request.messages.last().unwrap().content.clone()
}

#[tokio::test(start_paused = true)]
async fn who_judges_sees_whole_what_the_log_shows_cut() {
    let run = named("result_that_fits_is_not_extracted").run().await;
    assert!(stage_words(&run, "evaluation").contains(&"x".repeat(2000)));
    // What the log shows whole is not said twice.
    let short = named("plain").run().await;
    assert!(!stage_words(&short, "evaluation").contains("receipt"));
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_out_of_a_long_output_stands_for_it() {
    let run = named("long_result_is_extracted").run().await;
    assert!(stage_words(&run, "extraction").contains(&"x".repeat(2000)));
    let words = stage_words(&run, "evaluation");
    assert!(words.contains(r#"["the peak was 412 MW at 19:00"]"#), "{words}");
    assert!(!words.contains("nobody measured") && !words.contains("xxx"), "{words}");
    let run = named("long_result_for_the_report").run().await;
    let words = stage_words(&run, "ai_reporter");
    assert!(words.contains(r#"["the peak was 412 MW"]"#) && !words.contains("xxx"), "{words}");
    let run = named("long_result_in_a_blob").run().await;
    assert!(stage_words(&run, "extraction").contains(&"x".repeat(70_000)));
    assert!(stage_words(&run, "evaluation").contains(r#"["the peak was 412 MW"]"#));
}

#[tokio::test(start_paused = true)]
async fn what_nobody_could_read_is_cut_with_its_structure_kept() {
    for name in ["extract_is_made_up", "extract_fails", "result_too_long_to_be_extracted"] {
        let words = stage_words(&named(name).run().await, "evaluation");
        let line = words.lines().find(|line| line.starts_with("✅ step_1: ")).unwrap();
        let shown: serde_json::Value =
            serde_json::from_str(line.strip_prefix("✅ step_1: ").unwrap()).unwrap();
        assert_eq!(shown["meter"], "M-17", "{name}: {line}");
        let text = shown["text"].as_str().unwrap();
        assert!(text.ends_with(MARKER) && text.starts_with("xxxx"), "{name}: {line}");
        assert!(Estimate::PLAIN.count(&shown.to_string()) <= 100, "{name}: {line}");
    }
}

#[tokio::test(start_paused = true)]
async fn results_never_exceed_what_the_model_can_take_in() {
    let mut pursuit = named("result_too_long_to_be_extracted");
    pursuit.file["manner"]["output_tokens"] = 10_000_000.into();
    let words = request(&pursuit.run().await, "evaluation");
    let tokens = Estimate::PLAIN.count(&words);
    assert!((20_000..=30_000).contains(&tokens), "{tokens} of 32000, 2000 for the answer");
    // Two that would fit one by one do not fit together.
    pursuit.file["world"]["look"]["bytes"] = 60_000.into();
    let step = |id: &str, x: u32| json!({"step_id": id, "step_name": id, "tool": "look", "parameters": {"x": x}});
    pursuit.file["model"]["planning"][0]["steps"] = json!([step("a", 1), step("b", 2)]);
    let tokens = Estimate::PLAIN.count(&request(&pursuit.run().await, "evaluation"));
    assert!((20_000..=30_000).contains(&tokens), "{tokens} of 32000, 2000 for the answer");
}

#[tokio::test(start_paused = true)]
async fn a_document_that_is_kept_in_a_blob_is_shown_as_far_as_a_shorter_one() {
    let shown = async |bytes: usize| {
        let mut pursuit = named("plain");
        let content = "word ".repeat(bytes / 5);
        pursuit.file["documents"] = json!([{"name": "a.md", "content": {"json": content}}]);
        let prompt = request(&pursuit.run().await, "planning");
        prompt.matches("word ").count()
    };
    let (kept, in_a_blob) = (shown(60_000).await, shown(600_000).await);
    assert!(kept > 5000 && in_a_blob.abs_diff(kept) < 50, "{kept} {in_a_blob}");
}
