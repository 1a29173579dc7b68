//! Checks the crate dependencies inside the workspace: the allowed ones, and the length of a chain.

use super::blocks::{Block, PAGE};
use super::findings::Findings;
use super::graph::{self, ImportGraph};
use super::workspace::Package;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of crates in a chain of dependencies.
const LONGEST: usize = 5;

/// Checks the dependencies between crates of the workspace, except dev-dependencies.
pub(crate) fn check(blocks: &[Block], packages: &[Package], findings: &mut Findings) {
    let graph: ImportGraph<&str> = packages
        .iter()
        .map(|it| (it.name.as_str(), it.needs.iter().map(String::as_str).collect()))
        .collect();
    let chain = graph::longest_chain(&graph);
    if chain.len() > LONGEST {
        findings.error(format!(
            "a chain of {} crates depend on each other, and at most {LONGEST} may: {}",
            chain.len(),
            chain.join(" → ")
        ));
    }
    let Some(block) = blocks.iter().find(|block| block.is("crates")) else {
        return findings.error(format!(
            "{PAGE} has no block `crates`; add one with a line for each crate, like `praxis-engine: praxis-core`"
        ));
    };
    let allowed = read(block, &graph, findings);
    for (name, needs) in &graph {
        let Some(allowed) = allowed.get(name) else {
            let names: Vec<&str> = needs.iter().copied().collect();
            let line = format!("{name}: {}", names.join(" "));
            findings.error(format!(
                "{PAGE}: the block `crates` does not list {name}; add the line `{}`",
                line.trim_end()
            ));
            continue;
        };
        for need in needs.difference(allowed) {
            findings.error(format!(
                "{name} depends on {need}, which the block `crates` of {PAGE} does not allow; remove the dependency, or add {need} to the line of {name} if the map changes"
            ));
        }
    }
}

/// Reads the crates that each crate may depend on.
fn read<'a>(
    block: &'a Block,
    graph: &ImportGraph<&str>,
    findings: &mut Findings,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut allowed = BTreeMap::new();
    for line in &block.lines {
        let at = format!("{PAGE}:{}", line.number);
        let Some((name, needs)) = line.text.split_once(':') else {
            findings.error(format!(
                "{at}: `{}` is no line like `praxis-engine: praxis-core`",
                line.text
            ));
            continue;
        };
        let needs: BTreeSet<&str> = needs.split_whitespace().collect();
        for known in std::iter::once(name.trim()).chain(needs.iter().copied()) {
            if !graph.contains_key(known) {
                findings.error(format!(
                    "{at}: the workspace has no crate `{known}`; remove it from the block"
                ));
            }
        }
        if allowed.insert(name.trim(), needs).is_some() {
            findings.error(format!(
                "{at}: {} has two lines in the block `crates`; keep one",
                name.trim()
            ));
        }
    }
    allowed
}

#[cfg(test)]
#[path = "crates_tests.rs"]
mod tests;
