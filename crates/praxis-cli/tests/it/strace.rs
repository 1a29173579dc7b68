//! Faults in system calls, without any help from the binary.
//!
//! strace counts calls by thread. On a new folder the main thread creates the database; on an old
//! one only the journal's thread writes to the log of the database, unless lone commits are allowed.

use crate::rig::{Rig, finish, skip};
use std::process::{Command, Output, Stdio};

/// A kill at the call with a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    pub(crate) calls: &'static str,
    pub(crate) number: usize,
    /// Only calls on this file of the data folder.
    pub(crate) file: Option<&'static str>,
    /// Whether the threads that drive tasks may commit.
    pub(crate) lone: bool,
}

/// Whether strace can be used; says so if not.
pub(crate) fn is_here() -> bool {
    let found = Command::new("strace").arg("--version").stdout(Stdio::null()).status();
    let here = found.is_ok_and(|status| status.success());
    if !here {
        skip("strace is missing: no faults are injected into system calls");
    }
    here
}

impl Kill {
    /// Runs the plan until then.
    pub(crate) fn run(&self, rig: &Rig) -> Output {
        let (calls, number) = (self.calls, self.number);
        let mut words = vec![
            "-e".to_owned(),
            format!("trace={calls}"),
            "-e".to_owned(),
            format!("inject={calls}:signal=SIGKILL:when={number}"),
        ];
        if let Some(file) = self.file {
            words.extend(["-P".to_owned(), rig.data().join(file).display().to_string()]);
        }
        let before = [quiet(), words].concat();
        let mut command = rig.praxis_under("strace", &before, &rig.run_words());
        finish(rig, command.env("PRAXIS_JOURNAL_LONE_COMMITS", self.lone.to_string()))
    }
}

/// Follows threads, not programs; prints nothing.
fn quiet() -> Vec<String> {
    ["-f", "-b", "execve", "-qq", "-o", "/dev/null"].map(str::to_owned).to_vec()
}
