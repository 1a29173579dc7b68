//! `praxis scene`: lists scenes and shows their keywords and guidance.

use super::library::{open, source, told_source};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::library_args::{SceneArgs as Args, SceneCommand};
use crate::view::text::{Paint, comma, cut, pad, sanitize};
use praxis_adapters::library::LoadedLibrary;
use praxis_core::route::scene::{self, Scene, Topic};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Maximum number of characters to print of a text.
const MOST_CHARS: usize = 100_000;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    let library = open(context);
    match &args.what {
        SceneCommand::List => {
            for scene in &library.scenes {
                list(context, &library, scene);
            }
        }
        SceneCommand::Show { scene } => show(context, &library, find(&library, scene)?),
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds a scene by its id or an alias, ignoring case.
fn find<'a>(library: &'a LoadedLibrary, wanted: &str) -> Result<&'a Scene, CommandFailure> {
    let unknown = |problem| CommandFailure { exit: Exit::NotFound, problems: vec![problem] };
    scene::by_name(&library.scenes, wanted).map_err(unknown)
}

fn list(context: &CliContext, library: &LoadedLibrary, scene: &Scene) {
    let file = library.file_of_scene(&scene.id);
    if context.json {
        return out!("{}", as_json(library, scene));
    }
    let aliases = scene.aliases.join(comma(context.lang));
    let (name, from) = (scene.name.tell(context.lang), told_source(context, file));
    out!(
        "{} {} {} {}",
        pad(&cut(&scene.id, 28), 28),
        pad(&cut(name, 28), 28),
        pad(&from, 8),
        cut(&aliases, 60)
    );
}

fn show(context: &CliContext, library: &LoadedLibrary, scene: &Scene) {
    if context.json {
        return out!("{}", as_json(library, scene));
    }
    let paint = Paint(context.colors);
    let line = |en: &str, zh: &str, words: &str| {
        out!("{} {}", pad(&context.say(en, zh), 10), sanitize(words, MOST_CHARS));
    };
    out!("{} {}", paint.bold(&cut(&scene.id, 80)), cut(scene.name.tell(context.lang), 80));
    line("source", "来源", &told_source(context, library.file_of_scene(&scene.id)));
    line("aliases", "别名", &scene.aliases.join(comma(context.lang)));
    line("keywords", "关键词", &scene.keywords.join(comma(context.lang)));
    for (name, topic) in Topic::ALL {
        if let Some(words) = scene.guidance(topic, context.lang) {
            out!("\n{}\n{}", paint.bold(name), sanitize(words, MOST_CHARS));
        }
    }
}

fn as_json(library: &LoadedLibrary, scene: &Scene) -> Value {
    let mut written = serde_json::to_value(scene).unwrap_or_default();
    if let Some(map) = written.as_object_mut() {
        map.insert("source".to_owned(), json!(source(library.file_of_scene(&scene.id))));
    }
    written
}
