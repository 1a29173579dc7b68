//! Edits the text of a `models.toml` and preserves everything else in it, including comments.
//!
//! - in: the text, and the table or key to add
//! - out: the new text; `None` if the file is written in a way that must be edited by hand
//! - never: rewrites other parts of the file

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Appends a table to the text.
pub(crate) fn with_table(text: &str, table: &str) -> String {
    let mut out = text.trim_end().to_owned();
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(table);
    out
}

/// Sets a key of a model. `value` is a TOML expression, inserted as is.
pub(crate) fn with_key(text: &str, model: &str, key: &str, value: &str) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let (name, entry) = find_entry(document.get_ref(), &["models"], model)?;
    let table = entry.1.as_table()?;
    if let Some((_, (old, _))) = find_entry(table, &[], key) {
        // Only an inline table can be replaced as a whole.
        return text.get(old.clone())?.starts_with('{').then(|| splice(text, old, value));
    }
    let written = text.get(entry.0.clone())?;
    if written.starts_with('{') {
        let separator = if table.is_empty() { "" } else { "," };
        let after = entry.0.start + 1;
        return Some(splice(text, after..after, &format!(" {key} = {value}{separator}")));
    }
    let line = text.get(..name.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(name.start..)?.find('\n').map_or(text.len(), |at| name.start + at);
    let is_header = text.get(line..end)?.trim_start().starts_with('[');
    is_header.then(|| splice(text, end..end, &format!("\n{key} = {value}")))
}

/// The span of a key, the span of its value, and the value.
type SpannedEntry<'a> = (Range<usize>, (Range<usize>, &'a DeValue<'a>));

/// Returns the spans of a name and its value, below the tables `above`.
fn find_entry<'a>(table: &'a DeTable<'a>, above: &[&str], name: &str) -> Option<SpannedEntry<'a>> {
    if let Some((first, rest)) = above.split_first() {
        let (_, (_, inner)) = find_entry(table, &[], first)?;
        return find_entry(inner.as_table()?, rest, name);
    }
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    Some((key.span(), (value.span(), value.get_ref())))
}

fn splice(text: &str, at: Range<usize>, with: &str) -> String {
    let before = text.get(..at.start).unwrap_or_default();
    format!("{before}{with}{}", text.get(at.end..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: &str = "{ input = 2 }";

    fn priced(text: &str) -> Option<String> {
        let priced = with_key(text, "a", "price", PRICE)?;
        let table: toml::Table = priced.parse().expect("it is still TOML");
        assert_eq!(table["models"]["a"]["price"]["input"].as_integer(), Some(2), "{priced}");
        Some(priced)
    }

    #[test]
    fn a_key_is_added_below_the_header_and_nothing_else_is_touched() {
        let text = "# mine\n[models.a] # the fast one\nmodel = 'm'\n\n[models.b]\nmodel = 'n'\n";
        let expected = "# mine\n[models.a] # the fast one\nprice = { input = 2 }\nmodel = 'm'\n\n\
                        [models.b]\nmodel = 'n'\n";
        assert_eq!(priced(text).unwrap(), expected);
        assert_eq!(priced("[models.a]").unwrap(), "[models.a]\nprice = { input = 2 }");
        assert_eq!(priced("[models.\"a\"]\nx = 1\n").unwrap().lines().count(), 3);
    }

    #[test]
    fn a_key_that_is_there_is_replaced_where_it_stands() {
        let text = "[models.a]\nprice = { input = 1, # old\n } # expensive\nmodel = 'm'\n";
        assert_eq!(
            priced(text).unwrap(),
            "[models.a]\nprice = { input = 2 } # expensive\nmodel = 'm'\n"
        );
        let inline = "[models]\na = { model = 'm' }\nb = {}\n";
        let expected = "[models]\na = { price = { input = 2 }, model = 'm' }\nb = {}\n";
        assert_eq!(priced(inline).unwrap(), expected);
    }

    #[test]
    fn other_notations_must_be_edited_by_hand() {
        assert_eq!(priced("[models.a]\nmodel = 'm'\n[models.a.price]\ninput = 1\n"), None);
        assert_eq!(priced("models.a.model = 'm'\n"), None);
        assert_eq!(priced("[models.b]\n"), None);
        assert_eq!(priced("[models.a\n"), None);
    }

    #[test]
    fn a_table_goes_to_the_end_after_one_blank_line() {
        assert_eq!(with_table("", "[a]\n"), "[a]\n");
        assert_eq!(with_table("# c\n[b]\n\n\n", "[a]\n"), "# c\n[b]\n\n[a]\n");
    }
}
