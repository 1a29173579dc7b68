use super::*;
use proptest::prelude::*;

fn read_plainly(text: &str) -> Result<String, String> {
    read(text, DateHints::default()).map(|moment| moment.to_string()).map_err(|why| why.en)
}

#[test]
fn a_date_is_read_however_it_is_written() {
    for (text, expected) in [
        ("2026-11-15", "2026-11-15"),
        (" 2026/11/15 08:30 ", "2026-11-15T08:30"),
        ("2026/1/5", "2026-01-05"),
        ("2026.11.15", "2026-11-15"),
        ("20261115", "2026-11-15"),
        ("2026年11月15日", "2026-11-15"),
        ("2026年11月15号", "2026-11-15"),
        ("2026 年 1 月 5 日", "2026-01-05"),
        ("二〇二六年十一月十五日", "2026-11-15"),
        ("2026年11月15日 星期日", "2026-11-15"),
        ("2026年11月15日（周日）8时30分", "2026-11-15T08:30"),
        ("2026年11月15日8时30分15秒", "2026-11-15T08:30:15"),
        ("2026年11月15日下午3点半", "2026-11-15T15:30"),
        ("2026年11月15日 晚上 8:05", "2026-11-15T20:05"),
        ("2026年11月15日中午12点", "2026-11-15T12:00"),
        ("2026年11月15日凌晨12点", "2026-11-15T00:00"),
        ("２０２６年１１月１５日", "2026-11-15"),
        ("北京时间2026年11月15日8点", "2026-11-15T08:00+08:00"),
        ("15 Nov 2026", "2026-11-15"),
        ("15th of November, 2026", "2026-11-15"),
        ("Nov 15, 2026", "2026-11-15"),
        ("November 15 2026 at 8:30 p.m.", "2026-11-15T20:30"),
        ("15-Nov-2026", "2026-11-15"),
        ("2026 Sept 1st", "2026-09-01"),
        ("Sunday, 15 Nov 2026 08:30:00 GMT", "2026-11-15T08:30Z"),
        ("Sun 15 Nov 2026 08:30 +0800", "2026-11-15T08:30+08:00"),
        ("2026/11/15T08:30:15.250+08:00", "2026-11-15T08:30:15+08:00"),
        ("15 Nov 2026 8:30 UTC+8", "2026-11-15T08:30+08:00"),
        ("15 Nov 2026 12am", "2026-11-15T00:00"),
        ("15 Nov 2026, 12 pm", "2026-11-15T12:00"),
        ("15/11/2026", "2026-11-15"),
        ("11/15/2026", "2026-11-15"),
        ("03/03/2026", "2026-03-03"),
        ("08:30 15.11.2026", "2026-11-15T08:30"),
    ] {
        assert_eq!(read_plainly(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_unclear_is_refused_with_what_to_write() {
    for (text, expected) in [
        (
            "03/04/2026",
            "`03/04/2026` is ambiguous: the month may be 3 or 4; set `order` to `day_first` or \
             `month_first`, or write it like 2026-04-03",
        ),
        ("Nov 15", "`Nov 15` has no year; set `year`, or write it like 2026-11-15"),
        ("11月15日", "`11月15日` has no year; set `year`, or write it like 2026-11-15"),
        ("15 Nov 26", "the year `26` must have four digits"),
        ("26年11月15日", "the year `26` must have four digits"),
        ("2026-02-30", "the date 2026-02-30 does not exist"),
        ("13/13/2026", "the date 2026-13-13 does not exist"),
        (
            "Monday 15 Nov 2026",
            "`Monday 15 Nov 2026` is a Sunday, not a Monday; correct the date or the weekday",
        ),
        ("15 Nov 2026 25:00", "`25:00:00` is not a valid time of day"),
        (
            "15 Nov 2026 13 pm and",
            "cannot parse `15 Nov 2026 13 pm and` as a date; write it like 2026-11-15 or \
             2026-11-15T08:30",
        ),
        ("tomorrow", "`tomorrow` is a relative date; write a fixed one like 2026-11-15"),
        ("明天上午", "`明天上午` is a relative date; write a fixed one like 2026-11-15"),
    ] {
        assert_eq!(read_plainly(text), Err(expected.to_owned()), "{text}");
    }
    for text in [
        "",
        "2026",
        "2026年11月",
        "x",
        "Nov",
        "15 Foo 2026",
        "2026-11/15",
        "99999999999999999999/1/1",
    ] {
        assert!(read_plainly(text).is_err(), "{text}");
    }
}

#[test]
fn hints_settle_what_the_text_leaves_open() {
    let with = |order, year, text: &str| {
        read(text, DateHints { order, year }).map(|moment| moment.to_string())
    };
    let day_first = with(Some(DateOrder::DayFirst), None, "03/04/2026");
    assert_eq!(day_first.as_deref(), Ok("2026-04-03"));
    let month_first = with(Some(DateOrder::MonthFirst), None, "03/04/2026");
    assert_eq!(month_first.as_deref(), Ok("2026-03-04"));
    assert!(with(Some(DateOrder::MonthFirst), None, "15/11/2026").is_err());
    assert_eq!(with(None, Some(2026), "11月15日").as_deref(), Ok("2026-11-15"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9年月日号时点分秒半:./+\\- 上下午星期一二十〇TZapmnov]{0,24}") {
        if let Ok(moment) = read(&text, DateHints::default()) {
            // What was read is a date, and reads the same when it is printed.
            prop_assert_eq!(read(&moment.to_string(), DateHints::default()), Ok(moment));
        }
    }

    #[test]
    fn every_way_to_write_a_day_says_the_same_day(number in -700_000_i64..2_900_000) {
        let date = Date::numbered(number).unwrap();
        let (year, month, day) = (date.year(), date.month(), date.day());
        let name = MONTH_NAMES[usize::try_from(month).unwrap() - 1];
        let iso = format!("{year:04}-{month:02}-{day:02}");
        for written in [
            format!("{year:04}年{month}月{day}日"),
            format!("{year:04}/{month}/{day}"),
            format!("{year:04}{month:02}{day:02}"),
            format!("{day} {name} {year:04}"),
            format!("{}, {name} {day}, {year:04}", weekday_name(date.weekday())),
        ] {
            prop_assert_eq!(read_plainly(&written), Ok(iso.clone()), "{}", written);
        }
    }
}
