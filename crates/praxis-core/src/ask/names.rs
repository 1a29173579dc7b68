//! Resolves a tool name written by a model.
//!
//! - in: a name as the model wrote it, and the offered names
//! - out: the one offered name that matches, or none
//! - never: picks one of several matches, or invents a tool

use super::reply::{ModelReply, ReplyRepair};

/// Prefixes that some models put before the name of a tool.
const PREFIXES: [&str; 6] =
    ["functions", "function", "tools", "tool", "default_api", "multi_tool_use"];

/// Returns the offered name that equals `written`, or else the only one that differs from it by a prefix, by case, or
/// by punctuation.
pub fn resolve<'a>(written: &str, offered: &[&'a str]) -> Option<&'a str> {
    let written = written.trim();
    if let Some(same) = offered.iter().find(|name| **name == written) {
        return Some(same);
    }
    only(written, offered).or_else(|| only(bare(written), offered))
}

/// Renames the calls of a reply to the offered tools, and returns the names that match none.
pub fn settle(reply: &mut ModelReply, offered: &[&str]) -> Vec<String> {
    let mut unknown = Vec::new();
    for call in &mut reply.tool_calls {
        match resolve(&call.name, offered) {
            Some(name) if name == call.name => {}
            Some(name) => {
                name.clone_into(&mut call.name);
                reply.repairs.insert(ReplyRepair::Name);
            }
            None => unknown.push(call.name.clone()),
        }
    }
    unknown
}

fn only<'a>(written: &str, offered: &[&'a str]) -> Option<&'a str> {
    let wanted = fold(written);
    let mut same = offered.iter().filter(|name| fold(name) == wanted && !wanted.is_empty());
    let found = same.next()?;
    same.next().is_none().then_some(*found)
}

/// Returns the letters and digits of a name, in lower case.
fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Strips a prefix such as `functions.` and a suffix such as `:0`.
fn bare(written: &str) -> &str {
    let counted = written
        .rsplit_once(':')
        .filter(|(_, count)| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()));
    let name = counted.map_or(written, |(name, _)| name);
    let prefixed = name
        .split_once(['.', ':', '/'])
        .filter(|(prefix, _)| PREFIXES.iter().any(|known| known.eq_ignore_ascii_case(prefix)));
    prefixed.map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_marks_and_case_are_seen_through() {
        let offered = ["crm.find", "send_mail"];
        for written in ["crm.find", "crm_find", "functions.crm.find", "CRM-Find", "crm_find:0"] {
            assert_eq!(resolve(written, &offered), Some("crm.find"), "{written}");
        }
        assert_eq!(resolve("functions.sendMail:12", &offered), Some("send_mail"));
    }

    #[test]
    fn a_name_that_means_two_or_no_tools_means_none() {
        assert_eq!(resolve("a-b", &["a_b", "a.b"]), None);
        assert_eq!(resolve("a_b", &["a_b", "a.b"]), Some("a_b"));
        assert_eq!(resolve("delete_all", &["send_mail"]), None);
        assert_eq!(resolve("", &["…"]), None);
    }
}
