//! Size of the terminal.

use std::io::stderr;

/// The size assumed for a terminal that does not report one.
const USUAL: Size = Size { columns: 80, rows: 24 };

/// Terminal size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// Returns the current size of the terminal behind stderr.
pub(crate) fn size() -> Size {
    let told = terminal_size::terminal_size_of(stderr());
    let told = told.filter(|(columns, rows)| columns.0 > 0 && rows.0 > 0);
    told.map_or(USUAL, |(columns, rows)| Size { columns: columns.0.into(), rows: rows.0.into() })
}

/// Returns the terminal size if `draws` is true.
pub(crate) fn size_if(draws: bool) -> Option<Size> {
    draws.then(size)
}
