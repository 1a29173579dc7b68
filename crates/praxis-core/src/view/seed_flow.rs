//! User events of a flow: branches, passes, filled parameters, questions, text for the user.

use super::change::TaskChange;
use super::seed::{SeedEventParts, SeedStream};
use super::seed_task::RUNS;
use crate::call::own::OwnCall;
use crate::call::own_tools::{calls, own};
use crate::ids::StepId;
use crate::intake::reserved::OUTPUTS;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::journal::question::{Question, QuestionSubject};
use crate::payload::MOST_SHOWN;
use crate::payload::{Payload, PayloadValue};
use crate::state::step::Step;
use serde_json::{Value, json};

/// Returns an output that is a string, or its string field `text`.
pub(super) fn text_of(output: &Payload) -> Option<&str> {
    let text = |datum| match datum {
        Some(PayloadValue::Value(Value::String(text))) => Some(text.as_str()),
        Some(PayloadValue::Value(_) | PayloadValue::InBlob { .. }) | None => None,
    };
    text(Some(output.whole())).or_else(|| text(output.field("text")))
}

impl SeedStream {
    /// Returns the built-in call of a step.
    pub(super) fn own_of(&self, id: &StepId) -> Option<OwnCall> {
        self.state.step(id.as_str()).and_then(|step| own(step.tool()))
    }

    /// Returns the `TASK_WAIT` event of a started step; `None` for built-in calls that take no time.
    pub(super) fn waits_for_step(&self, id: &StepId) -> Option<SeedEventParts> {
        let at_once =
            [OwnCall::Empty, OwnCall::Convert, OwnCall::Choice, OwnCall::Reply, OwnCall::Approve];
        let own = self.own_of(id);
        if own.is_some_and(|own| at_once.contains(&own)) || id.as_str() == OUTPUTS {
            return None;
        }
        let words = match self.pause(id).filter(|_| own == Some(OwnCall::Wait)) {
            Some(span) => {
                let name = self.called(id);
                self.say(&format!("⏳ {name}: {span}"), &format!("⏳ {name}：{span}"))
            }
            None => self.report(id, "▶"),
        };
        Some(("TASK_WAIT", RUNS, words, json!({"step_id": id})))
    }

    /// Returns the length or the end of a `wait` step, as written.
    fn pause(&self, id: &StepId) -> Option<String> {
        let sent = self.state.step(id.as_str())?.sent.as_ref()?;
        let given = |key: &str| match sent.arguments.field(key)? {
            PayloadValue::Value(Value::String(text)) => Some(text.clone()),
            PayloadValue::Value(value) => Some(value.to_string()),
            PayloadValue::InBlob { .. } => None,
        };
        given("for").or_else(|| given("until"))
    }

    /// Returns the user event for the end of a step.
    pub(super) fn tells_end(
        &self,
        id: &StepId,
        outcome: &CallOutcome,
        mark: &str,
    ) -> Option<SeedEventParts> {
        let data = json!({"status": self.state.status(), "step_id": id});
        let of = |words: String| Some(("STATUS_UPDATE", RUNS, words, data.clone()));
        let CallOutcome::Succeeded(output) = outcome else { return of(self.report(id, mark)) };
        let step = self.state.step(id.as_str());
        if let Some(text) = step.and_then(|step| self.speech(step, output)) {
            return of(text);
        }
        let field = |key: &str| match output.field(key)? {
            PayloadValue::Value(Value::String(text)) => Some(text.clone()),
            PayloadValue::Value(value) => Some(value.to_string()),
            PayloadValue::InBlob { .. } => None,
        };
        let name = self.called(id);
        match self.own_of(id) {
            Some(OwnCall::Empty | OwnCall::Convert) => None,
            Some(OwnCall::SubFlow) if id.as_str() == OUTPUTS => None,
            Some(OwnCall::Choice) => {
                of(format!("◇ {name} → {}", field("branch_id").unwrap_or_default()))
            }
            Some(OwnCall::Loop) => {
                let count = field("iteration_count").unwrap_or_default();
                let passes = if count == "1" { "iteration" } else { "iterations" };
                let en = format!("• {name}: {count} {passes}");
                of(self.say(&en, &format!("• {name}：共 {count} 次循环")))
            }
            _ => of(self.report(id, mark)),
        }
    }

