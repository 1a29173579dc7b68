//! The seed events of a task: model calls, steps, judgement, end.

use super::change::TaskChange;
use super::seed::{SeedEventParts, SeedStream};
use super::stream::error;
use super::stream_goal::phase_of;
use crate::ask::purpose::Purpose;
use crate::finalize::message;
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::journal::outcome::{AskOutcome, CallOutcome, PlanOutcome, TaskEnding};
use crate::lang::Lang;
use crate::payload::shown;
use crate::state::step::Step;
use crate::view::account::Accounts;
use crate::view::history::history;
use serde_json::{Value, json};

/// Maximum length of a step report, in characters.
const REPORT_CHARS: usize = 120;
/// The phase in which steps run.
pub(super) const RUNS: &str = "工具执行";

/// Returns the message for a user who waits for a model call, in English and Chinese.
fn awaited(purpose: &Purpose) -> Option<(&'static str, &'static str)> {
    Some(match purpose {
        Purpose::Strategy => ("comparing with the earlier task", "正在与之前的任务比对"),
        Purpose::Select => ("selecting tools", "正在筛选工具"),
        Purpose::Plan => ("making a plan", "正在规划任务"),
        Purpose::Replan => ("replanning", "正在重新规划"),
        Purpose::Infer { .. } => ("inferring missing values", "正在推断缺失的参数"),
        Purpose::Reflect { .. } => ("finding out what went wrong", "正在分析失败原因"),
        Purpose::Repair { .. } => ("repairing a step", "正在修复步骤"),
        Purpose::ReflectOverall => ("reflecting on the whole task", "正在反思整个任务"),
        Purpose::Evaluate => ("judging the result", "正在评估结果"),
        Purpose::Extract { .. } => ("extracting from a long output", "正在从长输出中摘录"),
        Purpose::Report => ("writing the answer", "正在整理答复"),
        // A progress message is not a wait of its own.
        Purpose::Tell => return None,
        Purpose::Learn => ("reviewing the task", "正在总结任务经验"),
    })
}

impl SeedStream {
    pub(super) fn status(&self) -> Value {
        json!({"status": self.state.status()})
    }

