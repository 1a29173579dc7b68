//! The reference: a list scheduler without overhead that starts the task with the longest remaining chain first.

use super::workflow::{SLOTS, Task};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

/// A time with a total order.
#[derive(Clone, Copy, PartialEq)]
struct Seconds(f64);

impl Eq for Seconds {}

impl PartialOrd for Seconds {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Seconds {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Returns the makespan in seconds. The tasks must not form a cycle.
pub fn makespan(tasks: &[Task]) -> f64 {
    let mut children: Vec<Vec<usize>> = vec![vec![]; tasks.len()];
    let mut open: Vec<usize> = tasks.iter().map(|task| task.parents.len()).collect();
    for (index, task) in tasks.iter().enumerate() {
        for parent in &task.parents {
            if let Some(list) = children.get_mut(*parent) {
                list.push(index);
            }
        }
    }
    let ranks = ranks(tasks, &children);
    let rank = |index: usize| Seconds(ranks.get(index).copied().unwrap_or_default());
    let roots = open.iter().enumerate().filter(|(_, open)| **open == 0);
    let mut ready: BTreeSet<(Reverse<Seconds>, usize)> =
        roots.map(|(index, _)| (Reverse(rank(index)), index)).collect();
    let mut running: BinaryHeap<Reverse<(Seconds, usize)>> = BinaryHeap::new();
    let mut now = 0.0;
    loop {
        while running.len() < SLOTS
            && let Some((_, index)) = ready.pop_first()
        {
            let runtime = tasks.get(index).map_or(0.0, |task| task.runtime);
            running.push(Reverse((Seconds(now + runtime), index)));
        }
        let Some(Reverse((ended, index))) = running.pop() else { return now };
        now = ended.0;
        for child in children.get(index).into_iter().flatten() {
            if let Some(left) = open.get_mut(*child) {
                *left -= 1;
                if *left == 0 {
                    ready.insert((Reverse(rank(*child)), *child));
                }
            }
        }
    }
}

/// Returns, for each task, the length of the longest chain from its start to the end of the workflow.
fn ranks(tasks: &[Task], children: &[Vec<usize>]) -> Vec<f64> {
    let mut open: Vec<usize> = children.iter().map(Vec::len).collect();
    let mut ranks: Vec<f64> = tasks.iter().map(|task| task.runtime).collect();
    let mut settled: Vec<usize> = (0..tasks.len()).filter(|i| open.get(*i) == Some(&0)).collect();
    while let Some(index) = settled.pop() {
        let (Some(task), Some(rank)) = (tasks.get(index), ranks.get(index).copied()) else {
            continue;
        };
        for parent in &task.parents {
            let own = tasks.get(*parent).map_or(0.0, |task| task.runtime);
            if let (Some(known), Some(left)) = (ranks.get_mut(*parent), open.get_mut(*parent)) {
                *known = known.max(own + rank);
                *left -= 1;
                settled.extend((*left == 0).then_some(*parent));
            }
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(runtime: f64, parents: &[usize]) -> Task {
        Task { id: String::new(), runtime, parents: parents.to_vec() }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "small integers are exact")]
    fn the_longest_chain_goes_first() {
        let mut tasks: Vec<Task> = (0..SLOTS).map(|_| task(1.0, &[])).collect();
        tasks.extend([task(1.0, &[]), task(5.0, &[SLOTS])]);
        assert_eq!(makespan(&tasks), 6.0);
        assert_eq!(makespan(&[task(2.0, &[]), task(3.0, &[0])]), 5.0);
        assert_eq!(makespan(&[]), 0.0);
    }
}
