//! Tests against the public suites, which are skipped where the data is not.

mod goals;

mod scheduler;
