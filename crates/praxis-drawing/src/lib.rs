//! Draws flows: a layered layout, written as SVG or as Mermaid.

mod layers;

pub mod columns;

pub mod draw;

pub mod mermaid;

pub mod svg;
