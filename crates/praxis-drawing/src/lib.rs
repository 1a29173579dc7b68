//! Flows as pictures: laid out in layers, drawn as SVG or written as Mermaid.

mod layers;

pub mod columns;

pub mod draw;

pub mod mermaid;

pub mod svg;
