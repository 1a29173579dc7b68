//! What can be wrong with a flow: where, what, and how to mend it.

use crate::problem::{Bilingual, Problem};

/// Collects what is wrong with a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowProblems {
    /// What keeps it from running.
    pub problems: Vec<Problem>,
    /// What may not be meant.
    pub warnings: Vec<Problem>,
}

impl FlowProblems {
    /// Something that keeps the flow from running, and how to mend it.
    pub fn blame(
        &mut self,
        code: &str,
        at: &str,
        what: impl Into<Bilingual>,
        mend: impl Into<Bilingual>,
    ) {
        self.problems.push(Problem::new(code, at, what).next(mend));
    }

    /// The same, where one of these names may have been meant.
    pub fn blame_near(
        &mut self,
        (code, at): (&str, &str),
        what: impl Into<Bilingual>,
        near: &[String],
        mend: impl Into<Bilingual>,
    ) {
        let problem = Problem::new(code, at, what).next(mend);
        self.problems.push(problem.or_near(near));
    }

    /// Something that may not be meant.
    pub fn warn(
        &mut self,
        code: &str,
        at: &str,
        what: impl Into<Bilingual>,
        mend: impl Into<Bilingual>,
    ) {
        self.warnings.push(Problem::new(code, at, what).next(mend));
    }
}
