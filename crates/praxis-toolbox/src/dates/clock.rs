//! Parses the time of day and the UTC offset of a written date.

use super::moment::read_offset;
use super::written::DateToken::{self, Mark, Number, Word};
use praxis_core::problem::Bilingual;

/// The part of the day named by words such as `pm` or `下午`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DayHalf {
    Whole,
    Morning,
    Noon,
    Afternoon,
}

/// Splits `+08:00`, `UTC+8`, `Z` … off the end of a text that has a time; returns the offset in minutes.
pub(super) fn take_offset(text: &str) -> (String, Option<i64>) {
    let text = text.trim();
    let has_time = |head: &str| head.contains([':', '点', '时']);
    if let Some(head) = text.strip_suffix("北京时间").or(text.strip_prefix("北京时间")) {
        return (head.trim().to_owned(), Some(8 * 60));
    }
    for zero in ["utc", "gmt", "z"] {
        if let Some(head) = text.strip_suffix(zero).filter(|head| has_time(head)) {
            return (head.trim().to_owned(), Some(0));
        }
    }
    let Some((head, tail)) = text.rfind(['+', '-']).and_then(|at| text.split_at_checked(at)) else {
        return (text.to_owned(), None);
    };
    let named = ["utc", "gmt"].iter().find_map(|name| head.trim().strip_suffix(name));
    let short = match tail.len() {
        2 => tail.replace('+', "+0").replace('-', "-0") + ":00",
        3 => format!("{tail}:00"),
        _ => tail.to_owned(),
    };
    let written = if named.is_some() { short.as_str() } else { tail };
    match read_offset(written).filter(|_| has_time(head)) {
        Some(offset) => (named.unwrap_or(head).trim().to_owned(), Some(offset)),
        None => (text.to_owned(), None),
    }
}

/// Removes `08:30`, `8:30 pm`, `8pm`, `下午3点半` … from the tokens of a date; returns the seconds since midnight.
pub(super) fn take_time(tokens: &mut Vec<DateToken>) -> Result<Option<i64>, Bilingual> {
    let half = take_half(tokens);
    let Some((at, length, [hour, minute, second])) =
        (0..tokens.len()).find_map(|at| time_at(tokens.get(at..)?, half).map(|(n, t)| (at, n, t)))
    else {
        return Ok(None);
    };
    tokens.drain(at..at + length);
    let twelve =
        matches!(half, DayHalf::Morning | DayHalf::Noon | DayHalf::Afternoon) && hour == 12;
    let hour_of_day = match half {
        DayHalf::Morning if twelve => 0,
        DayHalf::Afternoon if hour < 12 => hour + 12,
        DayHalf::Noon if hour < 11 => hour + 12,
        DayHalf::Whole | DayHalf::Morning | DayHalf::Noon | DayHalf::Afternoon => hour,
    };
    if hour_of_day > 23 || minute > 59 || second > 59 {
        let time = format!("{hour}:{minute:02}:{second:02}");
        let en = format!("`{time}` is not a valid time of day");
        return Err((en, format!("`{time}` 不是有效的时刻")).into());
    }
    Ok(Some(hour_of_day * 3600 + minute * 60 + second))
}

fn take_half(tokens: &mut Vec<DateToken>) -> DayHalf {
    const WORDS: [(&str, DayHalf); 9] = [
        ("am", DayHalf::Morning),
        ("pm", DayHalf::Afternoon),
        ("上午", DayHalf::Morning),
        ("早上", DayHalf::Morning),
        ("凌晨", DayHalf::Morning),
        ("中午", DayHalf::Noon),
        ("下午", DayHalf::Afternoon),
        ("傍晚", DayHalf::Afternoon),
        ("晚上", DayHalf::Afternoon),
    ];
    for (word, half) in WORDS {
        let letters: Vec<DateToken> = if word.is_ascii() {
            vec![Word(word.to_owned())]
        } else {
            word.chars().map(|sign| Word(sign.to_string())).collect()
        };
        if let Some(at) = tokens.windows(letters.len()).position(|window| window == letters) {
            tokens.drain(at..at + letters.len());
            return half;
        }
    }
    DayHalf::Whole
}

/// Parses a time at the first token; returns the number of its tokens, and hour, minute and second.
fn time_at(tokens: &[DateToken], half: DayHalf) -> Option<(usize, [i64; 3])> {
    let [Number(hour), rest @ ..] = tokens else { return None };
    let (length, [minute, second]) = match rest {
        [Mark(':'), rest @ ..] => after_colon(rest)?,
        [Word(sign), rest @ ..] if matches!(sign.as_str(), "时" | "点") => after_sign(rest)?,
        // `8 pm`: `take_half` has already removed the word, so the hour is the last token.
        [] if matches!(half, DayHalf::Morning | DayHalf::Afternoon) && hour.len() <= 2 => {
            (0, [0, 0])
        }
        _ => return None,
    };
    Some((length + 1, [number(hour)?, minute, second]))
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Parses `30`, `30:15` or `30:15.250` after a colon; the token count includes the colon.
fn after_colon(tokens: &[DateToken]) -> Option<(usize, [i64; 2])> {
    Some(match tokens {
        [Number(minute), Mark(':'), Number(second), Mark('.'), Number(_), ..] => {
            (6, [number(minute)?, number(second)?])
        }
        [Number(minute), Mark(':'), Number(second), ..] => (4, [number(minute)?, number(second)?]),
        [Number(minute), ..] => (2, [number(minute)?, 0]),
        _ => return None,
    })
}

/// Parses `30分15秒`, `30分`, `30`, `半`, `整` or nothing after `时` or `点`; the token count includes that sign.
fn after_sign(tokens: &[DateToken]) -> Option<(usize, [i64; 2])> {
    Some(match tokens {
        [Number(minute), Word(then), Number(second), Word(last), ..]
            if then == "分" && last == "秒" =>
        {
            (5, [number(minute)?, number(second)?])
        }
        [Number(minute), Word(then), ..] if then == "分" => (3, [number(minute)?, 0]),
        [Number(minute)] => (2, [number(minute)?, 0]),
        [Word(half), ..] if half == "半" => (2, [30, 0]),
        [Word(sharp), ..] if sharp == "整" => (2, [0, 0]),
        _ => (1, [0, 0]),
    })
}
