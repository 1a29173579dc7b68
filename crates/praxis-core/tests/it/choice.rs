//! Choices: what every pair of values gives, and which branch is taken (B-035, B-036, B-037).

use praxis_core::choice::branch::{Branch, BranchChoice, Logic};
use praxis_core::choice::check::{RightOperand, check_operator};
use praxis_core::choice::choose::ChosenBranch;
use praxis_core::choice::condition::{ConditionOperand, FlowCondition, MAX_PATTERN_LENGTH};
use praxis_core::choice::fault::ConditionOutcome;
use praxis_core::choice::fault::{ChoiceFault, ConditionFault, OperatorMismatch};
use praxis_core::choice::kind::JsonKind;
use praxis_core::choice::operator::ConditionOperator;
use proptest::prelude::*;
use serde_json::{Value, json};

fn test(left: Value, is: &str, right: Value) -> Result<bool, ConditionFault> {
    let is = ConditionOperator::named(is).unwrap_or_else(|| panic!("no operator `{is}`"));
    FlowCondition { left: left.into(), is, right: Some(right.into()) }.holds()
}

/// A choice as a file has it; a text `?name` stands for a reference to what is not there.
fn choice(written: Value) -> BranchChoice<ConditionOperand> {
    let choice: BranchChoice = serde_json::from_value(written).unwrap();
    choice.settle(|side| match side.as_str().and_then(|text| text.strip_prefix('?')) {
        Some(name) => ConditionOperand::Missing(name.to_owned()),
        None => ConditionOperand::Value(side.clone()),
    })
}

fn chosen(written: Value) -> Result<ChosenBranch, ChoiceFault> {
    choice(written).choose()
}

#[test]
fn every_operator_of_every_kind_holds_when_it_should_and_not_when_it_should_not() {
    let cases = [
        ("equal", json!(1), json!(1.0), json!(2)),
        ("not_equal", json!(1), json!(2), json!(1.0)),
        ("greater", json!(2), json!(1.5), json!(2)),
        ("less", json!(-3), json!(0), json!(-3)),
        ("at_least", json!(2), json!(2), json!(2.01)),
        ("at_most", json!(2), json!(2), json!(1)),
        ("equal", json!("甲"), json!("甲"), json!("乙")),
        ("not_equal", json!("a"), json!("A"), json!("a")),
        ("contains", json!("load forecast"), json!("d f"), json!("df")),
        ("not_contains", json!("load"), json!("x"), json!("oa")),
        ("starts_with", json!("杭州市"), json!("杭"), json!("州")),
        ("ends_with", json!("a.csv"), json!(".csv"), json!(".cs")),
        ("length_equal", json!("杭州é"), json!(3), json!(7)),
        ("length_greater", json!("abc"), json!(2), json!(3)),
        ("length_at_least", json!("abc"), json!(3), json!(4)),
        ("length_less", json!("abc"), json!(4), json!(3)),
        ("length_at_most", json!("abc"), json!(3), json!(2)),
        ("equal", json!([1, {"a": 2}]), json!([1.0, {"a": 2}]), json!([{"a": 2}, 1])),
        ("not_equal", json!([]), json!([null]), json!([])),
        ("contains", json!([1, "b", [2]]), json!([2.0]), json!("1")),
        ("not_contains", json!(["ab"]), json!("a"), json!("ab")),
        ("length_equal", json!(["a", "b"]), json!(2), json!(1)),
        ("length_greater", json!([1, 2]), json!(1), json!(2)),
        ("length_at_least", json!([1, 2]), json!(2), json!(3)),
        ("length_less", json!([]), json!(1), json!(0)),
        ("length_at_most", json!([1]), json!(1), json!(0)),
        ("equal", json!(true), json!(true), json!(false)),
        ("not_equal", json!(true), json!(false), json!(true)),
        ("equal", json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), json!({"a": 1})),
        ("not_equal", json!({"a": 1}), json!({"a": "1"}), json!({"a": 1.0})),
        ("has_key", json!({"a": null}), json!("a"), json!("b")),
        ("has_no_key", json!({"a": null}), json!("b"), json!("a")),
        ("equal", json!(null), json!(null), json!(0)),
        ("not_equal", json!(""), json!(null), json!("")),
    ];
    for (is, left, holds, holds_not) in cases {
        assert_eq!(test(left.clone(), is, holds.clone()), Ok(true), "{left} {is} {holds}");
        assert_eq!(test(left.clone(), is, holds_not.clone()), Ok(false), "{left} {is} {holds_not}");
    }
}

