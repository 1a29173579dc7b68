//! Tools for tables: rows that are objects, with a cell for each column.
//!
//! - in: rows as they are or as the JSON text of an array, at most 100000; a cell that is not there is empty
//! - out: rows in an order that follows from the arguments alone
//! - never: reads an expression, changes a cell that it was not asked to, or drops a row in silence

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
