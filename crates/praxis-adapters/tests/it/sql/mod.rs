//! Queries at real databases: what they give, what they never do.

mod guard;

mod servers;

mod rig;

mod injection;

mod values;

mod bounds;

mod writes;
