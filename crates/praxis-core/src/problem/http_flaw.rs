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
            Self::Name(name) => (format!("`{name}` is no name here"), format!("`{name}` 在此处不是名称")),
            Self::Value(name) => (
                format!("the value of `{name}` holds characters that are not allowed"),
                format!("`{name}` 的值含有不允许的字符"),
            ),
            Self::Ours(name) => (
                format!("`{name}` follows from the request and cannot be set"),
                format!("`{name}` 由请求本身决定，不能设置"),
            ),
            Self::Twice(name) => (format!("`{name}` is given twice"), format!("`{name}` 给出了两次")),
            Self::NoReference => (
                "a secret stands here as a reference: `secret:NAME`".to_owned(),
                "此处的密钥须写作引用：`secret:NAME`".to_owned(),
            ),
            Self::SecretHere => (
                "no secret is looked for here; `auth` takes one for the query".to_owned(),
                "此处不读取密钥；查询中的密钥请用 `auth`".to_owned(),
            ),
            Self::Bodies => (
                "a request has one of `body`, `form` and `multipart`; with `GET` and `HEAD` at most `body`".to_owned(),
                "请求只能有 `body`、`form`、`multipart` 之一；`GET` 和 `HEAD` 至多有 `body`".to_owned(),
            ),
            Self::KindOfBody => ("it goes with `body` only".to_owned(), "只能与 `body` 一起使用".to_owned()),
            Self::NoKind(kind) => (
                format!("`{kind}` is no kind of content, as `text/csv` is one"),
                format!("`{kind}` 不是内容类型，`text/csv` 才是"),
            ),
            Self::Pair(name) => (
                format!("`{name}` takes a text, a number, true, false or a list of these"),
                format!("`{name}` 只接受文本、数字、真假值或它们的列表"),
            ),
            Self::NothingSent => ("it sends nothing".to_owned(), "没有要发送的内容".to_owned()),
            Self::NoRule => (
                "it takes `status`, or `field` with `equals`, or all three".to_owned(),
                "须给出 `status`，或 `field` 与 `equals`，或三者".to_owned(),
            ),
            Self::NoStatus(status) => (
                format!("`{status}` is no status: write `201`, `2xx`, `200-204` or a list of these"),
                format!("`{status}` 不是状态码：可写 `201`、`2xx`、`200-204` 或它们的列表"),
            ),
        }
        .into()
    }
}
