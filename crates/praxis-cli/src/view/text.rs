//! Text helpers: language, width, colour and safe output.

use praxis_core::ids::is_unseen;
use praxis_core::lang::Lang;
use praxis_core::mask::masked;
use praxis_core::payload::{Payload, PayloadValue};
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{State, TaskStatus};
use praxis_drawing::columns;
use serde_json::Value;

pub(crate) use columns::width;

/// Switch for ANSI colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Formats a count with an English noun: `1 task`, `2 tasks`, `0 retries`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {one}s"),
    }
}

/// Formats the progress of a task: `2/3 steps`, the succeeded steps out of all. A step dropped by a newer plan counts
/// only if it succeeded.
pub(crate) fn progress(state: &State, lang: Lang) -> String {
    let done = |step: &&Step| step.status == StepStatus::Success;
    let all = state.steps.iter().filter(|step| !step.dropped || done(step)).count();
    let done = state.steps.iter().filter(done).count();
    match lang {
        Lang::En => format!("{done}/{}", counted(all, "step")),
        Lang::Zh => format!("{done}/{all} 步"),
    }
}

/// Returns the mark of a step status. Each has its own shape, so that the marks can be read without colours.
pub(crate) fn mark(status: StepStatus, paint: Paint) -> String {
    match status {
        StepStatus::Success => paint.green("✔"),
        StepStatus::Error => paint.red("✖"),
        StepStatus::Running => paint.bold("▶"),
        StepStatus::Waiting => paint.yellow("↻"),
        StepStatus::Param => paint.yellow("?"),
        StepStatus::InDoubt => paint.yellow("⚠"),
        StepStatus::Skipped => paint.faint("–"),
        StepStatus::Cancelled => paint.faint("■"),
        StepStatus::Init => paint.faint("◌"),
    }
}

/// Returns the mark of a task status.
pub(crate) fn task_mark(status: TaskStatus, paint: Paint) -> String {
    match status {
        TaskStatus::Completed => paint.green("✔"),
        TaskStatus::Failed => paint.red("✖"),
        TaskStatus::Cancelled => paint.faint("■"),
        TaskStatus::Waiting => paint.yellow("?"),
        TaskStatus::Pending
        | TaskStatus::Planning
        | TaskStatus::Executing
        | TaskStatus::Evaluating
        | TaskStatus::Reflecting => paint.bold("▶"),
    }
}

/// Formats a duration: `0.1 s`, `12 s`, `3m 20s`.
pub(crate) fn span(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{} s", ms / 1000),
        60_000..3_600_000 => format!("{}m {:02}s", ms / 60_000, ms / 1000 % 60),
        _ => format!("{}h {:02}m", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Formats a value in at most `width` columns, on one line, masked and without control characters.
pub(crate) fn short(value: &Value, width: usize) -> String {
    cut(&masked(value).to_string(), width)
}

/// Formats a payload like [`short`]; a blob by its shape, size and preview.
pub(crate) fn short_payload(payload: &Payload, width: usize) -> String {
    match payload.whole() {
        PayloadValue::Value(value) => short(value, width),
        PayloadValue::InBlob { stored, .. } => {
            format!(
                "{} of {} bytes: {}",
                stored.shape,
                stored.bytes,
                cut(&stored.preview, width / 2)
            )
        }
    }
}

/// Formats a `PayloadValue` like [`short`]; one inside a blob by its key and blob id, a whole blob by its shape and
/// size.
pub(crate) fn short_datum(datum: PayloadValue<'_>, width: usize) -> String {
    match datum {
        PayloadValue::Value(value) => short(value, width),
        PayloadValue::InBlob { stored, key } => match key {
            Some(key) => format!("`{key}` in blob {}", cut(stored.blob.as_str(), 13)),
            None => format!("{} of {} bytes", stored.shape, stored.bytes),
        },
    }
}

/// Escapes control characters and invisible characters, which could drive the terminal or reorder the text. Keeps the
/// first `most` characters.
pub(crate) fn sanitize(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == most {
            out.push('…');
            break;
        }
        if c == '\n' || !(c.is_control() || is_unseen(c)) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// Cuts a text to `width` columns; a longer one ends in `…`. Control characters become blanks: a tool's output must
/// not drive the terminal.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let seen = |c: char| if c.is_control() || is_unseen(c) { ' ' } else { c };
    columns::cut(&text.chars().map(seen).collect::<String>(), width)
}

/// Picks the text of a language.
pub(crate) fn say<'a>(lang: Lang, en: &'a str, zh: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// Pads a text with blanks to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(self::width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_by_columns_and_escape_sequences_are_disarmed() {
        assert_eq!(cut("负荷预测报告", 7), "负荷预…");
        assert_eq!(cut("plain", 5), "plain");
        assert_eq!(cut("a\u{1b}[31mb\nc", 20), "a [31mb c");
        assert_eq!(cut("a\u{202e}b", 20), "a b");
        assert_eq!(pad("负荷", 6), "负荷  ");
    }

    #[test]
    fn characters_of_the_east_take_two_columns_and_marks_of_ours_one() {
        for (text, columns) in [
            ("", 0),
            ("plain", 5),
            ("é ß …–·", 7),
            ("✔✖▶↻⚠■◌", 7),
            ("负荷预测", 8),
            ("，。：（）", 10),
            ("Ａ１", 4),
            ("かなカナ한글", 12),
            ("ｶﾅ", 2),
            ("𠀀", 2),
            ("😀🚀", 4),
            ("第1步 step", 10),
        ] {
            assert_eq!(width(text), columns, "{text}");
            assert_eq!(width(&pad(text, 15)), 15, "{text}");
        }
    }

    #[test]
    fn what_is_cut_takes_no_more_columns_than_it_may() {
        for (text, columns, expected) in [
            ("负荷预测", 8, "负荷预测"),
            ("负荷预测", 7, "负荷预…"),
            ("负荷预测", 6, "负荷…"),
            ("a负b荷", 4, "a负…"),
            ("abc", 3, "abc"),
            ("abc", 2, "a…"),
            ("abc", 1, "…"),
            ("abc", 0, "…"),
            ("", 0, ""),
            ("a\tb", 3, "a b"),
        ] {
            assert_eq!(cut(text, columns), expected, "{text}");
        }
    }

    #[test]
    fn what_drives_a_terminal_or_turns_a_text_is_written_out_in_messages() {
        assert_eq!(sanitize("abc", 2), "ab…");
        assert_eq!(
            sanitize("`a\u{1b}[2J\u{202e}b\0`\n次", 20),
            "`a\\u{1b}[2J\\u{202e}b\\u{0}`\n次"
        );
    }

    #[test]
    fn spans_read_as_people_say_them() {
        assert_eq!([span(80), span(1290), span(61_000)], ["0.0 s", "1.2 s", "1m 01s"]);
    }
}
