//! The names that a module gives meaning to: its children, its items and what it imports.

use super::test_only::{of_item, test_only};
use super::use_tree::{leaves, plain};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Ident, Item, ItemUse};

/// What a name stands for in a module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameMeaning {
    /// A module declared here.
    Child,
    /// An item defined here.
    Item,
    /// The path of a `use`, as it is written.
    Alias(Vec<String>),
}

/// The names of one module.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    /// A name can mean several things: a module and a function, for one.
    pub(crate) known: BTreeMap<String, Vec<NameMeaning>>,
    /// Paths whose names are all brought in by `*`.
    pub(crate) globs: Vec<Vec<String>>,
}

impl ModuleNames {
    /// Collects the names of a module's items. What a function imports for itself counts as known to the module.
    pub(crate) fn of(items: &[Item]) -> Self {
        let mut names = Self::default();
        for item in items {
            names.visit_item(item);
            if let Some((name, meaning)) = defined(item).filter(|_| !test_only(of_item(item))) {
                names.add(plain(name), meaning);
            }
        }
        names
    }

    /// Gives a name one more meaning.
    pub(crate) fn add(&mut self, name: String, meaning: NameMeaning) {
        let known = self.known.entry(name).or_default();
        if !known.contains(&meaning) {
            known.push(meaning);
        }
    }

    /// The meanings of a name. Inside of a path, modules come first: only they can be gone through.
    pub(crate) fn meanings(&self, name: &str, is_last: bool) -> Vec<NameMeaning> {
        let mut meanings = self.known.get(name).cloned().unwrap_or_default();
        meanings.sort_by_key(|meaning| (*meaning == NameMeaning::Child) == is_last);
        meanings
    }
}

impl<'ast> Visit<'ast> for ModuleNames {
    fn visit_item(&mut self, item: &'ast Item) {
        // A module inside of the file has its own names.
        if !test_only(of_item(item)) && !matches!(item, Item::Mod(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_some() {
            return;
        }
        for used in leaves(&item.tree) {
            match used.name {
                Some(name) => self.add(name, NameMeaning::Alias(used.path)),
                None => self.globs.push(used.path),
            }
        }
    }
}

/// The name that an item defines.
fn defined(item: &Item) -> Option<(&Ident, NameMeaning)> {
    let name = match item {
        Item::Mod(it) => return Some((&it.ident, NameMeaning::Child)),
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::TraitAlias(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Union(it) => &it.ident,
        _ => return None,
    };
    Some((name, NameMeaning::Item))
}
