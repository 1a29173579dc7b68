//! Checks that the conditions of a flow can be evaluated.
//!
//! - in: branches with placeholders, and the declared types of these
//! - out: every condition that cannot be evaluated, with a fix
//! - never: evaluates a condition

use super::position::FlowPosition;
use super::problems::FlowProblems;
use super::references::FlowNames;
use crate::choice::branch::Branch;
use crate::choice::check::{RightOperand, check_operator};
use crate::choice::condition::FlowCondition;
use crate::choice::fault::{ConditionFault, OperatorMismatch};
use crate::choice::kind::JsonKind;
use crate::choice::operator::ConditionOperator;
use crate::dataflow::template::ParameterTemplate;
use crate::lang::Lang;
use crate::problem::Bilingual;
use serde_json::Value;

impl FlowNames<'_> {
    /// Checks every condition of a branch.
    pub(super) fn branch(
        &self,
        branch: &Branch<Value>,
        here: &FlowPosition<'_>,
        findings: &mut FlowProblems,
    ) {
        for (index, condition) in branch.conditions.iter().enumerate() {
            let here = here.at_more(&format!("[{index}]"));
            for side in [&condition.left].into_iter().chain(&condition.right) {
                self.texts(side, &here, findings);
            }
            self.condition(condition, &here, findings);
        }
    }

    fn condition(
        &self,
        condition: &FlowCondition<Value>,
        here: &FlowPosition<'_>,
        findings: &mut FlowProblems,
    ) {
        let left = self.kind_of(&condition.left, here);
        let literal = condition.right.as_ref().map(|right| self.template(right, here));
        let right = match &literal {
            None => RightOperand::Nothing,
            Some(ParameterTemplate::Literal(value)) => RightOperand::Value(value),
            Some(_) => {
                RightOperand::Later(condition.right.as_ref().and_then(|it| self.kind_of(it, here)))
            }
        };
        if let Err(fault) = check_operator(left, condition.is, right) {
            findings.blame("flow_condition", &here.at, fault.words(), mend(&fault));
        } else if is_fixed(&self.template(&condition.left, here))
            && literal.as_ref().is_none_or(is_fixed)
        {
            findings.warn(
                "flow_condition",
                &here.at,
                (
                    "both sides are fixed values, so the result is always the same",
                    "两侧都是固定值，结果永远相同",
                ),
                (
                    "test a value that can change, like `left: \"{{node.outputs.field}}\"`",
                    "改为判断会变化的值，如 `left: \"{{node.outputs.field}}\"`",
                ),
            );
        }
    }
}

fn is_fixed(template: &ParameterTemplate) -> bool {
    matches!(template, ParameterTemplate::Literal(_))
}

/// Returns the fix for a condition.
fn mend(fault: &ConditionFault) -> Bilingual {
    let ConditionFault::Unfit { left, is, why, .. } = fault else {
        return (
            "set or produce this value before the condition is evaluated",
            "请在判断条件之前设置或产生该值",
        )
            .into();
    };
    match why {
        OperatorMismatch::NothingRight => {
            ("add `right:` with the value to compare with", "加上 `right:`，写要比较的值").into()
        }
        OperatorMismatch::SomethingRight => (
            format!("remove `right`: `{is}` tests only the left side"),
            format!("删除 `right`：`{is}` 只判断左侧"),
        )
            .into(),
        OperatorMismatch::Right { wanted } => (
            format!("write {} on the right", wanted.tell(Lang::En)),
            format!("右侧写{}", wanted.tell(Lang::Zh)),
        )
            .into(),
        OperatorMismatch::NoLength => {
            ("write a whole number above zero on the right", "右侧写大于零的整数").into()
        }
        OperatorMismatch::Pattern { .. } => (
            "write a valid regular expression; put `\\\\` before symbols that are meant literally",
            "写有效的正则表达式；按字面使用的符号前加 `\\\\`",
        )
            .into(),
        OperatorMismatch::KindsDiffer | OperatorMismatch::Left => operators(*left),
    }
}

/// Lists the operators that a value of this kind supports.
fn operators(left: Option<JsonKind>) -> Bilingual {
    let fits = |is: &ConditionOperator| {
        let later = check_operator(left, *is, RightOperand::Later(None)).is_ok();
        later || check_operator(left, *is, RightOperand::Nothing).is_ok()
    };
    let names: Vec<&str> =
        ConditionOperator::all().filter(fits).map(ConditionOperator::name).collect();
    let (en, zh) = left.map_or(("an unknown value", "未知的值"), |left| {
        (left.tell(Lang::En), left.tell(Lang::Zh))
    });
    (
        format!("compare it with {en}; operators for {en}: {}", names.join(", ")),
        format!("请与{zh}比较；{zh}可用的运算符：{}", names.join("、")),
    )
        .into()
}
