//! Refusals of SQL: what is wrong, and what would be accepted.

use super::guard::SqlRefused;
use praxis_core::problem::Bilingual;

fn because(code: &'static str, en: impl Into<String>, zh: impl Into<String>) -> SqlRefused {
    SqlRefused { code, words: Bilingual { en: en.into(), zh: zh.into() } }
}

impl SqlRefused {
    pub(super) fn too_many_bytes(most: usize) -> Self {
        because(
            "sql_too_long",
            format!(
                "the SQL is longer than {most} bytes; shorten it, or bind the values as parameters"
            ),
            format!("SQL 超过 {most} 字节；请缩短，或把值作为参数绑定"),
        )
    }

    pub(super) fn too_many_tokens(most: usize) -> Self {
        because(
            "sql_too_long",
            format!(
                "the SQL has more than {most} words and symbols; shorten it, or bind the values as parameters"
            ),
            format!("SQL 的词和符号超过 {most} 个；请缩短，或把值作为参数绑定"),
        )
    }

    pub(super) fn multiple_statements() -> Self {
        because(
            "sql_statements",
            "the SQL must be exactly one statement; send each statement in a separate call",
            "SQL 必须恰好是一条语句；请将各条语句分开调用",
        )
    }

    pub(super) fn unreadable(why: &str) -> Self {
        because(
            "sql_unreadable",
            format!("the SQL cannot be parsed ({why}); simplify it"),
            format!("无法解析该 SQL（{why}）；请简化"),
        )
    }

    /// The parser could not be started, or it crashed.
    pub(super) fn parser_failed() -> Self {
        because(
            "sql_unreadable",
            "the SQL parser ran out of memory or crashed; shorten or simplify the SQL",
            "SQL 解析器内存不足或崩溃；请缩短或简化该 SQL",
        )
    }

    pub(super) fn character(character: char) -> Self {
        let character = character.escape_debug();
        because(
            "sql_sign",
            format!(
                "`{character}` is not allowed here; bind values as parameters, and do not use variables"
            ),
            format!("此处不允许 `{character}`；请把值作为参数绑定，不要使用变量"),
        )
    }

    pub(super) fn unclosed(open: &str) -> Self {
        because(
            "sql_unreadable",
            format!("`{open}` is never closed; close it"),
            format!("`{open}` 没有闭合；请补全"),
        )
    }

    pub(super) fn executable_comment() -> Self {
        because(
            "sql_sign",
            "the server executes comments of the form `/*! … */`; remove them",
            "形如 `/*! … */` 的注释会被服务器执行；请去掉",
        )
    }

    pub(super) fn unicode_escape() -> Self {
        because(
            "sql_sign",
            "strings and names with `U&` are not supported; write the characters directly",
            "不支持带 `U&` 的字符串和名称；请直接书写字符",
        )
    }

    pub(super) fn function(name: &str) -> Self {
        because(
            "sql_function",
            format!(
                "function `{name}` is not allowed: it can reach files, the network, other sessions or server settings; remove it"
            ),
            format!("不允许调用函数 `{name}`：它可访问文件、网络、其他会话或服务器设置；请去掉"),
        )
    }

    pub(super) fn relation(name: &str) -> Self {
        because(
            "sql_relation",
            format!(
                "`{name}` must not be read: it belongs to the server; read the tables of the database instead"
            ),
            format!("不允许读取 `{name}`：它属于服务器；请改为读取数据库中的表"),
        )
    }

    pub(super) fn clause(name: &str) -> Self {
        because(
            "sql_clause",
            format!("`{name}` is not allowed; remove it"),
            format!("不允许 `{name}`；请去掉"),
        )
    }

    pub(super) fn statement(taken: &str) -> Self {
        because(
            "sql_statement",
            format!("this kind of statement is not allowed here; use {taken}"),
            format!("此处不允许这类语句；请使用 {taken}"),
        )
    }

    pub(super) fn inner() -> Self {
        because(
            "sql_statement",
            "a nested query does more than read; use only SELECT in it",
            "嵌套查询不只是读取；其中只能使用 SELECT",
        )
    }

    pub(super) fn whole_table() -> Self {
        because(
            "sql_whole_table",
            "the statement would change the whole table; add WHERE",
            "该语句会改动整张表；请加上 WHERE",
        )
    }
}
