//! `praxis __owner`: drives tasks in the background and exits when nothing can run.

use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::send_order;
use std::process::ExitCode;
use std::time::Duration;

/// The hidden subcommand.
pub(crate) const NAME: &str = "__owner";

/// Time to wait for the order that the process was started for.
const FIRST_ORDER: Duration = Duration::from_secs(2);

pub(crate) fn run(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    // The owner must outlive the terminal that started it. `setsid` fails for a group leader, which does already.
    let _ = nix::unistd::setsid();
    runtime()?.block_on(async {
        let Some(owner) = send_order::try_own(context).await? else { return Ok(ExitCode::SUCCESS) };
        let mut news = owner.engine.subscribe();
        // After an order or the timeout, the owner stays until nothing runs.
        let _ = tokio::time::timeout(FIRST_ORDER, news.recv()).await;
        send_order::leave(owner).await?;
        Ok(ExitCode::SUCCESS)
    })
}
