//! The reasons for which a rule changed a call, in words for people.
//!
//! - in: the rule, and the parameter that it changed
//! - out: the reason as recorded in the journal, and its translation into the reader's language
//! - never: attributes the change to a model

use crate::lang::Lang;

/// The author recorded for changes made by a rule.
pub const BY: &str = "rules";

/// Reason: the value was converted to another form.
pub const FORM: &str = "value converted to the form that the tool expects";
/// Reason: a reference was bound to another step.
pub const ONLY_STEP: &str = "now reads the only step with this field";
/// Reason: another tool was taken.
pub const OTHER_TOOL: &str = "switched to a tool that does the same";

/// Reason: a parameter was left out.
const WITHOUT: &str = "removed `{}`, which led to no results";

/// Reason: fewer results were requested.
const FEWER: &str = "halved `{}` because the output was too large";

/// The reasons as recorded, with their Chinese translation. `{}` is a parameter.
const REASONS: [(&str, &str); 5] = [
    (FORM, "已转换为工具要求的形式"),
    (ONLY_STEP, "改为读取唯一含有此字段的步骤"),
    (OTHER_TOOL, "改用功能相同的工具"),
    (WITHOUT, "去掉了 `{}`：带上它时没有结果"),
    (FEWER, "将 `{}` 减半：输出过大"),
];

/// Returns the reason for leaving out a parameter with which nothing was found.
pub fn without(parameter: &str) -> String {
    WITHOUT.replace("{}", parameter)
}

/// Returns the reason for halving a page-size parameter.
pub fn fewer(parameter: &str) -> String {
    FEWER.replace("{}", parameter)
}

/// Translates a recorded reason. A reason that no current rule gives is returned unchanged.
pub fn told(reason: &str, lang: Lang) -> String {
    let in_chinese = REASONS.iter().filter(|_| lang == Lang::Zh).find_map(|(en, zh)| {
        let (before, after) = en.split_once("{}").unwrap_or((en, ""));
        let hole = reason.strip_prefix(before)?.strip_suffix(after)?;
        (hole.is_empty() != en.contains("{}")).then(|| zh.replace("{}", hole))
    });
    in_chinese.unwrap_or_else(|| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_told_in_both_languages_and_an_unknown_one_as_it_is() {
        for (en, _) in REASONS {
            let recorded = en.replace("{}", "region");
            assert_eq!(told(&recorded, Lang::En), recorded);
            let zh = told(&recorded, Lang::Zh);
            assert!(!zh.is_ascii() && zh.contains("region") == en.contains("{}"), "{zh}");
        }
        assert_eq!(told("of another release", Lang::Zh), "of another release");
    }
}
