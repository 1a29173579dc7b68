//! Finds the imports between the files of a crate.

use super::tree::ModuleTree;
use super::written::{self, PathKind, WrittenPath};
use std::collections::BTreeSet;

/// A use of another file's item or module.
#[derive(Debug)]
pub(crate) struct Import {
    /// The index of the importing file.
    pub(crate) from: usize,
    pub(crate) line: usize,
    /// The path as written.
    pub(crate) path: String,
    /// The index of the file that defines the imported item.
    pub(crate) to: usize,
    /// The item's name in that file; `None` if a whole module is imported.
    pub(crate) item: Option<String>,
    /// The importing top module; `None` in the root.
    pub(crate) from_top: Option<String>,
    /// The other top modules that it depends on through this import: the one that defines the item, and the one that
    /// the path begins with.
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
    // A single known name comes from a `use`, which is counted itself; an unknown one may come from a glob.
    let is_known = path.first().is_some_and(|first| names.known.contains_key(first));
    if *kind == PathKind::Mention && path.len() == 1 && is_known {
        return None;
    }
    let place = tree.resolve(module, path)?;
    // Re-exporting an own submodule is not a dependency on it.
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
