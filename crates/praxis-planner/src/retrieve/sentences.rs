//! Splits a goal into sentences.

/// The maximum number of sentences; the rest counts only as part of the whole goal.
const MOST: usize = 16;

/// Returns the sentences of a text, without their end marks.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if ends(character, next) {
            found.extend(text.get(from..at));
            from = at + character.len_utf8();
        }
    }
    found.extend(text.get(from..));
    let said = found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty());
    said.take(MOST).collect()
}

/// Returns true if a sentence ends here. A dot inside a number, a path or an address does not end one.
fn ends(character: char, next: Option<char>) -> bool {
    match character {
        '\n' | '。' | '；' | '？' | '！' => true,
        '.' | ';' | '?' | '!' => next.is_none_or(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_cut_where_sentences_end_and_not_inside_numbers_and_paths() {
        for (goal, expected) in [
            ("Read a.csv. Then sort it by 2.5!", "Read a.csv|Then sort it by 2.5"),
            ("读取文件。然后排序；发邮件", "读取文件|然后排序|发邮件"),
            ("one\n\ntwo? ", "one|two"),
            ("one", "one"),
            ("", ""),
        ] {
            assert_eq!(sentences(goal).join("|"), expected, "{goal}");
        }
        assert_eq!(sentences(&"again. ".repeat(99)).len(), MOST);
    }
}
