//! `praxis example`: lists the examples inside the binary, or writes one as a project folder.

use crate::args_example::ExampleArgs as Args;
use crate::context::CliContext;
use crate::examples::find;
use crate::failure::CommandFailure;
use crate::inputs::unwritten;
use crate::view::text::pad;
use praxis_toolbox::{EXAMPLES, ExampleProject};
use serde_json::json;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    let Some(name) = &args.name else {
        for example in EXAMPLES {
            list(context, example);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let example = find(name)?;
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from(example.folder));
    refuse_taken(&folder)?;
    for (path, text) in example.files {
        let path = folder.join(path);
        write(&path, text).map_err(|error| unwritten(&path, &error))?;
    }
    tell(context, example, &folder);
    Ok(ExitCode::SUCCESS)
}

fn list(context: &CliContext, example: &ExampleProject) {
    let ExampleProject { name, about: (en, zh), .. } = *example;
    if context.json {
        let files: Vec<&str> = example.files.iter().map(|(path, _)| *path).collect();
        return out!("{}", json!({"example": name, "about": {"en": en, "zh": zh}, "files": files}));
    }
    out!("{} {}", pad(name, 24), context.say(en, zh));
}

/// Refuses a path that is taken. An empty folder is accepted.
fn refuse_taken(folder: &Path) -> Result<(), CommandFailure> {
    let shown = folder.display();
    let words = match fs::read_dir(folder).map(|mut entries| entries.next()) {
        Ok(None) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(Some(_)) => (format!("{shown} is not empty"), format!("{shown} 不是空文件夹")),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            (format!("{shown} is not a folder"), format!("{shown} 不是文件夹"))
        }
        Err(error) => return Err(unwritten(folder, &error)),
    };
    Err(CommandFailure::usage("folder_taken", words))
}

/// Writes a new file. Never overwrites an existing one.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    File::create_new(path)?.write_all(text.as_bytes())
}

/// Prints the folder to stdout, and the next commands to stderr.
fn tell(context: &CliContext, example: &ExampleProject, folder: &Path) {
    let (en, zh) = example.goal;
    let (enter, run) =
        (format!("cd {}", quoted(folder)), format!("praxis run \"{}\"", context.say(en, zh)));
    if context.json {
        let folder = folder.display().to_string();
        return out!(
            "{}",
            json!({"example": example.name, "folder": folder, "next": [enter, run]})
        );
    }
    out!("{}", folder.display());
    note!("{}{enter}", context.say("  next    ", "  下一步  "));
    note!("{}{run}", pad("", 10));
}

/// Quotes a path for the shell.
fn quoted(path: &Path) -> String {
    let shown = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if shown.chars().all(is_plain) && !shown.starts_with('-') {
        return shown;
    }
    let dashed = if shown.starts_with('-') { "./" } else { "" };
    format!("'{dashed}{}'", shown.replace('\'', "'\\''"))
}
