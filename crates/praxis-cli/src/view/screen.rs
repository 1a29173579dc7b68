//! How large the terminal is.

use std::io::stderr;

/// What a terminal has that does not say.
const USUAL: Size = Size { columns: 80, rows: 24 };

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// The size of the terminal behind stderr, now.
pub(crate) fn size() -> Size {
    let told = terminal_size::terminal_size_of(stderr());
    let told = told.filter(|(columns, rows)| columns.0 > 0 && rows.0 > 0);
    told.map_or(USUAL, |(columns, rows)| Size { columns: columns.0.into(), rows: rows.0.into() })
}

/// The same, if something is drawn there at all.
pub(crate) fn size_if(draws: bool) -> Option<Size> {
    draws.then(size)
}
