//! `praxis doctor`: is everything in order?

use crate::failure::{Exit, Failure};
use crate::home::Desk;
use crate::view::text::{Paint, counted};
use praxis_adapters::folder::FolderError;
use praxis_adapters::sqlite::Reader;
use praxis_core::ids::TaskId;
use praxis_core::state::State;
use serde_json::json;
use std::process::ExitCode;

/// How a check ended.
enum Finding {
    Good(String),
    Odd(String),
    Bad(String),
}

/// How many tasks are read whole.
const MOST_READ: u32 = 1000;

pub(crate) fn run(desk: &Desk) -> Result<ExitCode, Failure> {
    let mut bad = false;
    let mut tell = |what: &str, finding: Finding| {
        let paint = Paint(desk.colors);
        let (mark, word, words) = match &finding {
            Finding::Good(words) => (paint.green("✔"), "good", words),
            Finding::Odd(words) => (paint.yellow("!"), "odd", words),
            Finding::Bad(words) => (paint.red("✖"), "bad", words),
        };
        bad |= matches!(finding, Finding::Bad(_));
        if desk.json {
            out!("{}", json!({"check": what, "finding": word, "words": words}));
        } else {
            out!("{mark} {what:14} {words}");
        }
    };
    tell("version", Finding::Good(format!("praxis {}", env!("CARGO_PKG_VERSION"))));
    let used = desk.sources.files.iter().filter(|file| file.used).count();
    tell("settings", Finding::Good(format!("{used} file(s) used; `praxis config show` lists all")));
    tell("data folder", folder(desk));
    tell("owner", owner(desk));
    if desk.folder.database().exists() {
        match desk.reader() {
            Ok(reader) => {
                tell("database", database(&reader));
                tell("journals", journals(&reader));
            }
            Err(failure) => {
                let words =
                    failure.problems.iter().map(|p| p.message.tell(desk.lang)).collect::<Vec<_>>();
                tell("database", Finding::Bad(words.join("; ")));
            }
        }
    }
    tell("programs", programs());
    Ok(if bad { Exit::TaskFailed.into() } else { ExitCode::SUCCESS })
}

fn folder(desk: &Desk) -> Finding {
    let root = desk.folder.root();
    if !root.exists() {
        return Finding::Good(format!("{} (will be made)", root.display()));
    }
    let probe = root.join(format!(".doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, b"x").and_then(|()| std::fs::remove_file(&probe));
    match written {
        Ok(()) => Finding::Good(root.display().to_string()),
        Err(error) => Finding::Bad(format!("{} cannot be written: {error}", root.display())),
    }
}

fn owner(desk: &Desk) -> Finding {
    if !desk.folder.root().exists() {
        return Finding::Good("nobody".to_owned());
    }
    match desk.folder.own() {
        Ok(_) => Finding::Good("nobody; the next command that needs one becomes it".to_owned()),
        Err(FolderError::Owned(_)) if desk.folder.control_socket().exists() => {
            Finding::Good("a living process, listening".to_owned())
        }
        Err(FolderError::Owned(_)) => {
            Finding::Odd("a living process that does not listen (it starts or leaves)".to_owned())
        }
        Err(error @ (FolderError::Unusable { .. } | FolderError::TooLong(_))) => {
            Finding::Bad(error.to_string())
        }
    }
}

fn database(reader: &Reader) -> Finding {
    match reader.integrity() {
        Ok(words) if words == "ok" => Finding::Good("its structure is sound".to_owned()),
        Ok(words) => Finding::Bad(words),
        Err(error) => Finding::Bad(error.to_string()),
    }
}

/// Reads every chain and folds it.
fn journals(reader: &Reader) -> Finding {
    let filter = praxis_adapters::sqlite::reader::Filter { status: None, most: MOST_READ };
    let listed = match reader.list(&filter) {
        Ok(listed) => listed,
        Err(error) => return Finding::Bad(error.to_string()),
    };
    let whole = |task: &TaskId| -> Result<(), String> {
        let entries = reader.entries(task, 0).map_err(|error| error.to_string())?;
        State::replay(&entries).map(drop).map_err(|error| format!("{task}: {error}"))
    };
    let wrong: Vec<String> = listed.iter().filter_map(|listed| whole(&listed.task).err()).collect();
    if wrong.is_empty() {
        return Finding::Good(format!(
            "{} read, every checksum right",
            counted(listed.len(), "task")
        ));
    }
    Finding::Bad(wrong.join("; "))
}

fn programs() -> Finding {
    if praxis_adapters::keeper::has_namespaces() {
        return Finding::Good("command tools run in a process namespace of their own".to_owned());
    }
    Finding::Odd(
        "no process namespaces here: command tools are found and killed by their parent".to_owned(),
    )
}
