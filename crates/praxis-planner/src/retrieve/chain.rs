//! The chain of tools that past cases propose for a new request.
//!
//! - in: the chains of the cases near it, each with the weight of its voice
//! - out: of these chains the one that all voices together agree with most, and how much that is
//! - never: makes up a chain that no case had

use crate::weights::WEIGHTS;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;

/// So many of the chains with the strongest voices are compared.
const CANDIDATES: usize = 40;
/// So many cases are named as the reason.
const NAMED: usize = 5;

/// What to call, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolChain {
    /// The tools, in order; one may come more than once.
    pub steps: Vec<ToolId>,
    /// Which step follows which, by their places.
    pub links: Vec<(usize, usize)>,
    /// How much of it is foretold to be right, from 0 to 1.
    pub sureness: f32,
    /// The cases that speak for it most, and how much each says.
    pub voices: Vec<(String, f32)>,
}

/// What a case says.
pub(super) struct CaseVote<'a> {
    pub(super) case: &'a str,
    pub(super) tools: &'a [ToolId],
    pub(super) weight: f64,
}

/// The chain that the voices agree with most.
pub(super) fn agreed(voices: &[CaseVote]) -> Option<ToolChain> {
    let mut said: BTreeMap<&[ToolId], f64> = BTreeMap::new();
    for voice in voices.iter().filter(|voice| !voice.tools.is_empty()) {
        *said.entry(voice.tools).or_default() += voice.weight;
    }
    let numbered = NumberedChain::of(said);
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
        voices: loudest(voices, best.chain),
    })
}

/// A chain that cases had, and how much they say together.
struct ChainEvidence<'a> {
    chain: &'a [ToolId],
    weight: f64,
    /// Its tools as numbers, which are compared sooner than names.
    tools: Vec<usize>,
    links: Vec<(usize, usize)>,
}

/// All chains, the one with the strongest voices first.
struct NumberedChain<'a> {
    said: Vec<ChainEvidence<'a>>,
}

impl<'a> NumberedChain<'a> {
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

    /// How much all voices agree with a chain.
    fn worth(&self, chain: &ChainEvidence) -> f64 {
        let one = |said: &ChainEvidence| {
            let tools = agreement(&chain.tools, &said.tools);
            let links = agreement(&chain.links, &said.links);
            said.weight * (tools + WEIGHTS.cases.links * links)
        };
        self.said.iter().map(one).sum()
    }
}

/// How much two lists have in common: 1 for the same things, in any order.
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

/// The cases that speak most for a chain: those that used one of its tools.
fn loudest(voices: &[CaseVote], chain: &[ToolId]) -> Vec<(String, f32)> {
    let shares = |voice: &&CaseVote| voice.tools.iter().any(|tool| chain.contains(tool));
    let mut loud: Vec<&CaseVote> =
        voices.iter().filter(shares).filter(|voice| voice.weight > 0.0).collect();
    loud.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.case.cmp(b.case)));
    loud.truncate(NAMED);
    loud.iter().map(|voice| (voice.case.to_owned(), single(voice.weight))).collect()
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
        let voices = chains.iter().zip(said);
        let voices: Vec<CaseVote> = voices
            .map(|(tools, (case, weight))| CaseVote { case, tools, weight: *weight })
            .collect();
        let steps = agreed(&voices).map(|chain| chain.steps).unwrap_or_default();
        steps.iter().map(ToolId::as_str).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_chain_that_all_agree_with_most_wins_over_the_loudest() {
        assert_eq!(agreed_steps(&[("x y", 0.4), ("a b", 0.3), ("a b c", 0.3)]), "a b");
        assert_eq!(agreed_steps(&[("a b", 0.4), ("b a", 0.35), ("b a c", 0.25)]), "b a");
        assert_eq!(agreed_steps(&[("a", 0.3), ("a b", 0.2), ("a b", 0.2)]), "a b");
    }

    #[test]
    fn a_voice_against_a_chain_counts_against_what_is_like_it() {
        assert_eq!(agreed_steps(&[("a b", 0.5), ("c d", 0.4)]), "a b");
        assert_eq!(agreed_steps(&[("a b", 0.5), ("c d", 0.4), ("b a", -0.3)]), "c d");
    }
}
