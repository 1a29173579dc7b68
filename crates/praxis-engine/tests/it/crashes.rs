//! A crash after any event changes nothing about the end.

use crate::ledger::InFlight;
use crate::scenario::{all, named};
use crate::simulate::{Run, undisturbed};
use praxis_core::fault::Fault;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::TaskEnding;

const BOTH: [InFlight; 2] = [InFlight::Unsent, InFlight::Acted];

/// Crashes after every event from `first` on; says how often.
pub(crate) async fn crash_everywhere(run: &Run, first: u64) -> usize {
    let mut crashes = 0;
    for seq in first..=run.entries.len() as u64 {
        for in_flight in BOTH {
            let again = run.crashed_after(seq, in_flight).await;
            let place = format!("{} after event {seq}, {in_flight:?}", run.scenario.name);
            let difference = again.end.difference(&run.end);
            assert!(difference.is_empty(), "{place}:\n{}", difference.join("\n"));
            crashes += 1;
        }
    }
    crashes
}

#[tokio::test(start_paused = true)]
async fn every_scenario_ends_the_same_after_a_crash_at_any_event() {
    let scenarios = all();
    assert!(scenarios.len() >= 12);
    let mut crashes = 0;
    for scenario in scenarios {
        let run = undisturbed(&scenario).await;
        crashes += crash_everywhere(&run, run.opened_at()).await;
    }
    println!("{crashes} crashes");
}

#[tokio::test(start_paused = true)]
async fn a_second_crash_during_recovery_changes_nothing_either() {
    let mut crashes = 0;
    for name in ["write_without_key", "payment", "check_not_done", "question"] {
        let run = undisturbed(&named(name)).await;
        for seq in run.opened_at()..=run.entries.len() as u64 {
            for in_flight in BOTH {
                let again = run.crashed_after(seq, in_flight).await;
                crashes += crash_everywhere(&again, seq + 1).await;
            }
        }
    }
    println!("{crashes} second crashes");
}

#[tokio::test(start_paused = true)]
async fn a_finished_task_is_left_alone() {
    let run = undisturbed(&named("chain")).await;
    let again = run.crashed_after(run.entries.len() as u64, InFlight::Acted).await;
    assert_eq!(again.entries, run.entries);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ran_into_its_wall_says_how_long_it_ran() {
    let run = undisturbed(&named("wall_fails")).await;
    let ending = run.entries.last().map(|entry| entry.event.clone());
    let Some(Event::TaskFinished { ending: TaskEnding::Failed { fault }, .. }) = ending else {
        panic!("it ended with {ending:?}")
    };
    assert_eq!(fault, Fault::TaskTimeout { after_ms: 5000 });
}
