//! Checks for knots: modules or files that import each other in a cycle.

use super::findings::Findings;
use super::graph::{self, ImportGraph};
use super::imports::Import;
use super::tree::ModuleTree;
use std::collections::BTreeMap;

/// Maximum number of files in an import cycle.
const LARGEST: usize = 3;

/// Builds the import graph of the top modules.
pub(crate) fn of_modules(tree: &ModuleTree, imports: &[Import]) -> ImportGraph<String> {
    let mut graph: ImportGraph<String> = ImportGraph::new();
    for top in tree.top_modules() {
        graph.entry(top.to_owned()).or_default();
    }
    for import in imports {
        let Some(from) = &import.from_top else { continue };
        graph.entry(from.clone()).or_default().extend(import.to_tops.iter().cloned());
    }
    graph
}

/// Builds the import graph of the files.
pub(crate) fn of_files(tree: &ModuleTree, imports: &[Import]) -> ImportGraph<usize> {
    let mut graph: ImportGraph<usize> =
        (0..tree.files.len()).map(|file| (file, [].into())).collect();
    for import in imports.iter().filter(|import| import.from != import.to) {
        graph.entry(import.from).or_default().insert(import.to);
    }
    graph
}

/// Reports cycles of top modules and knots of more than `LARGEST` files as errors.
pub(crate) fn check(name: &str, tree: &ModuleTree, imports: &[Import], findings: &mut Findings) {
    let graph = of_modules(tree, imports);
    for knot in graph::knots(&graph) {
        findings.error(module_message(name, tree, imports, &graph, &knot));
    }
    for knot in graph::knots(&of_files(tree, imports)) {
        if knot.len() > LARGEST {
            findings.error(file_message(name, tree, imports, &knot));
        }
    }
}

/// Adds a note with the sizes of the knots of a crate without layers.
pub(crate) fn note(name: &str, tree: &ModuleTree, imports: &[Import], findings: &mut Findings) {
    let sizes = |knots: Vec<usize>| {
        let words: Vec<String> = knots.iter().map(usize::to_string).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(" ") }
    };
    let modules = graph::knots(&of_modules(tree, imports)).iter().map(Vec::len).collect();
    let files = graph::knots(&of_files(tree, imports)).iter().map(Vec::len).collect();
    let (modules, files) = (sizes(modules), sizes(files));
    findings.note(format!("{name}: knots of top modules: {modules}; of files: {files}"));
}

fn module_message(
    name: &str,
    tree: &ModuleTree,
    imports: &[Import],
    graph: &ImportGraph<String>,
    knot: &[String],
) -> String {
    let cycles = knot.iter().map(|start| graph::shortest_cycle(graph, start));
    let cycle = cycles.min_by_key(Vec::len).unwrap_or_default();
    let mut lines = vec![format!(
        "{name}: {} top modules import each other in a circle: {}; the shortest way round is {}",
        knot.len(),
        knot.join(" "),
        cycle.join(" → ")
    )];
    for (from, to) in cycle.iter().zip(cycle.iter().skip(1)) {
        let is_edge = |import: &&Import| {
            import.from_top.as_ref() == Some(from) && import.to_tops.contains(to)
        };
        if let Some(import) = imports.iter().find(is_edge) {
            lines.push(format!("    {from} → {to}: {}", place(tree, import)));
        }
    }
    lines.join("\n")
}

fn file_message(name: &str, tree: &ModuleTree, imports: &[Import], knot: &[usize]) -> String {
    let mut lines = vec![format!(
        "{name}: {} files import each other in a circle, and at most {LARGEST} may; move what they share into a file below them",
        knot.len()
    )];
    let mut edges: BTreeMap<(usize, usize), &Import> = BTreeMap::new();
    for import in imports.iter().filter(|it| it.from != it.to) {
        if knot.contains(&import.from) && knot.contains(&import.to) {
            edges.entry((import.from, import.to)).or_insert(import);
        }
    }
    for ((_, to), import) in edges {
        lines.push(format!("    {} in {}", place(tree, import), tree.shown(to)));
    }
    lines.join("\n")
}

/// Formats an import, such as ``src/goal/next.rs:7 imports `crate::plan::Draft` ``.
fn place(tree: &ModuleTree, import: &Import) -> String {
    format!("{}:{} imports `{}`", tree.shown(import.from), import.line, import.path)
}

#[cfg(test)]
#[path = "knots_tests.rs"]
mod tests;
