//! `replace_text`: replaces occurrences of a text.

use super::{bound, search};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceTextArguments {
    text: String,
    search: String,
    replacement: String,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    first_only: bool,
}

/// Replaces the occurrences from left to right. Replacements are not searched again.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let ReplaceTextArguments { text, search, replacement, ignore_case, first_only } =
        arguments(value)?;
    bound::check("/text", &text)?;
    if search.is_empty() {
        return Err(BuiltinError::argument("/search", search::empty()));
    }
    let most = if first_only { 1 } else { usize::MAX };
    let (mut out, mut done, mut count) = (String::new(), 0, 0_usize);
    for (from, to) in search::spans(&text, &search, ignore_case).into_iter().take(most) {
        out.push_str(text.get(done..from).unwrap_or_default());
        out.push_str(&replacement);
        bound::check("/replacement", &out)?;
        (done, count) = (to, count + 1);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Ok(json!({"replaced_text": out, "replaced_count": count}))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn what_is_found_is_replaced_once_or_everywhere_and_not_again() {
        for (ignore_case, first_only, text, count) in [
            (false, false, "ba ba Ab", 2),
            (true, false, "ba ba bab", 3),
            (false, true, "ba a Ab", 1),
        ] {
            let asked = json!({"text": "a a Ab", "search": "a", "replacement": "ba",
                               "ignore_case": ignore_case, "first_only": first_only});
            let expected = json!({"replaced_text": text, "replaced_count": count});
            assert_eq!(ask("replace_text", asked), Ok(expected));
        }
    }

    #[test]
    fn nothing_cannot_be_replaced_and_a_text_cannot_grow_without_end() {
        let asked = json!({"text": "a", "search": "", "replacement": "b"});
        assert_eq!(refused(ask("replace_text", asked)), "/search the search text is empty");
        let asked =
            json!({"text": "a".repeat(3000), "search": "a", "replacement": "b".repeat(10_000)});
        assert!(refused(ask("replace_text", asked)).starts_with("/replacement the text is longer"));
    }
}
