//! Finds the line of a flow file that a problem refers to.
//!
//! - in: the text of the file, and the place of a problem: `nodes.each, nodes.a, params.x`
//! - out: the line, counted from one; `None` if the text does not show it clearly
//! - never: parses the file again; the line is only a hint, the place is authoritative

/// Returns the line of a place.
pub fn line_of(text: &str, at: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut here = None;
    for part in at.split(", ").filter(|part| !part.is_empty()) {
        match next(&lines, here, part) {
            Some(line) => here = Some(line),
            // If an inner part is not found, the line of the enclosing part is close enough.
            None => break,
        }
    }
    here.map(|line| line + 1)
}

/// Returns the line of one part of a place, searching from the line of the previous part.
fn next(lines: &[&str], from: Option<usize>, part: &str) -> Option<usize> {
    let after = |line: &usize| from.is_none_or(|from| *line >= from);
    let mut numbers = (0..lines.len()).filter(after);
    let line = |number: usize| lines.get(number).copied().unwrap_or_default();
    if let Some(id) = part.strip_prefix("nodes.") {
        let found: Vec<usize> = numbers.filter(|it| has_id(line(*it), id)).collect();
        // Inside a node the first match counts; at the top level the last one with the least indentation.
        let least = found.iter().map(|it| indent(line(*it))).min();
        return match from {
            Some(_) => found.first().copied(),
            None => found.into_iter().rfind(|it| Some(indent(line(*it))) == least),
        };
    }
    if let Some((start, to)) = part.split_once(" -> ") {
        let (start, to) = (start.split('.').next().unwrap_or_default(), plain(to));
        return numbers.find(|it| has_word(line(*it), start) && has_word(line(*it), to));
    }
    let key = part.split_once('.').map_or(part, |(_, name)| name);
    let key = key.split('[').next().unwrap_or_default();
    // A field after the next `id:` belongs to another node.
    let first = from.unwrap_or_default();
    let own = |it: &usize| from.is_none() || *it == first || !line(*it).contains("id:");
    numbers.take_while(own).find(|it| has_key(line(*it), key) || has_id(line(*it), key))
}

fn plain(station: &str) -> &str {
    station.split(' ').next().unwrap_or_default()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn has_id(line: &str, id: &str) -> bool {
    let line = line.replace(['"', '\''], "");
    line.match_indices("id:").any(|(at, _)| {
        let rest = line.get(at + 3..).unwrap_or_default().trim_start();
        rest.strip_prefix(id).is_some_and(|rest| !rest.starts_with(is_word))
    })
}

fn has_key(line: &str, key: &str) -> bool {
    let line = line.replace(['"', '\''], "");
    let found = line.match_indices(&format!("{key}:")).any(|(at, _)| ends_before(&line, at));
    !key.is_empty() && found
}

fn has_word(line: &str, word: &str) -> bool {
    let found = line.match_indices(word).any(|(at, found)| {
        let rest = line.get(at + found.len()..).unwrap_or_default();
        ends_before(line, at) && !rest.starts_with(is_word)
    });
    !word.is_empty() && found
}

/// Returns true if no word extends to this offset from the left.
fn ends_before(line: &str, at: usize) -> bool {
    !line.get(..at).unwrap_or_default().ends_with(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::line_of;

    const FLOW: &str = "flow: x
inputs:
  who: {type: strin}
nodes:
  - id: each
    call: Loop
    nodes:
      - {id: a, call: put, params: {n: 1}}
      - id: end
        call: put
        params:
          n: 2
  - id: end
    call: put
edges:
  - each -> end
  - {from: each, to: gone}
outputs: {all: 1}
";

    #[test]
    fn a_place_is_told_with_its_line_and_what_is_not_found_with_what_it_is_in() {
        let cases = [
            ("inputs.who", Some(3)),
            ("nodes.each", Some(5)),
            ("nodes.each, nodes.a, params.n", Some(8)),
            ("nodes.each, nodes.end, params.n", Some(12)),
            ("nodes.end", Some(13)),
            ("nodes.end, params.n", Some(13)),
            ("edges, each -> end", Some(16)),
            ("edges, each -> gone (failed)", Some(17)),
            ("outputs.all", Some(18)),
            ("nodes[7]", Some(4)),
            ("nowhere", None),
            ("", None),
        ];
        for (at, line) in cases {
            assert_eq!(line_of(FLOW, at), line, "{at}");
        }
    }
}
