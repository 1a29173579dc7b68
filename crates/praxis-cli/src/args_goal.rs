//! What can be typed after `praxis run` and `praxis plan`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis run \"sort prices.csv by price, largest first\"
  praxis run \"把 orders.csv 按城市汇总\" -f notes.md --review
  praxis run \"sum up the report\" --model fast --budget tokens=20k,money=CNY0.5,time=10m
  praxis run \"finish the rest\" --last
  praxis run --example load-forecast
  praxis run plan.yaml -p project_id=proj_001 -p days=7
  praxis run --plan-file plan.json --params - --tools tools/ --json < params.json

A file is a plan, and so is one word that ends in .json, .yaml or .yml; anything else is a goal.")]
pub(crate) struct RunArgs {
    /// A goal in words, or a plan in JSON or YAML
    #[arg(value_name = "GOAL|FILE", required_unless_present_any = ["plan_file", "example"])]
    pub(crate) what: Option<PathBuf>,
    /// A plan in JSON or YAML
    #[arg(long, value_name = "FILE", conflicts_with = "what")]
    pub(crate) plan_file: Option<PathBuf>,
    /// An example inside the binary, with its data, tools and workflows; `praxis example` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["what", "plan_file"])]
    pub(crate) example: Option<String>,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    #[command(flatten)]
    pub(crate) pursuit: Pursuit,
    /// Show the plan of the goal and wait for approval or an edit; nothing of it runs before
    #[arg(long, conflicts_with = "yes")]
    pub(crate) review: bool,
    /// Do not ask before something is changed
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print the task's id and leave; it runs in the background
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) told: crate::args::EventFormatArgs,
}

/// What every task is given.
#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    /// A value of the initial metadata; JSON if it is, else text
    #[arg(short = 'p', long = "param", value_name = "KEY=VALUE")]
    pub(crate) params: Vec<String>,
    /// A file with initial metadata, or `-` for stdin
    #[arg(long = "params", value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Tool manifests: a file or a folder
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// The same key is the same task, however often it is sent
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// The active time that the task has, such as 10m
    #[arg(long, value_name = "SPAN")]
    pub(crate) timeout: Option<String>,
    /// Which calls may be made: allow (all), ask or deny (those that change something), or write=ask,irreversible=deny
    #[arg(long, value_name = "WORDS")]
    pub(crate) approve: Option<String>,
    /// How long a question waits for an answer, such as 24h
    #[arg(long, value_name = "SPAN")]
    pub(crate) answer_within: Option<String>,
    /// What becomes of it then: deny, skip, fail or default
    #[arg(long, value_name = "WORD")]
    pub(crate) unanswered: Option<String>,
}

/// What only a goal is given.
#[derive(Debug, Args)]
pub(crate) struct Pursuit {
    /// A text to work with, of at most 1 MiB
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) documents: Vec<PathBuf>,
    /// Preferences, earlier words, documents and more in one JSON or YAML file
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// The scene, instead of the one that the words tell
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Option<String>,
    /// The standard workflow to follow
    #[arg(long, value_name = "WORKFLOW")]
    pub(crate) workflow: Option<String>,
    /// The model for everything; `offline` for none
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// What the task may spend, such as tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3
    #[arg(long, value_name = "LIMITS")]
    pub(crate) budget: Option<String>,
    /// Whether a model chooses tools before planning: auto (where words do not tell), always or never
    #[arg(long, value_name = "WHEN")]
    pub(crate) two_stage: Option<String>,
    /// Do not look at what earlier tasks taught
    #[arg(long)]
    pub(crate) no_experience: bool,
    /// Use no plan of an earlier task again, and keep none of this one
    #[arg(long)]
    pub(crate) no_plan_cache: bool,
    /// A JSON schema that the answer must fit
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// A task that ended, to go on with: what it did is done
    #[arg(long = "continue", value_name = "TASK", conflicts_with = "last")]
    pub(crate) continues: Option<String>,
    /// Go on with the task that was submitted last
    #[arg(long)]
    pub(crate) last: bool,
    /// A word by which the task can be found
    #[arg(long = "tag", value_name = "KEY=VALUE")]
    pub(crate) tags: Vec<String>,
}

impl Pursuit {
    /// The flags that were given, for a plan that takes none of them.
    pub(crate) fn flags(&self) -> Vec<&'static str> {
        let given = [
            ("-f", !self.documents.is_empty()),
            ("--context", self.context.is_some()),
            ("--scene", self.scene.is_some()),
            ("--workflow", self.workflow.is_some()),
            ("--model", self.model.is_some()),
            ("--budget", self.budget.is_some()),
            ("--two-stage", self.two_stage.is_some()),
            ("--no-experience", self.no_experience),
            ("--no-plan-cache", self.no_plan_cache),
            ("--output-schema", self.output_schema.is_some()),
            ("--continue", self.continues.is_some()),
            ("--last", self.last),
            ("--tag", !self.tags.is_empty()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis plan \"sort prices.csv by price, largest first\" > plan.yaml
  praxis plan \"sum up the report\" -f report.md --model fast --json
  praxis plan \"sort orders.csv by amount\" --explain

The plan is printed and its task waits: approve it with the command that is told, or run the file yourself.")]
pub(crate) struct PlanOnly {
    /// A goal in words
    #[arg(value_name = "GOAL")]
    pub(crate) goal: String,
    /// Tell how the goal would be planned without a model: tools that come into question, values, what is missing, and
    /// why others lost. Nothing runs, and no task is made
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    #[command(flatten)]
    pub(crate) pursuit: Pursuit,
}
