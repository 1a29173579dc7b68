//! `praxis why`: the chain of origins of a step's values.

use super::address::ValueAddress;
use super::ledgers::{Ledgers, TaskMoment};
use super::show_step::output;
use crate::args::{TaskChoice, WhyArgs};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::origin::{standing, told, typed};
use crate::view::text::{Paint, short, short_payload};
use praxis_core::ids::StepId;
use praxis_core::journal::submission::ForkParent;
use praxis_core::lang::Lang;
use praxis_core::payload::shown;
use praxis_core::state::step::Step;
use praxis_core::view::account::{Accounts, StepResolution};
use praxis_core::view::why::{ArgumentOrigin, ValueOrigin};
use serde_json::json;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::rc::Rc;

/// Maximum number of steps to follow.
const MAX_STEPS: usize = 1000;
/// Maximum indentation level; deeper levels are shown as a number.
const MAX_INDENT: usize = 30;

pub(crate) fn run(context: &CliContext, why: &WhyArgs) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let (task, wanted) = match (why.words.as_slice(), why.last) {
        ([step], true) => (None, step),
        ([task, step], _) => (Some(task.clone()), step),
        _ => {
            let words = (
                "expected TASK STEP or TASK STEP.PARAM; with --last, leave out TASK",
                "应为 TASK STEP 或 TASK STEP.PARAM；使用 --last 时省略 TASK",
            );
            return Err(CommandFailure::usage("usage", words));
        }
    };
    let last = task.is_none();
    let task = context.task(&reader, &TaskChoice { task, last })?;
    let mut ledgers = Ledgers::new(&reader);
    let opened = ledgers.open(&task)?;
    let (now, accounts) = ledgers.with_step(opened, wanted)?;
    let address = ValueAddress::read(&accounts.state, wanted)?;
    let chosen = address.choose(accounts.reasons(&address.step));
    if let Some(place) = address.place.as_ref().filter(|_| chosen.is_empty()) {
        return Err(no_parameter(&accounts, &address.step, place.text()));
    }
    if context.json {
        print_json(&accounts, &address, &chosen);
        return Ok(ExitCode::SUCCESS);
    }
    let (lang, paint) = (context.lang, Paint(context.colors));
    let mut teller = WhyPrinter { ledgers, lang, paint, now: now.clone(), met: BTreeSet::new() };
    let first = if address.place.is_none() {
        vec![PendingLine::Step { depth: 0, at: now, step: address.step }]
    } else {
        let (depth, at, accounts) = teller.trace_back(now, accounts, &address.step);
        let chosen = address.choose(accounts.reasons(&address.step));
        chosen.into_iter().map(|reason| PendingLine::value(depth, &at, reason)).collect()
    };
    teller.tell(first);
    Ok(ExitCode::SUCCESS)
}

fn no_parameter(accounts: &Accounts, step: &StepId, name: &str) -> CommandFailure {
    let words = (
        format!("step `{step}` has no parameter `{name}`"),
        format!("步骤 `{step}` 没有参数 `{name}`"),
    );
    let reasons = accounts.reasons(step);
    let names: BTreeSet<String> = reasons.iter().map(|reason| typed(&reason.pointer)).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let next = match names.as_str() {
        "" => ("the step has no parameters".to_owned(), "该步骤没有参数".to_owned()),
        names => (format!("its parameters: {names}"), format!("它的参数：{names}")),
    };
    CommandFailure::not_found(words).next(next)
}

/// Prints the step as a line of JSON if no parameter was chosen, then one line per value.
fn print_json(accounts: &Accounts, address: &ValueAddress, chosen: &[ArgumentOrigin]) {
    let state = &accounts.state;
    if let Some(step) = state.step(address.step.as_str()).filter(|_| address.place.is_none()) {
        let line = json!({
            "task": state.submission.as_ref().map(|s| &s.task),
            "step_id": address.step,
            "tool_id": step.tool(),
            "status": step.status,
            "how": accounts.how(&address.step),
            "waits": standing(state, step, Lang::En),
            "output": output(accounts, &address.step).map(shown),
        });
        out!("{line}");
    }
    for reason in chosen {
        out!("{}", serde_json::to_string(reason).unwrap_or_default());
    }
}

