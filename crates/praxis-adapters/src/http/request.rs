//! Fills the arguments into a request: `{name}` in the URL and the body, in one pass, as data.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use praxis_core::problem::Bilingual;
use reqwest::Url;
use serde_json::{Map, Value};

/// Encodes everything but unreserved characters, so that an argument cannot leave its place in the URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A complete URL.
#[derive(Debug)]
pub(crate) struct FilledUrl {
    /// The URL.
    pub(crate) url: Url,
    /// True if the host is written in the manifest or the flow.
    pub(crate) trusted: bool,
}

/// Fills `{name}` in a URL template. With a placeholder in the host, the URL is untrusted: the caller chooses the
/// host.
pub(super) fn address(template: &str, arguments: &Value) -> Result<FilledUrl, Bilingual> {
    let after_scheme = template.find("://").map_or(0, |at| at + 3);
    let rest = template.get(after_scheme..).unwrap_or_default();
    let authority = rest.find(['/', '?', '#']).map_or(template.len(), |at| after_scheme + at);
    let (host, path) = template.split_at(authority);
    let trusted = !host.contains('{');
    let host = fill(host, arguments, |text| {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
        if text.chars().all(plain) {
            Ok(text.to_owned())
        } else {
            Err((
                format!("`{text}` is not a valid host name"),
                format!("`{text}` 不是有效的主机名"),
            )
                .into())
        }
    })?;
    // The host must parse by itself: otherwise the path, which any caller may fill, could become the host.
    let alone = Url::parse(&host).map_err(wrong)?;
    let filled = fill(path, arguments, |text| Ok(utf8_percent_encode(text, ENCODED).to_string()))?;
    keeps_its_form(path, &filled)?;
    let url = Url::parse(&format!("{host}{filled}")).map_err(wrong)?;
    if url.origin() != alone.origin() {
        return Err(("the arguments change the host of the URL", "参数改变了 URL 的主机").into());
    }
    Ok(FilledUrl { url, trusted })
}

fn wrong(error: impl std::fmt::Display) -> Bilingual {
    (format!("invalid URL: {error}"), format!("URL 无效：{error}")).into()
}

/// Rejects an argument that removes its path segment. Encoding keeps arguments within their segment, except for the
/// empty string, `.` and `..`, which remove the segment even if encoded.
fn keeps_its_form(template: &str, filled: &str) -> Result<(), Bilingual> {
    fn parts(text: &str) -> impl Iterator<Item = &str> {
        text.split(['?', '#']).next().unwrap_or_default().split(['/', '\\'])
    }
    for (written, now) in parts(template).zip(parts(filled)) {
        let plain = now.to_ascii_lowercase().replace("%2e", ".");
        if written != now && matches!(plain.as_str(), "" | "." | "..") {
            let en =
                format!("`{written}` in the URL path must not be empty, `.` or `..`, got `{now}`");
            return Err((
                en,
                format!("URL 路径中的 `{written}` 不能为空、`.` 或 `..`，实际为 `{now}`"),
            )
                .into());
        }
    }
    Ok(())
}

/// Rejects a URL template that no arguments can turn into a valid URL.
pub(super) fn check(template: &str) -> Result<(), String> {
    let mut sample = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let name = after.split_once('}').filter(|(name, _)| is_name(name));
        sample.push_str(before);
        sample.push(if name.is_some() { '1' } else { '{' });
        rest = name.map_or(after, |(_, tail)| tail);
    }
    sample.push_str(rest);
    let parsed = Url::parse(&sample).map(drop);
    parsed.map_err(|error| format!("invalid URL `{template}`: {error}"))
}

