//! What holds for all values, all texts and all plans.

use crate::layers::{arguments, layers};
use crate::world::{World, broken, silent, task, unavailable};
use praxis_core::call::manifest;
use praxis_core::dataflow::context::Context;
use praxis_core::dataflow::lex::{lex, segments};
use praxis_core::dataflow::resolve::{LoadedBlobs, OnUnresolved, blobs_needed, resolve};
use praxis_core::dataflow::template::{ParameterTemplate, parameters_object};
use praxis_core::document::{self, DEEPEST, DocumentFormat};
use praxis_core::ids::StepId;
use praxis_core::intake::plan;
use praxis_core::journal::event::Event;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::payload::depth_is_within;
use praxis_core::state::step::StepStatus;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Text made of the parts of placeholders.
const BRACES: &str = r#"(\{\{a\}\}|\{\{s\.outputs\.v\}\}|\$\{a\}|\$\{s\.output\}|\\\{\{|\{\{|\}\}|\{|\}|\$|\\|a|s\.output|metadata\.a|\[0\]|"|\.| |步|é){0,12}"#;

/// Places that hold text of somebody else, as placeholders.
const PLACES: [&str; 6] = [
    "{{a}}",
    "{{{ s.outputs.v }}}",
    "${s.output.deep.l[0]}",
    "{{s.v}}",
    "{{metadata.a}}",
    "{{s_v}}",
];

/// Metadata `a`, and a step `s` with the fields `v` and `deep.l[0]`.
fn holding(a: &str, v: &str, deep: &str) -> Context {
    layers(json!({ "a": a }), &[("s", json!({"v": v, "deep": {"l": [deep]}}))])
}

fn nested(value: Value, depth: usize) -> Value {
    (0..depth).fold(value, |value, level| {
        if level % 2 == 0 { json!([value, level]) } else { json!({"k": value, "{{a}}": null}) }
    })
}

/// For each step the earlier steps that it needs.
fn dags() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1_usize..=9).prop_flat_map(|size| {
        let needs = |step: usize| {
            proptest::collection::vec(any::<bool>(), step).prop_map(|wanted| {
                let needed = wanted.iter().enumerate().filter(|(_, wanted)| **wanted);
                needed.map(|(index, _)| index).collect::<Vec<_>>()
            })
        };
        (0..size).map(needs).collect::<Vec<_>>()
    })
}

/// The DAG as a plan that is written backwards when `backwards`; every third step shares a tool for one.
fn started(dag: &[Vec<usize>], slots: u32, backwards: bool) -> World {
    let step = |(index, needs): (usize, &Vec<usize>)| {
        let tool = ["read", "write", "single"][index % 3];
        let ids: Vec<String> = needs.iter().map(|need| format!("s{need}")).collect();
        json!({"step_id": format!("s{index}"), "tool": tool, "depends_on": ids})
    };
    let mut steps: Vec<Value> = dag.iter().enumerate().map(step).collect();
    if backwards {
        steps.reverse();
    }
    let single =
        json!({"id": "single", "builtin": "s", "risk": "read", "limits": {"concurrent": 1}});
    let setup = task(json!(steps)).tool(single);
    setup.options(|options| options.parallel_max_concurrent = slots).start()
}

