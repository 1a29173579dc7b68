//! The event stream of the seed documents: its fourteen names, its seven phases, for users or for developers.
//!
//! - in: the entries of a task in order, and the words of models as they come
//! - out: events under the documents' names; for users only the five that concern them
//! - never: ends a phase that it did not announce, or leaves an end out

use super::event::{AskOutcome, Ending, Entry, Event, Outcome, PlanOutcome};
use super::stream::shown;
use super::stream_goal::phase_of;
use crate::Illegal;
use crate::ask::errand::Errand;
use crate::execute::step::Step;
use crate::fault::Lang;
use crate::finalize::account::Accounts;
use crate::finalize::history::history;
use crate::goal::message;
use crate::ids::StepId;
use crate::recover::question::{About, Question};
use crate::state::State;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The longest report of a step to a user, in characters.
const REPORT_CHARS: usize = 120;

/// Whom the events are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Friendly words, five kinds of events.
    User,
    /// Everything.
    Developer,
}

/// One event under its name in the documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedEvent {
    /// `TASK_WAIT`, `STEP_STARTED` …
    pub event_type: &'static str,
    /// The entry that it comes from; the cursor to go on from.
    pub sequence: u64,
    /// One of the seven phases.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub phase: &'static str,
    /// Words for a person.
    pub message: String,
    /// The rest.
    pub data: Value,
}

/// Tells a task in the words of the documents.
pub struct SeedStream {
    audience: Audience,
    lang: Lang,
    state: State,
    entries: Vec<Entry>,
    asked: BTreeMap<u32, Errand>,
}

type Told = (&'static str, &'static str, String, Value);

/// What a user waits for while a model carries an errand out.
fn awaited(errand: &Errand) -> Option<(&'static str, &'static str)> {
    Some(match errand {
        Errand::Strategy => ("looking at earlier work", "正在查看已有工作"),
        Errand::Select => ("choosing tools", "正在筛选工具"),
        Errand::Plan => ("making a plan", "正在规划任务"),
        Errand::Replan => ("making a new plan", "正在重新规划"),
        Errand::Infer { .. } => ("finding missing values", "正在补全参数"),
        Errand::Reflect { .. } => ("finding out what went wrong", "正在分析失败原因"),
        Errand::Repair { .. } => ("mending a step", "正在修复步骤"),
        Errand::ReflectOverall => ("thinking the task over", "正在反思整个任务"),
        Errand::Evaluate => ("judging the result", "正在评估结果"),
        Errand::Extract { .. } => ("reading a long result", "正在阅读较长的结果"),
        Errand::Report => ("writing the answer", "正在整理答复"),
        // A message is about the work, not part of it.
        Errand::Tell => return None,
        Errand::Learn => ("looking back", "正在总结经验"),
    })
}

impl SeedStream {
    /// A stream from the beginning of a task.
    pub fn new(audience: Audience, lang: Lang) -> Self {
        let (state, entries, asked) = (State::default(), Vec::new(), BTreeMap::new());
        Self { audience, lang, state, entries, asked }
    }

    /// Folds an entry in and tells it.
    pub fn tell(&mut self, entry: &Entry) -> Result<Vec<SeedEvent>, Illegal> {
        self.state.apply(entry)?;
        self.entries.push(entry.clone());
        let told = self.events(&entry.event);
        let meant = told.into_iter().filter(|(name, ..)| self.is_for_audience(name));
        let event = |(event_type, phase, message, data): Told| SeedEvent {
            event_type,
            sequence: entry.seq,
            phase,
            message,
            data,
        };
        Ok(meant.map(event).collect())
    }

    /// Words of a model as they come. Not for users, and of no entry.
    pub fn chunk(&self, errand: &Errand, words: &str) -> Option<SeedEvent> {
        (self.audience == Audience::Developer).then(|| SeedEvent {
            event_type: "LLM_STREAM_CHUNK",
            sequence: self.state.seq,
            phase: phase_of(errand),
            message: words.to_owned(),
            data: json!({"chunk_type": "CHUNK"}),
        })
    }

