//! Accepts a single permitted statement and refuses everything that it cannot parse.
//!
//! - in: SQL that a manifest, a person or a model wrote
//! - out: the `Statement` with placeholders for its arguments, or a `SqlRefused` with the reason and a remedy
//! - never: runs anything, or accepts SQL that it did not understand

use super::denied;
use super::kind;
use super::lex::{ArgumentRef, RebuiltSql, SqlDialect, lex};
use praxis_core::call::sql::SqlAllow;
use praxis_core::problem::Bilingual;
use sqlparser::ast::Statement as Parsed;
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace, Word};

/// Maximum bytes of a statement.
const MAX_BYTES: usize = 32 * 1024;
/// Maximum tokens of a statement, which limits its nesting.
const MAX_TOKENS: usize = 3000;
/// Stack for parsing SQL nested that deep. Memory is committed only where it is used.
const STACK: usize = 128 * 1024 * 1024;

/// Rules for a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementRules {
    /// Reading only, or one change.
    pub allow: SqlAllow,
    /// True if `UPDATE` and `DELETE` may omit `WHERE`: only in the query of a manifest.
    pub whole_tables: bool,
}

/// The way in which a statement is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementForm {
    /// A query that returns rows and can be nested in another.
    Query,
    /// A statement about a query or a table, such as `EXPLAIN`.
    Words,
    /// An `INSERT`, `UPDATE` or `DELETE`.
    Write,
}

/// A statement that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The SQL with the engine's own placeholders.
    pub text: String,
    /// Arguments in the order of the placeholders.
    pub slots: Vec<ArgumentRef>,
    /// The way in which it is run.
    pub form: StatementForm,
    /// Names in braces inside quotes: they are text, not arguments.
    pub quoted_placeholders: Vec<String>,
}

/// Refusal of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlRefused {
    /// Stable code in lower snake case.
    pub code: &'static str,
    /// Reason and remedy.
    pub words: Bilingual,
}

/// Checks a statement against the rules.
pub fn check(
    sql: &str,
    engine: SqlDialect,
    rules: StatementRules,
) -> Result<Statement, SqlRefused> {
    if sql.len() > MAX_BYTES {
        return Err(SqlRefused::too_many_bytes(MAX_BYTES));
    }
    let lexed = lex(sql, engine)?;
    let tokens = tokens(&lexed, engine)?;
    names(&tokens, engine)?;
    clauses(&tokens, rules)?;
    let form = apart(|| parsed_form(tokens, engine, rules))?;
    Ok(Statement {
        text: lexed.text,
        slots: lexed.slots,
        form,
        quoted_placeholders: lexed.quoted_placeholders,
    })
}

/// Runs the parser on a thread with a large stack: parsing, checking and dropping recurse as deep as the SQL is
/// nested.
fn apart(
    read: impl FnOnce() -> Result<StatementForm, SqlRefused> + Send,
) -> Result<StatementForm, SqlRefused> {
    let failed = SqlRefused::parser_failed;
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        let read = reader.map_err(|_| failed())?.join();
        read.unwrap_or_else(|_| Err(failed()))
    })
}

fn parsed_form(
    tokens: Vec<Token>,
    engine: SqlDialect,
    rules: StatementRules,
) -> Result<StatementForm, SqlRefused> {
    let dialect = dialect(engine);
    let parsed = Parser::new(&*dialect).with_tokens(tokens).parse_statements();
    let parsed = parsed.map_err(|error| SqlRefused::unreadable(&error.to_string()))?;
    let [statement] = parsed.as_slice() else { return Err(SqlRefused::multiple_statements()) };
    form(statement, engine, rules)
}

fn form(
    statement: &Parsed,
    engine: SqlDialect,
    rules: StatementRules,
) -> Result<StatementForm, SqlRefused> {
    match rules.allow {
        SqlAllow::Read => kind::reads(statement, engine),
        SqlAllow::Write => kind::writes(statement, rules.whole_tables),
    }
}

fn dialect(engine: SqlDialect) -> Box<dyn Dialect> {
    match engine {
        SqlDialect::Postgres => Box::new(PostgreSqlDialect {}),
        SqlDialect::Mysql => Box::new(MySqlDialect {}),
        SqlDialect::Sqlite => Box::new(SQLiteDialect {}),
    }
}

