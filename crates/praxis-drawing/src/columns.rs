//! Column widths of text, for drawings and for the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the number of columns of a text: two for a CJK character or an emoji, none for a combining mark.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Truncates a text to at most `most` columns; a truncated one ends in `…`.
pub fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += most_added(*c);
        used < most
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Returns the maximum number of columns that a character adds to a text.
fn most_added(c: char) -> usize {
    match c {
        // It turns the character before it into an emoji, which may be one column wider.
        '\u{fe0f}' => 1,
        _ => c.width().unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mark_that_joins_a_character_and_a_joined_emoji_take_no_room_of_their_own() {
        for (text, columns) in [
            ("负荷 load", 9),
            ("Ａ，😀", 6),
            ("ｶﾅ …–·✔✖▶↻⚠■◌", 13),
            ("e\u{301}te\u{301}", 3),
            ("👍🏽", 2),
            ("👨\u{200d}👩\u{200d}👧", 2),
            ("🇨🇳", 2),
            ("❤\u{fe0f}", 2),
            ("⌚", 2),
            ("🌡", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn a_mark_stays_with_its_character_where_a_text_is_cut() {
        assert_eq!(cut("cafe\u{301} au lait", 5), "cafe\u{301}…");
        assert_eq!(cut("👍🏽👍🏽👍🏽", 6), "👍🏽👍🏽👍🏽");
        assert_eq!(cut("❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", 5), "❤\u{fe0f}❤\u{fe0f}…");
    }

    proptest! {
        #[test]
        fn what_is_cut_begins_the_same_and_takes_no_more_room_than_it_may(
            text in "([a-c负，é\u{301}\u{fe0f}\u{200d}❤👍🏽👩🇨🇳1\u{20e3}\u{644}\u{627}\n]|\\PC){0,40}",
            most in 1_usize..50,
        ) {
            let short = cut(&text, most);
            prop_assert!(width(&short) <= most);
            if short != text {
                prop_assert!(width(&text) > most);
                prop_assert!(text.starts_with(short.strip_suffix('…').unwrap()));
            }
        }
    }
}
