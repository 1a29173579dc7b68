//! The Gregorian calendar as day numbers: day 0 is 1970-01-01.

use praxis_core::time::civil;

/// Days from the first of March of year 0 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;
/// Days in 400 years.
const DAYS_OF_ERA: i64 = 146_097;
/// The days of the week, Monday first.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    /// From 1 to 9999.
    pub(crate) year: i64,
    /// From 1 to 12.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
}

impl Date {
    /// The day, if the calendar has it.
    pub(crate) fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let fits = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=length(year, month)).contains(&day);
        fits.then_some(Self { year, month, day })
    }

    /// Its number, by whole eras of 400 years that begin with March.
    pub(crate) fn number(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let from_march = (self.month + 9) % 12;
        let day_of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_OF_ERA + day_of_era - DAYS_TO_1970
    }

    /// The day of a number; none before year 1 and after year 9999.
    pub(crate) fn numbered(number: i64) -> Option<Self> {
        // The calendar repeats after an era, so five eras later there are only days after 1970.
        let later = u64::try_from(number.checked_add(5 * DAYS_OF_ERA)?).ok()?;
        let (year, month, day) = civil(later);
        let [year, month, day] = [year, month, day].map(|part| i64::try_from(part).unwrap_or(0));
        Self::new(year - 5 * 400, month, day)
    }

    /// The same day some months later; the last of the month where that has no such day.
    pub(crate) fn plus_months(self, months: i64) -> Option<Self> {
        let all = (self.year * 12 + self.month - 1).checked_add(months)?;
        let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
        Self::new(year, month, self.day.min(length(year, month)))
    }

    /// Which day of the year, from 1.
    pub(crate) fn of_year(self) -> i64 {
        self.number() - Self { month: 1, day: 1, ..self }.number() + 1
    }

    /// The week of ISO 8601 and the year that it belongs to.
    pub(crate) fn iso_week(self) -> (i64, i64) {
        // The Thursday of a week says to which year it belongs.
        let thursday = self.number() - weekday(self.number()) + 3;
        let year_of = |number| Self::numbered(number).map_or(self.year, |day| day.year);
        let year = year_of(thursday);
        let first = Self { year, month: 1, day: 1 }.number();
        (year, (thursday - first) / 7 + 1)
    }
}

/// The weekday of a day's number: 0 is Monday.
pub(crate) fn weekday(number: i64) -> i64 {
    (number + 3).rem_euclid(7)
}

/// The name of a weekday.
pub(crate) fn weekday_name(weekday: i64) -> &'static str {
    usize::try_from(weekday).ok().and_then(|at| WEEKDAYS.get(at)).copied().unwrap_or_default()
}

/// How many days a month has.
pub(crate) fn length(year: i64, month: i64) -> i64 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_the_calendar_has_the_number_after_the_one_before() {
        let mut number = Date::new(1, 1, 1).unwrap().number();
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=length(year, month) {
                    let today = Date::new(year, month, day).unwrap();
                    assert_eq!(today.number(), number, "{today:?}");
                    assert_eq!(Date::numbered(number), Some(today));
                    number += 1;
                }
            }
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
            assert_eq!((weekday_name(weekday(day.number())), day.iso_week()), (name, week));
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
