//! `praxis model`: manages the models of `models.toml` and their prices.

use super::{model_list, model_probe, model_rehearse};
use crate::args_model::{ModelAdd, ModelArgs, ModelCommand, ModelPrice};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::models::{self, ModelsToml};
use crate::models_file::{with_key, with_table};
use praxis_adapters::model::{Catalogue, is_name, name_words, plain_key, presets, unknown_preset};
use praxis_core::ask::price::{TokenPrice, is_currency};
use praxis_core::problem::Problem;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, model: &ModelArgs) -> Result<ExitCode, CommandFailure> {
    match &model.what {
        ModelCommand::Add(add) => self::add(context, add),
        ModelCommand::List => model_list::list(context),
        ModelCommand::Probe(name) => model_probe::run(context, &name.name),
        ModelCommand::Report => model_list::report(context),
        ModelCommand::Price(price) => self::price(context, price),
        ModelCommand::ServeFake(serve) => model_rehearse::run(context, serve),
    }
}

/// Returns the catalogue's name of a model, or fails if there is none.
pub(crate) fn known<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a str, CommandFailure> {
    match catalogue.models.get_key_value(name) {
        Some((name, _)) => Ok(name),
        None => Err(CommandFailure {
            exit: Exit::NotFound,
            problems: vec![catalogue.unknown(name, "")],
        }),
    }
}

fn add(context: &CliContext, add: &ModelAdd) -> Result<ExitCode, CommandFailure> {
    let name = &add.name;
    check(add)?;
    let path = models::user_file(context).ok_or_else(|| {
        let words = (
            "cannot locate models.toml: neither XDG_CONFIG_HOME nor HOME is set; set one of them",
            "无法确定 models.toml 的位置：XDG_CONFIG_HOME 和 HOME 均未设置，请设置其中一个",
        );
        CommandFailure::usage("models_file", words)
    })?;
    let mut files = models::files(context)?;
    let before = models::read(&files)?;
    let place = files.iter().position(|file| file.path == path).unwrap_or_else(|| {
        files.insert(0, ModelsToml { path: path.clone(), text: String::new() });
        0
    });
    let is_first = before.role("default").is_none();
    let Some(file) = files.get_mut(place) else { return Ok(ExitCode::SUCCESS) };
    if models::read(std::slice::from_ref(file)).is_ok_and(|own| own.models.contains_key(name)) {
        let words = (
            format!("model `{name}` already exists in {}", path.display()),
            format!("{} 中已存在模型 `{name}`", path.display()),
        );
        return Err(CommandFailure::usage("duplicate_model", words));
    }
    let has_roles = file.text.parse::<toml::Table>().is_ok_and(|it| it.contains_key("roles"));
    let becomes_default = is_first && !has_roles;
    file.text = with_table(&file.text, &table(add, becomes_default));
    let text = file.text.clone();
    models::read(&files)?;
    write(&path, &text)?;
    told(context, add, &path, becomes_default);
    Ok(ExitCode::SUCCESS)
}

/// Checks the arguments up front, so that problems name the flag and not a place in a file that is not written yet.
fn check(add: &ModelAdd) -> Result<(), CommandFailure> {
    let mut problems = Vec::new();
    if !is_name(&add.name) {
        problems.push(Problem::new("bad_model", &add.name, name_words()));
    }
    if let Some(preset) = add.preset.as_ref().filter(|it| !presets().contains_key(it.as_str())) {
        problems.push(unknown_preset(preset, "--preset"));
    }
    if add.key.as_ref().is_some_and(|key| !key.starts_with("secret:")) {
        problems.push(plain_key("--key"));
    }
    if problems.is_empty() { Ok(()) } else { Err(CommandFailure::refused(problems, "")) }
}

/// Formats the model as a TOML table.
fn table(add: &ModelAdd, becomes_default: bool) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let name = if add.name.contains('.') { quoted(&add.name) } else { add.name.clone() };
    let mut out = format!("[models.{name}]\n");
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            out.push_str(&format!("{key} = {value}\n"));
        }
    };
    line("preset", add.preset.as_deref().map(quoted));
    match add.base_url.as_slice() {
        [] => {}
        [one] => line("base_url", Some(quoted(one))),
        several => {
            let listed: Vec<String> = several.iter().map(|url| quoted(url)).collect();
            line("endpoints", Some(format!("[{}]", listed.join(", "))));
        }
    }
    line("model", add.model.as_deref().map(quoted));
    line("key", add.key.as_deref().map(quoted));
    line("context", add.context.map(|context| context.to_string()));
    if becomes_default {
        out.push_str(&format!("\n[roles]\ndefault = {}\n", quoted(&add.name)));
    }
    out
}

/// Writes the file atomically: to a temporary file in the same folder, then renamed.
fn write(path: &Path, text: &str) -> Result<(), CommandFailure> {
    // A symbolic link stays a link: its target is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = folder.join(format!(".models.toml.{}", std::process::id()));
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, &path)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        let shown = path.display();
        let words =
            (format!("cannot write {shown}: {error}"), format!("无法写入 {shown}：{error}"));
        CommandFailure::new(Exit::Usage, "models_file", words)
    })
}

