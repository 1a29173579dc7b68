//! Payloads against real databases: no table, no file and no connection may show that one worked.

use super::rig::{At, EVERYWHERE, Shop};
use super::servers::FILE_CANARY;
use praxis_core::fault::Fault;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;

/// What must stay as it is.
struct Canaries {
    listener: TcpListener,
    table: Vec<String>,
    files: Vec<String>,
}

fn files(shop: &Shop) -> Vec<String> {
    let open =
        shop.server.map_or(shop.folder.path().to_owned(), super::servers::Server::open_folder);
    let mine = fs::read_dir(open).unwrap().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = mine
        .map(|path| path.display().to_string())
        // Other tests of this server do as this one: only what bears this shop's name is its own.
        .filter(|path| shop.at == At::Sqlite || path.contains(&shop.name))
        .collect();
    names.sort();
    names
}

impl Canaries {
    async fn of(shop: &Shop) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        if shop.at == At::Sqlite {
            fs::write(shop.folder.path().join("secret.txt"), FILE_CANARY).unwrap();
        }
        Self { listener, table: shop.canary().await, files: files(shop) }
    }

    /// A payload with the places of the canaries in it.
    fn aim(&self, shop: &Shop, payload: &str) -> String {
        let (secret, open) = match shop.server {
            Some(server) => (server.secret_file(), server.open_folder()),
            None => (shop.folder.path().join("secret.txt"), shop.folder.path().to_owned()),
        };
        let port = self.listener.local_addr().unwrap().port();
        payload
            .replace("/etc/passwd", &secret.display().to_string())
            .replace("/tmp/x", &open.join(format!("{}_x", shop.name)).display().to_string())
            .replace("host=127.0.0.1", &format!("host=127.0.0.1 port={port} connect_timeout=2"))
            .replace("PORT", &port.to_string())
    }

    async fn alive(&self, shop: &Shop, after: &str) {
        assert_eq!(shop.canary().await, self.table, "the table, after {after}");
        assert_eq!(files(shop), self.files, "files, after {after}");
        let visitor = self.listener.accept();
        assert!(visitor.is_err(), "a connection, after {after}: {visitor:?}");
    }
}

fn shows_no_secret(done: &Result<Value, Fault>, payload: &str) {
    let shown = format!("{done:?}");
    let coded = ["ZmlsZS1jYW5hcnk", "66696c652d63616e617279"];
    let told = shown.contains(FILE_CANARY) || coded.iter().any(|form| shown.contains(form));
    assert!(!told, "{payload} reads the file: {shown}");
}

/// The payloads that the guard's table has, and some that stand in no table.
fn written(at: At) -> Vec<String> {
    let letter = match at {
        At::Postgres => 'p',
        At::Mariadb => 'm',
        At::Sqlite => 's',
    };
    let rows = include_str!("guard_refuses.txt").lines().filter(|line| !line.starts_with('#'));
    let fits =
        |line: &&str| line.starts_with('*') || line.split('|').next().unwrap().contains(letter);
    let table = rows.filter(fits).filter_map(|line| line.splitn(3, '|').nth(2));
    let more: &[&str] = match at {
        At::Postgres => POSTGRES,
        At::Mariadb => MARIADB,
        At::Sqlite => SQLITE,
    };
    table.chain(more.iter().copied()).map(|sql| sql.replace("\\n", "\n")).collect()
}

