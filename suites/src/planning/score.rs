//! Scores of plans against the expected calls.

use super::gold::{GoldCall, GoldValue, same};

/// Numbers of made entries, expected entries, and entries in both.
#[derive(Clone, Copy, Debug, Default)]
struct MatchShare {
    made: usize,
    right: usize,
    both: usize,
}

impl MatchShare {
    /// Counts two lists, matching each entry once. Returns true if they are equal.
    fn add<T>(&mut self, made: &[T], right: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
        let mut open: Vec<&T> = right.iter().collect();
        for one in made {
            if let Some(place) = open.iter().position(|other| same(one, other)) {
                open.remove(place);
                self.both += 1;
            }
        }
        self.made += made.len();
        self.right += right.len();
        open.is_empty() && made.len() == right.len()
    }

    fn f1(self) -> f64 {
        2.0 * self.both as f64 / (self.made + self.right).max(1) as f64
    }
}

/// The scores of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlanningScores {
    tools: MatchShare,
    edges: MatchShare,
    names: MatchShare,
    values: MatchShare,
    references: MatchShare,
    plans: usize,
    whole: usize,
}

/// An argument: tool, parameter and value, independent of the order of the calls.
type Argument<'a> = (&'a str, &'a str, GoldMatch<'a>);

enum GoldMatch<'a> {
    Value(&'a serde_json::Value),
    Output(&'a str, &'a str),
}

impl PlanningScores {
    /// Counts a plan. Returns true if all of it is right.
    pub(super) fn add(&mut self, made: &[GoldCall], right: &[GoldCall]) -> bool {
        let tools =
            |calls: &[GoldCall]| calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>();
        let same_tools = self.tools.add(&tools(made), &tools(right), |one, other| one == other);
        self.edges.add(&edges(made), &edges(right), |one, other| one == other);
        let (made, right) = (arguments(made), arguments(right));
        let named = |one: &Argument<'_>, other: &Argument<'_>| one.0 == other.0 && one.1 == other.1;
        self.names.add(&made, &right, named);
        let equal = |one: &Argument<'_>, other: &Argument<'_>| {
            named(one, other)
                && match (&one.2, &other.2) {
                    (GoldMatch::Value(one), GoldMatch::Value(other)) => same(one, other),
                    (GoldMatch::Output(tool, field), GoldMatch::Output(other, of)) => {
                        tool == other && field == of
                    }
                    (GoldMatch::Value(_), GoldMatch::Output(..))
                    | (GoldMatch::Output(..), GoldMatch::Value(_)) => false,
                }
        };
        let whole = self.values.add(&made, &right, equal) && same_tools;
        self.plans += 1;
        self.whole += usize::from(whole);
        whole
    }

    /// Counts the references of a plan whose calls are given. Returns true if all are right.
    pub(super) fn add_references(&mut self, made: &[GoldCall], right: &[GoldCall]) -> bool {
        let whole =
            self.references.add(&references(made), &references(right), |one, other| one == other);
        self.plans += 1;
        self.whole += usize::from(whole);
        whole
    }

    /// Returns the metrics by name, each with its number of items.
    pub(super) fn told(&self) -> [(&'static str, f64, usize); 5] {
        [
            ("tool F1", self.tools.f1(), self.plans),
            ("edge F1", self.edges.f1(), self.edges.right),
            ("argument-name F1", self.names.f1(), self.names.right),
            ("argument-value F1", self.values.f1(), self.values.right),
            (super::WHOLE, self.whole as f64 / self.plans.max(1) as f64, self.plans),
        ]
    }

    /// Returns the F1 of references, and the share of plans in which all references are right.
    pub(super) fn references(&self) -> ((f64, usize), (f64, usize)) {
        let whole = self.whole as f64 / self.plans.max(1) as f64;
        ((self.references.f1(), self.references.right), (whole, self.plans))
    }
}

fn arguments(calls: &[GoldCall]) -> Vec<Argument<'_>> {
    let mut all = Vec::new();
    for call in calls {
        for (name, gold) in &call.arguments {
            let given = match gold {
                GoldValue::Value(value) => GoldMatch::Value(value),
                GoldValue::Output(step, field) => {
                    let tool = calls.get(*step).map_or("", |call| call.tool.as_str());
                    GoldMatch::Output(tool, field)
                }
            };
            all.push((call.tool.as_str(), name.as_str(), given));
        }
    }
    all
}

/// Returns the pairs of tools in which the second takes an output of the first, each pair once.
fn edges(calls: &[GoldCall]) -> Vec<(String, String)> {
    let mut edges: Vec<(String, String)> = references(calls)
        .into_iter()
        .filter_map(|(at, _, from, _)| {
            Some((calls.get(from)?.tool.clone(), calls.get(at)?.tool.clone()))
        })
        .collect();
    edges.sort();
    edges.dedup();
    edges
}

/// Returns the references: index of the call, parameter, index of the source call, and output field.
fn references(calls: &[GoldCall]) -> Vec<(usize, String, usize, String)> {
    let mut found = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        for (name, gold) in &call.arguments {
            if let GoldValue::Output(step, field) = gold {
                found.push((at, name.clone(), *step, field.clone()));
            }
        }
    }
    found
}
