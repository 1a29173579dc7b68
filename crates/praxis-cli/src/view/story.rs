//! Prints a journal for people, one line at a time.

use super::cost::SpentView;
use super::goal_lines;
use super::graph;
use super::origin::{asked, expiry};
use super::recovery_lines::RecoveryLines;
use super::screen::Size;
use super::text::{
    Paint, counted, cut, headed, located, pad, progress, sanitize, say, span, width,
};
use crate::commands::ending::advice;
use praxis_core::ids::QuestionId;
use praxis_core::ids::StepId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::{AskOutcome, PlanOutcome, TaskEnding};
use praxis_core::journal::question::{EXPIRY, Question, QuestionAnswer};
use praxis_core::journal::task_reflection::PlanRevision;
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{Phase, State};
use praxis_core::time::Timestamp;
use praxis_core::view::change::{TaskChange, forget};
use praxis_core::view::why::ArgumentOrigin;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum width of the id column.
const NARROW_ID: usize = 14;
/// Maximum width of the id column without a terminal.
const WIDE_ID: usize = 40;
/// Maximum length of the reason of a given-up question, in characters.
const MAX_REASON: usize = 160;

/// Printer that follows a task and formats its events as lines.
pub(crate) struct StoryPrinter {
    pub(crate) state: State,
    pub(crate) paint: Paint,
    pub(super) lang: Lang,
    /// The terminal on which running steps are drawn; without one, each start of a step is a line.
    pub(super) screen: Option<Size>,
    /// Width of the id column. Longer ids overflow and are never cut, because people copy them.
    ids: usize,
    /// Origins of the arguments of running steps.
    pub(super) origins: BTreeMap<StepId, Vec<ArgumentOrigin>>,
    begun: Option<Timestamp>,
    questions: usize,
    /// Start times of the model calls under way.
    asked: BTreeMap<u32, Timestamp>,
    /// The revision whose new steps are being planned.
    revised: Option<Box<PlanRevision>>,
    /// Number of steps added by the plan that is being made.
    added: usize,
    mending: RecoveryLines,
    /// Steps already printed as skipped.
    skipped: BTreeSet<StepId>,
}

impl StoryPrinter {
    pub(crate) fn new(lang: Lang, paint: Paint, screen: Option<Size>) -> Self {
        Self {
            state: State::default(),
            paint,
            lang,
            screen,
            ids: NARROW_ID,
            origins: BTreeMap::new(),
            begun: None,
            questions: 0,
            asked: BTreeMap::new(),
            revised: None,
            added: 0,
            mending: RecoveryLines::default(),
            skipped: BTreeSet::new(),
        }
    }

    /// Returns the elapsed time and the number of questions, which `State` does not hold.
    pub(crate) fn spent(&self) -> SpentView {
        let ms = self.begun.map_or(0, |begun| self.state.at.since(begun));
        SpentView { ms, questions: self.questions }
    }

    /// Returns the model calls under way: number, description and start time.
    pub(crate) fn asking(&self) -> impl Iterator<Item = (u32, String, Timestamp)> {
        let asking = self
            .state
            .goal
            .as_deref()
            .into_iter()
            .flat_map(|goal_state| &goal_state.asks.under_way);
        asking.filter_map(|(ask, asking)| {
            let words =
                format!("{} ({})", goal_lines::doing(&asking.purpose, self.lang), asking.model);
            Some((*ask, words, *self.asked.get(ask)?))
        })
    }

    /// Returns the model of a call under way.
    pub(crate) fn model_of(&self, ask: u32) -> Option<&str> {
        let asking = self.state.goal.as_deref()?.asks.under_way.get(&ask)?;
        Some(asking.model.as_str())
    }

    /// Returns a step id, padded to the id column.
    pub(crate) fn id(&self, id: &StepId) -> String {
        pad(id.as_str(), self.ids)
    }

