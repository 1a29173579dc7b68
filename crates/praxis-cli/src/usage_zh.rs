//! Help pages and usage errors in Chinese, as far as clap writes them itself.
//!
//! - in: an error of clap, which may be a help page
//! - out: its text in Chinese
//! - never: changes the exit code or the stream

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Words that clap writes into a help page, and their translations. Headings end in a full-width colon.
const FRAME: [(&str, &str); 8] = [
    ("命令:", "命令："),
    ("参数:", "参数："),
    ("选项:", "选项："),
    ("[OPTIONS]", "[选项]"),
    ("<COMMAND>", "<命令>"),
    ("[COMMAND]", "[命令]"),
    ("[aliases: ", "[别名："),
    ("[alias: ", "[别名："),
];

/// Prints an error or a help page in Chinese, and exits like clap.
pub(crate) fn exit(error: &Error) -> ! {
    let text = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => framed(&page(error)),
        _ => refusal(error),
    };
    if error.use_stderr() {
        crate::say::print_note(&text);
    } else {
        crate::say::print_out(&text);
    }
    std::process::exit(error.exit_code())
}

/// Returns a help page, with colours on a terminal.
fn page(error: &Error) -> String {
    use std::io::IsTerminal;
    let terminal = if error.use_stderr() {
        std::io::stderr().is_terminal()
    } else {
        std::io::stdout().is_terminal()
    };
    let page = error.render();
    let plain = crate::settings::Environment::real().is_ok_and(|it| it.var("NO_COLOR").is_some());
    if terminal && !plain { page.ansi().to_string() } else { page.to_string() }
}

fn framed(text: &str) -> String {
    FRAME.iter().fold(text.to_owned(), |text, (en, zh)| text.replace(en, zh))
}

/// Returns a usage error: the problem, a suggestion, the usage, and where to find help.
fn refusal(error: &Error) -> String {
    let mut text = format!("错误：{}\n", problem(error));
    for hint in hints(error) {
        text.push_str(&format!("  下一步：{hint}\n"));
    }
    if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        let usage = framed(&usage.to_string());
        let usage = usage.trim_start_matches("Usage:").trim_start_matches("用法：").trim();
        text.push_str(&format!("\n用法：{usage}\n"));
    }
    text + "\n完整说明见 --help\n"
}

fn problem(error: &Error) -> String {
    let arg = named(error, ContextKind::InvalidArg);
    let value = named(error, ContextKind::InvalidValue);
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        _ => 0,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => format!("未知的参数 {arg}"),
        ErrorKind::InvalidSubcommand => {
            format!("未知的命令 {}", named(error, ContextKind::InvalidSubcommand))
        }
        ErrorKind::InvalidValue if value == "``" => format!("{arg} 缺少值"),
        ErrorKind::InvalidValue => format!("{arg} 不接受值 {value}"),
        ErrorKind::ValueValidation => format!("{arg} 的值 {value} 无效"),
        ErrorKind::NoEquals => format!("{arg} 的值前必须有等号"),
        ErrorKind::TooManyValues => format!("{arg} 的值过多：{value}"),
        ErrorKind::TooFewValues => {
            let (least, found) =
                (number(ContextKind::MinValues), number(ContextKind::ActualNumValues));
            format!("{arg} 至少需要 {least} 个值，实际为 {found} 个")
        }
        ErrorKind::WrongNumberOfValues => {
            let (wanted, found) =
                (number(ContextKind::ExpectedNumValues), number(ContextKind::ActualNumValues));
            format!("{arg} 需要 {wanted} 个值，实际为 {found} 个")
        }
        ErrorKind::ArgumentConflict => match named(error, ContextKind::PriorArg) {
            other if other == arg => format!("{arg} 只能给出一次"),
            other => format!("{arg} 不能与 {other} 同时使用"),
        },
        ErrorKind::MissingRequiredArgument => format!("缺少必需的参数：{arg}"),
        ErrorKind::MissingSubcommand => "缺少命令".to_owned(),
        ErrorKind::InvalidUtf8 => "参数不是有效的 UTF-8 文本".to_owned(),
        // Kinds that do not occur for this program, or that a later version of clap adds.
        _ => error.to_string().trim_start_matches("error:").trim().to_owned(),
    }
}

/// Returns the values that would be accepted, and the names that may have been meant.
fn hints(error: &Error) -> Vec<String> {
    let meant =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let meant: Vec<String> = meant
        .into_iter()
        .filter(|kind| error.get(*kind).is_some())
        .map(|it| named(error, it))
        .collect();
    let mut hints: Vec<String> = meant.iter().map(|it| format!("是否想写 {it}？")).collect();
    for kind in [ContextKind::ValidValue, ContextKind::ValidSubcommand] {
        if error.get(kind).is_some() {
            hints.push(format!("可选：{}", named(error, kind)));
        }
    }
    hints
}

/// Returns the texts of a context in backticks.
fn named(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => format!("`{text}`"),
        Some(ContextValue::Strings(texts)) => {
            let texts: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
            texts.join("、")
        }
        _ => "``".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::lang::Lang;

    fn refused(words: &[&str]) -> String {
        let words = ["praxis"].into_iter().chain(words.iter().copied());
        refusal(&crate::help::command(Lang::Zh).try_get_matches_from(words).unwrap_err())
    }

    #[test]
    fn every_usage_error_is_told_in_chinese_with_its_argument() {
        for (words, told) in [
            (&["run", "x", "--nope"][..], "未知的参数 `--nope`"),
            (&["runn"], "未知的命令 `runn`"),
            (&["show", "--last", "--step"], "缺少值"),
            (&["fork", "--last", "--at", "1", "--effects", "x"], "不接受值 `x`"),
            (&["ps", "-n", "x"], "的值 `x` 无效"),
            (&["fork", "--last"], "缺少必需的参数：`--at <STEP|SEQ>`"),
            (&["answer", "q", "--skip", "--guess"], "不能与"),
            (&["ps", "--json", "--json"], "`--json` 只能给出一次"),
        ] {
            let text = refused(words);
            assert!(text.starts_with("错误：") && text.contains(told), "{words:?}: {text}");
            let page = ["Usage", "error:", "For more", "[OPTIONS]", "tip:"];
            assert!(page.iter().all(|word| !text.contains(word)), "{text}");
        }
        assert!(refused(&["runn"]).contains("是否想写 `run`？"), "{}", refused(&["runn"]));
        let text = refused(&["fork", "--last", "--at", "1", "--effects", "x"]);
        assert!(text.contains("可选：`ask`、`simulate`"), "{text}");
    }
}
