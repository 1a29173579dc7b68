//! Counts plan cache hits, and checks that each hit is the right plan.

use super::SUITE;
use crate::equal::equal;
use crate::goals::case::GoalCase;
use crate::goals::chance::seed;
use crate::goals::recording::Recording;
use crate::goals::work::each;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::planner::PlanSetting;
use praxis_planner::offline::template::{filled, template};
use praxis_planner::offline::wording::alike;
use praxis_rehearsal::chance::SeededChance;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Maximum share of wrong hits.
const WRONG: f64 = 0.02;

/// Counts of requests, hits and wrong hits.
#[derive(Default)]
pub(super) struct CacheHitTally {
    requests: usize,
    kept: usize,
    pairs: usize,
    pair_hits: usize,
    changed: usize,
    changed_hits: usize,
    wrong: Vec<FailedCase>,
}

/// A request whose plan is cacheable.
struct CachedRequest {
    case: Arc<GoalCase>,
    template: PlanTemplate,
    /// The ranges of its values in the goal, by hole of the wording.
    places: Vec<(String, Range<usize>)>,
    /// The values of the slots, by slot name.
    values: BTreeMap<String, Value>,
}

/// A value as it is written in a goal, and as the slots of a plan receive it.
type SpokenValue = (String, BTreeMap<String, Value>);

/// Tries every plan of a set with every other request, and with changed values.
pub(super) fn tried(cases: &[Arc<GoalCase>], step: usize) -> CacheHitTally {
    let kept: Vec<CachedRequest> = each(cases, kept).into_iter().flatten().collect();
    let mut tally =
        CacheHitTally { requests: cases.len(), kept: kept.len(), ..CacheHitTally::default() };
    let paired: Vec<&CachedRequest> = kept.iter().step_by(step).collect();
    for (pairs, hits, wrong) in each(&paired, |own| with_others(own, cases)) {
        tally.pairs += pairs;
        tally.pair_hits += hits;
        tally.wrong.extend(wrong);
    }
    let pool = pool(&kept);
    for own in &kept {
        tally.change(own, &pool);
    }
    tally
}

/// Returns the expected steps of a request.
fn steps(case: &GoalCase) -> Vec<Value> {
    let step = |(at, call): (usize, &crate::goals::case::ExpectedCall)| {
        let after: Vec<String> = call.needs.iter().map(|need| format!("call_{need}")).collect();
        json!({"step_id": format!("call_{at}"), "tool": call.tool, "parameters": call.parameters,
            "depends_on": after})
    };
    case.calls.iter().enumerate().map(step).collect()
}

fn kept(case: &Arc<GoalCase>) -> Option<CachedRequest> {
    let tools = Recording::of(case, vec![], vec![]).tools(&case.tools).toolbox();
    let setting = PlanSetting { tools: &tools, metadata: &Map::new(), promise: None };
    let template = template(&case.goal, &steps(case), &setting)?;
    let mut values = BTreeMap::new();
    for (open, full) in template.steps.iter().zip(steps(case)) {
        collect(open, &full, &mut values);
    }
    let places = alike(&template.wording, &case.goal)?.into_iter();
    let places = places.map(|(hole, place)| {
        let place = whole(&case.goal, &place, values.get(&hole));
        (hole, place)
    });
    Some(CachedRequest { case: Arc::clone(case), places: places.collect(), template, values })
}

/// Widens the range of a value to the punctuation that belongs to it: the last stop of a quoted sentence, the quotes
/// of a list.
fn whole(goal: &str, place: &Range<usize>, value: Option<&Value>) -> Range<usize> {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let spoken = goal.match_indices(text).map(|(at, text)| at..at + text.len());
    let holds = |range: &Range<usize>| range.start <= place.start && place.end <= range.end;
    if let Some(spoken) = spoken.filter(|_| !text.is_empty()).find(holds) {
        return spoken;
    }
    let signs = ['"', '\'', '[', ']', '.'];
    let (before, behind) = (goal.get(..place.start), goal.get(place.end..));
    let (before, behind) = (before.unwrap_or_default(), behind.unwrap_or_default());
    match value {
        Some(Value::Array(_)) => {
            let start = before.trim_end_matches(signs).len();
            start..goal.len() - behind.trim_start_matches(signs).len()
        }
        _ => place.clone(),
    }
}

/// Collects the values that the full steps have in place of the slots.
fn collect(open: &Value, full: &Value, values: &mut BTreeMap<String, Value>) {
    match (open, full) {
        (Value::Object(open), Value::Object(full)) => {
            for (name, open) in open {
                collect(open, full.get(name).unwrap_or(&Value::Null), values);
            }
        }
        (Value::Array(open), Value::Array(full)) => {
            open.iter().zip(full).for_each(|(open, full)| collect(open, full, values));
        }
        (Value::String(text), full) => {
            let name = text.strip_prefix("{{slot_").and_then(|text| text.strip_suffix("}}"));
            values.extend(name.map(|name| (format!("slot_{name}"), full.clone())));
        }
        _ => {}
    }
}

/// Tries the plan of one request with every other request. Returns the number of pairs, of hits, and the wrong hits.
fn with_others(own: &CachedRequest, cases: &[Arc<GoalCase>]) -> (usize, usize, Vec<FailedCase>) {
    let (mut pairs, mut hits, mut wrong) = (0, 0, Vec::new());
    for other in cases.iter().filter(|other| other.id != own.case.id) {
        pairs += 1;
        let Some(plan) = filled(&own.template, &other.goal) else { continue };
        hits += 1;
        let right = steps(other);
        if !is_right(&plan.steps, &right) {
            wrong.push(failure(own, &other.goal, (&plan.steps, &right)));
        }
    }
    (pairs, hits, wrong)
}

