//! Asks at the terminal if a call may be made: as it is, with other arguments, or not at all.
//!
//! - in: typed lines
//! - out: the answer; `None` to answer later
//! - never: takes an unclear word for a yes

use super::answer::pointer;
use super::ask_person::{NO, YES, denied, line, unknown};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::inputs;
use praxis_core::journal::question::QuestionAnswer;
use serde_json::Value;
use std::collections::BTreeMap;

/// Asks for the approval of a waiting call.
pub(super) async fn approve(
    context: &CliContext,
) -> Result<Option<QuestionAnswer>, CommandFailure> {
    let prompt = context.say(
        "[y]es, [n]o or n REASON, [e]dit the arguments, [s]kip the step",
        "[y] 同意，[n] 拒绝（可写 n 原因），[e] 修改参数，[s] 跳过该步骤",
    );
    loop {
        let Some(text) = line(context, &prompt).await else { return Ok(None) };
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
        let (word, rest) = (word.to_lowercase(), rest.trim());
        let is = |words: &[&str]| words.contains(&word.as_str());
        match rest {
            "" if is(YES) => return Ok(Some(QuestionAnswer::Approve)),
            "" if is(NO) => return Ok(Some(denied())),
            reason if is(NO) => {
                return Ok(Some(QuestionAnswer::GiveUp { reason: reason.to_owned() }));
            }
            "" if is(&["s", "skip"]) => return Ok(Some(QuestionAnswer::Skip)),
            "" if is(&["e", "edit"]) => {
                if let Some(values) = edits(context).await? {
                    return Ok(Some(QuestionAnswer::Values { values }));
                }
            }
            _ => unknown(context, &text),
        }
    }
}

/// Reads changed arguments, one per line; `None` if there are none.
async fn edits(context: &CliContext) -> Result<Option<BTreeMap<String, Value>>, CommandFailure> {
    let mut values = BTreeMap::new();
    loop {
        let prompt = context.say("NAME=VALUE, empty line to finish", "NAME=VALUE，空行结束");
        let Some(pair) = line(context, &prompt).await else { break };
        let (key, value) = pair.split_once('=').ok_or_else(|| inputs::no_pair(&pair))?;
        values.insert(pointer(key.trim()), inputs::param(key, value.trim())?);
    }
    Ok(Some(values).filter(|values| !values.is_empty()))
}
