//! Read-only access to the database, for any process.

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

/// A read-only connection to the journal.
pub struct JournalReader {
    connection: Connection,
}

/// A row of the task list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTask {
    /// Id of the task.
    pub task: TaskId,
    /// Goal of the task.
    pub goal: String,
    /// Status of the task.
    pub status: TaskStatus,
    /// The reason for which a waiting task waits.
    pub waits_for: Option<String>,
    /// Number of open questions.
    pub open_questions: u32,
    /// Number of successful steps.
    pub done: u32,
    /// Number of all steps.
    pub total: u32,
    /// Time of submission.
    pub created_at: Timestamp,
    /// Time of the last event.
    pub updated_at: Timestamp,
}

/// An open question with its task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenQuestion {
    /// The task that the question belongs to.
    pub task: TaskId,
    /// Goal of the task.
    pub goal: String,
    /// Time at which it was asked.
    pub asked_at: Timestamp,
    /// The question.
    pub question: Question,
}

/// Filter of the task list.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// Status of the tasks to list; `None` for all.
    pub status: Option<TaskStatus>,
    /// Maximum number of tasks, newest first.
    pub most: u32,
}

impl JournalReader {
    /// Opens an existing database.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        for_reading(path).map(|connection| Self { connection })
    }

    /// Returns the entries of a task after a sequence number, verified against their hash chain.
    pub fn entries(&self, task: &TaskId, after: u64) -> Result<Vec<Entry>, ReadError> {
        let (entries, rest) = self.readable(task, after)?;
        rest.map_or(Ok(entries), Err)
    }

    /// Returns the entries up to the first that a later version wrote, and the error of that one.
    pub fn readable(
        &self,
        task: &TaskId,
        after: u64,
    ) -> Result<(Vec<Entry>, Option<ReadError>), ReadError> {
        // One transaction for row and events: the owner may be writing.
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

    /// Returns the task that holds an idempotency key, if any.
    pub fn holder(&self, tenant: &Tenant, key: &str) -> Result<Option<KeyHolder>, ReadError> {
        let sql = "select id, fingerprint from tasks where tenant = ?1 and key = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| {
            Ok(KeyHolder { task: TaskId::from(row.get::<_, String>(0)?), fingerprint: row.get(1)? })
        };
        statement.query_row(params![tenant.as_str(), key], read).optional().map_err(|e| store(&e))
    }

    /// Returns the tasks that can go on without a person, oldest first.
    pub fn runnable(&self) -> Result<Vec<TaskId>, ReadError> {
        let sql = "select id from tasks where status not in ('completed', 'failed', 'cancelled', 'erased') \
                   and (status <> 'waiting' or wake_at is not null) order by n";
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| store(&e))?;
        let read = |row: &Row<'_>| row.get::<_, String>(0).map(TaskId::from);
        let rows = statement.query_map([], read).map_err(|e| store(&e))?;
        rows.collect::<Result<_, _>>().map_err(|e| store(&e))
    }

    /// Returns the newest tasks.
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

    /// Returns the tasks whose id begins with `prefix`, at most two: enough to see that it is not unique.
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

    /// Checks the task table before a task is reported as missing: a damaged table or index may have lost it.
    fn vouch_for_tasks(&self) -> Result<(), ReadError> {
        let sql = "pragma integrity_check('tasks')";
        let found: String =
            self.connection.query_row(sql, [], |row| row.get(0)).map_err(|e| store(&e))?;
        if found == "ok" {
            return Ok(());
        }
        Err(ReadError::Store(format!("the list of tasks is damaged: {found}")))
    }

    /// Returns the task that was submitted last.
    pub fn last(&self) -> Result<Option<TaskId>, ReadError> {
        let listed = self.list(&TaskFilter { status: None, most: 1 })?;
        if listed.is_empty() {
            self.vouch_for_tasks()?;
        }
        Ok(listed.into_iter().next().map(|listed| listed.task))
    }

    /// Returns the open questions, oldest first, at most `most`.
    pub fn questions(&self, most: u32) -> Result<Vec<OpenQuestion>, ReadError> {
        self.waiting("order by q.asked_at, q.id limit ?1", params![most])
    }

    /// Returns the open questions whose id begins with `prefix`, at most two: enough to see that it is not unique.
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

    /// Runs `SQLite`'s quick check of the whole file. Returns `ok` or the damage.
    pub fn integrity(&self) -> Result<String, ReadError> {
        let check = self.connection.query_row("pragma quick_check(5)", [], |row| row.get(0));
        check.map_err(|e| store(&e))
    }
}

/// Position of a reader in the hash chain of a task.
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
