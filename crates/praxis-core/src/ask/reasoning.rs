//! Separates reasoning from the answer in a streamed reply.
//!
//! - in: the content of a reply, in arbitrary chunks
//! - out: deltas that may be shown at once, and at the end the answer and the reasoning
//! - never: takes `<think>` in the middle of the answer for a tag, or shows the text of a call

use super::waiting::WaitReason;

/// A part of a streamed reply that may be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More of the answer.
    Text(String),
    /// More of the reasoning.
    Reasoning(String),
    /// Notice that everything so far was reasoning: the endpoint left out the opening tag.
    ReclassifyAsReasoning,
    /// Notice that the reply broke off and is requested again: discard everything so far.
    Restart,
    /// Notice that the request is not sent yet, with the reason.
    Waiting(WaitReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Think,
    EndThink,
    Call,
    EndCall,
}

const TAGS: [(&str, Tag); 6] = [
    ("<think>", Tag::Think),
    ("</think>", Tag::EndThink),
    ("<thinking>", Tag::Think),
    ("</thinking>", Tag::EndThink),
    (CALL, Tag::Call),
    (END_CALL, Tag::EndCall),
];
/// Opening tag of a call written as text.
pub(super) const CALL: &str = "<tool_call>";
/// Closing tag of a call written as text.
pub(super) const END_CALL: &str = "</tool_call>";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SplitterPosition {
    #[default]
    Words,
    Thought,
    Call,
}

/// Splitter of streamed content into answer and reasoning.
#[derive(Debug, Default)]
pub struct Splitter {
    /// Text that may be the beginning of a tag.
    pending: String,
    place: SplitterPosition,
    words: String,
    thoughts: String,
    /// The first non-blank character of the answer.
    first: Option<char>,
    /// True if reasoning was found in the content, or came in a field of its own.
    parted: bool,
    /// True if reasoning was found in the content.
    mended: bool,
}

/// The parts of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SplitText {
    /// The answer, which still contains calls written as text.
    pub words: String,
    /// The reasoning.
    pub thoughts: String,
    /// True if reasoning was found in the content.
    pub mended: bool,
}

impl Splitter {
    /// Records that the endpoint sends reasoning in a field of its own. A lone `</think>` after the answer began is
    /// then text.
    pub fn thoughts_come_apart(&mut self) {
        self.parted = true;
    }

    /// Takes the next chunk.
    pub fn feed(&mut self, piece: &str, out: &mut Vec<Delta>) {
        let mut text = std::mem::take(&mut self.pending);
        text.push_str(piece);
        let mut rest = text.as_str();
        while let Some((before, from)) = rest.find('<').map(|at| rest.split_at(at)) {
            self.say(before, out);
            rest = match TAGS.iter().find(|(tag, _)| from.starts_with(tag)) {
                Some((written, tag)) => {
                    let (written, after) = from.split_at(written.len());
                    self.cross(*tag, written, out);
                    after
                }
                None if TAGS.iter().any(|(tag, _)| tag.starts_with(from)) => {
                    from.clone_into(&mut self.pending);
                    return;
                }
                None => {
                    self.say("<", out);
                    from.strip_prefix('<').unwrap_or(from)
                }
            };
        }
        self.say(rest, out);
    }

    /// Returns the parts after the last chunk.
    pub fn end(mut self) -> SplitText {
        let pending = std::mem::take(&mut self.pending);
        self.say(&pending, &mut Vec::new());
        let words = if self.mended { self.words.trim_start() } else { self.words.as_str() };
        let words = if words.trim().is_empty() { "" } else { words };
        SplitText {
            words: words.to_owned(),
            thoughts: self.thoughts.trim().to_owned(),
            mended: self.mended,
        }
    }

