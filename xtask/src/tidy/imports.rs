//! What the files of a crate import from each other.

use super::tree::ModuleTree;
use super::written::{self, PathKind, WrittenPath};
use std::collections::BTreeSet;

/// One file names something of another one.
#[derive(Debug)]
pub(crate) struct Import {
    /// Which file imports.
    pub(crate) from: usize,
    pub(crate) line: usize,
    /// The path as it is written.
    pub(crate) path: String,
    /// Which file defines what is imported.
    pub(crate) to: usize,
    /// What it is called there; `None` if a module is imported as a whole.
    pub(crate) item: Option<String>,
    /// The top module that imports; `None` in the root.
    pub(crate) from_top: Option<String>,
    /// Other top modules that this makes it know: that which defines the thing, and that which the path goes through.
    pub(crate) to_tops: BTreeSet<String>,
}

/// Finds all imports of a crate, file by file.
pub(crate) fn find(tree: &ModuleTree) -> Vec<Import> {
    let mut all = Vec::new();
    for (number, file) in tree.files.iter().enumerate() {
        all.extend(written::paths(file).iter().filter_map(|it| import(tree, number, it)));
    }
    all
}

fn import(tree: &ModuleTree, from: usize, written: &WrittenPath) -> Option<Import> {
    let WrittenPath { module, path, line, kind } = written;
    let names = &tree.modules.get(module)?.names;
    // A single name is either brought in by a `use`, which counts itself, or by a glob.
    let is_known = path.first().is_some_and(|first| names.known.contains_key(first));
    if *kind == PathKind::Mention && path.len() == 1 && is_known {
        return None;
    }
    let place = tree.resolve(module, path)?;
    // A module that shows its own parts depends on none of them.
    if *kind == PathKind::ReExport && place.module.starts_with(module) {
        return None;
    }
    let to = tree.modules.get(&place.module)?.file;
    let through = tree.absolute(module, path).unwrap_or_default();
    let is_top = |name: &&String| tree.modules.contains_key(std::slice::from_ref(*name));
    let tops = place.module.first().into_iter().chain(through.first().filter(is_top));
    let from_top = module.first().cloned();
    let to_tops: BTreeSet<String> =
        tops.filter(|top| Some(*top) != from_top.as_ref()).cloned().collect();
    if to == from && to_tops.is_empty() {
        return None;
    }
    Some(Import {
        from,
        line: *line,
        path: path.join("::"),
        to,
        item: place.item,
        from_top,
        to_tops,
    })
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
