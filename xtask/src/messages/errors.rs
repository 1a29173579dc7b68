//! Texts of `#[error("…")]` attributes: messages that exist only in English.

use super::literals::{has_words, text};
use proc_macro2::TokenTree;
use syn::{Attribute, Meta};

/// Returns the text of an `#[error("…")]` attribute. A text that only passes another message on (`{0}`) has no words of
/// its own and is left out, as is `#[error(transparent)]`.
pub(super) fn error_text(attribute: &Attribute) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    if !list.path.is_ident("error") {
        return None;
    }
    match list.tokens.clone().into_iter().next()? {
        TokenTree::Literal(literal) => text(&literal).filter(|text| has_words(text)),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    }
}
