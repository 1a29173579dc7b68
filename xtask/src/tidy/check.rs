//! Runs all checks of `cargo xtask tidy`.

use super::blocks::{self, Block, PAGE};
use super::findings::Findings;
use super::tree::ModuleTree;
use super::workspace::{self, Package};
use super::{crates, files, imports, knots, layers, map, report, walks};
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check the map of the code: layers, knots, crates, walks, docs
#[derive(clap::Args)]
pub(crate) struct TidyArgs {
    /// The folder of the workspace
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Show what the top modules of this crate import instead, with files and names
    #[arg(long, value_name = "CRATE")]
    map: Option<String>,
    /// Measure how readable the code is instead: openings of docs, names of types, the glossary, lengths of functions
    #[arg(long, conflicts_with = "map")]
    report: bool,
}

/// Prints the findings, errors last.
pub(crate) fn run(args: &TidyArgs) -> anyhow::Result<ExitCode> {
    let root = args.root.canonicalize().with_context(|| args.root.display().to_string())?;
    if let Some(name) = &args.map {
        print(&[map_of(&root, name)?]);
        return Ok(ExitCode::SUCCESS);
    }
    let measured = report::report(&root, &workspace::read(&root)?)?;
    let findings = if args.report {
        measured
    } else {
        let mut findings = check(&root)?;
        findings.errors.extend(measured.errors);
        findings
    };
    let notes = findings.notes.iter().map(|note| format!("note: {note}"));
    let errors = findings.errors.iter().map(|error| format!("error: {error}"));
    let count = findings.errors.len();
    let end =
        if count == 0 { "tidy: no errors".to_owned() } else { format!("tidy: {count} errors") };
    print(&notes.chain(errors).chain([end]).collect::<Vec<_>>());
    Ok(if count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints lines, and ignores a closed pipe, as with `head`.
fn print(lines: &[String]) {
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
}

/// Checks the workspace in `root`.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let (packages, blocks) = (workspace::read(root)?, blocks::read(root)?);
    crates::check(&blocks, &packages, &mut findings);
    let page = std::fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    walks::check(root, &page, &mut findings);
    let with_layers: Vec<&Block> = blocks.iter().filter(|block| block.is("layers")).collect();
    for block in &with_layers {
        let name = block.subject().unwrap_or_default();
        if !packages.iter().any(|package| package.name == name) {
            findings.error(format!(
                "{PAGE} has a block `layers {name}`, but the workspace has no crate `{name}`"
            ));
        }
    }
    for package in &packages {
        let of_it = |block: &&&Block| block.subject() == Some(package.name.as_str());
        check_package(root, package, with_layers.iter().find(of_it).copied(), &mut findings)?;
    }
    Ok(findings)
}

fn check_package(
    root: &Path,
    package: &Package,
    block: Option<&Block>,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    files::check_marks(root, &package.folder, findings)?;
    for file in &package.more_roots {
        files::check(&package.name, &ModuleTree::read(root, file)?, false, findings);
    }
    let Some(file) = &package.root else { return Ok(()) };
    let tree = ModuleTree::read(root, file)?;
    files::check(&package.name, &tree, block.is_some(), findings);
    let imports = imports::find(&tree);
    match block {
        Some(block) => {
            let layers = layers::read(block, &tree, findings);
            layers::check(&layers, &tree, &imports, findings);
            knots::check(&package.name, &tree, &imports, findings);
        }
        None => knots::note(&package.name, &tree, &imports, findings),
    }
    Ok(())
}

fn map_of(root: &Path, name: &str) -> anyhow::Result<String> {
    let packages = workspace::read(root)?;
    let package = packages.iter().find(|package| package.name == name);
    let package = package.with_context(|| format!("the workspace has no crate `{name}`"))?;
    let file =
        package.root.as_ref().with_context(|| format!("{name} has no library or program"))?;
    Ok(map::show(&ModuleTree::read(root, file)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_of_this_repository_holds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        assert_eq!(check(&root).unwrap().errors, [] as [String; 0]);
        let measured = report::report(&root, &workspace::read(&root).unwrap()).unwrap();
        assert_eq!(measured.errors, [] as [String; 0]);
    }
}
