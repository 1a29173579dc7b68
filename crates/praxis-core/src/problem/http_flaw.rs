//! Errors in the HTTP request of a manifest.

use crate::problem::Bilingual;

/// An error in an HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpFlaw {
    /// An empty name, or one with forbidden characters.
    Name(String),
    /// A value with forbidden characters, such as a line break.
    Value(String),
    /// A header that is derived from the request, such as `host`, and cannot be set.
    Ours(String),
    /// A name that is set in two places.
    Twice(String),
    /// A plain text where only a reference `secret:NAME` is allowed.
    NoReference,
    /// A `secret:` reference in a place where references are not resolved.
    SecretHere,
    /// More than one of `body`, `form` and `multipart`, or a body that the method does not allow.
    Bodies,
    /// A `content_type` without a `body`.
    KindOfBody,
    /// An invalid content type.
    NoKind(String),
    /// A pair whose value is an object or a nested list.
    Pair(String),
    /// A body without content.
    NothingSent,
    /// An empty or incomplete `success` rule.
    NoRule,
    /// An invalid HTTP status.
    NoStatus(String),
}

impl HttpFlaw {
    /// Returns the message for people.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::Name(name) => {
                (format!("`{name}` is not a valid name"), format!("`{name}` 不是有效的名称"))
            }
            Self::Value(name) => (
                format!("the value of `{name}` contains characters that are not allowed"),
                format!("`{name}` 的值含有不允许的字符"),
            ),
            Self::Ours(name) => (
                format!("`{name}` is set automatically and cannot be changed"),
                format!("`{name}` 会自动设置，不能修改"),
            ),
            Self::Twice(name) => (format!("`{name}` is set twice"), format!("`{name}` 设置了两次")),
            Self::NoReference => (
                "a secret must be written as a reference: `secret:NAME`".to_owned(),
                "密钥必须写成引用：`secret:NAME`".to_owned(),
            ),
            Self::SecretHere => (
                "secrets are not resolved here; use `auth` for a secret in the query".to_owned(),
                "此处不解析密钥；查询参数中的密钥请用 `auth`".to_owned(),
            ),
            Self::Bodies => (
                "use only one of `body`, `form` and `multipart`; `GET` and `HEAD` allow only `body`".to_owned(),
                "`body`、`form` 和 `multipart` 只能用一个；`GET` 和 `HEAD` 只能用 `body`".to_owned(),
            ),
            Self::KindOfBody => (
                "only allowed with `body` and without a `content-type` header".to_owned(),
                "只能与 `body` 一起使用，且不能另设 `content-type` 请求头".to_owned(),
            ),
            Self::NoKind(kind) => (
                format!("`{kind}` is not a content type; write one such as `text/csv`"),
                format!("`{kind}` 不是内容类型；应写成如 `text/csv`"),
            ),
            Self::Pair(name) => (
                format!("`{name}` must be a string, a number, true, false or a list of these"),
                format!("`{name}` 必须是字符串、数字、true、false 或它们的列表"),
            ),
            Self::NothingSent => ("the body is empty".to_owned(), "请求体为空".to_owned()),
            Self::NoRule => (
                "needs `status`, or `field` with `equals`, or all three".to_owned(),
                "需要 `status`，或 `field` 与 `equals`，或三者都有".to_owned(),
            ),
            Self::NoStatus(status) => (
                format!("`{status}` is not an HTTP status: write `201`, `2xx`, `200-204` or a list of these"),
                format!("`{status}` 不是 HTTP 状态码：请写 `201`、`2xx`、`200-204` 或它们的列表"),
            ),
        }
        .into()
    }
}
