//! Parses a date as people write it, in English and Chinese.

use super::calendar::{Date, WEEKDAYS, weekday_name, weekday_name_zh};
use super::clock::{take_offset, take_time};
use super::moment::WrittenMoment;
use super::numerals::plain;
use praxis_core::problem::Bilingual;

/// The months by their English abbreviations.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// The months by their full English names.
const MONTH_NAMES: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Words without meaning for the date.
const SILENT: [&str; 10] = ["the", "of", "at", "on", "t", "st", "nd", "rd", "th", "日"];
/// Words of relative dates, which are refused.
const MOVING: [&str; 13] = [
    "today",
    "tomorrow",
    "yesterday",
    "now",
    "next",
    "last",
    "ago",
    "今",
    "明",
    "昨",
    "后天",
    "前天",
    "现在",
];

/// The order of day and month in a numeric date with the year last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DateOrder {
    /// As in `15/11/2026`.
    DayFirst,
    /// As in `11/15/2026`.
    MonthFirst,
}

/// Information besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DateHints {
    /// The order of day and month in a numeric date.
    pub(crate) order: Option<DateOrder>,
    /// The year for a text without one.
    pub(crate) year: Option<i64>,
}

/// A token of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DateToken {
    /// Digits as written.
    Number(String),
    /// Latin letters in lower case, or a single other letter.
    Word(String),
    /// Any other character.
    Mark(char),
}

/// Parses a date; the error explains the problem and what to write instead.
pub(crate) fn read(text: &str, hints: DateHints) -> Result<WrittenMoment, Bilingual> {
    if let Some(moment) = WrittenMoment::parse(text) {
        return Ok(moment);
    }
    let shown: String = text.chars().take(60).collect();
    let plain = plain(text.trim()).to_lowercase().replace("a.m.", "am").replace("p.m.", "pm");
    if MOVING.iter().any(|word| says(&plain, word)) {
        return Err(relative(&shown));
    }
    let (plain, named) = without_weekday(&plain);
    let (plain, offset) = take_offset(&plain);
    let mut tokens = lex(&plain);
    let time = take_time(&mut tokens)?;
    tokens
        .retain(|token| !matches!(token, DateToken::Word(word) if SILENT.contains(&word.as_str())));
    let parts = parts(&tokens, hints.order, &shown)?;
    let year = parts.year.or(hints.year).ok_or_else(|| without_year(&shown))?;
    let (month, day) = (parts.month, parts.day);
    let day = Date::new(year, month, day).ok_or_else(|| no_such_day(year, month, day))?;
    match named.filter(|named| *named != day.weekday()) {
        Some(named) => Err(other_weekday(&shown, day.weekday(), named)),
        None => Ok(WrittenMoment { day, time, offset }),
    }
}

fn relative(shown: &str) -> Bilingual {
    let en = format!("`{shown}` is a relative date; write a fixed one like 2026-11-15");
    (en, format!("`{shown}` 是相对日期；请写固定日期，如 2026-11-15")).into()
}

fn without_year(shown: &str) -> Bilingual {
    let en = format!("`{shown}` has no year; set `year`, or write it like 2026-11-15");
    (en, format!("`{shown}` 没有年份；请设置 `year`，或写成如 2026-11-15")).into()
}

fn no_such_day(year: i64, month: i64, day: i64) -> Bilingual {
    let en = format!("the date {year:04}-{month:02}-{day:02} does not exist");
    (en, format!("日期 {year:04}-{month:02}-{day:02} 不存在")).into()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn other_weekday(shown: &str, really: i64, said: i64) -> Bilingual {
    let (really_en, said_en) = (capital(weekday_name(really)), capital(weekday_name(said)));
    let en =
        format!("`{shown}` is a {really_en}, not a {said_en}; correct the date or the weekday");
    let zh = format!(
        "`{shown}` 是{}，不是{}；请更正日期或星期",
        weekday_name_zh(really),
        weekday_name_zh(said)
    );
    (en, zh).into()
}

/// Returns true if the text contains the word. A Latin word must match a whole word; Chinese may match anywhere.
fn says(text: &str, word: &str) -> bool {
    if word.is_ascii() {
        return text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    }
    text.contains(word)
}

/// Removes the name of a weekday from the text, and returns its number.
fn without_weekday(text: &str) -> (String, Option<i64>) {
    const SIGNS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
    for prefix in ["星期", "礼拜", "周"] {
        for (at, sign) in SIGNS.iter().enumerate() {
            let word = format!("{prefix}{sign}");
            if text.contains(&word) {
                return (text.replacen(&word, " ", 1), i64::try_from(at.min(6)).ok());
            }
        }
    }
    let is_word = |c: char| c.is_ascii_alphabetic();
    for word in text.split(|c: char| !is_word(c)).filter(|word| word.len() >= 3) {
        let found = WEEKDAYS.iter().position(|name| {
            *name == word || (name.starts_with(word) && matches!(word.len(), 3..=5))
        });
        if let Some(at) = found {
            return (text.replacen(word, " ", 1), i64::try_from(at).ok());
        }
    }
    (text.to_owned(), None)
}

fn lex(text: &str) -> Vec<DateToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = |c: char| !c.is_ascii_digit();
        let letters = |c: char| !c.is_ascii_alphabetic();
        let run = if first.is_ascii_digit() {
            rest.find(digits)
        } else if first.is_ascii_alphabetic() {
            rest.find(letters)
        } else {
            Some(first.len_utf8())
        };
        let (word, tail) = rest.split_at_checked(run.unwrap_or(rest.len())).unwrap_or((rest, ""));
        match first {
            ',' | '(' | ')' => {}
            c if c.is_whitespace() => {}
            c if c.is_ascii_digit() => tokens.push(DateToken::Number(word.to_owned())),
            c if c.is_alphabetic() => tokens.push(DateToken::Word(word.to_owned())),
            c => tokens.push(DateToken::Mark(c)),
        }
        rest = tail;
    }
    tokens
}

