use crate::testing::{ask, failed, refused, run};
use serde_json::{Value, json};

fn parsed(mut asked: Value, text: &str) -> Value {
    asked["text"] = json!(text);
    ask("parse_table", asked).unwrap()
}

#[test]
fn a_csv_text_becomes_rows_with_numbers() {
    let output = parsed(json!({}), "city;load_mw;note\n杭州;12.5;\"a;b\"\n\n宁波;8;\n");
    assert_eq!(
        output,
        json!({
            "columns": ["city", "load_mw", "note"],
            "column_types": {"city": "text", "load_mw": "number", "note": "text"},
            "row_count": 2, "total_row_count": 2, "truncated": false,
            "rows": [
                {"city": "杭州", "load_mw": 12.5, "note": "a;b"},
                {"city": "宁波", "load_mw": 8, "note": null},
            ],
        })
    );
}

#[test]
fn json_and_json_lines_are_rows_too() {
    let rows = json!([{"a": 1}, {"b": "x"}]);
    for text in ["[{\"a\": 1}, {\"b\": \"x\"}]", "{\"a\": 1}\n\n{\"b\": \"x\"}\n"] {
        let output = parsed(json!({}), text);
        assert_eq!((&output["rows"], &output["columns"]), (&rows, &json!(["a", "b"])));
    }
}

#[test]
fn a_table_without_a_header_gets_names_and_one_that_is_long_is_cut() {
    let output = parsed(json!({"has_header": false, "most_rows": 2}), "1,x\n2,y\n3,z\n");
    assert_eq!(output["columns"], json!(["column_1", "column_2"]));
    assert_eq!(output["rows"][1], json!({"column_1": 2, "column_2": "y"}));
    assert_eq!(
        (&output["row_count"], &output["total_row_count"], &output["truncated"]),
        (&json!(2), &json!(3), &json!(true))
    );
    let output = parsed(json!({"most_rows": 1}), "{\"a\": 1}\n{\"a\": 2}");
    assert_eq!((&output["row_count"], &output["total_row_count"]), (&json!(1), &json!(2)));
    assert_eq!(parsed(json!({}), "")["row_count"], 0);
}

#[test]
fn what_is_no_table_is_refused_by_its_line() {
    for (asked, text, expected) in [
        (json!({}), "a,b\n1\n", "/text line 2: expected 2 fields, got 1"),
        (
            json!({}),
            "a,b\n\"1,2\n",
            "/text line 2: a quoted field is not closed, or text follows its quote",
        ),
        (json!({}), "[1]", "/text item 1: 1 is not an object"),
        (json!({}), "{\"a\": 1}\n{", "/text line 2: "),
        (
            json!({"format": "json"}),
            "{\"a\": 1}",
            "/text not a list of objects; take the list out with `json_query` first",
        ),
        (json!({"most_rows": 0}), "a\n1", "/most_rows must be between 1 and 100000, got 0"),
    ] {
        let mut asked = asked;
        asked["text"] = json!(text);
        let why = refused(ask("parse_table", asked));
        assert!(why.starts_with(expected), "{why}");
    }
}

#[test]
fn a_file_is_read_by_its_ending_and_only_inside_of_the_folders() {
    let home = tempfile::tempdir().unwrap();
    for (name, content) in
        [("a.csv", "x,y\n1,2\n"), ("a.tsv", "x\ty\n1\t2\n"), ("a.jsonl", "{\"x\": 1, \"y\": 2}\n")]
    {
        let path = home.path().join(name);
        std::fs::write(&path, content).unwrap();
        let output = run("read_table", home.path(), json!({"path": path})).unwrap();
        assert_eq!(output["rows"], json!([{"x": 1, "y": 2}]), "{name}");
    }
    std::fs::write(home.path().join("bad.csv"), "a,b\n1\n").unwrap();
    let bad = run("read_table", home.path(), json!({"path": home.path().join("bad.csv")}));
    assert!(failed(bad).0.ends_with("bad.csv`: line 2: expected 2 fields, got 1"));
    let gone = run("read_table", home.path(), json!({"path": home.path().join("gone.csv")}));
    assert!(failed(gone).0.ends_with("` does not exist"));
    let outside = run("read_table", home.path(), json!({"path": "/etc/passwd"}));
    assert_eq!(outside.unwrap_err().code(), "call_refused");
}

/// The rows of a CSV text with the names `column_1`, `column_2` …, each as a list of its cells.
fn cells(text: &str, asked: Value) -> Result<Vec<Vec<String>>, String> {
    let mut asked = asked;
    asked["text"] = json!(text);
    asked["has_header"] = json!(false);
    asked["format"] = json!("csv");
    let output = match ask("parse_table", asked) {
        Ok(output) => output,
        refusal => return Err(refused(refusal)),
    };
    let cell = |row: &Value, name: &Value| match &row[name.as_str().unwrap()] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (rows, names) = (output["rows"].as_array().unwrap(), output["columns"].as_array().unwrap());
    Ok(rows.iter().map(|row| names.iter().map(|name| cell(row, name)).collect()).collect())
}

#[test]
fn blanks_around_fields_and_quotes_are_let_go_and_those_inside_of_quotes_stay() {
    for (text, expected) in [
        ("a, \"b,c\" ,d\n", vec![vec!["a", "b,c", "d"]]),
        ("\" pad \",x\n", vec![vec![" pad ", "x"]]),
        ("a,b\n  \n\t\nc,d\n", vec![vec!["a", "b"], vec!["c", "d"]]),
        ("a,b\r\n\"c\",\"d\"\r\n", vec![vec!["a", "b"], vec!["c", "d"]]),
        ("a\rb,c\n", vec![vec!["a\rb", "c"]]),
        ("\u{feff}\"a\",b", vec![vec!["a", "b"]]),
        ("a,\n", vec![vec!["a", "null"]]),
        ("x\"y,z\n", vec![vec!["x\"y", "z"]]),
        ("\"two\r\nlines\",\"say \"\"x\"\"\"\n", vec![vec!["two\r\nlines", "say \"x\""]]),
        ("\"\",x\n", vec![vec!["null", "x"]]),
    ] {
        let read = cells(text, json!({"separator": ","})).unwrap();
        assert_eq!(read, expected, "{text:?}");
    }
}

#[test]
fn any_character_can_stand_between_fields() {
    for sign in [",", "\t", ";", "|", "^", "，", "、", "\u{1f}"] {
        let text = format!("甲{sign}\"乙{sign}\"{sign}c\n");
        let read = cells(&text, json!({"separator": sign})).unwrap();
        assert_eq!(
            read,
            vec![vec!["甲".to_owned(), format!("乙{sign}"), "c".to_owned()]],
            "{sign:?}"
        );
    }
}

#[test]
fn the_line_of_bad_quotes_is_told_however_lines_end() {
    let bad = |line: usize| {
        Err(format!("/text line {line}: a quoted field is not closed, or text follows its quote"))
    };
    for (text, line) in [
        ("a\n\"b\nc", 2),
        ("\"a\"b,c\n", 1),
        ("a,b\r\n\r\n1,\"2\" x\r\n", 3),
        ("\"two\nlines\",b\n1,\"2\n", 3),
    ] {
        assert_eq!(cells(text, json!({})), bad(line), "{text:?}");
    }
}
