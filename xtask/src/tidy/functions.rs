//! Measures the functions of a file, in lines of code.

use super::test_only::{of_impl_item, of_item, of_trait_item, test_only};
use super::tree::SourceFile;
use super::use_tree::plain;
use syn::visit::{self, Visit};
use syn::{Block, Ident, ImplItem, Item, TraitItem};

/// The length of one function.
pub(crate) struct FunctionLength {
    pub(crate) lines: usize,
    /// The file, line and name.
    pub(crate) at: String,
}

/// Measures every function of a file, except in its tests. Blank lines and comments do not count.
pub(crate) fn lengths(file: &SourceFile) -> Vec<FunctionLength> {
    let lines = file.text.lines().collect();
    let mut reader = FunctionReader { shown: &file.shown, lines, found: vec![] };
    reader.visit_file(&file.parsed);
    reader.found
}

struct FunctionReader<'a> {
    shown: &'a str,
    lines: Vec<&'a str>,
    found: Vec<FunctionLength>,
}

impl FunctionReader<'_> {
    fn add(&mut self, name: &Ident, body: &Block) {
        let (first, last) = (body.brace_token.span.open().start(), body.brace_token.span.close());
        let inside = self.lines.get(first.line..last.start().line.saturating_sub(1));
        let is_code =
            |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        let lines = inside.unwrap_or_default().iter().filter(is_code).count();
        let at = format!("{}:{} {}", self.shown, name.span().start().line, plain(name));
        self.found.push(FunctionLength { lines, at });
    }
}

impl<'ast> Visit<'ast> for FunctionReader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if test_only(of_item(item)) {
            return;
        }
        if let Item::Fn(function) = item {
            self.add(&function.sig.ident, &function.block);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if test_only(of_impl_item(item)) {
            return;
        }
        if let ImplItem::Fn(function) = item {
            self.add(&function.sig.ident, &function.block);
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if test_only(of_trait_item(item)) {
            return;
        }
        if let TraitItem::Fn(function) = item
            && let Some(body) = &function.default
        {
            self.add(&function.sig.ident, body);
        }
        visit::visit_trait_item(self, item);
    }
}
