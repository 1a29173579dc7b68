//! Display texts for words of the wire format: task status, recovery actions and their reasons.

use super::text::say;
use praxis_core::lang::Lang;

/// Rows of wire word, English text, Chinese text.
const WORDS: &[(&str, &str, &str)] = &[
    // Recovery actions.
    ("class", "fixed by rule", "按规则修复"),
    ("inference", "value inferred", "已推断参数值"),
    ("retry_with_params", "retry with other arguments", "换参数重试"),
    ("retry_with_tool", "retry with another tool", "换工具重试"),
    ("repair_step", "replan this step", "重新规划此步骤"),
    ("trigger_overall_reflection", "reflect on the whole task", "反思整个任务"),
    ("full_replan", "replan the rest", "重新规划其余部分"),
    ("replan_from_step", "replan from a step onward", "从某一步起重新规划"),
    ("skip_steps", "skip some steps", "跳过部分步骤"),
    ("add_remediation", "add remediation steps", "增加补救步骤"),
    ("adjust_dependencies", "change step dependencies", "调整步骤依赖"),
    // Reasons for a recovery action, or for giving up.
    ("as planned", "as planned", "按原计划"),
    ("advised", "advised by the reflection", "按反思建议"),
    ("capped", "attempt limit reached", "已达尝试上限"),
    ("no_idea", "nothing else left to try", "没有其他办法可试"),
    ("repeated", "the same failure occurred again", "同样的失败再次出现"),
    ("hopeless", "this kind of failure cannot be repaired", "此类失败无法修复"),
    ("no_model", "no model available", "没有可用的模型"),
    ("no_reflection", "the model returned no reflection", "模型没有给出反思"),
    ("denied", "the call was denied", "调用被拒绝"),
    // Authors of a decision.
    ("rules", "rules", "规则"),
    ("model", "model", "模型"),
    ("caller", "caller", "调用者"),
    ("keywords", "keywords", "关键词"),
    // Relations of a request to earlier work.
    ("continue_planning", "continue the unfinished part", "继续未完成部分"),
    ("replanning", "replan it", "重新规划"),
    ("normal_planning", "independent new task", "独立的新任务"),
    // Task status.
    ("pending", "pending", "未开始"),
    ("planning", "planning", "规划中"),
    ("executing", "executing", "执行中"),
    ("evaluating", "evaluating", "评估中"),
    ("reflecting", "reflecting", "反思中"),
    ("waiting", "waiting", "等待中"),
    ("completed", "completed", "已完成"),
    ("failed", "failed", "失败"),
    ("cancelled", "cancelled", "已取消"),
    // Results of a check.
    ("done", "took effect", "已生效"),
    ("not_done", "did not take effect", "未生效"),
    ("unknown", "unknown", "无法确定"),
    ("lost", "lost", "已丢失"),
    // Subjects of a question.
    ("param", "parameter", "参数"),
    ("in_doubt", "in doubt", "存疑"),
    ("approval", "approval", "审批"),
    ("budget", "budget", "预算"),
    ("plan", "plan", "计划"),
    ("user", "help", "求助"),
];

/// Returns the display text of a wire word; an unknown word is returned unchanged.
pub(crate) fn said(word: &str, lang: Lang) -> &str {
    let known = WORDS.iter().find(|(wire, ..)| *wire == word);
    known.map_or(word, |(_, en, zh)| say(lang, en, zh))
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::journal::rung::RecoveryRung;
    use praxis_core::state::TaskStatus;

    #[test]
    fn every_rung_has_words_in_both_languages_and_other_words_stay() {
        let rungs = [
            RecoveryRung::Class,
            RecoveryRung::Inference,
            RecoveryRung::RetryWithParams,
            RecoveryRung::RetryWithTool,
            RecoveryRung::Repair,
        ];
        for rung in rungs {
            assert_ne!(said(rung.word(), Lang::En), rung.word());
            assert!(!said(rung.word(), Lang::Zh).is_ascii());
        }
        assert_eq!(said("person", Lang::Zh), "person");
    }

    #[test]
    fn every_status_is_its_own_word_in_english_and_has_one_in_chinese() {
        for status in TaskStatus::ALL {
            assert_eq!(said(status.word(), Lang::En), status.word());
            assert!(!said(status.word(), Lang::Zh).is_ascii(), "{}", status.word());
        }
    }
}
