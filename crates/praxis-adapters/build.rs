//! Makes Rust of `proto/`, without any program beside cargo.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../../proto");
    #[cfg(feature = "gateway")]
    {
        let files = protox::compile(["praxis/model/v1/model.proto"], ["../../proto"])?;
        tonic_prost_build::configure().compile_fds(files)?;
    }
    Ok(())
}
