//! The writer: commits all waiting appends together.
//!
//! - in: appends of any number of tasks
//! - out: one synced commit for all of them, then an answer to each
//! - never: acknowledges an append before its commit, or any append after a failed sync

use super::line::CommitQueue;
use super::log::WriteAheadLog;
use super::signed;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::journal::chain::{ChainLink, link};
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{AppendError, JournalAppend, TaskOpening};
use rusqlite::{Connection, ErrorCode, OptionalExtension, named_params, params};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Counts the tasks of a tenant that have not ended, up to a limit.
const OPEN_TASKS: &str = "select count(*) from (select 1 from tasks where tenant = ?1 and created_at >= ?2 \
                          and status not in ('completed', 'failed', 'cancelled', 'erased') limit ?3)";
/// Counts the tasks of a tenant that began after a time, up to a limit, among the last 100,000 tasks.
const BEGUN: &str = "select count(*) from (select 1 from tasks where n > (select coalesce(max(n), 0) from tasks) - 100000 \
                     and tenant = ?1 and created_at > ?2 limit ?3)";
/// Maximum time for which readers may delay the checkpoint when the journal is closed.
const CLOSE: Duration = Duration::from_millis(100);

/// An append and the channel for its answer.
pub(super) struct AppendJob {
    pub(super) append: Arc<JournalAppend>,
    pub(super) reply: oneshot::Sender<Result<(), AppendError>>,
}

/// Work for the writer thread.
pub(super) enum WriterWork {
    /// Commit an append together with all others in the queue.
    Append(Box<AppendJob>),
    /// Erase a task.
    Erase { task: TaskId, at: Timestamp, reply: oneshot::Sender<Result<Vec<BlobId>, AppendError>> },
    /// Maintain the write-ahead log.
    Tend,
}

/// End of a task's hash chain.
#[derive(Clone, Copy)]
pub(super) struct ChainHead {
    n: i64,
    seq: u64,
    link: ChainLink,
    /// Status in the task's row, if this writer wrote it.
    status: Option<TaskStatus>,
}

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) log: WriteAheadLog,
    /// Chain ends of the tasks that are being written.
    pub(super) heads: BTreeMap<TaskId, ChainHead>,
    next_position: i64,
    /// Reason why nothing is acknowledged any more.
    pub(super) broken: Option<String>,
    most: usize,
}

impl Writer {
    pub(super) fn new(mut connection: Connection, most: usize) -> rusqlite::Result<Self> {
        let log = WriteAheadLog::of(&mut connection)?;
        let last: Option<i64> =
            connection.query_row("select max(position) from events", [], |row| row.get(0))?;
        let next_position = last.unwrap_or(0) + 1;
        let heads = BTreeMap::new();
        Ok(Self { connection, log, heads, next_position, broken: None, most })
    }

    /// Commits `first` and the work in the queue, up to `most` appends. Returns the number of appends in the last
    /// commit.
    pub(super) fn work(&mut self, first: WriterWork, line: &CommitQueue) -> usize {
        let (mut group, mut next) = (Vec::new(), first);
        loop {
            match next {
                WriterWork::Append(job) => group.push(*job),
                WriterWork::Erase { task, at, reply } => {
                    self.commit(&mut group);
                    let _ = reply.send(self.erase(&task, at));
                }
                // The log is maintained below, after every group.
                WriterWork::Tend => {}
            }
            if group.len() >= self.most {
                break;
            }
            match line.next() {
                Some(waiting) => next = waiting,
                None => break,
            }
        }
        let shared = group.len();
        self.commit(&mut group);
        self.tend_log();
        shared
    }

    /// Commits one append by itself. The log is maintained later, by the writer thread.
    pub(super) fn commit_alone(&mut self, append: Arc<JournalAppend>) -> Result<(), AppendError> {
        let (reply, mut answer) = oneshot::channel();
        self.commit(&mut vec![AppendJob { append, reply }]);
        answer.try_recv().unwrap_or_else(|_| Err(AppendError::Broken("no answer".to_owned())))
    }

