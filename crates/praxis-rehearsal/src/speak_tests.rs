//! What is spoken is what the real reader hears.

use super::*;
use crate::wire::Chunks;
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::{Finish, Reply, ToolCall, Usage};

fn frame(streams: bool) -> Frame<'static> {
    Frame {
        number: 3,
        model: "m",
        created: 1_800_000_000,
        usage: Tokens { prompt: 12, completion: 7, cached: 4 },
        timing: Timing { first_ms: 100, total_ms: 1100 },
        streams,
        tells_usage: true,
        line_ends: LineEnds::Crlf,
    }
}

fn hear(answer: &Answer, streams: bool, chunks: Chunks) -> Reply {
    let mut listener = Listener::new(0);
    for piece in chunks.cut(wire(parts(answer, &frame(streams)), streams).pieces) {
        listener.feed(&piece.bytes).unwrap();
    }
    listener.end().unwrap()
}

#[test]
fn an_answer_is_heard_as_it_was_meant_however_it_is_sent() {
    let call = |name: &str, arguments| Calling { name: name.to_owned(), arguments, id: None };
    let answer = Answer {
        text: "预测完成 — done.".to_owned(),
        reasoning: "First I think.".to_owned(),
        tool_calls: vec![call("a", json!({"x": "好"})), call("b", Value::Null)],
        ..Answer::default()
    };
    let heard = |id: &str, name: &str, arguments| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
    };
    let meant = Reply {
        text: answer.text.clone(),
        reasoning: answer.reasoning.clone(),
        tool_calls: vec![heard("call_0", "a", json!({"x": "好"})), heard("call_1", "b", json!({}))],
        finish: Finish::ToolCalls,
        usage: Usage { prompt: 12, completion: 7, cached: 4, estimated: false },
        ..Reply::default()
    };
    for chunks in [Chunks::Whole, Chunks::Event, Chunks::OneByte, Chunks::Every(7), Chunks::Seams] {
        assert_eq!(hear(&answer, true, chunks), meant, "{chunks:?}");
        assert_eq!(hear(&answer, false, chunks), meant, "{chunks:?}, whole");
    }
}

#[test]
fn words_are_spread_over_the_time_that_they_take() {
    let parts = parts(&Answer::text("0123456789abcdef"), &frame(true));
    let due: Vec<(Kind, u64)> = parts.iter().map(|part| (part.kind, part.due_ms)).collect();
    let said = [350, 600, 850, 1100].map(|due| (Kind::Said, due));
    assert_eq!(due[..5], [&[(Kind::Opening, 100)], &said[..]].concat());
    let ends = [Kind::Finish, Kind::Usage, Kind::Done].map(|kind| (kind, 1100));
    assert_eq!(due[5..], ends);
}

#[test]
fn a_finish_that_is_said_is_the_one_that_is_sent() {
    let answer = Answer { finish: Some("length".to_owned()), ..Answer::text("cut of") };
    assert_eq!(hear(&answer, true, Chunks::Event).finish, Finish::Length);
    assert_eq!(hear(&answer, false, Chunks::Event).finish, Finish::Length);
}
