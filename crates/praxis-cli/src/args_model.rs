//! Arguments of `praxis model`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model add fast --preset deepseek --model deepseek-chat
  PRAXIS_SECRET_DEEPSEEK=… praxis model probe fast
  praxis model price fast --input 2 --output 8 --cached 0.5 --currency CNY
  praxis model list

Models are read from models.toml next to your settings, and from that of the project, which wins.")]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) what: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Add a model to your models.toml
    Add(ModelAdd),
    /// List models with endpoints, roles and prices
    List,
    /// Send a dozen small requests to find out what a model supports
    Probe(ModelName),
    /// Report requests, repairs, faults and cost per model
    Report,
    /// Set the price of a model
    Price(ModelPrice),
    /// Serve a scripted model endpoint, for rehearsals and tests
    ServeFake(ServeFake),
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("answers").required(true).args(["script", "replay"]))]
#[command(after_help = "Examples:
  praxis model serve-fake --script answers.yaml --port 8080
  praxis model serve-fake --replay recorded.jsonl --faults rate_limited@2x1,cut_stream
  praxis model serve-fake --script answers.yaml --degrade 0.1,7

It listens on localhost only. Ctrl-C stops it and lists the unused rules.")]
pub(crate) struct ServeFake {
    /// Script in YAML or JSON: rules for answers
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Recorded calls, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Faults to inject: NAME, or NAME@AFTERxTIMES
    #[arg(long, value_name = "FAULTS", value_delimiter = ',')]
    pub(crate) faults: Vec<String>,
    /// Damage JSON answers: probability of each kind of error (0 to 1), and a seed
    #[arg(long, value_name = "P[,SEED]")]
    pub(crate) degrade: Option<String>,
}

/// The model that a command is about.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model probe fast
  praxis model probe fast --json")]
pub(crate) struct ModelName {
    /// Model name, as in `praxis model list`
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
    /// Your name for the model
    pub(crate) name: String,
    /// Provider preset
    #[arg(long, value_name = "PRESET", required_unless_present = "base_url")]
    pub(crate) preset: Option<String>,
    /// Base URL; repeat for several endpoints
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Vec<String>,
    /// Model name at the endpoint
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// API key as `secret:NAME`; the value is read from `PRAXIS_SECRET_NAME`
    #[arg(long, value_name = "secret:NAME")]
    pub(crate) key: Option<String>,
    /// Context window in tokens
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis model price fast --input 2 --output 8 --cached 0.5 --currency CNY
  praxis model price fast --input 0.15 --output 0.6 --currency USD --per 1000000")]
pub(crate) struct ModelPrice {
    /// Model name
    pub(crate) name: String,
    /// Price of input tokens
    #[arg(long, value_name = "PRICE")]
    pub(crate) input: String,
    /// Price of output tokens
    #[arg(long, value_name = "PRICE")]
    pub(crate) output: String,
    /// Price of cached input tokens
    #[arg(long, value_name = "PRICE")]
    pub(crate) cached: Option<String>,
    /// Currency code, three letters
    #[arg(long, value_name = "CNY")]
    pub(crate) currency: String,
    /// Number of tokens that the prices are for
    #[arg(long, value_name = "TOKENS", default_value_t = 1_000_000)]
    pub(crate) per: u64,
}