const POSTGRES: &[&str] = &[
    "SELECT 1) q; DROP TABLE canary; --",
    "SELECT 1) AS q (c0); DELETE FROM canary; SELECT (1",
    "SELECT * FROM canary; COPY canary TO '/tmp/x'",
    "COPY (SELECT 'x') TO '/tmp/x'",
    "COPY canary TO PROGRAM 'touch /tmp/x'",
    "COPY orders (note) FROM '/etc/passwd'",
    "COPY orders (note) FROM PROGRAM 'bash -c \"echo > /dev/tcp/127.0.0.1/PORT\"'",
    "SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/x')",
    "SELECT pg_file_write('/tmp/x', 'y', false)",
    "SELECT * FROM dblink('host=127.0.0.1 dbname=a user=b password=c', 'select 1') AS t(a int)",
    "SELECT dblink_connect_u('host=127.0.0.1 dbname=a')",
    "SELECT query_to_xml('select dblink_connect(''host=127.0.0.1'')', true, true, '')",
    "CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p",
    "SELECT * FROM canary WHERE name = '' OR 1=1; UPDATE canary SET name = 'x'",
    "SELECT $$a$$; DELETE FROM canary; SELECT $$b$$",
    "SELECT $a$ $b$ $a$; DROP TABLE canary; --$b$",
    "SELECT E'\\'; DROP TABLE canary; --'",
    "SELECT E'\\\\'; DROP TABLE canary; --'",
    "SELECT '\\'; DROP TABLE canary; --'",
    "SELECT \"a\"\"; DROP TABLE canary; --\"",
    "SELECT 1 /* /* */ ; DROP TABLE canary; */",
    "SELECT 1 /* */ */; DROP TABLE canary",
    "WITH x AS (SELECT 1), y AS (DELETE FROM canary RETURNING 1) SELECT * FROM x, y",
    "SELECT * FROM (DELETE FROM canary RETURNING *) q",
    "SELECT (WITH d AS (DELETE FROM canary RETURNING 1) SELECT count(*) FROM d)",
    "EXPLAIN ANALYZE DELETE FROM canary",
    "EXPLAIN (ANALYZE 1) DELETE FROM canary",
    "MERGE INTO canary USING orders ON false WHEN NOT MATCHED THEN DELETE",
    "SELECT xmlparse(document '<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>')",
    "SELECT wipe()",
    "SELECT * FROM wipe()",
    "SELECT n FROM canary ORDER BY wipe()",
    "SELECT (wipe()).*",
    "ALTER SYSTEM SET archive_command = 'touch /tmp/x'",
    "SELECT set_config('transaction_read_only', 'off', true), wipe()",
    "SET TRANSACTION READ WRITE",
    "LOCK TABLE canary",
    "REFRESH MATERIALIZED VIEW x",
    "SELECT * FROM canary TABLESAMPLE bernoulli (1) FOR UPDATE",
    "SELECT pg_ls_dir('/tmp'), pg_read_file('/etc/passwd') UNION SELECT 'a', 'b'",
];

const MARIADB: &[&str] = &[
    "SELECT '\\'; DROP TABLE canary; -- '",
    "SELECT '\\\\'; DROP TABLE canary; -- '",
    "SELECT \"\\\"; DROP TABLE canary; -- \"",
    "SELECT `a``; DROP TABLE canary; -- `",
    "SELECT 1 # x\n; DROP TABLE canary",
    "SELECT 1 -- x\n; DROP TABLE canary",
    "SELECT 1 --x\n; DROP TABLE canary",
    "SELECT 1 /* /* */ ; DROP TABLE canary; */",
    "SELECT 1 /*!; DROP TABLE canary */",
    "SELECT 1 /*!99999; DROP TABLE canary */",
    "SELECT 1 /*M!100000; DROP TABLE canary */",
    "/*!50000DELETE*/ FROM canary",
    "SELECT name FROM canary INTO OUTFILE '/tmp/x'",
    "SELECT name INTO OUTFILE '/tmp/x' FROM canary",
    "SELECT name FROM canary LIMIT 1 INTO DUMPFILE '/tmp/x'",
    "(SELECT name FROM canary) INTO OUTFILE '/tmp/x'",
    "SELECT 1 UNION SELECT 2 INTO OUTFILE '/tmp/x'",
    "SELECT 1 /*! UNION SELECT 'x' INTO OUTFILE '/tmp/x' */",
    "SELECT load_file(concat('/etc/', 'passwd')), load_file('/etc/passwd')",
    "SELECT `LOAD_FILE`('/etc/passwd')",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE orders (note)",
    "LOAD XML INFILE '/etc/passwd' INTO TABLE orders",
    "SELECT wipe()",
    "SELECT n FROM canary ORDER BY wipe()",
    "SELECT * FROM canary WHERE wipe() = 1",
    "BEGIN NOT ATOMIC DELETE FROM canary; END",
    "EXECUTE IMMEDIATE 'DELETE FROM canary'",
    "PREPARE s FROM 'DELETE FROM canary'",
    "CREATE TABLE f (a int) ENGINE=FEDERATED CONNECTION='mysql://a:b@127.0.0.1:PORT/x/y'",
    "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', PORT PORT)",
    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=PORT",
    "SET GLOBAL general_log_file = '/tmp/x'",
    "SELECT * FROM canary PROCEDURE ANALYSE()",
    "SELECT 1 FROM canary FOR UPDATE",
    "EXPLAIN DELETE FROM canary",
    "ANALYZE DELETE FROM canary",
    "ANALYZE FORMAT=JSON DELETE FROM canary",
    "SELECT \u{2019}; DROP TABLE canary; -- \u{2019}",
    "SELECT 1;DELIMITER //\nDROP TABLE canary//",
    "SELECT @@global.secure_file_priv, load_file('/etc/passwd')",
];