/// A step or value that is still to be printed.
enum PendingLine {
    Step { depth: usize, at: TaskMoment, step: StepId },
    Value { depth: usize, at: TaskMoment, reason: Box<ArgumentOrigin> },
}

impl PendingLine {
    fn value(depth: usize, at: &TaskMoment, reason: ArgumentOrigin) -> Self {
        Self::Value { depth, at: at.clone(), reason: Box::new(reason) }
    }
}

/// Depth-first printer of origins; a step is explained only once.
struct WhyPrinter<'a> {
    ledgers: Ledgers<'a>,
    lang: Lang,
    paint: Paint,
    /// The task that the user asked about.
    now: TaskMoment,
    met: BTreeSet<(TaskMoment, StepId)>,
}

impl WhyPrinter<'_> {
    fn tell(&mut self, first: Vec<PendingLine>) {
        let mut stack: Vec<PendingLine> = first.into_iter().rev().collect();
        while let Some(item) = stack.pop() {
            let next = match item {
                PendingLine::Step { depth, at, step } => self.step(depth, &at, &step),
                PendingLine::Value { depth, at, reason } => self.value(depth, &at, &reason),
            };
            stack.extend(next.into_iter().rev());
        }
    }

    fn say(&self, en: &str, zh: &str) -> String {
        match self.lang {
            Lang::En => en.to_owned(),
            Lang::Zh => zh.to_owned(),
        }
    }

    fn value(
        &mut self,
        depth: usize,
        at: &TaskMoment,
        reason: &ArgumentOrigin,
    ) -> Vec<PendingLine> {
        let Some(accounts) = self.ledgers.find(at) else { return vec![] };
        let (name, value) = (typed(&reason.pointer), shown_value(&accounts, reason, 60));
        let written = self.paint.faint(&reason.written);
        let source = told(&reason.source, self.lang);
        let indent = indent(depth);
        match &reason.source {
            ValueOrigin::Missing { .. } => out!("{indent}{name}  ← {source}"),
            ValueOrigin::Literal => out!("{indent}{name} = {value}  ← {source}"),
            _ if reason.written.is_empty() => out!("{indent}{name} = {value}  ← {source}"),
            _ => out!("{indent}{name} = {value}  ← {written} {source}"),
        }
        if let Some(lookup) = &reason.lookup {
            let lookup = short(lookup, 60);
            let words = self.say(
                &format!("value as recorded; resolving it again gives {lookup}"),
                &format!("以上为记录的值；重新解析得到 {lookup}"),
            );
            out!("{indent}  {}", self.paint.yellow(&words));
        }
        match &reason.source {
            ValueOrigin::Runtime { step, .. } | ValueOrigin::Result { step } => {
                vec![PendingLine::Step { depth: depth + 1, at: at.clone(), step: step.clone() }]
            }
            _ => vec![],
        }
    }

    fn step(&mut self, depth: usize, at: &TaskMoment, id: &StepId) -> Vec<PendingLine> {
        let Some(accounts) = self.ledgers.find(at) else { return vec![] };
        let Some(step) = accounts.state.step(id.as_str()) else { return vec![] };
        let name = self.name(id, at);
        if self.met.contains(&(at.clone(), id.clone())) {
            self.line(depth, &self.say(&format!("{name}: as above"), &format!("{name}：同上")));
            return vec![];
        }
        if self.met.len() >= MAX_STEPS {
            let (task, most) = (&at.task, MAX_STEPS);
            let words = self.say(
                &format!(
                    "{name}: stopped after {most} steps; continue with `praxis why {task} {id}`"
                ),
                &format!("{name}：已追溯 {most} 步，在此停止；用 `praxis why {task} {id}` 继续"),
            );
            self.line(depth, &words);
            return vec![];
        }
        self.met.insert((at.clone(), id.clone()));
        if let Some((parent, _)) = self.parent_of(&accounts, id) {
            self.inherited(&name, &parent, depth);
            return vec![PendingLine::Step { depth: depth + 1, at: parent, step: id.clone() }];
        }
        self.account(depth, &name, &accounts, step);
        let how = accounts.how(id);
        if let StepResolution::Gathered { actions } = &how {
            let follow = |step: &StepId| {
                let (at, step) = (at.clone(), step.clone());
                PendingLine::Step { depth: depth + 1, at, step }
            };
            return actions.iter().map(follow).collect();
        }
        let reasons = accounts.reasons(id).into_iter();
        reasons.map(|reason| PendingLine::value(depth + 1, at, reason)).collect()
    }

    /// Prints the source of a step's output, its call and, for an unfinished step, its status.
    fn account(&self, depth: usize, name: &str, accounts: &Accounts, step: &Step) {
        let id = &step.plan.id;
        let how = accounts.how(id);
        if let Some(output) = output(accounts, id).filter(|_| depth == 0) {
            out!("{name} → {}", short_payload(output, 60));
        }
        match &how {
            StepResolution::Called | StepResolution::NotRun | StepResolution::Refused => {}
            _ => self.line(depth, &format!("{name}: {}", how.words(self.lang))),
        }
        if let Some(words) = standing(&accounts.state, step, self.lang) {
            self.line(depth, &format!("{name} {words}"));
        }
        let (tool, with) = (step.tool(), self.with(accounts, id));
        let call = match &how {
            StepResolution::Gathered { .. } => return,
            StepResolution::Called
            | StepResolution::Answered { .. }
            | StepResolution::Checked
            | StepResolution::Inherited { .. } => {
                self.say(&format!("{name} called {tool}"), &format!("{name} 调用了 {tool}"))
            }
            StepResolution::Simulated { .. } => self.say(
                &format!("{name} would have called {tool} (simulated)"),
                &format!("{name} 本应调用 {tool}（模拟）"),
            ),
            StepResolution::NotRun | StepResolution::Refused => {
                self.say(&format!("{name} will call {tool}"), &format!("{name} 将调用 {tool}"))
            }
        };
        self.line(depth, &format!("{call}{with}"));
    }

    fn with(&self, accounts: &Accounts, id: &StepId) -> String {
        if accounts.reasons(id).is_empty() {
            return self.say(" without arguments", "，无参数");
        }
        self.say(" with", "，参数：")
    }

    fn line(&self, depth: usize, words: &str) {
        out!("{}{}", indent(depth), self.paint.faint(words));
    }

    /// Formats the name of a step, with its task if that is a different one.
    fn name(&self, id: &StepId, at: &TaskMoment) -> String {
        if at.task == self.now.task {
            return id.to_string();
        }
        self.say(&format!("{id} of {}", at.task), &format!("{} 的 {id}", at.task))
    }

    fn inherited(&self, name: &str, parent: &TaskMoment, depth: usize) {
        let how = StepResolution::Inherited { task: parent.task.clone() };
        self.line(depth, &format!("{name}: {}", how.words(self.lang)));
    }

    /// Follows an inherited step to the task that ran it, and prints each inheritance.
    fn trace_back(
        &mut self,
        mut at: TaskMoment,
        mut accounts: Rc<Accounts>,
        id: &StepId,
    ) -> (usize, TaskMoment, Rc<Accounts>) {
        let mut depth = 0;
        while let Some((parent, parents)) = self.parent_of(&accounts, id) {
            self.inherited(&self.name(id, &at), &parent, depth);
            (depth, at, accounts) = (depth + 1, parent, parents);
        }
        (depth, at, accounts)
    }

    /// Returns the parent task that the step's result was inherited from, if its journal can still be read.
    fn parent_of(
        &mut self,
        accounts: &Accounts,
        id: &StepId,
    ) -> Option<(TaskMoment, Rc<Accounts>)> {
        let StepResolution::Inherited { .. } = accounts.how(id) else { return None };
        let ForkParent { task, seq, .. } = accounts.state.submission.as_ref()?.parent.as_ref()?;
        let moment = TaskMoment { task: task.clone(), seq: *seq };
        let parent = self.ledgers.find(&moment)?;
        Some((moment, parent))
    }
}

fn indent(depth: usize) -> String {
    let blanks = "  ".repeat(depth.min(MAX_INDENT));
    if depth > MAX_INDENT { format!("{blanks}({depth}) ") } else { blanks }
}

/// Formats the value of an argument, or the blob that holds it.
pub(crate) fn shown_value(accounts: &Accounts, reason: &ArgumentOrigin, width: usize) -> String {
    match (&reason.value, &reason.blob) {
        (Some(value), _) => short(value, width),
        (None, Some(blob)) => format!("({})", accounts.blob_words(blob, None)),
        (None, None) if reason.is_left_out() => "–".to_owned(),
        (None, None) => "(in a blob)".to_owned(),
    }
}
