//! Command line arguments: global options and the commands that read tasks.

use crate::args_act::{AnswerArgs, Cancel, Erase, ForkArgs, Resume, RetryArgs};
use crate::args_goal::{PlanOnly, RunArgs};
use crate::library_args::{Prompt, SceneArgs, WorkflowArgs};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Plan and run tasks over your tools, durably: every step runs once, every value has an origin
#[derive(Debug, Parser)]
#[command(name = "praxis", version, about, max_term_width = 100)]
#[command(after_help = "Examples:
  praxis run --example load-forecast
  praxis run \"sort prices.csv by price, largest first\"
  praxis run plan.yaml -p city=杭州 --tools tools/
  praxis show --last
  praxis why --last step_3.datasource_id

Exit: 0 ok · 1 task failed · 2 usage · 3 input needed · 4 budget stop · 5 cancelled · 6 not found
      7 unreachable · 8 replay diverged")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Data folder [default: `praxis` in your data home]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON on stdout, one object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Language of messages: auto, zh or en
    #[arg(long, global = true, value_name = "LANG")]
    pub(crate) lang: Option<String>,
    /// Colours: auto, always or never
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<String>,
    /// Log to stderr; repeat for more detail
    #[arg(short = 'v', long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Never prompt: questions stay open (exit 3), `erase` needs --yes, tasks that time out fail
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Run a goal or a plan
    Run(RunArgs),
    /// Plan a goal without running it
    Plan(PlanOnly),
    /// List tasks, newest first
    #[command(visible_alias = "ls")]
    Ps(Ps),
    /// Show a task or one of its steps, now or at an earlier event
    Show(Show),
    /// Follow a task until it ends or waits for you
    Watch(Watch),
    /// Explain where the values of a step came from
    Why(WhyArgs),
    /// List open questions
    Inbox(Inbox),
    /// Answer a question
    Answer(AnswerArgs),
    /// Cancel a task; finished steps are kept
    Cancel(Cancel),
    /// Resume an interrupted task, or all of them
    Resume(Resume),
    /// Retry a failed or cancelled task; finished steps are kept
    Retry(RetryArgs),
    /// Start a new task from an earlier one at a chosen step or event
    Fork(ForkArgs),
    /// Compare two tasks
    Diff(Diff),
    /// Replay a recorded task offline; exit 8 if it would run differently now
    Replay(TaskChoice),
    /// Print a complete task
    Export(Export),
    /// Erase a task: its journal, blobs and logs
    Erase(Erase),
    /// Check the installation and the data folder
    Doctor,
    /// List the bundled examples, or write one to a folder
    Example(crate::args_example::ExampleArgs),
    /// Show settings and where they come from
    Config(Config),
    /// Print a shell completion script
    Completion {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Run tasks in the background until nothing is left to run
    #[command(name = "__owner", hide = true)]
    Owner,
    /// Show scenes: kinds of requests and the guidance for each
    Scene(SceneArgs),
    /// Show and check workflows: fixed steps for known kinds of requests
    Workflow(WorkflowArgs),
    /// Check, run, list, show, format and compare flows
    Flow(crate::args_flow::FlowArgs),
    /// List, search, show and check tools, or call one
    Tool(crate::args_tool::ToolArgs),
    /// List, show, remove and export what finished tasks taught
    Experience(crate::args_experience::ExperienceArgs),
    /// List, show and remove cached plans of finished tasks
    Cache(crate::args_experience::Cache),
    /// Show and check the prompts
    Prompt(Prompt),
    /// Add, list, probe and price models
    Model(crate::args_model::ModelArgs),
    /// Replay past tasks offline as regression tests
    Test(crate::args_test::Test),
}

