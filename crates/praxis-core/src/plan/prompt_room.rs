//! Limits the number of matching tools that are shown to a model.
//!
//! - in: tools with scores, and the room in the prompt
//! - out: the tools to show, sorted by name: the same set gives the same prompt, whatever its ranking
//! - never: shows a tool without the one that produces its input, if there is room

use crate::ids::ToolId;
use crate::planner::FoundTool;
use std::collections::BTreeSet;

/// The share of the best score below which a tool is left out.
const FLOOR: f32 = 0.25;

/// The room for tools in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptRoom {
    /// The number of tools to show at any score.
    pub least: usize,
    /// The maximum number of tools.
    pub most: usize,
    /// The maximum number of tokens in total.
    pub tokens: u64,
}

/// Returns the tools to show.
pub fn choose(
    found: &[FoundTool],
    room: PromptRoom,
    cost: impl Fn(&ToolId) -> u64,
) -> BTreeSet<ToolId> {
    let top = found.iter().map(|one| one.score).fold(0.0, f32::max);
    let mut chosen: BTreeSet<ToolId> = BTreeSet::new();
    let mut spent = 0;
    for one in found {
        let brings = one.because.brings_for.as_ref().is_some_and(|tool| chosen.contains(tool));
        let fits = one.score >= FLOOR * top || brings || chosen.len() < room.least;
        let price = cost(&one.tool);
        if fits && chosen.len() < room.most && spent + price <= room.tokens {
            spent += price;
            chosen.insert(one.tool.clone());
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::MatchReason;

    fn found(tool: &str, score: f32, brings_for: Option<&str>) -> FoundTool {
        let because =
            MatchReason { brings_for: brings_for.map(ToolId::from), ..MatchReason::default() };
        FoundTool { tool: ToolId::from(tool), score, because }
    }

    #[test]
    fn what_hardly_fits_is_left_out_and_what_a_chosen_tool_needs_is_not() {
        let all = [
            found("pay", 1.0, None),
            found("find_account", 0.0, Some("pay")),
            found("refund", 0.6, None),
            found("weather", 0.1, None),
            found("find_city", 0.0, Some("weather")),
        ];
        let choose = |least: usize, most: usize, tokens: u64| {
            let chosen = choose(&all, PromptRoom { least, most, tokens }, |_| 10);
            chosen.into_iter().map(|tool| tool.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(choose(0, 9, 1000), "find_account pay refund");
        assert_eq!(choose(4, 9, 1000), "find_account find_city pay refund weather");
        assert_eq!(choose(0, 2, 1000), "find_account pay");
        assert_eq!(choose(9, 9, 25), "find_account pay");
    }
}
