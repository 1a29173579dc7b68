//! Flows drawn, written and compared: nothing lies on anything else, and nothing is lost.

use praxis_core::document::{self, DocumentFormat};
use praxis_core::flow;
use praxis_core::flow::diff::diff;
use praxis_core::flow::file::{Bundle, Flow};
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::write::write;
use praxis_drawing::draw::{Drawing, DrawnNode, draw};
use praxis_drawing::mermaid::mermaid;
use praxis_drawing::svg::svg;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

fn read(document: &Value) -> Flow {
    let mut findings = FlowProblems::default();
    let flow = flow::read::read(document, &mut findings);
    assert!(findings.problems.is_empty(), "{:?}", findings.problems);
    flow
}

fn bundle(main: &Value, called: &[Value]) -> Bundle {
    let flows = called.iter().map(read).map(|flow| (flow.name.clone(), flow)).collect();
    Bundle { flow: read(main), flows, source: None }
}

/// The flows that the engine's scenarios run.
fn scenarios() -> Vec<(String, Bundle)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../praxis-engine/tests/flows");
    let listed = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let one = |path: std::path::PathBuf| {
        let file = document::read(&std::fs::read(&path).unwrap(), DocumentFormat::Yaml).unwrap();
        let called = file["flows"].as_array().cloned().unwrap_or_default();
        (path.display().to_string(), bundle(&file["flow"], &called))
    };
    listed.map(one).collect()
}

const WHOLE: &str = r#"
flow: whole
before: [{id: begin, call: Empty}]
nodes:
  - id: how
    call: Choice
    branches: [{id: 大额, all: [{left: "{{a}}", is: greater, right: 3}]}, {id: none, all: [{left: "{{a}}", is: equal, right: 0}]}]
    otherwise: small
  - {id: x, call: Convert, name: 计算 & "q" <script>, params: {text: a}}
  - id: each
    call: Loop
    over: "{{list}}"
    nodes:
      - {id: p, call: echo}
      - {id: q, call: SubFlow, flow: letter}
      - {id: r, call: echo}
    edges: [p -> q -> r, p -> r]
  - {id: end, call: Empty}
edges: [how.大额 -> x -> each -> end, how.small -> each, how.none -> end, {from: x, to: end, when: failed}]
on_error: {id: oops, call: Empty}
after: [{id: tidy, call: Empty}]
"#;

fn whole() -> Bundle {
    let letter = json!({"flow": "letter", "nodes": [{"id": "write", "call": "Convert"}]});
    bundle(&document::read(WHOLE.as_bytes(), DocumentFormat::Yaml).unwrap(), &[letter])
}

fn holds(outer: &DrawnNode, inner: &DrawnNode) -> bool {
    outer.x <= inner.x
        && outer.y <= inner.y
        && inner.x + inner.width <= outer.x + outer.width
        && inner.y + inner.height <= outer.y + outer.height
}

fn overlap(one: &DrawnNode, other: &DrawnNode) -> bool {
    one.x < other.x + other.width
        && other.x < one.x + one.width
        && one.y < other.y + other.height
        && other.y < one.y + one.height
}

/// Everything that lies where it should not.
fn clashes(drawing: &Drawing) -> Vec<String> {
    let mut found = Vec::new();
    let paper = DrawnNode {
        x: 0,
        y: 0,
        width: drawing.width,
        height: drawing.height,
        ..drawing.shapes[0].clone()
    };
    for (number, shape) in drawing.shapes.iter().enumerate() {
        let outer = shape.within.map_or(&paper, |within| &drawing.shapes[within]);
        if !holds(outer, shape) {
            found.push(format!("{} is not inside {}", shape.title, outer.title));
        }
        for other in drawing.shapes[..number].iter().filter(|other| other.within == shape.within) {
            if overlap(shape, other) {
                found.push(format!("{} lies on {}", shape.title, other.title));
            }
        }
        for line in drawing.lines.iter().filter(|line| line.from != number && line.to != number) {
            let siblings = drawing.shapes[line.from].within == shape.within;
            let inside = |(x, y): &(i32, i32)| {
                (shape.x..=shape.x + shape.width).contains(x)
                    && (shape.y + 1..shape.y + shape.height).contains(y)
            };
            if siblings && line.points.iter().any(inside) {
                found.push(format!("a line runs through {}", shape.title));
            }
        }
    }
    found
}

