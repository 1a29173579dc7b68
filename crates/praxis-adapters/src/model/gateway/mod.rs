//! Models behind a gRPC gateway: the same seam, another wire.

mod client;

mod translate;

/// The words of `proto/praxis/model/v1`, as they are generated.
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason,
    clippy::disallowed_types,
    unreachable_pub,
    reason = "generated"
)]
pub mod v1 {
    tonic::include_proto!("praxis.model.v1");
}

pub use client::Gateway;
