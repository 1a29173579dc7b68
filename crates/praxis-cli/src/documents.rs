//! Reads the document files of a goal, each with a size limit.

use crate::failure::{CommandFailure, Exit};
use praxis_adapters::library::read_bounded;
use praxis_core::goal::spec::GoalDocument;
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a document, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// Reads all documents; reports all problems at once.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<GoalDocument>, CommandFailure> {
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match read_bounded(path, MOST_BYTES) {
            Ok(bytes) => match text(bytes) {
                Ok(text) => documents.push(document(path, text)),
                Err(at) => problems.push(no_text(path, at)),
            },
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        return Ok(documents);
    }
    let missing = paths.iter().filter(|path| !path.exists()).count();
    let exit = if missing == problems.len() { Exit::NotFound } else { Exit::Usage };
    Err(CommandFailure { exit, problems })
}

/// Decodes the bytes as text, or returns the position of the first byte that is no UTF-8 or is NUL.
fn text(bytes: Vec<u8>) -> Result<String, usize> {
    let text = String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to())?;
    text.find('\0').map_or(Ok(text), Err)
}

fn document(path: &Path, text: String) -> GoalDocument {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    GoalDocument {
        // As typed, so that it can be passed to a tool that reads the file.
        name: path.display().to_string(),
        content: Payload::Json(Arc::new(Value::String(text))),
        doc_type: end.unwrap_or_default(),
        description: String::new(),
    }
}

fn no_text(path: &Path, at: usize) -> Problem {
    let words = (
        format!("not a UTF-8 text file: invalid byte at offset {at}"),
        format!("不是 UTF-8 文本文件：偏移 {at} 处的字节无效"),
    );
    let next = (
        "give a text file; for other files, put the path in the goal so that a tool can read it",
        "请给出文本文件；其他文件请在目标中写明路径，由工具读取",
    );
    Problem::new("file_unreadable", &path.display().to_string(), words).next(next)
}
