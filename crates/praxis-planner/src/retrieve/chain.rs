//! The tool chain that past cases propose for a new request.
//!
//! - in: the chains of similar cases, each with its weight
//! - out: the chain that agrees most with all weighted chains, and how much it agrees
//! - never: invents a chain that no case had

use crate::weights::WEIGHTS;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;

/// The number of chains that are compared, by descending weight.
const CANDIDATES: usize = 40;
/// The maximum number of cases given as the reason.
const NAMED: usize = 5;

/// Tools to call, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolChain {
    /// The tools in order; a tool may occur more than once.
    pub steps: Vec<ToolId>,
    /// Pairs of consecutive steps, by index.
    pub links: Vec<(usize, usize)>,
    /// The predicted share of the chain that is right, from 0 to 1.
    pub sureness: f32,
    /// The cases that support it most, with their weights.
    pub votes: Vec<(String, f32)>,
}

/// The chain of a case and its weight.
pub(super) struct CaseVote<'a> {
    pub(super) case: &'a str,
    pub(super) tools: &'a [ToolId],
    pub(super) weight: f64,
}

/// Returns the chain with the highest agreement over all votes; `None` if no case has tools.
pub(super) fn agreed(votes: &[CaseVote]) -> Option<ToolChain> {
    let mut said: BTreeMap<&[ToolId], f64> = BTreeMap::new();
    for vote in votes.iter().filter(|vote| !vote.tools.is_empty()) {
        *said.entry(vote.tools).or_default() += vote.weight;
    }
    let numbered = NumberedChains::of(said);
    let mut best: Option<(f64, &ChainEvidence)> = None;
    for candidate in numbered.said.iter().take(CANDIDATES) {
        let worth = numbered.worth(candidate);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, candidate));
        }
    }
    let (_, best) = best?;
    let foretold =
        numbered.said.iter().map(|said| said.weight * agreement(&best.tools, &said.tools));
    let sureness = foretold.sum::<f64>().clamp(0.0, 1.0);
    let last = best.chain.len().saturating_sub(1);
    Some(ToolChain {
        steps: best.chain.to_vec(),
        links: (0..last).map(|step| (step, step + 1)).collect(),
        sureness: single(sureness),
        votes: strongest(votes, best.chain),
    })
}

/// A chain of one or more cases, with their total weight.
struct ChainEvidence<'a> {
    chain: &'a [ToolId],
    weight: f64,
    /// The tools as numbers, which compare faster than names.
    tools: Vec<usize>,
    links: Vec<(usize, usize)>,
}

/// All distinct chains, by descending weight.
struct NumberedChains<'a> {
    said: Vec<ChainEvidence<'a>>,
}

impl<'a> NumberedChains<'a> {
    fn of(said: BTreeMap<&'a [ToolId], f64>) -> Self {
        let mut names: Vec<&ToolId> = said.keys().copied().flatten().collect();
        names.sort_unstable();
        names.dedup();
        let numbered = |(chain, weight): (&'a [ToolId], f64)| {
            let number = |tool| names.binary_search(&tool).unwrap_or_default();
            let tools: Vec<usize> = chain.iter().map(number).collect();
            let links = tools.iter().copied().zip(tools.iter().copied().skip(1)).collect();
            ChainEvidence { chain, weight, tools, links }
        };
        let mut said: Vec<ChainEvidence> = said.into_iter().map(numbered).collect();
        said.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.chain.cmp(b.chain)));
        Self { said }
    }

    /// Returns the weighted agreement of all chains with this one.
    fn worth(&self, chain: &ChainEvidence) -> f64 {
        let one = |said: &ChainEvidence| {
            let tools = agreement(&chain.tools, &said.tools);
            let links = agreement(&chain.links, &said.links);
            said.weight * (tools + WEIGHTS.cases.links * links)
        };
        self.said.iter().map(one).sum()
    }
}

/// Returns the overlap of two lists (Dice coefficient): 1 for the same elements, in any order.
#[expect(clippy::cast_precision_loss, reason = "steps of a chain")]
fn agreement<T: PartialEq + Copy>(a: &[T], b: &[T]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let mut left = b.to_vec();
    let mut common = 0_usize;
    for thing in a {
        if let Some(place) = left.iter().position(|other| other == thing) {
            left.swap_remove(place);
            common += 1;
        }
    }
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

/// Returns the cases that support a chain most: those with one of its tools, by descending weight.
fn strongest(votes: &[CaseVote], chain: &[ToolId]) -> Vec<(String, f32)> {
    let shares = |vote: &&CaseVote| vote.tools.iter().any(|tool| chain.contains(tool));
    let mut strong: Vec<&CaseVote> =
        votes.iter().filter(shares).filter(|vote| vote.weight > 0.0).collect();
    strong.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.case.cmp(b.case)));
    strong.truncate(NAMED);
    strong.iter().map(|vote| (vote.case.to_owned(), single(vote.weight))).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a share, told in few digits")]
fn single(share: f64) -> f32 {
    share as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed_steps(said: &[(&str, f64)]) -> String {
        let chains: Vec<Vec<ToolId>> = said
            .iter()
            .map(|(tools, _)| tools.split_whitespace().map(ToolId::from).collect())
            .collect();
        let votes = chains.iter().zip(said);
        let votes: Vec<CaseVote> = votes
            .map(|(tools, (case, weight))| CaseVote { case, tools, weight: *weight })
            .collect();
        let steps = agreed(&votes).map(|chain| chain.steps).unwrap_or_default();
        steps.iter().map(ToolId::as_str).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_chain_that_all_agree_with_most_wins_over_the_loudest() {
        assert_eq!(agreed_steps(&[("x y", 0.4), ("a b", 0.3), ("a b c", 0.3)]), "a b");
        assert_eq!(agreed_steps(&[("a b", 0.4), ("b a", 0.35), ("b a c", 0.25)]), "b a");
        assert_eq!(agreed_steps(&[("a", 0.3), ("a b", 0.2), ("a b", 0.2)]), "a b");
    }

    #[test]
    fn a_vote_against_a_chain_counts_against_what_is_like_it() {
        assert_eq!(agreed_steps(&[("a b", 0.5), ("c d", 0.4)]), "a b");
        assert_eq!(agreed_steps(&[("a b", 0.5), ("c d", 0.4), ("b a", -0.3)]), "c d");
    }
}
