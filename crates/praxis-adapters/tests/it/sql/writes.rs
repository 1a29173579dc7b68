//! Changes: one statement, all of it or nothing.

use super::rig::{At, EVERYWHERE, Shop, connect, exec};
use praxis_adapters::secrets::Vault;
use praxis_adapters::sql::Database;
use praxis_core::call::manifest;
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::Transport;
use serde_json::{Value, json};
use std::sync::Arc;

fn write(query: &str) -> Value {
    json!({"query": query, "allow": "write"})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_kept_and_says_how_many_rows_it_touched() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let insert = write("insert into orders (id, canary_id, note) values (:id, :who, {note})");
        let output = shop.call(insert, json!({"id": 1, "who": 2, "note": "'; --"})).await.unwrap();
        assert_eq!(
            (&output["affected_rows"], &output["row_count"]),
            (&json!(1), &json!(0)),
            "{at:?}"
        );
        assert_eq!(shop.admin("select note from orders").await.unwrap(), ["'; --"]);
        let update = write("update orders set note = :note where id = :id");
        let output = shop.call(update.clone(), json!({"note": "x", "id": 1})).await.unwrap();
        assert_eq!(output["affected_rows"], 1);
        let output = shop.call(update, json!({"note": "x", "id": 77})).await.unwrap();
        assert_eq!(output["affected_rows"], 0);
        let delete = json!({"sql": "delete from orders where id = :id", "parameters": {"id": 1}});
        let output = shop.call(json!({"allow": "write"}), delete).await.unwrap();
        assert_eq!(output["affected_rows"], 1, "{at:?}");
        assert!(shop.admin("select note from orders").await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_can_give_rows_back() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let insert =
            write("insert into orders (id, note) values (1, :a), (2, :a) returning id, note");
        let output = shop.call(insert, json!({"a": "new"})).await.unwrap();
        let rows = json!([{"id": 1, "note": "new"}, {"id": 2, "note": "new"}]);
        assert_eq!((&output["result"], &output["affected_rows"]), (&rows, &json!(2)), "{at:?}");
        assert_eq!(shop.admin("select id from orders order by id").await.unwrap(), ["1", "2"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_more_rows_than_allowed_is_taken_back() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let before = shop.canary().await;
        for query in
            ["update canary set name = 'x' where n > 0", "delete from canary where n > :zero"]
        {
            let mut sql = write(query);
            sql["max_rows"] = json!(2);
            let fault = shop.call(sql, json!({"zero": 0})).await.unwrap_err();
            assert_eq!((fault.code(), fault.is_transient()), ("tool_failed", false), "{fault}");
            assert!(fault.to_string().contains("nothing was changed"), "{fault}");
            assert_eq!(shop.canary().await, before, "{at:?}");
        }
        let fault = shop.call(write("insert into canary values (1, 'again')"), json!({})).await;
        assert_eq!(fault.unwrap_err().code(), "tool_failed", "{at:?}: the key is taken");
        assert_eq!(shop.canary().await, before, "{at:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_dropped_or_late_leaves_nothing() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let before = shop.canary().await;
        let slow = match at {
            At::Postgres => {
                "update canary set name = (select count(*) from generate_series(1, 1000000000000))::text where n = 1"
            }
            At::Mariadb => {
                "update canary set name = (select sum(a.seq * b.seq) from seq_1_to_10000000 a, seq_1_to_10000000 b) where n = 1"
            }
            At::Sqlite => {
                "update canary set name = (with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t) where n = 1"
            }
        };
        let call = connect(json!({"url": shop.url(), "query": slow, "allow": "write"})).unwrap();
        let fault = exec(&*call, json!({}), 700).await.unwrap_err();
        assert_eq!(fault.code(), "timeout", "{at:?} {fault}");
        // What it held is free again: this would wait for it, or fail.
        shop.admin("update canary set name = 'ann' where n = 1").await.unwrap();
        assert_eq!(shop.canary().await, before, "{at:?}");
    }
}

#[test]
fn what_a_manifest_allows_is_its_risk() {
    let risk = |sql: Value| manifest::read(&json!({"id": "db", "sql": sql})).unwrap()[0].risk();
    assert_eq!(risk(json!({"url": "sqlite:x.db"})), Risk::Read);
    assert_eq!(risk(json!({"url": "sqlite:x.db", "allow": "write"})), Risk::Write);
    for (sql, code) in [
        (json!({"url": "postgres://a:b@c/d"}), "open_password"),
        (json!({"url": "oracle://c/d"}), "bad_url"),
        (json!({"url": "sqlite:x.db", "query": " "}), "bad_sql"),
        (json!({"url": "sqlite:x.db", "allow": "all"}), "manifest_shape"),
        (json!({"url": "sqlite:x.db", "rows": 1}), "manifest_shape"),
    ] {
        let problems = manifest::read(&json!({"id": "db", "sql": sql})).unwrap_err();
        assert_eq!(problems[0].code, code, "{sql}");
    }
    let fixed = connect(json!({"url": "sqlite:x.db", "query": "delete from canary"}));
    assert!(fixed.err().unwrap().starts_with("sql_statement: "), "refused before any call");
    let whole = json!({"url": "sqlite:x.db", "query": "delete from canary", "allow": "write"});
    assert!(connect(whole).is_ok(), "the author may mean the whole table");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_described_table_by_table_within_bounds() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let odd = if at == At::Mariadb {
            "create table `Odd name` (`a b` int)"
        } else {
            "create table \"Odd name\" (\"a b\" int)"
        };
        shop.admin(odd).await.unwrap();
        let tools = manifest::read(&json!({"id": "db", "sql": {"url": shop.url()}})).unwrap();
        let Transport::Sql(sql) = &tools[0].transport else { panic!("it is SQL") };
        let vault = Arc::new(Vault::new(Arc::new(super::rig::Keys)));
        let database = Database::new(&tools[0].id, sql, Arc::clone(&vault));
        let described = database.describe(10_000).await.unwrap();
        assert!(!described.truncated);
        let int = if at == At::Mariadb { "int(11)" } else { "integer" };
        for line in [
            format!("canary(n {int} primary key, name "),
            format!("orders(id {int} primary key, canary_id {int} -> canary.n, note text)"),
        ] {
            assert!(described.text.contains(&line), "{at:?} lacks {line}\n{}", described.text);
        }
        assert!(
            described.text.to_lowercase().contains("odd name") && described.text.contains("a b")
        );
        if at == At::Sqlite {
            for table in 0..300 {
                let columns: Vec<String> =
                    (0..15).map(|c| format!("some_long_name_{c} int")).collect();
                shop.admin(&format!("create table t_{table} ({})", columns.join(", ")))
                    .await
                    .unwrap();
            }
            let described = database.describe(10_000).await.unwrap();
            assert!(described.truncated && described.text.len() <= 24 * 1024);
        }
    }
}
