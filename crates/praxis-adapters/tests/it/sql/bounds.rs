//! Rows, bytes and time end somewhere, and so does the work at the server.

use super::rig::{At, EVERYWHERE, Shop, connect, exec};
use futures::FutureExt;
use serde_json::json;
use std::time::Duration;

/// A query without an end that anybody would wait for.
fn endless(at: At) -> &'static str {
    match at {
        At::Postgres => "select count(*) from generate_series(1, 1000000000000) as g",
        At::Mariadb => "select sum(a.seq * b.seq) from seq_1_to_10000000 a, seq_1_to_10000000 b",
        At::Sqlite => {
            "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from canary, t"
        }
    }
}

/// What gives `count` rows with a number each.
fn numbers(at: At, count: u32) -> String {
    match at {
        At::Postgres => format!("select g as n from generate_series(1, {count}) as g"),
        At::Mariadb => format!("select seq as n from seq_1_to_{count}"),
        At::Sqlite => format!(
            "with recursive t(n) as (select 1 union all select n + 1 from t where n < {count}) select n from t"
        ),
    }
}

/// What runs at the database by order of a call; for a file, whether somebody holds it.
async fn is_busy(shop: &Shop) -> bool {
    let running = match shop.at {
        At::Postgres => {
            let of = format!("datname = '{}' and application_name = 'praxis'", shop.name);
            shop.admin(&format!("select pid from pg_stat_activity where state = 'active' and {of}"))
                .await
        }
        At::Mariadb => {
            let of =
                format!("db = '{}' and command <> 'Sleep' and info like '%seq_1_%'", shop.name);
            let own = "id <> connection_id()";
            shop.admin(&format!(
                "select id from information_schema.processlist where {own} and {of}"
            ))
            .await
        }
        At::Sqlite => return shop.admin("begin exclusive").await.is_err(),
    };
    !running.unwrap().is_empty()
}

