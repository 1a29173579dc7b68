//! Filler words: polite and grammatical words without meaning for the task.

use super::values::is_tie;
use crate::lexicon::{en, zh};
use crate::retrieve::words::{is_ideograph, says_nothing};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Filler words that occur in requests on any subject.
static MANNERS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| en::MANNERS.iter().copied().collect());

/// Returns true if a lower-case English word is a stop word or a filler word.
pub fn is_manner(word: &str) -> bool {
    says_nothing(word) || MANNERS.contains(word)
}

/// Returns for each character of a run of Chinese true if it is significant.
pub fn telling(run: &str) -> Vec<bool> {
    let mut told = Vec::new();
    let mut skip = 0;
    for (at, c) in run.char_indices() {
        let rest = run.get(at..).unwrap_or_default();
        if skip == 0 {
            let manner = zh::MANNERS.iter().find(|manner| rest.starts_with(**manner));
            skip = manner.map_or(0, |manner| manner.chars().count());
        }
        told.push(skip == 0 && is_ideograph(c) && !is_tie(c) && !zh::LITTLE.contains(&c));
        skip = usize::saturating_sub(skip, 1);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_politeness_say_nothing_and_verbs_say_something() {
        assert!(is_manner("please") && is_manner("tell") && !is_manner("translate"));
    }

    #[test]
    fn of_a_run_of_chinese_the_ties_and_manners_say_nothing() {
        let told = |run: &str| -> String {
            let said = run.chars().zip(telling(run));
            said.filter(|(_, says)| *says).map(|(c, _)| c).collect()
        };
        assert_eq!(told("帮我把负荷预测一下"), "负荷预测");
        assert_eq!(told("麻烦看看"), "");
    }
}
