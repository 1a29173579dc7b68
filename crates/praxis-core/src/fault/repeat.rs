//! Recognizes a repeated failure even if its ids, times or quoted texts differ.

/// The largest length of the normalised error.
const LONGEST: usize = 200;

/// The pairs of quotation marks.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」'), ('《', '》')];

/// Normalises an error: numbers, ids and quoted texts become `#`. A quoted name, like that of a parameter or tool, is
/// kept, because two missing parameters are two different errors.
pub fn normalised(error: &str) -> String {
    let mut out = String::new();
    let (mut rest, mut in_word) = (error, false);
    while let Some(first) = rest.chars().next() {
        let apostrophe = in_word && first == '\'';
        if let Some(after) = after_quoted(rest).filter(|_| !apostrophe) {
            push(&mut out, '#');
            rest = after;
            continue;
        }
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if word == 0 {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            push(&mut out, if first.is_whitespace() { ' ' } else { first });
            in_word = false;
            continue;
        }
        let (this, after) = rest.split_at(word);
        if changes(this) {
            push(&mut out, '#');
        } else {
            out.extend(this.chars().flat_map(char::to_lowercase));
        }
        (rest, in_word) = (after, true);
        if out.len() > LONGEST {
            break;
        }
    }
    out.chars().take(LONGEST).collect()
}

/// Returns the text after a leading quoted text. Returns `None` if there is none, or if the quoted text is a name.
fn after_quoted(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let (_, closing) = QUOTES.into_iter().find(|(opening, _)| *opening == first)?;
    let (quoted, after) = chars.as_str().split_once(closing)?;
    let is_name = !quoted.is_empty() && quoted.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (!is_name && !quoted.contains('\n')).then_some(after)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':')
}

/// Returns true if the word contains a digit: it is a number, a time or an id.
fn changes(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
}

/// Appends a character, but never two spaces or two `#` in a row.
fn push(out: &mut String, c: char) {
    if !(matches!(c, ' ' | '#') && out.ends_with(c)) {
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::normalised;

    //
    #[test]
    fn ids_and_times_do_not_make_another_error() {
        let one = "job 7f3a-99 failed at 2026-11-15T08:00:01Z: no space left (attempt 1)";
        let two = "job 01bc-12 failed at 2026-11-16T09:30:59Z: no space left (attempt 2)";
        assert_eq!(normalised(one), normalised(two));
        assert_eq!(normalised("请求 req_91 超时"), normalised("请求 req_17  超时"));
        assert_ne!(normalised("no space left"), normalised("no such file"));
        assert!(normalised(&"x ".repeat(1000)).len() <= 200);
    }

    //
    #[test]
    fn what_is_quoted_does_not_make_another_error_unless_it_is_a_name() {
        for (one, two) in [
            ("no such file \"a.csv\"", "no such file \"other/b.csv\""),
            ("no user 'Anna Lee'", "no user 'Bo'"),
            ("找不到文件“甲.csv”", "找不到文件“乙.csv”"),
            ("no project `P-x` here", "no project `Q y` here"),
        ] {
            assert_eq!(normalised(one), normalised(two));
        }
        assert_ne!(normalised("`city` is required"), normalised("`start_date` is required"));
        assert_ne!(normalised("it can't be read: don't"), normalised("it can't be written: don't"));
        assert_ne!(normalised("\"open"), normalised("\"closed"));
    }
}
