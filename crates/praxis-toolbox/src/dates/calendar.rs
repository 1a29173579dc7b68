//! The Gregorian calendar of the years 1 to 9999, with a number for each day: day 0 is 1970-01-01.

use jiff::{Span, civil};

/// The day with the number 0.
const FIRST: civil::Date = civil::date(1970, 1, 1);
/// The days of the week, Monday first.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date(civil::Date);

impl Date {
    /// Returns the day, or `None` if the calendar does not have it.
    pub(crate) fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let (year, month) = (year.try_into().ok()?, month.try_into().ok()?);
        Self::within(civil::Date::new(year, month, day.try_into().ok()?))
    }

    /// Rejects days before year 1, which `jiff` allows.
    fn within(day: Result<civil::Date, jiff::Error>) -> Option<Self> {
        day.ok().filter(|day| day.year() >= 1).map(Self)
    }

    /// Returns the year, from 1 to 9999.
    pub(crate) fn year(self) -> i64 {
        self.0.year().into()
    }

    /// Returns the month, from 1 to 12.
    pub(crate) fn month(self) -> i64 {
        self.0.month().into()
    }

    /// Returns the day of the month, from 1.
    pub(crate) fn day(self) -> i64 {
        self.0.day().into()
    }

    /// Returns the number of the day.
    pub(crate) fn number(self) -> i64 {
        (self.0 - FIRST).get_days().into()
    }

    /// Returns the day with this number, or `None` outside the years 1 to 9999.
    pub(crate) fn numbered(number: i64) -> Option<Self> {
        Self::within(FIRST.checked_add(Span::new().try_days(number).ok()?))
    }

    /// Adds months; the day becomes the last of the month if the month is too short.
    pub(crate) fn plus_months(self, months: i64) -> Option<Self> {
        Self::within(self.0.checked_add(Span::new().try_months(months).ok()?))
    }

    /// Returns true if it is the last day of its month.
    pub(crate) fn ends_month(self) -> bool {
        self.0.day() == self.0.days_in_month()
    }

    /// Returns the day of the week; 0 is Monday.
    pub(crate) fn weekday(self) -> i64 {
        self.0.weekday().to_monday_zero_offset().into()
    }

    /// Returns the day of the year, from 1.
    pub(crate) fn of_year(self) -> i64 {
        self.0.day_of_year().into()
    }

    /// Returns the ISO 8601 year and week.
    pub(crate) fn iso_week(self) -> (i64, i64) {
        let week = self.0.iso_week_date();
        (week.year().into(), week.week().into())
    }
}

/// Returns the English name of a weekday; 0 is Monday.
pub(crate) fn weekday_name(weekday: i64) -> &'static str {
    usize::try_from(weekday).ok().and_then(|at| WEEKDAYS.get(at)).copied().unwrap_or_default()
}

/// Returns the Chinese name of a weekday; 0 is Monday.
pub(crate) fn weekday_name_zh(weekday: i64) -> &'static str {
    match weekday {
        0 => "星期一",
        1 => "星期二",
        2 => "星期三",
        3 => "星期四",
        4 => "星期五",
        5 => "星期六",
        _ => "星期日",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_the_calendar_has_the_number_after_the_one_before() {
        let month = |year, month| (1..=31).filter_map(move |day| Date::new(year, month, day));
        let year = |year| (1..=12).flat_map(move |of_year| month(year, of_year));
        let mut number = Date::new(1, 1, 1).unwrap().number();
        for today in (1..=9999).flat_map(year) {
            assert_eq!(today.number(), number, "{today:?}");
            assert_eq!(Date::numbered(number), Some(today));
            number += 1;
        }
        assert_eq!(Date::numbered(number), None);
        assert_eq!(Date::numbered(i64::MAX), None);
        assert_eq!(Date::new(1970, 1, 1).unwrap().number(), 0);
    }

    #[test]
    fn weekdays_and_weeks_are_those_of_the_wall() {
        for (year, month, day, name, week) in [
            (1970, 1, 1, "thursday", (1970, 1)),
            (2026, 11, 15, "sunday", (2026, 46)),
            (2021, 1, 3, "sunday", (2020, 53)),
            (2024, 12, 30, "monday", (2025, 1)),
            (2000, 2, 29, "tuesday", (2000, 9)),
        ] {
            let day = Date::new(year, month, day).unwrap();
            assert_eq!((weekday_name(day.weekday()), day.iso_week()), (name, week));
        }
        assert_eq!(Date::new(2024, 12, 31).unwrap().of_year(), 366);
    }

    #[test]
    fn a_month_later_is_the_last_day_where_there_is_no_such_day() {
        let day = Date::new(2024, 1, 31).unwrap();
        assert_eq!(day.plus_months(1), Date::new(2024, 2, 29));
        assert_eq!(day.plus_months(-2), Date::new(2023, 11, 30));
        assert_eq!(day.plus_months(13), Date::new(2025, 2, 28));
        assert_eq!(day.plus_months(i64::MAX), None);
    }
}
