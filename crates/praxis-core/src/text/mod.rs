//! Text helpers shared by slots and routes: phrase matching, and `key: value` pairs.

pub mod phrase;

pub mod pairs;
