//! Lets one statement through that does what it may, and nothing that it cannot read.
//!
//! - in: SQL that a manifest, a person or a model wrote
//! - out: the statement with its arguments as placeholders, or why it is refused and what to do
//! - never: runs anything, or lets through what it did not understand

use super::denied;
use super::kind;
use super::lex::{Cut, Engine, Slot, cut};
use praxis_core::call::sql::Allow;
use praxis_core::problem::Words;
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
pub struct Rules {
    /// Reading only, or one change.
    pub allow: Allow,
    /// Whether an `UPDATE` or `DELETE` may do without `WHERE`: only where the author wrote it.
    pub whole_tables: bool,
}

/// How a statement is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
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
    pub slots: Vec<Slot>,
    /// How it is run.
    pub form: Form,
    /// Names in braces that stand in quotes: they are text, not arguments.
    pub inert: Vec<String>,
}

/// Why SQL is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Stable, lower snake case.
    pub code: &'static str,
    /// Why, and what to do.
    pub words: Words,
}

/// Lets a statement through or says why not.
pub fn check(sql: &str, engine: Engine, rules: Rules) -> Result<Statement, Refused> {
    if sql.len() > MOST_BYTES {
        return Err(Refused::long());
    }
    let cut = cut(sql, engine)?;
    let tokens = tokens(&cut, engine)?;
    names(&tokens, engine)?;
    clauses(&tokens, rules)?;
    let form = apart(|| parsed_form(tokens, engine, rules))?;
    Ok(Statement { text: cut.text, slots: cut.slots, form, inert: cut.inert })
}

/// Reading, judging and forgetting a statement go as deep as it is nested: not on the caller's stack.
fn apart(read: impl FnOnce() -> Result<Form, Refused> + Send) -> Result<Form, Refused> {
    let nobody = || Refused::unreadable("there is no room to read it");
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        let read = reader.map_err(|_| nobody())?.join();
        read.unwrap_or_else(|_| Err(nobody()))
    })
}

fn parsed_form(tokens: Vec<Token>, engine: Engine, rules: Rules) -> Result<Form, Refused> {
    let dialect = dialect(engine);
    let parsed = Parser::new(&*dialect).with_tokens(tokens).parse_statements();
    let parsed = parsed.map_err(|error| Refused::unreadable(&error.to_string()))?;
    let [statement] = parsed.as_slice() else { return Err(Refused::many()) };
    form(statement, engine, rules)
}

fn form(statement: &Parsed, engine: Engine, rules: Rules) -> Result<Form, Refused> {
    match rules.allow {
        Allow::Read => kind::reads(statement, engine),
        Allow::Write => kind::writes(statement, rules.whole_tables),
    }
}

fn dialect(engine: Engine) -> Box<dyn Dialect> {
    match engine {
        Engine::Postgres => Box::new(PostgreSqlDialect {}),
        Engine::Mysql => Box::new(MySqlDialect {}),
        Engine::Sqlite => Box::new(SQLiteDialect {}),
    }
}

/// The words of a statement. Two readers must have cut it the same way.
fn tokens(cut: &Cut, engine: Engine) -> Result<Vec<Token>, Refused> {
    let dialect = dialect(engine);
    let all = Tokenizer::new(&*dialect, &cut.text).tokenize();
    let all = all.map_err(|error| Refused::unreadable(&error.to_string()))?;
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
        return Err(Refused::unreadable("its quotes can be read in two ways"));
    }
    let said: Vec<Token> = all.into_iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    if said.len() > MOST_TOKENS {
        return Err(Refused::long());
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
fn names(tokens: &[Token], engine: Engine) -> Result<(), Refused> {
    for (at, token) in tokens.iter().enumerate() {
        let named = match token {
            Token::Word(word) => &word.value,
            // SQLite takes a text for a name where a name must stand.
            Token::SingleQuotedString(text) | Token::DoubleQuotedString(text)
                if engine != Engine::Postgres =>
            {
                text
            }
            _ => continue,
        };
        let name = named.to_lowercase();
        let (next, is_word) = (tokens.get(at + 1), matches!(token, Token::Word(_)));
        if next == Some(&Token::LParen) && denied::function(&name, engine) {
            return Err(Refused::function(&name));
        }
        if is_word && denied::relation(&name, engine) {
            return Err(Refused::relation(&name));
        }
        if next == Some(&Token::Period) && denied::schema(&name, engine) {
            return Err(Refused::relation(&name));
        }
    }
    Ok(())
}

/// No clause that writes somewhere else or holds a lock.
fn clauses(tokens: &[Token], rules: Rules) -> Result<(), Refused> {
    let keywords: Vec<Keyword> = tokens.iter().map(keyword).collect();
    let into = keywords.iter().filter(|keyword| **keyword == Keyword::INTO).count();
    let may = usize::from(rules.allow == Allow::Write);
    if into > may {
        return Err(Refused::clause("INTO"));
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
        return Err(Refused::clause(clause));
    }
    let barred = ["OUTFILE", "DUMPFILE", "PROCEDURE"];
    let plain = tokens.iter().filter_map(|token| match token {
        Token::Word(Word { quote_style: None, value, .. }) => Some(value.to_uppercase()),
        _ => None,
    });
    let found = plain.into_iter().find(|word| barred.contains(&word.as_str()));
    found.map_or(Ok(()), |name| Err(Refused::clause(&name)))
}

fn keyword(token: &Token) -> Keyword {
    match token {
        Token::Word(Word { quote_style: None, keyword, .. }) => *keyword,
        _ => Keyword::NoKeyword,
    }
}
