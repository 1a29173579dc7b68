//! Checks the layers: a top module imports only from layers below its own.
//!
//! A block `layers praxis-core` of `docs/ARCHITECTURE.md` lists the top modules of that crate, one layer per line,
//! from the bottom up.

use super::blocks::{Block, PAGE};
use super::findings::Findings;
use super::imports::Import;
use super::tree::ModuleTree;
use std::collections::{BTreeMap, BTreeSet};

/// The layer of each top module, counted from one at the bottom.
pub(crate) type ModuleLayers = BTreeMap<String, usize>;

/// Reads a block, and compares it with the modules of the crate.
pub(crate) fn read(block: &Block, tree: &ModuleTree, findings: &mut Findings) -> ModuleLayers {
    let name = block.subject().unwrap_or_default();
    let declared: BTreeSet<&str> = tree.top_modules().into_iter().collect();
    let mut layers = ModuleLayers::new();
    for (layer, line) in (1..).zip(&block.lines) {
        for module in line.text.split_whitespace() {
            let at = format!("{PAGE}:{}", line.number);
            if !declared.contains(module) {
                findings.error(format!(
                    "{at}: the layers of {name} list `{module}`, but its root declares no such module; remove it from the block"
                ));
            }
            if layers.insert(module.to_owned(), layer).is_some() {
                findings.error(format!(
                    "{at}: the layers of {name} list `{module}` twice; keep it in one layer"
                ));
            }
        }
    }
    for module in declared.iter().filter(|module| !layers.contains_key(**module)) {
        findings.error(format!(
            "{PAGE}: the layers of {name} do not list `{module}`; add it to the lowest layer above everything that it imports"
        ));
    }
    layers
}

/// Reports imports that do not go to a lower layer.
pub(crate) fn check(
    layers: &ModuleLayers,
    tree: &ModuleTree,
    imports: &[Import],
    findings: &mut Findings,
) {
    let mut told = BTreeSet::new();
    for import in imports {
        let Some(from) = import.from_top.as_ref() else { continue };
        for to in &import.to_tops {
            let (Some(own), Some(other)) = (layers.get(from), layers.get(to)) else { continue };
            if other >= own && told.insert((import.from, to, import.to, &import.item)) {
                findings.error(message(tree, import, (from, *own), (to, *other)));
            }
        }
    }
}

fn message(tree: &ModuleTree, import: &Import, from: (&str, usize), to: (&str, usize)) -> String {
    let file = tree.shown(import.from);
    let defined = tree.files.get(import.to);
    let ((from, own), (to, other)) = (from, to);
    let Import { line, path, .. } = import;
    let said = format!(
        "{file}:{line}: `{from}` (layer {own}) imports `{path}` from `{to}` (layer {other})"
    );
    let home = defined.and_then(|file| file.module.first()).filter(|home| *home != to);
    if let Some(home) = home {
        return format!(
            "{said}, which only passes it on; import it from `{home}`, which defines it"
        );
    }
    let where_to = if other == own {
        "which is in the same layer; modules of one layer do not import each other"
    } else {
        "which is above it; imports go down"
    };
    format!(
        "{said}, {where_to}: move what is needed to a layer below {own}, or the code that needs it to a layer above {other}"
    )
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
