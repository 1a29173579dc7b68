//! The faults of an endpoint by name: a table. [`fault`](super::fault) looks them up.

use super::wire::Framing;

/// Placeholder for an HTTP date two seconds ahead.
pub(super) const SOON: &str = "{soon}";
/// Placeholder for the `authorization` header that the client sent.
pub(super) const KEY: &str = "{authorization}";

/// A named fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name of the fault.
    pub name: &'static str,
    /// A short description for people.
    pub what: &'static str,
    /// The status and headers; if `None`, nothing is sent at all.
    pub(super) head: Option<(u16, &'static [(&'static str, &'static str)])>,
    /// The body.
    pub(super) body: ProfileBody,
    /// The framing of the body.
    pub(super) framing: Framing,
    /// The action after the body, unless there is a flood.
    pub(super) ending: ProfileEnding,
    /// The bytes repeated after the body.
    pub(super) flood: Option<BodyFlood>,
    /// The pause between bytes, in milliseconds; zero sends the pieces at their own times.
    pub(super) byte_ms: u64,
}

/// The body of a faulty answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProfileBody {
    /// A fixed text.
    Text(&'static str),
    /// The healthy answer, damaged.
    Answer(Damage),
}

/// The damage done to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// No damage.
    Nothing,
    /// Stops in the middle of an event.
    Cut,
    /// Omits `[DONE]`.
    NoDone,
    /// Omits everything after the last delta.
    NoEnd,
    /// Sends one piece twice.
    Twice,
    /// Replaces the second half with this event.
    Broken(&'static str),
    /// Inserts a byte that is not valid UTF-8.
    BadUtf8,
    /// Compresses the body, although the client did not ask for it.
    Gzip,
}

/// The action after the body of a faulty answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProfileEnding {
    /// Ends the body and closes the connection properly.
    End,
    /// Closes the connection, whatever length was announced.
    Cut,
    /// Resets the connection.
    Reset,
    /// Sends nothing, and waits until the client leaves.
    Hold,
}

/// Bytes repeated after the body, forever or up to 100 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFlood {
    /// Deltas with content, one event every ten milliseconds.
    Words,
    /// SSE comments, every ten milliseconds.
    Pings,
    /// 100 MB of content in events of 64 KiB.
    Events,
    /// 100 MB in one line.
    Line,
}

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
const PAGE: &[(&str, &str)] = &[("content-type", "text/html")];
const STREAM: &[(&str, &str)] = &[("content-type", "text/event-stream")];
const ERROR_EVENT: &str = "{\"error\":{\"message\":\"the worker died\",\"type\":\"server_error\"}}";
const KEY_EVENT: &str =
    "{\"error\":{\"message\":\"the worker died with {authorization}\",\"type\":\"server_error\"}}";
const TOO_MANY: &str =
    "{\"error\":{\"message\":\"too many requests\",\"type\":\"rate_limit_error\"}}";

