//! Cost of model calls. Exact: nothing is rounded before the sum.
//!
//! - in: prices in any currency, tokens
//! - out: money in millionths of its currency
//! - never: a binary fraction, an exchange rate, or a cost below the true one

use super::reply::TokenUsage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Maximum number of decimal digits of a price.
const DIGITS: usize = 12;
/// Units per currency unit in which a price is stored.
const PARTS: u64 = 1_000_000_000_000;
/// Units per currency unit in which money is stored: millionths.
const MICROS: u64 = 1_000_000;
const DAY_MINUTES: u64 = 24 * 60;

/// An exact, non-negative decimal price for some number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct TokenPrice(u64);

impl TokenPrice {
    /// Reads a decimal number with at most twelve decimal digits: `2` or `0.5`.
    pub fn read(text: &str) -> Option<Self> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let rest = rest.trim_end_matches('0');
        if whole.is_empty() || !digits(whole) || !digits(rest) || rest.len() > DIGITS {
            return None;
        }
        let whole = whole.parse::<u64>().ok()?.checked_mul(PARTS)?;
        let parts = format!("{rest:0<DIGITS$}").parse::<u64>().ok()?;
        whole.checked_add(parts).map(Self)
    }
}

impl TryFrom<String> for TokenPrice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::read(&text).ok_or_else(|| format!("`{text}` is no price"))
    }
}

impl fmt::Display for TokenPrice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal(out, self.0, PARTS, DIGITS)
    }
}

impl Serialize for TokenPrice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The price of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// The ISO 4217 code: `CNY`.
    pub currency: String,
    /// The number of tokens that the rates apply to; usually a million.
    pub per: u64,
    /// The rates outside of the `off_peak` hours.
    pub rates: TokenPrices,
    /// The rates at off-peak hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_peak: Option<OffPeak>,
}

/// Prices of the kinds of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPrices {
    /// Prompt tokens.
    pub input: TokenPrice,
    /// Completion tokens, including reasoning.
    pub output: TokenPrice,
    /// Prompt tokens that hit the endpoint's cache. Priced as `input` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<TokenPrice>,
}

/// Other prices at certain hours of every day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffPeak {
    /// The first minute of the period, as a minute of the day in UTC.
    pub from: u16,
    /// The first minute after the period, as a minute of the day in UTC. If it is before `from`, it is on the next
    /// day.
    pub to: u16,
    /// The prices in this period.
    pub rates: TokenPrices,
}

impl OffPeak {
    fn holds(&self, at: Timestamp) -> bool {
        let minute = at.0 / 60_000 % DAY_MINUTES;
        let (from, to) = (u64::from(self.from), u64::from(self.to));
        if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    }
}

impl Price {
    /// Returns the cost of tokens at the regular rates.
    pub fn cost(&self, usage: &TokenUsage) -> Money {
        self.by(&self.rates, usage)
    }

    /// Returns the cost of tokens that were used at a point in time.
    pub fn cost_at(&self, usage: &TokenUsage, at: Timestamp) -> Money {
        let off_peak = self.off_peak.as_ref().filter(|off_peak| off_peak.holds(at));
        self.by(off_peak.map_or(&self.rates, |off_peak| &off_peak.rates), usage)
    }

    fn by(&self, rates: &TokenPrices, usage: &TokenUsage) -> Money {
        let cached = usage.cached.min(usage.prompt);
        let kinds = [
            (usage.prompt - cached, rates.input),
            (cached, rates.cached.unwrap_or(rates.input)),
            (usage.completion, rates.output),
        ];
        let sum = |sum: u128, (tokens, rate): (u64, TokenPrice)| {
            sum.saturating_add(u128::from(tokens).saturating_mul(rate.0.into()))
        };
        let parts = kinds.into_iter().fold(0, sum);
        let micros = parts.div_ceil(u128::from(self.per.max(1)) * u128::from(PARTS / MICROS));
        Money { currency: self.currency.clone(), micros: u64::try_from(micros).unwrap_or(u64::MAX) }
    }
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    /// The ISO 4217 code of the currency.
    pub currency: String,
    /// The amount in millionths.
    pub micros: u64,
}

impl Money {
    /// Reads an amount such as `0.0123`, rounded up to a millionth.
    pub fn read(currency: &str, amount: &str) -> Option<Self> {
        let micros = TokenPrice::read(amount)?.0.div_ceil(PARTS / MICROS);
        Some(Self { currency: currency.to_owned(), micros })
    }

    /// Reads `CNY0.5`, `CNY 0.5` or `0.5 CNY`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (head, tail) = text.split_at_checked(3)?;
        if is_currency(head) {
            return Self::read(head, tail.trim());
        }
        let (head, tail) = text.split_at_checked(text.len().checked_sub(3)?)?;
        is_currency(tail).then(|| Self::read(tail, head.trim()))?
    }

    /// Returns the amount as a decimal number.
    pub fn amount(&self) -> String {
        struct Amount(u64);
        impl fmt::Display for Amount {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                decimal(out, self.0, MICROS, 6)
            }
        }
        Amount(self.micros).to_string()
    }

    /// Returns the sum; `None` if the currencies differ.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let micros = self.micros.saturating_add(other.micros);
        (self.currency == other.currency).then(|| Self { currency: self.currency.clone(), micros })
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.currency, self.amount())
    }
}

/// The JSON form of `Money`: `{"currency": "CNY", "amount": "0.0123"}`.
#[derive(Serialize, Deserialize)]
struct MoneyJson {
    currency: String,
    amount: String,
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MoneyJson { currency: self.currency.clone(), amount: self.amount() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let MoneyJson { currency, amount } = MoneyJson::deserialize(deserializer)?;
        let money = Self::read(&currency, &amount);
        money.ok_or_else(|| serde::de::Error::custom(format!("`{amount}` is no amount")))
    }
}

/// Writes a number of units as a decimal number, without trailing zeros.
fn decimal(out: &mut fmt::Formatter<'_>, parts: u64, one: u64, digits: usize) -> fmt::Result {
    let rest = format!("{:0digits$}", parts % one);
    match rest.trim_end_matches('0') {
        "" => write!(out, "{}", parts / one),
        rest => write!(out, "{}.{rest}", parts / one),
    }
}

/// Returns true if a text has the form of an ISO 4217 code.
pub fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
