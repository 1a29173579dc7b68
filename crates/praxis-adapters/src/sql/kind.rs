//! Classifies a parsed statement with everything nested in it.
//!
//! - in: a parsed statement
//! - out: its `StatementForm`, or a `SqlRefused`
//! - never: checks only the top level: a query may contain an `INSERT`

use super::guard::{SqlRefused, StatementForm};
use super::lex::SqlDialect;
use sqlparser::ast::{
    FromTable, Insert, Query, Select, SetExpr, Statement, TableObject, Visit, Visitor,
};
use std::ops::ControlFlow;

/// Accepts a statement that only reads.
pub(super) fn reads(
    statement: &Statement,
    engine: SqlDialect,
) -> Result<StatementForm, SqlRefused> {
    let form = match statement {
        Statement::Query(_) => StatementForm::Query,
        Statement::Explain {
            analyze: false, estimate: false, options: None, statement, ..
        } if matches!(**statement, Statement::Query(_)) => StatementForm::Words,
        Statement::ShowTables { .. }
        | Statement::ShowColumns { .. }
        | Statement::ExplainTable { .. }
            if engine == SqlDialect::Mysql =>
        {
            StatementForm::Words
        }
        _ => return Err(SqlRefused::statement("SELECT, WITH … SELECT, VALUES or EXPLAIN")),
    };
    let statements = if matches!(statement, Statement::Explain { .. }) { 2 } else { 1 };
    look_through(statement, statements)?;
    Ok(form)
}

/// Accepts a statement that makes one change.
pub(super) fn writes(
    statement: &Statement,
    whole_tables: bool,
) -> Result<StatementForm, SqlRefused> {
    let bounded = match statement {
        Statement::Insert(insert) if is_plain(insert) => true,
        Statement::Update(update) => update.selection.is_some(),
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            delete.selection.is_some() && !from.is_empty()
        }
        _ => return Err(SqlRefused::statement("INSERT, UPDATE or DELETE")),
    };
    if !bounded && !whole_tables {
        return Err(SqlRefused::whole_table());
    }
    look_through(statement, 1)?;
    Ok(StatementForm::Write)
}

fn is_plain(insert: &Insert) -> bool {
    matches!(insert.table, TableObject::TableName(_))
        && !insert.overwrite
        && insert.settings.is_none()
        && insert.format_clause.is_none()
        && insert.multi_table_insert_type.is_none()
}

/// Checks every query inside a statement. `statements` is the number of statements it may contain, itself included.
fn look_through(statement: &Statement, statements: usize) -> Result<(), SqlRefused> {
    let mut look = StatementScan { statements };
    match statement.visit(&mut look) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(why) => Err(*why),
    }
}

struct StatementScan {
    /// Number of statements that may still follow.
    statements: usize,
}

impl Visitor for StatementScan {
    type Break = Box<SqlRefused>;

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<Self::Break> {
        match self.statements.checked_sub(1) {
            Some(left) => {
                self.statements = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(Box::new(SqlRefused::inner())),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        let more = query.for_clause.is_some()
            || query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty();
        if !query.locks.is_empty() {
            return ControlFlow::Break(Box::new(SqlRefused::clause("FOR UPDATE, FOR SHARE")));
        }
        if more || !only_selects(&query.body) {
            return ControlFlow::Break(Box::new(SqlRefused::inner()));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        if select.into.is_some() {
            return ControlFlow::Break(Box::new(SqlRefused::clause("INTO")));
        }
        ControlFlow::Continue(())
    }
}

/// Returns true if no part of a union writes. Not recursive, because a chain of unions is nested deep on the left.
fn only_selects(body: &SetExpr) -> bool {
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        match body {
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) | SetExpr::Table(_) => {}
            SetExpr::SetOperation { left, right, .. } => open.extend([&**left, &**right]),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                return false;
            }
        }
    }
    true
}
