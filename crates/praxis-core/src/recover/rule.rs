//! The reasons for which a rule changed a call, in words for people.
//!
//! - in: the rule, and the parameter that it changed
//! - out: the reason as recorded in the journal, and its translation into the reader's language
//! - never: attributes the change to a model

use crate::lang::Lang;

/// The author recorded for changes made by a rule.
pub const BY: &str = "rules";

/// Reason: the value was converted to another form.
pub const FORM: &str = "the value in the form that the tool wants";
/// Reason: a reference was bound to another step.
pub const ONLY_STEP: &str = "the only step that has this field";
/// Reason: another tool was taken.
pub const OTHER_TOOL: &str = "another tool that does the same";

/// Reason: a parameter was left out.
const WITHOUT: &str = "without `{}`: nothing was found with it";

/// Reason: fewer results were requested.
const FEWER: &str = "half as much by `{}`: it was too large";

/// The reasons as journals record them, which never changes, and as people read them in English and in Chinese. `{}` is a
/// parameter.
const REASONS: [(&str, &str, &str); 5] = [
    (FORM, "value converted to the format that the tool expects", "已转换为工具要求的格式"),
    (
        ONLY_STEP,
        "now reads the field from the only step that has it",
        "改为从唯一含有此字段的步骤读取",
    ),
    (OTHER_TOOL, "switched to a tool that does the same", "改用功能相同的工具"),
    (WITHOUT, "removed `{}`, which led to no results", "去掉了 `{}`：带上它时没有结果"),
    (FEWER, "halved `{}` because the output was too large", "将 `{}` 减半：输出过大"),
];

/// Returns the reason for leaving out a parameter with which nothing was found.
pub fn without(parameter: &str) -> String {
    WITHOUT.replace("{}", parameter)
}

/// Returns the reason for halving a page-size parameter.
pub fn fewer(parameter: &str) -> String {
    FEWER.replace("{}", parameter)
}

/// Returns a recorded reason in words for people. A reason that no current rule gives is returned unchanged.
pub fn told(reason: &str, lang: Lang) -> String {
    let found = REASONS.iter().find_map(|(recorded, en, zh)| {
        let (before, after) = recorded.split_once("{}").unwrap_or((recorded, ""));
        let hole = reason.strip_prefix(before)?.strip_suffix(after)?;
        let words = match lang {
            Lang::En => en,
            Lang::Zh => zh,
        };
        (hole.is_empty() != recorded.contains("{}")).then(|| words.replace("{}", hole))
    });
    found.unwrap_or_else(|| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_told_in_both_languages_and_an_unknown_one_as_it_is() {
        for (recorded, en, zh) in REASONS {
            let has_hole = recorded.contains("{}");
            let recorded = recorded.replace("{}", "region");
            assert_eq!(told(&recorded, Lang::En), en.replace("{}", "region"));
            assert_eq!(told(&recorded, Lang::Zh), zh.replace("{}", "region"));
            assert!(en.contains("{}") == has_hole && zh.contains("{}") == has_hole, "{en}");
        }
        assert_eq!(told("of another release", Lang::Zh), "of another release");
    }
}