    /// Applies an entry to the state and returns its lines; empty for an event that is not printed.
    pub(crate) fn tell(&mut self, entry: &Entry) -> Result<Vec<String>, praxis_core::IllegalEvent> {
        let mut change = TaskChange::before(&self.state, &entry.event);
        self.state.apply(entry)?;
        self.find_skipped(&mut change, &entry.event);
        self.begun.get_or_insert(entry.at);
        match &entry.event {
            Event::AskStarted { ask, .. } => {
                self.asked.insert(*ask, entry.at);
            }
            Event::AskFinished { ask, .. } => {
                self.asked.remove(ask);
            }
            Event::QuestionAsked { .. } => self.questions += 1,
            Event::StepsPlanned { steps, .. } => self.added += steps.len(),
            Event::PlanClosed { outcome: PlanOutcome::Cut | PlanOutcome::Refused, .. } => {
                self.added = 0;
            }
            Event::PlanRevised(revision) => {
                self.added = 0;
                self.revised = revision.wants_steps.then(|| revision.clone());
            }
            _ => {}
        }
        let mended = self.mending.hear(&entry.event, self.lang).map(|line| self.warn(&line));
        let mut lines = mended.map_or_else(|| self.lines(&entry.event), |line| vec![line]);
        lines.extend(self.skipped_lines(&change));
        Ok(lines)
    }

    /// Collects the steps that the event caused to be skipped. Only flows skip steps on purpose.
    fn find_skipped(&mut self, change: &mut TaskChange, event: &Event) {
        if self.state.submission.as_ref().is_some_and(|submission| submission.flow.is_some()) {
            change.find_skipped(&self.state, &mut self.skipped);
            if matches!(event, Event::PassStarted { .. } | Event::TaskReopened { .. }) {
                forget(&self.state, &mut self.skipped);
            }
        }
    }

