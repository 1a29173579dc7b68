//! The accounts of tasks, each read once: `why` goes from a fork to its parent.

use crate::failure::Failure;
use praxis_adapters::sqlite::Reader;
use praxis_core::finalize::account::Accounts;
use praxis_core::ids::TaskId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A task as it was after an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) task: TaskId,
    pub(crate) seq: u64,
}

/// Accounts by task and moment.
pub(crate) struct Ledgers<'a> {
    reader: &'a Reader,
    read: BTreeMap<Moment, Option<Rc<Accounts>>>,
}

impl<'a> Ledgers<'a> {
    pub(crate) fn new(reader: &'a Reader) -> Self {
        Self { reader, read: BTreeMap::new() }
    }

    /// The accounts of a task that must be there, as it is now.
    pub(crate) fn open(&mut self, task: &TaskId) -> Result<(Moment, Rc<Accounts>), Failure> {
        let accounts = Rc::new(self.accounts(task, u64::MAX)?);
        let now = Moment { task: task.clone(), seq: accounts.state.seq };
        self.read.insert(now.clone(), Some(Rc::clone(&accounts)));
        Ok((now, accounts))
    }

    /// The accounts of a task at a moment; none if it was erased or cannot be read.
    pub(crate) fn find(&mut self, moment: &Moment) -> Option<Rc<Accounts>> {
        if !self.read.contains_key(moment) {
            let found = self.accounts(&moment.task, moment.seq).ok().map(Rc::new);
            self.read.insert(moment.clone(), found);
        }
        self.read.get(moment).cloned().flatten()
    }

    fn accounts(&self, task: &TaskId, last: u64) -> Result<Accounts, Failure> {
        let entries = self.reader.entries(task, 0)?;
        Accounts::read(entries.iter().take_while(|entry| entry.seq <= last))
            .map_err(Failure::illegal)
    }
}
