//! Validation of the HTTP request in a manifest.
//!
//! - in: a deserialized request
//! - out: every flaw with its place
//! - never: reads an argument or a secret

use super::http::{ApiKey, Auth, HttpTransport, KeyPlace, Multipart, Success, statuses};
use crate::problem::http_flaw::HttpFlaw;
use serde_json::Value;
use std::collections::BTreeMap;

/// Headers that a manifest may not set: they follow from the request, or concern one connection only.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Flaws with their places, as paths below `http`.
type LocatedFlaws = Vec<(HttpFlaw, String)>;

/// Returns all flaws of a request.
pub fn flaws(http: &HttpTransport) -> LocatedFlaws {
    let mut found = LocatedFlaws::new();
    for (name, value) in &http.headers {
        found.extend(header(name, value).map(|flaw| (flaw, "headers".to_owned())));
    }
    for (name, value) in &http.cookies {
        found.extend(cookie(name, value).map(|flaw| (flaw, "cookies".to_owned())));
    }
    if !http.cookies.is_empty() && has_header(http, "cookie") {
        found.push((HttpFlaw::Twice("cookie".to_owned()), "cookies".to_owned()));
    }
    found.extend(pairs(&http.query, "query"));
    found.extend(http.auth.iter().flat_map(|auth| of_auth(http, auth)));
    found.extend(of_body(http));
    found.extend(http.success.iter().filter_map(of_success));
    found
}

/// Returns the flaw of a header, if it has one.
pub fn header(name: &str, value: &str) -> Option<HttpFlaw> {
    let small = name.to_ascii_lowercase();
    if !is_token(name) {
        Some(HttpFlaw::Name(name.to_owned()))
    } else if OURS.contains(&small.as_str()) {
        Some(HttpFlaw::Ours(small))
    } else if value.chars().any(|c| c.is_control() && c != '\t') {
        Some(HttpFlaw::Value(name.to_owned()))
    } else {
        None
    }
}

/// Returns the flaw of a cookie, if it has one.
pub fn cookie(name: &str, value: &str) -> Option<HttpFlaw> {
    let plain = |c: char| c.is_ascii_graphic() && !"\",;\\".contains(c);
    if !is_token(name) {
        Some(HttpFlaw::Name(name.to_owned()))
    } else if !value.chars().all(plain) {
        Some(HttpFlaw::Value(name.to_owned()))
    } else {
        None
    }
}

/// Returns true if the text is exactly one reference to a secret, `secret:NAME`.
pub fn is_reference(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.strip_prefix("secret:").is_some_and(|name| !name.is_empty() && name.chars().all(is_name))
}

/// Returns true if the text is a content type, such as `text/csv; charset=utf-8`.
pub fn is_kind(text: &str) -> bool {
    let (kind, rest) = text.split_once(';').unwrap_or((text, ""));
    let is_pair = kind.split_once('/').is_some_and(|(a, b)| is_token(a) && is_token(b.trim_end()));
    is_pair && rest.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

fn is_token(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(fits)
}

fn has_header(http: &HttpTransport, name: &str) -> bool {
    http.headers.keys().any(|known| known.eq_ignore_ascii_case(name))
}

fn pairs(pairs: &BTreeMap<String, Value>, at: &str) -> LocatedFlaws {
    let one = |value: &Value| !matches!(value, Value::Array(_) | Value::Object(_));
    let secret = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("secret:"));
    let flaw = |(name, value): (&String, &Value)| {
        let listed = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        if name.is_empty() {
            Some(HttpFlaw::Name(String::new()))
        } else if !listed.iter().all(one) {
            Some(HttpFlaw::Pair(name.clone()))
        } else if listed.iter().any(secret) {
            Some(HttpFlaw::SecretHere)
        } else {
            None
        }
    };
    pairs.iter().filter_map(flaw).map(|flaw| (flaw, at.to_owned())).collect()
}

