//! Reads the metadata `hit`: the caller's choice to reuse the plan of an earlier task.

use crate::ids::TaskId;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The key of the metadata.
pub const HIT: &str = "hit";
/// The default similarity, in thousandths, from which a plan may serve a goal that is worded differently.
pub const USUAL_THRESHOLD: u32 = 800;

/// The caller's choices about plan reuse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReuse {
    /// True if plans may be reused.
    pub enabled: bool,
    /// The task whose plan is to be reused; `None` allows any task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The minimum similarity of the goals, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanReuseInput {
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    task_id: Option<TaskId>,
    #[serde(default)]
    similarity_threshold: Option<f64>,
}

fn yes() -> bool {
    true
}

/// Removes `hit` from the metadata and parses it. Clients that can only send text write it as a JSON string.
pub fn take(metadata: &mut Map<String, Value>) -> Result<Option<PlanReuse>, Problem> {
    let Some(said) = metadata.remove(HIT) else { return Ok(None) };
    let text = said.as_str().map(|text| serde_json::from_str(text).unwrap_or_default());
    let said: Value = text.unwrap_or(said);
    if !said.is_object() {
        return Err(bad("expected a JSON object", "应为 JSON 对象"));
    }
    let written: PlanReuseInput = serde_json::from_value(said)
        .map_err(|why| bad(&why.to_string(), &format!("字段有误：{why}")))?;
    let threshold = written.similarity_threshold.map(thousandths).transpose()?;
    if written.task_id.as_ref().is_some_and(|task| task.as_str().is_empty()) {
        return Err(bad("`task_id` must not be empty", "`task_id` 不能为空"));
    }
    Ok(Some(PlanReuse { enabled: written.enabled, task: written.task_id, threshold }))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
fn thousandths(share: f64) -> Result<u32, Problem> {
    if !(0.0..=1.0).contains(&share) {
        let words = "`similarity_threshold` must be between 0 and 1";
        return Err(bad(words, "`similarity_threshold` 必须在 0 到 1 之间"));
    }
    Ok((share * 1000.0).round() as u32)
}

fn bad(en: &str, zh: &str) -> Problem {
    let words = (format!("invalid metadata `hit`: {en}"), format!("元数据 `hit` 无效：{zh}"));
    Problem::new("bad_hit", "metadata.hit", words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(hit: Value) -> Result<Option<PlanReuse>, Problem> {
        let mut metadata = Map::from_iter([("hit".to_owned(), hit), ("n".to_owned(), json!(1))]);
        let taken = take(&mut metadata);
        assert_eq!(metadata.len(), 1, "it is no value of the task");
        taken
    }

    //
    #[test]
    fn what_a_caller_says_of_plans_to_use_again_is_taken_out_of_the_metadata() {
        let plain = PlanReuse { enabled: true, task: None, threshold: None };
        assert_eq!(take(&mut Map::new()).unwrap(), None);
        for (said, expected) in [
            (json!({"enabled": false}), PlanReuse { enabled: false, ..plain.clone() }),
            (
                json!({"task_id": "task_a"}),
                PlanReuse { task: Some("task_a".into()), ..plain.clone() },
            ),
            (
                json!({"similarity_threshold": 0.85}),
                PlanReuse { threshold: Some(850), ..plain.clone() },
            ),
            (json!("{\"enabled\": true}"), plain),
        ] {
            assert_eq!(taken(said).unwrap(), Some(expected));
        }
        for wrong in [
            json!(true),
            json!("yes"),
            json!([]),
            json!({"enabled": "no"}),
            json!({"task": "task_a"}),
            json!({"task_id": ""}),
            json!({"similarity_threshold": 80}),
            json!({"similarity_threshold": -0.1}),
        ] {
            assert_eq!(taken(wrong).unwrap_err().code, "bad_hit");
        }
    }
}
