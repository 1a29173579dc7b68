//! The configured models: the `models.toml` files, and the environment that model calls need.

use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::settings::Layer;
use praxis_adapters::model::{
    Catalogue, CatalogueFile, CatalogueModels, ModelEnvironment, Vocabulary,
};
use praxis_core::ask::tokens::{Calibration, Estimate, TokenCounter};
use praxis_core::problem::Problem;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const NAME: &str = "models.toml";

/// A `models.toml` with its text.
#[derive(Clone, Debug)]
pub(crate) struct ModelsToml {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Returns the path of the user's file, which need not exist; `None` without a config folder.
pub(crate) fn user_file(context: &CliContext) -> Option<PathBuf> {
    beside(context, Layer::User)
}

fn beside(context: &CliContext, layer: Layer) -> Option<PathBuf> {
    let file = context.sources.files.iter().find(|file| file.layer == layer)?;
    Some(Path::new(&file.path).with_file_name(NAME))
}

/// Returns the paths of the files, lowest precedence first; they need not exist.
fn places(context: &CliContext) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = [Layer::User, Layer::Project]
        .into_iter()
        .filter_map(|layer| beside(context, layer))
        .collect();
    paths.dedup();
    paths
}

/// Reads the existing files, lowest precedence first.
pub(crate) fn files(context: &CliContext) -> Result<Vec<ModelsToml>, CommandFailure> {
    written(&places(context))
}

fn written(paths: &[PathBuf]) -> Result<Vec<ModelsToml>, CommandFailure> {
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read(path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| {
                    let words = ("the file is not UTF-8", "文件不是 UTF-8");
                    unusable(path, words)
                })?;
                files.push(ModelsToml { path: path.clone(), text });
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => {
                let words =
                    (format!("cannot read the file: {error}"), format!("无法读取文件：{error}"));
                return Err(unusable(path, words));
            }
        }
    }
    Ok(files)
}

fn unusable(path: &Path, words: impl Into<praxis_core::problem::Bilingual>) -> CommandFailure {
    let problem = Problem::new("models_file", &path.display().to_string(), words);
    CommandFailure { exit: Exit::Usage, problems: vec![problem] }
}

/// Parses files into a `Catalogue`.
pub(crate) fn read(files: &[ModelsToml]) -> Result<Catalogue, CommandFailure> {
    let paths: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
    let named =
        paths.iter().zip(files).map(|(path, file)| CatalogueFile { path, text: &file.text });
    let named: Vec<CatalogueFile<'_>> = named.collect();
    Catalogue::read(&named).map_err(|problems| CommandFailure::refused(problems, ""))
}

/// Reads the catalogue of the configured models.
pub(crate) fn catalogue(context: &CliContext) -> Result<Catalogue, CommandFailure> {
    read(&files(context)?)
}

fn around(context: &CliContext) -> ModelEnvironment {
    ModelEnvironment {
        guard: context.guard(),
        vault: context.vault(),
        clock: Arc::new(TokioClock::real()),
        cards: context.folder.cards(),
    }
}

/// Builds the configured models, ready for requests.
pub(crate) fn models(context: &CliContext) -> Result<CatalogueModels, CommandFailure> {
    Ok(CatalogueModels::new(catalogue(context)?, &around(context)))
}

/// The models of an owner. Reloads the files for an unknown name, because a model may be added while the owner runs.
pub(crate) struct Current {
    places: Vec<PathBuf>,
    around: ModelEnvironment,
    now: Mutex<Arc<CatalogueModels>>,
}

impl Current {
    /// Loads the models from the files.
    pub(crate) fn open(context: &CliContext) -> Result<Self, CommandFailure> {
        let now = Mutex::new(Arc::new(models(context)?));
        Ok(Self { places: places(context), around: around(context), now })
    }

    /// Returns the models as last loaded.
    pub(crate) fn known(&self) -> Arc<CatalogueModels> {
        Arc::clone(&self.now.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl seams::Models for Current {
    fn get(&self, name: &str) -> Option<Arc<dyn seams::Model>> {
        if let Some(model) = self.known().get(name) {
            return Some(model);
        }
        // If the files cannot be read, the loaded models stay.
        let catalogue = written(&self.places).and_then(|files| read(&files)).ok()?;
        let found = Arc::new(CatalogueModels::new(catalogue, &self.around));
        let model = found.get(name)?;
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Some(model)
    }
}

/// Returns the token counter for tasks: the vocabulary of the planning model, otherwise an estimate. It uses no
/// learned calibration, because a replay must count the same.
pub(crate) fn counter(models: &CatalogueModels) -> Arc<dyn TokenCounter> {
    let facts = models.role("plan").and_then(|name| models.facts(name));
    facts.map_or_else(
        || Arc::new(Estimate::default()) as Arc<dyn TokenCounter>,
        |facts| facts.vocabulary.tokens(Calibration::default()),
    )
}

/// Returns every token counter that a recorded task may have used.
pub(crate) fn counters() -> Vec<Arc<dyn TokenCounter>> {
    let all = [Vocabulary::None, Vocabulary::O200k, Vocabulary::Cl100k];
    all.into_iter().map(|vocabulary| vocabulary.tokens(Calibration::default())).collect()
}
