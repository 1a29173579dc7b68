//! Graph algorithms: strongly connected components, shortest cycles and longest chains.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The nodes that each node depends on.
pub(crate) type ImportGraph<N> = BTreeMap<N, BTreeSet<N>>;

/// Returns the knots, largest first: strongly connected components of at least two nodes.
pub(crate) fn knots<N: Ord + Clone>(graph: &ImportGraph<N>) -> Vec<Vec<N>> {
    let reach: ImportGraph<N> =
        graph.keys().map(|node| (node.clone(), reached(graph, node))).collect();
    let reaches = |from: &N, to: &N| reach.get(from).is_some_and(|reached| reached.contains(to));
    let mut seen = BTreeSet::new();
    let mut knots = Vec::new();
    for node in graph.keys().filter(|node| reaches(node, node)) {
        if seen.contains(node) {
            continue;
        }
        let knot: Vec<N> =
            graph.keys().filter(|it| reaches(node, it) && reaches(it, node)).cloned().collect();
        seen.extend(knot.iter().cloned());
        knots.extend((knot.len() > 1).then_some(knot));
    }
    knots.sort_by_key(|knot| std::cmp::Reverse(knot.len()));
    knots
}

fn reached<N: Ord + Clone>(graph: &ImportGraph<N>, from: &N) -> BTreeSet<N> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for next in graph.get(node).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    reached
}

/// Returns a shortest cycle through `start`, with `start` at both ends; empty if there is none.
pub(crate) fn shortest_cycle<N: Ord + Clone>(graph: &ImportGraph<N>, start: &N) -> Vec<N> {
    let mut before: BTreeMap<&N, &N> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for next in graph.get(node).into_iter().flatten().filter(|next| *next != node) {
            if next == start {
                let back = std::iter::successors(Some(node), |at| before.get(at).copied());
                let mut way: Vec<N> = std::iter::once(start).chain(back).cloned().collect();
                way.reverse();
                return way;
            }
            if !before.contains_key(next) {
                before.insert(next, node);
                open.push_back(next);
            }
        }
    }
    vec![]
}

/// Returns the longest chain of nodes. The graph must be acyclic.
pub(crate) fn longest_chain<N: Ord + Clone>(graph: &ImportGraph<N>) -> Vec<N> {
    let mut known = BTreeMap::new();
    let chains = graph.keys().map(|node| chain_from(graph, node, &mut known)).collect::<Vec<_>>();
    // `max_by_key` returns the last maximum; reversed, that is the first of equally long chains.
    chains.into_iter().rev().max_by_key(Vec::len).unwrap_or_default()
}

fn chain_from<N: Ord + Clone>(
    graph: &ImportGraph<N>,
    node: &N,
    known: &mut BTreeMap<N, Vec<N>>,
) -> Vec<N> {
    if let Some(chain) = known.get(node) {
        return chain.clone();
    }
    let nexts = graph.get(node).into_iter().flatten();
    let longest = nexts.map(|next| chain_from(graph, next, known)).max_by_key(Vec::len);
    let chain = [vec![node.clone()], longest.unwrap_or_default()].concat();
    known.insert(node.clone(), chain.clone());
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&'static str, &'static str)]) -> ImportGraph<&'static str> {
        let mut graph = ImportGraph::new();
        for (from, to) in edges {
            graph.entry(*from).or_insert_with(BTreeSet::new).insert(*to);
            graph.entry(*to).or_default();
        }
        graph
    }

    #[test]
    fn two_cycles_that_touch_are_one_knot() {
        let graph = graph(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d")]);
        assert_eq!(knots(&graph), [["a", "b", "c"]]);
        assert_eq!(shortest_cycle(&graph, &"a"), ["a", "b", "a"]);
    }

    #[test]
    fn the_longest_chain_goes_through_as_many_as_it_can() {
        let graph = graph(&[("a", "d"), ("a", "b"), ("b", "c"), ("c", "d")]);
        assert_eq!(longest_chain(&graph), ["a", "b", "c", "d"]);
    }
}
