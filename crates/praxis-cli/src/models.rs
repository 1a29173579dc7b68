//! The models of this desk: which files name them, and what they need to be asked.

use crate::failure::{Exit, Failure};
use crate::home::Desk;
use crate::settings::Layer;
use praxis_adapters::model::{Around, Catalogue, File, Models};
use praxis_core::intake::problem::Problem;
use praxis_engine::clock::TokioClock;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "models.toml";

/// A `models.toml` as it is.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The file of the user, if there is a place for it; it need not be there.
pub(crate) fn user_file(desk: &Desk) -> Option<PathBuf> {
    beside(desk, Layer::User)
}

fn beside(desk: &Desk, layer: Layer) -> Option<PathBuf> {
    let file = desk.sources.files.iter().find(|file| file.layer == layer)?;
    Some(Path::new(&file.path).with_file_name(NAME))
}

/// The files that are there, the weakest first.
pub(crate) fn files(desk: &Desk) -> Result<Vec<Written>, Failure> {
    let mut paths: Vec<PathBuf> =
        [Layer::User, Layer::Project].into_iter().filter_map(|layer| beside(desk, layer)).collect();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| {
                    let words = ("the file is not UTF-8", "文件不是 UTF-8");
                    unusable(&path, words)
                })?;
                files.push(Written { path, text });
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => {
                let words =
                    (format!("the file cannot be read: {error}"), format!("无法读取文件：{error}"));
                return Err(unusable(&path, words));
            }
        }
    }
    Ok(files)
}

fn unusable(path: &Path, words: impl Into<praxis_core::intake::problem::Words>) -> Failure {
    let problem = Problem::new("models_file", &path.display().to_string(), words);
    Failure { exit: Exit::Usage, problems: vec![problem] }
}

/// The models that files name.
pub(crate) fn read(files: &[Written]) -> Result<Catalogue, Failure> {
    let paths: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
    let named = paths.iter().zip(files).map(|(path, file)| File { path, text: &file.text });
    let named: Vec<File<'_>> = named.collect();
    Catalogue::read(&named).map_err(|problems| Failure::refused(problems, ""))
}

/// The models of this desk.
pub(crate) fn catalogue(desk: &Desk) -> Result<Catalogue, Failure> {
    read(&files(desk)?)
}

/// The same, ready to be asked.
pub(crate) fn models(desk: &Desk) -> Result<Models, Failure> {
    let around = Around {
        guard: desk.guard(),
        vault: desk.vault(),
        clock: Arc::new(TokioClock::real()),
        cards: desk.folder.cards(),
    };
    Ok(Models::new(catalogue(desk)?, &around))
}