/// At every start all needs had succeeded, and no call of the limited tool ran beside another.
fn order_holds(world: &World) -> Result<(), TestCaseError> {
    let mut succeeded: Vec<&StepId> = vec![];
    let mut single = 0;
    for entry in &world.journal {
        match &entry.event {
            Event::StepStarted { step, .. } => {
                let planned = &world.state.step(step.as_str()).unwrap().plan;
                prop_assert!(planned.depends_on.iter().all(|need| succeeded.contains(&need)));
                single += u32::from(planned.tool.as_str() == "single");
                prop_assert!(single <= 1);
            }
            Event::StepFinished { step, outcome, .. } => {
                let planned = &world.state.step(step.as_str()).unwrap().plan;
                single -= u32::from(planned.tool.as_str() == "single");
                if matches!(outcome, praxis_core::journal::outcome::CallOutcome::Succeeded(_)) {
                    succeeded.push(step);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    // A-015
    #[test]
    fn text_that_comes_from_a_value_is_never_expanded(
        (a, v, deep) in (BRACES, BRACES, BRACES),
        places in proptest::collection::vec((0_usize..6, "[a-z ]{0,3}"), 1..6),
        depth in 0_usize..5,
    ) {
        let context = holding(&a, &v, &deep);
        let values = [&a, &v, &deep, &v, &a, &v];
        let written: String =
            places.iter().map(|(place, text)| format!("{}{text}", PLACES[*place])).collect();
        let expected: String =
            places.iter().map(|(place, text)| format!("{}{text}", values[*place])).collect();
        let resolved = arguments(&context, nested(json!(written), depth));
        prop_assert_eq!(resolved, nested(json!(expected), depth));
    }

    // A-015, A-017
    #[test]
    fn a_whole_value_arrives_as_it_was_however_deep_its_braces(
        (a, v, deep) in (BRACES, BRACES, BRACES),
        depth in 0_usize..5,
    ) {
        let value = nested(json!([a, {"k": v}, deep]), depth);
        let context = layers(json!({ "m": value }), &[("t", json!({ "x": value }))]);
        let both = arguments(&context, json!({"from_m": "{{m}}", "from_t": ["{{t.outputs.x}}"]}));
        prop_assert_eq!(both, json!({"from_m": value, "from_t": [value]}));
    }

    // A-018, A-020, A-021
    #[test]
    fn no_parameters_make_the_resolver_panic(text in BRACES, wild in any::<String>(), a in BRACES) {
        let context = holding(&a, "v", "deep");
        let both = format!("{text}{wild}");
        let as_json = [text.as_str(), wild.as_str(), both.as_str()].map(|t| parameters_object(&json!(t)));
        let parsed = as_json.into_iter().flatten();
        for value in parsed.chain([json!({ "k": [text, wild, both] })]) {
            let template = ParameterTemplate::parse(&value, &context);
            prop_assert!(blobs_needed(&template, &context).is_empty());
            for mode in [OnUnresolved::Ask, OnUnresolved::Error] {
                if let Err(misses) = resolve(&template, &context, &LoadedBlobs::new(), mode) {
                    prop_assert!(misses.iter().all(|miss| value.pointer(&miss.pointer).is_some()));
                }
            }
            prop_assert!(resolve(&template, &context, &LoadedBlobs::new(), OnUnresolved::Keep).is_ok());
        }
    }

    // A-020
    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
        words in r#"[\[\]{}:,"'0-9eE.+a-f \n&*!|>~#=-]{0,48}"#,
    ) {
        for format in [DocumentFormat::Json, DocumentFormat::Yaml, DocumentFormat::Toml] {
            for bytes in [&bytes[..], words.as_bytes()] {
                if let Ok(document) = document::read(bytes, format) {
                    prop_assert!(depth_is_within(&document, DEEPEST));
                    let _ = (plan::read(&document), manifest::read(&document));
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = (praxis_core::journal::read::read(&text), segments(&text), lex(&text));
    }

    // A-021
    #[test]
    fn parameters_in_a_json_text_mean_the_same_as_the_object(a in BRACES, b in any::<String>()) {
        let value = json!({"a": a, "b": [b, {"c": 1}]});
        prop_assert_eq!(parameters_object(&json!(value.to_string())), Ok(value));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    // A-045
    #[test]
    fn every_step_of_a_plan_runs_once_after_what_it_needs_and_within_the_slots(
        dag in dags(),
        slots in 1_u32..5,
        backwards in any::<bool>(),
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 9),
    ) {
        let mut world = started(&dag, slots, backwards);
        for pick in picks.iter().take(dag.len()) {
            let running = world.running();
            prop_assert!(!running.is_empty());
            world.succeed(&running[pick.index(running.len())], json!({"x": 1}));
        }
        let mut started: Vec<String> = world.calls();
        started.sort();
        started.dedup();
        prop_assert_eq!((started.len(), world.calls().len()), (dag.len(), dag.len()));
        prop_assert!(world.widest <= slots as usize);
        prop_assert_eq!(world.ids_with(StepStatus::Success).len(), dag.len());
        prop_assert_eq!(world.ending(), &praxis_core::journal::outcome::TaskEnding::Completed);
        order_holds(&world)?;
    }

    // A-045, A-046, A-059
    #[test]
    fn a_plan_ends_whatever_its_calls_do_and_skips_exactly_what_needs_a_failed_step(
        dag in dags(),
        slots in 1_u32..5,
        fates in proptest::collection::vec((any::<prop::sample::Index>(), 0_u32..6), 60),
    ) {
        let mut world = started(&dag, slots, false);
        for (pick, fate) in fates {
            let running = world.running();
            if world.state.status().is_final() {
                break;
            }
            if running.is_empty() {
                match world.state.questions.values().next().cloned() {
                    Some(question) => {
                        let answer = match fate % 3 {
                            0 => QuestionAnswer::GiveUp { reason: "x".into() },
                            1 => QuestionAnswer::NotDone,
                            _ => QuestionAnswer::DoAgain,
                        };
                        let question = question.id;
                        world.tell(Event::QuestionAnswered { question, answer, by: "lin".into() });
                    }
                    None => world.sleep(),
                }
                continue;
            }
            let id = &running[pick.index(running.len())];
            let tool = world.state.step(id).unwrap().tool().to_string();
            match fate {
                0 => world.fail(id, unavailable(&tool)),
                1 => world.fail(id, broken(&tool)),
                2 => world.fail(id, silent(&tool)),
                3 => world.lose(id),
                _ => world.succeed(id, json!({"x": 1})),
            }
        }
        if !world.state.status().is_final() {
            return Ok(());
        }
        prop_assert!(world.widest <= slots as usize);
        order_holds(&world)?;
        let status = |index: usize| world.state.step(&format!("s{index}")).unwrap().status;
        for (index, needs) in dag.iter().enumerate() {
            let all_there = needs.iter().all(|need| status(*need) == StepStatus::Success);
            prop_assert_eq!(status(index) == StepStatus::Skipped, !all_there);
            prop_assert!(status(index).is_final());
        }
    }

    // A-080
    #[test]
    fn a_cancelled_plan_ends_with_its_calls_and_a_reopened_one_runs_the_rest_once(
        dag in dags(),
        slots in 1_u32..5,
        before in 0_usize..5,
    ) {
        let mut world = started(&dag, slots, true);
        for _ in 0..before {
            if let Some(id) = world.running().first() {
                world.succeed(id, json!({"x": 1}));
            }
        }
        if world.state.status().is_final() {
            return Ok(());
        }
        world.cancel();
        world.run();
        prop_assert_eq!(world.state.status(), praxis_core::state::TaskStatus::Cancelled);
        world.reopen(2, &[]);
        world.run();
        prop_assert_eq!(world.calls().len(), dag.len());
        prop_assert_eq!(world.state.progress(), (dag.len(), dag.len()));
        order_holds(&world)?;
    }
}
