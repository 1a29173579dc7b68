//! The help texts in Chinese.
//!
//! - in: the command tree that clap builds from the argument types, with its English texts
//! - out: the same tree with every text replaced by its translation in `help_zh.toml`
//! - never: changes names, values or the examples themselves

use crate::args::Cli;
use crate::settings::{self, Environment};
use crate::usage_zh;
use crate::view::text::{pad, width};
use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches};
use praxis_core::lang::Lang;
use std::collections::BTreeMap;

/// English texts and their translations.
const ZH: &str = include_str!("help_zh.toml");

/// The layout of a help page, with Chinese headings.
const TEMPLATE: &str = "{before-help}{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}";

/// Parses the command line. Help is shown in the language of `--lang`, the environment or the locale.
pub(crate) fn parse(words: &[String]) -> Cli {
    let lang = lang(words);
    let matches = command(lang).try_get_matches().unwrap_or_else(|error| exit(&error, lang));
    // The matches come from the same command tree.
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| exit(&error, lang))
}

/// Prints a help page or a usage error, and exits.
fn exit(error: &clap::Error, lang: Lang) -> ! {
    match lang {
        Lang::En => error.exit(),
        Lang::Zh => usage_zh::exit(error),
    }
}

/// Finds the language before anything is parsed.
fn lang(words: &[String]) -> Lang {
    let after = |pair: &[String]| {
        let [flag, value] = pair else { return None };
        (flag == "--lang").then(|| value.clone())
    };
    let joined = |word: &String| word.strip_prefix("--lang=").map(str::to_owned);
    let named = words.windows(2).find_map(after).or_else(|| words.iter().find_map(joined));
    let environment = Environment::real();
    environment.map_or(Lang::En, |it| settings::likely_lang(&it, named.as_deref()))
}

/// Returns the command tree in a language.
pub(crate) fn command(lang: Lang) -> Command {
    match lang {
        Lang::En => Cli::command(),
        Lang::Zh => translated(Cli::command(), &catalogue()),
    }
}

fn catalogue() -> BTreeMap<String, String> {
    // A test reads the same text; a catalogue that cannot be read leaves the help in English.
    toml::from_str(ZH).unwrap_or_default()
}

fn translated(command: Command, texts: &BTreeMap<String, String>) -> Command {
    let about = command.get_about().map(|about| line(&about.to_string(), texts));
    let after = command.get_after_help().map(|after| lines(&after.to_string(), texts));
    let names: Vec<String> =
        command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let has_version = command.get_version().is_some();
    let mut command = command
        .help_template(TEMPLATE)
        .subcommand_help_heading("命令")
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .mut_args(|arg| argument(arg, texts))
        .arg(flag("help", 'h', ArgAction::Help, "显示帮助"));
    if has_version {
        command = command.arg(flag("version", 'V', ArgAction::Version, "显示版本"));
    }
    for name in names {
        command = command.mut_subcommand(name, |inner| translated(inner, texts));
    }
    command = about.into_iter().fold(command, Command::about);
    after.into_iter().fold(command, Command::after_help)
}

/// Builds a flag that clap would add with an English text.
fn flag(name: &'static str, short: char, action: ArgAction, help: &'static str) -> Arg {
    Arg::new(name).short(short).long(name).action(action).help(help).help_heading("选项")
}

fn argument(arg: Arg, texts: &BTreeMap<String, String>) -> Arg {
    let heading = if arg.is_positional() { "参数" } else { "选项" };
    let values = values(&arg, texts);
    let default = default(&arg);
    let help = arg.get_help().map(|help| line(&help.to_string(), texts) + &values + &default);
    // clap would list the values and the default in English.
    let takes = arg.get_action().takes_values();
    let arg = arg.help_heading(heading).hide_possible_values(takes).hide_default_value(takes);
    help.into_iter().fold(arg, Arg::help)
}

/// Returns the default value of an argument, as clap would show it.
fn default(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_default_values().iter().map(|it| it.to_string_lossy().into_owned()).collect();
    let is_flag = !arg.get_action().takes_values();
    if values.is_empty() || is_flag {
        String::new()
    } else {
        format!(" [默认值：{}]", values.join(" "))
    }
}

/// Lists the values of an argument, with their texts.
fn values(arg: &Arg, texts: &BTreeMap<String, String>) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let told = arg.get_possible_values().into_iter().map(|value| {
        let help = value.get_help().map(|help| line(&help.to_string(), texts));
        let help = help.map(|help| format!("（{help}）")).unwrap_or_default();
        format!("{}{help}", value.get_name())
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!("：{}", told.join("、")) }
}

fn line(text: &str, texts: &BTreeMap<String, String>) -> String {
    texts.get(text).cloned().unwrap_or_else(|| text.to_owned())
}

/// Translates the lines of a text. Of an example, quoted words and the remark after the command are translated.
fn lines(text: &str, texts: &BTreeMap<String, String>) -> String {
    let each = text.lines().map(|written| {
        let found = texts.get(written.trim()).cloned();
        found.or_else(|| remark(written, texts)).unwrap_or_else(|| spoken(written, texts))
    });
    each.collect::<Vec<_>>().join("\n")
}

fn remark(written: &str, texts: &BTreeMap<String, String>) -> Option<String> {
    let (example, remark) = written.rsplit_once("   ")?;
    let told = pad(&spoken(example, texts), width(example));
    Some(format!("{told}   {}", texts.get(remark.trim())?))
}

/// Translates the quoted words of an example.
fn spoken(example: &str, texts: &BTreeMap<String, String>) -> String {
    let mut told = example.to_owned();
    for quote in ['"', '\''] {
        for words in example.split(quote).skip(1).step_by(2) {
            if let Some(translation) = texts.get(words) {
                told = told.replace(words, translation);
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Collects every text of a command tree that has to be translated.
    fn texts(command: &Command, found: &mut BTreeSet<String>) {
        found.extend(command.get_about().map(ToString::to_string));
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for written in after.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if !written.starts_with("praxis ") && !written.starts_with("PRAXIS_") {
                found.insert(written.to_owned());
                continue;
            }
            let quoted =
                ['"', '\''].into_iter().flat_map(|it| written.split(it).skip(1).step_by(2));
            let is_spoken =
                |it: &&str| it.is_ascii() && it.contains(' ') && !it.contains(['"', '{', '[']);
            found.extend(quoted.filter(is_spoken).map(str::to_owned));
            if let Some((_, remark)) = written.rsplit_once("   ") {
                found.insert(remark.trim().to_owned());
            }
        }
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        for arg in shown.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str())) {
            found.extend(arg.get_help().map(ToString::to_string));
            let values = arg.get_possible_values();
            found.extend(
                values.iter().filter_map(|value| value.get_help()).map(ToString::to_string),
            );
        }
        // clap adds `help` to the English tree alone.
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        inner.for_each(|inner| texts(inner, found));
    }

    #[test]
    fn every_help_text_has_a_chinese_translation_and_no_translation_is_left_over() {
        let catalogue: BTreeMap<String, String> = toml::from_str(ZH).unwrap();
        let mut command = Cli::command();
        command.build();
        let mut found = BTreeSet::new();
        texts(&command, &mut found);
        let known: BTreeSet<String> = catalogue.keys().cloned().collect();
        let missing: Vec<&String> = found.difference(&known).collect();
        assert!(missing.is_empty(), "not translated: {missing:#?}");
        let unused: Vec<&String> = known.difference(&found).collect();
        assert!(unused.is_empty(), "translated, but shown nowhere: {unused:#?}");
        command.debug_assert();
        super::command(Lang::Zh).debug_assert();
    }
}
