//! The intent that a request states explicitly: `意图: 工具管理, 用户输入: …`.

/// Markers before an intent.
const MARKERS: [&str; 4] = ["意图:", "意图：", "Intent:", "Intent："];
/// Characters that end an intent.
const ENDS: [char; 4] = [',', '，', '\n', '\r'];
/// Labels that may precede the request after its intent.
const LABELS: [&str; 4] = ["用户输入:", "用户输入：", "User input:", "User input："];

/// Returns the stated intent: from the first marker to the next comma or the end of the line.
pub fn intent(text: &str) -> Option<&str> {
    let (_, stated, _) = cut(text)?;
    let stated = stated.trim();
    (!stated.is_empty()).then_some(stated)
}

/// Returns the request without its stated intent and without a label such as `User input:`.
pub fn without_intent(text: &str) -> String {
    let Some((before, _, after)) = cut(text) else { return text.trim().to_owned() };
    let after = after.trim_start_matches(ENDS).trim();
    let label = LABELS.iter().find_map(|label| after.strip_prefix(label));
    let parts = [before.trim(), label.unwrap_or(after).trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Splits a text into the part before the first marker, the intent, and the rest.
fn cut(text: &str) -> Option<(&str, &str, &str)> {
    let found = MARKERS.iter().filter_map(|marker| Some((text.find(marker)?, marker.len())));
    let (at, length) = found.min()?;
    let (before, after) = (text.get(..at)?, text.get(at + length..)?);
    let end = after.find(ENDS).unwrap_or(after.len());
    Some((before, after.get(..end)?, after.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn an_intent_reaches_from_its_marker_to_a_comma_or_the_end_of_the_line() {
        let stated = [
            ("意图: 工具管理, 用户输入: 创建计算器工具", Some("工具管理")),
            ("意图：负荷预测，文件: a.csv", Some("负荷预测")),
            ("Intent: modeling\nbuild a tank", Some("modeling")),
            ("Intent：plc", Some("plc")),
            ("请看 意图:  角色  ", Some("角色")),
            ("意图: a, 意图: b", Some("a")),
            ("Intent: x, 意图: y", Some("x")),
            ("没有标记", None),
            ("意图: , 用户输入: x", None),
            ("意图:", None),
            ("意图:\n工具管理", None),
            ("intent of the user: none", None),
            ("", None),
        ];
        for (text, expected) in stated {
            assert_eq!(intent(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_left_without_the_intent_is_what_the_user_said() {
        let left = [
            ("意图: 工具管理, 用户输入: 创建计算器工具", "创建计算器工具"),
            ("你好。意图：a，做 b", "你好。 做 b"),
            ("Intent: a\r\nUser input: do b", "do b"),
            (" 只有请求 ", "只有请求"),
            ("意图: 工具管理", ""),
        ];
        for (text, expected) in left {
            assert_eq!(without_intent(text), expected, "{text}");
        }
    }
}