    pub(super) fn say(&self, en: &str, zh: &str) -> String {
        match self.lang {
            Lang::En => en.to_owned(),
            Lang::Zh => zh.to_owned(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
    pub(super) fn task_events(
        &mut self,
        event: &Event,
        change: &TaskChange,
    ) -> Vec<SeedEventParts> {
        match event {
            Event::AskStarted { ask, purpose, .. } => {
                self.asked.insert(*ask, purpose.clone());
                let phase = phase_of(purpose);
                let wait = awaited(purpose).map(|(en, zh)| {
                    let stage = json!({"stage": purpose.stage()});
                    ("TASK_WAIT", phase, self.say(en, zh), stage)
                });
                let start = json!({"chunk_type": "START"});
                let start = ("LLM_STREAM_CHUNK", phase, String::new(), start);
                wait.into_iter().chain([start]).collect()
            }
            Event::AskFinished { ask, outcome } => self.asked_events(*ask, outcome),
            Event::PlanClosed { outcome: PlanOutcome::Complete, revision, .. } => {
                vec![self.planned(*revision)]
            }
            Event::StepStarted { step, .. } => {
                let report = self.report(step, "▶");
                let started = ("STEP_STARTED", RUNS, report, json!({"step_id": step}));
                [started].into_iter().chain(self.waits_for_step(step)).collect()
            }
            Event::StepFinished { step, outcome, .. } => {
                let ended = self.ended_events(step, outcome);
                ended.into_iter().chain(self.left_out(change)).collect()
            }
            Event::StepRefused { step, fault } => {
                let data = json!({"step_id": step, "error": error(fault, self.lang)});
                let report = self.report(step, "✖");
                let failed = ("STEP_FAILED", RUNS, report.clone(), data);
                let told = [failed, ("STATUS_UPDATE", RUNS, report, self.status())];
                told.into_iter().chain(self.left_out(change)).collect()
            }
            Event::CheckStarted { step } => {
                let wait =
                    self.say("checking whether a call took effect", "正在核查调用是否已生效");
                vec![("TASK_WAIT", RUNS, wait, json!({"step_id": step}))]
            }
            Event::CheckFinished { .. } => {
                let words = self.say("checked", "已核查");
                vec![("STATUS_UPDATE", RUNS, words, self.status())]
            }
            Event::QuestionAsked { question } => vec![self.asks(question)],
            Event::SlotsFilled { .. } | Event::PassStarted { .. } => self.inside(event),
            Event::StepInherited { .. } | Event::QuestionAnswered { .. } => self.left_out(change),
            other => self.judged_events(other),
        }
    }

    fn planned(&self, revision: u32) -> SeedEventParts {
        let steps = self.state.steps.iter().filter(|step| !step.dropped);
        let ids: Vec<&StepId> = steps.map(|step| &step.plan.id).collect();
        let count = ids.len();
        let steps = if count == 1 { "step" } else { "steps" };
        let en = format!("plan ready: {count} {steps}");
        let words = self.say(&en, &format!("计划已生成：共 {count} 步"));
        ("PLAN_GENERATED", "任务规划", words, json!({"revision": revision, "steps": ids}))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
    fn judged_events(&self, event: &Event) -> Vec<SeedEventParts> {
        match event {
            Event::TaskJudged(judgement) => {
                let score = judgement.scores.overall();
                vec![(
                    "EVALUATION_COMPLETED",
                    "评估",
                    format!("{score}/100"),
                    json!({"evaluation": judgement}),
                )]
            }
            Event::StepReflected { step, reflection } => {
                let words = reflection.suggested_action.word().to_owned();
                let data = json!({"step_id": step, "reflection": reflection});
                vec![("REFLECTION_COMPLETED", "反思", words, data)]
            }
            Event::TaskReflected(reflection) => {
                let words = reflection.replanning_strategy.word().to_owned();
                vec![("REFLECTION_COMPLETED", "反思", words, json!({"reflection": reflection}))]
            }
            Event::MessageTold { text } if !text.is_empty() => {
                vec![("STATUS_UPDATE", message::phase(&self.state), text.clone(), self.status())]
            }
            Event::TaskFinished { ending, .. } => self.end(ending),
            Event::TaskLearnt(experience) => {
                let words = experience.quick_summary.clone();
                vec![("TASK_EXPERIENCE", "建议行动", words, json!({"experience": experience}))]
            }
            _ => vec![],
        }
    }

    fn asked_events(&mut self, ask: u32, outcome: &AskOutcome) -> Vec<SeedEventParts> {
        let purpose = self.asked.remove(&ask);
        let phase = purpose.as_ref().map_or("", phase_of);
        let (chunk, words) = match outcome {
            AskOutcome::Answered { .. } => ("DONE", self.say("done", "已完成")),
            AskOutcome::Failed { fault, .. } => ("ERROR", fault.message(self.lang)),
            AskOutcome::Lost => ("ERROR", self.say("interrupted", "已中断")),
        };
        let ended = ("LLM_STREAM_CHUNK", phase, words.clone(), json!({"chunk_type": chunk}));
        let was_awaited = purpose.as_ref().is_some_and(|purpose| awaited(purpose).is_some());
        let status = was_awaited.then(|| ("STATUS_UPDATE", phase, words, self.status()));
        [ended].into_iter().chain(status).collect()
    }

    fn ended_events(&self, step: &StepId, outcome: &CallOutcome) -> Vec<SeedEventParts> {
        let (name, mark, mut data) = match outcome {
            CallOutcome::Succeeded(output) => {
                ("STEP_COMPLETED", "•", json!({"output": shown(output)}))
            }
            CallOutcome::Failed { fault, .. } | CallOutcome::InDoubt(fault) => {
                ("STEP_FAILED", "✖", json!({"error": error(fault, self.lang)}))
            }
            CallOutcome::Lost => ("STEP_FAILED", "✖", json!({"lost": true})),
        };
        if let Some(map) = data.as_object_mut() {
            map.insert("step_id".to_owned(), json!(step));
        }
        let ended = (name, RUNS, self.report(step, mark), data);
        [ended].into_iter().chain(self.tells_end(step, outcome, mark)).collect()
    }

    /// Renders one line of at most 120 characters: `• 上传数据 （2/4）`.
    pub(super) fn report(&self, id: &StepId, mark: &str) -> String {
        let (done, all) = self.state.progress();
        let tail = format!(" （{done}/{all}）");
        let room = REPORT_CHARS.saturating_sub(tail.chars().count() + 2);
        let name: String = self.called(id).chars().take(room).collect();
        format!("{mark} {name}{tail}")
    }

    /// Returns the display name of a step, else its id.
    pub(super) fn called<'a>(&'a self, id: &'a StepId) -> &'a str {
        let step = self.state.step(id.as_str());
        let name = step.map_or("", |step: &Step| step.plan.name.as_str());
        if name.is_empty() { id.as_str() } else { name }
    }

    /// Returns the result, the history text and the ending of a task.
    fn end(&self, ending: &TaskEnding) -> Vec<SeedEventParts> {
        let answer =
            self.state.goal.as_deref().and_then(|goal_state| goal_state.evaluation.answer.as_ref());
        let answer = answer.map_or_else(|| self.outputs(), shown);
        let result = json!({"answer": answer, "result_of": self.state.result_of});
        let (name, words) = match ending {
            TaskEnding::Completed => ("TASK_COMPLETED", self.say("completed", "任务完成")),
            TaskEnding::Failed { fault } => ("TASK_FAILED", fault.message(self.lang)),
            TaskEnding::Cancelled { reason } => ("TASK_FAILED", reason.clone()),
        };
        let text = Accounts::read(&self.entries)
            .map(|accounts| history(&self.entries, &accounts, self.lang));
        let history = json!({"formatted_text": text.unwrap_or_default()});
        vec![
            ("TASK_RESULT", "", words.clone(), result),
            ("CONTEXT_ENGINEERING", "", String::new(), history),
            (name, "", words, self.status()),
        ]
    }

    /// Returns the output of a flow; `null` for a plan, whose results are listed by `result_of`.
    pub(super) fn outputs(&self) -> Value {
        let of_flow = self.state.result_of.first().filter(|_| self.is_flow());
        let index = of_flow.and_then(|id| self.state.context.index_of(id.as_str()));
        let result = index.and_then(|index| self.state.context.result(index));
        result.map_or(Value::Null, |result| shown(&result.output))
    }
}
