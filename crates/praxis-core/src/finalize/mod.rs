//! What is made of a task when somebody asks for it whole: its history as text, its likeness to another.

pub mod history;

pub mod compare;
