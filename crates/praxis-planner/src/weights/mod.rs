//! The weights by which tools, values and plans are chosen without a model.
//!
//! - in: nothing
//! - out: one constant, `WEIGHTS`, with a group for each purpose; all numbers are in `numbers.rs`
//! - never: a limit or a count: those are defined where they apply

mod retrieve;

mod values;

mod plans;

mod numbers;

pub use numbers::{WEIGHTS, Weights};
pub use plans::{
    BringWeights, ChainWeights, CoverWeights, GoalWeights, PlanWeights, StepWeights, SupplyWeights,
    SurenessWeights, VerbWeights,
};
pub use retrieve::{CaseWeights, FieldWeight, FieldWeights, IndexWeights, SearchWeights};
pub use values::{
    FitWeights, HintWeights, KindHint, KindHints, MeasureWeights, SenseWeights, ShapeWeights,
    TextWeights,
};
