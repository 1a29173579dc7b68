//! Flattens `use` trees: one entry for each imported name.

use syn::UseTree;

/// One leaf of a `use` tree.
#[derive(Debug, PartialEq)]
pub(crate) struct UseLeaf {
    /// The whole path, without a trailing `self`.
    pub(crate) path: Vec<String>,
    /// The imported name; `None` for a glob.
    pub(crate) name: Option<String>,
    pub(crate) line: usize,
}

/// Flattens a tree.
pub(crate) fn leaves(tree: &UseTree) -> Vec<UseLeaf> {
    let mut all = Vec::new();
    walk(&[], tree, &mut all);
    all
}

fn walk(prefix: &[String], tree: &UseTree, all: &mut Vec<UseLeaf>) {
    match tree {
        UseTree::Path(part) => walk(&joined(prefix, &part.ident), &part.tree, all),
        UseTree::Group(group) => group.items.iter().for_each(|tree| walk(prefix, tree, all)),
        UseTree::Name(leaf) => {
            let path = joined(prefix, &leaf.ident);
            all.push(UseLeaf { name: path.last().cloned(), path, line: line(&leaf.ident) });
        }
        UseTree::Rename(leaf) => {
            let (path, line) = (joined(prefix, &leaf.ident), line(&leaf.ident));
            all.push(UseLeaf { path, name: Some(plain(&leaf.rename)), line });
        }
        UseTree::Glob(glob) => {
            let line = glob.star_token.spans.first().map_or(0, |span| span.start().line);
            all.push(UseLeaf { path: prefix.to_vec(), name: None, line });
        }
    }
}

/// Appends a name to a path; `self` inside a group stands for the prefix.
fn joined(prefix: &[String], ident: &syn::Ident) -> Vec<String> {
    let mut path = prefix.to_vec();
    if prefix.is_empty() || ident != "self" {
        path.push(plain(ident));
    }
    path
}

/// Returns the line of an identifier.
pub(crate) fn line(ident: &syn::Ident) -> usize {
    ident.span().start().line
}

/// Returns a name without `r#`.
pub(crate) fn plain(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}
