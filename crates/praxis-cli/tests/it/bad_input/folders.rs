//! Data folders that are none, are damaged, or belong to somebody else.

use super::case::{Case, GOOD_PLAN, RUN, answers};
use rusqlite::Connection;
use std::path::Path;

#[test]
fn a_bad_data_folder_is_left_as_it_is_and_said_what_it_is() {
    insta::assert_snapshot!(answers(&[places(), databases()]));
}

fn places() -> Vec<Case> {
    let run = |name, data: &str| {
        Case::new(name, &["--data", data, "run", "plan.yaml"]).file("plan.yaml", GOOD_PLAN)
    };
    let loops = |here: &Path| std::os::unix::fs::symlink("loop", here.join("loop")).unwrap();
    vec![
        run("a file where the folder should be", "HERE/plan.yaml"),
        run("a folder below a file", "HERE/plan.yaml/data"),
        run("a folder where nothing can be written", "/proc/praxis"),
        run("a link to itself", "loop").prepare(loops),
        run("a path that is too long for a socket", &format!("HERE/{}", "d".repeat(120))),
        run("a path that is too long for a system", &format!("HERE/{}", "d".repeat(300))),
        run("a path that drives the terminal", "/proc/a\u{1b}[2J\u{202e}b"),
        Case::new("a database that is a folder", RUN)
            .file("plan.yaml", GOOD_PLAN)
            .file("data/praxis.db/in", "")
            .unsound(),
        Case::new("blobs that are a file", RUN).file("plan.yaml", GOOD_PLAN).file("data/blobs", ""),
        Case::new("keepers that are a file", RUN)
            .file("plan.yaml", GOOD_PLAN)
            .file("data/keepers", ""),
        Case::new("a lock that is a folder", RUN)
            .file("plan.yaml", GOOD_PLAN)
            .file("data/owner.lock/in", ""),
        Case::new("a socket that is a folder", RUN)
            .file("plan.yaml", GOOD_PLAN)
            .file("data/control.sock/in", ""),
    ]
}

fn database(here: &Path) -> Connection {
    let database = Connection::open(here.join("data/praxis.db")).unwrap();
    database.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
    database
}

fn databases() -> Vec<Case> {
    let text = |here: &Path| {
        std::fs::create_dir_all(here.join("data")).unwrap();
        std::fs::write(here.join("data/praxis.db"), "this is no database\n".repeat(500)).unwrap();
    };
    let foreign = |here: &Path| {
        std::fs::create_dir_all(here.join("data")).unwrap();
        database(here).execute_batch("create table bookmarks (url text)").unwrap();
    };
    let newer = |here: &Path| database(here).execute_batch("pragma user_version = 99").unwrap();
    let cut = |here: &Path| {
        drop(database(here));
        let path = here.join("data/praxis.db");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(path, &whole[..whole.len() / 2]).unwrap();
    };
    let changed = |here: &Path| {
        database(here)
            .execute_batch("update events set body = replace(body, 'a', 'b') where seq = 2")
            .unwrap();
    };
    let unknown = |here: &Path| {
        database(here).execute_batch("drop table events").unwrap();
    };
    let after =
        |name, words: &[&str]| Case::new(name, words).file("plan.yaml", GOOD_PLAN).after(RUN);
    let fresh =
        |name, words: &[&str]| Case::new(name, words).file("plan.yaml", GOOD_PLAN).unsound();
    vec![
        fresh("run with a database that is a text", RUN).prepare(text),
        fresh("ps with a database that is a text", &["ps"]).prepare(text),
        fresh("doctor with a database that is a text", &["doctor"]).prepare(text),
        fresh("run with a database of another program", RUN).prepare(foreign),
        fresh("ps with a database of another program", &["ps"]).prepare(foreign),
        after("run with a newer database", RUN).prepare(newer).unsound(),
        after("ps with a newer database", &["ps"]).prepare(newer).unsound(),
        after("run with a database that was cut", RUN).prepare(cut).unsound(),
        after("show with a database that was cut", &["show", "--last"]).prepare(cut).unsound(),
        after("show with a changed event", &["show", "--last"]).prepare(changed),
        after("retry with a changed event", &["retry", "--last"]).prepare(changed),
        after("show without a table", &["show", "--last"]).prepare(unknown).unsound(),
    ]
}
