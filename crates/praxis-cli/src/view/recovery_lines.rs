//! How failed steps are mended, in one line each: what is done, who says so, and why.

use super::state_words::said;
use super::text::cut;
use praxis_core::ids::StepId;
use praxis_core::journal::event::Event;
use praxis_core::journal::rung::RecoveryRung;
use praxis_core::lang::Lang;
use praxis_core::recover::rule;
use std::collections::BTreeMap;

/// How much of a reason a line shows.
const REASON: usize = 120;

/// Remembers why steps failed, for the lines about what is done then.
#[derive(Default)]
pub(crate) struct RecoveryLines {
    /// What the last reflection on each step found.
    causes: BTreeMap<StepId, String>,
}

impl RecoveryLines {
    /// Hears an event; the line if it mends a step: `↻ step_2: again with other values (fast) · the day is wrong`
    pub(crate) fn hear(&mut self, event: &Event, lang: Lang) -> Option<String> {
        match event {
            Event::StepReflected { step, reflection } => {
                self.causes.insert(step.clone(), reflection.root_cause.clone());
                None
            }
            Event::StepAmended { step, rung, why, by, .. } => {
                // A reflection that is followed is the reason; the event has only the code of the failure.
                let cause = self.causes.remove(step).filter(|cause| !cause.trim().is_empty());
                let cause = cause.filter(|_| *rung != RecoveryRung::Class);
                let why = cause.unwrap_or_else(|| rule::told(said(why, lang), lang));
                let is_model = !by.is_empty() && *rung != RecoveryRung::Class;
                let by = if is_model { format!(" ({})", said(by, lang)) } else { String::new() };
                let what = said(rung.word(), lang);
                Some(format!("↻ {step}: {what}{by} · {}", cut(&why, REASON)))
            }
            _ => None,
        }
    }
}
