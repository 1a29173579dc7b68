//! Mutates a gold plan in every known way at every step, with the expected problem.

use super::case::{GoldPlan, GoldReference, GoldStep, document};
use super::reference::placeholder;
use praxis_core::problem::Problem;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A mutated plan and its only problem.
pub(crate) struct BrokenPlan {
    /// The kind of mutation, one of [`KINDS`].
    pub(crate) kind: &'static str,
    /// The mutated plan.
    pub(crate) document: Value,
    code: &'static str,
    at: String,
    /// A text that the message must contain.
    names: String,
}

/// All kinds of mutations, in the order of the report.
pub(crate) const KINDS: [&str; 7] = [
    "cycle",
    "self_edge",
    "unknown_step",
    "unknown_tool",
    "duplicate_id",
    "missing_parameter",
    "unknown_field",
];

const NOBODY: &str = "nobody_9";
const NO_FIELD: &str = "no_such_field";

impl BrokenPlan {
    /// Returns the difference to the expected problem; `None` if `problems` is exactly that one.
    pub(crate) fn missed(&self, problems: &[Problem]) -> Option<String> {
        let named = |p: &Problem| {
            p.code == self.code && p.at.starts_with(&self.at) && p.message.en.contains(&self.names)
        };
        let exact = problems.len() == 1 && problems.first().is_some_and(named);
        let Self { kind, code, at, names, .. } = self;
        (!exact).then(|| format!("{kind}: {code} at {at} naming {names}, but {problems:?}"))
    }
}

/// Returns all mutants of a plan.
pub(crate) fn mutants(case: &GoldPlan) -> Vec<BrokenPlan> {
    let steps = with_a_read(case);
    let origins = first_origins(&steps);
    let mut mutants = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let plan = PlanUnderChange { case, steps: &steps, index, step };
        if let Some(origin) = origins.get(step.id.as_str()) {
            mutants.extend(plan.cycles(*origin));
        }
        mutants.extend(plan.edges());
        mutants.extend(plan.names());
        mutants.extend(plan.missing());
        mutants.extend(step.reads.iter().map(|read| plan.field(read)));
    }
    mutants
}

/// Returns the steps; if none reads another, adds one that does, so that every plan has an edge.
fn with_a_read(case: &GoldPlan) -> Vec<GoldStep> {
    let mut steps = case.steps.clone();
    if steps.iter().all(|step| step.reads.is_empty())
        && let Some(mut extra) = steps.first().cloned()
    {
        let producer = std::mem::replace(&mut extra.id, "extra".to_owned());
        let parameter = parameter(&extra);
        extra.parameters.insert(parameter.clone(), json!(placeholder(&producer, &[])));
        extra.reads = vec![GoldReference { pointer: pointer(&parameter), producer }];
        steps.push(extra);
    }
    steps
}

fn parameter(step: &GoldStep) -> String {
    step.parameters.keys().next().cloned().unwrap_or_else(|| "extra".to_owned())
}

fn pointer(parameter: &str) -> String {
    praxis_core::pointer::pointer_to("", parameter)
}

/// Maps every step that reads to the earliest step that it depends on, directly or not.
fn first_origins(steps: &[GoldStep]) -> BTreeMap<&str, usize> {
    let index: BTreeMap<&str, usize> =
        steps.iter().enumerate().map(|(index, step)| (step.id.as_str(), index)).collect();
    let mut origins = BTreeMap::new();
    for step in steps {
        let (mut open, mut seen) = (vec![step], BTreeSet::new());
        while let Some(next) = open.pop() {
            let needed = next.reads.iter().filter_map(|read| index.get(read.producer.as_str()));
            for position in needed.filter(|position| seen.insert(**position)).collect::<Vec<_>>() {
                open.extend(steps.get(*position));
            }
        }
        if let Some(first) = seen.first() {
            origins.insert(step.id.as_str(), *first);
        }
    }
    origins
}

/// A plan and the step to mutate.
struct PlanUnderChange<'a> {
    case: &'a GoldPlan,
    steps: &'a [GoldStep],
    index: usize,
    step: &'a GoldStep,
}