#[test]
fn a_pattern_is_searched_for_in_the_whole_text() {
    for (pattern, holds) in
        [("b+", true), ("^b", false), ("c$", true), ("^abbc$", true), ("杭", false), ("", true)]
    {
        assert_eq!(test(json!("abbc"), "matches", json!(pattern)), Ok(holds), "{pattern}");
    }
    assert_eq!(test(json!("first\nsecond"), "matches", json!("second")), Ok(true));
    assert_eq!(test(json!("市辖区"), "matches", json!(r"\w{3}")), Ok(true));
    // What takes time without end where patterns go back and try again.
    let hostile = "a".repeat(50_000) + "b";
    assert_eq!(test(json!(hostile), "matches", json!("^(a+)+$")), Ok(false));
    let too_large =
        [json!("("), json!("a{1000}{1000}{1000}"), json!("a".repeat(MAX_PATTERN_LENGTH + 1))];
    for pattern in too_large {
        let fault = test(json!("a"), "matches", pattern.clone()).unwrap_err();
        assert!(
            matches!(&fault, ConditionFault::Unfit { why: OperatorMismatch::Pattern { said }, .. } if !said.is_empty()),
            "{pattern}: {fault}"
        );
    }
    let fault = test(json!("a"), "matches", json!("(?<=a)b")).unwrap_err().to_string();
    assert!(fault.contains("look-around"), "{fault}");
}

#[test]
fn a_boolean_is_no_number_and_a_number_is_not_its_text() {
    for (left, is, right, why) in [
        (json!(true), "greater", json!(0), OperatorMismatch::Left),
        (json!(true), "equal", json!(1), OperatorMismatch::KindsDiffer),
        (json!(1), "equal", json!("1"), OperatorMismatch::KindsDiffer),
        (json!("1"), "not_equal", json!(1), OperatorMismatch::KindsDiffer),
        (json!(2), "greater", json!(true), OperatorMismatch::Right { wanted: JsonKind::Number }),
        (json!("b"), "greater", json!("a"), OperatorMismatch::Left),
        (
            json!("ab"),
            "length_equal",
            json!("2"),
            OperatorMismatch::Right { wanted: JsonKind::Number },
        ),
        (json!({"a": 1}), "contains", json!("a"), OperatorMismatch::Left),
        (
            json!({"a": 1}),
            "has_key",
            json!(1),
            OperatorMismatch::Right { wanted: JsonKind::String },
        ),
        (json!(12), "contains", json!("1"), OperatorMismatch::Left),
        (json!(null), "length_equal", json!(0), OperatorMismatch::Left),
        (json!(1), "present", json!(1), OperatorMismatch::SomethingRight),
    ] {
        let fault = test(left.clone(), is, right.clone()).unwrap_err();
        let (left, right) = (Some(JsonKind::of(&left)), Some(JsonKind::of(&right)));
        let is = ConditionOperator::named(is).unwrap();
        assert_eq!(fault, ConditionFault::Unfit { left, is, right, why });
    }
    let fault = test(json!(1), "equal", json!("1")).unwrap_err();
    assert_eq!(fault.to_string(), "`equal` cannot compare a number with a string: different types");
    assert_eq!(fault.words().zh, "`equal` 无法比较数字与字符串：类型不同");
}

#[test]
fn what_is_not_there_is_absent_and_every_other_test_of_it_is_a_fault() {
    let of = |left: ConditionOperand, is| FlowCondition { left, is, right: None }.holds();
    let missing = || ConditionOperand::Missing("a.outputs.n".to_owned());
    assert_eq!(of(missing(), ConditionOperator::Present), Ok(false));
    assert_eq!(of(missing(), ConditionOperator::Absent), Ok(true));
    assert_eq!(of(json!(null).into(), ConditionOperator::Present), Ok(true), "null is a value");
    assert_eq!(of(json!(0).into(), ConditionOperator::Absent), Ok(false));
    let name = "a.outputs.n".to_owned();
    assert_eq!(
        of(missing(), ConditionOperator::Equal),
        Err(ConditionFault::Missing { name: name.clone() })
    );
    let right = Some(missing());
    let fault =
        FlowCondition { left: json!(1).into(), is: ConditionOperator::Equal, right }.holds();
    assert_eq!(fault, Err(ConditionFault::Missing { name }));
    let fault = of(json!(1).into(), ConditionOperator::Equal).unwrap_err();
    assert_eq!(fault.to_string(), "`equal` needs a value on the right");
}

