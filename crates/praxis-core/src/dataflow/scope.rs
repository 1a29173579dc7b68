//! Name look-up inside frames: the steps and variables of a frame hide those of the frames around it.
//!
//! The path of a frame is empty for the plan, `each[2]` for the second pass of the loop `each`, and `each[2]/inner`
//! for the sub-flow `inner` in it. The ids of the steps inside begin with it.

use super::context::{Context, StepIndex, Variables};

/// A frame, or the plan, in which names are looked up.
#[derive(Clone, Copy)]
pub struct NameScope<'a> {
    context: &'a Context,
    path: &'a str,
}

impl<'a> NameScope<'a> {
    /// Returns the scope of the plan itself.
    pub fn plan(context: &'a Context) -> Self {
        Self { context, path: "" }
    }

    /// Returns the scope of the frame with this path.
    pub fn within(context: &'a Context, path: &'a str) -> Self {
        Self { context, path }
    }

    /// Returns the context of the task.
    pub fn context(self) -> &'a Context {
        self.context
    }

    /// Returns the step that a name refers to: one of this frame, else one of the frames around it.
    pub fn index_of(self, name: &str) -> Option<StepIndex> {
        let found = |path: &str| self.context.index_of(&joined(path, name));
        outwards(self.path).filter(|path| !path.is_empty()).find_map(found).or_else(|| {
            // Only Praxis itself writes full paths.
            self.context.index_of(name)
        })
    }

    /// Returns the path of the innermost frame that has this variable.
    pub fn frame_of(self, variable: &str) -> Option<&'a str> {
        outwards(self.path).find(|path| {
            self.context.variables(path).is_some_and(|known| known.get(variable).is_some())
        })
    }

    /// Returns the names of all visible variables.
    pub fn names(self) -> Vec<String> {
        let own = |path| self.context.variables(path).into_iter().flat_map(Variables::names);
        outwards(self.path).flat_map(own).map(str::to_owned).collect()
    }
}

/// Returns the full id of a step in a frame.
pub fn joined(path: &str, id: &str) -> String {
    if path.is_empty() { id.to_owned() } else { format!("{path}/{id}") }
}

/// Returns a path and those around it, up to that of the plan.
fn outwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| (!path.is_empty()).then(|| path_of(path)))
}

/// Returns the path of the frame that contains a step.
pub fn path_of(id: &str) -> &str {
    id.rsplit_once('/').map_or("", |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StepId;
    use crate::payload::Payload;
    use serde_json::json;

    #[test]
    fn a_name_means_what_is_nearest() {
        let mut context = Context::default();
        let outer = context.declare(&StepId::from("a"));
        let inner = context.declare_inner(&StepId::from("each[2]/sub/a"));
        let beside = context.declare_inner(&StepId::from("each[2]/b"));
        let given = |value| Variables { given: Some(Payload::json(value)), ..Variables::default() };
        context.open_scope("each[2]", given(json!({"n": 2})));
        context.open_scope("each[2]/sub", given(json!({"m": 1})));
        let sub = NameScope::within(&context, "each[2]/sub");
        assert_eq!(sub.index_of("a"), Some(inner));
        assert_eq!(sub.index_of("b"), Some(beside));
        assert_eq!(NameScope::within(&context, "each[2]").index_of("a"), Some(outer));
        assert_eq!(NameScope::plan(&context).index_of("b"), None);
        assert_eq!(sub.frame_of("n"), Some("each[2]"));
        assert_eq!(NameScope::plan(&context).frame_of("n"), None);
        assert_eq!(sub.frame_of("failure"), Some("each[2]/sub"), "every frame has its own");
    }

    #[test]
    fn what_was_let_go_is_not_found_and_its_number_is_not_given_again() {
        let mut context = Context::default();
        let first = context.declare_inner(&StepId::from("s/a"));
        context.let_go(first);
        assert_eq!(NameScope::within(&context, "s").index_of("a"), None);
        let again = context.declare_inner(&StepId::from("s/a"));
        assert_ne!(first, again);
        assert!(context.result(first).is_none() && context.id_of(first).is_none());
    }
}
