//! The judgement of a task's outcome.

use serde::{Deserialize, Serialize};

/// A judgement of the whole task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The judge.
    pub by: Judge,
    /// True if the goal is reached.
    pub is_successful: bool,
    /// The four scores.
    pub scores: JudgementScores,
    /// The parts of the goal that were reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successes: Vec<String>,
    /// The parts that were not reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Suggestions for improvement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub improvement_suggestions: Vec<String>,
}

/// The origin of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// A model.
    Model,
    /// Rules over the statuses of the steps.
    Rules,
    /// The promise of the plan, which was kept.
    Plan,
}

/// Scores from 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementScores {
    /// The share of the goal that was done.
    pub completeness: u32,
    /// The correctness of the result.
    pub correctness: u32,
    /// The absence of wasted work.
    pub efficiency: u32,
    /// The trustworthiness of the result.
    pub reliability: u32,
}

impl JudgementScores {
    /// Returns the weighted score: 40 % completeness, 40 % correctness, 10 % each for the other two.
    pub fn overall(self) -> u32 {
        (self.completeness * 4 + self.correctness * 4 + self.efficiency + self.reliability) / 10
    }
}

/// The correctness from which a successful task needs no reflection.
const RIGHT: u32 = 95;

impl Judgement {
    /// Returns true if the task may end here: the goal is reached, and either the overall score reaches the threshold
    /// or the correctness reaches `RIGHT`.
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
