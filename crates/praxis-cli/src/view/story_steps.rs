//! Lines about steps: start, retry, end, and the origins of their arguments.

use super::origin::{origin, typed};
use super::state_words::said;
use super::story::StoryPrinter;
use super::story_flow::GIVEN;
use super::text::{cut, mark, pad, short, short_payload, span};
use praxis_core::call::own::OwnCall;
use praxis_core::call::own_tools::own;
use praxis_core::dataflow::resolve::LoadedBlobs;
use praxis_core::execute::started::is_simulated;
use praxis_core::execute::twin::maker;
use praxis_core::ids::StepId;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::state::step::{SentCall, StepStatus};
use praxis_core::view::why::{ValueOrigin, reasons};

/// Maximum number of arguments on a step's line.
const ARGUMENTS_SHOWN: usize = 2;

impl StoryPrinter {
    pub(super) fn step_lines(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::StepStarted { step, .. } => {
                self.started(step);
                let told = self.screen.is_none() && !self.is_at_once(step);
                let told = self.step_line(step).filter(|_| told);
                told.map(|line| line.trim_end().to_owned()).into_iter().collect()
            }
            Event::CheckStarted { step } if self.screen.is_none() => {
                let words =
                    self.say("checking whether the call took effect", "正在核查调用是否已生效");
                vec![self.warn(&format!("  {step} {words}"))]
            }
            Event::StepFinished { step, outcome, retry_at, .. } => {
                let mut lines = vec![self.finished(step, outcome)];
                if let CallOutcome::Succeeded(output) = outcome {
                    lines.extend(self.reply_lines(step, output));
                }
                lines.extend(retry_at.map(|_| self.retry_line(step)));
                lines
            }
            Event::StepInherited { step, tool, arguments, holes, .. } => {
                let (tool, arguments) = (tool.clone(), arguments.clone());
                let sent = SentCall { tool, arguments, holes: holes.clone() };
                let kept = match maker(&self.state, &sent) {
                    Some(id) => self.say(
                        &format!("reused the call already running for {id}"),
                        &format!("沿用 {id} 正在进行的调用"),
                    ),
                    None => self.say("result kept from the parent task", "沿用父任务的结果"),
                };
                let kept = self.paint.faint(&kept);
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

    fn started(&mut self, id: &StepId) {
        if let Some(step) = self.state.step(id.as_str()) {
            let known = reasons(&self.state, step, &LoadedBlobs::new());
            self.origins.insert(id.clone(), known);
        }
    }

    fn finished(&mut self, id: &StepId, outcome: &CallOutcome) -> String {
        let line = self.step_line(id).unwrap_or_default();
        match outcome {
            CallOutcome::Succeeded(output) => {
                self.origins.remove(id);
                let simulated =
                    self.state.step(id.as_str()).filter(|s| is_simulated(&self.state, s));
                let simulated = simulated.map_or_else(String::new, |_| {
                    self.paint.yellow(&self.say("  simulated", "  模拟"))
                });
                match self.own_output(id, output) {
                    Some(words) if words.is_empty() => line.trim_end().to_owned(),
                    Some(words) => format!("{line}{simulated}  → {words}"),
                    None => format!("{line}{simulated}  → {}", short_payload(output, GIVEN)),
                }
            }
            CallOutcome::Failed { .. } | CallOutcome::InDoubt(_) | CallOutcome::Lost => line,
        }
    }

    /// Formats the line of a step: `✔ step_3  上传数据  0.2 s  datasource_id="ds_001" ← step_2`.
    pub(crate) fn step_line(&self, id: &StepId) -> Option<String> {
        let step = self.state.step(id.as_str())?;
        let time = step.duration_ms().map(span).unwrap_or_default();
        let name = pad(&cut(&step.plan.name, 20), 20);
        let mut line =
            format!("{} {} {name} {time:>7}", mark(step.status, self.paint), self.id(id));
        match (&step.fault, step.status) {
            (Some(fault), StepStatus::Error | StepStatus::Waiting | StepStatus::InDoubt) => {
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
        let own = self.state.step(id.as_str()).and_then(|step| own(step.tool()));
        // The result of a choice or a reply says enough; the arguments of an agent are the same in every turn.
        if matches!(own, Some(OwnCall::Choice | OwnCall::Reply | OwnCall::Agent)) {
            return String::new();
        }
        let reasons = self.origins.get(id).map_or(&[][..], Vec::as_slice);
        let told = reasons.iter().filter(|reason| reason.source != ValueOrigin::Literal);
        let shown = told.take(ARGUMENTS_SHOWN).map(|reason| {
            let none = if reason.is_left_out() { "–" } else { "…" };
            let value =
                reason.value.as_ref().map_or_else(|| none.to_owned(), |value| short(value, 28));
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
}