#[test]
fn no_shape_lies_on_another_and_all_lie_in_their_boxes() {
    for (name, bundle) in scenarios().into_iter().chain([("whole".to_owned(), whole())]) {
        let drawing = draw(&bundle);
        assert_eq!(clashes(&drawing), Vec::<String>::new(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_the_edges_are_nothing_clashes(count in 1_usize..12, edges in prop::collection::vec((0_usize..12, 0_usize..12), 0..30)) {
        let nodes: Vec<Value> = (0..count).map(|n| json!({"id": format!("n{n}"), "call": "put"})).collect();
        // Forwards only: what leads back is refused by the check, and drawn as it comes.
        let edges = edges.into_iter().map(|(one, other)| (one % count, other % count));
        let edges: Vec<Value> = edges.filter(|(one, other)| one < other).map(|(one, other)| json!(format!("n{one} -> n{other}"))).collect();
        let drawing = draw(&bundle(&json!({"flow": "x", "nodes": nodes, "edges": edges}), &[]));
        prop_assert_eq!(clashes(&drawing), Vec::<String>::new());
    }
}

#[test]
fn a_flow_as_mermaid() {
    insta::assert_snapshot!(mermaid(&draw(&whole())));
}

#[test]
fn a_flow_as_svg_needs_nothing_from_outside_and_holds_no_markup_of_labels() {
    let drawn = svg(&draw(&whole()));
    assert!(!drawn.contains("var("), "what draws for paper knows no variables");
    assert!(
        drawn.contains("计算 &amp; &quot;q&quot; &lt;script&gt;") && !drawn.contains("<script")
    );
    let links = drawn.matches("http").count();
    assert_eq!(links, 1, "the name of the format alone");
    assert!(drawn.contains("prefers-color-scheme:dark"));
    insta::assert_snapshot!(drawn);
}

#[test]
fn flows_that_call_each_other_without_end_are_drawn_as_far_as_it_goes() {
    let calls = |to: &str| -> Vec<Value> {
        (0..40).map(|n| json!({"id": format!("n{n}"), "call": "SubFlow", "flow": to})).collect()
    };
    let (one, other) =
        (json!({"flow": "a", "nodes": calls("b")}), json!({"flow": "b", "nodes": calls("a")}));
    let drawing = draw(&bundle(&one, &[one.clone(), other]));
    assert!(drawing.shapes.len() < 4000, "{}", drawing.shapes.len());
}

#[test]
fn what_is_written_reads_as_the_same_flow() {
    for (name, bundle) in scenarios().into_iter().chain([("whole".to_owned(), whole())]) {
        for flow in [&bundle.flow].into_iter().chain(bundle.flows.values()) {
            assert_eq!(read(&write(flow)), *flow, "{name}");
        }
    }
}

#[test]
fn a_flow_differs_from_itself_in_nothing_and_another_order_is_no_difference() {
    for (name, bundle) in scenarios() {
        assert_eq!(diff(&bundle, &bundle), [], "{name}");
    }
    let flow = |first: &str, second: &str| {
        let nodes = json!([{"id": first, "call": "put"}, {"id": second, "call": "put"}]);
        bundle(&json!({"flow": "x", "start": ["a", "b"], "nodes": nodes, "edges": []}), &[])
    };
    let (one, other) = (flow("a", "b"), flow("b", "a"));
    assert_ne!(one.version(), other.version());
    assert_eq!(diff(&one, &other), []);
}
