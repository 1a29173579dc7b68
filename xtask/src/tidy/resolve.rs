//! Finds the module that defines what a path names, through imports and re-exports.

use super::names::NameMeaning;
use super::tree::{ModulePath, ModuleTree};

/// How many imports one path may go through: enough for any real one, and an end for those that go round.
const MOST_IMPORTS: u8 = 16;

/// Where a path leads.
#[derive(Debug, PartialEq)]
pub(crate) struct ResolvedPath {
    /// The module that defines what is named, or the module that is named.
    pub(crate) module: ModulePath,
    /// What is named inside of it; `None` if that is the module as a whole.
    pub(crate) item: Option<String>,
}

impl ModuleTree {
    /// Resolves a path that is written in `module`. `None` if it leads out of the crate, or nowhere.
    pub(crate) fn resolve(&self, module: &ModulePath, path: &[String]) -> Option<ResolvedPath> {
        self.follow(module, path, MOST_IMPORTS)
    }

    /// A path that begins with `crate`, `self` or `super`, from the root of the crate.
    pub(crate) fn absolute(&self, module: &ModulePath, path: &[String]) -> Option<Vec<String>> {
        let (first, mut rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => vec![],
            "self" => module.clone(),
            "super" => parent(module)?,
            _ => return None,
        };
        while let Some((_, after)) = rest.split_first().filter(|(name, _)| *name == "super") {
            base = parent(&base)?;
            rest = after;
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn follow(&self, module: &ModulePath, path: &[String], left: u8) -> Option<ResolvedPath> {
        let left = left.checked_sub(1)?;
        if let Some(path) = self.absolute(module, path) {
            return self.walk(&vec![], &path, left);
        }
        let first = path.first()?;
        self.step(module, first, path, left).or_else(|| self.through_globs(module, path, left))
    }

    /// Goes down from a module. A name that nobody knows was made by a macro: it counts as defined there.
    fn walk(&self, module: &ModulePath, path: &[String], left: u8) -> Option<ResolvedPath> {
        let Some(first) = path.first() else {
            return Some(ResolvedPath { module: module.clone(), item: None });
        };
        let found = self.step(module, first, path, left);
        let found = found.or_else(|| self.through_globs(module, path, left));
        found.or_else(|| Some(ResolvedPath { module: module.clone(), item: Some(first.clone()) }))
    }

    /// Takes the first name of a path, which `module` has to know by itself.
    fn step(
        &self,
        module: &ModulePath,
        first: &str,
        path: &[String],
        left: u8,
    ) -> Option<ResolvedPath> {
        let rest = path.get(1..).unwrap_or_default();
        let names = &self.modules.get(module)?.names;
        names.meanings(first, rest.is_empty()).into_iter().find_map(|meaning| match meaning {
            NameMeaning::Item => {
                Some(ResolvedPath { module: module.clone(), item: Some(first.to_owned()) })
            }
            NameMeaning::Child => {
                let child = [module.as_slice(), &[first.to_owned()]].concat();
                self.modules.contains_key(&child).then(|| self.walk(&child, rest, left))?
            }
            NameMeaning::Alias(target) => self.follow(module, &[&target, rest].concat(), left),
        })
    }

    fn through_globs(
        &self,
        module: &ModulePath,
        path: &[String],
        left: u8,
    ) -> Option<ResolvedPath> {
        let left = left.checked_sub(1)?;
        let first = path.first()?;
        let globs = &self.modules.get(module)?.names.globs;
        globs.iter().filter(|glob| glob.first() != Some(first)).find_map(|glob| {
            let all_of =
                self.follow(module, glob, left).filter(|place| place.item.is_none())?.module;
            let inside = self.step(&all_of, first, path, left);
            inside.or_else(|| self.through_globs(&all_of, path, left))
        })
    }
}

fn parent(module: &ModulePath) -> Option<ModulePath> {
    module.split_last().map(|(_, above)| above.to_vec())
}
