//! What a task taught, beneath the task itself.

use super::experience::{category, scores};
use crate::home::Desk;
use crate::view::text::{Paint, cut};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::learn::experience::Experience;

/// How much of a summary is printed.
const SUMMARY: usize = 120;

/// What the task taught, the last time it ended.
pub(super) fn taught(entries: &[Entry]) -> Option<&Experience> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::TaskLearnt(experience) => Some(&**experience),
        _ => None,
    })
}

pub(super) fn print(desk: &Desk, entries: &[Entry]) {
    let paint = Paint(desk.colors);
    if let Some(taught) = taught(entries) {
        let words = desk.say("taught", "经验");
        let (kind, summary) =
            (category(taught.category, desk.lang), cut(&taught.quick_summary, SUMMARY));
        out!("  {}", paint.faint(&format!("{words}: {kind} {}  {summary}", scores(taught))));
    }
}
