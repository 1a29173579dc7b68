//! Collects the paths in a file, with their lines and modules.

use super::test_only::{of_impl_item, of_item, of_trait_item, test_only};
use super::tokens;
use super::tree::{ModulePath, SourceFile};
use super::use_tree::{leaves, line, plain};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Field, ImplItem, Item, ItemMacro, ItemMod, ItemUse, Local, Macro, Meta};
use syn::{TraitItem, Variant, VisRestricted, Visibility};

/// A path in a source file.
#[derive(Debug)]
pub(crate) struct WrittenPath {
    /// The module that contains it.
    pub(crate) module: ModulePath,
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    pub(crate) kind: PathKind,
}

/// The kind of place in which a path is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PathKind {
    /// A private `use …`.
    Import,
    /// A `pub use …`, with any visibility.
    ReExport,
    /// A path in an expression, a type, a pattern, an attribute or the arguments of a macro.
    Mention,
}

/// Collects the paths of a file, except those that only tests see.
pub(crate) fn paths(file: &SourceFile) -> Vec<WrittenPath> {
    let mut reader = PathReader { module: file.module.clone(), found: vec![] };
    reader.visit_file(&file.parsed);
    reader.found
}

struct PathReader {
    module: ModulePath,
    found: Vec<WrittenPath>,
}

impl PathReader {
    fn add(&mut self, path: Vec<String>, line: usize, kind: PathKind) {
        self.found.push(WrittenPath { module: self.module.clone(), path, line, kind });
    }

    fn add_tokens(&mut self, stream: &TokenStream) {
        for found in tokens::paths(stream) {
            self.add(found.path, found.line, PathKind::Mention);
        }
    }

    /// Adds paths in string literals: attributes such as `#[serde(with = "forms::path")]` name functions in text.
    fn add_quoted(&mut self, stream: &TokenStream) {
        for tree in stream.clone() {
            if let TokenTree::Group(group) = &tree {
                self.add_quoted(&group.stream());
            }
            let line = tree.span().start().line;
            let text = syn::parse2::<syn::LitStr>(tree.into());
            if let Ok(path) = text.and_then(|text| text.parse::<syn::Path>()) {
                self.add(segments(&path), line, PathKind::Mention);
            }
        }
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| plain(&segment.ident)).collect()
}

impl<'ast> Visit<'ast> for PathReader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !test_only(of_item(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !test_only(of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !test_only(of_trait_item(item)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if !test_only(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !test_only(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if !test_only(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if !test_only(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(plain(&item.ident));
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_some() {
            return;
        }
        let private = matches!(item.vis, Visibility::Inherited);
        let kind = if private { PathKind::Import } else { PathKind::ReExport };
        for used in leaves(&item.tree) {
            self.add(used.path, used.line, kind);
        }
    }

    // A visibility such as `pub(in path)` is not an import.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.add_tokens(&list.tokens);
            self.add_quoted(&list.tokens);
        }
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if item.ident.is_none() {
            return visit::visit_item_macro(self, item);
        }
        // The other paths of a macro definition are resolved where the macro is used.
        for found in tokens::paths(&item.mac.tokens) {
            if found.path.first().is_some_and(|first| first == "crate") {
                self.add(found.path, found.line, PathKind::Mention);
            }
        }
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.add_tokens(&item.tokens);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) {
            self.add(segments(path), line(&first.ident), PathKind::Mention);
        }
        visit::visit_path(self, path);
    }
}
