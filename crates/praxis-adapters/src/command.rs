//! Tools that are programs: JSON on stdin, JSON on stdout, stderr kept in a log.
//!
//! A program runs under a keeper, `praxis __exec`, which holds one end of a pipe. When the pipe closes, because the
//! call was dropped or because Praxis died, the keeper kills the program and all its descendants. While it lives it
//! holds a lock file, so that a new owner of the data folder can wait until the old programs are gone.

use crate::answer;
use crate::secrets::Vault;
use praxis_core::call::tool::{CommandTransport, Tool};
use praxis_core::fault::Fault;
use praxis_core::ids::{StepId, TaskId, ToolId};
use praxis_core::lang::Bilingual;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};

/// The maximum output of a program in bytes, unless its manifest sets `limits.output_bytes`.
pub const DEFAULT_OUTPUT_BYTES: u64 = 16 * 1024 * 1024;
/// The maximum number of stderr bytes that are kept.
const STDERR_BYTES: u64 = 256 * 1024;
/// The exit code of a program that may succeed on a retry (`EX_TEMPFAIL`).
const TRY_AGAIN: i32 = 75;
/// The exit code of a keeper that could not start the program.
pub const NOT_STARTED: u8 = 127;
/// The prefix of the keeper's message on stderr in that case.
pub const NOT_STARTED_WORDS: &str = "praxis: cannot start ";

/// The settings for running programs under keepers.
#[derive(Clone, Debug)]
pub struct Keeper {
    /// The path of the `praxis` binary.
    pub binary: PathBuf,
    /// The folder of the keepers' lock files.
    pub locks: PathBuf,
    /// The folder of the programs' stderr logs.
    pub logs: PathBuf,
    /// The environment variables that are passed on to programs.
    pub environment: Vec<(String, String)>,
}

/// A program as a `Callable`.
pub struct CommandCall {
    tool: ToolId,
    command: CommandTransport,
    most: u64,
    keeper: Keeper,
    vault: Arc<Vault>,
}

