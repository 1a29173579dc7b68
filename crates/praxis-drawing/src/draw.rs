//! Lays a flow out as shapes and lines: the common input of the SVG and the Mermaid writer.
//!
//! - in: a `Bundle`: a flow and the flows that it calls
//! - out: a `Drawing`: placed shapes, boxes around nested shapes, and the lines between them
//! - never: validates the flow; an invalid one is drawn as far as possible

use crate::columns;
use crate::layers::{PlacedLayers, layers};
use praxis_core::flow::file::{
    Bundle, DEEPEST, Edge, Flow, FlowGraph, FlowItem, LoopSpec, NodeBody,
};
use praxis_core::ids::ToolId;
use praxis_core::intake::node::EdgeCondition;
use serde_json::Value;

/// Height of a line of text, in pixels.
pub const LINE_HEIGHT: i32 = 18;
/// Space between text and border, in pixels.
pub const PADDING: i32 = 8;
/// Space around the drawing and inside a box, in pixels.
const MARGIN: i32 = 16;
/// Upper bound of the width of one text column, in pixels.
const COLUMN: i32 = 8;
/// Columns of a text that are drawn; longer texts are cut.
const MOST_COLUMNS: usize = 40;

/// A flow with coordinates, ready to be written as SVG or Mermaid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The name of the flow.
    pub title: String,
    /// The shapes; a box precedes the shapes inside it.
    pub shapes: Vec<DrawnNode>,
    /// The lines between shapes.
    pub lines: Vec<DrawnEdge>,
    /// Total width in pixels.
    pub width: i32,
    /// Total height in pixels.
    pub height: i32,
}

/// The kind of shape that a node is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeShape {
    /// A single node, such as a tool call or an agent.
    Call,
    /// A node with branches.
    Choice,
    /// A box around other shapes: a loop, nested nodes, or a called flow.
    Box,
    /// A `before`, `after` or `on_error` node of the flow.
    Hook,
}

/// A node with its text and position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// Index in `Drawing::shapes` of the enclosing box.
    pub within: Option<usize>,
    /// The kind of shape.
    pub kind: NodeShape,
    /// The first line: the name of the node, or its id.
    pub title: String,
    /// The second line: the call, with details such as the tools of an agent or the limit of a loop.
    pub detail: String,
    /// Distance from the left edge.
    pub x: i32,
    /// Distance from the top edge.
    pub y: i32,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
}

/// The line style of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The normal path.
    Solid,
    /// A path taken after a failure or at the end.
    Dashed,
}

/// An edge from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Index of the shape at which it starts.
    pub from: usize,
    /// Index of the shape at which it ends.
    pub to: usize,
    /// The branch name or the condition, such as `failed`; empty on success.
    pub label: String,
    /// The line style.
    pub style: Style,
    /// The points of the line, both ends included.
    pub points: Vec<(i32, i32)>,
}

impl DrawnEdge {
    /// Returns the position of the label: the middle of the first segment.
    pub fn label_at(&self) -> Option<(i32, i32)> {
        let ((x, y), (next_x, next_y)) = (*self.points.first()?, *self.points.get(1)?);
        Some((i32::midpoint(x, next_x), i32::midpoint(y, next_y) + 4))
    }
}

/// Maximum number of nodes drawn: called flows multiply the number of nodes.
const MOST_SHAPES: usize = 3000;

/// Nodes and edges without coordinates.
#[derive(Default)]
struct UnplacedDrawing {
    cells: Vec<Cell>,
    links: Vec<(usize, usize, String, Style)>,
}

struct Cell {
    id: String,
    kind: NodeShape,
    title: String,
    detail: String,
    size: (i32, i32),
    inner: Option<(UnplacedDrawing, PlacedLayers)>,
}

/// Lays out a flow and everything nested in it.
pub fn draw(bundle: &Bundle) -> Drawing {
    let mut pencil = Pencil { bundle, left: MOST_SHAPES };
    let scene = pencil.flow(&bundle.flow, 1);
    let found = scene.laid();
    let mut drawing = Drawing {
        title: bundle.flow.name.clone(),
        width: found.width + 2 * MARGIN,
        height: found.height + 2 * MARGIN,
        ..Drawing::default()
    };
    place((&scene, &found), None, (MARGIN, MARGIN), &mut drawing);
    drawing
}

