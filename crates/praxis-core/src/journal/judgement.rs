//! How an outcome was judged.

use serde::{Deserialize, Serialize};

/// A judgement of the whole task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Who judged.
    pub by: Judge,
    /// Whether the goal is reached.
    pub is_successful: bool,
    /// The four scores.
    pub scores: JudgementScores,
    /// What was reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successes: Vec<String>,
    /// What was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// What would be better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub improvement_suggestions: Vec<String>,
}

/// Who judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// A model.
    Model,
    /// The statuses of the steps.
    Rules,
    /// What the plan said of its outcome, and held.
    Plan,
}

/// Scores of 100 each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementScores {
    /// Whether all of the goal was done.
    pub completeness: u32,
    /// Whether what was done is right.
    pub correctness: u32,
    /// Whether nothing was done in vain.
    pub efficiency: u32,
    /// Whether it can be trusted.
    pub reliability: u32,
}

impl JudgementScores {
    /// One score: what was wanted and whether it is right count most.
    pub fn overall(self) -> u32 {
        (self.completeness * 4 + self.correctness * 4 + self.efficiency + self.reliability) / 10
    }
}

/// From this correctness on, nothing is reflected on.
const RIGHT: u32 = 95;

impl Judgement {
    /// Whether the task may end here: the score reaches the threshold, or what was done is surely right.
    pub fn suffices(&self, threshold: u32) -> bool {
        self.is_successful
            && (self.scores.overall() >= threshold || self.scores.correctness >= RIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(is_successful: bool, completeness: u32, correctness: u32) -> Judgement {
        let scores = JudgementScores { completeness, correctness, efficiency: 50, reliability: 50 };
        Judgement {
            by: Judge::Model,
            is_successful,
            scores,
            successes: vec![],
            failures: vec![],
            improvement_suggestions: vec![],
        }
    }

    //
    #[test]
    fn a_score_suffices_from_the_threshold_on() {
        for (correctness, overall, suffices) in [(87, 78, false), (89, 79, false), (90, 80, true)] {
            let judgement = judged(true, 85, correctness);
            assert_eq!(judgement.scores.overall(), overall);
            assert_eq!(judgement.suffices(80), suffices, "{overall}");
        }
    }

    //
    #[test]
    fn from_a_correctness_of_95_on_nothing_else_counts_but_the_goal() {
        assert!(!judged(true, 0, 94).suffices(80));
        assert!(judged(true, 0, 95).suffices(80));
        assert!(
            !judged(false, 100, 100).suffices(80),
            "the steps are right and the goal is missed"
        );
    }
}
