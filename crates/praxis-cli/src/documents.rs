//! Reads the texts that a goal is handed. Each is bounded.

use crate::failure::Failure;
use praxis_adapters::library::read_bounded;
use praxis_core::goal::brief::Document;
use praxis_core::payload::Payload;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest text.
const MOST_BYTES: u64 = 1024 * 1024;

/// The texts, or everything that is wrong with them.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Document>, Failure> {
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match read_bounded(path, MOST_BYTES) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => documents.push(document(path, text)),
                Err(error) => problems.push(no_text(path, error.utf8_error().valid_up_to())),
            },
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(documents) } else { Err(Failure::refused(problems, "")) }
}

fn document(path: &Path, text: String) -> Document {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    Document {
        // As it was typed: a tool that is to read the file can be given this.
        name: path.display().to_string(),
        content: Payload::Json(Arc::new(Value::String(text))),
        doc_type: end.unwrap_or_default(),
        description: String::new(),
    }
}

fn no_text(path: &Path, at: usize) -> praxis_core::intake::problem::Problem {
    let words = (
        format!("the file is no UTF-8 text at byte {at}"),
        format!("文件在第 {at} 字节处不是 UTF-8 文本"),
    );
    praxis_core::intake::problem::Problem::new(
        "file_unreadable",
        &path.display().to_string(),
        words,
    )
}
