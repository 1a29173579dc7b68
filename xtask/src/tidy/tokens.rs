//! Finds paths in the tokens of a macro, which `syn` does not parse.

use super::use_tree::{leaves, line, plain};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path in the tokens, and its line.
#[derive(Debug, PartialEq)]
pub(crate) struct FoundPath {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
}

/// Finds all paths of two or more names. `$crate` is read as `crate`; a macro variable (`$name`) begins no path.
pub(crate) fn paths(stream: &TokenStream) -> Vec<FoundPath> {
    let trees: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        let (before, rest) = trees.split_at(at);
        let names = if begins_path(before, tree) { names(rest) } else { vec![] };
        if let TokenTree::Group(group) = tree {
            found.extend(paths(&group.stream()));
        }
        at += (3 * names.len()).saturating_sub(2).max(1);
        let (Some(first), Some(after)) = (names.first(), trees.get(at..)) else { continue };
        let path: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let grouped = group_leaves(&path, after);
        if grouped.is_empty() && path.len() > 1 {
            found.push(FoundPath { path, line: line(first) });
        }
        // Skips the two colons and the braces, which `group_leaves` has read.
        at += if grouped.is_empty() { 0 } else { 3 };
        found.extend(grouped);
    }
    found
}

/// Returns the names of the path at the start of `trees`.
fn names(trees: &[TokenTree]) -> Vec<&proc_macro2::Ident> {
    let mut names = Vec::new();
    let mut rest = trees;
    while let [TokenTree::Ident(name), after @ ..] = rest {
        names.push(name);
        rest = match after {
            [a, b, next @ ..] if is(a, ':') && is(b, ':') => next,
            _ => &[],
        };
    }
    names
}

/// Returns the leaves of `path::{…}`; `after` begins with the two colons.
fn group_leaves(path: &[String], after: &[TokenTree]) -> Vec<FoundPath> {
    let [a, b, TokenTree::Group(group), ..] = after else { return vec![] };
    if !is(a, ':') || !is(b, ':') || group.delimiter() != Delimiter::Brace {
        return vec![];
    }
    let tree = syn::parse2::<syn::UseTree>(TokenTree::Group(group.clone()).into());
    let leaves = tree.map(|tree| leaves(&tree)).unwrap_or_default();
    let whole = |leaf: &[String]| [path, leaf].concat();
    leaves.into_iter().map(|leaf| FoundPath { path: whole(&leaf.path), line: leaf.line }).collect()
}

/// Returns true if `tree` is a name that can begin a path: not a field, a lifetime, a macro variable, or a later part
/// of a path.
fn begins_path(before: &[TokenTree], tree: &TokenTree) -> bool {
    let TokenTree::Ident(name) = tree else { return false };
    match before {
        [.., last] if is(last, '$') => name == "crate",
        [.., a, b] if is(b, '.') => is(a, '.'),
        [.., a, b] if is(a, ':') && is(b, ':') => false,
        [.., last] => !is(last, '.') && !is(last, '\''),
        [] => true,
    }
}

fn is(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let stream: TokenStream = text.parse().unwrap();
        paths(&stream).into_iter().map(|found| found.path.join("::")).collect()
    }

    #[test]
    fn paths_are_found_at_any_depth() {
        let text = "a, [crate::b::C::new(d::e(0..f::G))], h: $crate::i::J";
        assert_eq!(found(text), ["crate::b::C::new", "d::e", "f::G", "crate::i::J"]);
    }

    #[test]
    fn a_group_of_imports_is_one_path_for_each_name() {
        assert_eq!(
            found("use crate::{a::B, c::{D, E as F}};"),
            ["crate::a::B", "crate::c::D", "crate::c::E"]
        );
    }

    #[test]
    fn fields_lifetimes_holes_and_foreign_paths_begin_no_path() {
        assert_eq!(
            found("x.y::<u8>(), 'a: 'b, $name::new(), ::std::mem::take(z)"),
            Vec::<String>::new()
        );
    }
}
