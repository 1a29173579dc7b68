//! What an answer costs. Exact: no fraction of a price is ever rounded before the sum.
//!
//! - in: prices in any currency, tokens
//! - out: money in millionths of its currency
//! - never: a binary fraction, an exchange rate, or a cost below the true one

use super::reply::TokenUsage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Digits after the point that a price may have.
const DIGITS: usize = 12;
/// A price is kept in parts of this size.
const PARTS: u64 = 1_000_000_000_000;
/// Money is kept in millionths.
const MICROS: u64 = 1_000_000;
const DAY_MINUTES: u64 = 24 * 60;

/// An exact price for some number of tokens: a decimal number, not below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct TokenPrice(u64);

impl TokenPrice {
    /// Reads `2` or `0.5`: a decimal number with at most twelve digits after its point.
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

/// What a model costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// As ISO 4217 names it: `CNY`.
    pub currency: String,
    /// For how many tokens; usually a million.
    pub per: u64,
    /// By day and by default.
    pub rates: TokenPrices,
    /// At other hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_peak: Option<OffPeak>,
}

/// What tokens of each kind cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPrices {
    /// Sent.
    pub input: TokenPrice,
    /// Received, thoughts included.
    pub output: TokenPrice,
    /// Sent, and seen by the endpoint before. As any sent one if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<TokenPrice>,
}

/// Other prices at other hours, every day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffPeak {
    /// The first minute of the day in UTC.
    pub from: u16,
    /// The minute of the day in UTC that is no longer in it. An earlier one is on the next day.
    pub to: u16,
    /// What tokens cost then.
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
    /// What tokens cost at the usual hours.
    pub fn cost(&self, usage: &TokenUsage) -> Money {
        self.by(&self.rates, usage)
    }

    /// What tokens cost that were spent at a moment.
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
    /// As ISO 4217 names it.
    pub currency: String,
    /// In millionths.
    pub micros: u64,
}

impl Money {
    /// Reads `0.0123` of a currency; what lies below a millionth is rounded up.
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

    /// The amount as a decimal number.
    pub fn amount(&self) -> String {
        struct Amount(u64);
        impl fmt::Display for Amount {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                decimal(out, self.0, MICROS, 6)
            }
        }
        Amount(self.micros).to_string()
    }

    /// Both together; none if they are of two currencies.
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

/// As programs read it: `{"currency": "CNY", "amount": "0.0123"}`.
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

/// A whole number of parts as a decimal number, without zeros at its end.
fn decimal(out: &mut fmt::Formatter<'_>, parts: u64, one: u64, digits: usize) -> fmt::Result {
    let rest = format!("{:0digits$}", parts % one);
    match rest.trim_end_matches('0') {
        "" => write!(out, "{}", parts / one),
        rest => write!(out, "{}.{rest}", parts / one),
    }
}

/// Whether a text is written as ISO 4217 names a currency.
pub fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
