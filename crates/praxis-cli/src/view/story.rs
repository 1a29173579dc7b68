//! Tells a journal to a person, one line at a time.

use super::cost::Spent;
use super::course;
use super::graph;
use super::mending::Mending;
use super::origin::{asked, origin, typed};
use super::rescue::said;
use super::screen::Size;
use super::text::{Paint, counted, cut, mark, pad, progress, short, short_payload, span, width};
use praxis_core::dataflow::resolve::Blobs;
use praxis_core::dataflow::why::{Reason, Source, reasons};
use praxis_core::execute::start::is_simulated;
use praxis_core::execute::step::{Status, Step};
use praxis_core::fault::Lang;
use praxis_core::ids::StepId;
use praxis_core::intake::problem::Problem;
use praxis_core::journal::event::{AskOutcome, Ending, Entry, Event, Outcome, PlanOutcome};
use praxis_core::recover::overall::Revision;
use praxis_core::recover::question::Question;
use praxis_core::state::{Phase, State};
use praxis_core::time::At;
use std::collections::BTreeMap;

/// How many arguments a line shows.
const ARGUMENTS_SHOWN: usize = 2;

/// The columns that ids have at least, and without a terminal at most.
const NARROW_ID: usize = 14;
const WIDE_ID: usize = 40;

/// Follows a task and tells what happens.
pub(crate) struct Story {
    pub(crate) state: State,
    pub(crate) paint: Paint,
    lang: Lang,
    /// The terminal that running steps are drawn on; without one, each start is a line.
    screen: Option<Size>,
    /// How many columns ids have. A longer one takes more, and is never cut: people copy it.
    ids: usize,
    /// Where the arguments of running steps came from.
    origins: BTreeMap<StepId, Vec<Reason>>,
    begun: Option<At>,
    questions: usize,
    /// When models were asked that have not answered.
    asked: BTreeMap<u32, At>,
    /// How the plan was changed that is being made, and the steps that entered it.
    revised: Option<Box<Revision>>,
    added: usize,
    mending: Mending,
}