    fn is_for_audience(&self, name: &str) -> bool {
        let for_users =
            ["TASK_WAIT", "STATUS_UPDATE", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
        self.audience == Audience::Developer || for_users.contains(&name)
    }

    fn status(&self) -> Value {
        json!({"status": self.state.status()})
    }

    fn say(&self, en: &str, zh: &str) -> String {
        match self.lang {
            Lang::En => en.to_owned(),
            Lang::Zh => zh.to_owned(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
    fn events(&mut self, event: &Event) -> Vec<Told> {
        match event {
            Event::AskStarted { ask, errand, .. } => {
                self.asked.insert(*ask, errand.clone());
                let phase = phase_of(errand);
                let wait = awaited(errand).map(|(en, zh)| {
                    let stage = json!({"stage": errand.stage()});
                    ("TASK_WAIT", phase, self.say(en, zh), stage)
                });
                let start = json!({"chunk_type": "START"});
                let start = ("LLM_STREAM_CHUNK", phase, String::new(), start);
                wait.into_iter().chain([start]).collect()
            }
            Event::AskFinished { ask, outcome } => self.asked_events(*ask, outcome),
            Event::PlanClosed { outcome: PlanOutcome::Complete, revision, .. } => {
                let steps = self.state.steps.iter().filter(|step| !step.dropped);
                let ids: Vec<&StepId> = steps.map(|step| &step.plan.id).collect();
                let count = ids.len();
                let words = self
                    .say(&format!("a plan of {count} steps"), &format!("已生成 {count} 步计划"));
                vec![(
                    "PLAN_GENERATED",
                    "任务规划",
                    words,
                    json!({"revision": revision, "steps": ids}),
                )]
            }
            Event::StepStarted { step, .. } => {
                let report = self.report(step, "▶");
                vec![
                    ("STEP_STARTED", "工具执行", report.clone(), json!({"step_id": step})),
                    ("TASK_WAIT", "工具执行", report, json!({"step_id": step})),
                ]
            }
            Event::StepFinished { step, outcome, .. } => self.step_events(step, outcome),
            Event::StepRefused { step, fault } => {
                let data =
                    json!({"step_id": step, "error": super::stream::error(fault, self.lang)});
                let report = self.report(step, "✖");
                vec![
                    ("STEP_FAILED", "工具执行", report.clone(), data),
                    ("STATUS_UPDATE", "工具执行", report, self.status()),
                ]
            }
            Event::CheckStarted { step } => {
                let wait = self.say("checking what became of a call", "正在核查调用结果");
                vec![("TASK_WAIT", "工具执行", wait, json!({"step_id": step}))]
            }
            Event::CheckFinished { .. } => {
                let words = self.say("checked", "已核查");
                vec![("STATUS_UPDATE", "工具执行", words, self.status())]
            }
            Event::QuestionAsked { question } => {
                let words = self.say("waits for an answer", "等待回答");
                let data = json!({"status": self.state.status(), "question_id": question.id});
                let update = ("STATUS_UPDATE", "", words, data);
                self.waits_for_start(question).into_iter().chain([update]).collect()
            }
            other => self.judged_events(other),
        }
    }

    /// A call that waits until a person approves of it, and what it can do.
    fn waits_for_start(&self, question: &Question) -> Option<Told> {
        let About::Approval { tool, key, arguments, risk: Some(risk), .. } = &question.about else {
            return None;
        };
        let words = risk.words().tell(self.lang).to_owned();
        let data = json!({
            "step_id": question.step, "question_id": question.id, "tool_id": tool, "key": key,
            "arguments": arguments, "risk": risk,
        });
        Some(("STEP_WAITING_FOR_START", "工具执行", words, data))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
    fn judged_events(&self, event: &Event) -> Vec<Told> {
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

    fn asked_events(&mut self, ask: u32, outcome: &AskOutcome) -> Vec<Told> {
        let errand = self.asked.remove(&ask);
        let phase = errand.as_ref().map_or("", phase_of);
        let (chunk, words) = match outcome {
            AskOutcome::Answered { .. } => ("DONE", self.say("done", "已完成")),
            AskOutcome::Failed { fault, .. } => ("ERROR", fault.message(self.lang)),
            AskOutcome::Lost => ("ERROR", self.say("interrupted", "已中断")),
        };
        let ended = ("LLM_STREAM_CHUNK", phase, words.clone(), json!({"chunk_type": chunk}));
        let was_awaited = errand.as_ref().is_some_and(|errand| awaited(errand).is_some());
        let status = was_awaited.then(|| ("STATUS_UPDATE", phase, words, self.status()));
        [ended].into_iter().chain(status).collect()
    }

    fn step_events(&self, step: &StepId, outcome: &Outcome) -> Vec<Told> {
        let (name, mark, data) = match outcome {
            Outcome::Succeeded(output) => ("STEP_COMPLETED", "•", json!({"output": shown(output)})),
            Outcome::Failed { fault, .. } | Outcome::InDoubt(fault) => {
                ("STEP_FAILED", "✖", json!({"error": super::stream::error(fault, self.lang)}))
            }
            Outcome::Lost => ("STEP_FAILED", "✖", json!({"lost": true})),
        };
        let mut data = data;
        if let Some(map) = data.as_object_mut() {
            map.insert("step_id".to_owned(), json!(step));
        }
        let report = self.report(step, mark);
        vec![
            (name, "工具执行", report.clone(), data),
            ("STATUS_UPDATE", "工具执行", report, self.status()),
        ]
    }

    /// One line of at most 120 characters: `• 上传数据 （2/4）`.
    fn report(&self, id: &StepId, mark: &str) -> String {
        let step = self.state.step(id.as_str());
        let name = step.map_or("", |step: &Step| step.plan.name.as_str());
        let name = if name.is_empty() { id.as_str() } else { name };
        let (done, all) = self.state.progress();
        let tail = format!(" （{done}/{all}）");
        let room = REPORT_CHARS.saturating_sub(tail.chars().count() + 2);
        let name: String = name.chars().take(room).collect();
        format!("{mark} {name}{tail}")
    }

    /// The result, the end, and the history from which both can be understood.
    fn end(&self, ending: &Ending) -> Vec<Told> {
        let answer = self.state.goal.as_deref().and_then(|course| course.answer.as_ref());
        let result = json!({"answer": answer.map(shown), "result_of": self.state.result_of});
        let (name, words) = match ending {
            Ending::Completed => ("TASK_COMPLETED", self.say("completed", "任务完成")),
            Ending::Failed { fault } => ("TASK_FAILED", fault.message(self.lang)),
            Ending::Cancelled { reason } => ("TASK_FAILED", reason.clone()),
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
}
