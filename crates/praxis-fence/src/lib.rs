//! Which files of the caller may be touched, for tools and for requests that send files.

mod fence;

mod regular;

pub use fence::{Fence, Folders, Outside, Place};
pub use regular::{MOST_BYTES, NoFile, may_pass, must_be_file};
