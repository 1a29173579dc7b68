//! `praxis plan --explain`: shows how a goal would be planned offline, and why. Runs nothing and creates no task.

use crate::args_goal::PlanOnly;
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::goal_request::GoalArgs;
use crate::view::text::{Paint, comma, cut, enclosed, headed, pad, told_words};
use crate::{inputs, offline};
use praxis_core::ids::TaskId;
use praxis_core::journal::selection::Sureness;
use praxis_core::planner::FilledWorkflow;
use praxis_core::planner::FoundTool;
use praxis_core::route::workflow::Workflow;
use praxis_planner::offline::bind::{BindingSource, BoundParameter};
use praxis_planner::offline::plan_path::PlanPath;
use praxis_planner::offline::planner::{LexicalOutcome, MadePlan, MadeStep};
use praxis_planner::retrieve::search::LexicalSearch;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Number of candidate tools to show.
const CANDIDATES: usize = 8;
/// Number of losing tools to show for a step.
const RIVALS: usize = 3;

pub(crate) fn run(context: &CliContext, plan: &PlanOnly) -> Result<ExitCode, CommandFailure> {
    let wanted = GoalArgs {
        words: &plan.goal,
        beside: &Value::Null,
        given: &plan.given,
        pursuit: &plan.pursuit,
        approval: None,
    };
    let library = super::library::open(context);
    let toolbox = inputs::toolbox(context, &plan.given.tools)?;
    let metadata = inputs::metadata(&Value::Null, &plan.given)?;
    let search = offline::search(&toolbox, &library);
    let ground = offline::OfflineLibrary {
        library: &library,
        toolbox: &toolbox,
        search: &search,
        metadata: &metadata,
        memories: &offline::memories(context, &wanted),
    };
    let way = offline::way(&ground, &wanted)?;
    let told =
        PlanExplanation { context, search: &search, found: search.find(&plan.goal, CANDIDATES) };
    if context.json {
        out!("{}", told.json(&way));
    } else {
        told.print(&way);
    }
    Ok(match outcome(&way) {
        "ready" => ExitCode::SUCCESS,
        "need_params" => Exit::InputNeeded.into(),
        _ => Exit::Usage.into(),
    })
}

fn outcome(way: &PlanPath<'_>) -> &'static str {
    match way {
        PlanPath::Workflow(_, filled) if filled.open.is_empty() => "ready",
        PlanPath::Workflow(..) | PlanPath::Tools(LexicalOutcome::NeedParams(_)) => "need_params",
        PlanPath::Again(_) | PlanPath::Tools(LexicalOutcome::Ready(_)) => "ready",
        PlanPath::Tools(LexicalOutcome::NoPlan(_)) => "no_plan",
    }
}

/// Returns the confidence in the plan. A plan from the plan cache has 100 %: it was made for the same goal.
fn sureness(way: &PlanPath<'_>) -> Sureness {
    match way {
        PlanPath::Workflow(_, filled) => filled.sureness.clone(),
        PlanPath::Again(_) => Sureness { percent: 100, unexplained: vec![] },
        PlanPath::Tools(LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made)) => {
            made.sureness.clone()
        }
        PlanPath::Tools(LexicalOutcome::NoPlan(refusal)) => refusal.sureness.clone(),
    }
}

/// Explanation of a plan.
struct PlanExplanation<'a> {
    context: &'a CliContext,
    search: &'a LexicalSearch,
    found: Vec<FoundTool>,
}

