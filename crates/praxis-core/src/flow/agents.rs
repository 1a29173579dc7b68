//! Reads and checks the agent fields of a node: its tools and its number of turns.

use super::environment::FlowEnvironment;
use super::problems::FlowProblems;
use crate::call::own_tools::own;
use crate::ids::ToolId;
use crate::intake::node::AgentNode;
use crate::near::near;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The fields that only an `Agent` node has.
pub(super) const KEYS: &[&str] = &["tools", "max"];
/// The fields that only an `SQL` node has.
pub(super) const QUESTION_KEYS: &[&str] = &["database", "max"];
/// The default number of attempts to write a query for an `SQL` node.
pub const DEFAULT_QUERIES: u32 = 4;
/// The default number of turns of an agent.
pub const DEFAULT_TURNS: u32 = 25;
/// The largest number of turns that a file may allow.
pub const MAX_TURNS: u32 = 200;
/// The largest number of tools of an agent.
const MAX_TOOLS: usize = 64;

/// Reads the fields of an `Agent` node.
pub(super) fn read(map: &Map<String, Value>, at: &str, findings: &mut FlowProblems) -> AgentNode {
    let max = max(map, DEFAULT_TURNS, at, findings);
    AgentNode { tools: tools(map, at, findings), max, gives_result: false }
}

/// Reads the fields of an `SQL` node.
pub(super) fn read_question(
    map: &Map<String, Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> AgentNode {
    let database = map.get("database").and_then(Value::as_str).filter(|name| !name.is_empty());
    if database.is_none() {
        findings.blame(
            "flow_agent",
            &format!("{at}database"),
            ("`database` must name the SQL tool to query", "`database` 必须写明要查询的 SQL 工具"),
            (
                "write `database: NAME`, where NAME is an SQL tool that accepts `sql`",
                "写 `database: 名称`，名称是接受 `sql` 的 SQL 工具",
            ),
        );
    }
    let tools = database.map(ToolId::from).into_iter().collect();
    AgentNode { tools, max: max(map, DEFAULT_QUERIES, at, findings), gives_result: true }
}

fn tools(map: &Map<String, Value>, at: &str, findings: &mut FlowProblems) -> Vec<ToolId> {
    let written = map.get("tools").cloned().unwrap_or_default();
    let listed = written.as_array().filter(|listed| (1..=MAX_TOOLS).contains(&listed.len()));
    let named: Vec<ToolId> =
        listed.into_iter().flatten().filter_map(Value::as_str).map(ToolId::from).collect();
    if named.is_empty() || listed.is_some_and(|listed| listed.len() > named.len()) {
        findings.blame(
            "flow_agent",
            &format!("{at}tools"),
            ("`tools` must be a list of tool names", "`tools` 必须是工具名称列表"),
            (
                format!("write `tools: [NAME, …]` with 1 to {MAX_TOOLS} names; if the node needs no tools, use `LLM`"),
                format!("写 `tools: [名称, …]`，1 到 {MAX_TOOLS} 个；不需要工具时请用 `LLM`"),
            ),
        );
    }
    named
}

fn max(map: &Map<String, Value>, usual: u32, at: &str, findings: &mut FlowProblems) -> u32 {
    let Some(written) = map.get("max") else { return usual };
    let max = written.as_u64().and_then(|max| u32::try_from(max).ok());
    max.filter(|max| (1..=MAX_TURNS).contains(max)).unwrap_or_else(|| {
        findings.blame(
            "flow_agent",
            &format!("{at}max"),
            (format!("invalid number of turns `{written}`"), format!("无效的轮数 `{written}`")),
            (
                format!("write a whole number from 1 to {MAX_TURNS}"),
                format!("写 1 到 {MAX_TURNS} 的整数"),
            ),
        );
        usual
    })
}

/// Reports tools that the agent cannot use.
pub(super) fn check(
    agent: &AgentNode,
    at: &str,
    ground: FlowEnvironment<'_>,
    findings: &mut FlowProblems,
) {
    let at = format!("{at}, {}", if agent.gives_result { "database" } else { "tools" });
    let mut seen = BTreeSet::new();
    for tool in &agent.tools {
        let known = ground.toolbox.keys().map(ToolId::as_str);
        if own(tool).is_some() {
            findings.blame(
                "flow_agent",
                &at,
                (
                    format!("`{tool}` is a built-in node type, not a tool that a model can call"),
                    format!("`{tool}` 是内置节点类型，不是模型可调用的工具"),
                ),
                ("list only tools that have a manifest", "只列出有清单的工具"),
            );
        } else if ground.tool(tool.as_str()).is_none() {
            findings.blame_near(
                ("flow_agent", &at),
                (format!("tool `{tool}` not found"), format!("找不到工具 `{tool}`")),
                &near(tool.as_str(), known),
                ("pass its manifest with `--tools`", "用 `--tools` 提供其清单"),
            );
        } else if agent.gives_result && !takes_sql(tool, ground) {
            findings.blame(
                "flow_agent",
                &at,
                (
                    format!("`{tool}` does not accept `sql` as an argument"),
                    format!("`{tool}` 不接受 `sql` 参数"),
                ),
                (
                    "name an SQL tool that has no `query` in its manifest",
                    "请改用接受 `sql` 参数的 SQL 工具（清单中没有固定 `query` 的工具）",
                ),
            );
        } else if !seen.insert(tool) {
            findings.blame(
                "flow_agent",
                &at,
                (format!("`{tool}` is listed twice"), format!("`{tool}` 重复列出")),
                ("remove one of them", "删除其中一个"),
            );
        }
    }
}

fn takes_sql(tool: &ToolId, ground: FlowEnvironment<'_>) -> bool {
    let tool = ground.tool(tool.as_str());
    tool.is_some_and(|tool| tool.transport.takes_sql())
}
