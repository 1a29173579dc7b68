//! A task whose plan is yet to be made: what it is pinned to, and how far its course has come.

pub mod hit;

pub mod brief;

pub mod history;

pub mod course;

pub mod line;

pub mod library;

pub mod reading;

pub mod answer;

pub mod next;

pub mod ending;

pub mod message;
