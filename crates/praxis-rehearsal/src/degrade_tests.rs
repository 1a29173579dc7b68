//! Errors come as often as they were ordered, and each is one.

use super::*;
use serde_json::json;

fn plan() -> Value {
    let step = |id: &str, waits: Value| {
        json!({"step_id": id, "tool": "find", "parameters": {"q": "{{step_1.outputs.id}}", "n": 0.5},
            "depends_on": waits})
    };
    json!({"steps": [step("a", json!([])), step("b", json!(["a"])), step("c", json!(["a", "b"]))]})
}

fn only(rates: ErrorRates) -> Degrader {
    Degrader::new(rates, 11).tools(["find".to_owned(), "send".to_owned()])
}

fn spoiled(degrader: &mut Degrader, answer: Value) -> Value {
    serde_json::from_str(&degrader.spoil(answer, &[])).unwrap()
}

#[test]
fn without_errors_the_answer_is_right() {
    let mut degrader = only(ErrorRates::default());
    assert_eq!(spoiled(&mut degrader, plan()), plan());
    assert_eq!(degrader.injected(), Injected { answers: 1, ..Injected::default() });
}

#[test]
fn a_step_is_forgotten_and_nobody_waits_for_it() {
    let mut degrader = only(ErrorRates { drop_step: 1.0, ..ErrorRates::default() });
    let left = spoiled(&mut degrader, plan());
    let steps = left["steps"].as_array().unwrap();
    let ids: Vec<&str> = steps.iter().map(|step| step["step_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    for step in steps {
        let waits = step["depends_on"].as_array().unwrap();
        assert!(waits.iter().all(|id| ids.contains(&id.as_str().unwrap())), "{left}");
    }
    assert_eq!(spoiled(&mut degrader, json!({"steps": []})), json!({"steps": []}));
    assert_eq!(degrader.injected().drop_step, 1, "what could not be done is not counted");
}

#[test]
fn one_tool_or_one_argument_is_another_in_every_kind_of_answer() {
    let differences = |answer: &Value, right: &Value, at: &str| {
        let of = |value: &Value| match value.get("steps").and_then(Value::as_array) {
            Some(steps) => steps.iter().map(|step| step[at].clone()).collect(),
            None => vec![value.pointer(&format!("/step/{at}")).or(value.get(at)).cloned().unwrap()],
        };
        of(answer).iter().zip(of(right)).filter(|(one, other)| *one != other).count()
    };
    let one = json!({"step": plan()["steps"][0]});
    let mut degrader = only(ErrorRates { wrong_tool: 1.0, ..ErrorRates::default() });
    for right in [plan(), one.clone()] {
        let wrong = spoiled(&mut degrader, right.clone());
        assert_eq!(differences(&wrong, &right, "tool"), 1, "{wrong}");
        assert!(wrong.to_string().contains("\"send\""), "{wrong}");
    }
    let mut degrader = only(ErrorRates { wrong_argument: 1.0, ..ErrorRates::default() });
    for right in [plan(), one, json!({"parameters": {"a": true, "b": null, "c": [], "d": {}}})] {
        let wrong = spoiled(&mut degrader, right.clone());
        assert_eq!(differences(&wrong, &right, "parameters"), 1, "{wrong}");
    }
    assert_eq!(degrader.injected().wrong_argument, 3);
}

#[test]
fn a_malformed_answer_is_no_json() {
    let mut degrader = only(ErrorRates { malformed: 1.0, ..ErrorRates::default() });
    for _ in 0..1000 {
        let text = degrader.spoil(plan(), &[]);
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{text}");
    }
    assert_eq!(degrader.injected().malformed, 1000);
}

#[test]
fn errors_come_as_often_as_they_were_ordered_and_the_same_for_the_same_seed() {
    let run = |seed| {
        let mut degrader = Degrader::new(ErrorRates::all(0.1), seed);
        let texts: Vec<String> = (0..2000).map(|_| degrader.spoil(plan(), &[])).collect();
        (texts, degrader.injected())
    };
    let (texts, injected) = run(5);
    for count in injected.counts().values().filter(|count| **count != injected.answers) {
        assert!((160..240).contains(count), "{injected:?}");
    }
    assert_eq!(texts, run(5).0);
    assert_ne!(texts, run(6).0);
}
