//! Property tests of the table tools.

use crate::testing::ask;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (-3_i64..3).prop_map(Value::from),
        (-3_i64..3).prop_map(|n| json!(n as f64 / 2.0)),
        "[ab]{0,2}".prop_map(Value::from),
    ]
}

fn table() -> impl Strategy<Value = Vec<Value>> {
    let row = (cell(), cell()).prop_map(|(a, b)| json!({"a": a, "b": b}));
    prop::collection::vec(row, 1..12).prop_map(|mut rows| {
        for (id, row) in rows.iter_mut().enumerate() {
            row["id"] = json!(id);
        }
        rows
    })
}

fn rows(output: &Value) -> Vec<Value> {
    output["rows"].as_array().unwrap().clone()
}

/// Writes 1.0 as 1, so that equal cells have the same name.
fn name(cell: &Value) -> String {
    match cell.as_f64() {
        Some(number) => format!("{number}"),
        None => cell.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sorting_keeps_all_rows_and_equal_ones_in_their_order(table in table()) {
        let asked = json!({"rows": table, "by": [{"column": "a"}]});
        let sorted = rows(&ask("sort_rows", asked).unwrap());
        prop_assert_eq!(sorted.len(), table.len());
        for pair in sorted.windows(2) {
            if name(&pair[0]["a"]) == name(&pair[1]["a"]) {
                prop_assert!(pair[0]["id"].as_u64() < pair[1]["id"].as_u64());
            }
        }
        let again = rows(&ask("sort_rows", json!({"rows": sorted, "by": [{"column": "a"}]})).unwrap());
        prop_assert_eq!(again, sorted);
    }

    #[test]
    fn a_join_has_a_row_for_every_pair_that_says_the_same(left in table(), right in table()) {
        let count = |rows: &[Value]| {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for row in rows.iter().filter(|row| !row["a"].is_null()) {
                *counts.entry(name(&row["a"])).or_default() += 1;
            }
            counts
        };
        let (here, there) = (count(&left), count(&right));
        let pairs: usize = here.iter().map(|(key, n)| n * there.get(key).unwrap_or(&0)).sum();
        let output = ask("join_tables", json!({"left": left, "right": right, "on": ["a"]})).unwrap();
        prop_assert_eq!(&output["row_count"], &json!(pairs));
        let kept = json!({"left": left, "right": right, "on": ["a"], "keep": "all_left"});
        let all = ask("join_tables", kept).unwrap();
        let unmatched = usize::try_from(all["unmatched_left"].as_u64().unwrap()).unwrap();
        prop_assert_eq!(&all["row_count"], &json!(pairs + unmatched));
    }

    #[test]
    fn groups_share_all_rows_out_and_filters_split_them(table in table()) {
        let groups = rows(&ask("group_rows", json!({"rows": table, "by": ["a"]})).unwrap());
        let shared: u64 = groups.iter().map(|group| group["row_count"].as_u64().unwrap()).sum();
        prop_assert_eq!(shared, table.len() as u64);
        let kept = |operator: &str| {
            let condition = json!([{"column": "a", "operator": operator, "value": 1}]);
            rows(&ask("filter_rows", json!({"rows": table, "conditions": condition})).unwrap()).len()
        };
        prop_assert_eq!(kept("equals") + kept("not_equals"), table.len());
    }
}
