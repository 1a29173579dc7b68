//! Adds the steps that supply the content another step works on, mostly by reading a file that the request names.
//!
//! - in: the steps, and the candidate tools
//! - out: the steps with the supplying ones before them
//! - never: adds a tool with side effects, or one whose own inputs cannot be filled

use super::bind::{BindingSource, BoundParameter, FedParameter, StepToBind, bind_one};
use super::needs::ToolsById;
use super::needs::{PlannerTool, ToolField, ValueShape};
use super::reading::RequestReading;
use super::sense::{is_column, is_content, is_file};
use super::supply::supply;
use super::values::ValueKind;
use crate::retrieve::words::words;
use crate::weights::{BringWeights, WEIGHTS};
use praxis_core::call::risk::Risk;
use praxis_core::schema::description::descriptions;
use std::collections::BTreeSet;

/// The maximum number of steps between the tool that reads a file and the step that uses its content.
const DEEPEST: usize = 2;
/// The number of best supplying tools that are tried.
const MOST_GIVERS: usize = 8;

const BRING: BringWeights = WEIGHTS.bring;

/// A step with the steps that supply its inputs.
#[derive(Clone, Debug)]
struct StepTree<'a> {
    part: StepToBind<'a>,
    /// The path of a parameter, the path of the output that it takes, and the supplying step.
    brought: Vec<(Vec<String>, Vec<String>, StepTree<'a>)>,
}

/// The request and the tools from which supplying steps are built.
pub(super) struct StepSupply<'a, 'r> {
    pub(super) reading: &'r RequestReading,
    pub(super) tools: &'a ToolsById<'a>,
}