impl Story {
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
            mending: Mending::default(),
        }
    }

    /// What the state does not hold of what was spent.
    pub(crate) fn spent(&self) -> Spent {
        let ms = self.begun.map_or(0, |begun| self.state.at.since(begun));
        Spent { ms, questions: self.questions }
    }

    /// What models are being asked for: which call, in words, and since when.
    pub(crate) fn asking(&self) -> impl Iterator<Item = (u32, String, At)> {
        let asking = self.state.goal.as_deref().into_iter().flat_map(|course| &course.asking);
        asking.filter_map(|(ask, asking)| {
            let words = format!("{} ({})", course::doing(&asking.errand, self.lang), asking.model);
            Some((*ask, words, *self.asked.get(ask)?))
        })
    }

    /// The model that a call under way goes to.
    pub(crate) fn model_of(&self, ask: u32) -> Option<&str> {
        let asking = self.state.goal.as_deref()?.asking.get(&ask)?;
        Some(asking.model.as_str())
    }

    /// A step's id, padded to its column.
    pub(crate) fn id(&self, id: &StepId) -> String {
        pad(id.as_str(), self.ids)
    }

    /// Folds an entry in and tells it; nothing if it is not worth a line.
    pub(crate) fn tell(&mut self, entry: &Entry) -> Result<Vec<String>, praxis_core::Illegal> {
        self.state.apply(entry)?;
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
        Ok(mended.map_or_else(|| self.lines(&entry.event), |line| vec![line]))
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
            Event::QuestionAnswered { question, by, .. } => {
                vec![format!("✔ {question} {} {by}", self.say("answered by", "回答者"))]
            }
            Event::Woken { .. } => {
                vec![
                    self.warn(
                        &self.say("↻ recovered: goes on where it was", "↻ 已恢复：从中断处继续"),
                    ),
                ]
            }
            Event::CancelRequested { reason, .. } => {
                vec![self.warn(&format!("■ {} {reason}", self.say("stopping:", "正在停止：")))]
            }
            Event::TimeUsedUp { after_ms } => {
                let words = self.say("time used up:", "时间用尽：");
                vec![self.warn(&format!("⚠ {words} {}", span(*after_ms)))]
            }
            Event::TaskReopened { epoch, .. } => {
                let en = format!("taken up again, epoch {epoch}");
                vec![format!("↻ {}", self.say(&en, &format!("重新执行，第 {epoch} 轮")))]
            }
            Event::TaskFinished { ending, .. } => vec![self.ending(ending)],
            Event::StepsPlanned { .. } | Event::RetryDue { .. } => vec![],
            // One that wants steps is told when it has them.
            Event::PlanRevised(revision) if revision.wants_steps => vec![],
            Event::PlanRevised(revision) => {
                vec![course::revised(revision, (self.steps_in_plan(), 0), self.lang)]
            }
            // It was given up with the task, which says so itself.
            Event::AskFinished { outcome: AskOutcome::Failed { .. }, .. }
                if matches!(self.state.phase, Phase::Stopping(_)) =>
            {
                vec![]
            }
            // Drawn while it lasts.
            Event::AskStarted { .. } if self.screen.is_some() => vec![],
            other => course::lines(other, self.lang, self.paint),
        }
    }

    fn no_plan(&self, outcome: PlanOutcome, problems: &[Problem]) -> Vec<String> {
        let head = match outcome {
            PlanOutcome::Cut => self.say("the plan broke off", "计划中断"),
            PlanOutcome::Refused | PlanOutcome::Complete => {
                self.say("the plan is refused", "计划未被接受")
            }
        };
        let told = problems.iter().map(|problem| {
            let told = problem.told(self.lang);
            let at = if told.at.is_empty() { String::new() } else { format!("{}: ", told.at) };
            format!("  {at}{}", told.message)
        });
        [self.warn(&format!("⚠ {head}"))].into_iter().chain(told).collect()
    }

    fn step_lines(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::StepStarted { step, .. } => {
                self.started(step);
                let told = self.step_line(step).filter(|_| self.screen.is_none());
                told.map(|line| line.trim_end().to_owned()).into_iter().collect()
            }
            Event::CheckStarted { step } if self.screen.is_none() => {
                let words = self.say("is being checked", "正在核查");
                vec![self.warn(&format!("  {step} {words}"))]
            }
            Event::StepFinished { step, outcome, retry_at, .. } => {
                let mut lines = vec![self.finished(step, outcome)];
                lines.extend(retry_at.map(|_| self.retry_line(step)));
                lines
            }
            Event::StepInherited { step, .. } => {
                let kept = self.paint.faint(&self.say("kept from the parent", "沿用原任务的结果"));
                self.step_line(step).map(|line| format!("{line}  {kept}")).into_iter().collect()
            }
            Event::StepRefused { step, .. } => self.step_line(step).into_iter().collect(),
            Event::CheckFinished { step, verdict } => {
                let words = format!(
                    "  {step} {}: {}",
                    self.say("checked", "已核查"),
                    said(verdict.word(), self.lang)
                );
                let mut lines = vec![self.warn(&words)];
                lines.extend(self.step_line(step).filter(|_| verdict.word() == "done"));
                lines
            }
            _ => vec![],
        }
    }

    fn warn(&self, words: &str) -> String {
        self.paint.yellow(words)
    }

    fn say(&self, en: &str, zh: &str) -> String {
        match self.lang {
            Lang::En => en.to_owned(),
            Lang::Zh => zh.to_owned(),
        }
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
        lines.extend(self.revised.take().map(|it| course::revised(&it, (steps, added), self.lang)));
        if self.state.goal.is_some() {
            lines.extend(graph::lines(&self.state, self.paint));
        }
        lines
    }

    fn started(&mut self, id: &StepId) {
        if let Some(step) = self.state.step(id.as_str()) {
            let known = reasons(&self.state, step, &Blobs::new());
            self.origins.insert(id.clone(), known);
        }
    }

    fn finished(&mut self, id: &StepId, outcome: &Outcome) -> String {
        let line = self.step_line(id).unwrap_or_default();
        match outcome {
            Outcome::Succeeded(output) => {
                self.origins.remove(id);
                let played = self.state.step(id.as_str()).filter(|s| is_simulated(&self.state, s));
                let played = played.map_or_else(String::new, |_| {
                    self.paint.yellow(&self.say("  simulated", "  模拟"))
                });
                format!("{line}{played}  → {}", short_payload(output, 48))
            }
            Outcome::Failed { .. } | Outcome::InDoubt(_) | Outcome::Lost => line,
        }
    }

    /// `✔ step_3  上传数据  0.2 s  datasource_id="ds_001" ← step_2`
    pub(crate) fn step_line(&self, id: &StepId) -> Option<String> {
        let step = self.state.step(id.as_str())?;
        let time = step.duration_ms().map(span).unwrap_or_default();
        let name = pad(&cut(&step.plan.name, 20), 20);
        let mut line =
            format!("{} {} {name} {time:>7}", mark(step.status, self.paint), self.id(id));
        match (&step.fault, step.status) {
            (Some(fault), Status::Error | Status::Waiting | Status::InDoubt) => {
                line.push_str(&format!(
                    "  {}",
                    self.paint.red(&cut(&fault.message(self.lang), 200))
                ));
            }
            _ => line.push_str(&self.arguments(id)),
        }
        Some(line)
    }

    fn arguments(&self, id: &StepId) -> String {
        let reasons = self.origins.get(id).map_or(&[][..], Vec::as_slice);
        let told = reasons.iter().filter(|reason| reason.source != Source::Literal);
        let shown = told.take(ARGUMENTS_SHOWN).map(|reason| {
            let value =
                reason.value.as_ref().map_or_else(|| "…".to_owned(), |value| short(value, 28));
            let name = typed(&reason.pointer);
            format!(
                "  {name}={value} {}",
                self.paint.faint(&format!("← {}", origin(&reason.source, self.lang)))
            )
        });
        shown.collect()
    }

    fn retry_line(&self, id: &StepId) -> String {
        let retries = self.state.step(id.as_str()).map_or(0, |step| step.retries);
        let most = self.state.step(id.as_str()).and_then(|step| self.state.contract(step.tool()));
        let most = most.map_or(0, |contract| contract.retries);
        self.paint.yellow(&format!("  ↻ {} {retries}/{most}", self.say("retry", "重试")))
    }

    fn question_lines(&self, question: &Question) -> Vec<String> {
        let step = question.step.as_ref().map_or_else(|| pad("", self.ids), |step| self.id(step));
        let words = asked(question, self.lang);
        let head = format!("? {step} {}  {words}", question.id);
        vec![self.paint.yellow(&head)]
    }

    fn ending(&self, ending: &Ending) -> String {
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
            Ending::Completed => {
                format!("{} {tail}", self.paint.green(&self.say("■ done", "■ 完成")))
            }
            Ending::Failed { fault } => {
                let words =
                    format!("{} {}", self.say("■ failed:", "■ 失败："), fault.message(self.lang));
                format!("{}   {tail}\n  {}", self.paint.red(&words), fault.next(self.lang))
            }
            Ending::Cancelled { reason } => {
                format!(
                    "{} {reason}   {tail}",
                    self.paint.yellow(&self.say("■ cancelled:", "■ 已取消："))
                )
            }
        }
    }
}

/// Steps that are being done.
pub(crate) fn running(state: &State) -> impl Iterator<Item = &Step> {
    state.steps.iter().filter(|step| matches!(step.status, Status::Running | Status::Waiting))
}
