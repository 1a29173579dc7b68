//! The errors of the built-in tools.

use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_fence::{NotAFile, OutsideFence, io_words, may_pass};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The error of a built-in tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BuiltinError {
    /// The arguments do not deserialize.
    #[error("{}", .0.en)]
    Arguments(Bilingual),
    /// One argument is invalid.
    #[error("{}", .why.en)]
    Argument {
        /// The JSON pointer of the argument, such as `/rows/3/load_mw`.
        at: String,
        /// The reason, and what would be accepted.
        why: Bilingual,
    },
    /// The call is not allowed.
    #[error("{}", .0.en)]
    Refused(Bilingual),
    /// A permanent failure: the same call would fail again.
    #[error("{}", .0.en)]
    Failed(Bilingual),
    /// A transient failure: the same call may succeed later.
    #[error("{}", .0.en)]
    Busy(Bilingual),
    /// The future of the call was dropped.
    #[error("the call was dropped")]
    Dropped,
}

/// An operation on a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOperation {
    /// Reads a file.
    Read,
    /// Writes a file.
    Write,
    /// Lists a folder.
    List,
    /// Creates a folder.
    Create,
}

impl BuiltinError {
    /// Builds the error for an invalid argument.
    pub(crate) fn argument(at: impl Into<String>, why: impl Into<Bilingual>) -> Self {
        Self::Argument { at: at.into(), why: why.into() }
    }

    /// Builds a permanent failure.
    pub(crate) fn failed(why: impl Into<Bilingual>) -> Self {
        Self::Failed(why.into())
    }

    /// Builds a transient failure.
    pub(crate) fn busy(why: impl Into<Bilingual>) -> Self {
        Self::Busy(why.into())
    }

    /// Builds the error for an I/O error: transient for a full or busy disk, permanent for a missing file.
    pub(crate) fn file(operation: FileOperation, path: &Path, error: &io::Error) -> Self {
        let (path, (why_en, why_zh)) = (path.display(), io_words(error));
        let (verb_en, verb_zh) = match operation {
            FileOperation::Read => ("read", "读取"),
            FileOperation::Write => ("write", "写入"),
            FileOperation::List => ("list folder", "列出文件夹"),
            FileOperation::Create => ("create folder", "创建文件夹"),
        };
        let why = (
            format!("cannot {verb_en} `{path}`: {why_en}"),
            format!("无法{verb_zh} `{path}`：{why_zh}"),
        );
        if may_pass(error) { Self::busy(why) } else { Self::failed(why) }
    }

    /// Converts to the `Fault` for the engine.
    pub(crate) fn into_fault(self, tool: &ToolId) -> Fault {
        let tool = tool.clone();
        match self {
            Self::Arguments(why) => invalid(String::new(), why),
            Self::Argument { at, why } => invalid(at, why),
            Self::Refused(why) => Fault::refused(tool, why),
            Self::Failed(why) => Fault::tool_failed(tool, why, false),
            Self::Busy(why) => Fault::tool_failed(tool, why, true),
            Self::Dropped => Fault::Cancelled { reason: self.to_string() },
        }
    }
}

impl From<OutsideFence> for BuiltinError {
    fn from(outside: OutsideFence) -> Self {
        Self::Refused(outside.words().into())
    }
}

impl From<NotAFile> for BuiltinError {
    fn from(no_file: NotAFile) -> Self {
        let why = no_file.words();
        if no_file.may_pass() { Self::busy(why) } else { Self::failed(why) }
    }
}

fn invalid(pointer: String, why: Bilingual) -> Fault {
    Fault::ParamsInvalid { errors: vec![FieldError::new(pointer, why)] }
}

/// Deserializes the arguments of a call.
pub(crate) fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, BuiltinError> {
    serde_json::from_value(value).map_err(|error| BuiltinError::Arguments(mismatch(&error)))
}

/// Describes a value that does not deserialize. The errors of `serde` have no kinds, so its words are read.
pub(crate) fn mismatch(error: &serde_json::Error) -> Bilingual {
    let said = error.to_string();
    if let Some(field) = said.strip_prefix("missing field ") {
        return (format!("the field {field} is required"), format!("缺少必填字段 {field}")).into();
    }
    let parted = |kind: &str| said.strip_prefix(kind)?.split_once(", expected ");
    let known = |listed: &str| listed.replace("one of ", "").replace(" or ", ", ");
    if let Some((field, fields)) = parted("unknown field ") {
        return unknown_field(field, &known(fields));
    }
    if let Some((value, values)) = parted("unknown variant ") {
        return unknown_value(value, &known(values));
    }
    for (kind, kind_zh) in [("invalid type: ", "类型错误："), ("invalid value: ", "值无效：")]
    {
        if let Some((found, expected)) = parted(kind) {
            let (found, expected) = (found_type(found), expected_type(expected));
            let en = format!("{kind}expected {}, got {}", expected.en, found.en);
            return (en, format!("{kind_zh}应为{}，实际为{}", expected.zh, found.zh)).into();
        }
    }
    (format!("invalid value: {said}"), format!("值无效：{said}")).into()
}