struct DateParts {
    year: Option<i64>,
    month: i64,
    day: i64,
}

fn parts(
    tokens: &[DateToken],
    order: Option<DateOrder>,
    shown: &str,
) -> Result<DateParts, Bilingual> {
    use DateToken::{Mark, Number, Word};
    let unknown = || {
        let en = format!(
            "cannot parse `{shown}` as a date; write it like 2026-11-15 or 2026-11-15T08:30"
        );
        let zh = format!("无法将 `{shown}` 解析为日期；请写成如 2026-11-15 或 2026-11-15T08:30");
        (en, zh).into()
    };
    match tokens {
        [Number(year), Word(after), Number(month), Word(then), Number(day), rest @ ..]
            if after == "年" && then == "月" && ends(rest) =>
        {
            dated(Some(year), number(month), number(day))
        }
        [Number(month), Word(after), Number(day), rest @ ..] if after == "月" && ends(rest) => {
            dated(None, number(month), number(day))
        }
        [Number(first), Mark(mark), Number(second), Mark(again), Number(third)]
            if mark == again && "-/.".contains(*mark) =>
        {
            numbered([first, second, third], order, shown)
        }
        [Number(all)] if all.len() == 8 => {
            let (year, rest) = all.split_at(4);
            let (month, day) = rest.split_at(2);
            dated(Some(&year.to_owned()), number(month), number(day))
        }
        _ => named(tokens).unwrap_or_else(|| Err(unknown())),
    }
}

fn ends(rest: &[DateToken]) -> bool {
    matches!(rest, []) || matches!(rest, [DateToken::Word(word)] if word == "号")
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or(i64::MAX)
}

fn dated(year: Option<&String>, month: i64, day: i64) -> Result<DateParts, Bilingual> {
    if let Some(short) = year.filter(|year| year.len() != 4) {
        let en = format!("the year `{short}` must have four digits");
        return Err((en, format!("年份 `{short}` 必须是四位数")).into());
    }
    Ok(DateParts { year: year.map(|year| number(year)), month, day })
}

/// Interprets three numbers; the year is the first if that has four digits, else the last.
fn numbered(
    [a, b, c]: [&String; 3],
    order: Option<DateOrder>,
    shown: &str,
) -> Result<DateParts, Bilingual> {
    if a.len() == 4 {
        return dated(Some(a), number(b), number(c));
    }
    let (first, second) = (number(a), number(b));
    match order {
        Some(DateOrder::DayFirst) => dated(Some(c), second, first),
        Some(DateOrder::MonthFirst) => dated(Some(c), first, second),
        None if first > 12 || first == second => dated(Some(c), second, first),
        None if second > 12 => dated(Some(c), first, second),
        None => {
            let like = format!("{c}-{second:02}-{first:02}");
            let en = format!(
                "`{shown}` is ambiguous: the month may be {first} or {second}; set `order` to `day_first` or \
                 `month_first`, or write it like {like}"
            );
            let zh = format!(
                "`{shown}` 有歧义：月份可能是 {first} 或 {second}；请将 `order` 设为 `day_first` 或 `month_first`，\
                 或写成如 {like}"
            );
            Err((en, zh).into())
        }
    }
}

/// Interprets an English month name with one or two numbers around it.
fn named(tokens: &[DateToken]) -> Option<Result<DateParts, Bilingual>> {
    use DateToken::{Number, Word};
    let said: Vec<&DateToken> =
        tokens.iter().filter(|token| !matches!(token, DateToken::Mark('-' | '/' | '.'))).collect();
    let (year, month, day) = match said.as_slice() {
        [Number(y), Word(m), Number(d)] if y.len() == 4 => (Some(y), m, d),
        [Number(d), Word(m), Number(y)] => (Some(y), m, d),
        [Word(m), Number(d), Number(y)] => (Some(y), m, d),
        [Word(m), Number(d)] | [Number(d), Word(m)] => (None, m, d),
        _ => return None,
    };
    let short = month.get(..3)?;
    let whole = MONTHS.iter().position(|name| *name == short)?;
    let is_name =
        *month == short || month == "sept" || MONTH_NAMES.get(whole) == Some(&month.as_str());
    is_name.then(|| dated(year, i64::try_from(whole + 1).unwrap_or_default(), number(day)))
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