/// Returns the tokens of a statement. Both tokenizers must have found the same quotes.
fn tokens(cut: &RebuiltSql, engine: SqlDialect) -> Result<Vec<Token>, SqlRefused> {
    let dialect = dialect(engine);
    let all = Tokenizer::new(&*dialect, &cut.text).tokenize();
    let all = all.map_err(|error| SqlRefused::unreadable(&error.to_string()))?;
    let is_comment = |token: &Token| {
        matches!(
            token,
            Token::Whitespace(
                Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)
            )
        )
    };
    if all.iter().any(is_comment)
        || all.iter().filter(|token| in_quotes(token)).count() != cut.quoted
    {
        return Err(SqlRefused::unreadable("its quotes are ambiguous"));
    }
    let said: Vec<Token> = all.into_iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    if said.len() > MAX_TOKENS {
        return Err(SqlRefused::too_many_tokens(MAX_TOKENS));
    }
    Ok(said)
}

fn in_quotes(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_some(),
        Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::DollarQuotedString(_)
        | Token::SingleQuotedByteStringLiteral(_)
        | Token::DoubleQuotedByteStringLiteral(_)
        | Token::NationalStringLiteral(_)
        | Token::EscapedStringLiteral(_)
        | Token::HexStringLiteral(_) => true,
        _ => false,
    }
}

/// Refuses denied functions, tables and schemas, quoted or not.
fn names(tokens: &[Token], engine: SqlDialect) -> Result<(), SqlRefused> {
    for (at, token) in tokens.iter().enumerate() {
        let named = match token {
            Token::Word(word) => &word.value,
            // SQLite accepts a string where a name is expected.
            Token::SingleQuotedString(text) | Token::DoubleQuotedString(text)
                if engine != SqlDialect::Postgres =>
            {
                text
            }
            _ => continue,
        };
        let name = named.to_lowercase();
        let (next, is_word) = (tokens.get(at + 1), matches!(token, Token::Word(_)));
        if next == Some(&Token::LParen) && denied::function(&name, engine) {
            return Err(SqlRefused::function(&name));
        }
        if is_word && denied::relation(&name, engine) {
            return Err(SqlRefused::relation(&name));
        }
        if next == Some(&Token::Period) && denied::schema(&name, engine) {
            return Err(SqlRefused::relation(&name));
        }
    }
    Ok(())
}

/// Refuses clauses that write to another place, take a lock or advance a sequence.
fn clauses(tokens: &[Token], rules: StatementRules) -> Result<(), SqlRefused> {
    let keywords: Vec<Keyword> = tokens.iter().map(keyword).collect();
    let into = keywords.iter().filter(|keyword| **keyword == Keyword::INTO).count();
    let may = usize::from(rules.allow == SqlAllow::Write);
    if into > may {
        return Err(SqlRefused::clause("INTO"));
    }
    for pair in keywords.windows(2) {
        let clause = match pair {
            [Keyword::FOR, Keyword::UPDATE | Keyword::SHARE | Keyword::NO | Keyword::KEY] => {
                "FOR UPDATE, FOR SHARE"
            }
            [Keyword::LOCK, Keyword::IN] => "LOCK IN SHARE MODE",
            [Keyword::NEXT, Keyword::VALUE] => "NEXT VALUE FOR",
            _ => continue,
        };
        return Err(SqlRefused::clause(clause));
    }
    let barred = ["OUTFILE", "DUMPFILE", "PROCEDURE"];
    let plain = tokens.iter().filter_map(|token| match token {
        Token::Word(Word { quote_style: None, value, .. }) => Some(value.to_uppercase()),
        _ => None,
    });
    let found = plain.into_iter().find(|word| barred.contains(&word.as_str()));
    found.map_or(Ok(()), |name| Err(SqlRefused::clause(&name)))
}

fn keyword(token: &Token) -> Keyword {
    match token {
        Token::Word(Word { quote_style: None, keyword, .. }) => *keyword,
        _ => Keyword::NoKeyword,
    }
}
