//! Refusals of SQL: what is wrong, and what would be accepted.

use super::guard::SqlRefused;
use praxis_core::problem::Bilingual;

fn because(code: &'static str, en: impl Into<String>, zh: impl Into<String>) -> SqlRefused {
    SqlRefused { code, words: Bilingual { en: en.into(), zh: zh.into() } }
}

impl SqlRefused {
    pub(super) fn long() -> Self {
        because(
            "sql_too_long",
            "the SQL is too long; ask for less, or bind the values as parameters",
            "SQL 过长；请缩小范围，或把值作为参数绑定",
        )
    }

    pub(super) fn many() -> Self {
        because(
            "sql_statements",
            "it must be exactly one statement; send each in a call of its own",
            "必须恰好是一条语句；请逐条调用",
        )
    }

    pub(super) fn unreadable(why: &str) -> Self {
        because(
            "sql_unreadable",
            format!("the SQL cannot be read ({why}); write it more plainly"),
            format!("无法读懂该 SQL（{why}）；请写得更简明"),
        )
    }

    pub(super) fn sign(sign: char) -> Self {
        let sign = sign.escape_debug();
        because(
            "sql_sign",
            format!(
                "`{sign}` may not stand there; bind values as parameters, and leave variables out"
            ),
            format!("`{sign}` 不能出现在此处；请把值作为参数绑定，不要使用变量"),
        )
    }

    pub(super) fn unclosed(open: &str) -> Self {
        because(
            "sql_unreadable",
            format!("`{open}` has no end; close it"),
            format!("`{open}` 没有结束；请补全"),
        )
    }

    pub(super) fn live_comment() -> Self {
        because(
            "sql_sign",
            "a comment of the form `/*! … */` is run by the server; leave it out",
            "形如 `/*! … */` 的注释会被服务器执行；请去掉",
        )
    }

    pub(super) fn unicode_escape() -> Self {
        because(
            "sql_sign",
            "text and names with `U&` are not taken; write the characters themselves",
            "不接受带 `U&` 的文本和名称；请直接书写字符",
        )
    }

    pub(super) fn function(name: &str) -> Self {
        because(
            "sql_function",
            format!("`{name}` may not be called: it reaches beyond the data; do without it"),
            format!("不能调用 `{name}`：它超出了数据范围；请不要使用"),
        )
    }

    pub(super) fn relation(name: &str) -> Self {
        because(
            "sql_relation",
            format!(
                "`{name}` may not be read: it belongs to the server; read tables of the database"
            ),
            format!("不能读取 `{name}`：它属于服务器；请读取数据库中的表"),
        )
    }

    pub(super) fn clause(name: &str) -> Self {
        because(
            "sql_clause",
            format!("`{name}` is not allowed; leave it out"),
            format!("不允许 `{name}`；请去掉"),
        )
    }

    pub(super) fn statement(taken: &str) -> Self {
        because(
            "sql_statement",
            format!("this kind of statement is not allowed here; write {taken}"),
            format!("此处不允许这类语句；请写 {taken}"),
        )
    }

    pub(super) fn inner() -> Self {
        because(
            "sql_statement",
            "a query inside of the statement does more than read; let it select only",
            "语句内部的查询不只是读取；请只用 SELECT",
        )
    }

    pub(super) fn whole_table() -> Self {
        because(
            "sql_whole_table",
            "it would change a whole table; add WHERE",
            "它会改动整张表；请加上 WHERE",
        )
    }
}
