//! What a node says of an agent: its tools, and how often it is asked.

use super::check::Ground;
use super::slip::Slips;
use crate::call::own;
use crate::dataflow::near::near;
use crate::execute::node::Agent;
use crate::ids::ToolId;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The fields that only an agent has.
pub(super) const KEYS: &[&str] = &["tools", "max"];
/// How often an agent is asked that does not say.
pub const DEFAULT_TURNS: u32 = 25;
/// How often an agent is asked at most, whatever its file says.
pub const MOST_TURNS: u32 = 200;
/// How many tools one may have.
const MOST_TOOLS: usize = 64;

/// Reads what makes a node an agent.
pub(super) fn read(map: &Map<String, Value>, at: &str, slips: &mut Slips) -> Agent {
    Agent { tools: tools(map, at, slips), max: max(map, at, slips) }
}

fn tools(map: &Map<String, Value>, at: &str, slips: &mut Slips) -> Vec<ToolId> {
    let written = map.get("tools").cloned().unwrap_or_default();
    let listed = written.as_array().filter(|listed| (1..=MOST_TOOLS).contains(&listed.len()));
    let named: Vec<ToolId> =
        listed.into_iter().flatten().filter_map(Value::as_str).map(ToolId::from).collect();
    if named.is_empty() || listed.is_some_and(|listed| listed.len() > named.len()) {
        slips.blame(
            "flow_agent",
            &format!("{at}tools"),
            ("an agent needs the names of its tools", "智能体需要工具名称的列表"),
            (
                format!("write `tools: [NAME, …]` with 1 to {MOST_TOOLS} names; without tools, use `LLM`"),
                format!("写 `tools: [名称, …]`，1 到 {MOST_TOOLS} 个；不用工具时用 `LLM`"),
            ),
        );
    }
    named
}

fn max(map: &Map<String, Value>, at: &str, slips: &mut Slips) -> u32 {
    let Some(written) = map.get("max") else { return DEFAULT_TURNS };
    let max = written.as_u64().and_then(|max| u32::try_from(max).ok());
    max.filter(|max| (1..=MOST_TURNS).contains(max)).unwrap_or_else(|| {
        slips.blame(
            "flow_agent",
            &format!("{at}max"),
            (format!("`{written}` is no number of turns"), format!("`{written}` 不是轮数")),
            (
                format!("write a whole number from 1 to {MOST_TURNS}"),
                format!("写 1 到 {MOST_TURNS} 的整数"),
            ),
        );
        DEFAULT_TURNS
    })
}

/// Whether an agent can have its tools.
pub(super) fn check(agent: &Agent, at: &str, ground: Ground<'_>, slips: &mut Slips) {
    let at = format!("{at}, tools");
    let mut seen = BTreeSet::new();
    for tool in &agent.tools {
        let known = ground.toolbox.keys().map(ToolId::as_str);
        if own::own(tool).is_some() {
            slips.blame(
                "flow_agent",
                &at,
                (
                    format!("`{tool}` is what flows are built of, and no tool for a model"),
                    format!("`{tool}` 是流程的组成部分，不能给模型用"),
                ),
                ("list tools with a manifest", "只列出有清单的工具"),
            );
        } else if ground.tool(tool.as_str()).is_none() {
            slips.blame_near(
                ("flow_agent", &at),
                (format!("there is no tool `{tool}`"), format!("没有工具 `{tool}`")),
                &near(tool.as_str(), known),
                ("give its manifest with `--tools`", "用 `--tools` 提供其清单"),
            );
        } else if !seen.insert(tool) {
            slips.blame(
                "flow_agent",
                &at,
                (format!("`{tool}` is there twice"), format!("`{tool}` 重复出现")),
                ("remove one of the two", "去掉其中一个"),
            );
        }
    }
}
