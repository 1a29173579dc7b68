//! Checks a plan against the tools and sorts its steps topologically.
//!
//! - in: a [`Plan`] as written, the tools, the initial metadata
//! - out: a [`CheckedPlan`] in which every step comes after the steps that it needs
//! - never: stops at the first problem; a refused plan comes with all of them

use super::plan::{Plan, PlannedStep};
use crate::call::tool::Tool;
use crate::call::tool::Toolbox;
use crate::dataflow::context::{Context, StepIndex};
use crate::dataflow::path::{self, Segment, dotted};
use crate::dataflow::resolve::is_large;
use crate::dataflow::scope::NameScope;
use crate::dataflow::template::{ParameterTemplate, Placeholder, PlaceholderTarget};
use crate::ids::{StepId, ToolId};
use crate::near::near;
use crate::payload::LARGE_BYTES;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use crate::schema::{self, Schema};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A plan that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedPlan {
    /// Steps in executable order, otherwise as written. A step that reads the output of another depends on it.
    pub steps: Vec<PlannedStep>,
}

/// Everything that a plan is checked against.
pub struct PlanEnvironment<'a> {
    /// The tools that the plan may use.
    pub toolbox: &'a Toolbox,
    /// The initial metadata.
    pub metadata: &'a Map<String, Value>,
    /// The steps of earlier plans that the plan may refer to.
    pub earlier: &'a BTreeMap<StepId, EarlierStep>,
    /// True if required parameters may be missing; they are then asked for when the step starts.
    pub may_miss: bool,
}

/// A step of an earlier plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierStep {
    /// The tool of the step.
    pub tool: ToolId,
    /// True if the step succeeded; a dependency on it is then satisfied.
    pub finished: bool,
}

/// Checks a plan. It may refer to finished steps of earlier revisions; dependencies on them are satisfied.
pub fn check(
    plan: &Plan,
    toolbox: &Toolbox,
    metadata: &Map<String, Value>,
    finished: &BTreeSet<StepId>,
) -> Result<CheckedPlan, Vec<Problem>> {
    let unknown = EarlierStep { tool: ToolId::from(""), finished: true };
    let earlier = finished.iter().map(|id| (id.clone(), unknown.clone())).collect();
    check_on(plan, &PlanEnvironment { toolbox, metadata, earlier: &earlier, may_miss: false })
}

/// Checks a plan that may continue earlier ones.
pub fn check_on(plan: &Plan, ground: &PlanEnvironment<'_>) -> Result<CheckedPlan, Vec<Problem>> {
    let PlanEnvironment { metadata, earlier, .. } = ground;
    let mut context = Context::of_values(metadata);
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for id in earlier.keys() {
        context.declare(id);
    }
    for step in &plan.steps {
        context.declare(&step.id);
        if !seen.insert(&step.id) || earlier.contains_key(&step.id) {
            problems.push(Problem::of(&ProblemReason::DuplicateStep, &place(step)));
        }
        if metadata.contains_key(step.id.as_str()) {
            problems.push(Problem::of(&ProblemReason::MetadataIsStep, &place(step)));
        }
    }
    let by_id = plan.steps.iter().map(|step| (&step.id, step)).collect();
    let mut checker =
        PlanChecker { by_id, ground, context: &context, problems, compiled: BTreeMap::new() };
    let steps: Vec<PlannedStep> = plan.steps.iter().map(|step| checker.step(step)).collect();
    let mut problems = checker.problems;
    // With an unknown or duplicate step no order is meaningful.
    if problems.is_empty() {
        match sorted(&steps) {
            Ok(order) => {
                let mut taken: Vec<Option<PlannedStep>> = steps.into_iter().map(Some).collect();
                let take = |index: &usize| taken.get_mut(*index).and_then(Option::take);
                return Ok(CheckedPlan { steps: order.iter().filter_map(take).collect() });
            }
            Err(cycle) => problems.push(cycle),
        }
    }
    Err(problems)
}

fn place(step: &PlannedStep) -> String {
    format!("step `{}`", step.id)
}

struct PlanChecker<'a> {
    by_id: BTreeMap<&'a StepId, &'a PlannedStep>,
    ground: &'a PlanEnvironment<'a>,
    context: &'a Context,
    problems: Vec<Problem>,
    compiled: BTreeMap<(ToolId, String), Option<Schema>>,
}

impl<'a> PlanChecker<'a> {
    fn refuse(&mut self, reason: ProblemReason, at: &str) {
        self.problems.push(Problem::of(&reason, at));
    }

