//! One line for each recovery action on a failed step: the action, its author and the reason.

use super::state_words::said;
use super::text::{cut, enclosed, say};
use praxis_core::ids::StepId;
use praxis_core::journal::event::Event;
use praxis_core::journal::rung::RecoveryRung;
use praxis_core::lang::Lang;
use praxis_core::recover::rule;
use std::collections::BTreeMap;

/// Maximum width of the reason, in columns.
const REASON: usize = 120;

/// Formatter of recovery actions, with the causes that earlier reflections found.
#[derive(Default)]
pub(crate) struct RecoveryLines {
    /// The root cause from the last reflection on each step.
    causes: BTreeMap<StepId, String>,
}

impl RecoveryLines {
    /// Returns the line of a `StepAmended` event: `↻ step_2: retry with other arguments (fast) · the day is wrong`. A
    /// `StepReflected` event has no line; its root cause is remembered.
    pub(crate) fn hear(&mut self, event: &Event, lang: Lang) -> Option<String> {
        match event {
            Event::StepReflected { step, reflection } => {
                self.causes.insert(step.clone(), reflection.root_cause.clone());
                None
            }
            Event::StepAmended { step, rung, why, by, .. } => {
                // The root cause of the reflection says more than the event, which has only the code of the failure.
                let cause = self.causes.remove(step).filter(|cause| !cause.trim().is_empty());
                let cause = cause.filter(|_| *rung != RecoveryRung::Class);
                let why = cause.unwrap_or_else(|| rule::told(said(why, lang), lang));
                let is_model = !by.is_empty() && *rung != RecoveryRung::Class;
                let by = if is_model { enclosed(said(by, lang), lang) } else { String::new() };
                let what = said(rung.word(), lang);
                let colon = say(lang, ": ", "：");
                Some(format!("↻ {step}{colon}{what}{by} · {}", cut(&why, REASON)))
            }
            _ => None,
        }
    }
}
