//! The weight of each similar past case for a new request.
//!
//! - in: the words of a request, and those of similar cases
//! - out: the weights with which the cases predict the request best (ridge regression over text similarity)
//! - never: lets several cases of the same wording count more than about once, or counts a case without a shared word

use crate::weights::WEIGHTS;

/// The maximum number of solver iterations.
const ROUNDS: usize = 12;
/// The squared error below which the solver stops.
const ENOUGH: f64 = 1e-12;

/// Returns the weight of each case, in order. A negative weight counts against the tools of the case.
pub(super) fn votes(request: &[String], cases: &[&[String]]) -> Vec<f64> {
    let texts: Vec<&[String]> = std::iter::once(request).chain(cases.iter().copied()).collect();
    let mut alike = similarity(&texts);
    let own: Vec<f64> = alike.first_row().iter().skip(1).copied().collect();
    for place in 0..texts.len() {
        alike.add(place, place, WEIGHTS.cases.chance);
    }
    alike.forget_first();
    solve(&alike, &own)
}

/// A square matrix.
struct SimilarityMatrix {
    side: usize,
    cells: Vec<f64>,
}

impl SimilarityMatrix {
    fn of(side: usize) -> Self {
        Self { side, cells: vec![0.0; side * side] }
    }

    fn add(&mut self, row: usize, column: usize, value: f64) {
        if let Some(cell) = self.cells.get_mut(row * self.side + column) {
            *cell += value;
        }
    }

    fn first_row(&self) -> &[f64] {
        self.cells.get(..self.side).unwrap_or_default()
    }

    /// Removes the first row and the first column.
    fn forget_first(&mut self) {
        let rows = self.cells.chunks_exact(self.side).skip(1);
        self.cells = rows.flat_map(|row| row.iter().skip(1).copied()).collect();
        self.side -= 1;
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let rows = self.cells.chunks_exact(self.side.max(1));
        rows.map(|row| dot(row, vector)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the pairwise similarity of texts: 0 without a common word, 1 for the same words.
fn similarity(texts: &[&[String]]) -> SimilarityMatrix {
    let mut all: Vec<(u64, usize, f64)> = Vec::new();
    let vocabulary = vocabulary(texts);
    for (text, words) in texts.iter().enumerate() {
        let marks = marks(words, &vocabulary);
        let length = marks.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        all.extend(marks.into_iter().map(|(mark, weight)| (mark, text, weight / length)));
    }
    all.sort_by_key(|(mark, text, _)| (*mark, *text));
    let mut alike = SimilarityMatrix::of(texts.len());
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        for (_, a, left) in same {
            for (_, b, right) in same {
                alike.add(*a, *b, left * right);
            }
        }
    }
    // The exponential favors high similarities over partial ones; 0 stays 0 and 1 stays 1.
    for cell in &mut alike.cells {
        *cell = cell.exp_m1() / 1_f64.exp_m1();
    }
    alike
}

/// Returns all distinct words, sorted.
fn vocabulary<'a>(texts: &[&'a [String]]) -> Vec<&'a str> {
    let mut all: Vec<&str> = texts.iter().copied().flatten().map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the features of a text with their weights: its words, and its pairs of adjacent words.
fn marks(words: &[String], vocabulary: &[&str]) -> Vec<(u64, f64)> {
    let number = |word: &String| {
        let place = vocabulary.binary_search(&word.as_str()).unwrap_or_default();
        u64::try_from(place).unwrap_or_default() + 1
    };
    let singles: Vec<u64> = words.iter().map(number).collect();
    let pairs = singles.iter().zip(singles.iter().skip(1)).map(|(a, b)| (a << 32) | b);
    let mut all: Vec<u64> = pairs.chain(singles.iter().copied()).collect();
    all.sort_unstable();
    let weighed = |same: &[u64]| {
        let mark = *same.first()?;
        #[expect(clippy::cast_precision_loss, reason = "words of a request")]
        let count = same.len() as f64;
        let kind = if mark >> 32 == 0 { 1.0 } else { WEIGHTS.cases.pair };
        Some((mark, kind * count / (count + WEIGHTS.cases.saturation)))
    };
    all.chunk_by(|a, b| a == b).filter_map(weighed).collect()
}

/// Solves `table * x = wanted` for `x` by conjugate gradients.
fn solve(table: &SimilarityMatrix, wanted: &[f64]) -> Vec<f64> {
    let mut found = vec![0.0; wanted.len()];
    let mut off = wanted.to_vec();
    let mut way = off.clone();
    let mut error = dot(&off, &off);
    for _ in 0..ROUNDS {
        if error < ENOUGH {
            break;
        }
        let change = table.times(&way);
        let far = error / dot(&way, &change);
        step(&mut found, &way, far);
        step(&mut off, &change, -far);
        let before = std::mem::replace(&mut error, dot(&off, &off));
        let turn = error / before;
        way = off.iter().zip(&way).map(|(off, way)| off + turn * way).collect();
    }
    found
}

fn step(from: &mut [f64], way: &[f64], far: f64) {
    for (from, way) in from.iter_mut().zip(way) {
        *from += far * way;
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn weights(request: &str, cases: &[&str]) -> Vec<f64> {
        let texts: Vec<Vec<String>> = cases.iter().map(|case| words(case)).collect();
        let texts: Vec<&[String]> = texts.iter().map(Vec::as_slice).collect();
        votes(&words(request), &texts)
    }

    #[test]
    fn the_likest_says_most_and_what_shares_no_word_says_nothing() {
        let weights = weights(
            "cancel my train ticket",
            &["cancel the train ticket", "book a train ticket", "weather in Rome"],
        );
        assert!(weights[0] > 0.8 && weights[0] < 0.95, "{weights:?}");
        assert!(weights[1].abs() < 0.1 && weights[2].abs() < 1e-9, "{weights:?}");
    }

    #[test]
    fn cases_of_one_wording_count_together_about_as_much_as_one() {
        let once = weights("book a hotel in Rome", &["book a hotel", "weather in Rome"]);
        let often =
            weights("book a hotel in Rome", &["book a hotel", "book a hotel", "weather in Rome"]);
        assert!((often[0] + often[1] - once[0]).abs() < 0.1, "{once:?} {often:?}");
    }

    #[test]
    fn the_order_of_words_tells_cases_apart() {
        let weights = weights(
            "cancel ticket then book hotel",
            &["book hotel then cancel ticket", "cancel ticket then book hotel"],
        );
        assert!(weights[1] > weights[0], "{weights:?}");
    }
}
