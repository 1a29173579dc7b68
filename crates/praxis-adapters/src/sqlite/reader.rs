//! Looks into the database without being able to change it. Any process may.

use super::open::{OpenError, for_reading};
use super::signed;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::chain::{ChainLink, link};
use praxis_core::journal::event::Entry;
use praxis_core::journal::question::Question;
use praxis_core::journal::read::read as event;
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{KeyHolder, ReadError};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde::Serialize;
use std::path::Path;

/// A connection that can only read.
pub struct JournalReader {
    connection: Connection,
}

/// A line of the task list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTask {
    /// Its id.
    pub task: TaskId,
    /// What is wanted.
    pub goal: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// What a waiting task waits for.
    pub waits_for: Option<String>,
    /// Questions that are open.
    pub open_questions: u32,
    /// Steps that succeeded.
    pub done: u32,
    /// All steps.
    pub total: u32,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When something last happened.
    pub updated_at: Timestamp,
}

/// A question that waits, with its task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenQuestion {
    /// Which task.
    pub task: TaskId,
    /// What that task is for.
    pub goal: String,
    /// Since when.
    pub asked_at: Timestamp,
    /// What is asked.
    pub question: Question,
}

/// What to list.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// Only this status.
    pub status: Option<TaskStatus>,
    /// At most this many, the newest first.
    pub most: u32,
}

impl JournalReader {
    /// Opens a database that exists.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        for_reading(path).map(|connection| Self { connection })
    }

    /// The entries of a task after a sequence number, checked against their chain.
    pub fn entries(&self, task: &TaskId, after: u64) -> Result<Vec<Entry>, ReadError> {
        let (entries, rest) = self.readable(task, after)?;
        rest.map_or(Ok(entries), Err)
    }

    /// The entries up to the first that a later version wrote, and what that one is.
    pub fn readable(
        &self,
        task: &TaskId,
        after: u64,
    ) -> Result<(Vec<Entry>, Option<ReadError>), ReadError> {
        // One look at row and events: the owner may be writing.
        let _look = self.connection.unchecked_transaction().map_err(|e| store(&e))?;
        let (n, last, status) =
            self.task(task)?.ok_or_else(|| ReadError::NotFound(task.clone()))?;
        if status == "erased" {
            return Err(ReadError::Erased(task.clone()));
        }
        let mut entries = Vec::new();
        let mut chain = ChainCursor { task, link: self.link_at(n, after, task)?, seq: after };
        let sql =
            "select seq, at, body, link from events where task = ?1 and seq > ?2 order by seq";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let mut rows = statement.query(params![n, signed(after)]).map_err(|e| store(&e))?;
        while let Some(row) = rows.next().map_err(|e| chain.damaged(&e.to_string()))? {
            match chain.follow(row) {
                Ok(entry) => entries.push(entry),
                Err(unknown @ ReadError::UnknownEvent { .. }) => {
                    return Ok((entries, Some(unknown)));
                }
                Err(error) => return Err(error),
            }
        }
        if chain.seq != last {
            return Err(chain.damaged(&format!("events up to {last} were written and are missing")));
        }
        Ok((entries, None))
    }

    fn task(&self, task: &TaskId) -> Result<Option<(i64, u64, String)>, ReadError> {
        let mut statement = self
            .connection
            .prepare_cached("select n, seq, status from tasks where id = ?1")
            .map_err(|e| store(&e))?;
        let found = statement
            .query_row([task.as_str()], |row| Ok((row.get(0)?, unsigned(row, 1)?, row.get(2)?)));
        found.optional().map_err(|e| store(&e))
    }

    fn link_at(&self, n: i64, seq: u64, task: &TaskId) -> Result<ChainLink, ReadError> {
        if seq == 0 {
            return Ok(ChainLink::default());
        }
        let mut statement = self
            .connection
            .prepare_cached("select link from events where task = ?1 and seq = ?2")
            .map_err(|e| store(&e))?;
        let found = statement.query_row(params![n, signed(seq)], |row| row.get::<_, Vec<u8>>(0));
        let link = found.optional().map_err(|e| store(&e))?;
        let link = link.and_then(|link| ChainLink::try_from(link.as_slice()).ok());
        link.ok_or_else(|| ReadError::Damaged {
            task: task.clone(),
            seq,
            why: "the event is missing".to_owned(),
        })
    }

    /// The task that a caller's key belongs to, if it belongs to one.
    pub fn holder(&self, tenant: &Tenant, key: &str) -> Result<Option<KeyHolder>, ReadError> {
        let sql = "select id, fingerprint from tasks where tenant = ?1 and key = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| {
            Ok(KeyHolder { task: TaskId::from(row.get::<_, String>(0)?), fingerprint: row.get(1)? })
        };
        statement.query_row(params![tenant.as_str(), key], read).optional().map_err(|e| store(&e))
    }

    /// Tasks that can go on without a person, oldest first.
    pub fn runnable(&self) -> Result<Vec<TaskId>, ReadError> {
        let sql = "select id from tasks where status not in ('completed', 'failed', 'cancelled', 'erased') \
                   and (status <> 'waiting' or wake_at is not null) order by n";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| row.get::<_, String>(0).map(TaskId::from);
        let rows = statement.query_map([], read).map_err(|e| store(&e))?;
        rows.collect::<Result<_, _>>().map_err(|e| store(&e))
    }

    /// The newest tasks.
    pub fn list(&self, filter: &TaskFilter) -> Result<Vec<ListedTask>, ReadError> {
        let sql = "select id, goal, status, waits_for, open_questions, done, total, created_at, updated_at \
                   from tasks where status <> 'erased' and (?1 is null or status = ?1) order by n desc limit ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| {
            Ok(ListedTask {
                task: TaskId::from(row.get::<_, String>(0)?),
                goal: row.get(1)?,
                status: status(&row.get::<_, String>(2)?),
                waits_for: row.get(3)?,
                open_questions: row.get(4)?,
                done: row.get(5)?,
                total: row.get(6)?,
                created_at: Timestamp(unsigned(row, 7)?),
                updated_at: Timestamp(unsigned(row, 8)?),
            })
        };
        let wanted = filter.status.map(TaskStatus::word);
        let rows =
            statement.query_map(params![wanted, filter.most], read).map_err(|e| store(&e))?;
        rows.collect::<Result<_, _>>().map_err(|e| store(&e))
    }

    /// The tasks whose id begins like this, at most two: enough to see that it is not unique.
    pub fn by_prefix(&self, prefix: &str) -> Result<Vec<TaskId>, ReadError> {
        let sql =
            "select id from tasks where id >= ?1 and id < ?1 || char(1114111) order by id limit 2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let rows =
            statement.query_map([prefix], |row| row.get::<_, String>(0)).map_err(|e| store(&e))?;
        let ids: Vec<String> = rows.collect::<Result<_, _>>().map_err(|e| store(&e))?;
        if ids.is_empty() {
            self.vouch_for_tasks()?;
        }
        Ok(ids.into_iter().map(TaskId::from).collect())
    }

    /// Before a task is said not to be there: a damaged list or index may only have lost it.
    fn vouch_for_tasks(&self) -> Result<(), ReadError> {
        let sql = "pragma integrity_check('tasks')";
        let found: String =
            self.connection.query_row(sql, [], |row| row.get(0)).map_err(|e| store(&e))?;
        if found == "ok" {
            return Ok(());
        }
        Err(ReadError::Store(format!("the list of tasks is damaged: {found}")))
    }

    /// The task that was submitted last.
    pub fn last(&self) -> Result<Option<TaskId>, ReadError> {
        let listed = self.list(&TaskFilter { status: None, most: 1 })?;
        if listed.is_empty() {
            self.vouch_for_tasks()?;
        }
        Ok(listed.into_iter().next().map(|listed| listed.task))
    }

    /// Questions that wait for an answer, the oldest first, at most so many.
    pub fn questions(&self, most: u32) -> Result<Vec<OpenQuestion>, ReadError> {
        self.waiting("order by q.asked_at, q.id limit ?1", params![most])
    }

    /// Open questions whose id begins so; two are enough to know that it is not unique.
    pub fn questions_by_prefix(&self, prefix: &str) -> Result<Vec<OpenQuestion>, ReadError> {
        let end = format!("{prefix}\u{10FFFF}");
        self.waiting("where q.id >= ?1 and q.id < ?2 limit 2", params![prefix, end])
    }

    fn waiting(&self, which: &str, given: &[&dyn ToSql]) -> Result<Vec<OpenQuestion>, ReadError> {
        let sql = format!(
            "select t.id, t.goal, q.asked_at, q.body from questions q join tasks t on t.n = q.task {which}"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| {
            let body: String = row.get(3)?;
            let task = TaskId::from(row.get::<_, String>(0)?);
            Ok((task, row.get::<_, String>(1)?, Timestamp(unsigned(row, 2)?), body))
        };
        let rows = statement.query_map(given, read).map_err(|e| store(&e))?;
        let mut waiting = Vec::new();
        for row in rows {
            let (task, goal, asked_at, body) = row.map_err(|e| store(&e))?;
            let question =
                serde_json::from_str(&body).map_err(|e| ReadError::Store(e.to_string()))?;
            waiting.push(OpenQuestion { task, goal, asked_at, question });
        }
        Ok(waiting)
    }

    /// `SQLite`'s own check of the whole file: `ok`, or what is wrong.
    pub fn integrity(&self) -> Result<String, ReadError> {
        let check = self.connection.query_row("pragma quick_check(5)", [], |row| row.get(0));
        check.map_err(|e| store(&e))
    }
}