async fn becomes(shop: &Shop, busy: bool) -> bool {
    for _ in 0..200 {
        if is_busy(shop).await == busy {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_end_at_the_cap_and_the_result_says_so() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let many = numbers(at, 5000);
        let output = shop.ask(&many).await.unwrap();
        assert_eq!(
            (&output["row_count"], &output["truncated"]),
            (&json!(1000), &json!(true)),
            "{at:?}"
        );
        assert_eq!(output["result"][999], json!({"n": 1000}), "{at:?}");
        let few =
            shop.call(json!({"max_rows": 10}), json!({"sql": many, "max_rows": 7})).await.unwrap();
        assert_eq!((&few["row_count"], &few["truncated"]), (&json!(7), &json!(true)));
        let more =
            shop.call(json!({"max_rows": 10}), json!({"sql": many, "max_rows": 99})).await.unwrap();
        assert_eq!(more["row_count"], 10, "the manifest bounds what a call may ask for");
        let exact = shop
            .call(json!({"max_rows": 3}), json!({"sql": "select n from canary"}))
            .await
            .unwrap();
        assert_eq!(
            (&exact["row_count"], &exact["truncated"]),
            (&json!(3), &json!(false)),
            "{at:?}"
        );
        let all = shop.call(json!({"max_rows": 5000}), json!({"sql": many})).await.unwrap();
        assert_eq!((&all["row_count"], &all["truncated"]), (&json!(5000), &json!(false)), "{at:?}");
    }
    for bad in [json!({"max_rows": 0}), json!({"max_rows": 100_001}), json!({"max_bytes": 0})] {
        let mut sql = json!({"url": "sqlite:x.db"});
        sql.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        assert_eq!(connect(sql).err().unwrap(), "bad_limit");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wide_and_long_rows_end_at_the_bytes() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let long = |length: u32| match at {
            At::Postgres | At::Mariadb => format!("repeat('x', {length})"),
            At::Sqlite => format!("printf('%.*c', {length}, 'x')"),
        };
        let bound = json!({"max_bytes": 100_000});
        let sql = numbers(at, 100).replace(" as n ", &format!(" as n, {} as x ", long(10_000)));
        let sql = if at == At::Sqlite {
            sql.replace("select n from t", &format!("select n, {} as x from t", long(10_000)))
        } else {
            sql
        };
        let output = shop.call(bound.clone(), json!({"sql": sql})).await.unwrap();
        assert_eq!(
            (&output["row_count"], &output["truncated"]),
            (&json!(9), &json!(true)),
            "{at:?}"
        );
        for length in [150_000, 30_000_000] {
            let sql = format!("select {} as x", long(length));
            // The server may refuse to make it, and says so with no value or a word of its own.
            let done = shop.call(bound.clone(), json!({"sql": sql})).await;
            match done {
                Err(fault) => {
                    assert_eq!(fault.code(), "output_too_large", "{at:?} {length} {fault}");
                }
                Ok(output) => assert_eq!(output["result"], json!([{"x": null}]), "{at:?} {length}"),
            }
        }
        let columns: Vec<String> = (0..500).map(|at| format!("'v{at}' as c{at}")).collect();
        let output = shop.ask(&format!("select {}", columns.join(", "))).await.unwrap();
        assert_eq!(output["result"][0].as_object().unwrap().len(), 500, "{at:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_takes_too_long_is_a_timeout_and_stops_at_the_server() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let call = shop.tool(json!({"query": endless(at)}));
        let fault = exec(&*call, json!({}), 700).await.unwrap_err();
        assert_eq!(fault.code(), "timeout", "{at:?} {fault}");
        assert!(becomes(&shop, false).await, "{at:?} goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_stops_at_the_server() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let call = shop.tool(json!({"query": endless(at)}));
        let running = tokio::spawn(async move { exec(&*call, json!({}), 600_000).await });
        assert!(becomes(&shop, true).await, "{at:?} never began");
        running.abort();
        assert!(becomes(&shop, false).await, "{at:?} goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_result_leaves_nothing_running() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let sql = numbers(at, 9_000_000);
        let output = shop.call(json!({"max_rows": 1}), json!({"sql": sql})).await.unwrap();
        assert_eq!(output["truncated"], true);
        assert!(becomes(&shop, false).await, "{at:?} goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_refused_and_nobody_home_may_pass() {
    for at in [At::Postgres, At::Mariadb] {
        let Some(shop) = Shop::open(at).await else { continue };
        let wrong = shop.url().replace("secret:DB", "secret:WRONG");
        let call = connect(json!({"url": wrong, "query": "select 1"})).unwrap();
        let fault = exec(&*call, json!({}), 5000).await.unwrap_err();
        assert_eq!((fault.code(), fault.is_transient()), ("call_refused", false), "{fault}");
        assert!(!fault.to_string().contains("not-the-password"), "{fault}");
        let unset = shop.url().replace("secret:DB", "secret:UNSET-");
        assert_eq!(connect(json!({"url": unset})).err().unwrap(), "open_password");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let call = connect(json!({"url": shop.url_at(port), "query": "select 1"})).unwrap();
        let fault = exec(&*call, json!({}), 5000).await.unwrap_err();
        assert_eq!((fault.code(), fault.is_transient()), ("tool_unavailable", true), "{fault}");
        let guarded = format!("{}?sslmode=require", shop.url());
        let call = connect(json!({"url": guarded, "query": "select 1"})).unwrap();
        let fault = exec(&*call, json!({}), 5000).await.unwrap_err();
        assert_eq!(fault.code(), "tool_unavailable", "it offers no TLS: {fault}");
    }
    let call = connect(json!({"url": "sqlite:/nonexistent/x.db", "query": "select 1"})).unwrap();
    let fault = exec(&*call, json!({}), 5000).await.unwrap_err();
    assert_eq!(fault.code(), "tool_unavailable", "{fault}");
}

/// Hands everything on to a port until it is aborted.
async fn between(port: u16) -> (u16, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap().port();
    let handing = tokio::spawn(async move {
        let mut links = futures::stream::FuturesUnordered::new();
        loop {
            let (mut from, _) = listener.accept().await.unwrap();
            let mut to = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            links.push(Box::pin(async move {
                let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
            }));
            // One link is all that a call needs; the next is taken while it runs.
            tokio::select! {
                () = futures::StreamExt::next(&mut links).map(drop) => {}
                _ = listener.accept() => {}
            }
        }
    });
    (here, handing)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_in_the_middle_of_a_query_is_a_break() {
    for at in [At::Postgres, At::Mariadb] {
        let Some(shop) = Shop::open(at).await else { continue };
        let (port, handing) = between(shop.port()).await;
        let call = connect(json!({"url": shop.url_at(port), "query": endless(at)})).unwrap();
        let running = tokio::spawn(async move { exec(&*call, json!({}), 60_000).await });
        assert!(becomes(&shop, true).await, "{at:?} never began");
        handing.abort();
        let fault = running.await.unwrap().unwrap_err();
        assert_eq!((fault.code(), fault.is_transient()), ("tool_broke", true), "{at:?} {fault}");
        let kill = match at {
            At::Postgres => format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}' and pid <> pg_backend_pid()", shop.name),
            _ => "select concat(id, '') from information_schema.processlist where info like '%seq_1_to_10000000 a%' and id <> connection_id()".to_owned(),
        };
        for id in shop.admin(&kill).await.unwrap() {
            let _ = shop.admin(&format!("kill {id}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_do_not_mix() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let call = shop.tool(json!({"query": "select :a as a, n from canary where n = :n"}));
        let one = |place: u32| {
            let call = &call;
            async move {
                let given = json!({"a": format!("call {place}"), "n": place % 3 + 1});
                let output = exec(&**call, given.clone(), 20_000).await.unwrap();
                assert_eq!(output["result"], json!([given]), "{at:?}");
            }
        };
        futures::future::join_all((0..12).map(one)).await;
    }
}
