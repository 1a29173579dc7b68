//! What is cut for a prompt: never too long, still JSON, and never cut twice.

use praxis_core::ask::tokens::{Calibration, Estimate, TokenCounter};
use praxis_core::ask::trim;
use proptest::prelude::*;
use serde_json::Value;

/// Every byte is a token.
struct Bytes;

impl TokenCounter for Bytes {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

/// Runs of letters are tokens of up to six characters, so that a longer text may have fewer tokens.
struct Runs;

impl TokenCounter for Runs {
    fn count(&self, text: &str) -> u64 {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let marks = text.chars().filter(|c| !c.is_alphanumeric()).count();
        (words.map(|word| word.chars().count().div_ceil(6)).sum::<usize>() + marks) as u64
    }
}

fn counters() -> [Box<dyn TokenCounter>; 3] {
    let calibration = Calibration::thousandths(700);
    [Box::new(Bytes), Box::new(Runs), Box::new(Estimate { calibration })]
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![".{0,40}", "[a-z ]{0,400}", "[预测\"\\\\\n]{0,60}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            prop::collection::btree_map(".{0,12}", inner, 0..12)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_cut_value_fits_and_is_not_cut_again(value in any_value(), most in 0_u64..300) {
        for tokens in counters() {
            let cut = trim::value(&value, most, &*tokens);
            let written = cut.to_string();
            prop_assert!(tokens.count(&written) <= most.max(tokens.count("\"\"")), "{written}");
            prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), &cut);
            prop_assert_eq!(&trim::value(&cut, most, &*tokens), &cut);
            if tokens.count(&value.to_string()) <= most {
                prop_assert_eq!(&cut, &value);
            }
        }
    }

    #[test]
    fn a_cut_text_fits_is_a_beginning_and_is_not_cut_again(text in ".{0,300}", most in 0_u64..100) {
        for tokens in counters() {
            let cut = trim::text(&text, most, &*tokens);
            prop_assert!(tokens.count(&cut) <= most);
            prop_assert_eq!(&trim::text(&cut, most, &*tokens), &cut);
            let kept = cut.strip_suffix(trim::MARKER).unwrap_or(&cut);
            prop_assert!(text.starts_with(kept));
        }
    }
}
