//! Journal and blob checks of `praxis doctor`.

use super::doctor::Finding;
use crate::context::CliContext;
use crate::view::text::counted;
use praxis_adapters::blobs;
use praxis_adapters::sqlite::JournalReader;
use praxis_adapters::sqlite::reader::TaskFilter;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::state::State;
use praxis_engine::seams::ReadError;
use std::collections::BTreeMap;

/// Maximum number of tasks to read, newest first.
const MOST_TASKS: u32 = 1000;
/// Maximum number of blobs to read.
const MOST_BLOBS: usize = 10_000;
/// Maximum number of errors to list.
const MOST_NAMED: usize = 5;

/// Result of reading the journals.
#[derive(Default)]
pub(crate) struct JournalSurvey {
    tasks: usize,
    wrong: Vec<String>,
    /// The referenced blobs, each with a task that needs it.
    blobs: BTreeMap<BlobId, TaskId>,
}

/// Reads and folds the journals of the newest tasks.
pub(crate) fn tasks(reader: &JournalReader) -> JournalSurvey {
    let mut seen = JournalSurvey::default();
    let listed = match reader.list(&TaskFilter { status: None, most: MOST_TASKS }) {
        Ok(listed) => listed,
        Err(error) => {
            seen.wrong.push(error.to_string());
            return seen;
        }
    };
    for listed in listed {
        seen.tasks += 1;
        seen.wrong.extend(task(reader, &listed.task, &mut seen.blobs).err());
    }
    seen
}

fn task(
    reader: &JournalReader,
    task: &TaskId,
    blobs: &mut BTreeMap<BlobId, TaskId>,
) -> Result<(), String> {
    let entries = match reader.entries(task, 0) {
        Ok(entries) => entries,
        // The task was erased after it was listed.
        Err(ReadError::Erased(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let needed = entries.iter().flat_map(|entry| entry.event.blobs());
    blobs.extend(needed.map(|blob| (blob, task.clone())));
    State::replay(&entries).map(drop).map_err(|error| format!("{task}: {error}"))
}

/// Reports journals that are damaged or cannot be folded.
pub(crate) fn journals(seen: &JournalSurvey) -> Finding {
    if !seen.wrong.is_empty() {
        return Finding::broken(named(&seen.wrong));
    }
    let tasks = counted(seen.tasks, "task");
    if seen.tasks >= MOST_TASKS as usize {
        let en = format!("read the newest {tasks}, all checksums correct");
        return Finding::good((en, format!("已读取最新的 {} 个任务，校验和全部正确", seen.tasks)));
    }
    Finding::good((
        format!("read {tasks}, all checksums correct"),
        format!("已读取 {} 个任务，校验和全部正确", seen.tasks),
    ))
}

/// Reports blobs that are missing or do not match their hash.
pub(crate) fn blobs(context: &CliContext, reader: &JournalReader, seen: &JournalSurvey) -> Finding {
    let folder = context.folder.blobs();
    // A blob that is missing because its task was erased meanwhile is no error.
    let is_needed = |task: &TaskId| !matches!(reader.entries(task, 0), Err(ReadError::Erased(_)));
    let check = |(id, task): (&BlobId, &TaskId)| {
        let error = blobs::read(&folder, id).err()?;
        is_needed(task).then(|| format!("{task}: {error}"))
    };
    let wrong: Vec<String> = seen.blobs.iter().take(MOST_BLOBS).filter_map(check).collect();
    let (all, read) = (seen.blobs.len(), seen.blobs.len().min(MOST_BLOBS));
    if !wrong.is_empty() {
        let (count, named) = (wrong.len(), named(&wrong));
        let en = format!(
            "{count} of {read} large values damaged or missing; restore `blobs` from a backup"
        );
        let zh = format!("{read} 个大对象中有 {count} 个损坏或缺失；请从备份恢复 `blobs`");
        return Finding::bad((format!("{en}: {named}"), format!("{zh}：{named}")));
    }
    if read < all {
        let en = format!("read {read} of {all} large values, all intact");
        return Finding::good((en, format!("已读取 {all} 个大对象中的 {read} 个，内容无误")));
    }
    Finding::good((
        format!("read {}, all intact", counted(all, "large value")),
        format!("已读取 {all} 个大对象，内容无误"),
    ))
}

/// Joins the first errors and the number of the remaining ones.
fn named(wrong: &[String]) -> String {
    let first = wrong.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
    match wrong.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first}; … +{more}"),
    }
}