    fn step(&mut self, step: &'a PlannedStep) -> PlannedStep {
        let tool = self.tool(step);
        self.dependencies(step);
        let template = step.template(NameScope::plan(self.context));
        template.each_placeholder(&mut |placeholder| self.placeholder(step, placeholder));
        if is_large(&step.parameters) {
            self.refuse(ProblemReason::ParameterTooLarge { limit: LARGE_BYTES }, &place(step));
        } else if let Some(tool) = tool {
            self.parameters(step, tool, &template);
        }
        let mut checked = step.clone();
        let earlier = self.ground.earlier;
        let finished = |id: &StepId| earlier.get(id).is_some_and(|earlier| earlier.finished);
        checked.depends_on.retain(|id| !finished(id));
        let known: BTreeSet<StepId> = checked.depends_on.iter().cloned().collect();
        let reads = template.steps_read();
        let read = reads.iter().filter_map(|index| self.context.id_of(*index));
        let implied = read.filter(|id| !known.contains(*id) && !finished(id)).cloned();
        checked.depends_on.extend(implied);
        checked
    }

    fn tool(&mut self, step: &PlannedStep) -> Option<&'a Tool> {
        let toolbox = self.ground.toolbox;
        let tool = toolbox.get(&step.tool);
        if tool.is_none() && !step.gathers() {
            let near = near(step.tool.as_str(), toolbox.keys().map(ToolId::as_str));
            let reason = ProblemReason::UnknownTool { tool: step.tool.to_string() };
            self.problems.push(Problem::of(&reason, &place(step)).or_near(&near));
        }
        tool.map(AsRef::as_ref)
    }

    fn dependencies(&mut self, step: &PlannedStep) {
        for id in &step.depends_on {
            if *id == step.id {
                self.refuse(ProblemReason::SelfDependency, &place(step));
            } else if self.context.index_of(id.as_str()).is_none() {
                let near = near(id.as_str(), self.context.step_ids().map(StepId::as_str));
                let reason = ProblemReason::UnknownDependency { step: id.to_string() };
                self.problems.push(Problem::of(&reason, &place(step)).or_near(&near));
            }
        }
    }

    fn placeholder(&mut self, step: &PlannedStep, placeholder: &Placeholder) {
        let at = format!("{}, parameters{}", place(step), placeholder.pointer);
        let source = placeholder.source.to_string();
        match &placeholder.target {
            PlaceholderTarget::Malformed(why) => {
                self.refuse(ProblemReason::BadPlaceholder { source, why: *why }, &at);
            }
            PlaceholderTarget::UnknownStep { name } => {
                let near = near(name, self.context.step_ids().map(StepId::as_str));
                let reason = ProblemReason::UnknownStep { source, name: name.to_string() };
                self.problems.push(Problem::of(&reason, &at).or_near(&near));
            }
            PlaceholderTarget::Output { step: read, path }
            | PlaceholderTarget::Field { step: read, path } => {
                if self.context.id_of(*read) == Some(&step.id) {
                    self.refuse(ProblemReason::ReadsItself { source }, &at);
                } else {
                    self.declared(*read, path, (&at, &source));
                }
            }
            PlaceholderTarget::Name { .. }
            | PlaceholderTarget::Variable { .. }
            | PlaceholderTarget::Initial { .. } => {}
        }
    }

    fn tool_of(&self, id: &StepId) -> Option<&'a Tool> {
        let here = self.by_id.get(id).map(|step| &step.tool);
        let tool = here.or_else(|| self.ground.earlier.get(id).map(|earlier| &earlier.tool))?;
        self.ground.toolbox.get(tool).map(AsRef::as_ref)
    }

    /// Follows a path in the output schema of the step that is read.
    fn declared(&mut self, read: StepIndex, path: &[Segment], (at, source): (&str, &str)) {
        let tool = self.context.id_of(read).and_then(|id| self.tool_of(id));
        let Some(mut schema) = tool.and_then(|tool| tool.output_schema.as_ref()) else { return };
        for (walked, segment) in path.iter().enumerate() {
            let (Segment::Key(name) | Segment::Quoted(name)) = segment else {
                match schema.get("items") {
                    Some(items) => schema = items,
                    None => return,
                }
                continue;
            };
            if !schema::may_have(schema, name) {
                if spells_a_dotted_field(schema, path.get(walked..).unwrap_or_default()) {
                    return;
                }
                let reached = path::print(path.get(..walked).unwrap_or_default());
                let step = self.context.id_of(read).map_or("", StepId::as_str).to_owned();
                let properties = schema.get("properties").and_then(Value::as_object);
                let fields = properties.into_iter().flat_map(|p| p.keys().map(String::as_str));
                let near = near(name, fields);
                let (source, field) = (source.to_owned(), name.to_string());
                let reason = ProblemReason::UnknownOutputField { source, step, reached, field };
                self.problems.push(Problem::of(&reason, at).or_near(&near));
                return;
            }
            match schema.get("properties").and_then(|properties| properties.get(&**name)) {
                Some(inner) => schema = inner,
                None => return,
            }
        }
    }

    /// Checks that required parameters are present and that literal ones match the schema.
    fn parameters(&mut self, step: &PlannedStep, tool: &Tool, template: &ParameterTemplate) {
        let at = |name: &str| format!("{}, parameters/{name}", place(step));
        let Some(given) = step.parameters.as_object() else { return };
        let missing = schema::required(&tool.input_schema);
        let missing = missing.filter(|name| !self.ground.may_miss && !given.contains_key(*name));
        for name in missing.collect::<Vec<_>>() {
            let (tool, at) = (tool.id.to_string(), at(name));
            self.refuse(ProblemReason::MissingParameter { tool, name: name.to_owned() }, &at);
        }
        for (name, value) in given {
            if !schema::may_have(&tool.input_schema, name)
                && tool.input_schema.get("additionalProperties") == Some(&Value::Bool(false))
            {
                let properties = tool.input_schema.get("properties").and_then(Value::as_object);
                let names = properties.into_iter().flat_map(|p| p.keys().map(String::as_str));
                let (tool, near) = (tool.id.to_string(), near(name, names));
                let reason = ProblemReason::UnknownParameter { tool, name: name.clone() };
                self.problems.push(Problem::of(&reason, &at(name)).or_near(&near));
            } else if is_literal(template, name) {
                self.literal(tool, name, value, &at(name));
            }
        }
    }

    fn literal(&mut self, tool: &Tool, name: &str, value: &Value, at: &str) {
        let property = tool.input_schema.get("properties").and_then(|p| p.get(name));
        let Some(property) = property else { return };
        // A property with a `$ref` can only be validated within the whole schema, when the step runs.
        if property.to_string().contains("\"$ref\"") {
            return;
        }
        let key = (tool.id.clone(), name.to_owned());
        let schema = self.compiled.entry(key).or_insert_with(|| Schema::compile(property).ok());
        let Some(schema) = schema else { return };
        for error in schema.errors(value) {
            let at = format!("{at}{}", error.pointer);
            self.problems
                .push(Problem::of(&ProblemReason::BadParameter { detail: error.detail }, &at));
        }
    }
}

