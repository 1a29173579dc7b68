//! Reads the machine-readable fenced blocks of `docs/ARCHITECTURE.md`.

use anyhow::Context;
use std::path::Path;

/// The page that contains the blocks.
pub(crate) const PAGE: &str = "docs/ARCHITECTURE.md";

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The words of the info string, such as `layers praxis-core`.
    pub(crate) info: Vec<String>,
    /// The non-empty lines, without comments.
    pub(crate) lines: Vec<BlockLine>,
}

/// A line of a block.
#[derive(Debug)]
pub(crate) struct BlockLine {
    /// The line number in the page, from one.
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// Reads all fenced blocks of the page; returns none if there is no page.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Block>> {
    let page = root.join(PAGE);
    if !page.exists() {
        return Ok(vec![]);
    }
    let text = std::fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    Ok(blocks(&text))
}

fn blocks(text: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (line.trim_start().strip_prefix("```"), open.as_mut()) {
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(info), None) => {
                let info = info.split_whitespace().map(str::to_owned).collect();
                open = Some(Block { info, lines: vec![] });
            }
            (None, Some(block)) => {
                let text = line.split('#').next().unwrap_or_default().trim().to_owned();
                block.lines.extend((!text.is_empty()).then_some(BlockLine { number, text }));
            }
            (None, None) => {}
        }
    }
    all.extend(open);
    all
}

impl Block {
    /// Returns true if the info string begins with `kind`.
    pub(crate) fn is(&self, kind: &str) -> bool {
        self.info.first().is_some_and(|word| word == kind)
    }

    /// Returns the word after the kind, such as the crate of a `layers` block.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.info.get(1).map(String::as_str)
    }
}
