//! Values in texts of any kind: what is written is found again, and no text is too much.

use praxis_planner::offline::values::{FoundValue, ValueKind, values};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The signs and words that values are made of, and anything else.
const REQUEST: &str = r#"(\PC|[0-9]|,|，|、|\.|-|/|:|：|=|"|'|“|”|《|》|\[|\]|\{|\}| |\n|年|月|日|点|半|一|十|万|第|百分之|下午|是|为|把|的|和|到|and|is|to|March|two|hundred|http://|@|\\|\$|%|km|小时|New|York|A|７|：){0,40}"#;

fn has(said: &[FoundValue], kind: ValueKind, value: &Value) -> bool {
    said.iter().any(|said| said.kind == kind && said.value == *value)
}

fn assert_sound(text: &str) {
    let said = values(text);
    assert_eq!(said, values(text), "the same text gives the same");
    assert!(said.len() <= 500);
    for one in &said {
        let span = text.get(one.from..one.to);
        assert!(span.is_some_and(|span| !span.is_empty()), "{one:?} in {text:?}");
    }
    let order = |one: &FoundValue| (one.from, usize::MAX - one.to, one.kind);
    assert!(said.iter().map(order).is_sorted_by(|a, b| a < b), "{said:?}");
}

proptest! {
    #[test]
    fn any_text_gives_values_that_lie_in_it_in_order(text in REQUEST) {
        assert_sound(&text);
    }

    #[test]
    fn any_signs_at_all_are_read_without_a_stumble(text in any::<String>()) {
        assert_sound(&text);
    }

    #[test]
    fn what_stands_between_quotes_is_the_value(inner in "[a-z0-9 ,.:=一三万年月日，、-]{1,30}", which in 0_usize..9) {
        let quotes = ["\"\"", "''", "``", "“”", "‘’", "「」", "『』", "《》", "«»"];
        let (open, close) = quotes[which].split_at(quotes[which].len() / 2);
        // A blank behind a plain sign is no beginning of a quote.
        let inner = format!("x{inner}");
        let text = format!("find {open}{inner}{close} now");
        prop_assert!(has(&values(&text), ValueKind::Quote, &json!(inner)), "{}", text);
    }

    #[test]
    fn a_number_is_found_with_its_value(whole in any::<i64>(), part in -1.0e9..1.0e9_f64, small in 0..1_000_000_u32) {
        for text in [format!("use {whole} of it"), format!("设为{whole}，然后")] {
            prop_assert!(has(&values(&text), ValueKind::Number, &json!(whole)), "{}", text);
        }
        let text = format!("use {part:?} of it");
        prop_assert!(has(&values(&text), ValueKind::Number, &json!(part)), "{}", text);
        let text = format!("pay ${small} now");
        prop_assert!(has(&values(&text), ValueKind::Money, &json!(small)), "{}", text);
        let text = format!("增加{small}%");
        prop_assert!(has(&values(&text), ValueKind::Percent, &json!(small)), "{}", text);
    }

    #[test]
    fn a_date_comes_back_as_iso_however_it_was_written(year in 1900..2100_u32, month in 1..=12_u32, day in 1..=28_u32) {
        let name = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December"][month as usize - 1];
        let short = &name[..3];
        let iso = json!(format!("{year:04}-{month:02}-{day:02}"));
        for text in [
            format!("on {year}-{month:02}-{day:02}."),
            format!("on {year}/{month}/{day}, please"),
            format!("on {month:02}/{day:02}/{year}"),
            format!("on {name} {day}, {year}"),
            format!("on {name} {day} {year}"),
            format!("on {day} {short} {year}"),
            format!("on the {day}th of {name} {year}"),
            format!("在{year}年{month}月{day}日"),
            format!("从{year}年{month:02}月{day:02}日起"),
        ] {
            prop_assert!(has(&values(&text), ValueKind::Date, &iso), "{}: {:?}", text, values(&text));
        }
    }
}

#[test]
fn a_long_text_of_one_sign_is_no_trouble() {
    for sign in ["1", "\"", "[", "一", ",", "'", "的"] {
        let said = values(&sign.repeat(64 * 1024 / sign.len()));
        assert!(said.len() <= 500, "{sign}");
    }
    let signs = [
        "“",
        "《",
        "{",
        "(",
        "、",
        "，",
        "-",
        ".",
        ":",
        "=",
        "/",
        "\\",
        "@",
        "a",
        "A",
        "A ",
        "查",
        "是",
        "为",
        "a=",
        "a: ",
        " is ",
        "查的",
        "1,",
        "[1,",
        "{\"a\":",
        "一百",
        "a@",
        "1-",
        "a.",
        "\"\\\"",
        "March ",
        "two hundred ",
        "1:",
        "and ",
        "https://",
        "https://)",
        "1 and ",
        "十",
        "a=“",
        "I'",
        "A-",
    ];
    for sign in signs {
        assert_sound(&sign.repeat(4 * 1024 / sign.len()));
    }
}

#[test]
fn only_the_beginning_of_a_huge_text_is_looked_at() {
    let text = format!("{}42", "。".repeat(40_000));
    assert_eq!(values(&text), []);
    assert!(values(&"a 1 ".repeat(100_000)).iter().all(|one| one.to <= 64 * 1024));
}