const SQLITE: &[&str] = &[
    "ATTACH '/tmp/x' AS a; CREATE TABLE a.b (c)",
    "ATTACH DATABASE '/tmp/x' AS a",
    "SELECT 1; ATTACH '/tmp/x' AS a",
    "VACUUM INTO '/tmp/x'",
    "VACUUM",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT readfile('/etc/passwd')",
    "SELECT load_extension('/tmp/x')",
    "SELECT LOAD_EXTENSION('/tmp/x', 'init')",
    "SELECT 'load_extension'('/tmp/x')",
    "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE TEMP TRIGGER t AFTER INSERT ON canary BEGIN DELETE FROM canary; END",
    "PRAGMA query_only = off",
    "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = on",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA user_version = 7",
    "SELECT * FROM pragma_user_version(7)",
    "SELECT * FROM pragma_journal_mode('wal')",
    "SELECT 1 -- x\n; DROP TABLE canary",
    "SELECT '\\'; DROP TABLE canary; --'",
    "SELECT [a]; DROP TABLE canary; --]",
    "SELECT \"a\"\"\"; DROP TABLE canary; --\"",
    "SELECT 1 /* /* */; DROP TABLE canary; */",
    "SELECT 1; /*",
    "REPLACE INTO canary VALUES (1, 'x')",
    "INSERT OR REPLACE INTO canary VALUES (1, 'x')",
    "WITH x AS (SELECT 1) DELETE FROM canary",
    "WITH x AS (SELECT 1) UPDATE canary SET name = 'x'",
    "SELECT * FROM (DELETE FROM canary RETURNING *)",
    "EXPLAIN DELETE FROM canary",
    "REINDEX canary",
    "ANALYZE",
    "SAVEPOINT a",
    "BEGIN IMMEDIATE",
    "SELECT fts3_tokenizer('a', x'00')",
    "SELECT hex(randomblob(2000000000))",
    "SELECT replace(hex(zeroblob(500000000)), '0', 'xx')",
    "SELECT printf('%.*c', 2000000000, 'x')",
];

#[tokio::test(flavor = "multi_thread")]
async fn sql_that_a_model_or_an_attacker_wrote_touches_no_canary() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        prepare(&shop).await;
        let canaries = Canaries::of(&shop).await;
        let payloads = written(at);
        assert!(payloads.len() >= 40, "{at:?} {}", payloads.len());
        for payload in payloads {
            let aimed = canaries.aim(&shop, &payload);
            let done = shop.ask(&aimed).await;
            shows_no_secret(&done, &aimed);
            canaries.alive(&shop, &aimed).await;
        }
    }
}

