//! From a goal to a plan: tools are chosen, a plan is asked for, its steps enter as they come.

pub mod strategy;

pub mod two_stage;

pub mod chosen;

pub mod by_words;

pub mod choose;

pub mod retrieved;

mod offer;

pub mod useless;

mod endow;

pub mod draft;

pub mod fix;

pub mod again;

pub mod composed;

pub mod choice;

pub mod select;

pub mod propose;

pub mod follow;
