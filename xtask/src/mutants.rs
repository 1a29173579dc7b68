//! `cargo xtask mutants`: applies each change of a list of one-line mutants, and checks that the named test fails.
//!
//! A line of `xtask/mutants.txt` is `crate | test | file | from | to`, with `\\|` for a bar. The change is made in a
//! copy of the repository, never in the working tree.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The list of mutants.
const LIST: &str = "xtask/mutants.txt";

struct CodeMutant {
    package: String,
    test: String,
    file: String,
    from: String,
    to: String,
}

/// Applies every mutant whose line contains `wanted`.
pub(crate) fn run(wanted: &str) -> anyhow::Result<()> {
    let mutants = kept(Path::new("."), wanted)?;
    let copy = copy_repository()?;
    let mut alive = Vec::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let killed = try_one(&copy, mutant)?;
        let word = if killed { "killed" } else { "ALIVE" };
        println!("{:>3}/{} {word}  {} {}", number + 1, mutants.len(), mutant.file, mutant.test);
        if !killed {
            alive.push(format!("{}: `{}`", mutant.file, mutant.to));
        }
    }
    println!("{} mutants, {} killed", mutants.len(), mutants.len() - alive.len());
    if alive.is_empty() { Ok(()) } else { bail!("alive:\n{}", alive.join("\n")) }
}

/// Reads the mutants whose line contains `wanted`, and checks that each fits its file.
fn kept(root: &Path, wanted: &str) -> anyhow::Result<Vec<CodeMutant>> {
    let list = std::fs::read_to_string(root.join(LIST)).context(LIST)?;
    let lines = list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mutants = lines.filter(|line| line.contains(wanted)).map(read);
    let mutants = mutants.collect::<anyhow::Result<Vec<_>>>()?;
    mutants.iter().try_for_each(|mutant| source(root, mutant).map(drop))?;
    Ok(mutants)
}

fn read(line: &str) -> anyhow::Result<CodeMutant> {
    let unescaped = |cell: &str| cell.trim().replace("\\|", "|");
    let cells: Vec<String> = line.split(" | ").map(unescaped).collect();
    let [package, test, file, from, to] = <[String; 5]>::try_from(cells)
        .map_err(|cells| anyhow::anyhow!("{} cells instead of 5: {line}", cells.len()))?;
    Ok(CodeMutant { package, test, file, from, to })
}

/// Copies the files that git does not ignore to `target/mutants`.
fn copy_repository() -> anyhow::Result<PathBuf> {
    let copy = PathBuf::from("target/mutants");
    let files = Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).output()?;
    for file in String::from_utf8_lossy(&files.stdout).lines() {
        let (from, to) = (Path::new(file), copy.join(file));
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let same = std::fs::read(&to).ok() == std::fs::read(from).ok();
        if from.exists() && !same {
            std::fs::copy(from, &to)?;
        }
    }
    Ok(copy)
}

/// Returns the text of the file that a mutant changes, which must contain `from` exactly once.
fn source(root: &Path, mutant: &CodeMutant) -> anyhow::Result<String> {
    let source = std::fs::read_to_string(root.join(&mutant.file));
    let source = source.with_context(|| mutant.file.clone())?;
    if source.matches(&mutant.from).count() != 1 {
        bail!("`{}` must stand exactly once in {}", mutant.from, mutant.file);
    }
    Ok(source)
}

/// Applies a mutant and returns true if the named test fails.
fn try_one(copy: &Path, mutant: &CodeMutant) -> anyhow::Result<bool> {
    let (path, source) = (copy.join(&mutant.file), source(copy, mutant)?);
    std::fs::write(&path, source.replace(&mutant.from, &mutant.to))?;
    let changed = test(copy, mutant);
    std::fs::write(&path, source)?;
    Ok(!changed?)
}

/// Runs the test and returns true if it passes. A mutant that does not compile proves nothing, and is an error.
fn test(copy: &Path, mutant: &CodeMutant) -> anyhow::Result<bool> {
    let run = Command::new("cargo")
        .args(["test", "--quiet", "-p", &mutant.package, &mutant.test])
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", std::env::current_dir()?.join("target/mutants-build"))
        .output()?;
    let said = String::from_utf8_lossy(&run.stdout);
    let ran = said.lines().any(|line| line.starts_with("running ") && line != "running 0 tests");
    if !ran {
        bail!("`{}` did not run:\n{}", mutant.test, String::from_utf8_lossy(&run.stderr));
    }
    Ok(run.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    // A full run takes hours, so a mutant that no longer fits its file would go unnoticed for long.
    #[test]
    fn every_kept_mutant_fits_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(kept(&root, "").unwrap().len() > 300);
    }
}
