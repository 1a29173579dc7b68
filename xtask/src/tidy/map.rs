//! `cargo xtask tidy --map CRATE`: prints the imports of a crate's top modules, as a help for moving code.

use super::graph;
use super::imports::{self, Import};
use super::knots::of_modules;
use super::tree::ModuleTree;
use std::collections::{BTreeMap, BTreeSet};

/// Formats each top module with the modules that it imports, and for each of these the files and the imported names.
pub(crate) fn show(tree: &ModuleTree) -> String {
    let imports = imports::find(tree);
    let graph = of_modules(tree, &imports);
    let knots = graph::knots(&graph);
    let knot_of = |module: &String| knots.iter().position(|knot| knot.contains(module));
    let mut lines = Vec::new();
    for (from, tos) in &graph {
        let importers = graph.values().filter(|tos| tos.contains(from)).count();
        lines.push(format!("{from}: imports from {}, imported by {importers}", tos.len()));
        for to in tos {
            let round = knot_of(from).is_some() && knot_of(from) == knot_of(to);
            let mutual = graph.get(to).is_some_and(|back| back.contains(from));
            let mark = match (mutual, round) {
                (true, _) => "  (each imports the other)",
                (false, true) => "  (in a circle)",
                (false, false) => "",
            };
            lines.push(format!("  → {to}{mark}"));
            lines.extend(edges(tree, &imports, from, to));
        }
    }
    lines.push(summary(tree, &imports, &knots));
    lines.join("\n")
}

/// Returns a line for each pair of files behind an edge, with the imported names.
fn edges(tree: &ModuleTree, imports: &[Import], from: &String, to: &String) -> Vec<String> {
    let mut pairs: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let is_edge = |it: &&Import| it.from_top.as_ref() == Some(from) && it.to_tops.contains(to);
    for import in imports.iter().filter(is_edge) {
        let pair = (tree.shown(import.from), tree.shown(import.to));
        pairs.entry(pair).or_default().extend(import.item.as_deref());
    }
    let line = |((from, to), items): (&(&str, &str), &BTreeSet<&str>)| {
        let items: Vec<&str> = items.iter().copied().collect();
        format!("      {from} → {to}: {}", items.join(", "))
    };
    pairs.iter().map(line).collect()
}

fn summary(tree: &ModuleTree, imports: &[Import], knots: &[Vec<String>]) -> String {
    let mut lines: Vec<String> = knots
        .iter()
        .map(|knot| format!("knot of {} modules: {}", knot.len(), knot.join(" ")))
        .collect();
    for knot in graph::knots(&super::knots::of_files(tree, imports)) {
        let files: Vec<&str> = knot.iter().map(|file| tree.shown(*file)).collect();
        lines.push(format!("knot of {} files: {}", files.len(), files.join(" ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_is_shown_with_its_files_and_what_they_take() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a.rs", "use crate::b::{B, C};\nuse crate::c::D;\nstruct A(crate::b::B);"),
            ("b.rs", "use crate::c;\nfn b() { c::f() }"),
            ("c.rs", "use crate::b::B;"),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let tree = ModuleTree::read(folder.path(), &folder.path().join("lib.rs")).unwrap();
        let shown = "a: imports from 2, imported by 0
  → b
      a.rs → b.rs: B, C
  → c
      a.rs → c.rs: D
b: imports from 1, imported by 2
  → c  (each imports the other)
      b.rs → c.rs: f
c: imports from 1, imported by 2
  → b  (each imports the other)
      c.rs → b.rs: B
knot of 2 modules: b c
knot of 2 files: b.rs c.rs";
        assert_eq!(show(&tree), shown);
    }
}