struct Pencil<'a> {
    bundle: &'a Bundle,
    /// The number of nodes that may still be drawn.
    left: usize,
}

impl Pencil<'_> {
    fn flow(&mut self, flow: &Flow, depth: usize) -> UnplacedDrawing {
        let mut scene = UnplacedDrawing::default();
        let mut last: Option<usize> = None;
        for item in &flow.before {
            let here = scene.add(Cell { kind: NodeShape::Hook, ..self.cell(item, depth) });
            scene.links.extend(last.map(|last| (last, here, String::new(), Style::Solid)));
            last = Some(here);
        }
        self.graph(&flow.graph, depth, &mut scene);
        for start in last.iter().flat_map(|_| &flow.graph.starts) {
            let ends = last.zip(scene.named(start));
            scene.links.extend(ends.map(|(from, to)| (from, to, String::new(), Style::Solid)));
        }
        let mut before = scene.ends();
        if let Some(item) = &flow.on_error {
            let cell = self.cell(item, depth);
            let detail = format!("{} · on_error", cell.detail);
            scene.add(Cell { kind: NodeShape::Hook, detail, ..cell }.measured());
        }
        for item in &flow.after {
            let here = scene.add(Cell { kind: NodeShape::Hook, ..self.cell(item, depth) });
            let ended = |from: usize| (from, here, "ended".to_owned(), Style::Dashed);
            scene.links.extend(before.drain(..).map(ended));
            before = vec![here];
        }
        scene
    }

    fn graph(&mut self, graph: &FlowGraph, depth: usize, scene: &mut UnplacedDrawing) {
        for item in &graph.nodes {
            let cell = self.cell(item, depth);
            scene.add(cell);
        }
        for edge in &graph.edges {
            let ends = scene.named(&edge.from).zip(scene.named(&edge.to));
            let (label, style) = way(edge);
            scene.links.extend(ends.map(|(from, to)| (from, to, label, style)));
        }
    }

    fn within(&mut self, graph: &FlowGraph, depth: usize) -> Option<UnplacedDrawing> {
        (depth < DEEPEST && self.left > 0).then(|| {
            let mut scene = UnplacedDrawing::default();
            self.graph(graph, depth + 1, &mut scene);
            scene
        })
    }

    fn cell(&mut self, item: &FlowItem, depth: usize) -> Cell {
        self.left = self.left.saturating_sub(1);
        let (kind, inner, more) = match &item.inside {
            NodeBody::Nothing => (NodeShape::Call, None, String::new()),
            NodeBody::Choice(_) => (NodeShape::Choice, None, String::new()),
            NodeBody::Agent(agent) => {
                let tools: Vec<&str> = agent.tools.iter().map(ToolId::as_str).collect();
                (NodeShape::Call, None, tools.join(", "))
            }
            NodeBody::Loop(it) => (NodeShape::Box, self.within(&it.nested.graph, depth), pass(it)),
            NodeBody::Nodes(it) => (NodeShape::Box, self.within(&it.graph, depth), String::new()),
            NodeBody::Flow(name) => {
                let may = depth < DEEPEST && self.left > 0;
                let called = self.bundle.flows.get(name).filter(|_| may);
                let inner = called.map(|flow| self.flow(flow, depth + 1));
                let kind = if inner.is_some() { NodeShape::Box } else { NodeShape::Call };
                (kind, inner, name.clone())
            }
        };
        let title = if item.name.is_empty() { &item.id } else { &item.name };
        let detail = [item.call.as_str(), &more].join(" ");
        let inner = inner.map(|scene| {
            let found = scene.laid();
            (scene, found)
        });
        let (title, detail) = (cut(title), cut(detail.trim()));
        Cell { id: item.id.clone(), kind, title, detail, size: (0, 0), inner }.measured()
    }
}

impl Cell {
    fn measured(mut self) -> Self {
        let text = text_width(&self.title).max(text_width(&self.detail)) + 3 * PADDING;
        self.size = (text.max(80), head() + PADDING);
        if let Some((_, found)) = &self.inner {
            let (width, height) = (found.width + 2 * MARGIN, found.height + MARGIN);
            self.size = (self.size.0.max(width), self.size.1 + height);
        }
        self
    }
}

