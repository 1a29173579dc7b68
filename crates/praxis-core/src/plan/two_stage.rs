//! Whether a model is asked to choose the tools before it plans, and why they are chosen as they are.

use crate::ask::errand::Errand;
use crate::goal::brief::{Brief, TwoStage};
use crate::journal::selection::{Selector, Why};
use crate::state::State;

/// Whether tools are chosen before planning, and a model can be asked which.
pub fn is_asked(brief: &Brief) -> bool {
    let model = brief.adviser(&Errand::Select).is_some();
    let many = brief.tools >= brief.manner.two_stage_tool_threshold;
    model
        && brief.tools > 0
        && match brief.manner.two_stage {
            TwoStage::Auto => many,
            TwoStage::Always => true,
            TwoStage::Never => false,
        }
}

/// Why tools are chosen in this way.
pub(super) fn why(state: &State, by: Selector) -> Option<Why> {
    let brief = state.brief()?;
    Some(match (by, brief.manner.two_stage) {
        (Selector::Workflow, _) => Why::Workflow,
        (Selector::Case, _) => Why::Case,
        (Selector::Fallback, _) => Why::FallbackFailed,
        (Selector::Retrieval, _) => Why::Sure,
        (Selector::Offline, _) => Why::NoModel,
        (Selector::Model, TwoStage::Always) => Why::Always,
        (Selector::Model, TwoStage::Auto | TwoStage::Never) => Why::Unsure,
        (Selector::All, TwoStage::Never) => Why::Never,
        (Selector::All, _) if brief.adviser(&Errand::Select).is_none() => Why::NoModel,
        (Selector::All, _) if is_asked(brief) => Why::Small,
        (Selector::All, TwoStage::Auto | TwoStage::Always) => Why::BelowThreshold,
    })
}