/// Returns true if the next segments together form a declared name that contains dots.
fn spells_a_dotted_field(schema: &Value, path: &[Segment]) -> bool {
    let plain = path.iter().take_while(|segment| matches!(segment, Segment::Key(_))).count();
    let declared = |used| path.get(..used).is_some_and(|p| schema::may_have(schema, &dotted(p)));
    (2..=plain).any(declared)
}

fn is_literal(template: &ParameterTemplate, name: &str) -> bool {
    match template {
        ParameterTemplate::Literal(_) => true,
        ParameterTemplate::Object(entries) => entries
            .iter()
            .any(|(key, value)| key == name && matches!(value, ParameterTemplate::Literal(_))),
        ParameterTemplate::Whole(_) | ParameterTemplate::Text(_) | ParameterTemplate::Array(_) => {
            false
        }
    }
}

/// Returns indexes in executable order, otherwise as written; or the steps of a cycle.
fn sorted(steps: &[PlannedStep]) -> Result<Vec<usize>, Problem> {
    let index: BTreeMap<&StepId, usize> =
        steps.iter().enumerate().map(|(i, s)| (&s.id, i)).collect();
    let needs = |step: &PlannedStep| -> Vec<usize> {
        let all = step.depends_on.iter().chain(&step.actions);
        // Steps of earlier plans come before all of these.
        all.filter_map(|id| index.get(id).copied()).collect()
    };
    let mut open: Vec<usize> = steps.iter().map(|step| needs(step).len()).collect();
    let mut dependents: Vec<Vec<usize>> = vec![vec![]; steps.len()];
    for (position, step) in steps.iter().enumerate() {
        for needed in needs(step) {
            if let Some(list) = dependents.get_mut(needed) {
                list.push(position);
            }
        }
    }
    let mut ready: BTreeSet<usize> =
        open.iter().enumerate().filter(|(_, count)| **count == 0).map(|(i, _)| i).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for dependent in dependents.get(next).into_iter().flatten() {
            if let Some(count) = open.get_mut(*dependent) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(*dependent);
                }
            }
        }
    }
    if order.len() == steps.len() { Ok(order) } else { Err(cycle(steps, &open, needs)) }
}

/// Walks backwards from a step that never became ready until a step repeats.
fn cycle(
    steps: &[PlannedStep],
    open: &[usize],
    needs: impl Fn(&PlannedStep) -> Vec<usize>,
) -> Problem {
    let stuck = |index: &usize| open.get(*index).is_some_and(|count| *count > 0);
    let mut path: Vec<usize> = Vec::new();
    let mut here = (0..steps.len()).find(|index| stuck(index));
    while let Some(index) = here {
        if let Some(start) = path.iter().position(|seen| *seen == index) {
            path.drain(..start);
            break;
        }
        path.push(index);
        here =
            steps.get(index).and_then(|step| needs(step).into_iter().find(|needed| stuck(needed)));
    }
    path.reverse();
    let ids = path.iter().filter_map(|index| steps.get(*index)).map(|step| step.id.to_string());
    let mut steps: Vec<String> = ids.collect();
    let first = steps.first().cloned().unwrap_or_default();
    let at = format!("step `{first}`");
    steps.push(first);
    Problem::of(&ProblemReason::Cycle { steps }, &at)
}
