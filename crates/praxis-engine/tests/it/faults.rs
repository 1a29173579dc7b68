//! One effect per wish, whatever goes wrong with the call and whenever Praxis is killed.

use crate::crashes::crash_everywhere;
use crate::scenario::named;
use crate::simulate::undisturbed;
use praxis_core::journal::event::{Entry, Event};

/// Everything that can go wrong with one call, before and after it took effect.
const FAULTS: [&str; 9] = [
    "ok",
    "busy",
    "unavailable",
    "broke_before",
    "broke_after",
    "timeout_before",
    "timeout_after",
    "panic_before",
    "panic_after",
];

#[tokio::test(start_paused = true)]
async fn a_tool_that_honours_keys_acts_once_under_every_fault_and_crash() {
    let mut crashes = 0;
    for fault in FAULTS {
        for second in ["ok", "timeout_after"] {
            let scenario = named("payment").answering("pay", &[fault, second, "ok"]);
            let run = undisturbed(&scenario).await;
            assert_eq!(run.end.effects.values().collect::<Vec<_>>(), [&1], "{}", scenario.name);
            crashes += crash_everywhere(&run, run.opened_at()).await;
        }
    }
    println!("{crashes} crashes");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_honours_none_is_asked_about_whenever_it_may_have_acted() {
    let mut crashes = 0;
    for fault in FAULTS {
        let scenario = named("write_without_key").answering("blow", &[fault, "ok"]);
        let run = undisturbed(&scenario).await;
        let silent = ["ok", "busy", "unavailable"].contains(&fault);
        let asked = run.entries.iter().any(is_question);
        assert_eq!(asked, !silent, "{}", scenario.name);
        crashes += crash_everywhere(&run, run.opened_at()).await;
    }
    println!("{crashes} crashes");
}

fn is_question(entry: &Entry) -> bool {
    matches!(entry.event, Event::QuestionAsked { .. })
}
