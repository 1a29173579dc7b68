//! `add_datasource`, `data_upload` and `get_data`: a small file store of load series.
//!
//! - in: a CSV file that is registered, then copied into the store, then read back
//! - out: one JSON file per datasource, one CSV file per upload
//! - never: keeps one shared index file, which concurrent calls could overwrite, or reads a file outside of the open
//!   folders

use super::readings::{LoadTable, to_csv, to_json};
use crate::error::{BuiltinError, FileOperation, arguments};
use crate::files;
use crate::local::CallContext;
use praxis_core::hash::content_hash;
use praxis_core::problem::Bilingual;
use praxis_fence::must_be_file;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A registered datasource, as stored in its JSON file.
#[derive(Serialize, Deserialize)]
struct Datasource {
    #[serde(rename = "datasource_id")]
    id: String,
    #[serde(rename = "datasource_name")]
    name: String,
    project_id: String,
    file_path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddDatasource {
    project_id: String,
    file_path: PathBuf,
    name: Option<String>,
}

/// Registers a file. The id is derived from the idempotency key, so a retried call returns the same id.
pub(crate) fn add(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let AddDatasource { project_id, file_path, name } = arguments(value)?;
    let real = job.fence.find(&file_path)?.real;
    must_be_file(&real)?;
    let stem = || file_path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let hash = content_hash(job.key.as_bytes());
    let source = Datasource {
        id: format!("ds_{}", hash.get(..16).unwrap_or(&hash)),
        name: name.unwrap_or_else(stem),
        project_id,
        file_path: real,
    };
    let text = serde_json::to_string_pretty(&source)
        .map_err(|error| BuiltinError::failed(unwritable(&error)))?;
    keep(&place(job, StoreFolder::Datasources, &source.id)?, &text, job)?;
    Ok(json!({"datasource_id": source.id, "datasource_name": source.name}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DatasourceUpload {
    project_id: String,
    datasource_id: String,
    #[serde(default)]
    busy_times: u32,
}

/// Copies the rows of a registered file into the store; a second upload replaces the first.
pub(crate) fn upload(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let DatasourceUpload { project_id, datasource_id, busy_times } = arguments(value)?;
    let source = find(job, &datasource_id)?;
    if source.project_id != project_id {
        let owner = &source.project_id;
        return Err(BuiltinError::failed((
            format!(
                "data source `{datasource_id}` belongs to project `{owner}`, not `{project_id}`"
            ),
            format!("数据源 `{datasource_id}` 属于项目 `{owner}`，不属于 `{project_id}`"),
        )));
    }
    if job.attempt <= busy_times {
        let en = "the data source is locked by another upload; try again later";
        return Err(BuiltinError::busy((en, "数据源被另一次上传锁定；请稍后重试")));
    }
    // The file was inside the open folders at registration; the file or the open folders may have changed since.
    let real = job.fence.find(&source.file_path)?.real;
    let readings = LoadTable::read(&files::read_text(&real)?).into_readings()?;
    keep(&place(job, StoreFolder::Uploads, &datasource_id)?, &to_csv(&readings), job)?;
    Ok(json!({"upload_status": "success", "record_count": readings.len()}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetDatasource {
    datasource_id: String,
}

/// Returns an upload as the JSON text of an array.
pub(crate) fn get(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let GetDatasource { datasource_id } = arguments(value)?;
    find(job, &datasource_id)?;
    let place = place(job, StoreFolder::Uploads, &datasource_id)?;
    if !place.exists() {
        return Err(BuiltinError::failed((
            format!("data source `{datasource_id}` has no data yet; upload it with `data_upload`"),
            format!("数据源 `{datasource_id}` 还没有数据；请先用 `data_upload` 上传"),
        )));
    }
    let readings = LoadTable::read(&files::read_text(&place)?).into_readings()?;
    let data_json = to_json(&readings)?;
    Ok(json!({"data_json": data_json, "record_count": readings.len()}))
}

fn find(job: &CallContext, id: &str) -> Result<Datasource, BuiltinError> {
    let place = place(job, StoreFolder::Datasources, id)?;
    if !place.exists() {
        let en = format!("data source `{id}` does not exist");
        return Err(BuiltinError::failed((en, format!("数据源 `{id}` 不存在"))));
    }
    serde_json::from_str(&files::read_text(&place)?).map_err(|error| {
        let en = format!("the file of data source `{id}` is damaged: {error}");
        BuiltinError::failed((en, format!("数据源 `{id}` 的文件已损坏：{error}")))
    })
}

fn unwritable(error: &serde_json::Error) -> Bilingual {
    let en = format!("cannot write the data source as JSON: {error}");
    (en, format!("无法将数据源写成 JSON：{error}")).into()
}

/// The kinds of files in the store, one folder each.
#[derive(Clone, Copy)]
enum StoreFolder {
    Datasources,
    Uploads,
}

/// Returns the path of a datasource's file. Rejects any id that `add` cannot have created, so that no id escapes the
/// store.
fn place(job: &CallContext, shelf: StoreFolder, id: &str) -> Result<PathBuf, BuiltinError> {
    let digits = id.strip_prefix("ds_").unwrap_or_default();
    let ours = (1..=64).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if !ours {
        let shown: String = id.chars().take(40).collect();
        let en = format!("unknown data source `{shown}`; use an id returned by `add_datasource`");
        let zh = format!("未知的数据源 `{shown}`；请使用 `add_datasource` 返回的 id");
        return Err(BuiltinError::failed((en, zh)));
    }
    Ok(match shelf {
        StoreFolder::Datasources => job.home.join("datasources").join(format!("{id}.json")),
        StoreFolder::Uploads => job.home.join("uploads").join(format!("{id}.csv")),
    })
}

/// Writes a file of the store and creates its folder if needed.
fn keep(place: &Path, text: &str, job: &CallContext) -> Result<(), BuiltinError> {
    if let Some(folder) = place.parent() {
        let made = job.gate.run(|| fs::create_dir_all(folder))?;
        made.map_err(|error| BuiltinError::file(FileOperation::Create, folder, &error))?;
    }
    files::replace(place, text, job)
}

#[cfg(test)]
#[path = "datasources_tests.rs"]
mod tests;
