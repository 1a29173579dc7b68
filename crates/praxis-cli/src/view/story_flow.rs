//! Lines about flows: passes, skipped branches, filled-in parameters.

use super::origin::slot;
use super::story::StoryPrinter;
use super::text::{comma, cut, mark, sanitize, short};
use praxis_core::call::own::OwnCall;
use praxis_core::call::own_tools::own;
use praxis_core::ids::StepId;
use praxis_core::intake::reserved::OUTPUTS;
use praxis_core::journal::event::Event;
use praxis_core::lang::Lang;
use praxis_core::mask::masked_under;
use praxis_core::payload::{Payload, PayloadValue};
use praxis_core::state::step::StepStatus;
use praxis_core::view::change::TaskChange;
use serde_json::Value;

/// Maximum width of one line of a reply to the user.
const LINE: usize = 400;
/// Maximum width of the output on a step's line.
pub(super) const GIVEN: usize = 48;

impl StoryPrinter {
    /// Returns the lines of an event that only flows have.
    pub(super) fn flow_lines(&self, event: &Event) -> Vec<String> {
        match event {
            Event::PassStarted { step, pass, variables: Some(variables) } => {
                let item = variables.field("item").and_then(value);
                let item = item.map(|item| format!("  {}", short(item, 40))).unwrap_or_default();
                let words = self.say(&format!("iteration {pass}"), &format!("第 {pass} 次循环"));
                vec![self.paint.faint(&format!("↻ {} {words}{item}", self.id(step)))]
            }
            Event::PassEnded { step, pass, failed: Some(failed), .. } if self.is_agent(step) => {
                let en = format!("turn {pass}: {failed} failed; the error was sent to the model");
                let words = self.say(&en, &format!("第 {pass} 轮：{failed} 失败，错误已发给模型"));
                vec![self.paint.faint(&format!("↻ {} {words}", self.id(step)))]
            }
            Event::PassEnded { step, pass, failed: Some(failed), .. } => {
                let en = format!("iteration {pass} failed: {failed}");
                let words = self.say(&en, &format!("第 {pass} 次循环失败：{failed}"));
                vec![self.warn(&format!("⚠ {} {words}", self.id(step)))]
            }
            Event::SlotsFilled { step, values, .. } => {
                let one = |(at, found): (&String, &_)| self.filled(at, found);
                let told: Vec<String> = values.iter().map(one).collect();
                let told = told.join(comma(self.lang));
                let words = self.say("filled in", "自动填充");
                let line = format!("  {} {words} {told}", self.id(step));
                if values.is_empty() { vec![] } else { vec![line] }
            }
            _ => vec![],
        }
    }

    fn is_agent(&self, step: &StepId) -> bool {
        let body = self.state.step(step.as_str()).and_then(|step| step.plan.body());
        body.is_some_and(|body| body.agent.is_some())
    }

    fn filled(&self, at: &str, found: &praxis_core::journal::slot::FilledSlot) -> String {
        let name = at.trim_start_matches('/');
        let shown = short(&masked_under(name, &found.value), 28);
        let from = self.paint.faint(&format!("← {}", slot(&found.source, self.lang)));
        format!("{name}={shown} {from}")
    }

    /// Returns a line for each newly skipped step: its branch was not taken, or a step it needs failed.
    pub(super) fn skipped_lines(&self, change: &TaskChange) -> Vec<String> {
        let words = self.say("skipped", "跳过");
        let line = |id: &StepId| {
            let line = format!("{} {} {words}", mark(StepStatus::Skipped, self.paint), self.id(id));
            self.paint.faint(&line)
        };
        change.skipped.iter().map(line).collect()
    }

    /// Describes the output of one of Praxis' own calls. `None` if the raw output is shown instead; empty if nothing
    /// is shown.
    pub(super) fn own_output(&self, id: &StepId, output: &Payload) -> Option<String> {
        let own = own(self.state.step(id.as_str())?.tool())?;
        let field = |key: &str| output.field(key).and_then(value);
        match own {
            OwnCall::Choice => Some(field("branch_id")?.as_str()?.to_owned()),
            OwnCall::Loop => {
                let count = usize::try_from(field("iteration_count")?.as_u64()?).ok()?;
                let why = self.reason(field("stop_reason")?.as_str()?);
                Some(match self.lang {
                    Lang::En if count == 1 => format!("1 iteration: {why}"),
                    Lang::En => format!("{count} iterations: {why}"),
                    Lang::Zh => format!("共 {count} 次循环：{why}"),
                })
            }
            // The text of a `Reply` is printed below by `reply_lines`.
            OwnCall::Empty | OwnCall::Approve | OwnCall::Wait | OwnCall::Reply => {
                Some(String::new())
            }
            // The reasoning of the model is not printed.
            own if own.asks_a_model() => {
                let mut told = value(output.whole())?.clone();
                told.as_object_mut()?.remove("reasoning");
                Some(short(&told, GIVEN))
            }
            _ => None,
        }
    }

    /// Returns true if a step ends as soon as it starts: only its end is printed.
    pub(super) fn is_at_once(&self, id: &StepId) -> bool {
        let own = self.state.step(id.as_str()).and_then(|step| own(step.tool()));
        let at_once = [OwnCall::Empty, OwnCall::Convert, OwnCall::Choice, OwnCall::Reply];
        own.is_some_and(|own| at_once.contains(&own)) || id.as_str() == OUTPUTS
    }

    /// Describes the `stop_reason` of a loop.
    fn reason(&self, word: &str) -> String {
        match word {
            "condition_met" => self.say("condition met", "条件已满足"),
            "list_exhausted" => self.say("end of the list", "列表已遍历完"),
            "max_iteration_reached" => self.say("iteration limit reached", "达到次数上限"),
            "failure" => self.say("an iteration failed", "有一次循环失败"),
            other => other.to_owned(),
        }
    }

    /// Returns the text of a `Reply` step, line by line.
    pub(super) fn reply_lines(&self, id: &StepId, output: &Payload) -> Vec<String> {
        let step = self.state.step(id.as_str());
        let replies = step.is_some_and(|step| own(step.tool()) == Some(OwnCall::Reply));
        let text = output.field("text").filter(|_| replies).and_then(value).and_then(Value::as_str);
        let line = |line: &str| format!("  │ {}", cut(&sanitize(line, LINE), LINE));
        text.into_iter().flat_map(str::lines).map(line).collect()
    }
}

fn value(datum: PayloadValue<'_>) -> Option<&Value> {
    match datum {
        PayloadValue::Value(value) => Some(value),
        PayloadValue::InBlob { .. } => None,
    }
}
