//! The ways in which an endpoint goes wrong, by name. A table: what each means is in [`fault`](super::fault).

use super::wire::Framing;

/// Stands for a date of HTTP that lies two seconds ahead.
pub(super) const SOON: &str = "{soon}";
/// Stands for the `authorization` that the client sent.
pub(super) const KEY: &str = "{authorization}";

/// One way to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// What happens.
    pub what: &'static str,
    /// Status and headers; nothing at all is sent without them.
    pub(super) head: Option<(u16, &'static [(&'static str, &'static str)])>,
    /// What is sent.
    pub(super) body: ProfileBody,
    /// How the body is framed.
    pub(super) framing: Framing,
    /// What follows it.
    pub(super) ending: ProfileEnding,
    /// What is poured out behind it.
    pub(super) flood: Option<BodyFlood>,
    /// The pause before each byte; none if zero.
    pub(super) byte_ms: u64,
}

/// What is sent in the place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProfileBody {
    /// This.
    Text(&'static str),
    /// The answer, with damage.
    Answer(Damage),
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// It stays as it is.
    Nothing,
    /// It stops in the middle of an event.
    Cut,
    /// `[DONE]` is missing.
    NoDone,
    /// Everything after the last word is missing.
    NoEnd,
    /// A piece comes twice.
    Twice,
    /// In the middle stands this event, and then nothing more.
    Broken(&'static str),
    /// A byte in the middle is no text.
    BadUtf8,
    /// It is packed, and nobody asked for that.
    Gzip,
}

/// What follows what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProfileEnding {
    /// The end, in order.
    End,
    /// The connection is closed, whatever was announced.
    Cut,
    /// It breaks.
    Reset,
    /// Nothing, until the client leaves.
    Hold,
}

/// Something without an end, or with one that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFlood {
    /// Words, one event every ten milliseconds.
    Words,
    /// Comments, every ten milliseconds.
    Pings,
    /// 100 MB of words in events of 64 KiB.
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

/// All of them.
pub const PROFILES: [Profile; 35] = [
    refusal("rate_limited", "429, and not for how long", 429, JSON, TOO_MANY),
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
    refusal("bad_gateway", "502 with a page for people", 502, PAGE, BAD_GATEWAY),
    refusal("loading", "503 while the model is loaded", 503, JSON, LOADING),
    refusal("overloaded", "529", 529, JSON, OVERLOADED),
    refusal("denied", "401 that tells the key again", 401, JSON, KEY_EVENT),
    refusal(
        "redirected",
        "307 to somewhere else",
        307,
        &[("location", "http://127.0.0.1:9/v1/chat/completions")],
        "",
    ),
    refusal("garbage", "200 with a body that is no JSON", 200, JSON, "%%% core dumped \u{1} %%%"),
    refusal("page", "200 with a page for people", 200, PAGE, BAD_GATEWAY),
    refusal("empty_body", "200 and nothing else", 200, JSON, ""),
    refusal("empty_answer", "200 with an answer that says nothing", 200, STREAM, SAYS_NOTHING),
    damaged(
        "garbage_json",
        "an event in the middle is no JSON",
        Damage::Broken("{\"choices\": [{"),
    ),
    damaged("error_in_stream", "an error in the middle of a 200", Damage::Broken(ERROR_EVENT)),
    damaged(
        "key_in_stream",
        "an error in a 200 that tells the key again",
        Damage::Broken(KEY_EVENT),
    ),
    damaged("bad_utf8", "a byte in the middle is no text", Damage::BadUtf8),
    damaged("gzip", "packed, and nobody asked for that", Damage::Gzip),
    damaged("no_done", "the whole answer without `[DONE]`", Damage::NoDone),
    damaged("no_end", "all words, and then the end", Damage::NoEnd),
    damaged("duplicate_chunk", "a piece of the answer comes twice", Damage::Twice),
    Profile {
        head: Some((200, &[("content-type", "application/octet-stream")])),
        ..damaged("wrong_content_type", "the answer under a wrong content type", Damage::Nothing)
    },
    cut(
        "cut_stream",
        "stops in the middle; looks like the end",
        Framing::Close,
        ProfileEnding::End,
    ),
    cut("cut_chunked", "stops in the middle of chunks", Framing::Chunked, ProfileEnding::Cut),
    cut("short_length", "fewer bytes than announced", Framing::Length(1 << 20), ProfileEnding::Cut),
    cut("reset", "the connection breaks in the middle", Framing::Chunked, ProfileEnding::Reset),
    cut("stall", "begins, and says no more", Framing::Chunked, ProfileEnding::Hold),
    Profile {
        head: None,
        ..cut("silent", "takes the request and says nothing", Framing::Close, ProfileEnding::Hold)
    },
    Profile {
        head: None,
        ..cut("hang_up", "closes the connection without a word", Framing::Close, ProfileEnding::End)
    },
    Profile { byte_ms: 1000, ..damaged("trickle", "one byte a second", Damage::Nothing) },
    flood("endless", "words without an end", BodyFlood::Words),
    flood("endless_pings", "comments without an end", BodyFlood::Pings),
    flood("huge", "100 MB of words", BodyFlood::Events),
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