/// Fills `{name}` in a body: a string that is only a placeholder gets the argument's type, within other text it is
/// rendered.
pub(super) fn body(template: &Value, arguments: &Value) -> Result<Value, Bilingual> {
    match template {
        Value::String(text) => {
            let alone = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match alone.filter(|name| is_name(name)) {
                Some(name) => argument(arguments, name).cloned(),
                None => fill(text, arguments, |text| Ok(text.to_owned())).map(Value::String),
            }
        }
        Value::Array(items) => items.iter().map(|item| body(item, arguments)).collect(),
        Value::Object(map) => {
            let filled: Result<Map<String, Value>, Bilingual> =
                map.iter().map(|(key, item)| Ok((key.clone(), body(item, arguments)?))).collect();
            filled.map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// The result of filling a template.
#[derive(Debug, PartialEq)]
pub(super) enum FilledTemplate {
    /// The filled value.
    With(Value),
    /// An argument of the template is missing.
    Missing,
}

/// Fills `{name}` in one value like `body`, but returns `Missing` for a missing argument.
pub(super) fn fill_value(template: &Value, arguments: &Value) -> Result<FilledTemplate, Bilingual> {
    let is_missing = |text: &str| names(text).any(|name| arguments.get(name).is_none());
    if template.as_str().is_some_and(is_missing) {
        return Ok(FilledTemplate::Missing);
    }
    body(template, arguments).map(FilledTemplate::With)
}

/// Returns the names in the braces of a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(|n| is_name(n))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

fn argument<'a>(arguments: &'a Value, name: &str) -> Result<&'a Value, Bilingual> {
    let missing = || (format!("missing argument `{name}`"), format!("缺少参数 `{name}`"));
    arguments.get(name).ok_or_else(|| missing().into())
}

/// Fills a text in one pass: inserted values are not scanned again. Braces without a name stay.
fn fill(
    template: &str,
    arguments: &Value,
    encode: impl Fn(&str) -> Result<String, Bilingual>,
) -> Result<String, Bilingual> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((name, tail)) => {
                let value = argument(arguments, name)?;
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                out.push_str(&encode(&text)?);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_argument_cannot_leave_its_place_in_the_address() {
        let filled = address(
            "http://api.test/users/{id}?q={q}",
            &json!({"id": "../admin?x=1#", "q": "a&b=c 杭"}),
        );
        let filled = filled.unwrap();
        assert_eq!(
            filled.url.as_str(),
            "http://api.test/users/..%2Fadmin%3Fx%3D1%23?q=a%26b%3Dc%20%E6%9D%AD"
        );
        assert!(filled.trusted);
    }

    #[test]
    fn an_argument_that_would_take_its_part_of_the_path_away_is_refused() {
        let asked = |template: &str, value: &str| address(template, &json!({"id": value}));
        for bad in ["", ".", ".."] {
            assert!(asked("http://api.test/users/{id}/keys", bad).is_err(), "{bad}");
            assert!(asked("http://api.test/users/{id}", bad).is_err(), "{bad}");
            assert!(asked("http://api.test/{id}?q={id}", bad).is_err(), "{bad}");
            assert!(asked("http://api.test/?q={id}", bad).is_ok(), "{bad}");
        }
        assert!(asked("http://api.test/.{id}/x", ".").is_err());
        assert!(asked("http://api.test/%2E{id}/x", ".").is_err());
        assert!(asked("http://api.test/{id}{id}/x", ".").is_err());
        assert!(asked("http://api.test/a/../{id}", "x").is_ok(), "what the author wrote may");
        for fine in ["...", "..a", "%2e%2e", "null"] {
            let url = asked("http://api.test/users/{id}/keys", fine).unwrap().url;
            assert_eq!(url.path_segments().unwrap().count(), 3, "{url}");
        }
    }

    #[test]
    fn a_path_cannot_become_the_host() {
        for template in ["http:///{id}/x", "http://", "http:///evil.test", "http://?{id}"] {
            assert!(address(template, &json!({"id": "evil.test"})).is_err(), "{template}");
        }
        assert!(address("http://{host}/{id}", &json!({"host": "", "id": "evil.test"})).is_err());
    }

    #[test]
    fn a_host_from_an_argument_is_not_trusted_and_must_be_a_host() {
        assert!(!address("http://{host}/x", &json!({"host": "example.org"})).unwrap().trusted);
        for bad in ["a/b", "a@b", "a?b", "a#b", "a\\b", "a b"] {
            assert!(address("http://{host}/x", &json!({"host": bad})).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_body_keeps_types_and_scans_nothing_twice() {
        let template =
            json!({"n": "{n}", "text": "n is {n}", "braces": "{ not a name }", "list": ["{t}"]});
        let filled = body(&template, &json!({"n": 3, "t": "{n}"})).unwrap();
        assert_eq!(
            filled,
            json!({"n": 3, "text": "n is 3", "braces": "{ not a name }", "list": ["{n}"]})
        );
        assert!(body(&json!("{gone}"), &json!({})).is_err());
    }
}
