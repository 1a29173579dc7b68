//! `praxis config`: which settings are in force and who set them.

use crate::args::{Config, ConfigWhat};
use crate::failure::CommandFailure;
use crate::home::CliContext;
use crate::view::text::pad;
use std::process::ExitCode;

pub(crate) fn run(desk: &CliContext, config: &Config) -> Result<ExitCode, CommandFailure> {
    match config.what {
        ConfigWhat::Path if desk.json => print_json(&desk.sources.files),
        ConfigWhat::Show if desk.json => print_json(&desk.sources.keys),
        ConfigWhat::Path => {
            for file in &desk.sources.files {
                let state = match (file.used, file.exists) {
                    (true, _) => desk.say("used", "已使用"),
                    (false, true) => desk.say("not used", "未使用"),
                    (false, false) => desk.say("absent", "不存在"),
                };
                out!("{} {}", pad(&state, 9), file.path);
            }
        }
        ConfigWhat::Show => {
            for key in &desk.sources.keys {
                out!("{:36} = {:24} {}", key.key, key.value.to_string(), key.at);
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