impl<'a> StepSupply<'a, '_> {
    /// Inserts the supplying steps before each step.
    pub(super) fn all(&self, parts: Vec<StepToBind<'a>>) -> Vec<StepToBind<'a>> {
        let mut files = self.files(&parts);
        let mut done: Vec<StepToBind<'a>> = Vec::new();
        for part in parts {
            let tree = self.before(part, &done, &mut files);
            flatten(tree, &mut done);
        }
        done
    }

    /// Returns the files that no step takes as a parameter.
    fn files(&self, parts: &[StepToBind<'a>]) -> Vec<usize> {
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        for (at, part) in parts.iter().enumerate() {
            let before = parts.get(..at).unwrap_or_default();
            taken.extend(
                bind_one(self.reading, part, before, &[]).iter().filter_map(BoundParameter::said),
            );
        }
        let is_file =
            |at: &usize| self.reading.said.get(*at).is_some_and(|one| one.kind == ValueKind::Path);
        (0..self.reading.said.len()).filter(is_file).filter(|at| !taken.contains(at)).collect()
    }

    fn before(
        &self,
        part: StepToBind<'a>,
        done: &[StepToBind<'a>],
        files: &mut Vec<usize>,
    ) -> StepTree<'a> {
        let bound = bind_one(self.reading, &part, done, &[]);
        let mut tree = StepTree { part, brought: vec![] };
        // A bare word is not the content if there is a file.
        let loose = |one: &BoundParameter| {
            let said = one.said().and_then(|at| self.reading.said.get(at));
            let is_word =
                said.is_some_and(|said| matches!(said.kind, ValueKind::Name | ValueKind::Word));
            is_word && !files.is_empty()
        };
        let wanted: Vec<&BoundParameter> =
            bound.iter().filter(|one| is_wanted(one, loose(one))).collect();
        for one in wanted {
            let found = self.earlier(&tree.part, &one.slot, done);
            if let Some(fed) = found {
                tree.part.fed.push(fed);
                continue;
            }
            let several = one.slot.items.as_ref().filter(|items| takes_texts(&one.slot, items));
            match several {
                Some(items) => {
                    let mut place = 0;
                    while let Some((output, inner)) = self.reader(&tree.part, items, files, 0) {
                        let path = [one.slot.path.clone(), vec![place.to_string()]].concat();
                        tree.brought.push((path, output, inner));
                        place += 1;
                    }
                }
                None => {
                    let read = self.reader(&tree.part, &one.slot, files, 0);
                    let read = read.or_else(|| self.named(&tree.part, &one.slot, done));
                    if let Some((output, inner)) = read {
                        tree.brought.push((one.slot.path.clone(), output, inner));
                    }
                }
            }
        }
        tree
    }

    /// Returns the latest earlier step whose output matches the parameter.
    fn earlier(
        &self,
        taker: &StepToBind<'a>,
        slot: &ToolField,
        done: &[StepToBind<'a>],
    ) -> Option<FedParameter> {
        let best = |(step, part): (usize, &StepToBind<'a>)| {
            let (score, output) = best_output(taker.known, slot, part.known)?;
            (score >= BRING.least).then(|| FedParameter {
                slot: slot.path.clone(),
                step,
                output: output.path.clone(),
            })
        };
        let found = done.iter().enumerate().rev().find_map(best);
        found.or_else(|| {
            // The only text output of the previous step goes to a parameter that takes a text to process.
            let (last, part) = done.iter().enumerate().next_back()?;
            let texts: Vec<&ToolField> = part
                .known
                .gives
                .iter()
                .filter(|output| output.path.len() == 1 && output.shape == ValueShape::Text)
                .collect();
            let [output] = texts.as_slice() else { return None };
            let may = slot.shape == ValueShape::Text && is_content(slot);
            may.then(|| FedParameter {
                slot: slot.path.clone(),
                step: last,
                output: output.path.clone(),
            })
        })
    }

    /// Returns the best step that reads a file for a parameter, with its own supplying steps. The file is removed
    /// from `files`.
    fn reader(
        &self,
        taker: &StepToBind<'a>,
        slot: &ToolField,
        files: &mut Vec<usize>,
        depth: usize,
    ) -> Option<(Vec<String>, StepTree<'a>)> {
        let at = self.file_for(slot, files)?;
        let may = |known: &&&'a PlannerTool<'a>| {
            known.tool.risk() <= Risk::Read && known.tool.id != taker.known.tool.id
        };
        let mut givers: Vec<(f32, &'a PlannerTool<'a>, &'a ToolField)> = self
            .tools
            .values()
            .filter(|known| may(&known))
            .filter_map(|known| {
                best_output(taker.known, slot, known).map(|(score, it)| (score, known, it))
            })
            .collect();
        let opens =
            |known: &PlannerTool<'_>| known.needs.iter().any(|slot| slot.required && is_file(slot));
        let rank = |(score, known, _): &(f32, &PlannerTool<'_>, &ToolField)| {
            score + if opens(known) { BRING.opens } else { 0.0 }
        };
        givers.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let mut best: Option<(f32, Vec<String>, StepTree<'a>)> = None;
        for (score, known, output) in givers.into_iter().take(MOST_GIVERS) {
            let Some((tree, more)) = self.opened(known, taker, at, depth) else { continue };
            let score = score + more;
            if score >= BRING.least && best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, output.path.clone(), tree));
            }
        }
        let (_, output, tree) = best?;
        files.retain(|file| *file != at);
        Some((output, tree))
    }

    /// Returns a tool that the descriptions name as the source of a parameter and that takes the output of an earlier
    /// step.
    fn named(
        &self,
        taker: &StepToBind<'a>,
        slot: &ToolField,
        done: &[StepToBind<'a>],
    ) -> Option<(Vec<String>, StepTree<'a>)> {
        self.tools.values().find_map(|known| {
            let may = known.tool.risk() <= Risk::Read && known.tool.id != taker.known.tool.id;
            let (score, output) = best_output(taker.known, slot, known).filter(|_| may)?;
            let part = StepToBind::of(known, taker.pieces.clone());
            let bound = bind_one(self.reading, &part, done, &[]);
            let is_whole = !bound.iter().any(is_open);
            let goes_on = bound.iter().any(|one| is_content(&one.slot) && is_given(one));
            (score >= BRING.named && is_whole && goes_on)
                .then(|| (output.path.clone(), StepTree { part, brought: vec![] }))
        })
    }

    /// Makes a tool a step that reads a file, directly or through another step, and scores it.
    fn opened(
        &self,
        known: &'a PlannerTool<'a>,
        taker: &StepToBind<'a>,
        file: usize,
        depth: usize,
    ) -> Option<(StepTree<'a>, f32)> {
        let part = StepToBind { file: Some(file), ..StepToBind::of(known, taker.pieces.clone()) };
        let bound = bind_one(self.reading, &part, &[], &[]);
        let open: Vec<&BoundParameter> = bound.iter().filter(|one| is_open(one)).collect();
        let takes_it = bound.iter().any(|one| one.said() == Some(file));
        if open.is_empty() && takes_it {
            let more = self.reads(known, file);
            return Some((StepTree { part, brought: vec![] }, more));
        }
        let [one] = open.as_slice() else { return None };
        if depth >= DEEPEST || takes_it || !is_content(&one.slot) {
            return None;
        }
        let (output, inner) = self.reader(&part, &one.slot, &mut vec![file], depth + 1)?;
        let part = StepToBind { file: None, ..part };
        let more = if alike_by_name(&output, &one.slot) { 0.0 } else { -BRING.step };
        Some((
            StepTree { part, brought: vec![(one.slot.path.clone(), output, inner)] },
            more - BRING.step,
        ))
    }

    /// Returns a bonus if a tool mentions the extension of the file in its description.
    fn reads(&self, known: &PlannerTool<'_>, file: usize) -> f32 {
        let text =
            self.reading.said.get(file).and_then(|one| one.value.as_str()).unwrap_or_default();
        let ending = text.rsplit_once('.').map(|(_, ending)| words(ending)).unwrap_or_default();
        let about = words(&known.tool.descriptions());
        let is_told = !ending.is_empty() && ending.iter().all(|word| about.contains(word));
        if is_told { BRING.ending } else { 0.0 }
    }

    /// Returns the file for a parameter: one with a word of its name, else the first.
    fn file_for(&self, slot: &ToolField, files: &[usize]) -> Option<usize> {
        let named = files.iter().find(|at| {
            let text = self.reading.said.get(**at).and_then(|one| one.value.as_str());
            let own = text.map(words).unwrap_or_default();
            slot.name.iter().any(|word| own.contains(word))
        });
        named.or_else(|| files.first()).copied()
    }
}

/// Returns true if a required parameter takes content and has no usable source.
fn is_wanted(bound: &BoundParameter, is_loose: bool) -> bool {
    let is_open = bound.slot.required && bound.slot.default.is_none() && bound.source.is_none();
    let content = is_content(&bound.slot) && !is_file(&bound.slot) && !is_column(&bound.slot);
    content && bound.slot.required && (is_open || is_loose)
}

fn is_given(bound: &BoundParameter) -> bool {
    match bound.source {
        Some(BindingSource::Output { .. }) => true,
        Some(BindingSource::Said { .. } | BindingSource::Given { .. }) | None => false,
    }
}

fn is_open(bound: &BoundParameter) -> bool {
    bound.slot.required && bound.slot.default.is_none() && bound.source.is_none()
}

/// Returns true if a list takes texts: then each file becomes one item.
fn takes_texts(slot: &ToolField, items: &ToolField) -> bool {
    !slot.takes(ValueShape::Text) && items.takes(ValueShape::Text) && !is_column(slot)
}

/// Returns the best output of a tool for a parameter of another, with its score.
fn best_output<'s>(
    taker: &PlannerTool<'_>,
    slot: &ToolField,
    giver: &'s PlannerTool<'_>,
) -> Option<(f32, &'s ToolField)> {
    let (about, of_taker) = (descriptions(&slot.schema), taker.tool.descriptions());
    let id = giver.tool.id.as_str();
    let of_slot = mentions(&about, id);
    let of_tool = mentions(&of_taker, id);
    let mut best: Option<(f32, &'s ToolField)> = None;
    for output in giver.gives.iter().filter(|output| output.path.len() == 1) {
        let Some(alike) = alike(output, slot) else { continue };
        let named = of_slot && alike > 0.0
            || of_tool && output.path.iter().any(|name| mentions(&of_taker, name));
        let same = output.head().is_some_and(|head| {
            let is_told = output.shape == ValueShape::Text && !slot.takes(ValueShape::List);
            slot.head() == Some(head) || (is_told && slot.about.contains(head))
        });
        let score =
            alike + if named { BRING.named } else { 0.0 } + if same { BRING.same } else { 0.0 };
        let score = score + BRING.supply * supply(output, slot).unwrap_or_default().max(0.0);
        let is_enough = named || same || alike > BRING.alike;
        if is_enough && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, output));
        }
    }
    best
}

