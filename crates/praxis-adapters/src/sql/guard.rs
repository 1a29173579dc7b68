//! Lets one statement through that does what it may, and nothing that it cannot read.
//!
//! - in: SQL that a manifest, a person or a model wrote
//! - out: the statement with its arguments as placeholders, or why it is refused and what to do
//! - never: runs anything, or lets through what it did not understand

use super::denied;
use super::kind;
use super::lex::{BoundSlot, RebuiltSql, SqlDialect, cut};
use praxis_core::call::sql::SqlAllow;
use praxis_core::problem::Bilingual;
use sqlparser::ast::Statement as Parsed;
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace, Word};

/// Longer SQL is no query.
const MOST_BYTES: usize = 32 * 1024;
/// More words than these could be nested too deep.
const MOST_TOKENS: usize = 3000;
/// Room to read what is nested that deep. It is taken only where it is used.
const STACK: usize = 128 * 1024 * 1024;

/// What a statement may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementRules {
    /// Reading only, or one change.
    pub allow: SqlAllow,
    /// Whether an `UPDATE` or `DELETE` may do without `WHERE`: only where the author wrote it.
    pub whole_tables: bool,
}

/// How a statement is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementForm {
    /// A query: it gives rows and can stand in another.
    Query,
    /// Words about a query or a table.
    Words,
    /// A change.
    Write,
}

/// A statement that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The SQL in the words of the engine.
    pub text: String,
    /// What is bound, in the order of its placeholders.
    pub slots: Vec<BoundSlot>,
    /// How it is run.
    pub form: StatementForm,
    /// Names in braces that stand in quotes: they are text, not arguments.
    pub inert: Vec<String>,
}

/// Why SQL is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlRefused {
    /// Stable, lower snake case.
    pub code: &'static str,
    /// Why, and what to do.
    pub words: Bilingual,
}

/// Lets a statement through or says why not.
pub fn check(
    sql: &str,
    engine: SqlDialect,
    rules: StatementRules,
) -> Result<Statement, SqlRefused> {
    if sql.len() > MOST_BYTES {
        return Err(SqlRefused::long());
    }
    let cut = cut(sql, engine)?;
    let tokens = tokens(&cut, engine)?;
    names(&tokens, engine)?;
    clauses(&tokens, rules)?;
    let form = apart(|| parsed_form(tokens, engine, rules))?;
    Ok(Statement { text: cut.text, slots: cut.slots, form, inert: cut.inert })
}

/// Reading, judging and forgetting a statement go as deep as it is nested: not on the caller's stack.
fn apart(
    read: impl FnOnce() -> Result<StatementForm, SqlRefused> + Send,
) -> Result<StatementForm, SqlRefused> {
    let nobody = || SqlRefused::unreadable("there is no room to read it");
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        let read = reader.map_err(|_| nobody())?.join();
        read.unwrap_or_else(|_| Err(nobody()))
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
    let [statement] = parsed.as_slice() else { return Err(SqlRefused::many()) };
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

/// The words of a statement. Two readers must have cut it the same way.
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
        return Err(SqlRefused::unreadable("its quotes can be read in two ways"));
    }
    let said: Vec<Token> = all.into_iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    if said.len() > MOST_TOKENS {
        return Err(SqlRefused::long());
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

/// No function, table or schema that is denied is named, quoted or not.
fn names(tokens: &[Token], engine: SqlDialect) -> Result<(), SqlRefused> {
    for (at, token) in tokens.iter().enumerate() {
        let named = match token {
            Token::Word(word) => &word.value,
            // SQLite takes a text for a name where a name must stand.
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

/// No clause that writes somewhere else or holds a lock.
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