const fn refusal(
    name: &'static str,
    what: &'static str,
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> Profile {
    let profile = damaged(name, what, Damage::Nothing);
    Profile { head: Some((status, headers)), body: ProfileBody::Text(body), ..profile }
}

const fn damaged(name: &'static str, what: &'static str, damage: Damage) -> Profile {
    Profile {
        name,
        what,
        head: Some((200, STREAM)),
        body: ProfileBody::Answer(damage),
        framing: Framing::Chunked,
        ending: ProfileEnding::End,
        flood: None,
        byte_ms: 0,
    }
}

const fn cut(
    name: &'static str,
    what: &'static str,
    framing: Framing,
    ending: ProfileEnding,
) -> Profile {
    Profile { framing, ending, ..damaged(name, what, Damage::Cut) }
}

const fn flood(name: &'static str, what: &'static str, flood: BodyFlood) -> Profile {
    Profile { flood: Some(flood), ..damaged(name, what, Damage::NoEnd) }
}

/// All profiles.
pub const PROFILES: [Profile; 35] = [
    refusal("rate_limited", "429 without `retry-after`", 429, JSON, TOO_MANY),
    refusal(
        "rate_limited_seconds",
        "429 with `retry-after` in seconds",
        429,
        &[("content-type", "application/json"), ("retry-after", "2")],
        TOO_MANY,
    ),
    refusal(
        "rate_limited_date",
        "429 with `retry-after` as a date two seconds ahead",
        429,
        &[("content-type", "application/json"), ("retry-after", SOON)],
        TOO_MANY,
    ),
    refusal(
        "rate_limited_ms",
        "429 with `retry-after-ms`",
        429,
        &[("content-type", "application/json"), ("retry-after-ms", "250")],
        TOO_MANY,
    ),
    refusal("broken", "500 with an error", 500, JSON, ERROR_EVENT),
    refusal("bad_gateway", "502 with an HTML page", 502, PAGE, BAD_GATEWAY),
    refusal("loading", "503 while the model is loading", 503, JSON, LOADING),
    refusal("overloaded", "529", 529, JSON, OVERLOADED),
    refusal("denied", "401 whose message contains the API key", 401, JSON, KEY_EVENT),
    refusal(
        "redirected",
        "307 to another address",
        307,
        &[("location", "http://127.0.0.1:9/v1/chat/completions")],
        "",
    ),
    refusal("garbage", "200 with a body that is not JSON", 200, JSON, "%%% core dumped \u{1} %%%"),
    refusal("page", "200 with an HTML page", 200, PAGE, BAD_GATEWAY),
    refusal("empty_body", "200 with an empty body", 200, JSON, ""),
    refusal("empty_answer", "200 with an empty answer", 200, STREAM, SAYS_NOTHING),
    damaged(
        "garbage_json",
        "an event in the middle is not JSON",
        Damage::Broken("{\"choices\": [{"),
    ),
    damaged(
        "error_in_stream",
        "an error event in the middle of a 200",
        Damage::Broken(ERROR_EVENT),
    ),
    damaged(
        "key_in_stream",
        "an error event in a 200 that contains the API key",
        Damage::Broken(KEY_EVENT),
    ),
    damaged("bad_utf8", "a byte in the middle is not UTF-8", Damage::BadUtf8),
    damaged("gzip", "gzip-encoded although not requested", Damage::Gzip),
    damaged("no_done", "the whole answer without `[DONE]`", Damage::NoDone),
    damaged(
        "no_end",
        "the whole text, then the stream ends without a finish reason",
        Damage::NoEnd,
    ),
    damaged("duplicate_chunk", "one chunk is sent twice", Damage::Twice),
    Profile {
        head: Some((200, &[("content-type", "application/octet-stream")])),
        ..damaged("wrong_content_type", "the answer under a wrong content type", Damage::Nothing)
    },
    cut("cut_stream", "stops in the middle without an error", Framing::Close, ProfileEnding::End),
    cut(
        "cut_chunked",
        "stops in the middle of a chunked body",
        Framing::Chunked,
        ProfileEnding::Cut,
    ),
    cut("short_length", "fewer bytes than announced", Framing::Length(1 << 20), ProfileEnding::Cut),
    cut("reset", "the connection is reset in the middle", Framing::Chunked, ProfileEnding::Reset),
    cut("stall", "starts, then sends nothing more", Framing::Chunked, ProfileEnding::Hold),
    Profile {
        head: None,
        ..cut(
            "silent",
            "accepts the request and never answers",
            Framing::Close,
            ProfileEnding::Hold,
        )
    },
    Profile {
        head: None,
        ..cut(
            "hang_up",
            "closes the connection without an answer",
            Framing::Close,
            ProfileEnding::End,
        )
    },
    Profile { byte_ms: 1000, ..damaged("trickle", "one byte per second", Damage::Nothing) },
    flood("endless", "an endless stream of text", BodyFlood::Words),
    flood("endless_pings", "an endless stream of comments", BodyFlood::Pings),
    flood("huge", "100 MB of events", BodyFlood::Events),
    flood("huge_line", "100 MB in one line", BodyFlood::Line),
];

const BAD_GATEWAY: &str =
    "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";
const LOADING: &str =
    "{\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\",\"code\":503}}";
const OVERLOADED: &str =
    "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
const SAYS_NOTHING: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\n\
                            data: [DONE]\n\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once() {
        let names: std::collections::BTreeSet<&str> = PROFILES.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), PROFILES.len());
    }
}