#[test]
fn branches_are_tested_from_the_first_to_the_last_and_the_default_after_all() {
    let low = json!({"id": "low", "all": [{"left": 5, "is": "<", "right": 10}]});
    let any = json!({"id": "any", "any": [{"left": 5, "is": "present"}]});
    let default = json!({"id": "default", "all": []});
    let took = |branches: Value| {
        let chosen = chosen(json!({"branches": branches, "otherwise": "default"})).unwrap();
        (chosen.branch, chosen.by_default, chosen.why.len())
    };
    assert_eq!(took(json!([low, any])), ("low".to_owned(), false, 1));
    assert_eq!(took(json!([any, low])), ("any".to_owned(), false, 1));
    for branches in [json!([default, low]), json!([low, default])] {
        assert_eq!(took(branches), ("low".to_owned(), false, 1), "wherever the default stands");
    }
    assert_eq!(took(json!([])), ("default".to_owned(), true, 0));
    let never = json!({"branches": [{"id": "empty", "all": []}, {"id": "none", "any": []}]});
    let fault = chosen(never).unwrap_err();
    assert_eq!(fault, ChoiceFault::NoBranchHolds { verdicts: vec![] });
    assert_eq!(fault.to_string(), "no branch matches, and there is no default branch");
}

#[test]
fn a_fault_counts_only_where_the_other_conditions_leave_the_branch_open() {
    let (yes, no) =
        (json!({"left": 1, "is": "=", "right": 1}), json!({"left": 1, "is": "=", "right": 2}));
    let bad = json!({"left": "?gone", "is": "=", "right": 1});
    let first = |logic: &str, conditions: Value| {
        let branch = json!({"id": "b", logic: conditions});
        chosen(json!({"branches": [branch], "otherwise": "else"})).map(|chosen| chosen.branch)
    };
    assert_eq!(first("all", json!([yes, yes])).unwrap(), "b");
    assert_eq!(first("all", json!([yes, no])).unwrap(), "else");
    assert_eq!(first("all", json!([bad, no])).unwrap(), "else");
    assert_eq!(first("any", json!([bad, yes])).unwrap(), "b");
    assert_eq!(first("any", json!([no, no])).unwrap(), "else");
    for (logic, conditions, number) in
        [("all", json!([yes, bad]), 2), ("any", json!([no, no, bad]), 3), ("all", json!([bad]), 1)]
    {
        let fault = first(logic, conditions).unwrap_err();
        let said =
            format!("condition {number} of branch `b` cannot be evaluated: `gone` not found");
        assert_eq!(fault.to_string(), said);
    }
    let open = json!({"id": "open", "all": [bad]});
    let holds = json!({"id": "holds", "all": [yes]});
    let behind = chosen(json!({"branches": [holds, open]})).unwrap();
    assert_eq!(behind.branch, "holds", "what stands behind the branch that holds is not looked at");
    assert_eq!(
        behind.why.iter().map(|it| &it.outcome).collect::<Vec<_>>(),
        [&ConditionOutcome::Holds]
    );
    assert!(chosen(json!({"branches": [open, holds]})).is_err());
}

#[test]
fn a_branch_is_read_strictly_and_written_as_it_was_read() {
    let read = |written: Value| {
        serde_json::from_value::<BranchChoice>(written).map_err(|it| it.to_string())
    };
    let written = json!({
        "branches": [
            {"id": "a", "all": [{"left": "{{x}}", "is": "equal", "right": null}]},
            {"id": "b", "any": [{"left": "{{x}}", "is": "absent"}]},
        ],
        "otherwise": "c",
    });
    let choice = read(written.clone()).unwrap();
    assert_eq!(choice.branches[0].conditions[0].right, Some(json!(null)), "null is a value");
    assert_eq!(choice.branches[1].conditions[0].right, None);
    assert_eq!(serde_json::to_value(&choice).unwrap(), written);
    assert_eq!(choice.ids(), ["a", "b", "c"]);
    assert_eq!(choice.problems(), vec![]);
    let settled = choice.settle(|side| ConditionOperand::Value(side.clone()));
    let again = serde_json::to_value(&settled).unwrap();
    assert_eq!(serde_json::from_value::<BranchChoice<ConditionOperand>>(again).unwrap(), settled);
    for (branch, said) in [
        (json!({"id": "a", "all": [], "any": []}), "both `all` and `any`"),
        (json!({"id": "a"}), "neither `all` nor `any`"),
        (json!({"id": "a", "all": [], "is_default": true}), "unknown field"),
        (
            json!({"id": "a", "all": [{"left": 1, "is": "equal", "right": 1, "type": "int"}]}),
            "unknown field",
        ),
        (
            json!({"id": "a", "all": [{"left": 1, "is": "resembles", "right": 1}]}),
            "unknown operator",
        ),
    ] {
        let refused = read(json!({"branches": [branch]})).unwrap_err();
        assert!(refused.contains(said), "{branch}: {refused}");
    }
    let twice = json!({"branches": [{"id": "a", "all": []}, {"id": "a", "all": []}, {"id": "c",
        "all": [{"left": 1, "is": "present"}]}], "otherwise": "c"});
    assert_eq!(read(twice).unwrap().problems().len(), 4);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        "[a-c(\\[*杭]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn operators() -> impl Strategy<Value = ConditionOperator> {
    proptest::sample::select(ConditionOperator::all().collect::<Vec<_>>())
}

