//! Collects the names of the types that a file defines.

use super::test_only::{of_item, test_only};
use super::tree::SourceFile;
use super::use_tree::{line, plain};
use std::collections::BTreeMap;
use syn::Item;

/// A type and the place of its definition.
pub(crate) struct TypeName {
    name: String,
    /// The file and line.
    at: String,
}

/// Finds the structs, enums, unions, traits and aliases of a file, except in its tests.
pub(crate) fn defined(file: &SourceFile) -> Vec<TypeName> {
    let mut found = Vec::new();
    collect(&file.parsed.items, &file.shown, &mut found);
    found
}

fn collect(items: &[Item], shown: &str, found: &mut Vec<TypeName>) {
    for item in items.iter().filter(|item| !test_only(of_item(item))) {
        let name = match item {
            Item::Struct(it) => &it.ident,
            Item::Enum(it) => &it.ident,
            Item::Union(it) => &it.ident,
            Item::Trait(it) => &it.ident,
            Item::Type(it) => &it.ident,
            Item::Mod(it) => {
                let inner = it.content.as_ref().map_or(&[] as &[Item], |(_, items)| items);
                collect(inner, shown, found);
                continue;
            }
            _ => continue,
        };
        found.push(TypeName { name: plain(name), at: format!("{shown}:{}", line(name)) });
    }
}

/// Groups the types that share a name, the most shared name first.
pub(crate) fn shared(types: &[TypeName]) -> Vec<(&str, Vec<&str>)> {
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for found in types {
        by_name.entry(&found.name).or_default().push(&found.at);
    }
    let mut shared: Vec<_> = by_name.into_iter().filter(|(_, places)| places.len() > 1).collect();
    shared.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    shared
}
