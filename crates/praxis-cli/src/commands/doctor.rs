//! `praxis doctor`: checks the settings, the data folder and the machine.

use super::inspect;
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::view::text::{Paint, counted, pad};
use praxis_adapters::experience::file::ExperienceFile;
use praxis_adapters::folder::FolderError;
use praxis_adapters::sqlite::JournalReader;
use praxis_core::problem::Bilingual;
use serde_json::json;
use std::process::ExitCode;

/// Result of a check.
pub(crate) enum Finding {
    Good(Bilingual),
    Odd(Bilingual),
    Bad(Bilingual),
}

impl Finding {
    pub(crate) fn good(words: impl Into<Bilingual>) -> Self {
        Self::Good(words.into())
    }

    pub(crate) fn odd(words: impl Into<Bilingual>) -> Self {
        Self::Odd(words.into())
    }

    pub(crate) fn bad(words: impl Into<Bilingual>) -> Self {
        Self::Bad(words.into())
    }

    /// Reports an error of the system or the database in its own words.
    pub(crate) fn broken(error: impl ToString) -> Self {
        Self::Bad((error.to_string(), error.to_string()).into())
    }
}

/// Name of a check: in English, also for programs, and in Chinese.
type CheckName = (&'static str, &'static str);

pub(crate) fn run(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    let mut bad = false;
    let mut tell = |what: CheckName, finding: Finding| {
        bad |= matches!(finding, Finding::Bad(_));
        print(context, what, &finding);
    };
    let version = format!("praxis {}", env!("CARGO_PKG_VERSION"));
    tell(("version", "版本"), Finding::good((version.clone(), version)));
    tell(("settings", "设置"), settings(context));
    tell(("data folder", "数据文件夹"), folder(context));
    tell(("owner", "后台进程"), owner(context));
    match context.has_tasks().and_then(|has| has.then(|| context.reader()).transpose()) {
        Ok(None) => {}
        Ok(Some(reader)) => {
            tell(("database", "数据库"), database(&reader));
            let seen = inspect::tasks(&reader);
            tell(("journals", "事件日志"), inspect::journals(&seen));
            tell(("blobs", "大对象"), inspect::blobs(context, &reader, &seen));
        }
        // An unusable folder was reported above.
        Err(failure) if failure.is("data_folder_unusable") => {}
        Err(failure) => {
            let told = failure.problems.iter().map(|problem| problem.message.tell(context.lang));
            tell(("database", "数据库"), Finding::broken(told.collect::<Vec<_>>().join("; ")));
        }
    }
    if let Some(finding) = experiences(context) {
        tell(("experiences", "经验"), finding);
    }
    tell(("programs", "程序"), programs());
    Ok(if bad { Exit::TaskFailed.into() } else { ExitCode::SUCCESS })
}

fn print(context: &CliContext, (name, zh): CheckName, finding: &Finding) {
    let paint = Paint(context.colors);
    let (mark, word, words) = match finding {
        Finding::Good(words) => (paint.green("✔"), "good", words),
        Finding::Odd(words) => (paint.yellow("!"), "odd", words),
        Finding::Bad(words) => (paint.red("✖"), "bad", words),
    };
    let words = words.tell(context.lang);
    if context.json {
        out!("{}", json!({"check": name, "finding": word, "words": words}));
    } else {
        out!("{mark} {} {words}", pad(&context.say(name, zh), 14));
    }
}

fn settings(context: &CliContext) -> Finding {
    let used = context.sources.files.iter().filter(|file| file.used).count();
    Finding::good((
        format!("{} used; `praxis config show` lists all settings", counted(used, "file")),
        format!("使用了 {used} 个文件；`praxis config show` 列出全部设置项"),
    ))
}

fn folder(context: &CliContext) -> Finding {
    let root = context.folder.root();
    let shown = root.display();
    if let Some(problem) =
        context.has_tasks().err().and_then(|failure| failure.problems.into_iter().next())
    {
        return Finding::bad(problem.message);
    }
    if !root.exists() {
        return Finding::good((
            format!("{shown} (will be created)"),
            format!("{shown}（将会创建）"),
        ));
    }
    let probe = root.join(format!(".doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, b"x").and_then(|()| std::fs::remove_file(&probe));
    match written {
        Ok(()) => Finding::good((shown.to_string(), shown.to_string())),
        Err(error) => Finding::bad((
            format!("cannot write to {shown}: {error}"),
            format!("无法写入 {shown}：{error}"),
        )),
    }
}

/// Checks the file of experiences, if there is one.
fn experiences(context: &CliContext) -> Option<Finding> {
    let path = context.folder.experiences();
    if !path.exists() {
        return None;
    }
    let (shown, lines) = (path.display(), ExperienceFile::new(&path).read());
    Some(match lines {
        Err(error) => Finding::odd((
            format!("cannot read {shown}: {error}"),
            format!("无法读取 {shown}：{error}"),
        )),
        Ok(lines) => match lines.unread.first() {
            None => Finding::good((
                format!("{} in {shown}", counted(lines.read.len(), "line")),
                format!("{shown} 中有 {} 行", lines.read.len()),
            )),
            Some(first) => Finding::odd((
                format!(
                    "{} of {shown} cannot be read (first: line {first}); fix or remove them",
                    counted(lines.unread.len(), "line")
                ),
                format!(
                    "{shown} 中有 {} 行无法读取（首个为第 {first} 行）；请修正或删除",
                    lines.unread.len()
                ),
            )),
        },
    })
}

fn owner(context: &CliContext) -> Finding {
    if !context.folder.root().exists() {
        return Finding::good(("none", "无"));
    }
    match context.folder.own() {
        Ok(_) => Finding::good((
            "none; the next command that needs an owner becomes the owner process",
            "未运行；需要时会自动启动",
        )),
        Err(FolderError::Owned(_)) if context.folder.control_socket().exists() => {
            Finding::good(("running and accepting commands", "正在运行并接受命令"))
        }
        Err(FolderError::Owned(_)) => Finding::odd((
            "running but not accepting commands (starting or exiting)",
            "正在运行但不接受命令（正在启动或退出）",
        )),
        Err(error @ (FolderError::Unusable { .. } | FolderError::TooLong(_))) => {
            Finding::broken(error)
        }
    }
}

fn database(reader: &JournalReader) -> Finding {
    match reader.integrity() {
        Ok(words) if words == "ok" => Finding::good(("integrity check passed", "完整性检查通过")),
        Ok(words) => Finding::broken(words),
        Err(error) => Finding::broken(error),
    }
}

fn programs() -> Finding {
    if praxis_adapters::keeper::has_namespaces() {
        return Finding::good((
            "each command tool runs in its own process namespace",
            "每个命令工具在独立的进程命名空间中运行",
        ));
    }
    Finding::odd((
        "process namespaces are not available; command tools are tracked and killed by their parent process",
        "进程命名空间不可用；命令工具由其父进程跟踪并终止",
    ))
}
