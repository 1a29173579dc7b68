//! Checks a text that overrides a prompt part: its first line and its holes.

use super::holes::{PromptPiece, pieces};
use super::parts::PromptPart;
use crate::near::near;
use crate::problem::Problem;

/// Returns every problem of an override text for a part.
pub fn check(part: &PromptPart, text: &str) -> Vec<Problem> {
    let mut problems: Vec<Problem> = first_line(part, text).into_iter().collect();
    let mut found: Vec<&str> = Vec::new();
    let mut line = 1;
    for piece in pieces(text) {
        match piece {
            PromptPiece::Text(words) => line += words.matches('\n').count(),
            PromptPiece::Hole(name) if found.contains(&name) => {}
            PromptPiece::Hole(name) => {
                found.push(name);
                if !part.holes.contains(&name) {
                    problems.push(unknown(part, name, line));
                }
            }
        }
    }
    let missing = part.holes.iter().filter(|hole| !found.contains(*hole));
    problems.extend(missing.map(|hole| missed(part, hole)));
    problems
}

fn first_line(part: &PromptPart, text: &str) -> Option<Problem> {
    let wanted = part.first_line()?;
    let first = text.lines().next().unwrap_or_default();
    if first.trim_end() == wanted {
        return None;
    }
    let words = (format!("the first line must be `{wanted}`"), format!("第一行必须是 `{wanted}`"));
    Some(Problem::new("prompt_bad_stage_line", &format!("{} line 1", part.name), words))
}

fn unknown(part: &PromptPart, name: &str, line: usize) -> Problem {
    let words = (format!("unknown placeholder `<<{name}>>`"), format!("未知占位符 `<<{name}>>`"));
    let near = near(&name.to_lowercase(), part.holes.iter().copied());
    let at = format!("{} line {line}", part.name);
    Problem::new("prompt_unknown_hole", &at, words).or_near(&near)
}

fn missed(part: &PromptPart, hole: &str) -> Problem {
    let words = (format!("missing placeholder `<<{hole}>>`"), format!("缺少占位符 `<<{hole}>>`"));
    Problem::new("prompt_missing_hole", part.name, words)
}
