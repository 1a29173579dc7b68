//! Solves the assignment problem: the total score of all pairs is maximal.
//!
//! - in: a matrix of scores, one row per taker and one column per thing; `None` for a forbidden pair
//! - out: the column of each row, or `None`
//! - never: assigns a column twice, or a forbidden pair

/// The cost of a forbidden pair, higher than any real cost.
const NEVER: f64 = 1e6;

/// Returns the assignment with the highest total score. Scores of zero or less count as forbidden.
///
/// Uses the Hungarian method with potentials: rows are added one by one along shortest augmenting paths, in time
/// proportional to rows² × columns.
pub fn assign(scores: &[Vec<Option<f32>>]) -> Vec<Option<usize>> {
    let things = scores.iter().map(Vec::len).max().unwrap_or_default();
    let takers = scores.len();
    // Each row also has a dummy column of its own at cost 0, which stands for no assignment.
    let columns = things + takers;
    let cost = |row: usize, column: usize| -> f64 {
        if column >= things {
            return if column - things == row { 0.0 } else { NEVER };
        }
        let score = scores.get(row).and_then(|row| row.get(column)).copied().flatten();
        score.filter(|score| *score > 0.0).map_or(NEVER, |score| -f64::from(score))
    };
    let mut solver = AssignmentSolver::new(takers, columns);
    for row in 0..takers {
        solver.serve(row, &cost);
    }
    let mut given = vec![None; takers];
    for (column, owner) in solver.owners.iter().enumerate() {
        let Some(place) = owner.and_then(|row| given.get_mut(row)) else { continue };
        *place = Some(column).filter(|column| *column < things);
    }
    given
}

struct AssignmentSolver {
    rows: Vec<f64>,
    columns: Vec<f64>,
    owners: Vec<Option<usize>>,
}

impl AssignmentSolver {
    fn new(takers: usize, columns: usize) -> Self {
        Self { rows: vec![0.0; takers], columns: vec![0.0; columns], owners: vec![None; columns] }
    }

    /// Finds the shortest augmenting path from a row to a free column, and reassigns the columns along it.
    fn serve(&mut self, first: usize, cost: &dyn Fn(usize, usize) -> f64) {
        let count = self.owners.len();
        let mut least = vec![f64::INFINITY; count];
        let mut came: Vec<Option<usize>> = vec![None; count];
        let mut seen = vec![false; count];
        let (mut row, mut at): (usize, Option<usize>) = (first, None);
        loop {
            let (mut step, mut next) = (f64::INFINITY, None);
            for column in 0..count {
                if seen.get(column).copied().unwrap_or(true) {
                    continue;
                }
                let price = cost(row, column) - of(&self.rows, row) - of(&self.columns, column);
                if price < of(&least, column) {
                    put(&mut least, column, price);
                    put(&mut came, column, at);
                }
                if of(&least, column) < step {
                    step = of(&least, column);
                    next = Some(column);
                }
            }
            let Some(next) = next else { return };
            self.shift(first, step, (&seen, &mut least));
            put(&mut seen, next, true);
            at = Some(next);
            match self.owners.get(next).copied().flatten() {
                Some(owner) => row = owner,
                None => break,
            }
        }
        while let Some(column) = at {
            let before = came.get(column).copied().flatten();
            let owner =
                before.map_or(Some(first), |before| self.owners.get(before).copied().flatten());
            put(&mut self.owners, column, owner);
            at = before;
        }
    }

    fn shift(&mut self, first: usize, step: f64, (seen, least): (&[bool], &mut [f64])) {
        if let Some(own) = self.rows.get_mut(first) {
            *own += step;
        }
        for (column, was_seen) in seen.iter().enumerate() {
            if *was_seen {
                let owner = self.owners.get(column).copied().flatten();
                if let Some(own) = owner.and_then(|owner| self.rows.get_mut(owner)) {
                    *own += step;
                }
                let lower = of(&self.columns, column) - step;
                put(&mut self.columns, column, lower);
            } else if let Some(least) = least.get_mut(column) {
                *least -= step;
            }
        }
    }
}

fn of(numbers: &[f64], at: usize) -> f64 {
    numbers.get(at).copied().unwrap_or_default()
}

fn put<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::assign;
    use proptest::prelude::*;

    type Scores = Vec<Vec<Option<f32>>>;

    fn total(scores: &Scores, given: &[Option<usize>]) -> f32 {
        let of = |(row, thing): (usize, &Option<usize>)| thing.and_then(|thing| scores[row][thing]);
        given.iter().enumerate().filter_map(of).sum()
    }

    /// Returns the best total by brute force.
    fn best(scores: &Scores, row: usize, used: &mut Vec<usize>) -> f32 {
        if row == scores.len() {
            return 0.0;
        }
        let mut most = best(scores, row + 1, used);
        for thing in 0..scores[row].len() {
            if let Some(score) = scores[row][thing].filter(|_| !used.contains(&thing)) {
                used.push(thing);
                most = most.max(score + best(scores, row + 1, used));
                used.pop();
            }
        }
        most
    }

    proptest! {
        #[test]
        fn no_other_assignment_serves_all_better_and_nothing_is_given_twice(
            scores in (1usize..5, 0usize..6).prop_flat_map(|(rows, columns)| {
                let score = proptest::option::of((1u8..100).prop_map(f32::from));
                prop::collection::vec(prop::collection::vec(score, columns), rows)
            })
        ) {
            let given = assign(&scores);
            let taken: Vec<usize> = given.iter().copied().flatten().collect();
            let mut once = taken.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), taken.len());
            for (row, thing) in given.iter().enumerate() {
                prop_assert!(thing.is_none_or(|thing| scores[row][thing].is_some()));
            }
            prop_assert!((total(&scores, &given) - best(&scores, 0, &mut vec![])).abs() < 1e-3);
        }
    }
}
