//! The plan that is put together from tools where there is neither a model nor a workflow.
//!
//! - in: the state of a goal, and the catalog that it is pinned to
//! - out: the tools of the plan with how sure it is; its steps; or why the goal is turned away
//! - never: gives another plan for the same goal and the same catalog

use super::selection::{Selection, Selector, Why};
use super::{draft, retrieved, select};
use crate::ask::tokens::Tokens;
use crate::goal::library::Library;
use crate::journal::event::Event;
use crate::offline::planner::{Outcome, Wanted, plan};
use crate::state::State;
use serde_json::Value;

/// The tools of the plan, or that there is none.
pub(super) fn choice(
    state: &State,
    (library, tokens): (&Library, &dyn Tokens),
) -> Option<Event> {
    let by = (Selector::Offline, Some(Why::NoModel));
    let selection = match outcome(state, library)? {
        Outcome::Ready(made) | Outcome::NeedParams(made) => Selection {
            sureness: Some(made.sureness.clone()),
            found: retrieved::recorded(&retrieved::find(state, library)),
            ..select::plain(by, made.tools(), library, tokens)
        },
        Outcome::NoPlan(refusal) => Selection {
            rejected: Some(refusal.words().tell(library.pack.lang()).to_owned()),
            found: retrieved::recorded(&refusal.nearest),
            sureness: Some(refusal.sureness),
            ..select::plain(by, std::collections::BTreeSet::new(), library, tokens)
        },
    };
    Some(select::selected(selection, library))
}

/// The steps of the plan as a plan file writes them; none if there is no plan.
pub(super) fn steps(state: &State, library: &Library) -> Option<Vec<Value>> {
    match outcome(state, library)? {
        Outcome::Ready(made) | Outcome::NeedParams(made) => Some(made.written()),
        Outcome::NoPlan(_) => None,
    }
}

fn outcome(state: &State, library: &Library) -> Option<Outcome> {
    let goal = &state.submission.as_ref()?.goal;
    let given = draft::metadata(state);
    Some(plan(&Wanted { goal, given: &given, catalog: &library.catalog, search: library.search() }))
}
