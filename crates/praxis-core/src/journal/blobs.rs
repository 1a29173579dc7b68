//! The blobs that an event references; they are kept as long as the event.

use super::event::{Event, of_a_flow};
use super::outcome::{AskOutcome, CallOutcome, CheckVerdict};
use super::submission::Submission;
use crate::dataflow::resolve::Hole;
use crate::goal::spec::GoalSpec;
use crate::ids::BlobId;
use crate::payload::Payload;

impl Event {
    /// Returns every blob that is needed to read this event.
    pub fn blobs(&self) -> Vec<BlobId> {
        match self {
            Self::TaskSubmitted(submission) => of_submission(submission),
            Self::StepStarted { arguments, holes, .. } => {
                of(arguments).chain(holes.iter().map(|hole: &Hole| hole.blob.clone())).collect()
            }
            Self::StepInherited { arguments, holes, output, .. } => {
                let held = holes.iter().map(|hole| hole.blob.clone()).chain(of(output));
                of(arguments).chain(held).collect()
            }
            Self::StepFinished { outcome: CallOutcome::Succeeded(output), .. }
            | Self::CheckFinished { verdict: CheckVerdict::Done { output }, .. } => {
                of(output).collect()
            }
            Self::StepFinished { outcome: CallOutcome::Failed { output, .. }, .. } => {
                output.iter().flat_map(of).collect()
            }
            Self::TaskReopened { contracts, .. } | Self::ToolsSelected { contracts, .. } => {
                contracts.iter().map(|c| c.version.clone()).collect()
            }
            Self::AskStarted { request, .. } => of(request).collect(),
            Self::AskFinished { outcome: AskOutcome::Answered { reply, .. }, .. } => {
                of(reply).collect()
            }
            Self::AskFinished { outcome: AskOutcome::Failed { .. } | AskOutcome::Lost, .. } => {
                vec![]
            }
            Self::AnswerGiven { answer, .. } => of(answer).collect(),
            Self::OutputExtracted { excerpts, .. } => of(excerpts).collect(),
            of_a_flow!() => self.of_flow(),
            Self::StepFinished { outcome: CallOutcome::InDoubt(_) | CallOutcome::Lost, .. }
            | Self::CheckFinished {
                verdict: CheckVerdict::NotDone | CheckVerdict::Unknown { .. } | CheckVerdict::Lost,
                ..
            }
            | Self::Woken { .. }
            | Self::StepsPlanned { .. }
            | Self::PlanClosed { .. }
            | Self::AnswerRefused { .. }
            | Self::StrategyChosen { .. }
            | Self::Recalled { .. }
            | Self::PlanRevised(_)
            | Self::StepsRewired { .. }
            | Self::StepReflected { .. }
            | Self::StepAmended { .. }
            | Self::RepairWanted { .. }
            | Self::RecoveryEnded { .. }
            | Self::TaskJudged(_)
            | Self::TaskReflected(_)
            | Self::MessageTold { .. }
            | Self::WallHit(_)
            | Self::TaskLearnt(_)
            | Self::StepRefused { .. }
            | Self::RetryDue { .. }
            | Self::CheckStarted { .. }
            | Self::QuestionAsked { .. }
            | Self::QuestionAnswered { .. }
            | Self::TimeUsedUp { .. }
            | Self::CancelRequested { .. }
            | Self::TaskFinished { .. } => vec![],
        }
    }

    fn of_flow(&self) -> Vec<BlobId> {
        if let Self::FrameOpened { variables, .. } = self {
            return of(variables).collect();
        }
        if let Self::PassStarted { variables, .. } = self {
            return variables.iter().flat_map(of).collect();
        }
        let Self::PassEnded { set, collected, .. } = self else { return vec![] };
        set.iter().chain(collected).flat_map(of).collect()
    }

    /// Returns the values that are moved to blobs if they are large.
    pub fn bulk(&mut self) -> Vec<&mut Payload> {
        match self {
            Self::StepStarted { arguments, .. } => vec![arguments],
            Self::AskStarted { request, .. } => vec![request],
            Self::AskFinished { outcome: AskOutcome::Answered { reply, .. }, .. } => vec![reply],
            Self::AnswerGiven { answer, .. } => vec![answer],
            Self::OutputExtracted { excerpts, .. } => vec![excerpts],
            Self::StepFinished { outcome: CallOutcome::Succeeded(output), .. }
            | Self::StepFinished {
                outcome: CallOutcome::Failed { output: Some(output), .. },
                ..
            } => vec![output],
            Self::FrameOpened { variables, .. } => vec![variables],
            Self::PassStarted { variables, .. } => variables.iter_mut().collect(),
            Self::PassEnded { set, collected, .. } => set.iter_mut().chain(collected).collect(),
            Self::TaskSubmitted(_)
            | Self::Woken { .. }
            | Self::StepsPlanned { .. }
            | Self::PlanClosed { .. }
            | Self::AskFinished { .. }
            | Self::ToolsSelected { .. }
            | Self::AnswerRefused { .. }
            | Self::StrategyChosen { .. }
            | Self::Recalled { .. }
            | Self::PlanRevised(_)
            | Self::StepsRewired { .. }
            | Self::StepReflected { .. }
            | Self::StepAmended { .. }
            | Self::RepairWanted { .. }
            | Self::RecoveryEnded { .. }
            | Self::TaskJudged(_)
            | Self::TaskReflected(_)
            | Self::MessageTold { .. }
            | Self::WallHit(_)
            | Self::TaskLearnt(_)
            | Self::StepFinished { .. }
            | Self::StepInherited { .. }
            | Self::SlotsFilled { .. }
            | Self::StepsAdded { .. }
            | Self::StepRefused { .. }
            | Self::RetryDue { .. }
            | Self::CheckStarted { .. }
            | Self::CheckFinished { .. }
            | Self::QuestionAsked { .. }
            | Self::QuestionAnswered { .. }
            | Self::TimeUsedUp { .. }
            | Self::CancelRequested { .. }
            | Self::TaskFinished { .. }
            | Self::TaskReopened { .. } => vec![],
        }
    }
}

fn of(payload: &Payload) -> impl Iterator<Item = BlobId> + use<> {
    match payload {
        Payload::Blob(stored) => Some(stored.blob.clone()),
        Payload::Json(_) => None,
    }
    .into_iter()
}

fn of_submission(submission: &Submission) -> Vec<BlobId> {
    let simulated = submission.parent.iter().flat_map(|parent| parent.simulated.values());
    let values = submission.metadata.values().chain(simulated).flat_map(of);
    let tools = submission.contracts.iter().map(|contract| contract.version.clone());
    let spec = submission.brief.iter().flat_map(|spec| of_brief(spec));
    values.chain(tools).chain(submission.document.clone()).chain(spec).collect()
}

fn of_brief(spec: &GoalSpec) -> Vec<BlobId> {
    let texts = [&spec.catalog, &spec.pack, &spec.scene, &spec.workflows].map(Clone::clone);
    let documents = spec.material.documents.iter().flat_map(|document| of(&document.content));
    let done = spec.past.iter().flat_map(|past| &past.done);
    let done = done.flat_map(|done| of(&done.arguments).chain(of(&done.output)));
    let texts = texts.into_iter().chain(spec.synonyms.clone());
    texts.chain(documents).chain(done).collect()
}
