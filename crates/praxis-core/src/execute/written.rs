//! The hosts that stand in a plan or a flow word for word: whoever wrote it meant them.

use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;

/// The parameter that holds an address.
const URL: &str = "url";

/// The host and port of a step's address, if they were written and nothing was put in their place. What a model
/// planned or called was written by nobody.
pub fn hosts(state: &State, step: &Step) -> Vec<String> {
    let changed = step.given.keys().any(|at| at.is_empty() || at.strip_prefix('/') == Some(URL));
    if state.goal.is_some() || changed || step.plan.is_literal() {
        return vec![];
    }
    let parameters = step.plan.all_parameters();
    let url = parameters.get(URL).and_then(Value::as_str).unwrap_or_default();
    authority(url).into_iter().collect()
}

/// The authority of an address whose end stands before the first placeholder.
fn authority(url: &str) -> Option<String> {
    let url = url.trim();
    let (_, rest) =
        url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let placeholder =
        [rest.find("{{"), rest.find("${"), rest.find("\\{")].into_iter().flatten().min();
    let end = rest.find(['/', '?', '#', '\\']);
    let end = match (end, placeholder) {
        (Some(end), Some(placeholder)) if end > placeholder => return None,
        (None, Some(_)) => return None,
        (end, _) => end.unwrap_or(rest.len()),
    };
    let authority = rest.get(..end)?;
    let is_plain = !authority.is_empty() && !authority.contains('@');
    is_plain.then(|| authority.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::authority;

    #[test]
    fn only_a_host_that_stands_there_as_a_whole_is_written() {
        let written = |url: &str| authority(url);
        assert_eq!(written("https://API.example/v1/{{id}}"), Some("api.example".to_owned()));
        assert_eq!(written("http://127.0.0.1:8080"), Some("127.0.0.1:8080".to_owned()));
        assert_eq!(written("http://a.example?q={{q}}"), Some("a.example".to_owned()));
        for no in [
            "{{url}}",
            "http://{{host}}/x",
            "http://a{{b}}",
            "http://a.example{{rest}}",
            "http://a.${b}/",
            "http://u:p@a.example/",
            "ftp://a.example/",
            "a.example/x",
            "http:///x",
            "http://a.example\\{{x}}@evil/",
        ] {
            let found = written(no);
            assert!(found.is_none() || found.as_deref() == Some("a.example"), "{no}: {found:?}");
        }
        assert_eq!(written("http://a.example{{rest}}"), None);
    }
}
