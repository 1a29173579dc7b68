//! String literals among tokens.

use proc_macro2::{Literal, TokenStream, TokenTree};

/// Collects the string literals of a stream at any depth, in order. Attributes are skipped.
pub(super) fn literals(stream: &TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(stream, &mut found);
    found
}

fn collect(stream: &TokenStream, found: &mut Vec<String>) {
    let mut is_attribute = false;
    for tree in stream.clone() {
        match &tree {
            TokenTree::Group(group) if !is_attribute => collect(&group.stream(), found),
            TokenTree::Literal(literal) => found.extend(text(literal)),
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        is_attribute = matches!(&tree, TokenTree::Punct(sign) if sign.as_char() == '#');
    }
}

/// Returns the value of a string literal.
pub(super) fn text(literal: &Literal) -> Option<String> {
    syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|text| text.value())
}

/// Returns true if a text holds Chinese characters.
pub(super) fn is_chinese(text: &str) -> bool {
    text.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign))
}

/// Returns true if a text has letters outside of its `{holes}`.
pub(super) fn has_words(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|sign| {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && sign.is_alphabetic()
    })
}
