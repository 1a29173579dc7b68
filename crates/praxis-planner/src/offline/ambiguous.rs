//! Assigns values to parameters if some words of the request can be read in two ways.

use super::assign::assign;
use super::reading::RequestReading;
use super::values::ValueKind;

/// The maximum number of reassignments after a conflict.
const MOST_TRIES: usize = 6;

/// Assigns values to parameters. If two parameters get readings of the same words, the worse of the two pairs is
/// ruled out and the assignment repeated.
pub(super) fn apart(
    reading: &RequestReading,
    scores: &mut [Vec<Option<f32>>],
) -> Vec<Option<usize>> {
    let mut given = assign(scores);
    for _ in 0..MOST_TRIES {
        let Some((row, column)) = overlapping(reading, scores, &given) else { break };
        if let Some(cell) = scores.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = None;
        }
        given = assign(scores);
    }
    given
}

/// Returns the worse of two assigned pairs (parameter and value) whose words overlap.
fn overlapping(
    reading: &RequestReading,
    scores: &[Vec<Option<f32>>],
    given: &[Option<usize>],
) -> Option<(usize, usize)> {
    let place = |column: usize| reading.said.get(column).map(|one| one.from..one.to);
    let score = |row: usize, column: usize| {
        scores.get(row).and_then(|row| row.get(column).copied().flatten()).unwrap_or_default()
    };
    // A unit is both a part of its number and a value of its own: that overlap is allowed.
    let is_unit =
        |column: usize| reading.said.get(column).is_some_and(|one| one.kind == ValueKind::Unit);
    let taken: Vec<(usize, usize)> =
        given.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect();
    for (at, (row, column)) in taken.iter().enumerate() {
        for (other_row, other) in taken.iter().skip(at + 1) {
            let (Some(one), Some(two)) = (place(*column), place(*other)) else { continue };
            if one.start < two.end && two.start < one.end && !is_unit(*column) && !is_unit(*other) {
                let first = score(*row, *column) < score(*other_row, *other);
                return Some(if first { (*row, *column) } else { (*other_row, *other) });
            }
        }
    }
    None
}
