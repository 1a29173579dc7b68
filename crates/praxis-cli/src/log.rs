//! Where the records of the parts below go: to stderr, if anywhere.

use crate::settings::{LogFormat, LogLevel, LogSettings};
use tracing_subscriber::filter::LevelFilter;

/// Lets records through from now on, as the settings say.
pub(crate) fn install(log: &LogSettings) {
    let level = match log.level {
        LogLevel::Off => return,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let records = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    // Somebody may have asked for them already; then it is done.
    let _ = match log.format {
        LogFormat::Text => records.with_ansi(false).try_init(),
        LogFormat::Json => records.json().flatten_event(true).try_init(),
    };
}
