//! Checks the names of flows and the ids of nodes.

use super::reader::FlowReader;
use crate::ids::{BadName, MAX_NAME_LENGTH, check_name};
use crate::intake::reserved::OUTPUTS;
use crate::problem::Bilingual;
use serde_json::{Map, Value};

impl FlowReader<'_> {
    /// Checks the name of a flow. It must be valid as a file name, because a flow is found by its file.
    pub(super) fn name(&mut self, name: &str, written: Option<&Value>) {
        let mend = ("begin the file with `flow: NAME`", "在文件开头写 `flow: 名称`");
        match (check_name(name), written) {
            (Ok(()), _) => {}
            // A value that is not a text is already reported.
            (Err(_), Some(Value::Null | Value::Bool(_) | Value::Number(_))) => {}
            (Err(_), Some(Value::Array(_) | Value::Object(_))) => {}
            (Err(BadName::Empty), _) => self.findings.blame(
                "flow_shape",
                "flow",
                ("the flow has no name", "流程没有名称"),
                mend,
            ),
            (Err(why), _) => {
                let why = told(&why);
                let (en, zh) = (&why.en, &why.zh);
                let what = (
                    format!("invalid flow name `{name}`: {en}"),
                    format!("流程名称 `{name}` 无效：{zh}"),
                );
                let mend = (
                    "use letters, digits, `_`, `-` or `.`; put readable text into `description`",
                    "只能用字母、数字、`_`、`-` 或 `.`；说明文字写在 `description` 中",
                );
                self.findings.blame("flow_shape", "flow", what, mend);
            }
        }
    }

    /// Reads the id of a node. A node without one is dropped, because messages could not refer to it.
    pub(super) fn id(&mut self, map: &Map<String, Value>, place: &str) -> Option<String> {
        let written = map.get("id").cloned().unwrap_or_default();
        let id = written.as_str().map(str::trim).unwrap_or_default();
        let mend = (
            "give the node a short `id` made of letters, digits, `_` or `-`",
            "给节点一个简短的 `id`，只用字母、数字、`_` 或 `-`",
        );
        if id.is_empty() {
            self.findings.blame("flow_id", place, ("the node has no id", "节点没有 id"), mend);
            return None;
        }
        if let Err(why) = check_name(id) {
            let Bilingual { en, zh } = told(&why);
            let what =
                (format!("invalid node id `{id}`: {en}"), format!("节点 id `{id}` 无效：{zh}"));
            self.findings.blame("flow_id", place, what, mend);
        } else if id.contains('.') || id == OUTPUTS {
            let what = if id == OUTPUTS {
                (
                    format!("`{OUTPUTS}` is reserved for the outputs of the flow"),
                    format!("`{OUTPUTS}` 是保留名称，表示流程的输出"),
                )
            } else {
                (
                    format!("`{id}` contains a dot; dots separate a node from its branch"),
                    format!("`{id}` 含有点号，点号用于分隔节点与分支"),
                )
            };
            self.findings.blame("flow_id", place, what, mend);
        }
        Some(id.to_owned())
    }
}

/// Describes why a name is invalid.
fn told(why: &BadName) -> Bilingual {
    let zh = match why {
        BadName::Empty => "为空".to_owned(),
        BadName::Long(found) => format!("有 {found} 个字符，最多 {MAX_NAME_LENGTH} 个"),
        BadName::Forbidden(c) => format!("含有 id 中不允许的字符 {c:?}"),
    };
    (why.to_string(), zh).into()
}
