//! The endpoint of rehearsals over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]

mod rehearsal;
