//! Rights on files: the folders in which tools and requests that send files may touch something.

mod fence;

mod regular;

pub use fence::{Fence, FencedPath, FolderGrants, OutsideFence};
pub use regular::{MOST_BYTES, NotAFile, may_pass, must_be_file};