    fn lines(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::TaskSubmitted(submission) => {
                let (task, goal) =
                    (self.paint.bold(submission.task.as_str()), cut(&submission.goal, 70));
                vec![format!("{} {task}  {goal}", self.paint.bold("▶"))]
            }
            Event::PlanClosed { outcome: PlanOutcome::Complete, .. } => self.plan_lines(),
            Event::PlanClosed { outcome, problems, .. } => self.no_plan(*outcome, problems),
            Event::StepStarted { .. }
            | Event::StepFinished { .. }
            | Event::StepInherited { .. }
            | Event::StepRefused { .. }
            | Event::CheckStarted { .. }
            | Event::CheckFinished { .. } => self.step_lines(event),
            Event::QuestionAsked { question } => self.question_lines(question),
            Event::QuestionAnswered { question, answer, by } => {
                vec![self.answered_line(question, answer, by)]
            }
            Event::Woken { .. } => {
                vec![self.warn(
                    &self.say("↻ recovered: continuing where it stopped", "↻ 已恢复：从中断处继续"),
                )]
            }
            Event::CancelRequested { reason, .. } => {
                let label = ("■ stopping:", "■ 正在停止：");
                vec![self.warn(&headed(self.lang, label, reason))]
            }
            Event::TimeUsedUp { after_ms } => {
                let label = ("⚠ time limit reached:", "⚠ 已达时间上限：");
                vec![self.warn(&headed(self.lang, label, &span(*after_ms)))]
            }
            Event::TaskReopened { epoch, .. } => {
                let en = format!("task retried (run {epoch})");
                vec![format!("↻ {}", self.say(&en, &format!("任务已重试（第 {epoch} 次运行）")))]
            }
            Event::TaskFinished { ending, .. } => vec![self.ending(ending)],
            Event::StepsPlanned { .. } | Event::RetryDue { .. } => vec![],
            Event::PassStarted { .. } | Event::PassEnded { .. } | Event::SlotsFilled { .. } => {
                self.flow_lines(event)
            }
            // A revision that wants new steps is printed together with them, when the plan is closed.
            Event::PlanRevised(revision) if revision.wants_steps => vec![],
            Event::PlanRevised(revision) => {
                vec![goal_lines::revised(revision, (self.steps_in_plan(), 0), self.lang)]
            }
            // The call was given up because the task is stopping, which has its own line.
            Event::AskFinished { outcome: AskOutcome::Failed { .. }, .. }
                if matches!(self.state.phase, Phase::Stopping(_)) =>
            {
                vec![]
            }
            // On a terminal, the call is drawn while it runs.
            Event::AskStarted { .. } if self.screen.is_some() => vec![],
            other => goal_lines::lines(other, self.lang, self.paint),
        }
    }

    fn answered_line(&self, question: &QuestionId, answer: &QuestionAnswer, by: &str) -> String {
        if by == EXPIRY {
            let words = self.say("expired: nobody answered in time", "已过期：无人按时回答");
            return self.warn(&format!("⌛ {question} {words}"));
        }
        let why = if let QuestionAnswer::GiveUp { reason } = answer {
            headed(self.lang, (":", "："), &sanitize(reason, MAX_REASON))
        } else {
            String::new()
        };
        format!("✔ {question} {} {by}{why}", self.say("answered by", "回答者"))
    }

    fn no_plan(&self, outcome: PlanOutcome, problems: &[Problem]) -> Vec<String> {
        let head = match outcome {
            PlanOutcome::Cut => self.say("the plan was cut off", "计划输出被截断"),
            PlanOutcome::Refused | PlanOutcome::Complete => {
                self.say("the plan was rejected", "计划被拒绝")
            }
        };
        let told = problems.iter().map(|problem| {
            let told = problem.told(self.lang);
            let at = match (told.at, self.lang) {
                ("", _) => String::new(),
                (at, Lang::En) => format!("{at}: "),
                (at, Lang::Zh) => format!("{}：", located(at, Lang::Zh)),
            };
            format!("  {at}{}", told.message)
        });
        [self.warn(&format!("⚠ {head}"))].into_iter().chain(told).collect()
    }

    pub(super) fn warn(&self, words: &str) -> String {
        self.paint.yellow(words)
    }

    pub(super) fn say(&self, en: &str, zh: &str) -> String {
        say(self.lang, en, zh).to_owned()
    }

    fn steps_in_plan(&self) -> usize {
        self.state.steps.iter().filter(|step| !step.dropped).count()
    }

    fn plan_lines(&mut self) -> Vec<String> {
        let most = self.screen.map_or(WIDE_ID, |screen| (screen.columns / 3).max(NARROW_ID));
        let longest = self.state.steps.iter().map(|step| width(step.plan.id.as_str())).max();
        self.ids = longest.unwrap_or(0).clamp(NARROW_ID, most);
        let added = std::mem::take(&mut self.added);
        let steps = self.steps_in_plan();
        let levels = graph::levels(&self.state).values().max().copied().unwrap_or(0);
        let words = match self.lang {
            Lang::En => {
                let (steps, levels) = (counted(steps, "step"), counted(levels, "level"));
                format!("plan v{}: {steps}, {levels}", self.state.revision)
            }
            Lang::Zh => format!("计划 v{}：{steps} 个步骤，{levels} 层", self.state.revision),
        };
        let mut lines = vec![format!("● {words}")];
        lines.extend(
            self.revised.take().map(|it| goal_lines::revised(&it, (steps, added), self.lang)),
        );
        if self.state.goal.is_some() {
            lines.extend(graph::lines(&self.state, self.paint));
        }
        lines
    }

    fn question_lines(&self, question: &Question) -> Vec<String> {
        let step = question.step.as_ref().map_or_else(|| pad("", self.ids), |step| self.id(step));
        let words = asked(question, self.lang);
        let within = expiry(question, self.lang).unwrap_or_default();
        let head = format!("? {step} {}  {words}{within}", question.id);
        vec![self.paint.yellow(&head)]
    }

    fn ending(&self, ending: &TaskEnding) -> String {
        let steps = progress(&self.state, self.lang);
        let begun = self.state.steps.iter().filter_map(|step| step.started_at).min();
        let time = span(begun.map_or(0, |begun| self.state.at.since(begun)));
        let retries = self.state.counters.step_retry_count;
        let tail = match self.lang {
            Lang::En => {
                let retries = counted(retries as usize, "retry");
                format!("{time}   {steps} · {retries}")
            }
            Lang::Zh => format!("{time}   {steps} · {retries} 次重试"),
        };
        match ending {
            TaskEnding::Completed => {
                format!("{} {tail}", self.paint.green(&self.say("■ done", "■ 完成")))
            }
            TaskEnding::Failed { fault } => {
                let words = headed(self.lang, ("■ failed:", "■ 失败："), &fault.message(self.lang));
                let task = self.state.submission.as_ref().map(|submission| &submission.task);
                let next = advice(fault, task, self.lang);
                format!("{}   {tail}\n  {next}", self.paint.red(&words))
            }
            TaskEnding::Cancelled { reason } => {
                let words = headed(self.lang, ("■ cancelled:", "■ 已取消："), reason);
                format!("{}   {tail}", self.paint.yellow(&words))
            }
        }
    }
}

/// Returns the steps that run or wait for a retry.
pub(crate) fn running(state: &State) -> impl Iterator<Item = &Step> {
    state
        .steps
        .iter()
        .filter(|step| matches!(step.status, StepStatus::Running | StepStatus::Waiting))
}
