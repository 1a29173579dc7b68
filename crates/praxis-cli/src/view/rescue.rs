//! What recovery does and why it stops, in words for people. The wire has the short words.

use praxis_core::fault::Lang;

/// What is done about a failure, and why no more is.
const WORDS: &[(&str, &str, &str)] = &[
    ("class", "mended by rule", "按规则修正"),
    ("inference", "a value was found", "已推断参数"),
    ("retry_with_params", "again with other values", "换参数重试"),
    ("retry_with_tool", "again with another tool", "换工具重试"),
    ("repair_step", "plan the step anew", "重新规划此步骤"),
    ("trigger_overall_reflection", "look at the whole task", "转为整体反思"),
    ("full_replan", "plan the rest anew", "重新规划其余部分"),
    ("replan_from_step", "plan anew from a step on", "从某一步起重新规划"),
    ("skip_steps", "go on without some steps", "跳过部分步骤"),
    ("add_remediation", "add steps that mend the damage", "增加补救步骤"),
    ("adjust_dependencies", "change what steps wait for", "调整步骤依赖"),
    ("advised", "the reflection says so", "反思如此建议"),
    ("capped", "it was tried often enough", "已达尝试上限"),
    ("no_idea", "there is no new idea", "没有新的办法"),
    ("repeated", "the same failure came again", "同样的失败再次出现"),
    ("hopeless", "such a failure cannot be mended", "此类失败无法补救"),
    ("no_model", "no model can be asked", "没有可用的模型"),
    ("no_reflection", "the model gave no reflection", "模型没有给出反思"),
];

/// A word of the wire, as people say it; one that is not known stays as it is.
pub(crate) fn said(word: &str, lang: Lang) -> &str {
    let known = WORDS.iter().find(|(wire, ..)| *wire == word);
    known.map_or(word, |(_, en, zh)| match lang {
        Lang::En => en,
        Lang::Zh => zh,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::recover::ailment::Rung;

    #[test]
    fn every_rung_has_words_in_both_languages_and_other_words_stay() {
        let rungs = [
            Rung::Class,
            Rung::Inference,
            Rung::RetryWithParams,
            Rung::RetryWithTool,
            Rung::Repair,
        ];
        for rung in rungs {
            assert_ne!(said(rung.word(), Lang::En), rung.word());
            assert!(!said(rung.word(), Lang::Zh).is_ascii());
        }
        assert_eq!(said("person", Lang::Zh), "person");
    }
}
