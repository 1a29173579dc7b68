//! Tools for tables: rows are objects with one cell per column.
//!
//! - in: at most 100000 rows, as an array or its JSON text; an absent cell is empty
//! - out: rows in an order that depends on the arguments alone
//! - never: parses an expression, changes a cell that it was not asked to, or drops a row silently

mod rows;

mod cell;

mod separated;

mod typed;

pub(crate) mod read_table;

pub(crate) mod write_table;

pub(crate) mod filter_rows;

pub(crate) mod select_columns;

pub(crate) mod sort_rows;

mod measure;

pub(crate) mod group_rows;

pub(crate) mod join_tables;

pub(crate) mod describe_table;

pub(crate) mod compute_column;

#[cfg(test)]
mod properties;
