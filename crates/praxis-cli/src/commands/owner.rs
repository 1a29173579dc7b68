//! `praxis __owner`: drives tasks in the background and leaves when nothing can run.

use crate::failure::CommandFailure;
use crate::home::{CliContext, runtime};
use crate::office;
use std::process::ExitCode;
use std::time::Duration;

/// How long it waits for the order that it was started for.
const FIRST_ORDER: Duration = Duration::from_secs(2);

pub(crate) fn run(desk: &CliContext) -> Result<ExitCode, CommandFailure> {
    // It must outlive the terminal that started it; as a group leader it does already.
    let _ = nix::unistd::setsid();
    runtime()?.block_on(async {
        let Some(owner) = office::try_own(desk).await? else { return Ok(ExitCode::SUCCESS) };
        let mut news = owner.engine.subscribe();
        // Whatever happens in the meantime, an order or nothing, it then stays until all is done.
        let _ = tokio::time::timeout(FIRST_ORDER, news.recv()).await;
        office::leave(owner).await?;
        Ok(ExitCode::SUCCESS)
    })
}
