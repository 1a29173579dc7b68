//! What the guard lets through, and what not.

use praxis_adapters::sql::{ArgumentRef, SqlDialect, StatementForm, StatementRules, check};
use praxis_core::call::sql::SqlAllow;

fn engines(letters: &str) -> Vec<SqlDialect> {
    let all = [('p', SqlDialect::Postgres), ('m', SqlDialect::Mysql), ('s', SqlDialect::Sqlite)];
    all.iter().filter(|(c, _)| letters == "*" || letters.contains(*c)).map(|(_, e)| *e).collect()
}

fn lines(table: &str) -> impl Iterator<Item = String> + '_ {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.replace("\\n", "\n"))
}

fn write() -> StatementRules {
    StatementRules { allow: SqlAllow::Write, whole_tables: false }
}

#[test]
fn statements_that_do_more_than_read_are_refused_with_a_stable_code() {
    let (mut count, mut wrong) = (0, vec![]);
    for line in lines(include_str!("guard_refuses.txt")) {
        let mut parts = line.splitn(3, '|');
        let (letters, code, sql) =
            (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        for engine in engines(letters) {
            count += 1;
            match check(sql, engine, StatementRules::default()) {
                Ok(passed) => wrong.push(format!("{engine:?} passed: {sql} as {passed:?}")),
                Err(refused) if refused.code != code => {
                    wrong.push(format!(
                        "{engine:?} {} ({code}): {sql}: {}",
                        refused.code, refused.words.en
                    ));
                }
                Err(refused) => assert!(!refused.words.zh.is_empty()),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 180, "{count}");
}

#[test]
fn ordinary_queries_pass() {
    let (mut count, mut wrong) = (0, vec![]);
    for line in lines(include_str!("guard_accepts.txt")) {
        let (letters, sql) = line.split_once('|').unwrap();
        for engine in engines(letters) {
            count += 1;
            if let Err(refused) = check(sql, engine, StatementRules::default()) {
                wrong.push(format!("{engine:?} {}: {sql}: {}", refused.code, refused.words.en));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "{count}");
}

#[test]
fn one_change_passes_where_changes_are_allowed_and_nothing_else() {
    for sql in [
        "INSERT INTO canary (n) VALUES (:n)",
        "INSERT INTO canary SELECT n FROM orders WHERE n > 1",
        "UPDATE canary SET n = :n WHERE n = 1",
        "DELETE FROM canary WHERE n = :n",
    ] {
        for engine in engines("*") {
            assert_eq!(
                check(sql, engine, write()).unwrap().form,
                StatementForm::Write,
                "{engine:?} {sql}"
            );
        }
    }
    for (sql, code) in [
        ("SELECT 1", "sql_statement"),
        ("UPDATE canary SET n = 1", "sql_whole_table"),
        ("DELETE FROM canary", "sql_whole_table"),
        ("DROP TABLE canary", "sql_statement"),
        ("TRUNCATE TABLE canary", "sql_statement"),
        ("DELETE FROM canary WHERE n = 1; DELETE FROM orders WHERE n = 1", "sql_statements"),
        ("INSERT INTO canary SELECT n INTO x FROM orders", "sql_clause"),
        ("CREATE TABLE x AS SELECT 1", "sql_statement"),
    ] {
        for engine in engines("*") {
            assert_eq!(check(sql, engine, write()).unwrap_err().code, code, "{engine:?} {sql}");
        }
    }
    let whole = StatementRules { whole_tables: true, ..write() };
    assert!(check("DELETE FROM canary", SqlDialect::Sqlite, whole).is_ok(), "the author may");
    let read = "INSERT INTO canary SELECT length(pg_read_file('/etc/passwd'))";
    assert_eq!(check(read, SqlDialect::Postgres, write()).unwrap_err().code, "sql_function");
}

#[test]
fn arguments_become_the_placeholders_of_the_engine() {
    let sql = "SELECT :a, {b}, ':c', \"d:e\", :a -- :f\n";
    let text = |engine| {
        let statement = check(sql, engine, StatementRules::default()).unwrap();
        let names = statement.slots.iter().map(|slot| match slot {
            ArgumentRef::Named(name) => name.clone(),
            ArgumentRef::Position(place) => place.to_string(),
        });
        (statement.text, names.collect::<Vec<_>>().join(" "))
    };
    let (a, b) = text(SqlDialect::Postgres);
    assert_eq!((a.as_str(), b.as_str()), ("SELECT  $1 ,  $2 , ':c', \"d:e\",  $1", "a b"));
    let (a, b) = text(SqlDialect::Mysql);
    assert_eq!((a.as_str(), b.as_str()), ("SELECT  ? ,  ? , ':c', \"d:e\",  ?", "a b a"));
    let (a, b) = text(SqlDialect::Sqlite);
    assert_eq!((a.as_str(), b.as_str()), ("SELECT  ?1 ,  ?2 , ':c', \"d:e\",  ?1", "a b"));
}

#[test]
fn sql_that_is_deep_or_long_is_refused_and_never_breaks_the_stack() {
    let chain = |part: &str, count: usize| format!("SELECT 1{}", part.repeat(count));
    for engine in engines("*") {
        for part in ["+1", " OR 1", " UNION SELECT 1", " IS NULL", "||1"] {
            for count in [100, 900, 1400, 100_000] {
                let _ = check(&chain(part, count), engine, StatementRules::default());
            }
        }
        for (open, close) in
            [("(", ")"), ("(SELECT ", ")"), ("NOT ", ""), ("- ", ""), ("CASE WHEN ", " THEN 1 END")]
        {
            let deep = format!("SELECT {}1{}", open.repeat(700), close.repeat(700));
            assert!(check(&deep, engine, StatementRules::default()).is_err(), "{open}");
        }
        let long = format!("SELECT '{}'", "x".repeat(40_000));
        assert_eq!(
            check(&long, engine, StatementRules::default()).unwrap_err().code,
            "sql_too_long"
        );
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_guard_panic(sql in "[-a-zA-Z0-9 ;'\"`\\[\\]$:{}/*#\\\\@!&().,=\n]{0,80}") {
        for engine in engines("*") {
            let _ = check(&sql, engine, StatementRules::default());
            let _ = check(&format!("SELECT {sql}"), engine, write());
        }
    }

    #[test]
    fn a_value_in_quotes_never_becomes_more_than_a_value(text in "\\PC{0,40}") {
        for engine in engines("ps") {
            let quoted = text.replace('\'', "''");
            let sql = format!("SELECT '{quoted}'");
            if let Ok(statement) = check(&sql, engine, StatementRules::default()) {
                proptest::prop_assert_eq!(statement.text, sql.trim());
                proptest::prop_assert!(statement.slots.is_empty());
            }
        }
    }
}