impl PlanUnderChange<'_> {
    /// Returns the plan with one step changed.
    fn with(&self, index: usize, change: impl FnOnce(&mut GoldStep)) -> Value {
        let mut steps = self.steps.to_vec();
        if let Some(step) = steps.get_mut(index) {
            change(step);
        }
        document(&steps)
    }

    /// Returns the plan with one more dependency.
    fn depending(&self, index: usize, on: &str) -> Value {
        let mut document = document(self.steps);
        if let Some(step) = document.pointer_mut(&format!("/steps/{index}")) {
            step["depends_on"] = json!([on]);
        }
        document
    }

    fn place(&self) -> String {
        format!("step `{}`", self.step.id)
    }

    fn place_in(&self, parameter: &str) -> String {
        format!("{}, parameters{}", self.place(), pointer(parameter))
    }

    /// Makes the origin of a step depend on that step, by `depends_on` and by a reference.
    fn cycles(&self, origin: usize) -> Vec<BrokenPlan> {
        let Some(first) = self.steps.get(origin) else { return vec![] };
        let id = &self.step.id;
        let read = |step: &mut GoldStep| {
            step.parameters.insert(parameter(first), json!(placeholder(id, &[])));
        };
        let mutant = |document| BrokenPlan {
            kind: "cycle",
            document,
            code: "cycle",
            at: "step `".to_owned(),
            names: format!("{id} → {}", first.id),
        };
        vec![mutant(self.depending(origin, id)), mutant(self.with(origin, read))]
    }

    /// Adds an edge to the step itself and one to an unknown step, each by `depends_on` and by a reference.
    fn edges(&self) -> Vec<BrokenPlan> {
        let parameter = parameter(self.step);
        let mut mutants = Vec::new();
        for (kind, to, codes, says) in [
            ("self_edge", self.step.id.as_str(), ("self_dependency", "self_dependency"), "it"),
            ("unknown_step", NOBODY, ("unknown_dependency", "unknown_step"), NOBODY),
        ] {
            let (at, names) = (self.place(), says.to_owned());
            let document = self.depending(self.index, to);
            mutants.push(BrokenPlan { kind, document, code: codes.0, at, names });
            let read = |step: &mut GoldStep| {
                step.parameters.insert(parameter.clone(), json!(placeholder(to, &[])));
            };
            let (at, names) = (self.place_in(&parameter), says.to_owned());
            let document = self.with(self.index, read);
            mutants.push(BrokenPlan { kind, document, code: codes.1, at, names });
        }
        mutants
    }

    /// Uses an unknown tool, and duplicates a step id.
    fn names(&self) -> [BrokenPlan; 2] {
        let (at, tool) = (self.place(), "no_such_tool");
        let document = self.with(self.index, |step| tool.clone_into(&mut step.tool));
        let (kind, code, names) = ("unknown_tool", "unknown_tool", tool.to_owned());
        let unknown = BrokenPlan { kind, document, code, at: at.clone(), names };
        let twice: Vec<GoldStep> = self.steps.iter().chain([self.step]).cloned().collect();
        let document = super::case::document(&twice);
        let (kind, code, names) = ("duplicate_id", "duplicate_step", "the same id".to_owned());
        [unknown, BrokenPlan { kind, document, code, at, names }]
    }

    /// Removes each required parameter.
    fn missing(&self) -> Vec<BrokenPlan> {
        let Some(tool) = self.case.tool(&self.step.tool) else { return vec![] };
        let given = tool.required().filter(|name| self.step.parameters.contains_key(*name));
        let mutant = |name: &str| BrokenPlan {
            kind: "missing_parameter",
            document: self.with(self.index, |step| _ = step.parameters.remove(name)),
            code: "missing_parameter",
            at: format!("{}, parameters/{name}", self.place()),
            names: format!("`{name}`"),
        };
        given.map(mutant).collect()
    }

    /// Reads a field that the producer does not declare.
    fn field(&self, read: &GoldReference) -> BrokenPlan {
        let parameter = read.parameter();
        let wrong = placeholder(&read.producer, &[NO_FIELD.to_owned()]);
        let change =
            |step: &mut GoldStep| _ = step.parameters.insert(parameter.clone(), json!(wrong));
        BrokenPlan {
            kind: "unknown_field",
            document: self.with(self.index, change),
            code: "unknown_output_field",
            at: self.place_in(&parameter),
            names: format!("`{}` has no field `{NO_FIELD}`", read.producer),
        }
    }
}
