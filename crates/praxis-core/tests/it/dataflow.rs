//! The three layers and the placeholders that read them: rows A-001 to A-021.

use crate::layers::{
    arguments, failure, large_success, layers, miss, result, success, text, tried,
};
use praxis_core::dataflow::context::Context;
use praxis_core::dataflow::lex;
use praxis_core::dataflow::path::{Segment, walk};
use praxis_core::dataflow::resolve::{
    ContextLayer, Hole, LoadedBlobs, MissReason, MissingValue, OnUnresolved, blobs_needed, resolve,
};
use praxis_core::dataflow::template::{BadParameters, ParameterTemplate, parameters_object};
use praxis_core::ids::StepId;
use praxis_core::payload::Payload;
use serde_json::{Value, json};

// A-001
#[test]
fn initial_metadata_holds_any_json_and_no_step_changes_it() {
    let metadata =
        json!({"s": "x", "n": 1.5, "b": false, "z": null, "l": [1, {"k": 2}], "o": {"k": []}});
    let before = Context::of_values(metadata.as_object().unwrap());
    let after = layers(metadata.clone(), &[("step_1", json!({"s": "y", "n": 2}))]);
    assert_eq!(after.initial(), before.initial());
    for (key, value) in metadata.as_object().unwrap() {
        assert_eq!(text(&after, &format!("{{{{metadata.{key}}}}}")), *value);
    }
}

// A-002
#[test]
fn the_step_that_completed_last_owns_a_bare_name_whatever_the_plan_says() {
    let mut context = layers(json!({"id": "initial"}), &[]);
    for id in ["first", "second"] {
        context.declare(&StepId::from(id));
    }
    assert_eq!(text(&context, "{{id}}"), json!("initial"));
    success(&mut context, "second", json!({"id": 2}), &[]).unwrap();
    success(&mut context, "first", json!({"id": 1}), &[]).unwrap();
    assert_eq!(text(&context, "{{id}}"), json!(1));
    assert_eq!(context.shadowed("id"), [&StepId::from("second")]);
}

// A-003
#[test]
fn a_result_is_kept_whole_for_failed_steps_and_texts_too_and_a_second_one_takes_its_place() {
    let mut context = layers(json!({}), &[("said", json!("no JSON at all"))]);
    let _ = failure(&mut context, "broke", json!({"partial": true}));
    let of = |context: &Context, id: &str| {
        context.index_of(id).and_then(|index| context.result(index)).cloned()
    };
    assert_eq!(
        of(&context, "said"),
        Some(result("said", Payload::json("no JSON at all".into()), true))
    );
    let partial = Payload::json(json!({"partial": true}));
    assert_eq!(of(&context, "broke"), Some(result("broke", partial, false)));
    success(&mut context, "broke", json!({"whole": true}), &[]).unwrap();
    assert_eq!(text(&context, "{{broke.output}}"), json!({"whole": true}));
    assert_eq!(
        serde_json::to_value(of(&context, "said")).unwrap(),
        json!({"step_id": "said", "step_name": "", "tool_id": "tool", "is_success": true,
            "output": {"json": "no JSON at all"}, "duration_ms": 5})
    );
}

// A-003
#[test]
fn a_huge_output_stays_in_its_blob_and_is_opened_only_for_a_part_of_it() {
    let mut context = layers(json!({}), &[]);
    let output = json!({"rows": vec!["x".repeat(50); 2000], "total": 2000});
    let blobs = large_success(&mut context, "big", &output);
    let blob = blobs.keys().next().unwrap().clone();
    let cases = [
        ("{{big.outputs.total}}", json!(2000), None, false),
        ("{{total}}", json!(2000), None, false),
        ("{{big.output}}", Value::Null, Some(None), false),
        ("{{big.outputs.rows}}", Value::Null, Some(Some("rows")), false),
        ("{{rows}}", Value::Null, Some(Some("rows")), false),
        ("{{big.outputs.rows[0]}}", json!("x".repeat(50)), None, true),
        ("n={{big.outputs.rows.1}}", json!(format!("n={}", "x".repeat(50))), None, true),
    ];
    for (written, expected, hole, opened) in cases {
        let template = ParameterTemplate::parse(&json!({ "v": written }), &context);
        let resolved = resolve(&template, &context, &blobs, OnUnresolved::Error).unwrap();
        let key = |key: &str| key.to_owned();
        let hole =
            hole.map(|field| Hole { at: "/v".into(), blob: blob.clone(), key: field.map(key) });
        assert_eq!(resolved.value, json!({ "v": expected }), "{written}");
        assert_eq!(resolved.holes, Vec::from_iter(hole), "{written}");
        assert_eq!(!blobs_needed(&template, &context).is_empty(), opened, "{written}");
    }
}

