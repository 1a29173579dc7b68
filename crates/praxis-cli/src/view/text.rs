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

/// Returns the separator of a list.
pub(crate) fn comma(lang: Lang) -> &'static str {
    say(lang, ", ", "、")
}

/// Puts a text after a label. A full-width colon is not followed by a blank.
pub(crate) fn headed(lang: Lang, (en, zh): (&str, &str), text: &str) -> String {
    match lang {
        Lang::En => format!("{en} {text}"),
        Lang::Zh => format!("{zh}{text}"),
    }
}

/// Returns the suffix that puts a text in parentheses.
pub(crate) fn enclosed(text: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!(" ({text})"),
        Lang::Zh => format!("（{text}）"),
    }
}

/// Lists matched words. Chinese is searched by pairs of characters; pairs that overlap are shown as one word: `高到` and
/// `到低` as `高到低`.
pub(crate) fn told_words(words: &[String], lang: Lang) -> String {
    let mut merged: Vec<String> = Vec::new();
    for word in words {
        let mut word = word.clone();
        while let Some(at) = merged.iter().position(|other| joined(other, &word).is_some()) {
            let other = merged.remove(at);
            word = joined(&other, &word).unwrap_or(word);
        }
        merged.push(word);
    }
    merged.join(comma(lang))
}

/// Joins two Chinese words if one begins with the last character of the other.
fn joined(one: &str, other: &str) -> Option<String> {
    let joint = |first: &str, then: &str| {
        let last = first.chars().last().filter(|c| !c.is_ascii())?;
        Some(format!("{first}{}", then.strip_prefix(last)?))
    };
    joint(one, other).or_else(|| joint(other, one))
}

/// Returns the location of a problem: `plan.json line 3 column 5` is `plan.json 第 3 行第 5 列` in Chinese.
pub(crate) fn located(at: &str, lang: Lang) -> String {
    match lang {
        Lang::En => at.to_owned(),
        Lang::Zh => at.split(", ").map(located_zh).collect::<Vec<_>>().join("，"),
    }
}

fn located_zh(part: &str) -> String {
    let kinds = [
        ("step `", "步骤 `"),
        ("tool `", "工具 `"),
        ("flow `", "流程 `"),
        ("workflow `", "工作流 `"),
        ("scene `", "场景 `"),
        ("flag ", "命令行选项 "),
    ];
    let named = kinds.iter().find_map(|(en, zh)| Some(format!("{zh}{}", part.strip_prefix(en)?)));
    let part = named.unwrap_or_else(|| part.to_owned());
    let (part, column) = numbered(&part, " column ");
    let (part, line) = numbered(part, " line ");
    let line = line.map(|line| format!(" 第 {line} 行")).unwrap_or_default();
    let column = column.map(|column| format!("第 {column} 列")).unwrap_or_default();
    format!("{part}{line}{column}")
}

/// Splits a number and the word before it off the end of a text.
fn numbered<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    let found = text.rsplit_once(word);
    let found = found.filter(|(_, number)| number.chars().all(|c| c.is_ascii_digit()));
    found.map_or((text, None), |(rest, number)| (rest, Some(number)))
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
    fn pairs_of_characters_are_shown_as_the_words_they_come_from() {
        let words = ["排序", "sort", "到低", "高到"].map(str::to_owned);
        assert_eq!(told_words(&words, Lang::Zh), "排序、sort、高到低");
        let words = ["负荷", "预测", "荷预", "load", "date"].map(str::to_owned);
        assert_eq!(told_words(&words, Lang::En), "负荷预测, load, date");
    }

    #[test]
    fn a_location_is_told_in_chinese_and_stays_in_english() {
        for (at, zh) in [
            ("a plan.json line 3 column 5", "a plan.json 第 3 行第 5 列"),
            ("/w/.env line 1, PRAXIS_X", "/w/.env 第 1 行，PRAXIS_X"),
            ("plan.json, step `c`", "plan.json，步骤 `c`"),
            ("the line x", "the line x"),
            ("nodes[2].params", "nodes[2].params"),
        ] {
            assert_eq!(located(at, Lang::En), at);
            assert_eq!(located(at, Lang::Zh), zh);
        }
    }

    #[test]
    fn spans_read_as_people_say_them() {
        assert_eq!([span(80), span(1290), span(61_000)], ["0.0 s", "1.2 s", "1m 01s"]);
    }
}