/// Scores the shape of an output for a parameter; `None` if they are incompatible.
fn alike(output: &ToolField, slot: &ToolField) -> Option<f32> {
    let rows = |slot: &ToolField| {
        slot.items.as_ref().is_some_and(|items| items.shape == ValueShape::Object)
    };
    let about = descriptions(&slot.schema);
    let wants_rows =
        slot.takes(ValueShape::List) && (rows(slot) || about.trim_start().starts_with("[{"));
    match output.shape {
        ValueShape::List if slot.takes(ValueShape::List) => {
            Some(if wants_rows && rows(output) { BRING.rows } else { BRING.shape })
        }
        ValueShape::Text if slot.takes(ValueShape::Text) => Some(BRING.shape),
        ValueShape::Any if slot.shape == ValueShape::Any => Some(BRING.shape),
        ValueShape::Text if slot.shape == ValueShape::Any => Some(0.0),
        ValueShape::Object if slot.takes(ValueShape::Object) => Some(BRING.shape),
        ValueShape::Text
        | ValueShape::Integer
        | ValueShape::Number
        | ValueShape::Boolean
        | ValueShape::List
        | ValueShape::Object
        | ValueShape::Any => None,
    }
}

/// Returns true if an output and a parameter end with the same word.
fn alike_by_name(output: &[String], slot: &ToolField) -> bool {
    let last = output.last().map(|name| words(name)).unwrap_or_default();
    last.last().map(String::as_str) == slot.head()
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Appends the steps of a tree, supplying steps first. Returns the index of the last one.
fn flatten<'a>(tree: StepTree<'a>, done: &mut Vec<StepToBind<'a>>) -> usize {
    let mut part = tree.part;
    for (slot, output, inner) in tree.brought {
        let step = flatten(inner, done);
        part.fed.push(FedParameter { slot, step, output });
    }
    done.push(part);
    done.len() - 1
}