impl CommandCall {
    /// Creates the call for the program of a manifest.
    pub fn new(tool: &Tool, command: &CommandTransport, keeper: Keeper, vault: Arc<Vault>) -> Self {
        let most = tool.limits.output_bytes.unwrap_or(DEFAULT_OUTPUT_BYTES);
        Self { tool: tool.id.clone(), command: command.clone(), most, keeper, vault }
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, FailedCall> {
        let mut child = self.start(&invocation)?;
        let mut lifeline = child.stdin.take();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let input = invocation.arguments.to_string();
        let ((), out, err) = tokio::join!(
            feed(&mut lifeline, input.as_bytes()),
            read_most(out, self.most + 1),
            read_most(err, STDERR_BYTES),
        );
        let err = self.vault.hide(&String::from_utf8_lossy(&err)).into_owned();
        self.keep_log(&invocation, &err).await;
        if out.len() as u64 > self.most {
            return Err(Fault::OutputTooLarge { tool: self.tool.clone(), limit: self.most }.into());
        }
        let status = child.wait().await.map_err(|error| self.broke(&error.to_string()))?;
        // Closing the pipe earlier would tell the keeper that the call was dropped.
        drop(lifeline);
        self.answer(status, &out, &err)
    }

    fn start(&self, invocation: &Invocation) -> Result<Child, Fault> {
        let unavailable =
            |message: String| Fault::ToolUnavailable { tool: self.tool.clone(), message };
        let mut command = tokio::process::Command::new(&self.keeper.binary);
        command
            .arg(crate::keeper::KEEPER)
            .arg(&self.keeper.locks)
            .arg("--")
            .args(&self.command.argv);
        command.env_clear().envs(self.keeper.environment.iter().map(|(k, v)| (k, v)));
        for (name, value) in &self.command.env {
            let refused = |why| Fault::refused(self.tool.clone(), why);
            command.env(name, self.vault.reveal(value).map_err(refused)?);
        }
        command.env("PRAXIS_TASK", invocation.task.as_str());
        command.env("PRAXIS_STEP", invocation.step.as_str());
        command.env("PRAXIS_ATTEMPT", invocation.attempt.to_string());
        command.env("PRAXIS_IDEMPOTENCY_KEY", &invocation.key);
        if let Some(folder) = &self.command.cwd {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| unavailable(error.to_string()))
    }

    fn answer(&self, status: ExitStatus, out: &[u8], err: &str) -> Result<Value, FailedCall> {
        let tool = self.tool.clone();
        if status.code() == Some(i32::from(NOT_STARTED)) && err.contains(NOT_STARTED_WORDS) {
            return Err(Fault::ToolUnavailable { tool, message: last_lines(err) }.into());
        }
        let Some(code) = status.code() else {
            return Err(self.broke(&format!("it ended with {status}; {}", last_lines(err))).into());
        };
        if code > 128 {
            let message = format!("it was killed by signal {}; {}", code - 128, last_lines(err));
            return Err(self.broke(&message).into());
        }
        let output = answer::value(out);
        if code != 0 {
            let said = output.get("error").map(|error| error.get("message").unwrap_or(error));
            let message = said.and_then(Value::as_str).map(str::to_owned);
            let retryable = code == TRY_AGAIN
                || output.pointer("/error/retryable").and_then(Value::as_bool).unwrap_or(false);
            let message =
                message.unwrap_or_else(|| format!("exit code {code}: {}", last_lines(err)));
            let fault = Fault::tool_failed(tool, Bilingual::untranslated(message), retryable);
            return Err(FailedCall { fault, output: Some(output).filter(|said| !said.is_null()) });
        }
        match &self.command.success {
            Some(rule) if !rule.holds(&output) => {
                let message = format!("its answer does not have {} = {}", rule.field, rule.equals);
                let fault = Fault::tool_failed(tool, Bilingual::untranslated(message), false);
                Err(FailedCall { fault, output: Some(output) })
            }
            _ => Ok(output),
        }
    }

    fn broke(&self, message: &str) -> Fault {
        Fault::ToolBroke {
            tool: self.tool.clone(),
            message: message.to_owned(),
            retry_after_ms: None,
        }
    }

    /// Writes stderr to the log of the attempt. Errors are ignored: a missing log must not fail the call.
    async fn keep_log(&self, invocation: &Invocation, err: &str) {
        if err.is_empty() {
            return;
        }
        let place =
            log_place(&self.keeper.logs, &invocation.task, &invocation.step, invocation.attempt);
        if let Some(folder) = place.parent() {
            let _ = tokio::fs::create_dir_all(folder).await;
        }
        let _ = tokio::fs::write(place, err).await;
    }
}

impl Callable for CommandCall {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(self.run(invocation))
    }
}

/// Returns the path of the stderr log of an attempt. Characters of ids that are unsafe in file names are escaped.
pub fn log_place(logs: &Path, task: &TaskId, step: &StepId, attempt: u32) -> PathBuf {
    let safe = |name: &str| -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let shown = |c| if plain(c) { c.to_string() } else { format!("%{:x}", u32::from(c)) };
        name.chars().map(shown).collect()
    };
    logs.join(safe(task.as_str())).join(format!("{}-{attempt}.stderr", safe(step.as_str())))
}

/// Sends the length of the input and the input, and leaves the pipe open: it is the keeper's lifeline.
async fn feed(lifeline: &mut Option<ChildStdin>, input: &[u8]) {
    let Some(pipe) = lifeline else { return };
    // A program that does not read its input is no error.
    let _ = pipe.write_all(format!("{}\n", input.len()).as_bytes()).await;
    let _ = pipe.write_all(input).await;
    let _ = pipe.flush().await;
}

/// Reads up to `most` bytes and discards the rest, so that the program does not block on a full pipe.
async fn read_most(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut pipe) = pipe else { return kept };
    // On an error, the bytes read so far are returned.
    let _ = (&mut pipe).take(most).read_to_end(&mut kept).await;
    if (kept.len() as u64) < most {
        return kept;
    }
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    kept
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().rev().take(5).collect();
    let joined: Vec<&str> = lines.into_iter().rev().collect();
    if joined.is_empty() { "it said nothing on stderr".to_owned() } else { joined.join(" / ") }
}
