//! What was done, told to a person: `why`, `show`, `diff`, `export --md`, and forks in all of them.

mod scene;

mod why;

mod fork;

mod doubt;

mod show;

mod diff;

mod history;
