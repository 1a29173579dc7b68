//! What can be typed: the commands, and the words of those that look.

use crate::args_act::{AnswerArgs, Cancel, Erase, ForkArgs, Resume, RetryArgs};
use crate::args_goal::{PlanOnly, RunArgs};
use crate::library_args::{Prompt, SceneArgs, WorkflowArgs};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Reaches goals and runs plans over your tools, durably: every step once, every value with its origin.
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

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// The data folder; `praxis` in the user's data home unless said otherwise
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// JSON on stdout, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The language of messages: auto, zh or en
    #[arg(long, global = true, value_name = "LANG")]
    pub(crate) lang: Option<String>,
    /// When to use colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<String>,
    /// Tell on stderr what happens, for whoever operates Praxis; twice for more
    #[arg(short = 'v', long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Nobody is at the terminal: `erase` needs --yes, and a task without time left fails unasked
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Reach a goal, or run a plan
    Run(RunArgs),
    /// Make the plan of a goal and stop before anything of it runs
    Plan(PlanOnly),
    /// List tasks, the newest first
    #[command(visible_alias = "ls")]
    Ps(Ps),
    /// Show a task: its steps, or one of them, now or as it was
    Show(Show),
    /// Follow a task until it ends or waits
    Watch(Watch),
    /// Say where the values of a step came from
    Why(WhyArgs),
    /// List the questions that wait for an answer
    Inbox(Inbox),
    /// Answer a question
    Answer(AnswerArgs),
    /// Stop a task; what it has done is kept
    Cancel(Cancel),
    /// Take up a task that was interrupted, or all of them
    Resume(Resume),
    /// Take up a failed or cancelled task again; finished steps are kept
    Retry(RetryArgs),
    /// Make a new task of what another one had done at some moment
    Fork(ForkArgs),
    /// Compare two tasks
    Diff(Diff),
    /// Decide a task anew with its recorded answers; exit 8 if it goes another way
    Replay(TaskChoice),
    /// Print a task whole
    Export(Export),
    /// Forget a task: its journal, its blobs, its logs
    Erase(Erase),
    /// Check that everything is in order
    Doctor,
    /// List the examples inside the binary, or write one as a project folder
    Example(crate::args_example::ExampleArgs),
    /// Show where settings come from
    Config(Config),
    /// Print a completion script
    Completion {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Drive tasks in the background until nothing can run
    #[command(name = "__owner", hide = true)]
    Owner,
    /// Show scenes: how requests are recognised, and what stages mind there
    Scene(SceneArgs),
    /// Show and check workflows: the steps that a known kind of task always has
    Workflow(WorkflowArgs),
    /// Flows: check, run, list, show, format, compare
    Flow(crate::args_flow::FlowArgs),
    /// Tools: list, show, check, and call one to try it
    Tool(crate::args_tool::ToolArgs),
    /// What finished tasks taught: list, show, take back, export
    Experience(crate::args_experience::ExperienceArgs),
    /// Plans of finished tasks that can be used again: list, show, take back
    Cache(crate::args_experience::Cache),
    /// Show and check the texts that models read
    Prompt(Prompt),
    /// Models: add, list, probe, report, price, rehearse
    Model(crate::args_model::ModelArgs),
    /// Past tasks as tests: decided anew with what was answered then, without any call
    Test(crate::args_test::Test),
}

/// Which task.
#[derive(Debug, Args)]
pub(crate) struct TaskChoice {
    /// A task: its id or the beginning of it
    #[arg(value_name = "TASK", required_unless_present = "last")]
    pub(crate) task: Option<String>,
    /// The task that was submitted last
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis diff task_01jx task_01jy
  praxis diff task_01jx --last      with the task that was submitted last
  praxis diff --last                the last task, which is a fork, with its parent")]
pub(crate) struct Diff {
    /// Two tasks, or one and --last, or --last alone for a fork and its parent
    #[arg(value_name = "TASK", num_args = 0..=2)]
    pub(crate) tasks: Vec<String>,
    /// The task that was submitted last; it stands on the right
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ps {
    /// Only tasks with this status
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only tasks with this tag; several times for several
    #[arg(long = "tag", value_name = "KEY=VALUE")]
    pub(crate) tags: Vec<String>,
    /// How many at most
    #[arg(short = 'n', long, default_value_t = 50)]
    pub(crate) most: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Inbox {
    /// How many at most, the oldest first
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
    /// One step
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// The parameters: as written, as sent, and where each value came from
    #[arg(long, group = "part")]
    pub(crate) params: bool,
    /// The output: of the step, or of the task
    #[arg(long, group = "part")]
    pub(crate) output: bool,
    /// The plan; with v1..v2, what became of one plan in another
    #[arg(long, group = "part", value_name = "vN..vM", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) plan: Option<String>,
    /// What was sent to models, word for word
    #[arg(long, group = "part")]
    pub(crate) prompt: bool,
    /// What models answered, word for word
    #[arg(long, group = "part")]
    pub(crate) raw: bool,
    /// What each call to a model cost
    #[arg(long, group = "part")]
    pub(crate) cost: bool,
    /// One call to a model, for --prompt and --raw
    #[arg(long, value_name = "N")]
    pub(crate) call: Option<u32>,
    /// The journal
    #[arg(long, group = "part")]
    pub(crate) events: bool,
    /// All metadata: initial, overridden by what steps wrote
    #[arg(long, group = "part")]
    pub(crate) metadata: bool,
    /// The data that is there, without its contents
    #[arg(long, group = "part")]
    pub(crate) catalog: bool,
    /// As it was after this event
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
}

/// In which form events are told.
#[derive(Debug, Args)]
pub(crate) struct EventFormatArgs {
    /// Events as JSON lines: under their own names, or under those of the seed documents
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<EventForm>,
    /// Whom the seed events are for: five kinds for users, all of them for developers
    #[arg(long, value_name = "WHOM", default_value = "developer", requires = "format")]
    pub(crate) audience: EventAudience,
}

/// The names of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EventForm {
    /// As with --json
    Json,
    /// Those of the seed documents: `TASK_WAIT`, `STEP_STARTED` …
    Seed,
}

/// Whom events are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EventAudience {
    /// Friendly words, five kinds
    User,
    /// Everything, with the words of models as they come
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
    /// Begin after this event
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) from: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis why --last step_3                       how its output came about, and from what
  praxis why task_01jx step_3.datasource_id      one parameter, and what is below it
  praxis why --last step_3.rows[0].id            an element of an array
  praxis why --last 'step_3[\"x.y\"]'            a key with a dot in it")]
pub(crate) struct WhyArgs {
    /// A task, then STEP or STEP.PARAM; with --last only the step
    #[arg(value_name = "TASK STEP[.PARAM]", num_args = 1..=2)]
    pub(crate) words: Vec<String>,
    /// The task that was submitted last
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) which: TaskChoice,
    /// The journal, one entry a line
    #[arg(long, group = "form", required = true)]
    pub(crate) jsonl: bool,
    /// The execution history as one text
    #[arg(long, group = "form")]
    pub(crate) md: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) what: ConfigWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigWhat {
    /// Which files were considered, and which were used
    Path,
    /// Every setting, its value and where it came from
    Show,
}
