//! Reads an event that this or an earlier version of Praxis wrote.
//!
//! - in: the text of a journal row
//! - out: the `Event`, or the reason why it cannot be read
//! - never: skips an unknown kind or version; it is an error that names it

use super::event::Event;
use serde::Deserialize;

/// The version of every event that this Praxis writes. Version 1 is not written: an event without `v` has version 1.
/// An event whose form changes gets the next number, and an upcaster here for its old form.
pub const VERSION: u32 = 1;

/// The reason why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableEntry {
    /// A kind that only a later Praxis knows.
    #[error("unknown event kind `{0}`; a newer version of praxis may have written it")]
    Kind(String),
    /// A form that only a later Praxis knows.
    #[error("event `{kind}` has version {version}; this praxis supports up to {VERSION}")]
    Version {
        /// The kind of the event.
        kind: String,
        /// The version of the event.
        version: u32,
    },
    /// Not an event at all, or an event with wrong fields.
    #[error("{0}")]
    Malformed(String),
}

#[derive(Deserialize)]
struct EntryHead {
    kind: String,
    #[serde(default = "first")]
    v: u32,
}

fn first() -> u32 {
    1
}

/// Reads the text of a journal row.
pub fn read(body: &str) -> Result<Event, UnreadableEntry> {
    // Only a row that contains `"v"` can have another version; all others are parsed once.
    if body.contains("\"v\"") {
        let head = head(body)?;
        if head.v > VERSION {
            return Err(UnreadableEntry::Version { kind: head.kind, version: head.v });
        }
    }
    serde_json::from_str(body).map_err(|error| unread(body, &error.to_string()))
}

fn head(body: &str) -> Result<EntryHead, UnreadableEntry> {
    serde_json::from_str(body).map_err(|error| UnreadableEntry::Malformed(error.to_string()))
}

fn unread(body: &str, why: &str) -> UnreadableEntry {
    match head(body) {
        Ok(head) if !is_known(&head.kind) => UnreadableEntry::Kind(head.kind),
        Ok(_) => UnreadableEntry::Malformed(why.to_owned()),
        Err(unread) => unread,
    }
}

/// Returns true if events of this kind exist: a bare event of a known kind fails at most for a missing field.
fn is_known(kind: &str) -> bool {
    let bare = serde_json::from_value::<Event>(serde_json::json!({ "kind": kind }));
    bare.map_or_else(|error| !error.to_string().starts_with("unknown variant"), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_and_a_newer_version_are_named() {
        let said = |body: &str| read(body).map_err(|unread| unread.to_string());
        let due = Event::RetryDue { step: "v".into() };
        assert_eq!(said(r#"{"kind":"retry_due","step":"v"}"#), Ok(due.clone()));
        assert_eq!(said(r#"{"kind":"retry_due","step":"v","v":1}"#), Ok(due));
        let newer = said(r#"{"v":2,"kind":"retry_due","step":"v"}"#).unwrap_err();
        assert_eq!(newer, "event `retry_due` has version 2; this praxis supports up to 1");
        let unknown = said(r#"{"kind":"step_dreamt","step":"v"}"#).unwrap_err();
        assert_eq!(
            unknown,
            "unknown event kind `step_dreamt`; a newer version of praxis may have written it"
        );
    }

    #[test]
    fn what_is_no_event_is_malformed() {
        for body in ["", "1", "{}", r#"{"kind":"retry_due"}"#, r#"{"kind":"woken","v":-1}"#] {
            assert!(matches!(read(body), Err(UnreadableEntry::Malformed(_))), "{body}");
        }
        // The unknown variant is inside an event of a known kind.
        let inside = r#"{"kind":"plan_closed","revision":1,"outcome":"plan_closed"}"#;
        assert!(matches!(read(inside), Err(UnreadableEntry::Malformed(_))));
    }
}
