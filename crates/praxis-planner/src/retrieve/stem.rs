//! Removes the endings of English words, as far as that is safe without a dictionary.

use crate::lexicon::en;

/// Returns the stem of a word. Forms of one word have the same stem, which need not be a word.
pub(super) fn stem(mut word: String) -> String {
    if !word.is_ascii() {
        return word;
    }
    plural(&mut word);
    if word.len() > 4 && word.ends_with("ie") {
        word.truncate(word.len() - 2);
        word.push('y');
    }
    for ending in en::ENDINGS.iter() {
        let rest = word.len().saturating_sub(ending.len());
        if rest >= 4 && word.ends_with(ending) {
            word.truncate(rest);
            undouble(&mut word);
            break;
        }
    }
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    }
    word
}

fn plural(word: &mut String) {
    let length = word.len();
    if length > 4 && word.ends_with("ies") {
        word.truncate(length - 3);
        word.push('y');
    } else if length > 4 && word.ends_with("sses") {
        word.truncate(length - 2);
    } else if length > 3
        && word.ends_with('s')
        && !en::SINGULAR_ENDINGS.iter().any(|end| word.ends_with(end))
    {
        word.pop();
    }
}

/// Removes a doubled last letter: `plann` of `planning` becomes `plan`.
fn undouble(word: &mut String) {
    let mut last = word.chars().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && !matches!(a, 'l' | 's' | 'z')
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_become_the_same_and_short_words_stay() {
        for (forms, expected) in [
            (["plans", "planning", "planned"], "plan"),
            (["convert", "converts", "converting"], "convert"),
            (["queries", "query", "query"], "query"),
            (["movies", "movie", "movie"], "movy"),
            (["translate", "translator", "translation"], "transl"),
            (["forecast", "forecasts", "forecasting"], "forecast"),
            (["bus", "bus", "bus"], "bus"),
            (["class", "classes", "class"], "class"),
        ] {
            for form in forms {
                assert_eq!(stem(form.to_owned()), expected, "{form}");
            }
        }
    }
}