fn told(context: &CliContext, add: &ModelAdd, path: &Path, becomes_default: bool) {
    let name = &add.name;
    if context.json {
        let file = path.display().to_string();
        out!("{}", json!({"model": name, "file": file, "is_default": becomes_default}));
        return;
    }
    let shown = path.display();
    out!(
        "{}",
        context.say(format!("added {name} to {shown}"), format!("已将 {name} 写入 {shown}"))
    );
    let preset = add.preset.as_ref().and_then(|preset| presets().get(preset));
    if let Some(preset) = preset {
        note!("{}", context.say(preset.note.as_str(), preset.note_zh.as_str()));
    }
    let given = add.key.as_deref().and_then(|key| key.strip_prefix("secret:"));
    let secret = given.or_else(|| preset?.key.as_deref()).filter(|name| !context.has_secret(name));
    if let Some(secret) = secret {
        let variable = format!("PRAXIS_SECRET_{}", secret.to_uppercase());
        let (en, zh) = (
            format!("set the environment variable {variable} to the API key"),
            format!("请将环境变量 {variable} 设为 API 密钥"),
        );
        note!("{}", context.say(en, zh));
    }
    let command = format!("praxis model probe {name}");
    note!("{}", context.say(format!("then run: {command}"), format!("然后运行：{command}")));
}

fn price(context: &CliContext, price: &ModelPrice) -> Result<ExitCode, CommandFailure> {
    let name = &price.name;
    let written = price_text(price)?;
    let mut files = models::files(context)?;
    let catalogue = models::read(&files)?;
    known(&catalogue, name)?;
    // The last file that defines the model takes precedence.
    let has = |file: &&mut ModelsToml| {
        let table = file.text.parse::<toml::Table>().ok();
        let models = table.as_ref().and_then(|table| table.get("models")?.as_table());
        models.is_some_and(|models| models.contains_key(name))
    };
    let Some(file) = files.iter_mut().rev().find(has) else { return Ok(ExitCode::SUCCESS) };
    let path = file.path.clone();
    let changed = with_key(&file.text, name, "price", &written);
    file.text = changed.ok_or_else(|| by_hand(&path, &written))?;
    let text = file.text.clone();
    let after = models::read(&files)?;
    write(&path, &text)?;
    let now = after.models.get(name).and_then(|entry| entry.price.clone());
    if context.json {
        out!("{}", json!({"model": name, "price": now, "file": path.display().to_string()}));
    } else if let Some(now) = now {
        out!("{name}: {}", model_list::price_words(context, &now));
    }
    Ok(ExitCode::SUCCESS)
}

fn price_text(price: &ModelPrice) -> Result<String, CommandFailure> {
    let mut problems = Vec::new();
    let cached = price.cached.as_deref().map(|cached| ("cached", cached));
    let rates = [("input", price.input.as_str()), ("output", &price.output)];
    let rates: Vec<(&str, &str)> = rates.into_iter().chain(cached).collect();
    for (key, text) in &rates {
        if TokenPrice::read(text).is_none() {
            let words = (format!("invalid price `{text}`"), format!("价格 `{text}` 无效"));
            problems.push(Problem::new("bad_model", &format!("--{key}"), words).next((
                "write a number such as `2` or `0.5`, with at most 12 digits after the point",
                "请写数字，如 `2` 或 `0.5`，小数点后最多 12 位",
            )));
        }
    }
    if !is_currency(&price.currency) {
        let it = &price.currency;
        let words = (format!("invalid currency `{it}`"), format!("货币 `{it}` 无效"));
        let next = (
            "use a three-letter code in capitals, such as `CNY`",
            "请使用三个大写字母的代码，如 `CNY`",
        );
        problems.push(Problem::new("bad_model", "--currency", words).next(next));
    }
    if !problems.is_empty() {
        return Err(CommandFailure::refused(problems, ""));
    }
    let rates: Vec<String> =
        rates.iter().map(|(key, text)| format!("{key} = {}", bare_or_quoted(text))).collect();
    let per = if price.per == 1_000_000 { String::new() } else { format!(", per = {}", price.per) };
    Ok(format!("{{ currency = \"{}\", {}{per} }}", price.currency, rates.join(", ")))
}

/// Writes a number so that it keeps every digit when it is read back: bare if TOML can, otherwise quoted.
fn bare_or_quoted(text: &str) -> String {
    let is_bare = text.len() <= 15 && format!("x = {text}").parse::<toml::Table>().is_ok();
    if is_bare { text.to_owned() } else { format!("\"{text}\"") }
}

fn by_hand(path: &Path, written: &str) -> CommandFailure {
    let shown = path.display();
    let words = (
        format!("cannot edit this model's entry in {shown} automatically"),
        format!("无法自动修改 {shown} 中该模型的条目"),
    );
    let next = (
        format!("edit the file and set price = {written}"),
        format!("请编辑该文件，写入 price = {written}"),
    );
    CommandFailure::usage("models_file", words).next(next)
}