/// Functions that write, which no list can know.
async fn prepare(shop: &Shop) {
    match shop.at {
        At::Postgres => {
            let body = "begin delete from canary; return 1; end";
            let wipe =
                format!("create function wipe() returns int language plpgsql as $$ {body} $$");
            shop.admin(&wipe).await.unwrap();
            shop.admin("create extension if not exists dblink").await.unwrap();
        }
        At::Mariadb => {
            let wipe = "create function wipe() returns int deterministic begin delete from canary; return 1; end";
            shop.admin(wipe).await.unwrap();
        }
        At::Sqlite => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_writes_passes_the_guard_and_is_stopped_by_the_transaction() {
    for (at, word) in
        [(At::Postgres, "read-only transaction"), (At::Mariadb, "READ ONLY transaction")]
    {
        let Some(shop) = Shop::open(at).await else { continue };
        prepare(&shop).await;
        let before = shop.canary().await;
        for sql in ["SELECT wipe()", "SELECT n FROM canary WHERE wipe() = 1"] {
            let fault = shop.ask(sql).await.unwrap_err();
            assert_eq!(fault.code(), "tool_failed", "{at:?} {fault}");
            assert!(fault.to_string().contains(word), "{at:?} {fault}");
        }
        assert_eq!(shop.canary().await, before);
    }
}

const VALUES: &[&str] = &[
    "' OR '1'='1",
    "'; DROP TABLE canary; --",
    "\" OR \"\"=\"",
    "ann' --",
    "ann'/*",
    "\\'; DROP TABLE canary; -- ",
    "' UNION SELECT 1, 'x' --",
    "$$; DROP TABLE canary; $$",
    ":name",
    "{name}",
    "?",
    "$1",
    "%",
    "_",
    "ann\u{0}",
    "\u{2019} OR 1=1",
    "\u{ff07}; DROP TABLE canary",
    "x') OR ('1'='1",
    "1; ATTACH '/tmp/x' AS a",
    "${jndi:ldap://127.0.0.1:PORT/a}",
    "'||pg_sleep(5)||'",
    "' AND sleep(5) AND '",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_value_is_only_ever_a_value() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let canaries = Canaries::of(&shop).await;
        for value in VALUES {
            let value = canaries.aim(&shop, value);
            for query in [
                "select n from canary where name = :name",
                "select n from canary where name = {name}",
            ] {
                let done = shop.call(json!({"query": query}), json!({"name": value})).await;
                match done {
                    Ok(output) => assert_eq!(output["row_count"], 0, "{at:?} {value}: {output}"),
                    Err(fault) => assert!(value.contains('\0'), "{at:?} {value}: {fault}"),
                }
            }
            let asked = json!({"sql": "select :v as v", "parameters": {"v": value}});
            if let Ok(output) = shop.call(json!({}), asked).await {
                assert_eq!(output["result"], json!([{"v": value}]), "{at:?}");
            }
            canaries.alive(&shop, &value).await;
        }
    }
}

/// A query with a value where none can stand, unless the guard refuses the manifest itself.
async fn fails_at_the_database(shop: &Shop, query: &str, value: &str) {
    let manifest = json!({"url": shop.url(), "query": query});
    if let Ok(call) = super::rig::connect(manifest) {
        let fault = super::rig::exec(&*call, json!({"x": value}), 20_000).await.unwrap_err();
        assert_eq!(fault.code(), "tool_failed", "{:?} {query} {value}: {fault}", shop.at);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_never_becomes_a_name_or_a_word_of_sql() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let canaries = Canaries::of(&shop).await;
        for hostile in
            ["canary; DROP TABLE canary", "canary", "n; DELETE FROM canary", "(select 1)", "n DESC"]
        {
            for query in [
                "select n from canary order by {x}, n",
                "select n from canary order by n, {x} limit 2",
            ] {
                let done = shop.call(json!({"query": query}), json!({"x": hostile})).await;
                let first = done.map(|output| output["result"][0].clone());
                assert_eq!(first.ok(), Some(json!({"n": 1})), "{at:?} {query} {hostile}");
            }
            for query in ["select * from {x}", "select n from canary where n = 1 {x}"] {
                fails_at_the_database(&shop, query, hostile).await;
            }
            canaries.alive(&shop, hostile).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_allowed_cannot_be_turned_into_another() {
    for at in EVERYWHERE {
        let Some(shop) = Shop::open(at).await else { continue };
        let canaries = Canaries::of(&shop).await;
        let write = json!({"allow": "write"});
        for payload in [
            "DELETE FROM canary",
            "UPDATE canary SET name = 'x'",
            "DROP TABLE canary",
            "DELETE FROM orders WHERE id = 1; DELETE FROM canary WHERE n = 1",
            "CREATE TABLE x (a int)",
            "INSERT INTO orders SELECT 1, 1, 'x' INTO OUTFILE '/tmp/x'",
            "SELECT 1",
            "TRUNCATE TABLE canary",
            "ATTACH '/tmp/x' AS a",
            "GRANT ALL ON canary TO public",
            "COPY canary TO '/tmp/x'",
        ] {
            let aimed = canaries.aim(&shop, payload);
            let done = shop.call(write.clone(), json!({"sql": aimed})).await;
            assert_eq!(done.unwrap_err().code(), "params_invalid", "{at:?} {aimed}");
            canaries.alive(&shop, &aimed).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn past_the_guard_the_same_payloads_would_kill_every_canary() {
    if let Some(shop) = Shop::open(At::Postgres).await {
        prepare(&shop).await;
        let canaries = Canaries::of(&shop).await;
        let aim = |payload: &str| canaries.aim(&shop, payload);
        shop.admin(&aim("COPY canary TO PROGRAM 'cat > /tmp/x'")).await.unwrap();
        assert_eq!(files(&shop).len(), 1);
        let read = shop.admin(&aim("SELECT pg_read_file('/etc/passwd')")).await.unwrap();
        assert!(read[0].contains(FILE_CANARY));
        let _ = shop.admin(&aim("SELECT dblink_connect('host=127.0.0.1')")).await;
        assert!(canaries.listener.accept().is_ok());
        shop.admin("SELECT wipe()").await.unwrap();
        assert_ne!(shop.canary().await, canaries.table);
    }
    if let Some(shop) = Shop::open(At::Mariadb).await {
        prepare(&shop).await;
        let canaries = Canaries::of(&shop).await;
        let aim = |payload: &str| canaries.aim(&shop, payload);
        shop.admin(&aim("SELECT name FROM canary INTO OUTFILE '/tmp/x'")).await.unwrap();
        assert_eq!(files(&shop).len(), 1);
        let read = shop.admin(&aim("SELECT load_file('/etc/passwd')")).await.unwrap();
        assert!(read[0].contains(FILE_CANARY), "{read:?}");
        shop.admin("SELECT wipe()").await.unwrap();
        assert_ne!(shop.canary().await, canaries.table);
    }
}
