//! `split_text`: splits a text into lines, paragraphs, words, or at a separator.

use super::bound;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of parts.
const MOST_PARTS: usize = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SplitTextArguments {
    text: String,
    #[serde(default)]
    by: SplitMode,
    separator: Option<String>,
    #[serde(default)]
    keep_empty: bool,
}

/// The positions at which a text is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SplitMode {
    #[default]
    Lines,
    Paragraphs,
    Words,
    Separator,
}

/// Splits a text and trims every part.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let SplitTextArguments { text, by, separator, keep_empty } = arguments(value)?;
    bound::check("/text", &text)?;
    let separator = separator.filter(|separator| !separator.is_empty());
    match (by == SplitMode::Separator, separator.is_some()) {
        (true, false) => {
            let en = "`separator` must not be empty if `by` is `separator`";
            let why = (en, "`by` 为 `separator` 时，`separator` 不能为空");
            return Err(BuiltinError::argument("/separator", why));
        }
        (false, true) => {
            let en = "`separator` is used only if `by` is `separator`; set `by`, or remove it";
            let why =
                (en, "仅当 `by` 为 `separator` 时才使用 `separator`；请设置 `by`，或将其删除");
            return Err(BuiltinError::argument("/separator", why));
        }
        (true, true) | (false, false) => {}
    }
    let text = text.replace("\r\n", "\n");
    let cut: Box<dyn Iterator<Item = String>> = match by {
        SplitMode::Lines => Box::new(text.lines().map(str::to_owned)),
        SplitMode::Paragraphs => Box::new(paragraphs(&text)),
        SplitMode::Words => Box::new(text.split_whitespace().map(str::to_owned)),
        SplitMode::Separator => {
            Box::new(text.split(separator.as_deref().unwrap_or("\n")).map(str::to_owned))
        }
    };
    let parts: Vec<String> = cut
        .map(|part| part.trim().to_owned())
        .filter(|part| keep_empty || !part.is_empty())
        .take(MOST_PARTS + 1)
        .collect();
    if parts.len() > MOST_PARTS {
        let en = format!("the text has more than {MOST_PARTS} parts; pass only a part of it");
        let zh = format!("文本超过 {MOST_PARTS} 个部分；请只传入其中一部分");
        return Err(BuiltinError::argument("/text", (en, zh)));
    }
    Ok(json!({"part_count": parts.len(), "parts": parts}))
}

/// Returns the paragraphs, which are separated by blank lines.
fn paragraphs(text: &str) -> impl Iterator<Item = String> {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        let mut lines = lines.by_ref().skip_while(|line| line.trim().is_empty());
        let first = lines.next()?.to_owned();
        let rest = lines.take_while(|line| !line.trim().is_empty());
        Some(rest.fold(first, |whole, line| whole + "\n" + line))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn parts(mut asked: Value, text: &str) -> Value {
        asked["text"] = json!(text);
        ask("split_text", asked).unwrap()["parts"].clone()
    }

    #[test]
    fn a_text_is_cut_where_it_is_asked_to() {
        let text = "a b\r\n c \r\n\r\nd;e\n";
        for (asked, expected) in [
            (json!({}), json!(["a b", "c", "d;e"])),
            (json!({"by": "lines", "keep_empty": true}), json!(["a b", "c", "", "d;e"])),
            (json!({"by": "paragraphs"}), json!(["a b\n c", "d;e"])),
            (json!({"by": "words"}), json!(["a", "b", "c", "d;e"])),
            (json!({"by": "separator", "separator": ";"}), json!(["a b\n c \n\nd", "e"])),
        ] {
            assert_eq!(parts(asked.clone(), text), expected, "{asked}");
        }
        assert_eq!(parts(json!({}), ""), json!([]));
    }

    #[test]
    fn a_separator_is_needed_where_it_is_asked_for_and_only_there() {
        for asked in
            [json!({"text": "a", "by": "separator"}), json!({"text": "a", "separator": ","})]
        {
            assert!(refused(ask("split_text", asked)).starts_with("/separator `separator` "));
        }
        let many = "a ".repeat(100_001);
        let result = ask("split_text", json!({"text": many, "by": "words"}));
        assert!(refused(result).starts_with("/text the text has more than 100000 parts"));
    }
}
