//! Secrets are references of the form `secret:NAME`. Their values are read right before they are sent, and go nowhere
//! else: the output of every tool is searched for all values that were read.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use futures::future::BoxFuture;
use futures::future::ready;
use futures::stream::{self, StreamExt};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use praxis_core::call::chunk::OutputChunk;
use praxis_core::fault::Fault;
use praxis_core::problem::Bilingual;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

/// Shorter values are not hidden: they would match everywhere.
const TELLING_VALUE: usize = 6;
/// Shorter words of a value are not hidden, such as `Bearer`.
const TELLING_WORD: usize = 8;

/// Source of the values behind `secret:NAME`.
pub trait Secrets: Send + Sync {
    /// Returns the value of a secret, if it is set.
    fn value(&self, name: &str) -> Option<String>;
}

/// Replaces references by secrets in outgoing text, and secrets by references in incoming text.
pub struct Vault {
    secrets: Arc<dyn Secrets>,
    /// Forms of the revealed values, longest first, each with its replacement.
    known: RwLock<Vec<(String, String)>>,
}

impl Vault {
    /// Creates a vault that has revealed nothing yet.
    pub fn new(secrets: Arc<dyn Secrets>) -> Self {
        Self { secrets, known: RwLock::default() }
    }

    /// Replaces every `secret:NAME` in the text by the secret with that name.
    pub fn reveal(&self, text: &str) -> Result<String, Bilingual> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("secret:") {
            let end =
                after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            let missing = || {
                let variable = format!("PRAXIS_SECRET_{}", name.to_uppercase());
                let en =
                    format!("secret `{name}` is not set; set the environment variable {variable}");
                Bilingual::from((en, format!("未设置密钥 `{name}`；请设置环境变量 {variable}")))
            };
            let value = self.secrets.value(name).ok_or_else(missing)?;
            self.remember(name, &value);
            out.push_str(before);
            out.push_str(&value);
            rest = tail;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Also hides a value derived from a secret.
    pub(crate) fn also_hide(&self, reference: &str, made: &str) {
        self.remember(reference.strip_prefix("secret:").unwrap_or(reference), made);
    }

    /// Remembers the value of a secret, so that it is found in incoming text.
    pub(crate) fn remember(&self, name: &str, value: &str) {
        let shown = format!("[secret:{name}]");
        let is_new = |known: &[(String, String)]| !known.iter().any(|(form, _)| form == value);
        if !is_new(&self.known.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for form in forms(value) {
            known.push((form, shown.clone()));
        }
        // Longest first, so that no part of a longer form is left.
        known.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        known.dedup();
    }

    /// Replaces every revealed secret in the text by `[secret:NAME]`.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for (form, shown) in self.known.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if hidden.contains(form.as_str()) {
                hidden = Cow::Owned(hidden.replace(form.as_str(), shown));
            }
        }
        hidden
    }

    /// Removes the settled text from the front of `held` and returns it with its secrets hidden. The rest may be the
    /// beginning of a secret; with `is_end` there is no rest.
    pub(crate) fn take_safe_prefix(&self, held: &mut String, is_end: bool) -> String {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::with_capacity(held.len());
        let mut rest = held.as_str();
        while let Some(next) = rest.chars().next() {
            let begins =
                |(form, _): &(String, String)| form.len() > rest.len() && form.starts_with(rest);
            if !is_end && known.iter().any(begins) {
                break;
            }
            let whole = known.iter().find_map(|(form, shown)| {
                rest.strip_prefix(form.as_str()).map(|after| (after, shown))
            });
            if let Some((after, shown)) = whole {
                out.push_str(shown);
                rest = after;
            } else {
                out.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
        *held = rest.to_owned();
        out
    }

    /// Returns the value with every revealed secret hidden.
    pub(crate) fn hidden<T: Serialize + DeserializeOwned>(&self, told: T) -> T {
        if self.knows_nothing() {
            return told;
        }
        let Ok(mut written) = serde_json::to_value(&told) else { return told };
        self.hide_in(&mut written);
        serde_json::from_value(written).unwrap_or(told)
    }

    fn knows_nothing(&self) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in(item)),
            Value::Object(map) => {
                map.values_mut().for_each(|value| self.hide_in(value));
                if map.keys().any(|key| matches!(self.hide(key), Cow::Owned(_))) {
                    let hidden =
                        |(key, value): (String, Value)| (self.hide(&key).into_owned(), value);
                    *map = std::mem::take(map).into_iter().map(hidden).collect::<Map<_, _>>();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns the forms in which a value may come back: the value and its long words, each as it is, escaped for JSON,
/// percent-encoded and in Base64.
fn forms(value: &str) -> Vec<String> {
    let whole = [value].into_iter().filter(|value| value.len() >= TELLING_VALUE);
    let plain = whole.chain(value.split_whitespace().filter(|word| word.len() >= TELLING_WORD));
    let encoded = |part: &str| {
        let percent = utf8_percent_encode(part, NON_ALPHANUMERIC).to_string();
        let (standard, safe) = (STANDARD_NO_PAD.encode(part), URL_SAFE_NO_PAD.encode(part));
        let quoted = Value::from(part).to_string();
        let quoted = quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
        [part.to_owned(), quoted, percent, standard, safe]
    };
    plain.flat_map(encoded).collect()
}

/// A `Callable` whose output has its secrets hidden.
pub(crate) struct HidingCall {
    pub(crate) call: Arc<dyn Callable>,
    pub(crate) vault: Arc<Vault>,
}

impl Callable for HidingCall {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        let ending = stream::once(ready(None));
        let pieces = self.call.exec(invocation).map(Some).chain(ending);
        let masked = |held: &mut String, piece| ready(Some(stream::iter(self.masked(held, piece))));
        pieces.scan(String::new(), masked).flatten().boxed()
    }

    fn about(&self, timeout_ms: u64) -> BoxFuture<'_, Result<String, Fault>> {
        let told = async move {
            let told = self.call.about(timeout_ms).await;
            told.map(|words| self.vault.hide(&words).into_owned())
        };
        Box::pin(told)
    }
}

impl HidingCall {
    /// Returns the chunks that may be shown after this one; `None` is the end of the stream. Text is held back while
    /// it may be the beginning of a secret.
    fn masked(
        &self,
        held: &mut String,
        piece: Option<Result<OutputChunk, FailedCall>>,
    ) -> Vec<Result<OutputChunk, FailedCall>> {
        if let Some(Ok(OutputChunk::Text(more))) = &piece {
            held.push_str(more);
        }
        let is_text = matches!(piece, Some(Ok(OutputChunk::Text(_))));
        let shown = self.vault.take_safe_prefix(held, !is_text);
        let shown =
            Some(shown).filter(|text| !text.is_empty()).map(|text| Ok(OutputChunk::Text(text)));
        shown.into_iter().chain(piece.and_then(|piece| self.hidden(piece))).collect()
    }

    fn hidden(
        &self,
        piece: Result<OutputChunk, FailedCall>,
    ) -> Option<Result<OutputChunk, FailedCall>> {
        match piece {
            Ok(OutputChunk::Text(_)) => None,
            known if self.vault.knows_nothing() => Some(known),
            Ok(OutputChunk::Data(mut output)) => {
                self.vault.hide_in(&mut output);
                Some(Ok(OutputChunk::Data(output)))
            }
            Err(FailedCall { fault, mut output }) => {
                if let Some(output) = &mut output {
                    self.vault.hide_in(output);
                }
                Some(Err(FailedCall { fault: self.vault.hidden(fault), output }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct One;

    impl Secrets for One {
        fn value(&self, name: &str) -> Option<String> {
            (name == "KEY").then(|| "Bearer s3cret:KEY/+".to_owned())
        }
    }

    #[test]
    fn a_secret_is_put_where_its_reference_stands_and_never_looked_at_again() {
        let vault = Vault::new(Arc::new(One));
        assert_eq!(vault.reveal("secret:KEY!").unwrap(), "Bearer s3cret:KEY/+!");
        assert_eq!(vault.reveal("plain").unwrap(), "plain");
        assert!(vault.reveal("secret:GONE").unwrap_err().zh.contains("PRAXIS_SECRET_GONE"));
    }

    #[test]
    fn a_secret_that_was_given_out_is_found_in_every_form_and_place() {
        let vault = Vault::new(Arc::new(One));
        assert_eq!(vault.hide("s3cret:KEY/+"), "s3cret:KEY/+", "nobody has it yet");
        vault.reveal("secret:KEY").unwrap();
        let mut echoed = json!({
            "whole": "got Bearer s3cret:KEY/+ ok", "word": ["s3cret:KEY/+"], "n": 7,
            "percent": "?t=s3cret%3AKEY%2F%2B", "base64": "czNjcmV0OktFWS8r", "Bearer s3cret:KEY/+": 1,
        });
        vault.hide_in(&mut echoed);
        assert_eq!(
            echoed,
            json!({
                "whole": "got [secret:KEY] ok", "word": ["[secret:KEY]"], "n": 7,
                "percent": "?t=[secret:KEY]", "base64": "[secret:KEY]", "[secret:KEY]": 1,
            })
        );
        assert_eq!(vault.hide("Bearer of news"), "Bearer of news", "a short word tells nothing");
    }

    struct Echoing;

    impl Callable for Echoing {
        fn exec(&self, _: Invocation) -> OutputStream<'_> {
            let text = |text: &str| Ok(OutputChunk::Text(text.to_owned()));
            let failed = FailedCall::from(praxis_core::fault::Fault::Cancelled {
                reason: "s3cret:KEY/+".to_owned(),
            });
            stream::iter([text("it is s3cr"), text("et:KE"), text("Y/+ and s3c"), Err(failed)])
                .boxed()
        }
    }

    #[tokio::test]
    async fn a_secret_that_comes_in_pieces_is_never_shown_and_what_only_looked_like_one_is() {
        let vault = Arc::new(Vault::new(Arc::new(One)));
        vault.reveal("secret:KEY").unwrap();
        let hiding = HidingCall { call: Arc::new(Echoing), vault };
        let invocation = Invocation {
            task: "task_1".into(),
            step: "step_1".into(),
            attempt: 1,
            key: "k".to_owned(),
            arguments: json!({}),
            timeout_ms: 1000,
            written: std::collections::BTreeMap::new(),
        };
        let pieces: Vec<_> = hiding.exec(invocation).collect().await;
        let text: String = pieces
            .iter()
            .filter_map(|piece| match piece {
                Ok(OutputChunk::Text(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(text, "it is [secret:KEY] and s3c");
        let Some(Err(failed)) = pieces.last() else { panic!("the failure comes last") };
        assert!(failed.fault.to_string().contains("[secret:KEY]"), "{}", failed.fault);
    }
}
