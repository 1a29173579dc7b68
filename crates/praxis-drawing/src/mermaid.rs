//! Writes a `Drawing` as Mermaid text.

use crate::draw::{Drawing, DrawnEdge, DrawnNode, NodeShape, Style};
use std::fmt::Write;

/// Returns the drawing as a Mermaid flowchart.
pub fn mermaid(drawing: &Drawing) -> String {
    let mut out = "flowchart TD\n".to_owned();
    shapes(drawing, None, 1, &mut out);
    for line in &drawing.lines {
        edge(line, &mut out);
    }
    out
}

/// Writes the shapes whose enclosing box is `within`, recursively.
fn shapes(drawing: &Drawing, within: Option<usize>, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let here = drawing.shapes.iter().enumerate().filter(|(_, shape)| shape.within == within);
    for (index, shape) in here {
        let label = label(shape);
        // Writing to a `String` cannot fail.
        let _ = match shape.kind {
            NodeShape::Box => {
                let _ = writeln!(out, "{indent}subgraph n{index}[\"{label}\"]");
                shapes(drawing, Some(index), depth + 1, out);
                writeln!(out, "{indent}end")
            }
            NodeShape::Choice => writeln!(out, "{indent}n{index}{{\"{label}\"}}"),
            NodeShape::Call => writeln!(out, "{indent}n{index}[\"{label}\"]"),
            NodeShape::Hook => writeln!(out, "{indent}n{index}([\"{label}\"])"),
        };
    }
}

fn label(shape: &DrawnNode) -> String {
    let title = escaped(&shape.title);
    if shape.detail.is_empty() { title } else { format!("{title}<br/>{}", escaped(&shape.detail)) }
}

fn edge(line: &DrawnEdge, out: &mut String) {
    let arrow = match line.style {
        Style::Solid => "-->",
        Style::Dashed => "-.->",
    };
    let label = if line.label.is_empty() {
        String::new()
    } else {
        format!("|\"{}\"|", escaped(&line.label))
    };
    let _ = writeln!(out, "  n{} {arrow}{label} n{}", line.from, line.to);
}

/// Escapes text so that it cannot close its quotes or be parsed as markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '`' => out.push_str("#96;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
