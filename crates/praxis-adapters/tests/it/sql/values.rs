//! What goes in as a value and comes out as one.

use super::rig::{At, EVERYWHERE, Shop, connect, exec};
use serde_json::{Value, json};

async fn shops() -> Vec<Shop> {
    let mut shops = vec![];
    for at in EVERYWHERE {
        shops.extend(Shop::open(at).await);
    }
    shops
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fixed_query_gives_its_rows_and_itself() {
    for shop in shops().await {
        let query = "select n, name from canary where n >= :least order by n";
        let output = shop.call(json!({"query": query}), json!({"least": 2})).await.unwrap();
        let rows = json!([{"n": 2, "name": "bob"}, {"n": 3, "name": "cat"}]);
        let wanted = json!({"result": rows, "sql": query, "row_count": 2, "truncated": false});
        assert_eq!(output, wanted, "{:?}", shop.at);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_every_type_are_bound_as_what_they_are() {
    for shop in shops().await {
        let (at, table) = (
            shop.at,
            "create table kinds (t varchar(40), i bigint, f double precision, b boolean, z int)",
        );
        shop.admin(table).await.unwrap();
        let insert = "insert into kinds values (:t, :i, :f, :b, :z)";
        let given = json!({"t": "it's 杭州 😀", "i": 9_007_199_254_740_993_i64, "f": 0.1, "b": true, "z": null});
        let write = json!({"query": insert, "allow": "write"});
        let output = shop.call(write, given.clone()).await.unwrap();
        assert_eq!(output["affected_rows"], 1, "{at:?}");
        let found = shop.call(json!({"query": "select t, i, f, b, z from kinds where t = :t and i = :i and f = :f and b = :b"}), given.clone()).await;
        let mut wanted = given.clone();
        if at != At::Postgres {
            wanted["b"] = json!(1);
        }
        assert_eq!(found.unwrap()["result"], json!([wanted]), "{at:?}");
        let none = shop
            .call(json!({"query": "select t from kinds where t = :t"}), json!({"t": null}))
            .await;
        assert_eq!(none.unwrap()["row_count"], 0, "{at:?}: null equals nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_bound_where_the_engine_has_lists_and_refused_elsewhere() {
    for shop in shops().await {
        let ids = json!({"ids": [1, 3]});
        if shop.at == At::Postgres {
            let query = "select n from canary where n = any(:ids) order by n";
            let output = shop.call(json!({"query": query}), ids).await.unwrap();
            assert_eq!(output["result"], json!([{"n": 1}, {"n": 3}]));
            let text = "select name from canary where name = any(:names)";
            let names = json!({"names": ["a\"}'\\{b,c", "ann", null, "NULL"]});
            let output = shop.call(json!({"query": text}), names).await.unwrap();
            assert_eq!(output["result"], json!([{"name": "ann"}]));
            let echo = json!({"query": "select :l::text[] as l, :j::jsonb as j"});
            let given =
                json!({"l": ["a\"}'\\{b,c", null, "NULL", ""], "j": {"a": [1, {"b": "'"}]}});
            assert_eq!(shop.call(echo, given.clone()).await.unwrap()["result"], json!([given]));
            let plain = json!({"query": "select n from canary where n = :ids"});
            let fault = shop.call(plain, json!({"ids": [1]})).await.unwrap_err();
            assert_eq!(fault.code(), "params_invalid", "{fault}");
        } else {
            let query = "select n from canary where n in (:ids)";
            let fault = shop.call(json!({"query": query}), ids).await.unwrap_err();
            assert_eq!(fault.code(), "params_invalid", "{fault}");
            assert!(fault.to_string().contains("/ids"), "{fault}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_missing_or_stands_in_quotes_is_named() {
    for shop in shops().await {
        for (query, given, place) in [
            ("select n from canary where n = :n", json!({}), "/n"),
            ("select n from canary where name like '%{name}%'", json!({"name": "a"}), "/name"),
        ] {
            let fault = shop.call(json!({"query": query}), given).await.unwrap_err();
            assert_eq!(fault.code(), "params_invalid", "{fault}");
            assert!(fault.to_string().contains(place), "{:?} {fault}", shop.at);
        }
        let places = match shop.at {
            At::Postgres => "select n from canary where n = $2 and name = $1",
            At::Mariadb | At::Sqlite => "select n from canary where name = ? and n = ?",
        };
        let asked = |list: Value| json!({"sql": places, "parameters": list});
        let output = shop.call(json!({}), asked(json!(["ann", 1]))).await.unwrap();
        assert_eq!(output["result"], json!([{"n": 1}]), "{:?}", shop.at);
        for bad in [json!(["ann"]), json!(["ann", 1, 2]), json!({"a": 1}), json!("ann")] {
            let fault = shop.call(json!({}), asked(bad.clone())).await.unwrap_err();
            assert_eq!(fault.code(), "params_invalid", "{bad} {fault}");
        }
        let unknown = json!({"sql": "select 1", "paramters": {}});
        assert_eq!(shop.call(json!({}), unknown).await.unwrap_err().code(), "params_invalid");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_one_name_are_all_there() {
    for shop in shops().await {
        let output = shop.ask("select 1 as a, 2 as a, 3 as b, 4 as a").await.unwrap();
        assert_eq!(
            output["result"],
            json!([{"a": 1, "a_2": 2, "b": 3, "a_3": 4}]),
            "{:?}",
            shop.at
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_types_come_as_plain_values() {
    let Some(shop) = Shop::open(At::Postgres).await else { return };
    let row = "select 12.50::numeric as money, 12345678901234567890.123456789::numeric as long, 'NaN'::numeric as nan,
        'NaN'::float8 as fnan, 'Infinity'::float8 as inf, 0.1::float4 as f4, date '2024-02-29' as day,
        timestamp '2024-02-29 12:34:56.789' as at, timestamptz '2024-02-29 12:34:56+00' at time zone 'UTC' as utc,
        time '12:34:56' as hour, interval '1 day 2 hours' as span, '\\x00ff'::bytea as bytes, true as yes,
        array[1,2,null] as list, '{\"a\": [1]}'::jsonb as data, 'a7d0c1de-0000-4000-8000-000000000001'::uuid as id,
        9223372036854775807 as big, null::int as none, int4range(1,5) as range, row(1,'x') as pair, '10.0.0.1'::inet as net";
    let output = shop.ask(row).await.unwrap();
    let wanted = json!({
        "money": 12.5, "long": "12345678901234567890.123456789", "nan": null, "fnan": null, "inf": null, "f4": 0.1,
        "day": "2024-02-29", "at": "2024-02-29T12:34:56.789", "utc": "2024-02-29T12:34:56", "hour": "12:34:56",
        "span": "P1DT2H", "bytes": "AP8=", "yes": true, "list": [1, 2, null], "data": {"a": [1]},
        "id": "a7d0c1de-0000-4000-8000-000000000001", "big": i64::MAX, "none": null, "range": "[1,5)",
        "pair": {"f1": 1, "f2": "x"}, "net": "10.0.0.1",
    });
    assert_eq!(output["result"], json!([wanted]));
    assert_eq!(output["base64_columns"], json!(["bytes"]));
    let plan = shop.ask("explain select * from canary").await.unwrap();
    assert!(plan["result"][0]["QUERY PLAN"].as_str().unwrap().contains("canary"), "{plan}");
    let nothing = shop.ask("select from canary").await.unwrap();
    assert_eq!(nothing["row_count"], 3);
    let order = shop.ask("select n from canary order by n desc").await.unwrap();
    assert_eq!(order["result"], json!([{"n": 3}, {"n": 2}, {"n": 1}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn mariadb_types_come_as_plain_values() {
    let Some(shop) = Shop::open(At::Mariadb).await else { return };
    let row = "select cast(12.50 as decimal(10,2)) as money,
        cast('12345678901234567890.123456789' as decimal(40,9)) as long_one, cast(0.1 as float) as f4,
        date '2024-02-29' as day, timestamp '2024-02-29 12:34:56' as at, time '12:34:56' as hour,
        x'00ff' as bytes, 18446744073709551615 as big, null as none, b'101' as bits, 'it''s 杭州' as words";
    let output = shop.ask(row).await.unwrap();
    let mut result = output["result"][0].clone();
    let bits = result.as_object_mut().unwrap().remove("bits").unwrap();
    assert!(bits == json!(5) || bits == json!("BQ=="), "{bits}");
    let wanted = json!({
        "money": 12.5, "long_one": "12345678901234567890.123456789", "f4": 0.1, "day": "2024-02-29",
        "at": "2024-02-29T12:34:56", "hour": "12:34:56", "bytes": "AP8=", "big": u64::MAX, "none": null,
        "words": "it's 杭州",
    });
    assert_eq!(result, wanted);
    for words in [
        "show tables",
        "describe canary",
        "show columns from canary",
        "explain select * from canary",
    ] {
        assert!(shop.ask(words).await.unwrap()["row_count"].as_u64().unwrap() >= 1, "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_types_come_as_plain_values() {
    let Some(shop) = Shop::open(At::Sqlite).await else { return };
    let row = "select 1 as i, 0.5 as f, 'a' as t, x'00ff' as bytes, null as none, 9e999 as inf, date('2024-02-29') as day";
    let output = shop.ask(row).await.unwrap();
    let wanted = json!({"i": 1, "f": 0.5, "t": "a", "bytes": "AP8=", "none": null, "inf": null, "day": "2024-02-29"});
    assert_eq!(output["result"], json!([wanted]));
    assert_eq!(output["base64_columns"], json!(["bytes"]));
    let columns = shop.ask("select name from pragma_table_info('canary')").await.unwrap();
    assert_eq!(columns["row_count"], 2);
    let fault = shop.ask("select \"nmae\" from canary").await.unwrap_err();
    assert!(fault.to_string().contains("no such column"), "a misspelt name is no text: {fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_database_says_is_told_and_never_tried_again() {
    for shop in shops().await {
        for (sql, word) in
            [("select nmae from canary", "nmae"), ("select * from cannary", "cannary")]
        {
            let fault = shop.ask(sql).await.unwrap_err();
            assert_eq!((fault.code(), fault.is_transient()), ("tool_failed", false), "{fault}");
            assert!(fault.to_string().contains(word), "{:?} {fault}", shop.at);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_address_can_be_a_secret_and_its_password_is_hidden_too() {
    let Some(shop) = Shop::open(At::Postgres).await else { return };
    let url = format!("secret:WHOLE_{}_{}", shop.port(), shop.name);
    let call = connect(json!({"url": url, "query": "select n from canary where n = :n"})).unwrap();
    let output = exec(&*call, json!({"n": 1}), 10_000).await.unwrap();
    assert_eq!(output["result"], json!([{"n": 1}]));
    let echo = connect(json!({"url": url, "query": "select :said as said"})).unwrap();
    let said = json!({"said": format!("it is {}!", super::servers::PASSWORD)});
    let output = exec(&*echo, said, 10_000).await.unwrap();
    assert!(
        output["result"][0]["said"].as_str().unwrap().starts_with("it is [secret:WHOLE_"),
        "{output}"
    );
}
