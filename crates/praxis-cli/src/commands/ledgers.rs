//! Cache of task accounts for `praxis why`, which follows forks to their parents.

use super::address::ValueAddress;
use super::show::no_step;
use crate::failure::CommandFailure;
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::view::account::Accounts;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A task at a sequence number of its journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskMoment {
    pub(crate) task: TaskId,
    pub(crate) seq: u64,
}

/// `Accounts` by task and sequence number.
pub(crate) struct Ledgers<'a> {
    reader: &'a JournalReader,
    read: BTreeMap<TaskMoment, Option<Rc<Accounts>>>,
}

impl<'a> Ledgers<'a> {
    pub(crate) fn new(reader: &'a JournalReader) -> Self {
        Self { reader, read: BTreeMap::new() }
    }

    /// Reads the current accounts of a task; fails if the task cannot be read.
    pub(crate) fn open(
        &mut self,
        task: &TaskId,
    ) -> Result<(TaskMoment, Rc<Accounts>), CommandFailure> {
        let accounts = Rc::new(self.accounts(task, u64::MAX)?);
        let now = TaskMoment { task: task.clone(), seq: accounts.state.seq };
        self.read.insert(now.clone(), Some(Rc::clone(&accounts)));
        Ok((now, accounts))
    }

    /// Returns the accounts of a task at a moment, or `None` if it was erased or cannot be read.
    pub(crate) fn find(&mut self, moment: &TaskMoment) -> Option<Rc<Accounts>> {
        if !self.read.contains_key(moment) {
            let found = self.accounts(&moment.task, moment.seq).ok().map(Rc::new);
            self.read.insert(moment.clone(), found);
        }
        self.read.get(moment).cloned().flatten()
    }

    /// Returns the accounts that contain the step of an address: the current ones or, for a step inside another step
    /// that has ended, those at the last event of the inner step.
    pub(crate) fn with_step(
        &mut self,
        (now, accounts): (TaskMoment, Rc<Accounts>),
        word: &str,
    ) -> Result<(TaskMoment, Rc<Accounts>), CommandFailure> {
        let is_there = ValueAddress::read(&accounts.state, word)
            .is_ok_and(|address| address.step.as_str().contains('/') || !word.contains('/'));
        if is_there {
            return Ok((now, accounts));
        }
        let entries = self.reader.entries(&now.task, 0)?;
        let past = last_of(&entries, word).map(|seq| TaskMoment { task: now.task.clone(), seq });
        let found = past.and_then(|past| self.find(&past).map(|accounts| (past, accounts)));
        // `each[9]/a` is no parameter of `each`.
        if found.is_none() && word.contains("]/") {
            return Err(no_step(&accounts.state, word));
        }
        Ok(found.unwrap_or((now, accounts)))
    }

    fn accounts(&self, task: &TaskId, last: u64) -> Result<Accounts, CommandFailure> {
        let entries = self.reader.entries(task, 0)?;
        Accounts::read(entries.iter().take_while(|entry| entry.seq <= last))
            .map_err(CommandFailure::illegal)
    }
}

/// Returns the last event of the inner step (an id with `/`) that `word` starts with; the longest matching id wins.
pub(crate) fn last_of(entries: &[Entry], word: &str) -> Option<u64> {
    let mut found: Option<(usize, u64)> = None;
    for entry in entries.iter().filter(|_| word.contains('/')) {
        let value = serde_json::to_value(entry).unwrap_or_default();
        let step = value.get("step").and_then(Value::as_str).filter(|step| step.contains('/'));
        let Some(step) = step else { continue };
        let rest = word.strip_prefix(step);
        let is_it = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        if is_it && found.is_none_or(|(length, _)| length <= step.len()) {
            found = Some((step.len(), entry.seq));
        }
    }
    found.map(|(_, seq)| seq)
}