/// Where a reader is in a chain.
struct ChainCursor<'a> {
    task: &'a TaskId,
    link: ChainLink,
    seq: u64,
}

impl ChainCursor<'_> {
    fn follow(&mut self, row: &Row<'_>) -> Result<Entry, ReadError> {
        let read = |row: &Row<'_>| -> rusqlite::Result<(u64, u64, String, Vec<u8>)> {
            Ok((unsigned(row, 0)?, unsigned(row, 1)?, row.get(2)?, row.get(3)?))
        };
        let (seq, at, body, written) = read(row).map_err(|e| self.damaged(&e.to_string()))?;
        if seq != self.seq + 1 {
            return Err(self.damaged("the event is missing"));
        }
        let expected = link(&self.link, seq, at, body.as_bytes());
        if expected != *written {
            return Err(self.damaged("its checksum does not match"));
        }
        (self.link, self.seq) = (expected, seq);
        let event = event(&body).map_err(|unread| ReadError::UnknownEvent {
            task: self.task.clone(),
            seq,
            why: unread.to_string(),
        })?;
        Ok(Entry { seq, at: Timestamp(at), event })
    }

    fn damaged(&self, why: &str) -> ReadError {
        ReadError::Damaged { task: self.task.clone(), seq: self.seq + 1, why: why.to_owned() }
    }
}

fn status(word: &str) -> TaskStatus {
    TaskStatus::of_word(word).unwrap_or(TaskStatus::Pending)
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

fn store(error: &rusqlite::Error) -> ReadError {
    ReadError::Store(error.to_string())
}
