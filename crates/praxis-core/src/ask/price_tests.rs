use super::*;
use serde_json::json;

fn rate(text: &str) -> TokenPrice {
    TokenPrice::read(text).unwrap()
}

fn price(input: &str, output: &str, cached: Option<&str>) -> Price {
    let rates = TokenPrices { input: rate(input), output: rate(output), cached: cached.map(rate) };
    Price { currency: "CNY".to_owned(), per: 1_000_000, rates, off_peak: None }
}

fn usage(prompt: u64, completion: u64, cached: u64) -> TokenUsage {
    TokenUsage { prompt, completion, cached, estimated: false }
}

#[test]
fn a_cost_is_exact_to_the_millionth_where_a_binary_fraction_would_not_be() {
    // 0.1 + 0.2 of a currency, and thirty million times the smallest share of it.
    let price = price("0.1", "0.2", None);
    assert_eq!(price.cost(&usage(1_000_000, 1_000_000, 0)).to_string(), "CNY 0.3");
    assert_eq!(price.cost(&usage(30_000_000, 0, 0)).amount(), "3");
}

#[test]
fn cached_tokens_have_a_price_of_their_own_and_are_part_of_the_sent_ones() {
    let price = price("2", "8", Some("0.5"));
    // 600 000 at 2, 400 000 at 0.5, 100 000 at 8.
    assert_eq!(price.cost(&usage(1_000_000, 100_000, 400_000)).amount(), "2.2");
    assert_eq!(price.cost(&usage(10, 0, 99)).amount(), "0.000005", "no more than were sent");
    let plain = self::price("2", "8", None);
    assert_eq!(plain.cost(&usage(1_000_000, 0, 400_000)).amount(), "2");
}

#[test]
fn what_lies_below_a_millionth_is_rounded_up_once() {
    let price = price("0.5", "0.5", None);
    assert_eq!(price.cost(&usage(1, 0, 0)).micros, 1);
    assert_eq!(price.cost(&usage(1, 1, 0)).micros, 1, "the halves are added first");
    assert_eq!(price.cost(&usage(0, 0, 0)).micros, 0);
    assert_eq!(price.cost(&usage(u64::MAX, u64::MAX, 0)).micros, u64::MAX);
}

#[test]
fn off_peak_hours_may_cross_midnight_and_end_on_the_minute() {
    let cheap = TokenPrices { input: rate("1"), output: rate("1"), cached: None };
    // 16:30 to 00:30 in UTC: half past midnight to half past eight in Beijing.
    let off_peak = Some(OffPeak { from: 16 * 60 + 30, to: 30, rates: cheap });
    let price = Price { off_peak, ..price("2", "2", None) };
    let million = usage(1_000_000, 0, 0);
    let at = |hour: u64, minute: u64| Timestamp(1_794_700_800_000 + (hour * 60 + minute) * 60_000);
    assert_eq!(at(0, 0).to_string(), "2026-11-15T00:00:00.000Z");
    let amounts = [(16, 29), (16, 30), (23, 59), (0, 0), (0, 29), (0, 30), (12, 0)]
        .map(|(hour, minute)| price.cost_at(&million, at(hour, minute)).amount());
    assert_eq!(amounts, ["2", "1", "1", "1", "1", "2", "2"]);
    assert_eq!(price.cost(&million).amount(), "2");
}

#[test]
fn prices_and_money_are_read_as_they_are_written() {
    for text in ["0", "2", "0.5", "0.000000000001", "18000000"] {
        assert_eq!(rate(text).to_string(), text);
    }
    assert_eq!(rate("2.50").to_string(), "2.5");
    for bad in ["", "-1", ".5", "1e3", "0.0000000000001", "1,5", "99999999999999999999", "NaN"] {
        assert_eq!(TokenPrice::read(bad), None, "{bad}");
    }
    let money = Money::read("CNY", "0.0123").unwrap();
    let written = json!({"currency": "CNY", "amount": "0.0123"});
    assert_eq!(serde_json::to_value(&money).unwrap(), written);
    assert_eq!(serde_json::from_value::<Money>(written).unwrap(), money);
    assert_eq!(money.plus(&money).unwrap().amount(), "0.0246");
    assert_eq!(money.plus(&Money::read("USD", "1").unwrap()), None);
    assert!(is_currency("CNY") && !is_currency("cny") && !is_currency("RMB¥"));
}

#[test]
fn a_budget_of_money_is_read_as_people_write_it() {
    for text in ["CNY0.5", "CNY 0.5", "0.5 CNY", " 0.50CNY "] {
        assert_eq!(Money::parse(text), Money::read("CNY", "0.5"), "{text}");
    }
    for bad in ["CNY", "0.5", "cny1", "CNY-1", "¥1", "CNY1e3", "", "五CNY"] {
        assert_eq!(Money::parse(bad), None, "{bad}");
    }
}
