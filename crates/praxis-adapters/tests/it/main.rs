//! The adapters against the conformance suites of their seams, on a real disk.

mod journal;
