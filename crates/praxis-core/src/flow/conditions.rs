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
        slips: &mut FlowProblems,
    ) {
        for (index, condition) in branch.conditions.iter().enumerate() {
            let here = here.at_more(&format!("[{index}]"));
            for side in [&condition.left].into_iter().chain(&condition.right) {
                self.texts(side, &here, slips);
            }
            self.condition(condition, &here, slips);
        }
    }

    fn condition(
        &self,
        condition: &FlowCondition<Value>,
        here: &FlowPosition<'_>,
        slips: &mut FlowProblems,
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
            slips.blame("flow_condition", &here.at, fault.words(), mend(&fault));
        } else if is_fixed(&self.template(&condition.left, here))
            && literal.as_ref().is_none_or(is_fixed)
        {
            slips.warn(
                "flow_condition",
                &here.at,
                (
                    "both sides are fixed, so it always comes out the same",
                    "两侧都是固定值，结果永远相同",
                ),
                (
                    "look at something that changes, like `left: \"{{node.outputs.field}}\"`",
                    "判断会变化的值，如 `left: \"{{node.outputs.field}}\"`",
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
        return ("give the value before", "请先给出该值").into();
    };
    match why {
        OperatorMismatch::NothingRight => {
            ("add `right:` with what it is compared with", "加上 `right:`，写要比较的值").into()
        }
        OperatorMismatch::SomethingRight => (
            format!("leave `right` out: `{is}` looks at the left side alone"),
            format!("去掉 `right`：`{is}` 只看左侧"),
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
            "write a regular expression, with `\\\\` before signs that are meant as they are",
            "写正则表达式；按字面使用的符号前加 `\\\\`",
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
    let (en, zh) = left.map_or(("something unknown", "未知的值"), |left| {
        (left.tell(Lang::En), left.tell(Lang::Zh))
    });
    (
        format!("compare it with {en}; of {en} one can ask {}", names.join(", ")),
        format!("与{zh}比较；{zh}可用 {}", names.join("、")),
    )
        .into()
}
