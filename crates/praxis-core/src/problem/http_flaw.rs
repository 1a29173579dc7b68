//! What can be wrong with the HTTP request of a manifest.

use crate::problem::Bilingual;

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpFlaw {
    /// A name is empty or holds what names may not.
    Name(String),
    /// A value that would break its line.
    Value(String),
    /// A header that follows from the request itself.
    Ours(String),
    /// Two places give the same.
    Twice(String),
    /// Something else where a reference to a secret must stand.
    NoReference,
    /// A reference to a secret where none is looked for.
    SecretHere,
    /// Two bodies, or a body that the method does not have.
    Bodies,
    /// A kind for a body that has its own.
    KindOfBody,
    /// What is no kind of content.
    NoKind(String),
    /// A pair whose value is an object or a list of lists.
    Pair(String),
    /// A body with nothing in it.
    NothingSent,
    /// A rule for success that says nothing or the half.
    NoRule,
    /// What is no status.
    NoStatus(String),
}

impl HttpFlaw {
    /// The same for people.
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
