//! Folds the events of a goal: model calls, tool selection, judgement, reflection, limits.

use super::FoldResult;
use crate::ask::purpose::Purpose;
use crate::budget::ledger::Reserved;
use crate::budget::limit::{BudgetLimit, LimitReached};
use crate::budget::same::fingerprint;
use crate::call::tool::Contract;
use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::goal::spec::{EarlierWork, GoalSpec, RecoveryMode};
use crate::goal::strategy::StrategyDecision;
use crate::ids::StepId;
use crate::journal::judgement::Judgement;
use crate::journal::memory::RecalledTask;
use crate::journal::outcome::{AskOutcome, TaskEnding};
use crate::journal::selection::{SelectionMethod, ToolSelection};
use crate::journal::task_reflection::told;
use crate::journal::task_reflection::{ReflectionTrigger, TaskReflection};
use crate::payload::Payload;
use crate::state::goal_log::LogLine;
use crate::state::goal_state::{GoalState, PendingModelCall, PlanDraft, ReplanAdvice, UnfitAnswer};
use crate::state::step::StepStatus;
use crate::state::{Phase, State};
use std::collections::BTreeMap;

/// The number of unusable answers in a row after which rules serve a `Purpose` instead of a model.
const MOST_UNFIT: u32 = 2;
/// The same limit for plans and judgements under `RecoveryMode::Full`: no rule can write a plan, and none sees what a
/// plan has left out.
const MOST_UNFIT_OF_WEIGHT: u32 = 5;
/// The number of model calls that may be lost to a crash, by `Purpose`, before the rules take over.
const MOST_LOST: u32 = 5;

impl State {
    /// Returns the [`GoalSpec`] of the task, if Praxis plans it.
    pub fn goal_spec(&self) -> Option<&GoalSpec> {
        self.submission.as_ref()?.brief.as_deref()
    }

