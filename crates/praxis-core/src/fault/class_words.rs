//! Recognizes the class of a failure by the words of the tool's error message, in English and Chinese.
//!
//! - in: the error message of a tool
//! - out: the class; the most reliable words are tried first
//! - never: mistakes digits inside another number for a status code

use super::class::FaultClass;

/// Status codes and phrases of each class, the most reliable class first. A code counts only as a whole word.
const WORDS: &[(FaultClass, &[&str], &[&str])] = &[
    (
        FaultClass::Auth,
        &["401", "403"],
        &[
            "unauthorized",
            "forbidden",
            "permission denied",
            "api key",
            "credential",
            "未授权",
            "无权",
            "权限不足",
        ],
    ),
    (
        FaultClass::RateLimited,
        &["429"],
        &["rate limit", "too many requests", "请求过于频繁", "限流"],
    ),
    (
        FaultClass::TooLarge,
        &["413"],
        &[
            "too large",
            "context_length",
            "context length",
            "payload size",
            "too many results",
            "too many rows",
            "过大",
            "过长",
            "结果过多",
        ],
    ),
    (
        FaultClass::NotFound,
        &["404", "410"],
        &[
            "not found",
            "does not exist",
            "no such",
            "not exist",
            "不存在",
            "找不到",
            "未找到",
            "没有找到",
        ],
    ),
    (
        FaultClass::MissingParam,
        &[],
        &[
            "is required",
            "missing required",
            "missing parameter",
            "missing field",
            "missing 1 required",
            "field required",
            "must be provided",
            "cannot be empty",
            "must not be empty",
            "required parameter",
            "缺少",
            "未提供",
            "必填",
            "不能为空",
        ],
    ),
    (
        FaultClass::EnumInvalid,
        &[],
        &[
            "must be one of",
            "is not one of",
            "allowed values",
            "valid values",
            "permitted values",
            "possible values",
            "expected one of",
            "one of the following",
            "invalid choice",
            "input should be '",
            "只能是",
            "可选值",
            "取值",
        ],
    ),
    (
        FaultClass::Format,
        &["400", "422"],
        &[
            "must be a",
            "must be an",
            "invalid type",
            "invalid format",
            "wrong type",
            "expected a",
            "expected int",
            "expected number",
            "expected string",
            "expected bool",
            "must be int",
            "must be number",
            "must be string",
            "must be bool",
            "should be a valid",
            "yyyy-mm-dd",
            "iso 8601",
            "应为",
            "必须是",
            "格式",
            "类型错误",
        ],
    ),
    (FaultClass::Timeout, &["408", "504"], &["timed out", "timeout", "超时"]),
    (
        FaultClass::Transient,
        &["500", "502", "503"],
        &["temporarily", "try again", "unavailable", "暂时", "稍后"],
    ),
];

/// Returns the class that the words of an error message indicate.
pub(super) fn of_words(message: &str) -> FaultClass {
    let text = message.to_lowercase();
    let is_word = |code: &str| {
        text.match_indices(code).any(|(at, _)| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + code.len()..).and_then(|t| t.chars().next());
            [before, after].iter().all(|c| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_'))
        })
    };
    let says = |(_, codes, words): &&(FaultClass, &[&str], &[&str])| {
        words.iter().any(|word| text.contains(word)) || codes.iter().any(|code| is_word(code))
    };
    WORDS.iter().find(says).map_or(FaultClass::Unknown, |(class, ..)| *class)
}