impl PlanExplanation<'_> {
    fn print(&self, way: &PlanPath<'_>) {
        let context = self.context;
        let Sureness { percent, unexplained } = &sureness(way);
        let understood = context
            .say(format!("{percent}% of the goal understood"), format!("已理解目标的 {percent}%"));
        let outcome = match outcome(way) {
            "ready" => context.say("ready", "可以执行"),
            "need_params" => context.say("need_params", "还缺少输入"),
            _ => context.say("no_plan", "无法规划"),
        };
        self.line(("outcome", "结果"), &format!("{outcome} · {understood}"));
        if !unexplained.is_empty() {
            self.line(("not understood", "未理解"), &unexplained.join(&context.say(", ", "、")));
        }
        let candidate = |one: &FoundTool| {
            let words = told_words(&one.because.words, context.lang);
            let brings = one.because.brings_for.as_ref();
            let brings = brings.map(|it| {
                context.say(format!("provides input for {it}"), format!("为 {it} 提供输入"))
            });
            let why = enclosed(&brings.unwrap_or(words), context.lang);
            format!("{} {:.2}{why}", one.tool, one.score)
        };
        let found: Vec<String> = self.found.iter().map(candidate).collect();
        self.line(("tools", "候选"), &found.join(" · "));
        match way {
            PlanPath::Workflow(workflow, filled) => self.print_workflow(workflow, filled),
            PlanPath::Again(task) => self.line(("cached", "计划缓存"), task.as_str()),
            PlanPath::Tools(LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made)) => {
                if !made.like.is_empty() {
                    let like: Vec<&str> = made.like.iter().map(TaskId::as_str).collect();
                    self.line(("based on", "参照"), &like.join(comma(context.lang)));
                }
                let whole = |step: &MadeStep| made.steps.iter().all(|it| it.words == step.words);
                made.steps.iter().for_each(|step| self.print_step(step, whole(step)));
                let open: Vec<String> = asks(made);
                self.print_open(&open);
            }
            PlanPath::Tools(LexicalOutcome::NoPlan(refusal)) => {
                self.line(("reason", "原因"), refusal.words().tell(context.lang));
            }
        }
    }

    fn line(&self, (en, zh): (&str, &str), text: &str) {
        out!("{} {text}", pad(&self.context.say(en, zh), 9));
    }

    fn print_workflow(&self, workflow: &Workflow, filled: &FilledWorkflow) {
        self.line(("workflow", "工作流"), &workflow.listed(self.context.lang));
        for (key, value) in &filled.said {
            out!(
                "  {} {} {}",
                pad(key, 16),
                value,
                self.faint(("stated in the goal", "目标中给出"))
            );
        }
        for (key, value) in
            workflow.defaults.iter().filter(|(key, _)| !filled.said.contains_key(*key))
        {
            out!(
                "  {} {} {}",
                pad(key, 16),
                value,
                self.faint(("workflow default", "工作流默认值"))
            );
        }
        self.print_open(&filled.open);
    }

    fn print_open(&self, open: &[String]) {
        if !open.is_empty() {
            self.line(("will ask", "需询问"), &open.join(comma(self.context.lang)));
        }
    }

    /// Prints a step with its part of the goal, unless that is the whole goal.
    fn print_step(&self, step: &MadeStep, is_whole: bool) {
        let words = match cut(&step.words, 60) {
            _ if is_whole => String::new(),
            words => self.context.say(format!("\"{words}\""), format!("“{words}”")),
        };
        out!(
            "{} {}  {}",
            pad(step.id.as_str(), 9),
            step.tool,
            Paint(self.context.colors).faint(&words)
        );
        for bound in step.bound.iter().filter(|one| one.source.is_some()) {
            let (value, why) = self.origin(bound);
            let score =
                self.context.say(format!("{:.1}", bound.score), format!("得分 {:.1}", bound.score));
            out!(
                "  {} {} {}",
                pad(&bound.slot.path.join("."), 16),
                cut(&value, 60),
                Paint(self.context.colors).faint(&format!("{why} · {score}"))
            );
        }
        let rivals: Vec<String> =
            self.rivals(step).iter().map(|(tool, share)| format!("{tool} {share:.2}")).collect();
        if !rivals.is_empty() {
            let label = ("not chosen:", "未选用：");
            let line = headed(self.context.lang, label, &rivals.join(" · "));
            out!("  {}", Paint(self.context.colors).faint(&line));
        }
    }

    fn faint(&self, (en, zh): (&str, &str)) -> String {
        Paint(self.context.colors).faint(&self.context.say(en, zh))
    }

    /// Returns the value of a parameter, and the reason for it.
    fn origin(&self, bound: &BoundParameter) -> (String, String) {
        let context = self.context;
        match &bound.source {
            Some(BindingSource::Said { value, told: true, .. }) => (
                value.to_string(),
                context.say(
                    "stated in the goal, identified by the adjacent words",
                    "目标中给出，由相邻的词确定",
                ),
            ),
            Some(BindingSource::Said { value, .. }) => (
                value.to_string(),
                context.say("stated in the goal, best match", "目标中给出，最匹配"),
            ),
            Some(BindingSource::Output { step, path }) => {
                let from = format!("← step_{}.{}", step + 1, path.join("."));
                (from, context.say("output of an earlier step", "前面步骤的输出"))
            }
            Some(BindingSource::Given { key }) => {
                (format!("← {key}"), context.say("from the metadata", "来自元数据"))
            }
            None => (String::new(), String::new()),
        }
    }

    /// Returns the best other tools for the words of a step, with their scores relative to the chosen tool.
    fn rivals(&self, step: &MadeStep) -> Vec<(String, f32)> {
        let hits = self.search.of_part(&step.words, usize::MAX);
        let own = hits.iter().find(|hit| hit.key == step.tool).map_or(0.0, |hit| hit.score);
        let others = hits.into_iter().filter(|hit| hit.key != step.tool).take(RIVALS);
        let share = |score: f32| if own > 0.0 { score / own } else { score };
        others.map(|hit| (hit.key.to_string(), share(hit.score))).collect()
    }

    fn json(&self, way: &PlanPath<'_>) -> Value {
        let found = |one: &FoundTool| json!({"tool": one.tool, "score": one.score, "words": one.because.words, "brings_for": one.because.brings_for});
        let mut told = json!({
            "outcome": outcome(way), "sureness": sureness(way),
            "candidates": self.found.iter().map(found).collect::<Vec<_>>(),
        });
        let more = match way {
            PlanPath::Workflow(workflow, filled) => {
                json!({"workflow": workflow.id, "said": filled.said, "asks": filled.open})
            }
            PlanPath::Again(task) => json!({"again": task}),
            PlanPath::Tools(LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made)) => {
                let steps: Vec<Value> =
                    made.steps.iter().map(|step| self.step_json(step)).collect();
                json!({"plan": {"steps": made.written()}, "steps": steps, "asks": asks(made), "like": made.like})
            }
            PlanPath::Tools(LexicalOutcome::NoPlan(refusal)) => {
                json!({"reason": refusal.words().tell(self.context.lang)})
            }
        };
        if let (Value::Object(told), Value::Object(more)) = (&mut told, more) {
            told.extend(more);
        }
        told
    }

    fn step_json(&self, step: &MadeStep) -> Value {
        let assigned = |bound: &BoundParameter| {
            let mut one = json!({"parameter": bound.slot.path.join("."), "score": bound.score});
            let source = match bound.source.as_ref()? {
                BindingSource::Said { value, told, .. } => {
                    json!({"from": "goal", "value": value, "named": told})
                }
                BindingSource::Output { step, path } => {
                    json!({"from": format!("step_{}", step + 1), "path": path.join(".")})
                }
                BindingSource::Given { key } => json!({"from": "metadata", "key": key}),
            };
            if let (Value::Object(one), Value::Object(source)) = (&mut one, source) {
                one.extend(source);
            }
            Some(one)
        };
        let rivals: Vec<Value> = self
            .rivals(step)
            .into_iter()
            .map(|(tool, share)| json!({"tool": tool, "share": share}))
            .collect();
        json!({
            "step_id": step.id, "tool": step.tool, "words": step.words, "lost": rivals,
            "assigned": step.bound.iter().filter_map(assigned).collect::<Vec<_>>(),
        })
    }
}

/// Returns the parameters to ask for, as `step_2.path`.
fn asks(made: &MadePlan) -> Vec<String> {
    made.open().map(|(at, slot)| format!("step_{}.{}", at + 1, slot.path.join("."))).collect()
}
