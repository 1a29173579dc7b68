//! Tools for files of the caller: list, read, write.
//!
//! - in: paths inside the folders that the settings open
//! - out: what stands in them, within bounds
//! - never: touches what is hidden or outside, or replaces a file without being told to

pub(crate) mod place;

pub(crate) mod list_folder;

pub(crate) mod read_text_file;

pub(crate) mod write_text_file;
