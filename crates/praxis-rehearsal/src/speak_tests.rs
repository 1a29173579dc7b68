//! What is spoken is what the real reader hears.

use super::*;
use crate::wire::ChunkMode;
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::{FinishReason, ModelReply, ModelToolCall, TokenUsage};

fn frame(streams: bool) -> AnswerFrame<'static> {
    AnswerFrame {
        number: 3,
        model: "m",
        created: 1_800_000_000,
        usage: TokenCounts { prompt: 12, completion: 7, cached: 4 },
        timing: Timing { first_ms: 100, total_ms: 1100 },
        streams,
        tells_usage: true,
        line_ends: LineEnds::Crlf,
    }
}

fn hear(answer: &ScriptedAnswer, streams: bool, chunks: ChunkMode) -> ModelReply {
    let mut listener = Listener::new(0);
    for piece in chunks.cut(wire(parts(answer, &frame(streams)), streams).pieces) {
        listener.feed(&piece.bytes).unwrap();
    }
    listener.end().unwrap()
}

#[test]
fn an_answer_is_heard_as_it_was_meant_however_it_is_sent() {
    let call = |name: &str, arguments| AnswerCall { name: name.to_owned(), arguments, id: None };
    let answer = ScriptedAnswer {
        text: "预测完成 — done.".to_owned(),
        reasoning: "First I think.".to_owned(),
        tool_calls: vec![call("a", json!({"x": "好"})), call("b", Value::Null)],
        ..ScriptedAnswer::default()
    };
    let heard = |id: &str, name: &str, arguments| ModelToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
    };
    let meant = ModelReply {
        text: answer.text.clone(),
        reasoning: answer.reasoning.clone(),
        tool_calls: vec![heard("call_0", "a", json!({"x": "好"})), heard("call_1", "b", json!({}))],
        finish: FinishReason::ToolCalls,
        usage: TokenUsage { prompt: 12, completion: 7, cached: 4, estimated: false },
        ..ModelReply::default()
    };
    for chunks in [
        ChunkMode::Whole,
        ChunkMode::Event,
        ChunkMode::OneByte,
        ChunkMode::Every(7),
        ChunkMode::Seams,
    ] {
        assert_eq!(hear(&answer, true, chunks), meant, "{chunks:?}");
        assert_eq!(hear(&answer, false, chunks), meant, "{chunks:?}, whole");
    }
}

#[test]
fn words_are_spread_over_the_time_that_they_take() {
    let parts = parts(&ScriptedAnswer::text("0123456789abcdef"), &frame(true));
    let due: Vec<(PartKind, u64)> = parts.iter().map(|part| (part.kind, part.due_ms)).collect();
    let said = [350, 600, 850, 1100].map(|due| (PartKind::Said, due));
    assert_eq!(due[..5], [&[(PartKind::Opening, 100)], &said[..]].concat());
    let ends = [PartKind::Finish, PartKind::Usage, PartKind::Done].map(|kind| (kind, 1100));
    assert_eq!(due[5..], ends);
}

#[test]
fn a_finish_that_is_said_is_the_one_that_is_sent() {
    let answer =
        ScriptedAnswer { finish: Some("length".to_owned()), ..ScriptedAnswer::text("cut of") };
    assert_eq!(hear(&answer, true, ChunkMode::Event).finish, FinishReason::Length);
    assert_eq!(hear(&answer, false, ChunkMode::Event).finish, FinishReason::Length);
}
