//! `praxis __owner`: drives tasks in the background and leaves when nothing can run.

use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::send_order;
use std::process::ExitCode;
use std::time::Duration;

/// How long it waits for the order that it was started for.
const FIRST_ORDER: Duration = Duration::from_secs(2);

pub(crate) fn run(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    // It must outlive the terminal that started it; as a group leader it does already.
    let _ = nix::unistd::setsid();
    runtime()?.block_on(async {
        let Some(owner) = send_order::try_own(context).await? else { return Ok(ExitCode::SUCCESS) };
        let mut news = owner.engine.subscribe();
        // Whatever happens in the meantime, an order or nothing, it then stays until all is done.
        let _ = tokio::time::timeout(FIRST_ORDER, news.recv()).await;
        send_order::leave(owner).await?;
        Ok(ExitCode::SUCCESS)
    })
}
