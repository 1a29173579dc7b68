//! The numbers by which tools, values and plans are weighed without a model.
//!
//! - in: nothing
//! - out: one value, `WEIGHTS`, with a group for each purpose; all numbers stand in `numbers.rs`
//! - never: a limit or a count of something: those stand where they hold

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
