//! `praxis config`: prints the settings in force and their sources.

use crate::args::{Config, ConfigCommand};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::text::{located, pad};
use praxis_core::lang::Lang;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, config: &Config) -> Result<ExitCode, CommandFailure> {
    match config.what {
        ConfigCommand::Path if context.json => print_json(&context.sources.files),
        ConfigCommand::Show if context.json => print_json(&context.sources.keys),
        ConfigCommand::Path => {
            for file in &context.sources.files {
                let state = match (file.used, file.exists) {
                    (true, _) => context.say("used", "已使用"),
                    (false, true) => context.say("not used", "未使用"),
                    (false, false) => context.say("not found", "不存在"),
                };
                out!("{} {}", pad(&state, 9), file.path);
            }
        }
        ConfigCommand::Show => {
            for key in &context.sources.keys {
                let at = match (key.at.as_str(), context.lang) {
                    ("built in", Lang::Zh) => "内置".to_owned(),
                    (at, lang) => located(at, lang),
                };
                out!("{:36} = {:24} {at}", key.key, key.value.to_string());
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_json<T: serde::Serialize>(items: &[T]) {
    for item in items {
        out!("{}", serde_json::to_string(item).unwrap_or_default());
    }
}
