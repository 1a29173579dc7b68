//! Names the sources of this crate, so that a snapshot can say which fold made it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut hasher = DefaultHasher::new();
    add(Path::new("src"), &mut hasher)?;
    println!("cargo::rustc-env=PRAXIS_FOLD={:016x}", hasher.finish());
    Ok(())
}

fn add(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        path.hash(hasher);
        if path.is_dir() {
            add(&path, hasher)?;
        } else {
            fs::read(&path)?.hash(hasher);
        }
    }
    Ok(())
}