impl UnplacedDrawing {
    fn add(&mut self, cell: Cell) -> usize {
        self.cells.push(cell);
        self.cells.len() - 1
    }

    fn named(&self, id: &str) -> Option<usize> {
        self.cells.iter().position(|cell| cell.id == id)
    }

    fn laid(&self) -> PlacedLayers {
        let sizes: Vec<(i32, i32)> = self.cells.iter().map(|cell| cell.size).collect();
        let links: Vec<(usize, usize)> =
            self.links.iter().map(|(from, to, _, _)| (*from, *to)).collect();
        layers(&sizes, &links)
    }

    /// Returns the nodes without an outgoing edge.
    fn ends(&self) -> Vec<usize> {
        let leads = |index: &usize| self.links.iter().any(|(from, _, _, _)| from == index);
        (0..self.cells.len()).filter(|index| !leads(index)).collect()
    }
}

fn way(edge: &Edge) -> (String, Style) {
    match &edge.on {
        EdgeCondition::Success => (String::new(), Style::Solid),
        EdgeCondition::Branch(branch) => (cut(branch), Style::Solid),
        EdgeCondition::Failure | EdgeCondition::Unhandled => ("failed".to_owned(), Style::Dashed),
        EdgeCondition::End => ("ended".to_owned(), Style::Dashed),
    }
}

/// Describes the iteration of a loop in one line.
fn pass(repeated: &LoopSpec) -> String {
    match (&repeated.over, &repeated.until) {
        (Some(Value::String(over)), _) => format!("over {over}"),
        (Some(over), _) => format!("over {over}"),
        (None, Some(_)) => format!("until, max {}", repeated.max),
        (None, None) => format!("max {}", repeated.max),
    }
}

/// Assigns absolute coordinates to every shape and line of a scene.
fn place(
    (scene, found): (&UnplacedDrawing, &PlacedLayers),
    within: Option<usize>,
    (left, top): (i32, i32),
    drawing: &mut Drawing,
) {
    let mut numbers = Vec::new();
    for (cell, (x, y)) in scene.cells.iter().zip(&found.corners) {
        let ((x, y), (width, height)) = ((left + x, top + y), cell.size);
        let number = drawing.shapes.len();
        numbers.push(number);
        let (title, detail) = (cell.title.clone(), cell.detail.clone());
        drawing.shapes.push(DrawnNode {
            within,
            kind: cell.kind,
            title,
            detail,
            x,
            y,
            width,
            height,
        });
        if let Some((inner, found)) = &cell.inner {
            // A title may be wider than the content of the box: centre the content.
            let corner = (x + (width - found.width) / 2, y + head() + PADDING);
            place((inner, found), Some(number), corner, drawing);
        }
    }
    for ((from, to, label, style), bends) in scene.links.iter().zip(&found.bends) {
        let ends = numbers.get(*from).zip(numbers.get(*to));
        let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) else { continue };
        let shape = |number: usize| drawing.shapes.get(number);
        let start = shape(from).map(|it| (it.x + it.width / 2, it.y + it.height));
        let end = shape(to).map(|it| (it.x + it.width / 2, it.y));
        let bends = bends.iter().map(|(x, y)| (left + x, top + y));
        let points = start.into_iter().chain(bends).chain(end).collect();
        drawing.lines.push(DrawnEdge { from, to, label: label.clone(), style: *style, points });
    }
}

/// Returns the height of the two text lines of a shape.
fn head() -> i32 {
    PADDING + 2 * LINE_HEIGHT
}

/// Returns the drawn width of a text in pixels.
pub fn text_width(text: &str) -> i32 {
    i32::try_from(columns::width(text)).unwrap_or(i32::MAX / COLUMN) * COLUMN
}

/// Cuts a text to `MOST_COLUMNS`.
fn cut(text: &str) -> String {
    columns::cut(text, MOST_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_drawn_twice_as_wide_and_a_long_text_is_cut() {
        assert_eq!(text_width("负荷 load"), 9 * COLUMN);
        assert_eq!(text_width("Ａ，😀"), 6 * COLUMN);
        assert_eq!(cut("短"), "短");
        assert_eq!(cut(&"长".repeat(30)), format!("{}…", "长".repeat(19)));
        assert_eq!(cut(&"x".repeat(41)), format!("{}…", "x".repeat(39)));
    }
}