    pub(super) fn goal_state_mut(&mut self) -> Result<&mut GoalState, &'static str> {
        self.goal.as_deref_mut().ok_or("the task has no goal")
    }

    pub(super) fn ask_started(
        &mut self,
        ask: u32,
        purpose: &Purpose,
        (model, reserved): (&str, Reserved),
    ) -> FoldResult {
        let finished = matches!(self.phase, Phase::Finished(_));
        self.legal(finished == (*purpose == Purpose::Learn), "no model call is expected now")?;
        self.legal(!matches!(self.phase, Phase::Stopping(_)), "the task is stopping")?;
        let price = self.goal_spec().and_then(|spec| spec.model_for(purpose)?.price.clone());
        let goal_state = self.goal_state_mut()?;
        if ask != goal_state.asks.made + 1 || goal_state.is_asking(purpose) {
            return Err("this is not the next model call");
        }
        goal_state.asks.made = ask;
        self.ledger.reserve(reserved, price.as_ref());
        let goal_state = self.goal_state_mut()?;
        let asking =
            PendingModelCall { purpose: purpose.clone(), model: model.to_owned(), reserved };
        goal_state.asks.under_way.insert(ask, asking);
        match purpose {
            Purpose::Evaluate | Purpose::Extract { .. } | Purpose::Report => {
                self.phase = Phase::Evaluating;
            }
            Purpose::Tell => self.told()?,
            Purpose::ReflectOverall => self.phase = Phase::Reflecting,
            Purpose::Plan | Purpose::Replan => self.reset_draft(),
            Purpose::Infer { step } => self.waits_for_values(step)?,
            Purpose::Strategy
            | Purpose::Select
            | Purpose::Reflect { .. }
            | Purpose::Repair { .. }
            | Purpose::Learn => {}
        }
        Ok(())
    }

    /// Takes a ready step out of the queue until a model has inferred its values.
    fn waits_for_values(&mut self, id: &StepId) -> FoldResult {
        let index = self.index(id)?;
        let (rank, limited) = (self.step_at(index).map_or(0, |s| s.rank), self.limit_key(index));
        if self.agenda.unqueue(index, rank, limited.as_ref()) {
            self.set_status(index, StepStatus::Waiting);
            self.goal_state_mut()?.recovery.ailing.insert(index);
        }
        Ok(())
    }

    pub(super) fn ask_finished(&mut self, ask: u32, outcome: &AskOutcome) -> FoldResult {
        let at = self.at;
        let asking = self
            .goal_state_mut()?
            .asks
            .under_way
            .remove(&ask)
            .ok_or("no such model call is running")?;
        let price =
            self.goal_spec().and_then(|spec| spec.model_for(&asking.purpose)?.price.clone());
        let used = match outcome {
            AskOutcome::Answered { usage, .. } | AskOutcome::Failed { usage, .. } => *usage,
            AskOutcome::Lost => asking.reserved.as_usage(),
        };
        self.ledger.settle(asking.reserved, used, price.as_ref(), at);
        self.ledger.failed_calls += u64::from(!matches!(outcome, AskOutcome::Answered { .. }));
        let goal_state = self.goal_state_mut()?;
        let purpose = asking.purpose.to_string();
        match outcome {
            AskOutcome::Answered { .. } => {}
            AskOutcome::Failed { fault, .. } => {
                goal_state.asks.unanswered.insert(purpose, fault.clone());
            }
            AskOutcome::Lost => {
                let losses = goal_state.asks.losses.entry(purpose.clone()).or_default();
                *losses += 1;
                if *losses >= MOST_LOST {
                    let fault = crate::ask::fault::ModelFault::ModelSilent { after_ms: 0 };
                    goal_state.asks.unanswered.insert(purpose, fault);
                }
            }
        }
        Ok(())
    }

    pub(super) fn answer_refused(
        &mut self,
        purpose: &Purpose,
        mut unfit: UnfitAnswer,
    ) -> FoldResult {
        let key = purpose.to_string();
        let full = self.goal_spec().is_some_and(|spec| spec.manner.recovery == RecoveryMode::Full);
        let goal_state = self.goal_state_mut()?;
        let before = goal_state.asks.unfit.get(&key);
        let times = before.map_or(0, |before| before.times) + 1;
        // A model that repeats its answer after it was told the problems will not improve it.
        let stuck = before.is_some_and(|before| before.said == unfit.said);
        let has_weight = purpose.plans() || *purpose == Purpose::Evaluate;
        let most = if has_weight && full && !stuck { MOST_UNFIT_OF_WEIGHT } else { MOST_UNFIT };
        unfit.times = times;
        if times >= most {
            let problem = unfit.problems.first();
            let message = problem.map(|p| p.message.en.clone()).unwrap_or_default();
            let fault = crate::ask::fault::ModelFault::ModelUnreadable { message };
            goal_state.asks.unanswered.insert(key.clone(), fault);
        }
        goal_state.asks.unfit.insert(key, unfit);
        Ok(())
    }

    /// Forgets the unusable answers and lost calls of a `Purpose` that was served.
    pub(super) fn purpose_done(&mut self, purpose: &Purpose) {
        if let Ok(goal_state) = self.goal_state_mut() {
            goal_state.asks.unfit.remove(&purpose.to_string());
            goal_state.asks.losses.remove(&purpose.to_string());
        }
    }

    pub(super) fn strategy_chosen(&mut self, strategy: StrategyDecision) -> FoldResult {
        self.purpose_done(&Purpose::Strategy);
        let goal_state = self.goal_state_mut()?;
        if goal_state.planning.strategy.is_some() {
            return Err("the strategy was already chosen");
        }
        goal_state.planning.strategy = Some(strategy);
        if strategy == StrategyDecision::NormalPlanning {
            return Ok(());
        }
        let past = self.goal_spec().and_then(|spec| spec.past.clone());
        past.map_or(Ok(()), |past| self.adopt(&past))
    }

    /// Enters the finished steps of an earlier task as succeeded: the plan can refer to them, and they do not run
    /// again.
    fn adopt(&mut self, past: &EarlierWork) -> FoldResult {
        let steps: Vec<_> = past.done.iter().map(|done| done.step.clone()).collect();
        if steps.is_empty() {
            return Ok(());
        }
        self.planned(1, &steps, &BTreeMap::new())?;
        for done in &past.done {
            let index = self.index(done.id())?;
            let (rank, limited) =
                (self.step_at(index).map_or(0, |s| s.rank), self.limit_key(index));
            self.agenda.unqueue(index, rank, limited.as_ref());
            self.succeeded(index, &done.output);
        }
        self.agenda.unqueue_all();
        self.goal_state_mut()?.planning.drafting = PlanDraft::default();
        Ok(())
    }

    pub(super) fn recalled(&mut self, memories: &[RecalledTask]) -> FoldResult {
        self.legal(
            self.phase == Phase::Planning,
            "earlier tasks can be recalled only before planning",
        )?;
        let goal_state = self.goal_state_mut()?;
        if goal_state.planning.memories.is_some() {
            return Err("earlier tasks were already recalled");
        }
        goal_state.planning.memories = Some(memories.to_vec());
        Ok(())
    }

    pub(super) fn tools_selected(
        &mut self,
        selection: &ToolSelection,
        contracts: &[Contract],
    ) -> FoldResult {
        self.legal(self.phase == Phase::Planning, "tools can be selected only before planning")?;
        self.purpose_done(&Purpose::Select);
        self.pin(contracts);
        if self.goal_state_mut()?.planning.selection.is_none() {
            self.context.complete(selection.said.iter().chain(&selection.defaults));
        }
        let goal_state = self.goal_state_mut()?;
        match &mut goal_state.planning.selection {
            // The selection is frozen: later tools are appended.
            Some(chosen) => {
                for tool in &selection.tools {
                    if !chosen.tools.contains(tool) {
                        chosen.tools.push(tool.clone());
                        goal_state.log.lines.push(LogLine::ToolAdded { tool: tool.clone() });
                    }
                }
                // A dropped tool that a model selects again gets another try.
                if selection.by == SelectionMethod::Model {
                    chosen.useless.retain(|tool| !selection.tools.contains(tool));
                }
                chosen.missing.extend(selection.missing.iter().cloned());
                for tool in &selection.useless {
                    if !chosen.useless.contains(tool) {
                        chosen.useless.push(tool.clone());
                        goal_state.log.lines.push(LogLine::ToolDropped { tool: tool.clone() });
                    }
                }
            }
            None => goal_state.planning.selection = Some(selection.clone()),
        }
        goal_state.planning.drafting.reselect = false;
        if let Some(reason) = &selection.rejected {
            let fault = Fault::GoalRejected { reason: reason.clone() };
            self.phase = Phase::Stopping(TaskEnding::Failed { fault });
        }
        Ok(())
    }

    pub(super) fn task_judged(&mut self, judgement: &Judgement) -> FoldResult {
        self.purpose_done(&Purpose::Evaluate);
        let phase = matches!(self.phase, Phase::Evaluating | Phase::Executing);
        self.legal(phase, "no evaluation is expected now")?;
        let threshold = self.goal_spec().map_or(0, |spec| spec.manner.success_threshold);
        let goal_state = self.goal_state_mut()?;
        let score = judgement.scores.overall();
        goal_state.log.lines.push(LogLine::Judged { score, failures: judgement.failures.clone() });
        goal_state.evaluation.judgement = Some(judgement.clone());
        self.phase = Phase::Evaluating;
        let goal_state = self.goal_state_mut()?;
        if !judgement.suffices(threshold) && !goal_state.evaluation.settle {
            goal_state.recovery.trigger = Some(ReflectionTrigger::Judgement);
            self.phase = Phase::Reflecting;
        }
        Ok(())
    }

    pub(super) fn task_reflected(&mut self, reflection: &TaskReflection) -> FoldResult {
        self.purpose_done(&Purpose::ReflectOverall);
        let triggered = self.goal_state_mut()?.recovery.trigger.is_some();
        self.legal(triggered, "no reflection is expected now")?;
        self.phase = Phase::Reflecting;
        let goal_state = self.goal_state_mut()?;
        let lesson = reflection.lessons_learned.first().or(reflection.root_causes.first());
        goal_state
            .log
            .lines
            .push(LogLine::Reflected { lesson: lesson.cloned().unwrap_or_default() });
        let strategy = serde_json::to_string(&reflection.replanning_strategy).unwrap_or_default();
        goal_state.recovery.said_last = ReplanAdvice { strategy, reflection: told(reflection) };
        goal_state.recovery.reflection = Some(reflection.clone());
        Ok(())
    }

    pub(super) fn answer_given(&mut self, answer: &Payload, title: &str) -> FoldResult {
        self.purpose_done(&Purpose::Report);
        let goal_state = self.goal_state_mut()?;
        goal_state.evaluation.answer = Some(answer.clone());
        title.clone_into(&mut goal_state.evaluation.title);
        Ok(())
    }

    /// Records the excerpts that stand for a long output from now on.
    pub(super) fn extracted(&mut self, step: &StepId, excerpts: &Payload) -> FoldResult {
        self.purpose_done(&Purpose::Extract { step: step.clone() });
        self.legal(self.phase == Phase::Evaluating, "the result is not being evaluated now")?;
        self.goal_state_mut()?.evaluation.extracts.insert(step.clone(), excerpts.clone());
        Ok(())
    }

    /// Marks all lines of the log as told to the user.
    pub(super) fn told(&mut self) -> FoldResult {
        let goal_state = self.goal_state_mut()?;
        goal_state.log.told = goal_state.log.lines.len();
        Ok(())
    }

    pub(super) fn learnt(&mut self) -> FoldResult {
        self.goal_state_mut()?.learnt = true;
        self.legal(matches!(self.phase, Phase::Finished(_)), "the task has not ended")
    }

    pub(super) fn wall_hit(&mut self, hit: LimitReached) -> FoldResult {
        let going = !matches!(self.phase, Phase::Empty | Phase::Finished(_) | Phase::Stopping(_));
        self.legal(going, "the task is not running")?;
        self.phase = Phase::Stopping(TaskEnding::Failed { fault: Fault::BudgetUsedUp { hit } });
        Ok(())
    }

    pub(super) fn raised(&mut self, limit: BudgetLimit, by: u64) {
        let raised = self.ledger.raised.entry(limit).or_default();
        *raised = raised.saturating_add(by);
    }

    /// Starts nothing new: gives up the open steps and evaluates what has been done.
    pub(super) fn settle(&mut self) {
        let cut_short = self.phase == Phase::Planning || self.has_steps_to_give_up();
        if let Ok(goal_state) = self.goal_state_mut() {
            (goal_state.evaluation.settle, goal_state.evaluation.cut_short) = (true, cut_short);
            goal_state.recovery.trigger = None;
        }
        self.give_up_open_steps();
        self.phase = Phase::Evaluating;
    }

    pub(super) fn log(&mut self, line: LogLine) {
        if let Some(goal_state) = self.goal.as_deref_mut() {
            goal_state.log.lines.push(line);
        }
    }

    /// Counts a tool call against the budget, and the first attempt of a generation also against `same_calls`.
    pub(super) fn count_call(&mut self, index: StepIndex, arguments: &Payload, is_new: bool) {
        let Some(step) = self.step_at(index).filter(|step| !step.plan.gathers()) else { return };
        let key = fingerprint(step.tool(), arguments);
        if let Some(goal_state) = self.goal.as_deref_mut() {
            self.ledger.tool_calls += 1;
            if is_new {
                *goal_state.recovery.same_calls.entry(key).or_default() += 1;
            }
        }
    }
}
