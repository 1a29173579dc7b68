//! The action that a piece of a request asks for, by the verb that it begins with.
//!
//! - in: a piece of a request, and the tools
//! - out: how much the verb favors a tool beyond shared words, and how clearly the piece begins something new
//! - never: takes a word after an article, or a value, for a verb

use super::filler_words::is_manner;
use super::needs::PlannerTool;
use super::needs::ToolsById;
use super::phrases::{is_article, is_preposition};
use super::reading::RequestReading;
use super::values::ValueKind;
use crate::lexicon::{en, zh};
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Kinds of actions by their verbs.
static BY_WORD: LazyLock<BTreeMap<String, &str>> = LazyLock::new(|| {
    let of = |(act, verbs): &(&'static str, &'static str)| {
        let act = *act;
        words(verbs).into_iter().map(move |it| (it, act))
    };
    en::ACTS.iter().chain(zh::ACTS.iter()).flat_map(of).collect()
});

/// Returns the kind of action of the first word that has one.
fn act(text: &str) -> Option<&'static str> {
    words(text).iter().find_map(|word| BY_WORD.get(word).copied())
}

/// The action that a piece asks for.
pub(super) struct ActionVerb {
    act: Option<&'static str>,
    /// The leading verb, if the name of some tool begins with it.
    lead: Option<String>,
    /// The rarity of the verb as a first word of tool names: 1 if one tool has it, near 0 if all have it.
    rarity: f32,
}

impl ActionVerb {
    /// Reads the action of a piece.
    #[expect(clippy::cast_precision_loss, reason = "tools")]
    pub(super) fn of(
        reading: &RequestReading,
        piece: &Range<usize>,
        tools: &ToolsById<'_>,
    ) -> Self {
        let act = act(&reading.asked(piece));
        let lead = lead(reading, piece);
        let has_it = |known: &&PlannerTool<'_>| Some(&known.verb) == lead.as_ref();
        let count = tools.values().filter(has_it).count();
        if count == 0 {
            return Self { act, lead: None, rarity: 0.0 };
        }
        let rarity = 1.0 - (count as f32).ln() / (tools.len() as f32 + 1.0).ln();
        Self { act, lead, rarity }
    }

    /// Returns the bonus for a tool that shares words with the piece.
    pub(super) fn speaks_for(&self, known: &PlannerTool<'_>) -> f32 {
        let id = &known.tool.id;
        let same_act = self.act.is_some() && self.act == act(id.as_str());
        let verb = if self.lead.as_ref() == Some(&known.verb) {
            WEIGHTS.verbs.same_verb
        } else if self.leads_to(id) {
            WEIGHTS.verbs.named_with_it
        } else {
            0.0
        };
        verb * self.rarity + if same_act { WEIGHTS.verbs.same_act } else { 0.0 }
    }

    /// Returns true if the piece begins with a verb that is part of the tool's id.
    pub(super) fn leads_to(&self, tool: &ToolId) -> bool {
        self.lead.as_ref().is_some_and(|lead| words(tool.as_str()).contains(lead))
    }

    /// Returns how clearly the piece begins something new, from 0 to 1.
    pub(super) fn is_new(&self) -> f32 {
        self.rarity
    }
}

/// Returns the stem of the verb that a piece begins with: its first word that is not filler.
fn lead(reading: &RequestReading, piece: &Range<usize>) -> Option<String> {
    let inside = reading.inside(piece);
    let at = inside.iter().position(|token| !is_manner(&token.text))?;
    let token = inside.get(at)?;
    let before = at.checked_sub(1).and_then(|at| inside.get(at)).map(|token| token.text.as_str());
    let is_noun =
        before.is_some_and(|word| is_article(word) || word != "to" && is_preposition(word));
    let is_value = reading.said.iter().any(|one| {
        let by_form = !matches!(one.kind, ValueKind::Word | ValueKind::Label);
        by_form && one.from < token.place.end && token.place.start < one.to
    });
    token.stems.first().filter(|_| !is_noun && !is_value).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::call::tool::Tool;
    use serde_json::json;

    #[test]
    fn the_verb_of_a_piece_is_its_first_word_that_says_something() {
        let verb = |text: &str| lead(&RequestReading::of(text), &(0..text.len()));
        let stem = |word: &str| words(word).into_iter().next();
        assert_eq!(verb("and then please translate it into French"), stem("translate"));
        assert_eq!(verb("I want to encrypt the price"), stem("encrypt"));
        assert_eq!(verb("and the price of it"), None);
        assert_eq!(verb("and New York"), None);
    }

    #[test]
    fn a_verb_speaks_for_tools_that_do_the_same_and_most_for_those_that_begin_with_it() {
        let manifest = |id: &str| json!({"id": id, "description": "of houses", "builtin": "noop"});
        let made = |id: &str| serde_json::from_value::<Tool>(manifest(id)).unwrap();
        let ids = ["Homes.BookHouse", "Homes.SearchHouse", "Homes.DoBook", "get_translation"];
        let all = ids.map(made);
        let tools: ToolsById<'_> =
            all.iter().map(|it| (it.id.clone(), PlannerTool::of(it))).collect();
        let (find, book) = ("find a house", "and then book it");
        let of = |text: &str| ActionVerb::of(&RequestReading::of(text), &(0..text.len()), &tools);
        let speaks = |text: &str, id: &str| of(text).speaks_for(&tools[&ToolId::from(id)]);
        assert!(speaks(find, ids[1]) > speaks(find, ids[0]));
        assert!(speaks(book, ids[0]) > speaks(book, ids[2]));
        assert!(speaks(book, ids[2]) > speaks(book, ids[1]));
        assert!(speaks(book, ids[1]) >= speaks(book, ids[3]));
        assert!(of(book).leads_to(&ids[0].into()) && !of(book).leads_to(&ids[1].into()));
        assert!(of(book).is_new() > of(find).is_new(), "no tool is named with `find`");
    }

    #[test]
    fn both_languages_have_the_same_kinds_of_verbs() {
        let kinds = |acts: &[(&'static str, &str)]| acts.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(kinds(&en::ACTS), kinds(&zh::ACTS));
    }

    #[test]
    fn verbs_that_say_the_same_kind_of_thing_are_one_act() {
        assert_eq!(act("find me a hotel"), act("Hotels.SearchHotel"));
        assert_eq!(act("预订一个房间"), act("reserve_room"));
        assert_ne!(act("find a house"), act("Hotels.BookHouse"));
        assert_eq!(act("summarize the text"), None);
    }
}
