//! Finds and fills the holes (`<<name>>`) of a prompt text.
//!
//! Filling is a single pass: inserted text is never scanned, so that no tool output can open a hole.

/// A piece of a prompt text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPiece<'a> {
    /// Literal text.
    Text(&'a str),
    /// A hole, by name.
    Hole(&'a str),
}

/// Splits a text into pieces, in order. Angle brackets without a valid name inside are literal text.
pub fn pieces(text: &str) -> Vec<PromptPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(start) = rest.get(from..).and_then(|after| after.find("<<")) {
        let start = from + start;
        let Some(name) = rest.get(start + 2..).and_then(name) else {
            // The second bracket may begin a hole: `<<<goal>>`.
            from = start + 1;
            continue;
        };
        let (before, after) = rest.split_at(start);
        if !before.is_empty() {
            pieces.push(PromptPiece::Text(before));
        }
        pieces.push(PromptPiece::Hole(name));
        (rest, from) = (after.get(name.len() + 4..).unwrap_or_default(), 0);
    }
    if !rest.is_empty() {
        pieces.push(PromptPiece::Text(rest));
    }
    pieces
}

/// Returns the name at the beginning of a text if `>>` follows it.
fn name(text: &str) -> Option<&str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_letter(c))?;
    let (name, after) = text.split_at(end);
    (!name.is_empty() && after.starts_with(">>")).then_some(name)
}

/// Returns the names of the holes, each once, in text order.
pub fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for piece in pieces(text) {
        match piece {
            PromptPiece::Hole(name) if !names.contains(&name) => names.push(name),
            PromptPiece::Hole(_) | PromptPiece::Text(_) => {}
        }
    }
    names
}

/// Fills the holes of a text. A hole without a filling stays as it is written.
pub fn fill(text: &str, fillings: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            PromptPiece::Text(words) => out.push_str(words),
            PromptPiece::Hole(name) => match fillings.iter().find(|(hole, _)| *hole == name) {
                Some((_, filling)) => out.push_str(filling),
                None => out.push_str(&format!("<<{name}>>")),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_names_in_double_angle_brackets_and_all_else_is_text() {
        let text = "a <<goal>>{{step_1.outputs.x}}<<<goal>>>> <<>> << goal >> x<<EOF <<步>>";
        let expected = [
            PromptPiece::Text("a "),
            PromptPiece::Hole("goal"),
            PromptPiece::Text("{{step_1.outputs.x}}<"),
            PromptPiece::Hole("goal"),
            PromptPiece::Text(">> <<>> << goal >> x<<EOF <<步>>"),
        ];
        assert_eq!(pieces(text), expected);
        assert_eq!(names("<<b>> <<a>> <<b>>"), ["b", "a"]);
    }

    #[test]
    fn what_is_filled_in_opens_no_hole() {
        let filled = fill("<<a>>|<<b>>|<<c>>", &[("a", "<<b>>"), ("b", "<<")]);
        assert_eq!(filled, "<<b>>|<<|<<c>>");
    }
}