fn operands() -> impl Strategy<Value = ConditionOperand> {
    prop_oneof![8 => values().prop_map(ConditionOperand::Value), 1 => Just(ConditionOperand::Missing("x".to_owned()))]
}

fn branches() -> impl Strategy<Value = Vec<Branch<ConditionOperand>>> {
    let condition = (operands(), operators(), proptest::option::of(operands()))
        .prop_map(|(left, is, right)| FlowCondition { left, is, right });
    let logic = prop_oneof![Just(Logic::All), Just(Logic::Any)];
    let branch = (logic, proptest::collection::vec(condition, 0..3));
    proptest::collection::vec(branch, 0..5).prop_map(|branches| {
        let named =
            |(index, (logic, conditions))| Branch { id: format!("b{index}"), logic, conditions };
        branches.into_iter().enumerate().map(named).collect()
    })
}

proptest! {
    #[test]
    fn every_pair_gives_true_or_false_or_a_typed_fault(
        left in values(), is in operators(), right in proptest::option::of(values()),
    ) {
        let side = right.clone().map(ConditionOperand::from);
        let held = FlowCondition { left: left.clone().into(), is, right: side }.holds();
        let checked = check_operator(
            Some(JsonKind::of(&left)), is, right.as_ref().map_or(RightOperand::Nothing, RightOperand::Value));
        if let Err(fault) = &held {
            prop_assert!(!fault.words().zh.is_empty() && !fault.to_string().is_empty());
            prop_assert_eq!(&checked.unwrap_err(), fault, "what fails is found before");
        } else if checked.is_err() {
            prop_assert_eq!(held, Ok(false), "what is refused before can never hold");
        }
    }

    #[test]
    fn the_opposite_holds_where_a_test_does_not(left in values(), right in values()) {
        for (is, opposite) in [
            (ConditionOperator::Equal, ConditionOperator::NotEqual),
            (ConditionOperator::Contains, ConditionOperator::NotContains),
            (ConditionOperator::Greater, ConditionOperator::AtMost),
            (ConditionOperator::Less, ConditionOperator::AtLeast),
            (ConditionOperator::LengthGreater, ConditionOperator::LengthAtMost),
            (ConditionOperator::LengthLess, ConditionOperator::LengthAtLeast),
            (ConditionOperator::HasKey, ConditionOperator::HasNoKey),
        ] {
            let of = |is| FlowCondition {
                left: ConditionOperand::Value(left.clone()), is, right: Some(ConditionOperand::Value(right.clone())),
            }.holds();
            prop_assert_eq!(of(is).map(|held| !held).ok(), of(opposite).ok());
        }
    }

    #[test]
    fn the_first_branch_that_holds_alone_is_the_one_that_is_taken(branches in branches()) {
        let alone = |branch: &Branch<ConditionOperand>| {
            BranchChoice { branches: vec![branch.clone()], otherwise: None }.choose()
        };
        let open = |fault: &ChoiceFault| matches!(fault, ChoiceFault::NoBranchHolds { .. });
        let first = branches.iter().map(|branch| (branch.id.clone(), alone(branch)))
            .find(|(_, alone)| !alone.as_ref().is_err_and(open));
        let otherwise = Some("default".to_owned());
        let taken = BranchChoice { branches: branches.clone(), otherwise }.choose();
        match first {
            None => prop_assert!(taken.unwrap().by_default),
            Some((id, Ok(_))) => prop_assert_eq!(taken.unwrap().branch, id),
            Some((id, Err(_))) => {
                let fault = taken.unwrap_err();
                let named = matches!(&fault,
                    ChoiceFault::ConditionUntestable { branch, .. } if *branch == id);
                prop_assert!(named, "{}", fault);
            }
        }
        for default in branches.iter().map(|branch| branch.id.clone()) {
            let others = branches.iter().filter(|branch| branch.id != default).cloned().collect();
            let otherwise = Some(default);
            let moved = BranchChoice { branches: others, otherwise: otherwise.clone() }.choose();
            let in_place = BranchChoice { branches: branches.clone(), otherwise }.choose();
            prop_assert_eq!(moved, in_place, "the default's place does not matter");
        }
    }
}
