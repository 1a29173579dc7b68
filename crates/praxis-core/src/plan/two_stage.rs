//! Decides if a model selects tools before planning, and gives the reason for the method of selection.

use crate::ask::purpose::Purpose;
use crate::goal::spec::{GoalSpec, TwoStage};
use crate::journal::selection::{SelectionMethod, SelectionReason};
use crate::state::State;

/// Returns true if tools are selected before planning and a model is available for it.
pub fn is_asked(spec: &GoalSpec) -> bool {
    let model = spec.model_for(&Purpose::Select).is_some();
    let many = spec.tools >= spec.manner.two_stage_tool_threshold;
    model
        && spec.tools > 0
        && match spec.manner.two_stage {
            TwoStage::Auto => many,
            TwoStage::Always => true,
            TwoStage::Never => false,
        }
}

/// Returns the reason for a method of selection.
pub(super) fn selection_reason(state: &State, by: SelectionMethod) -> Option<SelectionReason> {
    let spec = state.goal_spec()?;
    Some(match (by, spec.manner.two_stage) {
        (SelectionMethod::Workflow, _) => SelectionReason::Workflow,
        (SelectionMethod::Case, _) => SelectionReason::Case,
        (SelectionMethod::Fallback, _) => SelectionReason::FallbackFailed,
        (SelectionMethod::Retrieval, _) => SelectionReason::Sure,
        (SelectionMethod::Offline, _) => SelectionReason::NoModel,
        (SelectionMethod::Model, TwoStage::Always) => SelectionReason::Always,
        (SelectionMethod::Model, TwoStage::Auto | TwoStage::Never) => SelectionReason::Unsure,
        (SelectionMethod::All, TwoStage::Never) => SelectionReason::Never,
        (SelectionMethod::All, _) if spec.model_for(&Purpose::Select).is_none() => {
            SelectionReason::NoModel
        }
        (SelectionMethod::All, _) if is_asked(spec) => SelectionReason::Small,
        (SelectionMethod::All, TwoStage::Auto | TwoStage::Always) => {
            SelectionReason::BelowThreshold
        }
    })
}
