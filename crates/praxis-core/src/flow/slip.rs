//! What can be wrong with a flow: where, what, and how to mend it.

use crate::problem::{Problem, Words};

/// Collects what is wrong with a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slips {
    /// What keeps it from running.
    pub problems: Vec<Problem>,
    /// What may not be meant.
    pub warnings: Vec<Problem>,
}

impl Slips {
    /// Something that keeps the flow from running, and how to mend it.
    pub fn blame(&mut self, code: &str, at: &str, what: impl Into<Words>, mend: impl Into<Words>) {
        self.problems.push(Problem::new(code, at, what).next(mend));
    }

    /// The same, where one of these names may have been meant.
    pub fn blame_near(
        &mut self,
        (code, at): (&str, &str),
        what: impl Into<Words>,
        near: &[String],
        mend: impl Into<Words>,
    ) {
        let problem = Problem::new(code, at, what).next(mend);
        self.problems.push(problem.or_near(near));
    }

    /// Something that may not be meant.
    pub fn warn(&mut self, code: &str, at: &str, what: impl Into<Words>, mend: impl Into<Words>) {
        self.warnings.push(Problem::new(code, at, what).next(mend));
    }
}
