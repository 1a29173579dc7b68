//! Loads the prompts, scenes and workflows that are in force.

use super::files::{files, read_within, shown};
use super::prompts;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::prompt::Pack;
use praxis_core::route::scene::{self, Scene};
use praxis_core::route::workflow::{self, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum size of a scene or workflow file in bytes.
pub const MOST_BYTES: u64 = 1024 * 1024;

const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];
const FORMATS: &[&str] = &["toml", "yaml", "yml", "json"];

/// The prompts, scenes and workflows that are in force.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLibrary {
    /// The prompt texts of each language.
    pub packs: BTreeMap<Lang, Pack>,
    /// The scenes in the order in which they are tried: new ones first, then the built-in ones.
    pub scenes: Vec<Scene>,
    /// The workflows, sorted by id.
    pub workflows: Vec<Workflow>,
    /// The user's synonyms of all folders, one group per line.
    pub synonyms: String,
    /// The problems of files; such files are not used.
    pub problems: Vec<Problem>,
    /// The number of problems in prompt files; they come first in `problems`.
    of_prompts: usize,
    prompt_files: BTreeMap<(Lang, String), PathBuf>,
    scene_files: BTreeMap<String, PathBuf>,
    workflow_files: BTreeMap<String, PathBuf>,
}

impl LoadedLibrary {
    /// Returns the library that is built into the binary.
    pub fn embedded() -> Self {
        Self {
            packs: LANGS.into_iter().map(|lang| (lang, Pack::embedded(lang))).collect(),
            scenes: scene::embedded(),
            workflows: vec![],
            synonyms: String::new(),
            problems: vec![],
            of_prompts: 0,
            prompt_files: BTreeMap::new(),
            scene_files: BTreeMap::new(),
            workflow_files: BTreeMap::new(),
        }
    }

    /// Loads the built-in library and overrides it with the files of these folders. A later folder wins.
    pub fn load(folders: &[PathBuf]) -> Self {
        let mut library = Self::embedded();
        for lang in LANGS {
            library.prompts(folders, lang);
        }
        library.of_prompts = library.problems.len();
        for folder in folders {
            library.scenes(folder);
            library.workflows(folder);
            library.synonyms(folder);
        }
        let known = scene::embedded();
        let is_new = |scene: &Scene| known.iter().all(|old| old.id != scene.id);
        library
            .scenes
            .sort_by_key(|scene| (!is_new(scene), is_new(scene).then(|| scene.id.clone())));
        library.workflows.sort_by(|a, b| a.id.cmp(&b.id));
        library
    }

    /// Adds workflows whose ids are not in use yet.
    #[must_use]
    pub fn beside(mut self, workflows: Vec<Workflow>) -> Self {
        for workflow in workflows {
            if self.workflows.iter().all(|known| known.id != workflow.id) {
                self.workflows.push(workflow);
            }
        }
        self.workflows.sort_by(|a, b| a.id.cmp(&b.id));
        self
    }

    /// Returns the prompt texts of a language.
    pub fn pack(&self, lang: Lang) -> Option<&Pack> {
        self.packs.get(&lang)
    }

    /// Returns the problems of the prompt files.
    pub fn prompt_problems(&self) -> &[Problem] {
        self.problems.get(..self.of_prompts).unwrap_or_default()
    }