// A-004
#[test]
fn a_bare_name_is_runtime_then_initial_then_a_field_of_one_result() {
    let mut context = layers(json!({"a": "initial", "b": "initial"}), &[]);
    let output = json!({"a": "runtime", "b": "result", "c": "result"});
    success(&mut context, "step_1", output, &["a"]).unwrap();
    assert_eq!(
        arguments(&context, json!(["{{a}}", "{{b}}", "{{c}}"])),
        json!(["runtime", "initial", "result"])
    );
}

// A-004
#[test]
fn a_full_path_reads_that_step_only() {
    let context = layers(
        json!({"id": "initial", "only_here": 1}),
        &[("step_1", json!({"id": "one"})), ("step_2", json!({"id": "two"}))],
    );
    assert_eq!(text(&context, "{{step_1.outputs.id}}"), json!("one"));
    assert_eq!(miss(&context, "{{step_1.outputs.only_here}}").why, MissReason::NoSuchPart);
}

// A-005, A-006
#[test]
fn outputs_and_output_read_a_field_of_a_step() {
    let output = json!({"id": 7, "outputs": {"id": 8}, "output": {"id": 9}});
    let context = layers(json!({}), &[("step_1", output)]);
    for (written, expected) in [
        ("{{step_1.outputs.id}}", json!(7)),
        ("{{step_1.output.id}}", json!(7)),
        ("{{step_1.outputs.outputs}}", json!({"id": 8})),
        ("{{step_1.outputs.outputs.id}}", json!(8)),
        ("{{step_1.outputs.output.id}}", json!(9)),
        ("{{step_1.output.output}}", json!({"id": 9})),
        ("{{step_1.output.outputs.id}}", json!(8)),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-005, A-018
#[test]
fn an_unknown_unrun_or_failed_step_and_a_missing_field_are_told_apart() {
    let mut context = layers(json!({}), &[("step_1", json!({"id": 7, "name": "x"}))]);
    context.declare(&StepId::from("step_2"));
    let _ = failure(&mut context, "step_3", json!({"id": 1}));
    let told = |placeholder: &str, why, searched: &str, candidates: &[&str]| MissingValue {
        placeholder: placeholder.to_owned(),
        pointer: "/p/0".to_owned(),
        why,
        searched: vec![searched.to_owned()],
        candidates: candidates.iter().map(ToString::to_string).collect(),
    };
    let of_1 = "the result of step `step_1`";
    for expected in [
        told(
            "{{step_9.outputs.id}}",
            MissReason::UnknownStep,
            "the steps of the plan",
            &["step_1", "step_2", "step_3"],
        ),
        told("{{step_2.outputs.id}}", MissReason::NotRunYet, "the result of step `step_2`", &[]),
        told("{{step_3.outputs.id}}", MissReason::StepFailed, "the result of step `step_3`", &[]),
        told("{{step_1.outputs.nmae}}", MissReason::NoSuchPart, of_1, &["id", "name"]),
    ] {
        let parameters = json!({"p": [expected.placeholder]});
        assert_eq!(tried(&context, parameters, OnUnresolved::Error), Err(vec![expected]));
    }
}

// A-007
#[test]
fn triple_braces_are_double_braces_and_real_braces_beside_them_stay() {
    let context = layers(json!({"n": 3}), &[("s", json!({"x": {"y": 1}}))]);
    for (written, expected) in [
        ("{{{n}}}", json!(3)),
        ("{{{s.outputs.x}}}", json!({"y": 1})),
        (r#"{"k":{"x":{{n}}}}"#, json!(r#"{"k":{"x":3}}"#)),
        (r#"{"k":{{{n}}}}"#, json!(r#"{"k":3}"#)),
        ("{{{{n}}}}", json!("{3}")),
        ("{{n}}}", json!("3}")),
        ("{{{n}}", json!("{3")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-008
#[test]
fn a_step_and_a_field_read_what_that_step_gave_not_what_another_wrote_last() {
    let mut context = layers(json!({"id": "initial"}), &[("step_1", json!({"id": 1}))]);
    success(&mut context, "step_2", json!({"id": 2, "more": 22}), &["id"]).unwrap();
    for (written, expected) in [
        ("{{step_1.id}}", json!(1)),
        ("{{step_2.id}}", json!(2)),
        ("{{step_2.more}}", json!(22)),
        ("{{id}}", json!(2)),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
    let template = ParameterTemplate::parse(&json!(["{{step_2.id}}", "{{step_2.more}}"]), &context);
    let resolved = resolve(&template, &context, &LoadedBlobs::new(), OnUnresolved::Error).unwrap();
    let step_2 = context.index_of("step_2").unwrap();
    let places: Vec<ContextLayer> = resolved.origins.iter().map(|origin| origin.place).collect();
    assert_eq!(places, [ContextLayer::Runtime(step_2), ContextLayer::Result(step_2)]);
}

// A-009
#[test]
fn a_dollar_form_works_alone_and_embedded_and_what_a_shell_means_is_left_alone() {
    let context = layers(json!({"region": "eu"}), &[("step_1", json!({"id": 7}))]);
    for (written, expected) in [
        ("${step_1.output.id}", json!(7)),
        ("${step_1.outputs.id}", json!(7)),
        ("${step_1}", json!({"id": 7})),
        ("id=${step_1.output.id}; again ${step_1.id}", json!("id=7; again 7")),
        ("${region}", json!("eu")),
        ("cd ${HOME} && echo $PATH ${A:-b}", json!("cd ${HOME} && echo $PATH ${A:-b}")),
        ("${HOME}", json!("${HOME}")),
        ("${id} and {{id}}", json!("7 and 7")),
        (r"\${region}", json!("${region}")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
    assert_eq!(miss(&context, "${nobody.output.id}").why, MissReason::UnknownStep);
    assert_eq!(miss(&context, "${nobody.id}").why, MissReason::NoSuchName);
}

// A-010
#[test]
fn a_name_that_nobody_has_lists_near_ones_and_one_that_several_have_lists_them_all() {
    let mut context = layers(json!({"project_id": 1}), &[]);
    for id in ["a", "b", "c"] {
        success(&mut context, id, json!({"path": id, "used": 0}), &["used"]).unwrap();
    }
    let searched = ["runtime metadata", "initial metadata", "step results"].map(String::from);
    let told = |placeholder: &str, why, candidates: &[&str]| MissingValue {
        placeholder: placeholder.to_owned(),
        pointer: String::new(),
        why,
        searched: searched.to_vec(),
        candidates: candidates.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(
        miss(&context, "{{projct_id}}"),
        told("{{projct_id}}", MissReason::NoSuchName, &["project_id"])
    );
    let all = ["{{a.outputs.path}}", "{{b.outputs.path}}", "{{c.outputs.path}}"];
    assert_eq!(miss(&context, "{{path}}"), told("{{path}}", MissReason::Ambiguous, &all));
}

// A-010, A-012
#[test]
fn a_dotted_name_whose_head_is_no_step_walks_into_metadata_runtime_before_initial() {
    let context = layers(
        json!({"user": {"name": "initial"}, "site": {"tags": ["x", "y"]}, "a.b": "dotted"}),
        &[("step_1", json!({"user": {"name": "runtime"}, "c.d": "synced"}))],
    );
    for (written, expected) in [
        ("{{user.name}}", json!("runtime")),
        ("{{metadata.user.name}}", json!("initial")),
        ("{{site.tags[1]}}", json!("y")),
        ("{{site.tags.0}}", json!("x")),
        ("{{a.b}}", json!("dotted")),
        ("{{c.d}}", json!("synced")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-011
#[test]
fn a_prefixed_key_is_what_that_step_gave_even_if_another_has_a_field_of_that_name() {
    let context = layers(
        json!({"step_2_datasource_id": "initial"}),
        &[
            ("step_2", json!({"datasource_id": "ds-2"})),
            ("step_3", json!({"datasource_id": "ds-3", "step_2_datasource_id": "an echo"})),
        ],
    );
    assert_eq!(text(&context, "{{step_2_datasource_id}}"), json!("ds-2"));
    assert_eq!(text(&context, "{{step_3_datasource_id}}"), json!("ds-3"));
    assert_eq!(text(&context, "{{datasource_id}}"), json!("ds-3"));
}

// A-011
#[test]
fn a_prefixed_key_that_can_be_cut_in_several_ways_is_an_ambiguity_that_lists_all_of_them() {
    let context = layers(
        json!({}),
        &[
            ("step_1", json!({"2_id": "one", "2_3_id": "one"})),
            ("step_1_2", json!({"id": "two", "3_id": "two"})),
            ("step_1_2_3", json!({"id": "three"})),
        ],
    );
    let ambiguous = miss(&context, "{{step_1_2_id}}");
    assert_eq!(ambiguous.why, MissReason::Ambiguous);
    assert_eq!(ambiguous.candidates, ["{{step_1.outputs.2_id}}", "{{step_1_2.outputs.id}}"]);
    assert_eq!(
        miss(&context, "{{step_1_2_3_id}}").candidates,
        ["{{step_1.outputs.2_3_id}}", "{{step_1_2.outputs.3_id}}", "{{step_1_2_3.outputs.id}}",]
    );
}

// A-012
#[test]
fn paths_go_to_any_depth_through_keys_indexes_and_keys_with_dots() {
    let output = json!({
        "result": {"data": {"model_id": "m-1"}}, "devices": [{"id": "d-0"}, {"id": "d-1"}],
        "a.b": {"c.d": 5}, "grid": [[1, 2], [3, 4]], "0": "zero",
    });
    let context = layers(json!({}), &[("step_3", output)]);
    for (written, expected) in [
        ("{{step_3.outputs.result.data.model_id}}", json!("m-1")),
        ("{{step_3.result.data.model_id}}", json!("m-1")),
        ("${step_3.devices[0].id}", json!("d-0")),
        ("{{step_3.outputs.devices.1.id}}", json!("d-1")),
        ("{{step_3.outputs.grid[1][0]}}", json!(3)),
        (r#"{{step_3.outputs["a.b"]["c.d"]}}"#, json!(5)),
        ("{{step_3.outputs.a.b.c.d}}", json!(5)),
        ("{{step_3.outputs.0}}", json!("zero")),
        ("{{devices[1].id}}", json!("d-1")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-012, C-020
#[test]
fn null_a_scalar_a_short_array_and_a_plain_text_on_the_way_say_what_stood_there() {
    let output = json!({"n": null, "i": 1, "t": true, "l": [1, 2], "s": "words", "o": {"k": {}}});
    let context = layers(json!({}), &[("s", output)]);
    for (path, reached, found) in [
        ("n.x", ".n", "null"),
        ("i.x", ".i", "a number"),
        ("t[0]", ".t", "true or false"),
        ("l[2]", ".l", "an array of 2"),
        ("l.first", ".l", "an array of 2"),
        ("s.x", ".s", "a text that is not JSON"),
        ("o.missing.x", ".o", "k"),
    ] {
        let miss = miss(&context, &format!("{{{{s.outputs.{path}}}}}"));
        assert_eq!(miss.why, MissReason::NoSuchPart, "{path}");
        assert_eq!(miss.searched, [format!("the result of step `s`{reached}")], "{path}");
        assert_eq!(miss.candidates, [found], "{path}");
    }
}

// C-020
#[test]
fn data_is_taken_by_path_and_an_invalid_path_gives_nothing() {
    let value = json!({"a": [{"b": 1}]});
    let path = lex::segments;
    let at =
        |text: &str| path(text).ok().and_then(|path| Some(walk(&value, &path).ok()?.into_owned()));
    assert_eq!(at("a[0].b"), Some(json!(1)));
    assert_eq!(at("a"), Some(json!([{"b": 1}])));
    for invalid in ["a[1].b", "a.b", "", "a..b", "a[", "[0]", "b"] {
        assert_eq!(at(invalid), None, "{invalid}");
    }
    assert!(walk(&value, &[Segment::Index(0)]).is_err());
}

// A-013
#[test]
fn a_whole_output_is_read_with_braces_and_without() {
    let context = layers(
        json!({}),
        &[
            ("step_1", json!({"a": [1]})),
            ("action_1_1", json!(25)),
            ("encoded", json!(r#"{"a": 1}"#)),
            ("said", json!("plain words")),
        ],
    );
    for (written, expected) in [
        ("{{step_1.output}}", json!({"a": [1]})),
        ("{{step_1.outputs}}", json!({"a": [1]})),
        ("step_1.output", json!({"a": [1]})),
        ("{{action_1_1.output}}", json!(25)),
        ("action_1_1.output", json!(25)),
        ("{{encoded.output}}", json!(r#"{"a": 1}"#)),
        ("{{encoded.output.a}}", json!(1)),
        ("{{said.output}}", json!("plain words")),
        ("said: {{said.output}}", json!("said: plain words")),
        ("see step_1.output here", json!("see step_1.output here")),
        ("nobody.output", json!("nobody.output")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-014
#[test]
fn metadata_dot_reads_initial_metadata_with_and_without_braces() {
    let context = layers(
        json!({"project_id": "p", "deep": {"k": [1]}, "metadata": {"own": "real", "project_id": "no"}}),
        &[("step_1", json!({"project_id": "runtime"}))],
    );
    for (written, expected) in [
        ("{{metadata.project_id}}", json!("p")),
        ("metadata.project_id", json!("p")),
        ("${metadata.project_id}", json!("p")),
        ("{{metadata.deep.k[0]}}", json!(1)),
        ("{{metadata.own}}", json!("real")),
        ("{{metadata.metadata.project_id}}", json!("no")),
        ("{{metadata}}", json!({"own": "real", "project_id": "no"})),
        ("metadata.json", json!("metadata.json")),
        ("{{project_id}}", json!("runtime")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
    let near = miss(&context, "{{metadata.projectid}}");
    assert_eq!(
        (near.why, near.candidates),
        (MissReason::NoSuchName, vec!["project_id".to_owned()])
    );
}

// A-015
#[test]
fn several_placeholders_in_one_text_are_all_replaced_and_never_scanned_again() {
    let context = layers(
        json!({"a": "{{b}}", "b": "B", "c": "${b}", "open": "{{", "name": "b}}"}),
        &[("action_1_1", json!(25)), ("action_1_2", json!(64))],
    );
    for (written, expected) in [
        ("{{action_1_1.output}} + {{action_1_2.output}}", "25 + 64"),
        ("x {{a}} {{b}}", "x {{b}} B"),
        ("{{b}} {{a}}", "B {{b}}"),
        ("{{c}}{{a}}${a}", "${b}{{b}}{{b}}"),
        ("{{open}}{{name}}", "{{b}}"),
        ("{{a}}", "{{b}}"),
    ] {
        assert_eq!(text(&context, written), json!(expected), "{written}");
    }
}

// A-016
#[test]
fn placeholders_stand_at_any_depth_and_keys_are_left_alone() {
    let context = layers(json!({"n": 1, "key": "K"}), &[]);
    let parameters = json!({
        "{{key}}": "{{key}}", "list": ["{{n}}", ["a {{n}}"], {"deep": {"{{n}}": "{{n}}"}}],
        "plain": [1, null, {"x": true}], "a/b~c": ["{{n}}"],
    });
    assert_eq!(
        arguments(&context, parameters.clone()),
        json!({
            "{{key}}": "K", "list": [1, ["a 1"], {"deep": {"{{n}}": 1}}],
            "plain": [1, null, {"x": true}], "a/b~c": [1],
        })
    );
    let template = ParameterTemplate::parse(&parameters, &context);
    let mut places = vec![];
    template.each_placeholder(&mut |placeholder| places.push(placeholder.pointer.to_string()));
    places.sort();
    assert_eq!(places, ["/a~1b~0c/0", "/list/0", "/list/1/0", "/list/2/deep/{{n}}", "/{{key}}"]);
}

// A-017
#[test]
fn a_whole_value_keeps_its_type_and_an_embedded_one_is_text() {
    for (value, embedded) in [
        (json!(3), "3"),
        (json!(2.5), "2.5"),
        (json!(true), "true"),
        (json!(null), "null"),
        (json!("it's \"raw\""), "it's \"raw\""),
        (json!([1, "a"]), r#"[1,"a"]"#),
        (json!({"k": null}), r#"{"k":null}"#),
        (json!(u64::MAX), "18446744073709551615"),
    ] {
        let context = layers(json!({ "m": value }), &[("s", json!({ "x": value }))]);
        assert_eq!(
            arguments(&context, json!(["{{m}}", "{{s.outputs.x}}", "<{{s.outputs.x}}>"])),
            json!([value, value, format!("<{embedded}>")])
        );
    }
}

// A-018
#[test]
fn all_missing_placeholders_are_reported_at_once_with_their_places() {
    let mut context = layers(json!({}), &[]);
    context.declare(&StepId::from("step_1"));
    let parameters = json!({"a": "{{x}} and {{step_1.outputs.y}}", "b": ["{{z}}"], "c": 1});
    let misses = tried(&context, parameters, OnUnresolved::Ask).unwrap_err();
    let told: Vec<_> =
        misses.iter().map(|miss| (&*miss.placeholder, &*miss.pointer, miss.why)).collect();
    assert_eq!(
        told,
        [
            ("{{x}}", "/a", MissReason::NoSuchName),
            ("{{step_1.outputs.y}}", "/a", MissReason::NotRunYet),
            ("{{z}}", "/b/0", MissReason::NoSuchName),
        ]
    );
}

// A-018
#[test]
fn keep_leaves_what_has_no_value_exactly_as_written() {
    let context = layers(json!({"n": 1}), &[]);
    let parameters = json!(["{{missing}}", "{{{ missing }}} {{n}}", "${a.b}", "{{}}", "{{open"]);
    assert_eq!(
        tried(&context, parameters, OnUnresolved::Keep).unwrap(),
        json!(["{{missing}}", "{{{ missing }}} 1", "${a.b}", "{{}}", "{{open"])
    );
}

// A-019
#[test]
fn json_text_inside_json_is_entered_by_a_longer_path() {
    let inner = json!({"id": 5, "list": [{"k": "v"}]}).to_string();
    let twice = Value::from(inner.clone()).to_string();
    let output = json!({"once": inner, "twice": twice, "number": "42", "bad": "{\"id\": 5"});
    let context = layers(json!({}), &[("s", output), ("whole", json!(inner))]);
    for (written, expected) in [
        ("{{s.outputs.once.id}}", json!(5)),
        ("{{s.outputs.once.list[0].k}}", json!("v")),
        ("{{s.outputs.twice.id}}", json!(5)),
        ("{{whole.outputs.id}}", json!(5)),
        ("{{s.outputs.number}}", json!("42")),
        ("{{s.outputs.once}}", json!(inner)),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
    assert_eq!(miss(&context, "{{s.outputs.bad.id}}").candidates, ["a text that is not JSON"]);
    assert_eq!(miss(&context, "{{s.outputs.number.id}}").candidates, ["a number"]);
}

// A-020
#[test]
fn blanks_are_ignored_and_chinese_hyphenated_and_dotted_ids_are_ids() {
    let context = layers(
        json!({"项目": "P"}),
        &[
            ("step_1", json!({"id": 1})),
            ("步骤一", json!({"结果": {"值": 2}})),
            ("step-2", json!({"a-b": 3})),
            ("1.1", json!({"id": 4})),
            ("step_2_add_datasource", json!({"id": 5})),
        ],
    );
    for (written, expected) in [
        ("{{ step_1.output.id }}", json!(1)),
        ("{{\tstep_1 . output . id\n}}", json!(1)),
        ("{{步骤一.outputs.结果.值}}", json!(2)),
        ("{{步骤一.结果.值}}", json!(2)),
        ("{{项目}}", json!("P")),
        ("{{step-2.outputs.a-b}}", json!(3)),
        ("{{1.1.outputs.id}}", json!(4)),
        ("{{step_2_add_datasource.outputs.id}}", json!(5)),
        ("{{step_2_add_datasource_id}}", json!(5)),
        (r"\{{ step_1.output.id }}", json!("{{ step_1.output.id }}")),
        (r"\\{{step_1.output.id}}", json!("\\1")),
    ] {
        assert_eq!(text(&context, written), expected, "{written}");
    }
}

// A-020
#[test]
fn empty_and_unbalanced_braces_are_no_placeholder_and_say_so() {
    let context = layers(json!({"a": 1}), &[]);
    for written in ["{{}}", "{{  }}", "{{{}}}", "{{a", "x {{a}", "{{a..b}}", "{{a.}}", "{{a[b]}}"] {
        assert_eq!(miss(&context, written).why, MissReason::Malformed, "{written}");
    }
    for plain in ["}}", "a }} b", "{a}", "{", "}", "a{b}c"] {
        assert_eq!(text(&context, plain), json!(plain));
    }
}

// A-009, A-020
#[test]
fn dollars_and_shell_words_around_a_placeholder_are_text_and_hide_none() {
    let context = layers(json!({"a": 1}), &[]);
    for (written, expected) in [
        ("${{a}}", "$1"),
        ("${{{a}}", "${1"),
        ("${{{a}}}", "$1"),
        ("${${{{a}}", "${${1"),
        ("${VAR:-{{a}}}", "${VAR:-1}"),
        ("${unclosed {{a}}", "${unclosed 1"),
        ("${A:-${a}} ${}{{a}}", "${A:-1} ${}1"),
        (r"\${{{a}}", r"\${1"),
        (r"\\{{{a}}", r"\{1"),
    ] {
        assert_eq!(text(&context, written), json!(expected), "{written}");
        let printed = lex::print(&lex::lex(written));
        assert_eq!(text(&context, &printed), json!(expected), "{written} as {printed}");
    }
}

// A-021
#[test]
fn parameters_in_a_json_string_are_lexed_before_they_are_parsed() {
    for (written, expected) in [
        (r#"{"n": {{step_1.outputs.n}}}"#, json!({"n": "{{step_1.outputs.n}}"})),
        (r#"{"n":{{{a}}},"m":[${b.c},{{d}}]}"#, json!({"n": "{{{a}}}", "m": ["${b.c}", "{{d}}"]})),
        (r#"{"t": "x {{a}} y"}"#, json!({"t": "x {{a}} y"})),
        (r#"{"t": "say \"{{a}}\""}"#, json!({"t": "say \"{{a}}\""})),
        (r#"{"k": {{a["b c"]}}}"#, json!({"k": "{{a[\"b c\"]}}"})),
        ("  ", json!({})),
        ("{}", json!({})),
    ] {
        assert_eq!(parameters_object(&json!(written)), Ok(expected), "{written}");
    }
    assert_eq!(parameters_object(&Value::Null), Ok(json!({})));
    assert_eq!(parameters_object(&json!({"a": 1})), Ok(json!({"a": 1})));
}

// A-021
#[test]
fn parameters_that_are_no_object_are_refused_and_never_become_empty() {
    for (written, shape) in [
        (json!([1]), "array"),
        (json!("[1]"), "array"),
        (json!("{{a}}"), "string"),
        (json!("\"text\""), "string"),
        (json!(5), "number"),
        (json!("null"), "null"),
        (json!(true), "boolean"),
    ] {
        assert_eq!(
            parameters_object(&written),
            Err(BadParameters::NotAnObject(shape)),
            "{written}"
        );
    }
    for broken in ["{", "not json", r#"{"a": 1,}"#, r#"{"a": 1, "a": 2}"#, r#"{"a": x{{b}}}"#] {
        assert!(
            matches!(parameters_object(&json!(broken)), Err(BadParameters::NotJson(_))),
            "{broken}"
        );
    }
}
