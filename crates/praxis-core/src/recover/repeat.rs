//! Whether a failure is the same as one before, though its ids and times changed.

/// How long the kept form is.
const LONGEST: usize = 200;

/// An error without what changes from time to time: numbers, quoted texts and long ids become one sign.
pub fn normalised(error: &str) -> String {
    let mut out = String::new();
    let mut rest = error;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if word == 0 {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            push(&mut out, if first.is_whitespace() { ' ' } else { first });
            continue;
        }
        let (this, after) = rest.split_at(word);
        if changes(this) {
            push(&mut out, '#');
        } else {
            out.extend(this.chars().flat_map(char::to_lowercase));
        }
        rest = after;
        if out.len() > LONGEST {
            break;
        }
    }
    out.chars().take(LONGEST).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':')
}

/// A word with a digit in it is a number, a time or an id.
fn changes(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
}

/// Signs that stand for something are not doubled.
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
}
