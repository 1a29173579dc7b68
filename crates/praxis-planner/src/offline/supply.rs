//! Scores an output of a tool for a parameter of another.

use super::fit::overlap;
use super::hints::is_manner;
use super::needs::{ToolField, ValueShape};
use crate::weights::WEIGHTS;
use std::collections::BTreeSet;

/// Scores an output for a parameter; `None` if their shapes do not match.
#[expect(clippy::cast_precision_loss, reason = "a few words")]
pub fn supply(output: &ToolField, slot: &ToolField) -> Option<f32> {
    if !output.shape.serves(slot.shape) || !parts_serve(output, slot) {
        return None;
    }
    let names = f32::midpoint(overlap(&slot.name, &output.name), overlap(&output.name, &slot.name));
    let (wanted, given) = (all_words(slot), all_words(output));
    let shared = wanted.intersection(&given).count() as f32;
    let either = ((wanted.len() * given.len()) as f32).sqrt().max(1.0);
    let mut score = WEIGHTS.supply.names * names + WEIGHTS.supply.words * shared / either;
    let same_head = slot.head().is_some() && output.head() == slot.head();
    if same_head && output.name == slot.name {
        score += WEIGHTS.supply.same;
    }
    if same_head {
        score += WEIGHTS.supply.head;
    } else if is_manner(slot) {
        score -= WEIGHTS.supply.chosen;
    }
    if same_head && is_of_another(output, slot) {
        score -= WEIGHTS.supply.another;
    }
    if output.shape == slot.shape && slot.shape != ValueShape::Any {
        score += WEIGHTS.supply.shape;
    }
    Some(score)
}

/// Returns true if the items of two lists have compatible shapes.
fn parts_serve(output: &ToolField, slot: &ToolField) -> bool {
    match (&output.items, &slot.items) {
        (Some(given), Some(wanted)) => given.shape.serves(wanted.shape),
        (Some(_) | None, Some(_) | None) => true,
    }
}

/// Returns true if both qualify the same last word differently, such as the ids of two different things.
fn is_of_another(output: &ToolField, slot: &ToolField) -> bool {
    let of =
        |slot: &'_ ToolField| -> Vec<String> { slot.name.iter().rev().skip(1).cloned().collect() };
    let (given, wanted) = (of(output), of(slot));
    let known = |words: &[String], other: &ToolField| {
        words.iter().any(|word| other.name.contains(word) || other.about.contains(word))
    };
    !given.is_empty() && !wanted.is_empty() && !known(&given, slot) && !known(&wanted, output)
}

fn all_words(slot: &ToolField) -> BTreeSet<&String> {
    slot.about.iter().chain(&slot.name).collect()
}