fn of_auth(http: &HttpTransport, auth: &Auth) -> LocatedFlaws {
    let mut found = LocatedFlaws::new();
    let secret = match auth {
        Auth::Bearer(token) => token,
        Auth::Basic(basic) => {
            if basic.user.contains(|c: char| c == ':' || c.is_control())
                && !is_reference(&basic.user)
            {
                found.push((HttpFlaw::Value("user".to_owned()), "auth.basic".to_owned()));
            }
            &basic.password
        }
        Auth::ApiKey(key) => {
            found.extend(of_key(http, key).map(|flaw| (flaw, "auth.api_key".to_owned())));
            &key.value
        }
    };
    if !is_reference(secret) {
        found.push((HttpFlaw::NoReference, "auth".to_owned()));
    }
    if !matches!(auth, Auth::ApiKey(_)) && has_header(http, "authorization") {
        found.push((HttpFlaw::Twice("authorization".to_owned()), "auth".to_owned()));
    }
    found
}

fn of_key(http: &HttpTransport, key: &ApiKey) -> Option<HttpFlaw> {
    let (flaw, given) = match key.place {
        KeyPlace::Header => (header(&key.name, ""), has_header(http, &key.name)),
        KeyPlace::Cookie => {
            let given = http.cookies.contains_key(&key.name) || has_header(http, "cookie");
            (cookie(&key.name, ""), given)
        }
        KeyPlace::Query => {
            let nameless = key.name.is_empty().then(|| HttpFlaw::Name(String::new()));
            (nameless, http.query.contains_key(&key.name))
        }
    };
    flaw.or_else(|| given.then(|| HttpFlaw::Twice(key.name.clone())))
}

fn of_body(http: &HttpTransport) -> LocatedFlaws {
    let mut found = LocatedFlaws::new();
    let others = usize::from(http.form.is_some()) + usize::from(http.multipart.is_some());
    let reads = ["GET", "HEAD"].iter().any(|method| http.method.eq_ignore_ascii_case(method));
    if others + usize::from(http.body.is_some()) > 1 || (reads && others > 0) {
        let at = if http.multipart.is_some() { "multipart" } else { "form" };
        found.push((HttpFlaw::Bodies, at.to_owned()));
    }
    if others > 0 && has_header(http, "content-type") {
        found.push((HttpFlaw::Twice("content-type".to_owned()), "headers".to_owned()));
    }
    found.extend(http.form.iter().flat_map(|form| pairs(form, "form")));
    found.extend(http.multipart.iter().flat_map(of_multipart));
    if let Some(kind) = &http.content_type {
        if http.body.is_none() || has_header(http, "content-type") {
            found.push((HttpFlaw::KindOfBody, "content_type".to_owned()));
        }
        if !is_kind(kind) {
            found.push((HttpFlaw::NoKind(kind.clone()), "content_type".to_owned()));
        }
    }
    found
}

fn of_multipart(sent: &Multipart) -> LocatedFlaws {
    let mut found = pairs(&sent.fields, "multipart.fields");
    let at = || "multipart.files".to_owned();
    for (name, file) in &sent.files {
        if name.is_empty() || file.path.is_empty() {
            found.push((HttpFlaw::Name(name.clone()), at()));
        }
        let kinds = file.content_type.iter().filter(|kind| !is_kind(kind));
        found.extend(kinds.map(|kind| (HttpFlaw::NoKind(kind.clone()), at())));
    }
    if sent.fields.is_empty() && sent.files.is_empty() {
        found.push((HttpFlaw::NothingSent, "multipart".to_owned()));
    }
    found
}

fn of_success(success: &Success) -> Option<(HttpFlaw, String)> {
    let halves = success.field.is_some() != success.equals.is_some();
    if halves || (success.field.is_none() && success.status.is_none()) {
        return Some((HttpFlaw::NoRule, "success".to_owned()));
    }
    let status = success.status.as_ref().filter(|written| statuses(written).is_none())?;
    let written = status.as_str().map_or_else(|| status.to_string(), str::to_owned);
    Some((HttpFlaw::NoStatus(written), "success.status".to_owned()))
}

#[cfg(test)]
#[path = "http_check_tests.rs"]
mod tests;
