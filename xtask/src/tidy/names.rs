//! Collects the names that a module defines: its children, its items and its imports.

use super::test_only::{of_item, test_only};
use super::use_tree::{leaves, plain};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Ident, Item, ItemUse};

/// The meaning of a name in a module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameMeaning {
    /// A module declared here.
    Child,
    /// An item defined here.
    Item,
    /// The path of a `use`, as written.
    Alias(Vec<String>),
}

/// The names of one module.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    /// The meanings of each name. A name can have several, such as a module and a function.
    pub(crate) known: BTreeMap<String, Vec<NameMeaning>>,
    /// The paths of glob imports.
    pub(crate) globs: Vec<Vec<String>>,
}

impl ModuleNames {
    /// Collects the names of a module's items. Imports inside a function count as imports of the module.
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

    /// Adds a meaning to a name.
    pub(crate) fn add(&mut self, name: String, meaning: NameMeaning) {
        let known = self.known.entry(name).or_default();
        if !known.contains(&meaning) {
            known.push(meaning);
        }
    }

    /// Returns the meanings of a name. Inside a path, modules come first, since only they can be passed through; at
    /// its end, they come last.
    pub(crate) fn meanings(&self, name: &str, is_last: bool) -> Vec<NameMeaning> {
        let mut meanings = self.known.get(name).cloned().unwrap_or_default();
        meanings.sort_by_key(|meaning| (*meaning == NameMeaning::Child) == is_last);
        meanings
    }
}

impl<'ast> Visit<'ast> for ModuleNames {
    fn visit_item(&mut self, item: &'ast Item) {
        // An inline module has its own names.
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

/// Returns the name that an item defines.
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
