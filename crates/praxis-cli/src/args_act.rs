//! Arguments of the commands that change a task.

use crate::args::TaskChoice;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis answer q_4f2k_1 city=杭州 days=7        values that a step needs, by parameter
  praxis answer q_4f2k_1 who=Lin                 or by the missing placeholder
  praxis answer q_4f2k_1 - < values.json         or as a JSON object
  praxis answer q_4f2k_1 --say 'to Ningbo, 3 days'   or in words
  praxis answer q_4f2k_1 --skip                  skip the step of a flow
  praxis answer q_4f2k_1 --guess                 let the model guess
  praxis answer q_4f2k_2 --done '{\"id\": 7}'     the call took effect; this is its output
  praxis answer q_4f2k_2 --not-done              it did not; make it now, with the same key
  praxis answer q_4f2k_2 --again                 make it again, as a new effect
  praxis answer q_4f2k_3 --more 30m              the task may take longer
  praxis answer q_4f2k_4 --approve               approve the plan or the call
  praxis answer q_4f2k_4 --approve amount=10     approve the call with this argument
  praxis answer q_4f2k_4 --deny 'too dear'       reject it; the step fails with this reason
  praxis answer q_4f2k_4 --plan mine.yaml        run this plan instead
  praxis answer q_4f2k_5 --raise 20k             20,000 tokens more
  praxis answer q_4f2k_6 --advise 'use the test project'
  praxis answer q_4f2k_3 --give-up 'too late'")]
pub(crate) struct AnswerArgs {
    /// Question id, or its beginning
    pub(crate) question: String,
    /// Values by parameter, JSON pointer or missing placeholder; parsed as JSON if possible
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
    /// Read values from a JSON file, or `-` for stdin
    #[arg(long = "values", value_name = "FILE", group = "say")]
    pub(crate) file: Option<PathBuf>,
    /// The call took effect; optionally its output as JSON
    #[arg(long, value_name = "JSON", group = "say", num_args = 0..=1, default_missing_value = "null")]
    pub(crate) done: Option<String>,
    /// The call did not take effect: make it now, with the same key
    #[arg(long, group = "say")]
    pub(crate) not_done: bool,
    /// Make the call again, as a new effect
    #[arg(long, group = "say")]
    pub(crate) again: bool,
    /// Approve the plan or the call; with values, the call runs with these arguments
    #[arg(long, group = "say")]
    pub(crate) approve: bool,
    /// Allow more time, e.g. 30m
    #[arg(long, value_name = "SPAN", group = "say")]
    pub(crate) more: Option<String>,
    /// Raise the limit by this amount: 20k tokens, CNY0.5, 10 calls
    #[arg(long, value_name = "AMOUNT", group = "say")]
    pub(crate) raise: Option<String>,
    /// End the task with the results so far
    #[arg(long, group = "say")]
    pub(crate) settle: bool,
    /// Run this plan instead: a file, or `-` for stdin
    #[arg(long, value_name = "FILE", group = "say")]
    pub(crate) plan: Option<PathBuf>,
    /// Advice for replanning
    #[arg(long, value_name = "TEXT", group = "say")]
    pub(crate) advise: Option<String>,
    /// Values in words, e.g. 'to Ningbo, for 3 days'
    #[arg(long = "say", value_name = "TEXT", group = "say")]
    pub(crate) words: Option<String>,
    /// Skip the step, and the steps that only follow from it
    #[arg(long, group = "say")]
    pub(crate) skip: bool,
    /// Let the model guess the missing values; they are marked as guesses
    #[arg(long, group = "say")]
    pub(crate) guess: bool,
    /// Give up the step or the task
    #[arg(long, value_name = "REASON", group = "say", visible_alias = "deny")]
    pub(crate) give_up: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Reason
    #[arg(long, value_name = "TEXT", default_value = "cancelled from the command line")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// Task id, or its beginning; all tasks if omitted
    pub(crate) task: Option<String>,
    /// The latest task
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis retry --last
  praxis retry task_01jx --from step_3 --with current --tools tools/
  praxis retry --last --with current --flow flows/orders.yaml

A flow whose file has changed continues as a new task that keeps finished, unchanged steps.")]
pub(crate) struct RetryArgs {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Run this step and all steps after it again, as new effects
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    /// Use the tools and the flow as pinned, or their current versions
    #[arg(long, value_enum, default_value_t = With::Original)]
    pub(crate) with: With,
    /// Tool manifests, for `--with current`
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// Flow file for `--with current`, if it has moved
    #[arg(long, value_name = "FILE")]
    pub(crate) flow: Option<PathBuf>,
    /// Folders with sub-flows, for `--flow`
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum With {
    /// As pinned when the task was submitted
    Original,
    /// The current versions
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
    /// A step, to run it and all steps after it again; or an event number
    #[arg(long, value_name = "STEP|SEQ")]
    pub(crate) at: String,
    /// Value to change; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Handling of calls that change something
    #[arg(long, value_enum, default_value_t = EffectsArg::Ask)]
    pub(crate) effects: EffectsArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EffectsArg {
    /// Ask for approval of each
    Ask,
    /// Do not make them; use the recorded outputs
    Simulate,
    /// Make them
    Real,
}

#[derive(Debug, Args)]
pub(crate) struct Erase {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
