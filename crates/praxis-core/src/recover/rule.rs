//! Why a rule changed a call, in words for people.
//!
//! - in: the rule, and the parameter that it touched
//! - out: its reason as the journal has it, and the same in the language of the reader
//! - never: says that a model did it

use crate::lang::Lang;

/// Whose name a change has that a rule made.
pub const BY: &str = "rules";

/// The value was put into another form.
pub const FORM: &str = "the value in the form that the tool wants";
/// A reference was bound to another step.
pub const ONLY_STEP: &str = "the only step that has this field";
/// Another tool was taken.
pub const OTHER_TOOL: &str = "another tool that does the same";

/// A parameter was left out.
const WITHOUT: &str = "without `{}`: nothing was found with it";

/// Less was asked for.
const FEWER: &str = "half as much by `{}`: it was too large";

/// The reasons as they are recorded, and in Chinese. `{}` is a parameter.
const REASONS: [(&str, &str); 5] = [
    (FORM, "换成工具要求的形式"),
    (ONLY_STEP, "唯一有此字段的步骤"),
    (OTHER_TOOL, "另一个功能相同的工具"),
    (WITHOUT, "去掉了 `{}`：带上它时没有结果"),
    (FEWER, "将 `{}` 减半：数据过大"),
];

/// A parameter was left out that found nothing.
pub fn without(parameter: &str) -> String {
    WITHOUT.replace("{}", parameter)
}

/// Half as much is asked for by a parameter.
pub fn fewer(parameter: &str) -> String {
    FEWER.replace("{}", parameter)
}

/// A recorded reason in a language; one that no rule of today gives stays as it is.
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
