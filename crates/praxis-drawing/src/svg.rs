//! Writes a `Drawing` as a self-contained SVG file for light and dark colour schemes.

use crate::draw::{Drawing, DrawnEdge, DrawnNode, LINE_HEIGHT, NodeShape, PADDING, Style};
use std::fmt::Write;

/// The style sheet. Plain colours come first: renderers for print, mail and thumbnails support neither variables nor
/// `prefers-color-scheme`.
const STYLE: &str = "<style>
svg{color-scheme:light dark}
text{font-size:13px;font-family:ui-sans-serif,system-ui,\"Noto Sans CJK SC\",sans-serif;fill:#1f2328}
.detail,.label{font-size:11px;fill:#59636e}
.paper{fill:#ffffff}
.shape{fill:#f6f8fa;stroke:#8c959f}
.box{fill:none;stroke:#8c959f;stroke-dasharray:5 3}
.line{fill:none;stroke:#8c959f;stroke-width:1.3}
.dashed{stroke-dasharray:4 3}
.tip{fill:#8c959f}
.behind{fill:#ffffff;opacity:.85}
@media(prefers-color-scheme:dark){
text{fill:#f0f6fc}
.detail,.label{fill:#9198a1}
.paper,.behind{fill:#0d1117}
.shape{fill:#151b23}
.shape,.box,.line{stroke:#656c76}
.tip{fill:#656c76}
}
</style>";

/// Returns the drawing as an SVG document.
pub fn svg(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>{}</title>\n{STYLE}\n",
        escaped(&drawing.title)
    );
    out.push_str("<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
    drawing.shapes.iter().for_each(|shape| draw_shape(shape, &mut out));
    drawing.lines.iter().for_each(|line| draw_line(line, &mut out));
    drawing.lines.iter().for_each(|line| draw_label(line, &mut out));
    out.push_str("</svg>\n");
    out
}

fn draw_shape(shape: &DrawnNode, out: &mut String) {
    let DrawnNode { x, y, width, height, .. } = *shape;
    let _ = match shape.kind {
        NodeShape::Box => writeln!(
            out,
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
        ),
        NodeShape::Choice => {
            let (left, right, middle) = (x, x + width, y + height / 2);
            let (in_left, in_right, bottom) = (x + 12, x + width - 12, y + height);
            writeln!(
                out,
                "<path class=\"shape\" d=\"M{left} {middle}L{in_left} {y}H{in_right}L{right} {middle}L{in_right} {bottom}H{in_left}z\"/>"
            )
        }
        NodeShape::Call => writeln!(
            out,
            "<rect class=\"shape\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
        ),
        NodeShape::Hook => writeln!(
            out,
            "<rect class=\"shape\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\"/>",
            height / 2
        ),
    };
    let (middle, first) = (x + width / 2, y + PADDING + LINE_HEIGHT - 5);
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"{first}\" text-anchor=\"middle\">{}</text>",
        escaped(&shape.title)
    );
    if !shape.detail.is_empty() {
        let second = first + LINE_HEIGHT;
        let _ = writeln!(
            out,
            "<text class=\"detail\" x=\"{middle}\" y=\"{second}\" text-anchor=\"middle\">{}</text>",
            escaped(&shape.detail)
        );
    }
}

/// Writes a curve with vertical tangents at its ends.
fn draw_line(line: &DrawnEdge, out: &mut String) {
    let mut path = String::new();
    let mut last: Option<(i32, i32)> = None;
    for (x, y) in line.points.iter().copied() {
        let _ = match last {
            None => write!(path, "M{x} {y}"),
            Some((from_x, from_y)) => {
                let half = (y - from_y) / 2;
                write!(path, "C{from_x} {} {x} {} {x} {y}", from_y + half, y - half)
            }
        };
        last = Some((x, y));
    }
    let class = match line.style {
        Style::Solid => "line",
        Style::Dashed => "line dashed",
    };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#tip)\"/>");
}

fn draw_label(line: &DrawnEdge, out: &mut String) {
    let (Some((x, y)), false) = (line.label_at(), line.label.is_empty()) else { return };
    let width = super::draw::text_width(&line.label);
    let _ = writeln!(
        out,
        "<rect class=\"behind\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"15\"/><text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
        x - width / 2,
        y - 11,
        escaped(&line.label)
    );
}

/// Escapes a text for XML. Characters that XML forbids become blanks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
