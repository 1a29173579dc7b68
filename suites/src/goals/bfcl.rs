//! BFCL: recorded multi-turn conversations. All turns of a conversation are one task with all calls in order.

use super::case::{DeclaredFunction, ExpectedCall, GoalCase, answer, manifest};
use super::written::{literal, schema};
use crate::cases::{files, rows};
use praxis_core::schema::Schema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct BfclGoalRecord {
    id: String,
    turns: Vec<Vec<String>>,
    gold: Vec<Vec<BfclCall>>,
}

#[derive(Clone, Deserialize)]
pub(super) struct BfclCall {
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: Value,
}

impl BfclCall {
    /// Converts to an expected call that depends on the one before.
    pub(super) fn gold(self, at: usize) -> ExpectedCall {
        let parameters = literal(&self.args);
        let needs = at.checked_sub(1).into_iter().collect();
        let answer = answer(self.result);
        ExpectedCall { tool: self.tool, arguments: self.args, parameters, needs, answer }
    }
}

/// Reads all cases of a folder.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoalCase>> {
    let mut interfaces: Vec<Vec<DeclaredFunction>> = Vec::new();
    for file in files(&folder.join("func_doc"), "", ".json")? {
        let text = std::fs::read_to_string(file)?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        interfaces.push(lines.map(serde_json::from_str).collect::<Result<_, _>>()?);
    }
    Ok(rows(folder, "mt_")?.into_iter().map(|row| case(row, &interfaces)).collect())
}

/// Removes the type of a parameter if a recorded call violates it, as a few do.
fn loosen(declared: &mut Value, args: &Value) {
    let Some(Value::Object(properties)) = declared.get_mut("properties") else { return };
    for (name, property) in properties {
        let Some(value) = args.get(name) else { continue };
        let fits = Schema::compile(property).is_ok_and(|schema| schema.errors(value).is_empty());
        if !fits {
            *property = Value::Object(Map::new());
        }
    }
}

/// Builds a case. Its tools are the interfaces that its calls belong to.
fn case(row: BfclGoalRecord, interfaces: &[Vec<DeclaredFunction>]) -> GoalCase {
    let calls: Vec<BfclCall> = row.gold.into_iter().flatten().collect();
    let used = |interface: &&Vec<DeclaredFunction>| {
        interface.iter().any(|function| calls.iter().any(|call| call.tool == function.name))
    };
    let mut tools = BTreeMap::new();
    for function in interfaces.iter().filter(used).flatten() {
        let DeclaredFunction { name, description, parameters } = function;
        let mut declared = schema(parameters);
        let own = calls.iter().filter(|call| call.tool == *name);
        own.for_each(|call| loosen(&mut declared, &call.args));
        tools.insert(name.clone(), manifest(name, description, &declared));
    }
    let goal = row.turns.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let calls = calls.into_iter().enumerate().map(|(at, call)| call.gold(at)).collect();
    GoalCase { id: row.id, goal, tools: tools.into_values().collect(), calls }
}
