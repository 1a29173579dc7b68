//! Finds the ends of comments, dollar quotes and names in braces.

/// Returns the length of a comment in `/*` and `*/`; `None` if it is not closed.
pub(super) fn block(text: &str, nests: bool) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") && (nests || depth == 0) {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// Returns the tag `$$` or `$tag$` at the beginning of the text.
pub(super) fn dollar_tag(text: &str) -> Option<&str> {
    let after = text.strip_prefix('$')?;
    let end = after.find('$')?;
    let tag = after.get(..end)?;
    let begins = tag.chars().next().is_none_or(|c| c.is_alphabetic() || c == '_');
    (begins && tag.chars().all(is_word)).then(|| text.get(..end + 2)).flatten()
}

pub(super) fn braced(text: &str) -> Vec<String> {
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| is_name(name)).map(str::to_owned).collect()
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| is_word(c) || c == '-')
}
