//! The right plans themselves, run over the same ground: what a person wrote down can be reached and is judged right.

use super::case::{ExpectedOutcome, ExpectedStep, OfflineCase, cases, folder};
use super::judge::judge;
use super::ran::{OfflineRig, OfflineRun, PlanStatement, Shop, options};
use crate::goals::pursue::in_virtual_time;
use crate::goals::work::each;
use praxis_core::ids::Tenant;
use praxis_core::intake::plan;
use praxis_core::schema::required;
use praxis_engine::submit::PlanRequest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A right plan as a plan file has it: `{{2.outputs.x}}` is of `step_2` there.
fn document(steps: &[ExpectedStep]) -> Value {
    let id = |number: usize| format!("step_{number}");
    let step = |(at, step): (usize, &ExpectedStep)| {
        let mut with = Value::Object(step.with.clone()).to_string();
        for number in 1..=steps.len() {
            with = with.replace(&format!("{{{{{number}."), &format!("{{{{{}.", id(number)));
        }
        let named = |number: &usize| with.contains(&format!("{{{{{}.", id(*number)));
        let before = (1..=at).filter(|number| named(number) || step.after.contains(number));
        let depends_on: Vec<String> = before.map(id).collect();
        let parameters: Value = serde_json::from_str(&with).unwrap();
        json!({"step_id": id(at + 1), "tool": step.tool, "parameters": parameters, "depends_on": depends_on})
    };
    json!({"steps": steps.iter().enumerate().map(step).collect::<Vec<_>>()})
}

/// Whether every argument that must be there is written down.
fn is_whole(shop: &Shop, steps: &[ExpectedStep]) -> bool {
    steps.iter().all(|step| {
        let tool = shop.tools.get(&step.tool).unwrap();
        required(&tool.input_schema).all(|name| step.with.contains_key(name))
    })
}

async fn followed(shop: &Shop, case: &OfflineCase) -> anyhow::Result<OfflineRun> {
    let stage = OfflineRig::of(case)?;
    let document = document(&case.expect.steps);
    let request = PlanRequest {
        goal: case.goal.clone(),
        plan: plan::read(&document).unwrap(),
        toolbox: shop.tools.clone(),
        metadata: case.metadata.clone(),
        options: options(case),
        idempotency_key: None,
        document: None,
        tenant: Tenant::default(),
        parent: None,
        step_model: None,
        flow: None,
    };
    let task = stage.engine.submit(request).await?.task;
    let said =
        PlanStatement { outcome: ExpectedOutcome::Ready, asks: BTreeSet::new(), workflow: None };
    shop.settled(stage, task, said).await
}

#[test]
fn right_plans_that_are_written_down_whole_end_as_they_should() {
    let shop = Shop::open();
    let mut all = cases(&folder()).unwrap();
    all.retain(|case| {
        case.expect.outcome == ExpectedOutcome::Ready && is_whole(&shop, &case.expect.steps)
    });
    let ran = each(&all, |case| in_virtual_time(followed(&shop, case)));
    assert!(all.len() > 80, "{}", all.len());
    let mut wrong = vec![];
    for (case, ran) in all.iter().zip(ran) {
        let verdict = ran.as_ref().map(|ran| (judge(case, ran, &shop.tools), &ran.end));
        if !verdict.as_ref().is_ok_and(|(verdict, _)| verdict.all()) {
            wrong.push(format!("{} {verdict:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), all.len());
}