/// The task that a command is about.
#[derive(Debug, Args)]
pub(crate) struct TaskChoice {
    /// Task id, or its beginning
    #[arg(value_name = "TASK", required_unless_present = "last")]
    pub(crate) task: Option<String>,
    /// The latest task
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis diff task_01jx task_01jy
  praxis diff task_01jx --last      compare with the latest task
  praxis diff --last                compare the latest task, a fork, with its parent")]
pub(crate) struct Diff {
    /// Two tasks; or one and --last; or --last alone for a fork and its parent
    #[arg(value_name = "TASK", num_args = 0..=2)]
    pub(crate) tasks: Vec<String>,
    /// The latest task, shown on the right
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ps {
    /// Only tasks with this status
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only tasks with this tag; repeatable
    #[arg(long = "tag", value_name = "KEY=VALUE")]
    pub(crate) tags: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'n', long, default_value_t = 50)]
    pub(crate) most: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Inbox {
    /// Maximum number of results, oldest first
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) most: u32,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis show --last
  praxis show task_01jx --step step_3 --params
  praxis show --last --at 12 --metadata
  praxis show --last --cost
  praxis show --last --prompt --call 2
  praxis show --last --plan=v1..v2")]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Show one step
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// Show parameters as written, as sent, and where each value came from
    #[arg(long, group = "part")]
    pub(crate) params: bool,
    /// Show the output of the step or of the task
    #[arg(long, group = "part")]
    pub(crate) output: bool,
    /// Show the plan; with v1..v2, the changes between two versions
    #[arg(long, group = "part", value_name = "vN..vM", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) plan: Option<String>,
    /// Show requests to models verbatim
    #[arg(long, group = "part")]
    pub(crate) prompt: bool,
    /// Show replies of models verbatim
    #[arg(long, group = "part")]
    pub(crate) raw: bool,
    /// Show the cost of each model call
    #[arg(long, group = "part")]
    pub(crate) cost: bool,
    /// Number of one model call, for --prompt and --raw
    #[arg(long, value_name = "N")]
    pub(crate) call: Option<u32>,
    /// Show the journal
    #[arg(long, group = "part")]
    pub(crate) events: bool,
    /// Show all metadata: initial values, overridden by those of steps
    #[arg(long, group = "part")]
    pub(crate) metadata: bool,
    /// Show which data the task has, without its contents
    #[arg(long, group = "part")]
    pub(crate) catalog: bool,
    /// Show the task as it was after this event
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
}

/// The format of printed events.
#[derive(Debug, Args)]
pub(crate) struct EventFormatArgs {
    /// Print events as JSON lines, with the event names of --json or with those of docs/guide/events.md
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<EventForm>,
    /// Audience of `--format seed`: `user` gets five kinds of events, `developer` gets all
    #[arg(long, value_name = "WHOM", default_value = "developer", requires = "format")]
    pub(crate) audience: EventAudience,
}

/// The names of printed events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EventForm {
    /// Event names as with --json
    Json,
    /// Names such as `TASK_WAIT` and `STEP_STARTED`; see docs/guide/events.md
    Seed,
}

/// The audience of seed events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EventAudience {
    /// Five kinds, with friendly words
    User,
    /// All kinds, with model output as it streams
    Developer,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis watch --last
  praxis watch task_01jx --json --from 12
  praxis watch --last --format seed --audience user")]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    #[command(flatten)]
    pub(crate) told: EventFormatArgs,
    /// Start after this event
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) from: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis why --last step_3                       origin of its output and arguments
  praxis why task_01jx step_3.datasource_id      one parameter and its parts
  praxis why --last step_3.rows[0].id            an element of an array
  praxis why --last 'step_3[\"x.y\"]'            a key with a dot in it")]
pub(crate) struct WhyArgs {
    /// A task, then STEP or STEP.PARAM; with --last only the step
    #[arg(value_name = "TASK STEP[.PARAM]", num_args = 1..=2)]
    pub(crate) words: Vec<String>,
    /// The latest task
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// Print the journal, one entry per line
    #[arg(long, group = "form", required = true)]
    pub(crate) jsonl: bool,
    /// Print the execution history as Markdown
    #[arg(long, group = "form")]
    pub(crate) md: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) what: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the settings files that were looked for and used
    Path,
    /// List every setting with its value and source
    Show,
}
