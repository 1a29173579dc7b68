//! Logging setup: records of all crates go to stderr, or nowhere.

use crate::settings::{LogFormat, LogLevel, LogSettings};
use tracing_subscriber::filter::LevelFilter;

/// Installs the `tracing` subscriber with the level and format of the settings.
pub(crate) fn install(log: &LogSettings) {
    let level = match log.level {
        LogLevel::Off => return,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let records = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    // Fails only if a subscriber is installed already, which is fine.
    let _ = match log.format {
        LogFormat::Text => records.with_ansi(false).try_init(),
        LogFormat::Json => records.json().flatten_event(true).try_init(),
    };
}