fn is_right(made: &[Value], right: &[Value]) -> bool {
    let part = |step: &Value, name: &str| step.get(name).cloned().unwrap_or_default();
    let same = |(one, other): (&Value, &Value)| {
        ["tool", "parameters"].iter().all(|name| equal(&part(one, name), &part(other, name)))
    };
    made.len() == right.len() && made.iter().zip(right).all(same)
}

fn failure(own: &CachedRequest, goal: &str, (made, right): (&[Value], &[Value])) -> FailedCase {
    FailedCase {
        suite: SUITE,
        set: "hits".to_owned(),
        case: own.case.id.clone(),
        metric: "wrong hits".to_owned(),
        detail: format!(
            "{} | {goal}: made {}, right is {}",
            own.case.goal,
            json!(made),
            json!(right)
        ),
    }
}

/// Collects the values of all requests, keyed by the forms of the slots that share a hole.
fn pool(kept: &[CachedRequest]) -> BTreeMap<String, Vec<SpokenValue>> {
    let mut pool: BTreeMap<String, Vec<SpokenValue>> = BTreeMap::new();
    for own in kept {
        for (hole, place) in &own.places {
            let text = own.case.goal.get(place.clone()).unwrap_or_default().to_owned();
            let (form, values) = own.of_hole(hole);
            pool.entry(form).or_default().push((text, values));
        }
    }
    pool
}

impl CachedRequest {
    /// Returns the forms of the slots of a hole, joined, and the slots' values by form.
    fn of_hole(&self, hole: &str) -> (String, BTreeMap<String, Value>) {
        let slots = self
            .slots(hole)
            .map(|(name, form)| (form, self.values.get(name).cloned().unwrap_or_default()));
        let values: BTreeMap<String, Value> = slots.collect();
        (values.keys().cloned().collect::<Vec<_>>().join(" "), values)
    }

    /// Returns the slots of a hole, each with its form.
    fn slots(&self, hole: &str) -> impl Iterator<Item = (&String, String)> {
        let of_hole = move |(name, slot): (&'_ String, &'_ Value)| {
            let own = slot.get("hole").and_then(Value::as_str).unwrap_or(name);
            own == hole
        };
        let slots: Vec<(&String, String)> = self
            .template
            .slots
            .iter()
            .filter(|(name, slot)| of_hole((name, slot)))
            .map(|(name, slot)| (name, slot.get("form").map(Value::to_string).unwrap_or_default()))
            .collect();
        slots.into_iter()
    }
}

impl CacheHitTally {
    /// Tries the plan with other values in its goal, and compares the hit with the expected plan.
    fn change(&mut self, own: &CachedRequest, pool: &BTreeMap<String, Vec<SpokenValue>>) {
        let mut chance = SeededChance::of(seed(&own.case.id, 11));
        let (mut goal, mut values) = (own.case.goal.clone(), own.values.clone());
        let mut changed = false;
        for (hole, place) in own.places.iter().rev() {
            let (form, _) = own.of_hole(hole);
            let Some(spoken) = pool.get(&form) else { continue };
            let Some((text, other)) = spoken.get(chance.below(spoken.len())) else { continue };
            changed |= goal.get(place.clone()) != Some(text);
            goal.replace_range(place.clone(), text);
            for (name, form) in own.slots(hole) {
                values.extend(other.get(&form).map(|value| (name.clone(), value.clone())));
            }
        }
        if !changed {
            return;
        }
        self.changed += 1;
        let Some(plan) = filled(&own.template, &goal) else { return };
        self.changed_hits += 1;
        let right: Vec<Value> =
            own.template.steps.iter().map(|step| with_values(step, &values)).collect();
        if !is_right(&plan.steps, &right) {
            self.wrong.push(failure(own, &goal, (&plan.steps, &right)));
        }
    }

    /// Adds the counts of another tally.
    pub(super) fn join(&mut self, other: Self) {
        self.requests += other.requests;
        self.kept += other.kept;
        self.pairs += other.pairs;
        self.pair_hits += other.pair_hits;
        self.changed += other.changed;
        self.changed_hits += other.changed_hits;
        self.wrong.extend(other.wrong);
    }

    fn hits(&self) -> usize {
        self.pair_hits + self.changed_hits
    }

    /// Adds the metrics of a set to the report.
    pub(super) fn tell(&self, set: &str, report: &mut SuiteReport) {
        let share = |part: usize, all: usize| (part as f64 / all.max(1) as f64, all);
        report.figure(SUITE, set, "requests.plans_kept", share(self.kept, self.requests));
        report.figure(SUITE, set, "pairs.hits", (self.pair_hits as f64, self.pairs));
        let hits = share(self.changed_hits, self.changed);
        report.figure(SUITE, set, "other_values.hits", hits);
        report.figure(SUITE, set, "wrong_hits", share(self.wrong.len(), self.hits()));
    }

    /// Adds the metrics of all sets together, with the gate on wrong hits.
    pub(super) fn gate(self, report: &mut SuiteReport) {
        self.tell("all", report);
        report.gate_last(SuiteGate::AtMost(WRONG));
        report.failures.extend(self.wrong);
    }
}

fn with_values(open: &Value, values: &BTreeMap<String, Value>) -> Value {
    match open {
        Value::String(text) => {
            let name = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}"));
            name.and_then(|name| values.get(name)).unwrap_or(open).clone()
        }
        Value::Array(items) => items.iter().map(|item| with_values(item, values)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), with_values(field, values))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => open.clone(),
    }
}
