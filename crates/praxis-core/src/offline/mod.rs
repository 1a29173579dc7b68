//! Plans without a model: what a request says is found in its words, and tools are put together so that they serve it.

pub mod values;

pub mod text;

pub mod phrases;

pub mod reading;

pub mod needs;

pub mod hints;

pub mod fit;

pub mod supply;

pub mod assign;

pub mod bind;

pub mod goals;

pub mod chain;

pub mod manners;

pub mod sureness;

pub mod by_cases;

pub mod planner;

pub mod by_workflow;

pub mod foresee;
