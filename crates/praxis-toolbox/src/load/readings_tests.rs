use super::*;

const HEADER: &str = "timestamp,load_mw\n";

fn problems(text: &str) -> Vec<String> {
    LoadTable::read(text).problems()
}

#[test]
fn columns_may_stand_in_any_order_beside_others() {
    let text = "site,load_mw,timestamp\nA,\"1.5\",2024-01-01 00:00:00\n\nA,-2e3,2024-01-01T01:00\n";
    let table = LoadTable::read(text);
    assert_eq!((table.rows, table.problems()), (2, vec![]));
    let loads: Vec<f64> = table.into_readings().unwrap().iter().map(|r| r.load_mw).collect();
    assert_eq!(loads, vec![1.5, -2000.0]);
}

#[test]
fn every_bad_line_is_told_with_its_number() {
    let text = "2024-01-01T00:00,1\n2024-01-01T02:00,1\n2024-01-01T02:00,1\n\
                2024-02-30T00:00,1\n2024-01-01T03:00,inf\n2024-01-01T03:00\n\"x";
    assert_eq!(
        problems(&format!("{HEADER}{text}")),
        vec![
            "line 3: 2024-01-01T02:00 is not one hour after 2024-01-01T00:00",
            "line 4: 2024-01-01T02:00 is not one hour after 2024-01-01T02:00",
            "line 5: cannot parse `2024-02-30T00:00` as a time; write it like `2024-03-01T15:00`",
            "line 6: the load `inf` is not finite",
            "line 7: expected 2 fields, got 1",
            "line 8: a quoted field is not closed, or text follows its quote",
        ]
    );
}

#[test]
fn a_text_without_a_table_says_what_is_missing() {
    assert_eq!(problems(""), vec!["the file is empty"]);
    assert_eq!(problems(HEADER), vec!["there are no rows below the header"]);
    let neither = vec!["the column `load_mw` is missing"];
    assert_eq!(problems("timestamp;load\n1;2\n"), {
        let mut both = vec!["the column `timestamp` is missing"];
        both.extend(neither);
        both
    });
}

#[test]
fn many_problems_are_counted_not_listed() {
    let table = LoadTable::read(&format!("{HEADER}{}", "x,1\n".repeat(50)));
    assert_eq!(table.problems().len(), 21);
    assert_eq!(table.problems().last().unwrap(), "and 30 more problems");
    let message = table.into_readings().unwrap_err().to_string();
    assert!(message.ends_with("and 49 more problems"), "{message}");
}

#[test]
fn more_rows_than_anybody_measures_are_refused() {
    let text = format!("{HEADER}{}", "x,1\n".repeat(MOST_ROWS + 5));
    let table = LoadTable::read(&text);
    assert_eq!(table.rows, MOST_ROWS + 1);
    assert!(table.into_readings().is_err());
}

#[test]
fn readings_survive_being_written() {
    let text = format!("{HEADER}2024-01-01T23:00,1.25\n2024-01-02T00:00,1e300\n");
    let readings = LoadTable::read(&text).into_readings().unwrap();
    assert_eq!(LoadTable::read(&to_csv(&readings)).into_readings().unwrap(), readings);
}
