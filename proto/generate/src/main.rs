//! `cargo run --manifest-path proto/generate/Cargo.toml`, after a change of a `.proto` file.

use sha2::{Digest, Sha256};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let source = "praxis/model/v1/model.proto";
    let made = std::env::temp_dir().join(format!("praxis-generate-{}", std::process::id()));
    std::fs::create_dir_all(&made)?;
    let files = protox::compile([source], [&proto])?;
    tonic_prost_build::configure().out_dir(&made).compile_fds(files)?;
    let text = std::fs::read_to_string(made.join("praxis.model.v1.rs"))?;
    std::fs::remove_dir_all(&made)?;
    // A test compares this with the source, so that the two cannot drift apart.
    let hash: String =
        Sha256::digest(std::fs::read(proto.join(source))?).iter().map(|b| format!("{b:02x}")).collect();
    let target = proto.join("../crates/praxis-adapters/src/model/gateway/v1.rs");
    std::fs::write(&target, format!("// Of {source}, sha256 {hash}.\n{text}"))?;
    println!("{}", target.display());
    Ok(())
}