fn unknown_field(field: &str, fields: &str) -> Bilingual {
    let en = format!("unknown field {field}; the known fields are {fields}");
    (en, format!("未知的字段 {field}；可用的字段：{}", fields.replace(", ", "、"))).into()
}

fn unknown_value(value: &str, values: &str) -> Bilingual {
    let en = format!("{value} is not one of {values}");
    (en, format!("{value} 应为以下之一：{}", values.replace(", ", "、"))).into()
}

/// Names the type that `serde` found, such as ``integer `1` ``, and keeps the value.
fn found_type(said: &str) -> Bilingual {
    const TYPES: [(&str, &str, &str); 8] = [
        ("integer", "integer", "整数"),
        ("floating point", "number", "数字"),
        ("boolean", "boolean", "布尔值"),
        ("string", "string", "字符串"),
        ("sequence", "list", "列表"),
        ("map", "object", "对象"),
        ("null", "null", " null"),
        ("unit", "null", " null"),
    ];
    let named = |(word, en, zh): &(&str, &str, &str)| {
        let value = said.strip_prefix(word)?;
        Some((format!("{en}{value}"), format!("{zh}{value}")).into())
    };
    TYPES.iter().find_map(named).unwrap_or_else(|| Bilingual::untranslated(said))
}

/// Names the type that `serde` expected.
fn expected_type(said: &str) -> Bilingual {
    match said {
        "a string" | "path string" => ("a string", "字符串"),
        "a boolean" => ("a boolean", "布尔值"),
        "a character" => ("a single character", "单个字符"),
        "f64" | "a JSON number" => ("a number", "数字"),
        "i64" => ("an integer", "整数"),
        "u8" | "u32" | "u64" | "usize" => ("a non-negative integer", "非负整数"),
        "a sequence" => ("a list", "列表"),
        "a map" => ("an object", "对象"),
        structure if structure.starts_with("struct ") => ("an object", "对象"),
        other => return (other, format!(" {other} ")).into(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::fault::class::FaultClass;
    use praxis_core::lang::Lang;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors matter")]
    struct Sample {
        count: u64,
        #[serde(default)]
        side: Option<Side>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Side {
        Left,
        Right,
    }

    fn told(value: Value) -> (String, String, FaultClass) {
        let fault = arguments::<Sample>(value).unwrap_err().into_fault(&ToolId::from("t"));
        let class = FaultClass::of(&fault);
        let Fault::ParamsInvalid { errors } = fault else { panic!("{fault:?}") };
        let text = |lang| errors.iter().map(|error| error.text(lang)).collect::<String>();
        (text(Lang::En), text(Lang::Zh), class)
    }

    #[test]
    fn arguments_of_another_form_are_told_in_both_languages() {
        for (value, en, zh, class) in [
            (
                json!({}),
                "the field `count` is required",
                "缺少必填字段 `count`",
                FaultClass::MissingParam,
            ),
            (
                json!({"count": 1, "sum": 2}),
                "unknown field `sum`; the known fields are `count`, `side`",
                "未知的字段 `sum`；可用的字段：`count`、`side`",
                FaultClass::Format,
            ),
            (
                json!({"count": 1, "side": "top"}),
                "`top` is not one of `left`, `right`",
                "`top` 应为以下之一：`left`、`right`",
                FaultClass::EnumInvalid,
            ),
            (
                json!({"count": "x"}),
                "invalid type: expected a non-negative integer, got string \"x\"",
                "类型错误：应为非负整数，实际为字符串 \"x\"",
                FaultClass::Format,
            ),
            (
                json!({"count": -1}),
                "invalid value: expected a non-negative integer, got integer `-1`",
                "值无效：应为非负整数，实际为整数 `-1`",
                FaultClass::Format,
            ),
        ] {
            assert_eq!(told(value), (en.to_owned(), zh.to_owned(), class));
        }
    }

    #[test]
    fn a_file_error_names_the_operation_the_path_and_the_reason() {
        let fault = |operation, kind: io::ErrorKind| {
            let error = BuiltinError::file(operation, Path::new("/a/b"), &kind.into());
            let fault = error.into_fault(&ToolId::from("t"));
            let Fault::ToolFailed { message, message_zh, retryable, .. } = fault else {
                panic!("{fault:?}")
            };
            (message, message_zh, retryable)
        };
        let expected = |en: &str, zh: &str, retryable| (en.to_owned(), zh.to_owned(), retryable);
        assert_eq!(
            fault(FileOperation::Write, io::ErrorKind::StorageFull),
            expected("cannot write `/a/b`: the disk is full", "无法写入 `/a/b`：磁盘已满", true)
        );
        assert_eq!(
            fault(FileOperation::Read, io::ErrorKind::PermissionDenied),
            expected("cannot read `/a/b`: permission denied", "无法读取 `/a/b`：权限不足", false)
        );
        assert_eq!(
            fault(FileOperation::List, io::ErrorKind::NotADirectory),
            expected(
                "cannot list folder `/a/b`: a part of its path is a file",
                "无法列出文件夹 `/a/b`：路径中有一级是文件",
                false
            )
        );
    }
}
