//! Models behind a gRPC gateway: the same `Model` seam over another protocol.

mod client;

mod translate;

/// The generated messages of `proto/praxis/model/v1`.
#[rustfmt::skip]
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason,
    clippy::disallowed_types,
    unreachable_pub,
    reason = "generated"
)]
pub mod v1;

pub use client::Gateway;

#[cfg(test)]
mod tests {
    use praxis_core::hash::content_hash;

    #[test]
    fn the_generated_words_are_those_of_the_proto_file() {
        let source = include_bytes!("../../../../../proto/praxis/model/v1/model.proto");
        let first = include_str!("v1.rs").lines().next().unwrap_or_default();
        let hash = content_hash(source);
        assert!(first.contains(&hash), "run proto/generate again: {first}");
    }
}
