//! What can be typed after the commands that do something to a task.

use crate::args::TaskChoice;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis answer q_4f2k_1 city=杭州 days=7        values that a step needs, by parameter
  praxis answer q_4f2k_1 who=Lin                 or by the placeholder that has none
  praxis answer q_4f2k_1 - < values.json         or as a JSON object
  praxis answer q_4f2k_1 --say 'to Ningbo, 3 days'   or in words
  praxis answer q_4f2k_1 --skip                  leave the step of a flow out
  praxis answer q_4f2k_1 --guess                 let the model guess
  praxis answer q_4f2k_2 --done '{\"id\": 7}'     the call took effect, this is its output
  praxis answer q_4f2k_2 --not-done              it did not: make it now, with the same key
  praxis answer q_4f2k_2 --again                 make it once more, as a new effect
  praxis answer q_4f2k_3 --more 30m              the task may take longer
  praxis answer q_4f2k_4 --approve               the plan, or the call, is all right
  praxis answer q_4f2k_4 --approve amount=10     the call is, with this argument
  praxis answer q_4f2k_4 --deny 'too dear'       it is not; the step fails with these words
  praxis answer q_4f2k_4 --plan mine.yaml        run this plan instead
  praxis answer q_4f2k_5 --raise 20k             20,000 tokens more
  praxis answer q_4f2k_6 --advise 'use the test project'
  praxis answer q_4f2k_3 --give-up 'too late'")]
pub(crate) struct AnswerArgs {
    /// A question: its id or the beginning of it
    pub(crate) question: String,
    /// Values by parameter, JSON pointer or missing placeholder; JSON if it is, else text
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
    /// Values as a JSON object from a file, or `-` for stdin
    #[arg(long = "values", value_name = "FILE", group = "say")]
    pub(crate) file: Option<PathBuf>,
    /// The call took effect; its output as JSON
    #[arg(long, value_name = "JSON", group = "say", num_args = 0..=1, default_missing_value = "null")]
    pub(crate) done: Option<String>,
    /// The call did not take effect
    #[arg(long, group = "say")]
    pub(crate) not_done: bool,
    /// Make the call once more
    #[arg(long, group = "say")]
    pub(crate) again: bool,
    /// The call may be made; with values, it is made with these instead
    #[arg(long, group = "say")]
    pub(crate) approve: bool,
    /// More time, such as 30m
    #[arg(long, value_name = "SPAN", group = "say")]
    pub(crate) more: Option<String>,
    /// So much more of what is used up: 20k tokens, CNY0.5, 10 calls
    #[arg(long, value_name = "AMOUNT", group = "say")]
    pub(crate) raise: Option<String>,
    /// End the task with what is there
    #[arg(long, group = "say")]
    pub(crate) settle: bool,
    /// Run this plan instead: a file, or `-` for stdin
    #[arg(long, value_name = "FILE", group = "say")]
    pub(crate) plan: Option<PathBuf>,
    /// Words that help to plan the rest
    #[arg(long, value_name = "TEXT", group = "say")]
    pub(crate) advise: Option<String>,
    /// Values in words, such as 'to Ningbo, for 3 days'
    #[arg(long = "say", value_name = "TEXT", group = "say")]
    pub(crate) words: Option<String>,
    /// Leave the step out; what only it leads to is left out too
    #[arg(long, group = "say")]
    pub(crate) skip: bool,
    /// Let the model of the task guess what is missing; it is told as a guess
    #[arg(long, group = "say")]
    pub(crate) guess: bool,
    /// Give the step up, or the task
    #[arg(long, value_name = "REASON", group = "say", visible_alias = "deny")]
    pub(crate) give_up: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "cancelled from the command line")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// A task: its id or the beginning of it; all if none is given
    pub(crate) task: Option<String>,
    /// The task that was submitted last
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis retry --last
  praxis retry task_01jx --from step_3 --with current --tools tools/
  praxis retry --last --with current --flow flows/orders.yaml

A flow whose file has changed goes on as a new task, which keeps what is done and did not change.")]
pub(crate) struct RetryArgs {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Run this step and all after it again, as new effects
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    /// With the tools and the flow as they were, or as they are now
    #[arg(long, value_enum, default_value_t = With::Original)]
    pub(crate) with: With,
    /// Tool manifests, for `--with current`
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// The flow, for `--with current`, if its file is not where it was
    #[arg(long, value_name = "FILE")]
    pub(crate) flow: Option<PathBuf>,
    /// Folders with flows that are called by name, for `--flow`
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum With {
    /// As they were when the task was submitted
    Original,
    /// As they are now
    Current,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis fork --last --at step_3 --set step_3.mode=replace --effects simulate
  praxis fork task_01jx --at 12 --set city=宁波

--set KEY=VALUE sets initial metadata; --set STEP.PARAM=VALUE sets a parameter.")]
pub(crate) struct ForkArgs {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// A step, to do it and all after it anew; or the number of an event
    #[arg(long, value_name = "STEP|SEQ")]
    pub(crate) at: String,
    /// A value to change
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// What becomes of calls that change something
    #[arg(long, value_enum, default_value_t = EffectsArg::Ask)]
    pub(crate) effects: EffectsArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EffectsArg {
    /// Each needs approval
    Ask,
    /// None is made; the recorded output stands for it
    Simulate,
    /// They are made
    Real,
}

#[derive(Debug, Args)]
pub(crate) struct Erase {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}
