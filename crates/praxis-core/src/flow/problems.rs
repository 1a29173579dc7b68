//! The problems of a flow: place, description and fix.

use crate::problem::{Bilingual, Problem};

/// Collects the problems of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowProblems {
    /// Errors that keep the flow from running.
    pub problems: Vec<Problem>,
    /// Warnings about probable mistakes.
    pub warnings: Vec<Problem>,
}

impl FlowProblems {
    /// Adds an error with its fix.
    pub fn blame(
        &mut self,
        code: &str,
        at: &str,
        what: impl Into<Bilingual>,
        mend: impl Into<Bilingual>,
    ) {
        self.problems.push(Problem::new(code, at, what).next(mend));
    }

    /// Adds an error with its fix, and suggests similar names.
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

    /// Adds a warning with its fix.
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