    /// Returns the text of an output that is meant for the user, truncated.
    pub(super) fn speech(&self, step: &Step, output: &Payload) -> Option<String> {
        let text = text_of(output).filter(|text| self.is_to_user(step) && !text.is_empty())?;
        Some(text.chars().take(MOST_SHOWN).collect())
    }

    /// Returns true if the output is meant for the user: the flow's `to_user`, else that of the built-in call, else
    /// the tool's.
    pub(super) fn is_to_user(&self, step: &Step) -> bool {
        let said = step.plan.node.as_ref().and_then(|node| node.to_user);
        let own = || calls().get(step.tool()).and_then(|tool| tool.to_user);
        let contract = || self.state.contract(step.tool()).map(|contract| contract.to_user);
        said.or_else(own).or_else(contract).unwrap_or_default()
    }

    /// Returns events for steps skipped because another branch was taken or a step that they need failed.
    pub(super) fn left_out(&self, change: &TaskChange) -> Vec<SeedEventParts> {
        let told = |id: &StepId| {
            let name = self.called(id);
            let words = self.say(&format!("– {name}: skipped"), &format!("– {name}：已跳过"));
            let data = json!({"status": self.state.status(), "step_id": id});
            ("STATUS_UPDATE", RUNS, words, data)
        };
        change.skipped.iter().map(told).collect()
    }

    /// Returns the event of a question, with a one-line text if there is one.
    pub(super) fn asks(&self, question: &Question) -> SeedEventParts {
        let head = self.say("waiting for an answer", "等待回答");
        let by_policy = matches!(&question.about, QuestionSubject::Approval { risk: Some(_), .. });
        let is_told = by_policy || self.is_flow();
        let words = match is_told.then(|| self.asked_for(question)).flatten() {
            Some(words) => self.say(&format!("{head}: {words}"), &format!("{head}：{words}")),
            None => head,
        };
        let data = json!({
            "status": self.state.status(), "question_id": question.id, "step_id": question.step,
        });
        ("STATUS_UPDATE", "", words, data)
    }

    /// Returns the text of a question; `None` for questions that only goals ask.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what only goals ask is told by its head alone"
    )]
    pub(super) fn asked_for(&self, question: &Question) -> Option<String> {
        match &question.about {
            QuestionSubject::Param { fault, .. } => {
                question.wants(self.lang).or_else(|| Some(fault.message(self.lang)))
            }
            QuestionSubject::Approval { tool, arguments, .. }
                if own(tool) == Some(OwnCall::Approve) =>
            {
                arguments.get("message").and_then(Value::as_str).map(str::to_owned)
            }
            QuestionSubject::Approval { tool, risk, .. } => {
                let risk = risk.map(|risk| risk.words().tell(self.lang).to_owned());
                let risk = risk.map(|words| format!(" ({words})")).unwrap_or_default();
                let (en, zh) = (
                    format!("allow the call to `{tool}`?{risk}"),
                    format!("是否允许调用 `{tool}`？{risk}"),
                );
                Some(self.say(&en, &zh))
            }
            _ => None,
        }
    }

    /// Returns events for filled slots and for passes of a loop.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
    pub(super) fn inside(&self, event: &Event) -> Vec<SeedEventParts> {
        match event {
            Event::SlotsFilled { step, values, .. } if !values.is_empty() => {
                let (name, places) = (self.called(step), values.keys());
                let places: Vec<&str> = places.map(|at| at.trim_start_matches('/')).collect();
                let en = format!("{name}: filled in {}", places.join(", "));
                let zh = format!("{name}：已自动填充 {}", places.join("、"));
                let data = json!({"status": self.state.status(), "step_id": step});
                vec![("STATUS_UPDATE", RUNS, self.say(&en, &zh), data)]
            }
            // The pass of a sub-flow has no variables of its own; the start of its step already reports it.
            Event::PassStarted { step, pass, variables: Some(_) } => {
                let name = self.called(step);
                let words = self.say(
                    &format!("↻ {name}: iteration {pass}"),
                    &format!("↻ {name}：第 {pass} 次循环"),
                );
                vec![("TASK_WAIT", RUNS, words, json!({"step_id": step, "pass": pass}))]
            }
            _ => vec![],
        }
    }
}
