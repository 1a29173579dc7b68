//! Rights on files: the folders in which tools and requests that send files may touch something.

mod fence;

mod regular;

pub use fence::{Fence, Folders, Outside, Place};
pub use regular::{MOST_BYTES, NoFile, may_pass, must_be_file};
