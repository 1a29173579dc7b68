//! Arguments of `praxis run` and `praxis plan`.

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

A file name, or one word that ends in .json, .yaml or .yml, is a plan; anything else is a goal.")]
pub(crate) struct RunArgs {
    /// Goal in words, or a plan file in JSON or YAML
    #[arg(value_name = "GOAL|FILE", required_unless_present_any = ["plan_file", "example"])]
    pub(crate) what: Option<PathBuf>,
    /// Plan file in JSON or YAML
    #[arg(long, value_name = "FILE", conflicts_with = "what")]
    pub(crate) plan_file: Option<PathBuf>,
    /// Run a bundled example; `praxis example` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["what", "plan_file"])]
    pub(crate) example: Option<String>,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    #[command(flatten)]
    pub(crate) pursuit: Pursuit,
    /// Show the plan first and wait for approval or an edit
    #[arg(long, conflicts_with = "yes")]
    pub(crate) review: bool,
    /// Approve changes without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print the task id and return; the task runs in the background
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) told: crate::args::EventFormatArgs,
}

/// Inputs of every task.
#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    /// Initial metadata; parsed as JSON if possible; repeatable
    #[arg(short = 'p', long = "param", value_name = "KEY=VALUE")]
    pub(crate) params: Vec<String>,
    /// File with initial metadata, or `-` for stdin
    #[arg(long = "params", value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Tool manifests: a file or a folder; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// Submit only once: the same key returns the same task
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Maximum active time, e.g. 10m
    #[arg(long, value_name = "SPAN")]
    pub(crate) timeout: Option<String>,
    /// Policy for calls that change something: allow, ask or deny; or by risk: write=ask,irreversible=deny
    #[arg(long, value_name = "WORDS")]
    pub(crate) approve: Option<String>,
    /// How long a question stays open, e.g. 24h
    #[arg(long, value_name = "SPAN")]
    pub(crate) answer_within: Option<String>,
    /// Handling of questions that were not answered in time: deny, skip, fail or default
    #[arg(long, value_name = "WORD")]
    pub(crate) unanswered: Option<String>,
}

/// Inputs of goals only.
#[derive(Debug, Args)]
pub(crate) struct Pursuit {
    /// Text file to work with, at most 1 MiB; repeatable
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) documents: Vec<PathBuf>,
    /// Preferences, conversation, documents and more in one JSON or YAML file
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Scene to use instead of the detected one
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Option<String>,
    /// Workflow to follow
    #[arg(long, value_name = "WORKFLOW")]
    pub(crate) workflow: Option<String>,
    /// Model for all purposes; `offline` for none
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Budget, e.g. tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3
    #[arg(long, value_name = "LIMITS")]
    pub(crate) budget: Option<String>,
    /// Let a model choose tools before planning: auto (if retrieval is not certain), always or never
    #[arg(long, value_name = "WHEN")]
    pub(crate) two_stage: Option<String>,
    /// Ignore the experience of earlier tasks
    #[arg(long)]
    pub(crate) no_experience: bool,
    /// Neither reuse a cached plan nor cache this one
    #[arg(long)]
    pub(crate) no_plan_cache: bool,
    /// JSON Schema of the answer
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Continue a finished task, keeping its results
    #[arg(long = "continue", value_name = "TASK", conflicts_with = "last")]
    pub(crate) continues: Option<String>,
    /// Continue the latest task
    #[arg(long)]
    pub(crate) last: bool,
    /// Tag of the task, for `praxis ps --tag`; repeatable
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

The plan is printed and its task waits: approve it with the printed command, or run the file yourself.")]
pub(crate) struct PlanOnly {
    /// Goal in words
    #[arg(value_name = "GOAL")]
    pub(crate) goal: String,
    /// Explain how the goal would be planned without a model: candidate tools, values, missing inputs, rejected
    /// plans. Nothing runs and no task is created
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    #[command(flatten)]
    pub(crate) pursuit: Pursuit,
}
