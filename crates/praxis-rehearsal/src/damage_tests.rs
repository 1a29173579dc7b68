//! What the damage of an answer looks like to the real reader.

use super::*;
use crate::answer::{ScriptedAnswer, TokenCounts};
use crate::latency::Timing;
use crate::profiles::PROFILES;
use praxis_core::ask::listen::Listener;

fn healthy(streams: bool) -> Vec<AnswerPart> {
    let answer = ScriptedAnswer::text("The quick brown fox jumps.");
    let frame = speak::AnswerFrame {
        number: 1,
        model: "m",
        created: 0,
        usage: TokenCounts { prompt: 9, completion: 7, cached: 0 },
        timing: Timing { first_ms: 10, total_ms: 50 },
        streams,
        tells_usage: true,
        line_ends: LineEnds::Lf,
    };
    speak::parts(&answer, &frame)
}

fn at() -> Circumstance {
    let authorization = "Bearer canary".to_owned();
    Circumstance { now: Timestamp(1_794_711_600_000), authorization, line_ends: LineEnds::Lf }
}

fn wire(name: &str, streams: bool) -> WireAnswer {
    let profile = PROFILES.iter().find(|profile| profile.name == name).unwrap();
    profile.wire(healthy(streams), &at())
}

/// What the reader makes of it: the text of an answer, or the code of a fault.
fn heard(wire: &WireAnswer) -> String {
    let mut listener = Listener::new(9);
    for piece in &wire.pieces {
        let _ = listener.feed(&piece.bytes);
    }
    listener.end().map_or_else(|fault| fault.code().to_owned(), |reply| reply.text)
}

#[test]
fn only_an_answer_that_says_everything_is_heard() {
    let whole = "The quick brown fox jumps.";
    for (name, streamed, in_a_body) in [
        ("no_done", whole, whole),
        ("wrong_content_type", whole, whole),
        ("trickle", whole, whole),
        ("cut_stream", "model_cut", "model_unreadable"),
        ("reset", "model_cut", "model_unreadable"),
        ("no_end", "model_cut", "model_unreadable"),
        ("garbage_json", "model_unreadable", "model_unreadable"),
        ("error_in_stream", "model_error_in_answer", "model_error_in_answer"),
        ("bad_utf8", "model_unreadable", "model_unreadable"),
        ("empty_answer", "model_empty", "model_empty"),
    ] {
        assert_eq!(heard(&wire(name, true)), streamed, "{name}, streamed");
        assert_eq!(heard(&wire(name, false)), in_a_body, "{name}, in a body");
    }
    // Where the packed bytes hold no line end, they look like a stream that says nothing.
    assert!(["model_cut", "model_unreadable"].contains(&heard(&wire("gzip", true)).as_str()));
    assert_eq!(heard(&wire("duplicate_chunk", true)), "The quick brown own fox jumps.");
}

#[test]
fn dates_and_keys_are_put_in_when_it_happens() {
    let headers = wire("rate_limited_date", true).head.unwrap().headers;
    assert_eq!(headers[1], ("retry-after".to_owned(), "Sun, 15 Nov 2026 03:00:02 GMT".to_owned()));
    assert_eq!(date(Timestamp(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
    let told = wire("denied", true).pieces.remove(0).bytes;
    assert!(String::from_utf8(told).unwrap().contains("Bearer canary"));
}

#[test]
fn a_flood_is_what_it_says() {
    let AfterBody::Pour(huge) = wire("huge", true).then else { panic!("it pours") };
    assert!(huge.piece.len() as u64 * huge.times.unwrap() > 100_000_000);
    let AfterBody::Pour(endless) = wire("endless", true).then else { panic!("it pours") };
    assert_eq!(endless.times, None);
    let slow = wire("trickle", true).pieces;
    assert!(slow.iter().all(|piece| piece.bytes.len() == 1));
    assert_eq!((slow[0].due_ms, slow[9].due_ms), (0, 9000));
}

#[test]
fn what_is_damaged_is_still_sent_in_time_order() {
    for profile in &PROFILES {
        for streams in [true, false] {
            let pieces = profile.wire(healthy(streams), &at()).pieces;
            assert!(pieces.is_sorted_by_key(|piece| piece.due_ms), "{}", profile.name);
        }
    }
}
