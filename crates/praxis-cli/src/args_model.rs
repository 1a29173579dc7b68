//! What can be typed after `praxis model`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model add fast --preset deepseek --model deepseek-chat
  PRAXIS_SECRET_DEEPSEEK=… praxis model probe fast
  praxis model price fast --input 2 --output 8 --cached 0.5 --currency CNY
  praxis model list

Models stand in models.toml beside your settings, and in that of the project, which comes first.")]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) what: ModelWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelWhat {
    /// Add a model to your models.toml
    Add(ModelAdd),
    /// List the models: where they are, what they are for, what they cost
    List,
    /// Ask a model a dozen small questions, to learn what it can
    Probe(ModelName),
    /// Say how the models did: requests, repairs, faults, cost
    Report,
    /// Set what a model costs
    Price(ModelPrice),
    /// Be a model endpoint that says what a file tells it to, for rehearsals and tests
    ServeFake(ServeFake),
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("answers").required(true).args(["script", "replay"]))]
#[command(after_help = "Examples:
  praxis model serve-fake --script answers.yaml --port 8080
  praxis model serve-fake --replay recorded.jsonl --faults rate_limited@2x1,cut_stream
  praxis model serve-fake --script answers.yaml --degrade 0.1,7

It listens on this machine alone. Ctrl-C ends it and says what was never used.")]
pub(crate) struct ServeFake {
    /// Rules in YAML or JSON: what is answered to what
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Recorded calls, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Where it listens; a free port if it is 0
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Faults that come whatever is asked: NAME, or NAME@AFTERxTIMES
    #[arg(long, value_name = "FAULTS", value_delimiter = ',')]
    pub(crate) faults: Vec<String>,
    /// Spoils answers that are JSON: how likely each kind of error is, from 0 to 1, and a seed
    #[arg(long, value_name = "P[,SEED]")]
    pub(crate) degrade: Option<String>,
}

/// Which model.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model probe fast
  praxis model probe fast --json")]
pub(crate) struct ModelName {
    /// The name of a model, as `praxis model list` has it
    pub(crate) name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model add fast --preset deepseek --model deepseek-chat
  praxis model add local --preset ollama --model qwen3:8b --context 16384
  praxis model add own --base-url http://10.0.0.1:8000/v1 --base-url http://10.0.0.2:8000/v1 --model qwen3
  praxis model add gate --base-url grpc://127.0.0.1:50051 --model any --key secret:GATE

Presets: openai, deepseek, dashscope, zhipu, moonshot, volcengine, siliconflow, ollama, vllm, llamacpp")]
pub(crate) struct ModelAdd {
    /// What you call it
    pub(crate) name: String,
    /// The provider
    #[arg(long, value_name = "PRESET", required_unless_present = "base_url")]
    pub(crate) preset: Option<String>,
    /// Where it is; several times for several endpoints
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Vec<String>,
    /// What the endpoint calls the model
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Its key, as `secret:NAME`; the value is read from `PRAXIS_SECRET_NAME`
    #[arg(long, value_name = "secret:NAME")]
    pub(crate) key: Option<String>,
    /// How many tokens it reads and writes together
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model price fast --input 2 --output 8 --cached 0.5 --currency CNY
  praxis model price fast --input 0.15 --output 0.6 --currency USD --per 1000000")]
pub(crate) struct ModelPrice {
    /// The name of a model
    pub(crate) name: String,
    /// What tokens cost that are sent
    #[arg(long, value_name = "PRICE")]
    pub(crate) input: String,
    /// What tokens cost that are received
    #[arg(long, value_name = "PRICE")]
    pub(crate) output: String,
    /// What tokens cost that are sent and were seen before
    #[arg(long, value_name = "PRICE")]
    pub(crate) cached: Option<String>,
    /// The three letters of the currency
    #[arg(long, value_name = "CNY")]
    pub(crate) currency: String,
    /// For how many tokens that is
    #[arg(long, value_name = "TOKENS", default_value_t = 1_000_000)]
    pub(crate) per: u64,
}
