//! Simulates a crash of the engine after an event, then recovers the task.

use super::case::GoalCase;
use super::pursue::{Pursued, PursuitEnvironment, PursuitMode, PursuitRig};
use super::recording::RecordedCall;
use praxis_core::journal::event::{Entry, Event};
use praxis_testkit::world::BEGINNING;

/// The downtime in milliseconds.
const DOWN_MS: u64 = 60_000;

/// The fate of a call that was in flight at the crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// It never reached its tool.
    Unsent,
    /// It reached its tool, which acted.
    Acted,
}

/// Recovers a run that crashed right after event `seq`, and runs it to its end.
pub async fn after(
    run: &Pursued,
    (case, way): (&GoalCase, &PursuitMode),
    seq: u64,
    in_flight: InFlight,
) -> anyhow::Result<Pursued> {
    let left: Vec<Entry> = run.entries.iter().filter(|entry| entry.seq <= seq).cloned().collect();
    let made = run.made.iter().filter(|made| reached(made, &left, in_flight)).cloned().collect();
    let now = left.last().map_or(BEGINNING, |entry| entry.at).plus_ms(DOWN_MS);
    let journal = run.journal.crashed_after(&run.task, seq);
    let ground = PursuitEnvironment {
        journal,
        blobs: run.blobs.clone(),
        made,
        now,
        ..PursuitEnvironment::default()
    };
    let stage = PursuitRig::new(case, way, ground);
    stage.engine.recover().await?;
    stage.settled(run.task.clone()).await
}

/// Returns true if a call had reached its tool by the last entry of `left`.
fn reached(made: &RecordedCall, left: &[Entry], in_flight: InFlight) -> bool {
    let (id, number, _) = &made.wish;
    left.iter().any(|entry| match &entry.event {
        Event::StepStarted { step, attempt, .. } => {
            in_flight == InFlight::Acted && step.as_str() == id && attempt == number
        }
        Event::StepFinished { step, attempt, .. } => step.as_str() == id && attempt == number,
        _ => false,
    })
}
