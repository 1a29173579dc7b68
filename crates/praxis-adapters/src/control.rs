//! The control socket of a data folder: one `ClientOrder` per line, one answer per line.
//!
//! The owner listens; any other process of the same user may send. A client whose connection breaks does not know
//! whether its order was carried out, and sends it again to the current owner: orders to run carry an idempotency
//! key, and a repeated order of any other kind is refused.

use crate::folder::DataFolder;
use praxis_core::problem::Problem;
use praxis_engine::engine::Engine;
use praxis_engine::order::{ClientOrder, OrderReceipt};
use praxis_engine::refused::{OrderRefused, RefusedKind};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

/// The maximum size of an order in bytes: a plan with its parameters.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A listener for orders; it stops when dropped.
pub struct Listening {
    task: JoinHandle<()>,
    path: std::path::PathBuf,
    /// True once the owner is leaving: no further order is started.
    leaving: Arc<AtomicBool>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.leaving.store(true, Ordering::SeqCst);
        self.task.abort();
        let _ = fs::remove_file(&self.path);
    }
}

/// Starts to listen. Only the owner of the folder may call this.
pub fn listen(folder: &DataFolder, engine: Engine) -> std::io::Result<Listening> {
    let path = folder.control_socket();
    // Removes the socket of a dead owner: the ownership lock guarantees that no other owner is alive.
    let _ = fs::remove_file(&path);
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    let leaving = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&leaving);
    let task = tokio::spawn(async move {
        loop {
            // Running out of descriptors or memory passes: the connection waits in the queue of the socket meanwhile.
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let (engine, leaving) = (engine.clone(), Arc::clone(&told));
            tokio::spawn(async move {
                // A client that disconnects is no error.
                let _ = serve(stream, &engine, &leaving).await;
            });
        }
    });
    Ok(Listening { task, path, leaving })
}

async fn serve(stream: UnixStream, engine: &Engine, leaving: &AtomicBool) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read.take(MOST_BYTES));
    let mut line = String::new();
    while lines.read_line(&mut line).await? > 0 {
        // Busy before the check: an owner that leaves either waits for this order, or closes the connection without
        // an answer and the client asks the next owner.
        let _busy = engine.busy();
        if leaving.load(Ordering::SeqCst) {
            return Ok(());
        }
        let answer = match serde_json::from_str::<ClientOrder>(&line) {
            Ok(order) => engine.carry_out(order).await,
            Err(error) => Err(unreadable(&error)),
        };
        let mut text = serde_json::to_string(&answer).unwrap_or_default();
        text.push('\n');
        write.write_all(text.as_bytes()).await?;
        line.clear();
        lines.get_mut().set_limit(MOST_BYTES);
    }
    Ok(())
}

fn unreadable(error: &serde_json::Error) -> OrderRefused {
    let words = (
        format!("the owner process of the data folder does not understand the request: {error}"),
        format!("占用数据文件夹的 praxis 进程无法识别该请求：{error}"),
    );
    OrderRefused {
        kind: RefusedKind::Invalid,
        problems: vec![Problem::new("bad_order", "", words)],
    }
}

/// The reason for which an order did not reach an owner.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No process listens on the socket.
    #[error("no process owns the data folder")]
    NoOwner,
    /// The owner left before it answered; the order may or may not have been carried out.
    #[error("the owner process exited before it answered")]
    Lost,
}

/// Sends an order to the owner and returns its answer.
pub async fn send(
    socket: &Path,
    order: &ClientOrder,
) -> Result<Result<OrderReceipt, OrderRefused>, ControlError> {
    let stream = UnixStream::connect(socket).await.map_err(|_| ControlError::NoOwner)?;
    let (read, mut write) = stream.into_split();
    let mut text = serde_json::to_string(order).unwrap_or_default();
    text.push('\n');
    write.write_all(text.as_bytes()).await.map_err(|_| ControlError::Lost)?;
    let mut line = String::new();
    let read = BufReader::new(read).read_line(&mut line).await.map_err(|_| ControlError::Lost)?;
    if read == 0 {
        return Err(ControlError::Lost);
    }
    serde_json::from_str(&line).map_err(|_| ControlError::Lost)
}