    /// Returns the files that override prompt parts, ordered by language and part.
    pub fn prompt_files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.prompt_files.iter().map(|((_, part), path)| (part.as_str(), path.as_path()))
    }

    /// Returns the file of a prompt part; `None` if the part is built in.
    pub fn file_of_part(&self, lang: Lang, part: &str) -> Option<&Path> {
        self.prompt_files.get(&(lang, part.to_owned())).map(PathBuf::as_path)
    }

    /// Returns the file of a scene; `None` if it is built in.
    pub fn file_of_scene(&self, id: &str) -> Option<&Path> {
        self.scene_files.get(id).map(PathBuf::as_path)
    }

    /// Returns the file of a workflow.
    pub fn file_of_workflow(&self, id: &str) -> Option<&Path> {
        self.workflow_files.get(id).map(PathBuf::as_path)
    }

    fn prompts(&mut self, folders: &[PathBuf], lang: Lang) {
        let mut texts = BTreeMap::new();
        for folder in folders {
            for (name, (text, path)) in prompts::texts(folder, lang, &mut self.problems) {
                self.prompt_files.insert((lang, name.clone()), path);
                texts.insert(name, text);
            }
        }
        match Pack::embedded(lang).with(texts) {
            Ok(pack) => drop(self.packs.insert(lang, pack)),
            // Cannot happen: each text was checked before it was taken.
            Err(problems) => self.problems.extend(problems),
        }
    }

    fn scenes(&mut self, folder: &Path) {
        let mut here = BTreeMap::new();
        for (path, document) in self.documents(folder, "scenes") {
            let read = scene::read(&document).map_err(|problems| self.blame(&path, problems));
            if let Ok(scene) = read
                && self.is_first(&mut here, &scene.id, &path)
            {
                self.scene_files.insert(scene.id.clone(), path);
                put(&mut self.scenes, scene, |scene| &scene.id);
            }
        }
    }

    fn workflows(&mut self, folder: &Path) {
        let mut here = BTreeMap::new();
        for (path, document) in self.documents(folder, "workflows") {
            let read = workflow::read(&document).map_err(|problems| self.blame(&path, problems));
            for workflow in read.into_iter().flatten() {
                if self.is_first(&mut here, &workflow.id, &path) {
                    self.workflow_files.insert(workflow.id.clone(), path.clone());
                    put(&mut self.workflows, workflow, |workflow| &workflow.id);
                }
            }
        }
    }

    fn synonyms(&mut self, folder: &Path) {
        let path = folder.join("synonyms.txt");
        if !path.exists() {
            return;
        }
        match read_within(folder, &path, MOST_BYTES) {
            // Invalid UTF-8 is replaced: it spoils only the word that it is in.
            Ok(bytes) => self.synonyms.extend([&*String::from_utf8_lossy(&bytes), "\n"]),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Reads the documents in a subfolder; unreadable ones become problems.
    fn documents(&mut self, root: &Path, below: &str) -> Vec<(PathBuf, Value)> {
        let mut documents = Vec::new();
        for path in files(&root.join(below), FORMATS, &mut self.problems) {
            let name = shown(&path);
            let read = read_within(root, &path, MOST_BYTES).and_then(|bytes| {
                let format = DocumentFormat::of_name(&name).unwrap_or(DocumentFormat::Toml);
                document::read(&bytes, format).map_err(|error| error.problem(&name))
            });
            match read {
                Ok(document) => documents.push((path, document)),
                Err(problem) => self.problems.push(problem),
            }
        }
        documents
    }

    /// Returns true if no earlier file of this folder has the id; otherwise adds a `given_twice` problem.
    fn is_first(&mut self, here: &mut BTreeMap<String, PathBuf>, id: &str, path: &Path) -> bool {
        let Some(other) = here.get(id) else {
            here.insert(id.to_owned(), path.to_owned());
            return true;
        };
        let other = shown(other);
        let words =
            (format!("`{id}` is also defined in {other}"), format!("`{id}` 在 {other} 中也有定义"));
        self.problems.push(Problem::new("given_twice", &shown(path), words));
        false
    }

    fn blame(&mut self, path: &Path, problems: Vec<Problem>) {
        let place = shown(path);
        self.problems.extend(problems.into_iter().map(|problem| problem.within(&place)));
    }
}

/// Replaces the entry with the same id, or appends.
fn put<T>(all: &mut Vec<T>, new: T, id: impl Fn(&T) -> &String) {
    let old = all.iter_mut().find(|old| id(old) == id(&new));
    match old {
        Some(old) => *old = new,
        None => all.push(new),
    }
}