    /// Empties the write-ahead log, unless a reader prevents it or the log cannot be trusted.
    pub(super) fn close(&self) {
        if self.broken.is_none() {
            let _ = self.connection.busy_timeout(CLOSE);
            let _ = self.connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()));
        }
    }

    fn commit(&mut self, group: &mut Vec<AppendJob>) {
        if group.is_empty() {
            return;
        }
        let result = match &self.broken {
            Some(why) => Err(AppendError::Broken(why.clone())),
            None => self.write(group),
        };
        match result {
            Ok(answers) => {
                for (job, answer) in group.drain(..).zip(answers) {
                    // The caller may have gone; the append stands.
                    let _ = job.reply.send(answer);
                }
            }
            Err(error) => {
                self.heads.clear();
                for job in group.drain(..) {
                    let _ = job.reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// Returns true if the log needs maintenance.
    pub(super) fn wants_tending(&self) -> bool {
        self.broken.is_none() && self.log.wants_tending()
    }

    fn tend_log(&mut self) {
        if self.wants_tending() {
            self.broken = self.log.tend(&self.connection).err();
        }
    }

    /// Writes a group in one transaction. An append that is refused does not affect the others.
    fn write(&mut self, group: &[AppendJob]) -> Result<Vec<Result<(), AppendError>>, AppendError> {
        let before = self.next_position;
        let result = self.transaction(group);
        result.map_err(|error| {
            self.next_position = before;
            let full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
            let rolled_back = self.connection.is_autocommit()
                || self.connection.execute_batch("rollback").is_ok();
            if full && rolled_back {
                return AppendError::Full;
            }
            // A failed sync may have lost data that it reported as written: nothing is trusted any more.
            let why = error.to_string();
            self.broken = Some(why.clone());
            AppendError::Broken(why)
        })
    }

    fn transaction(
        &mut self,
        group: &[AppendJob],
    ) -> rusqlite::Result<Vec<Result<(), AppendError>>> {
        self.connection.prepare_cached("begin immediate")?.execute([])?;
        let mut answers = Vec::with_capacity(group.len());
        for job in group {
            answers.push(self.append(&job.append)?);
        }
        self.connection.prepare_cached("commit")?.execute([])?;
        Ok(answers)
    }

    fn append(&mut self, append: &JournalAppend) -> rusqlite::Result<Result<(), AppendError>> {
        let head = match self.head(append)? {
            Ok(head) => head,
            Err(refused) => return Ok(Err(refused)),
        };
        if head.seq != append.after {
            return Ok(Err(AppendError::Conflict { expected: append.after, found: head.seq }));
        }
        let mut head = self.insert_events(append, head)?;
        self.update_row(append, head)?;
        head.status = Some(append.row.status);
        self.questions(append, head)?;
        for blob in &append.blobs {
            let sql = "insert or ignore into blob_uses (blob, task) values (?1, ?2)";
            self.connection.prepare_cached(sql)?.execute(params![blob.as_str(), head.n])?;
        }
        if append.row.status.is_final() {
            self.heads.remove(&append.task);
        } else {
            self.heads.insert(append.task.clone(), head);
        }
        Ok(Ok(()))
    }

    fn head(&mut self, append: &JournalAppend) -> rusqlite::Result<Result<ChainHead, AppendError>> {
        if let Some(head) = self.heads.get(&append.task) {
            return Ok(Ok(*head));
        }
        let sql = "select t.n, e.seq, e.link from tasks t join events e on e.task = t.n \
                   where t.id = ?1 order by e.seq desc limit 1";
        let known = self
            .connection
            .prepare_cached(sql)?
            .query_row([append.task.as_str()], |row| {
                let link: Vec<u8> = row.get(2)?;
                let link = ChainLink::try_from(link.as_slice()).unwrap_or_default();
                let seq: i64 = row.get(1)?;
                Ok(ChainHead { n: row.get(0)?, seq: seq.unsigned_abs(), link, status: None })
            })
            .optional()?;
        match (known, &append.opening) {
            (Some(head), _) => Ok(Ok(head)),
            (None, Some(_)) => self.open_task(append),
            (None, None) => Ok(Err(AppendError::Conflict { expected: append.after, found: 0 })),
        }
    }

    fn open_task(
        &mut self,
        append: &JournalAppend,
    ) -> rusqlite::Result<Result<ChainHead, AppendError>> {
        let Some(opening) = &append.opening else {
            return Ok(Err(AppendError::Conflict { expected: append.after, found: 0 }));
        };
        let (key, fingerprint) = opening.key.clone().unzip();
        if let Some(key) = &key {
            let taken: Option<(String, String)> = self
                .connection
                .prepare_cached("select id, fingerprint from tasks where tenant = ?1 and key = ?2")?
                .query_row(params![opening.tenant.as_str(), key], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            if let Some((task, asked)) = taken {
                let same = Some(asked) == fingerprint;
                return Ok(Err(AppendError::KeyTaken { task: TaskId::from(task), same }));
            }
        }
        if let Some(refused) = self.at_the_door(opening)? {
            return Ok(Err(refused));
        }
        let sql = "insert into tasks (tenant, id, goal, status, open_questions, epoch, done, total, seq, \
                   created_at, updated_at, key, fingerprint) \
                   values (:tenant, :id, :goal, 'pending', 0, 1, 0, 0, 0, :at, :at, :key, :fingerprint)";
        self.connection.prepare_cached(sql)?.execute(named_params! {
            ":tenant": opening.tenant.as_str(),
            ":id": append.task.as_str(),
            ":goal": opening.goal,
            ":at": signed(opening.at.0),
            ":key": key,
            ":fingerprint": fingerprint,
        })?;
        let n = self.connection.last_insert_rowid();
        Ok(Ok(ChainHead { n, seq: 0, link: ChainLink::default(), status: None }))
    }

    /// Returns a refusal if the tenant may not open another task. Only recent tasks can have begun within the window.
    fn at_the_door(&self, opening: &TaskOpening) -> rusqlite::Result<Option<AppendError>> {
        let limits = opening.intake_limits;
        let count = |sql: &str, at: i64, most: u32| {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_row(params![opening.tenant.as_str(), at, most], |row| row.get(0))
        };
        let since = signed(opening.at.0.saturating_sub(limits.within_ms));
        let open: u32 = if limits.tasks > 0 { count(OPEN_TASKS, 0, limits.tasks)? } else { 0 };
        let begun: u32 =
            if limits.requests > 0 { count(BEGUN, since, limits.requests)? } else { 0 };
        Ok(limits.refuses(open, begun))
    }

    fn insert_events(
        &mut self,
        append: &JournalAppend,
        mut head: ChainHead,
    ) -> rusqlite::Result<ChainHead> {
        let sql = "insert into events (position, task, seq, at, body, link) values (?1, ?2, ?3, ?4, ?5, ?6)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for entry in &append.entries {
            head.link = link(&head.link, entry.seq, entry.at.0, entry.body.as_bytes());
            head.seq = entry.seq;
            let (seq, at) = (signed(entry.seq), signed(entry.at.0));
            insert.execute(params![
                self.next_position,
                head.n,
                seq,
                at,
                entry.body,
                &head.link[..]
            ])?;
            self.next_position += 1;
        }
        Ok(head)
    }

    /// Updates the task's row. The status is indexed, and an index is written even if the value stays the same, so an
    /// unchanged status is left out. That saves a page and half of the statement's work.
    fn update_row(&self, append: &JournalAppend, head: ChainHead) -> rusqlite::Result<()> {
        let row = &append.row;
        let at = append.entries.last().map_or(0, |entry| entry.at.0);
        if head.status != Some(row.status) {
            let sql = "update tasks set status = ?1 where n = ?2";
            self.connection.prepare_cached(sql)?.execute(params![row.status.word(), head.n])?;
        }
        let sql = "update tasks set waits_for = ?1, wake_at = ?2, open_questions = ?3, epoch = ?4, \
                   done = ?5, total = ?6, seq = ?7, updated_at = ?8 where n = ?9";
        self.connection.prepare_cached(sql)?.execute(params![
            row.waits_for,
            row.wake_at.map(|at| signed(at.0)),
            row.open_questions,
            row.epoch,
            row.done,
            row.total,
            signed(head.seq),
            signed(at),
            head.n,
        ])?;
        Ok(())
    }

    fn questions(&self, append: &JournalAppend, head: ChainHead) -> rusqlite::Result<()> {
        for question in &append.closed {
            let sql = "delete from questions where id = ?1";
            self.connection.prepare_cached(sql)?.execute([question.as_str()])?;
        }
        for question in &append.asked {
            let sql = "insert into questions (id, tenant, task, asked_at, body) \
                       select ?1, tenant, n, ?2, ?3 from tasks where n = ?4";
            let body = serde_json::to_string(question).unwrap_or_default();
            let at = append.entries.last().map_or(0, |entry| signed(entry.at.0));
            self.connection.prepare_cached(sql)?.execute(params![
                question.id.as_str(),
                at,
                body,
                head.n
            ])?;
        }
        Ok(())
    }
}
