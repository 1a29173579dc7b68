//! Generates a wide workflow from a fixed seed, since no recorded one is that wide.

use super::ideal::makespan;
use super::workflow::{Task, TimedWorkflow};

const TASKS: usize = 2000;
const WIDTH: usize = 200;
const SEED: u64 = 20_260_401;
const MOST_PARENTS: u64 = 3;

/// Returns 2,000 tasks in layers of 200; each needs one to three tasks of the previous layer.
pub fn wide() -> TimedWorkflow {
    let mut random = Random(SEED);
    let task = |index: usize| {
        let layer = index / WIDTH;
        let mut parents: Vec<usize> = Vec::new();
        if layer > 0 {
            let count = 1 + random.below(MOST_PARENTS);
            let one = |_| (layer - 1) * WIDTH + random.index(WIDTH);
            parents.extend((0..count).map(one));
            parents.sort_unstable();
            parents.dedup();
        }
        let runtime = 0.5 + random.below(1_000_000_000) as f64 / 1e9;
        Task { id: format!("task_{index}"), runtime, parents }
    };
    let tasks: Vec<Task> = (0..TASKS).map(task).collect();
    TimedWorkflow { name: "generated/wide-2000".to_owned(), reference: makespan(&tasks), tasks }
}

/// A splitmix generator: small, and equal on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap_or_default()
    }
}