    fn cross(&mut self, tag: Tag, written: &str, out: &mut Vec<Delta>) {
        match (tag, self.place) {
            (Tag::Think, SplitterPosition::Words) if self.first.is_none() => {
                (self.place, self.parted, self.mended) = (SplitterPosition::Thought, true, true);
            }
            (Tag::EndThink, SplitterPosition::Thought) => self.place = SplitterPosition::Words,
            (Tag::EndThink, SplitterPosition::Words | SplitterPosition::Call)
                if self.were_thoughts() =>
            {
                self.take_back(out);
            }
            (Tag::Call, SplitterPosition::Words) if !self.is_json() => {
                self.place = SplitterPosition::Call;
                self.say(written, out);
            }
            (Tag::EndCall, SplitterPosition::Call) => {
                self.say(written, out);
                self.place = SplitterPosition::Words;
            }
            (Tag::Think | Tag::EndThink | Tag::Call | Tag::EndCall, _) => self.say(written, out),
        }
    }

    /// Returns true if a closing tag without an opening one can end reasoning. In an answer that began as JSON or a
    /// code fence, the tag is text.
    fn were_thoughts(&self) -> bool {
        self.first.is_none() || (!self.parted && !self.is_json())
    }

    fn is_json(&self) -> bool {
        matches!(self.first, Some('{' | '[' | '`'))
    }

    fn take_back(&mut self, out: &mut Vec<Delta>) {
        self.thoughts.push_str(&std::mem::take(&mut self.words));
        (self.place, self.first, self.parted, self.mended) =
            (SplitterPosition::Words, None, true, true);
        out.push(Delta::ReclassifyAsReasoning);
    }

    fn say(&mut self, text: &str, out: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        if self.place == SplitterPosition::Thought {
            self.thoughts.push_str(text);
            show_thought(text, out);
            return;
        }
        self.first = self.first.or_else(|| text.chars().find(|c| !c.is_whitespace()));
        self.words.push_str(text);
        match out.last_mut() {
            _ if self.place == SplitterPosition::Call => {}
            Some(Delta::Text(words)) => words.push_str(text),
            _ => out.push(Delta::Text(text.to_owned())),
        }
    }
}

/// Appends reasoning to the deltas.
pub(super) fn show_thought(text: &str, out: &mut Vec<Delta>) {
    match out.last_mut() {
        Some(Delta::Reasoning(thought)) => thought.push_str(text),
        _ => out.push(Delta::Reasoning(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (SplitText, Vec<Delta>) {
        let (mut splitter, mut out) = (Splitter::default(), Vec::new());
        for piece in pieces {
            splitter.feed(piece, &mut out);
        }
        (splitter.end(), out)
    }

    fn parts(words: &str, thoughts: &str) -> SplitText {
        SplitText { words: words.into(), thoughts: thoughts.into(), mended: !thoughts.is_empty() }
    }

    #[test]
    fn thoughts_are_found_across_pieces_and_blocks() {
        let (found, shown) = split(&["\n<th", "ink>a<b", "</thi", "nk>\n\n<think>c</think>", "ok"]);
        assert_eq!(found, parts("ok", "a<bc"));
        assert_eq!(shown.last(), Some(&Delta::Text("ok".to_owned())));
    }

    #[test]
    fn a_lone_closing_tag_takes_the_words_back() {
        let (found, shown) = split(&["I muse", "</think>{}"]);
        assert_eq!(found, parts("{}", "I muse"));
        assert!(shown.contains(&Delta::ReclassifyAsReasoning));
    }

    #[test]
    fn tags_amid_words_are_words() {
        for text in [r#"{"a":"</think> <think>"}"#, "use <think> so: a < b", "x <thin"] {
            assert_eq!(split(&[text]).0, parts(text, ""));
        }
    }

    #[test]
    fn a_call_in_the_text_is_kept_but_not_shown() {
        let (found, shown) = split(&["Wait.<tool_", "call>{}</tool_call> Done."]);
        assert_eq!(found.words, "Wait.<tool_call>{}</tool_call> Done.");
        assert_eq!(shown, [Delta::Text("Wait. Done.".to_owned())]);
    }
}
