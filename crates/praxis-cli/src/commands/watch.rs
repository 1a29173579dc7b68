//! `praxis watch`: follows a task that another process drives.

use super::follow::Follower;
use crate::args::Watch;
use crate::failure::Failure;
use crate::home::{Desk, runtime};
use std::process::ExitCode;

pub(crate) fn run(desk: &Desk, watch: &Watch) -> Result<ExitCode, Failure> {
    let task = desk.task(&desk.reader()?, &watch.which)?;
    runtime()?.block_on(async {
        let mut follower = Follower::new(desk, watch.from)?;
        tokio::select! {
            followed = follower.follow(&task, std::future::pending) => followed?,
            // Looking away changes nothing for the task.
            _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
        }
        follower.conclude(&task)
    })
}
