//! From a goal to a plan: tools are chosen, a plan is asked for, its steps enter as they come.

pub mod by_words;

pub mod retrieved;

mod offer;

pub mod useless;

pub mod select;

mod endow;

pub mod draft;

pub mod fix;

pub mod propose;

pub mod again;

pub mod composed;

pub mod follow;
