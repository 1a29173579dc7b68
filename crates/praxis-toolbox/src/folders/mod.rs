//! Tools for files of the caller: list, read, write.
//!
//! - in: paths inside the folders that the settings open
//! - out: their contents, within size limits
//! - never: touches hidden files or anything outside, or replaces a file unless told to

pub(crate) mod place;

pub(crate) mod list_folder;

pub(crate) mod read_text_file;

pub(crate) mod write_text_file;
