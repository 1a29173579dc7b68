//! File permissions: the folders that tools, and requests that send files, may touch.

mod fence;

mod regular;

pub use fence::{Fence, FencedPath, FolderGrants, OutsideFence};
pub use regular::{MOST_BYTES, NotAFile, io_words, may_pass, must_be_file};
