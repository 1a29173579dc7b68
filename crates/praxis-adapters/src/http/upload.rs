//! A multipart body of form fields and files, read from disk while it is sent.
//!
//! - in: form fields, and files found inside the granted folders
//! - out: a body of known length
//! - never: holds a whole file in memory, or lets a name or a value end its part

use super::pairs::UrlPairs;
use http_body::{Body as Pieces, Frame, SizeHint};
use praxis_core::fault::Fault;
use praxis_core::hash::content_hash;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_fence::{FencedPath, MOST_BYTES, NotAFile, must_be_file};
use reqwest::Body;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use thiserror::Error;
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};

/// The maximum number of bytes of a file in memory.
const CHUNK: u64 = 64 * 1024;
/// The maximum number of files in one request.
const MAX_FILES: usize = 32;

type UploadChunk = <Body as Pieces>::Data;

/// A file to send.
#[derive(Clone, Debug)]
pub(crate) struct AttachedFile {
    /// The name of its form field.
    pub(crate) field: String,
    /// Its path, as written.
    pub(crate) path: PathBuf,
    /// The file name that is sent; by default the last part of `path`.
    pub(crate) filename: Option<String>,
    /// Its content type.
    pub(crate) kind: Option<String>,
}

/// The reason for which a body cannot be built.
#[derive(Debug, Error)]
pub(crate) enum UploadError {
    #[error("a request can send at most {MAX_FILES} files")]
    TooMany,
    #[error("the value of `{0}` contains the multipart boundary")]
    Mark(String),
    #[error(transparent)]
    NoFile(#[from] NotAFile),
    #[error("the files are larger than {} MiB in total", MOST_BYTES / 1024 / 1024)]
    TooLong,
    /// The call was dropped.
    #[error("the call was dropped")]
    Dropped,
}

impl UploadError {
    /// Converts to the `Fault` of the call.
    pub(crate) fn into_fault(self, tool: &ToolId) -> Fault {
        let message = self.to_string();
        let (why, retryable) = match self {
            Self::Dropped => return Fault::Cancelled { reason: message },
            Self::NoFile(no_file) => (no_file.words().into(), no_file.may_pass()),
            Self::TooMany | Self::Mark(_) | Self::TooLong => {
                (Bilingual::untranslated(message), false)
            }
        };
        Fault::tool_failed(tool.clone(), why, retryable)
    }
}

/// A multipart body of form fields and files.
pub(crate) struct MultipartUpload {
    boundary: String,
    pieces: Vec<UploadPiece>,
}

enum UploadPiece {
    Text(String),
    File { path: PathBuf, length: u64 },
}

impl MultipartUpload {
    /// Builds a body. Files are measured now and read when they are sent. The boundary is derived from the
    /// idempotency key, so that nobody can guess it without knowing the task.
    pub(crate) async fn new(
        pairs: UrlPairs,
        files: Vec<(AttachedFile, FencedPath)>,
        key: &str,
    ) -> Result<Self, UploadError> {
        let hash = content_hash(key.as_bytes());
        let boundary = format!("praxis-{}", hash.get(..40).unwrap_or(&hash));
        let made = tokio::task::spawn_blocking(move || pieces(&boundary, pairs, files));
        made.await.unwrap_or(Err(UploadError::Dropped))
    }

    pub(super) fn kind(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// Returns the bytes, from the beginning.
    pub(super) async fn body(&self) -> io::Result<Body> {
        let mut sending = SendingBody { pieces: VecDeque::new(), left: 0 };
        for piece in &self.pieces {
            let (opened, length) = match piece {
                UploadPiece::Text(text) => (OpenedPiece::Text(text.clone()), text.len() as u64),
                UploadPiece::File { path, length } => {
                    (OpenedPiece::File(File::open(path).await?, *length), *length)
                }
            };
            sending.left += length;
            sending.pieces.push_back(opened);
        }
        Ok(Body::wrap(sending))
    }
}

fn pieces(
    boundary: &str,
    pairs: UrlPairs,
    files: Vec<(AttachedFile, FencedPath)>,
) -> Result<MultipartUpload, UploadError> {
    if files.len() > MAX_FILES {
        return Err(UploadError::TooMany);
    }
    let mut pieces = Vec::new();
    for (name, value) in pairs {
        if name.contains(boundary) || value.contains(boundary) {
            return Err(UploadError::Mark(name));
        }
        let name = quoted(&name);
        pieces.push(UploadPiece::Text(format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        )));
    }
    let mut total = 0;
    for (file, place) in files {
        let length = must_be_file(&place.real)?;
        total += length;
        if total > MOST_BYTES {
            return Err(UploadError::TooLong);
        }
        pieces.push(UploadPiece::Text(head(boundary, &file)));
        pieces.push(UploadPiece::File { path: place.real, length });
        pieces.push(UploadPiece::Text("\r\n".to_owned()));
    }
    pieces.push(UploadPiece::Text(format!("--{boundary}--\r\n")));
    Ok(MultipartUpload { boundary: boundary.to_owned(), pieces })
}

fn head(boundary: &str, file: &AttachedFile) -> String {
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let filename = file.filename.clone().or_else(|| last(&file.path)).unwrap_or_default();
    let (field, filename) = (quoted(&file.field), quoted(&filename));
    let kind = file.kind.as_deref().unwrap_or("application/octet-stream");
    format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{filename}\"\r\n\
         content-type: {kind}\r\n\r\n"
    )
}

/// Escapes a name so that it cannot end its quotes or its line.
fn quoted(name: &str) -> String {
    let plain = name.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22");
    plain.chars().filter(|c| !c.is_control()).collect()
}

enum OpenedPiece {
    Text(String),
    File(File, u64),
}

/// The pieces that are still to be sent.
struct SendingBody {
    pieces: VecDeque<OpenedPiece>,
    left: u64,
}

impl Pieces for SendingBody {
    type Data = UploadChunk;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<UploadChunk>>>> {
        let bytes = match self.pieces.front_mut() {
            None => return Poll::Ready(None),
            Some(OpenedPiece::Text(text)) => std::mem::take(text).into_bytes(),
            Some(OpenedPiece::File(_, 0)) => Vec::new(),
            Some(OpenedPiece::File(file, left)) => {
                let bytes = ready!(read(file, *left, context))?;
                *left -= bytes.len() as u64;
                bytes
            }
        };
        if !matches!(self.pieces.front(), Some(OpenedPiece::File(_, 1..))) {
            self.pieces.pop_front();
        }
        self.left = self.left.saturating_sub(bytes.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(UploadChunk::from(bytes)))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Reads the next bytes of a file. A file that became shorter is an error, since its length was sent already.
fn read(file: &mut File, left: u64, context: &mut Context<'_>) -> Poll<io::Result<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(left.min(CHUNK)).unwrap_or_default()];
    let mut buffer = ReadBuf::new(&mut bytes);
    ready!(Pin::new(file).poll_read(context, &mut buffer))?;
    let length = buffer.filled().len();
    if length == 0 {
        return Poll::Ready(Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "a file became shorter",
        )));
    }
    bytes.truncate(length);
    Poll::Ready(Ok(bytes))
}
