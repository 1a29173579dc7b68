//! Days that are told from today: `tomorrow`, `next Friday`, `三天后`, `上周五`. They are left as they were written.

use super::months::day_of_week;
use super::numbers;
use super::said::{Kind, Said};
use super::scan::Scan;
use super::units;

/// Whole expressions, the longer ones first.
const CHINESE: [&str; 47] = [
    "大后天",
    "大前天",
    "上个季度",
    "下个季度",
    "这个季度",
    "上季度",
    "下季度",
    "本季度",
    "上半年",
    "下半年",
    "上个月",
    "下个月",
    "这个月",
    "今天",
    "明天",
    "后天",
    "昨天",
    "前天",
    "今日",
    "明日",
    "昨日",
    "今晚",
    "明晚",
    "昨晚",
    "今早",
    "明早",
    "今年",
    "明年",
    "去年",
    "前年",
    "后年",
    "本月",
    "上月",
    "下月",
    "当天",
    "当日",
    "当月",
    "本周末",
    "下周末",
    "上周末",
    "这周末",
    "周末",
    "月底",
    "月初",
    "年底",
    "年初",
    "元旦",
];
const WEEKS: [&str; 13] = [
    "上个星期",
    "下个星期",
    "这个星期",
    "下下周",
    "上上周",
    "上星期",
    "下星期",
    "本星期",
    "上周",
    "下周",
    "本周",
    "这周",
    "上礼拜",
];
const WEEK: [&str; 4] = ["星期", "礼拜", "周", "週"];
const PHRASES: [&str; 3] =
    ["the day after tomorrow", "day after tomorrow", "the day before yesterday"];
const WORDS: [&str; 4] = ["today", "tonight", "tomorrow", "yesterday"];
const WHICH: [&str; 8] =
    ["next", "last", "this", "coming", "past", "previous", "upcoming", "current"];
const PERIODS: [&str; 14] = [
    "week", "month", "year", "quarter", "weekend", "semester", "season", "summer", "winter",
    "spring", "autumn", "fall", "morning", "evening",
];

/// Reads a day that is told from today.
pub(super) fn read(scan: Scan<'_>) -> Option<Said> {
    let from = scan.at();
    let readers: [fn(&mut Scan<'_>) -> Option<()>; 3] = [english, chinese, counted];
    let read = |reader: fn(&mut Scan<'_>) -> Option<()>| {
        let mut ahead = scan;
        reader(&mut ahead).map(|()| ahead)
    };
    let end = readers.into_iter().find_map(read)?;
    Some(Said::new(from, end.at(), Kind::Date, end.since(from)))
}

fn english(scan: &mut Scan<'_>) -> Option<()> {
    if scan.eat_any(&PHRASES).is_some() || scan.eat_word(&WORDS).is_some() {
        return scan.is_edge().then_some(());
    }
    let which = scan.eat_word(&WHICH);
    scan.blanks();
    let is_day = day_of_week(scan).is_some();
    let is_told = is_day || (which.is_some() && scan.eat_word(&PERIODS).is_some());
    (is_told && scan.is_edge()).then_some(())
}

fn chinese(scan: &mut Scan<'_>) -> Option<()> {
    if scan.eat_any(&CHINESE).is_some() {
        return Some(());
    }
    let is_week = scan.eat_any(&WEEKS).is_some();
    let before = scan.before();
    let mut ahead = *scan;
    if !is_week {
        // `一周一次` is no Monday.
        ahead.eat_any(&WEEK).filter(|_| !before.is_some_and(is_count))?;
    }
    let is_day = ahead.one(|c| "一二三四五六日天末1234567".contains(c)).is_some();
    let is_day = is_day && !ahead.peek().is_some_and(|c| c.is_ascii_digit());
    if is_day {
        *scan = ahead;
    }
    (is_week || is_day).then_some(())
}

fn is_count(c: char) -> bool {
    "一二两三四五六七八九十几每".contains(c) || c.is_ascii_digit()
}

/// `3 days ago`, `三天后`.
fn counted(scan: &mut Scan<'_>) -> Option<()> {
    numbers::amount(scan)?;
    let unit = units::unit(scan)?;
    if !units::is_time(unit) {
        return None;
    }
    if scan.eat_any(&["之前", "以前", "之后", "以后", "前", "后"]).is_some() {
        return Some(());
    }
    scan.blanks();
    if scan.eat_word(&["ago", "later"]).is_some() {
        return scan.is_edge().then_some(());
    }
    scan.eat_word(&["from"])?;
    scan.blanks();
    scan.eat_word(&["now", "today"]).map(|_| ())
}
