//! Decimal numbers with exact arithmetic: 0.1 + 0.2 is 0.3.

use serde_json::Number;

/// The maximum number of decimal places; a result with more is `None`.
const MOST_PLACES: u32 = 36;

/// The exact number `digits` / 10^`places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    /// Converts a JSON number as it is written; `None` if it has too many digits.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        match number.as_i64() {
            Some(whole) => Some(Self { digits: whole.into(), places: 0 }),
            None => Self::parse(&number.to_string()),
        }
    }

    /// Parses a text such as `-12.5e-3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{part}").parse().ok()?;
        if digits == 0 {
            return Some(Self { digits, places: 0 });
        }
        let shift = i32::try_from(part.len()).ok()?.checked_sub(exponent.parse().ok()?)?;
        if shift < 0 {
            let digits = digits.checked_mul(ten_to(shift.unsigned_abs())?)?;
            return Some(Self { digits, places: 0 });
        }
        Self { digits, places: shift.unsigned_abs() }.short()
    }

    /// Removes trailing zeros; `None` if too many places remain.
    fn short(mut self) -> Option<Self> {
        while self.places > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.places -= 1;
        }
        (self.places <= MOST_PLACES).then_some(self)
    }

    fn with_places(self, places: u32) -> Option<i128> {
        self.digits.checked_mul(ten_to(places.checked_sub(self.places)?)?)
    }

    /// Returns the sum.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let digits = self.with_places(places)?.checked_add(other.with_places(places)?)?;
        Self { digits, places }.short()
    }

    /// Returns the number with the opposite sign.
    pub(crate) fn negated(self) -> Option<Self> {
        Some(Self { digits: self.digits.checked_neg()?, ..self })
    }

    /// Returns the product.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let digits = self.digits.checked_mul(other.digits)?;
        Self { digits, places: self.places.checked_add(other.places)? }.short()
    }

    /// Returns the quotient with more digits than a JSON number has, or `None` if there is no room for them or
    /// `other` is zero.
    pub(crate) fn over(self, other: Self) -> Option<Self> {
        let whole = self.digits.checked_div(other.digits)?;
        if self.places == other.places && whole.checked_mul(other.digits)? == self.digits {
            return Some(Self { digits: whole, places: 0 });
        }
        // As many places as there is room for.
        let room = (0..=MOST_PLACES).rev().find_map(|places| {
            let digits = self.digits.checked_mul(ten_to(places)?)?;
            Some((digits, (self.places + places).checked_sub(other.places)?))
        });
        let (digits, places) = room?;
        let enough =
            self.digits == 0 || digits.checked_div(other.digits)?.unsigned_abs() >= 1 << 60;
        Self { digits: digits.checked_div(other.digits)?, places }.short().filter(|_| enough)
    }

    /// Returns the remainder of the integer division; it has the sign of `self`.
    pub(crate) fn rest(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let digits = self.with_places(places)?.checked_rem(other.with_places(places)?)?;
        Self { digits, places }.short()
    }

    /// Rounds to at most `places` decimal places; halves are rounded away from zero.
    pub(crate) fn rounded(self, places: u32) -> Option<Self> {
        let Some(excess) = self.places.checked_sub(places).filter(|excess| *excess > 0) else {
            return Some(self);
        };
        let unit = ten_to(excess)?;
        let half = if self.digits < 0 { -(unit / 2) } else { unit / 2 };
        Self { digits: self.digits.checked_add(half)?.checked_div(unit)?, places }.short()
    }

    /// Returns the largest integer that is not greater.
    pub(crate) fn floor(self) -> Option<Self> {
        Some(Self { digits: self.digits.div_euclid(ten_to(self.places)?), places: 0 })
    }

    /// Returns true if the number is zero.
    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Converts to a JSON number: exact for an integer in range, otherwise the nearest float.
    pub(crate) fn number(self) -> Option<Number> {
        let Self { digits, places } = self.short()?;
        if places > 0 {
            return Number::from_f64(format!("{digits}e-{places}").parse().ok()?);
        }
        if let Ok(whole) = i64::try_from(digits) {
            return Some(whole.into());
        }
        u64::try_from(digits).map(Number::from).ok().or_else(|| {
            // Too large for a JSON integer.
            Number::from_f64(digits as f64)
        })
    }
}

fn ten_to(power: u32) -> Option<i128> {
    10_i128.checked_pow(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn a_number_reads_as_it_is_written() {
        for (text, digits, places) in [
            ("0", 0, 0),
            ("-12.50", -125, 1),
            ("1e3", 1000, 0),
            ("1.5e-7", 15, 8),
            ("2.50e1", 25, 0),
            ("-0.000", 0, 0),
        ] {
            assert_eq!(decimal(text), Decimal { digits, places }, "{text}");
        }
        for text in [
            "",
            "x",
            "1e",
            "1e400",
            "1.2.3",
            "1e-400",
            "123456789012345678901234567890123456789012",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_quotient_is_exact_or_has_more_digits_than_a_float() {
        let over = |a: &str, b: &str| decimal(a).over(decimal(b)).unwrap().number().unwrap();
        assert_eq!(over("0.6", "3").to_string(), "0.2");
        assert_eq!(over("1", "3").to_string(), "0.3333333333333333");
        assert_eq!(over("2", "-3").to_string(), "-0.6666666666666666");
        assert_eq!(over("10", "0.5").to_string(), "20");
        assert_eq!(over("9007199254740993", "1").to_string(), "9007199254740993");
        assert_eq!(decimal("1").over(decimal("0")), None);
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (text, places, expected) in
            [("2.5", 0, "3"), ("-2.5", 0, "-3"), ("1.005", 2, "1.01"), ("1.2", 3, "1.2")]
        {
            let rounded = decimal(text).rounded(places).unwrap();
            assert_eq!(rounded, decimal(expected), "{text}");
        }
        assert_eq!(decimal("-0.1").floor(), Some(decimal("-1")));
    }

    #[test]
    fn what_has_no_room_is_none_and_never_wrong() {
        let large = decimal("1e38");
        assert_eq!(large.times(large), None);
        assert_eq!(large.plus(decimal("1e-1")), None);
        assert_eq!(large.number().unwrap().to_string(), "1e+38");
    }
}
