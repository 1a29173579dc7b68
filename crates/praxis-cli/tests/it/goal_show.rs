//! What `show`, `why` and `model serve-fake` tell of a goal.

use crate::goal_rig::{Rehearsal, plan, reflections, replan, rule, script, well};
use crate::rig::{PATIENCE, json_lines, within};
use serde_json::{Value, json};
use std::process::Stdio;

fn counted() -> Rehearsal {
    let infer = rule(
        "parameter_inference",
        json!({"parameters": {"n": 4}, "reasoning": "the goal says four"}),
    );
    let model = Rehearsal::new(&[plan(&[("a", "count", json!({}))]), infer], "4");
    let (code, _, noted) = model.says(&["run", "count to four", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    model
}

#[test]
fn every_call_is_shown_with_what_it_cost_and_word_for_word() {
    let model = counted();
    let cost = json_lines(&model.does(&["show", "--last", "--cost"]).stdout);
    let (sum, calls) = cost.split_last().unwrap();
    let stages: Vec<&str> = calls.iter().map(|call| call["stage"].as_str().unwrap()).collect();
    assert!(stages.starts_with(&["selection", "planning", "parameter_inference"]), "{stages:?}");
    assert_eq!(sum["prompt_tokens"], calls.len() * 1000, "{sum}");
    // (600 × 2 + 400 × 0.5 + 100 × 8) / 1e6 each.
    assert_eq!(calls[0]["money"], json!({"currency": "CNY", "amount": "0.0022"}));
    let (_, told, _) = model.says(&["show", "--last", "--cost"]);
    assert!(told.contains("CNY 0.0022") && told.contains('Σ'), "{told}");
    let (code, prompt, _) = model.says(&["show", "--last", "--prompt", "--call", "1"]);
    let sent = model.server.calls()[0].messages.clone();
    assert!(code == Some(0) && sent.iter().all(|m| prompt.contains(m.content.trim())), "{prompt}");
    let (_, raw, _) = model.says(&["show", "--last", "--raw", "--call", "3"]);
    assert!(raw.contains("the goal says four"), "{raw}");
    assert_eq!(model.says(&["show", "--last", "--raw", "--call", "99"]).0, Some(6));
}

#[test]
fn a_value_that_a_model_filled_in_is_told_with_its_model_and_its_reason() {
    let model = counted();
    let why = model.rig.ask(&["why", "--last", "step_1.n"]).unwrap();
    let source = json!({"from": "inferred", "by": "fast", "rung": "inference", "reason": "the goal says four"});
    assert_eq!((&why[0]["value"], &why[0]["source"]), (&json!(4), &source));
    let (_, en, _) = model.says(&["why", "--last", "step_1.n"]);
    assert!(en.contains("inferred by model fast") && en.contains("the goal says four"), "{en}");
    let (_, zh, _) = model.says(&["--lang", "zh", "why", "--last", "step_1.n"]);
    assert!(zh.contains("由模型 fast 推断"), "{zh}");
}

#[test]
fn a_value_that_a_rule_put_right_is_told_as_a_rules_and_not_as_a_models() {
    let steps = [
        ("a", "look", json!({})),
        // A text, where the tool wants a number.
        ("b", "count", json!({"n": "{{a.outputs.seen}}0"})),
    ];
    let model = Rehearsal::new(&[plan(&steps)], "420");
    let run = ["run", "count it", "--tools", "tools.yaml"];
    let (code, _, noted) = model.says(&run);
    let mended = "↻ step_2: fixed by rule · value converted to the format that the tool expects";
    assert!(code == Some(0) && noted.contains(mended), "{noted}");
    let (_, _, noted) = model.says(&[&["--lang", "zh"][..], &run].concat());
    assert!(noted.contains("↻ step_2：按规则修复 · 已转换为工具要求的格式"), "{noted}");
    let why = model.rig.ask(&["why", "--last", "step_2.n"]).unwrap();
    let source = json!({"from": "rule", "reason": "the value in the form that the tool wants"});
    assert_eq!((&why[0]["value"], &why[0]["source"]), (&json!(420), &source));
    let (_, en, _) = model.says(&["why", "--last", "step_2.n"]);
    assert!(
        en.contains("set by a rule: value converted to the form") && !en.contains("model"),
        "{en}"
    );
    let (_, zh, _) = model.says(&["--lang", "zh", "why", "--last", "step_2.n"]);
    assert!(zh.contains("由规则设定：已转换为工具要求的格式") && !zh.contains("模型"), "{zh}");
}

#[test]
fn steps_that_a_new_plan_dropped_do_not_count() {
    let mut rules = vec![
        plan(&[("a", "look", json!({})), ("b", "fail", json!({"seen": "{{a.outputs.seen}}"}))]),
        replan(&[("c", "look", json!({}))]),
    ];
    rules.extend(reflections(json!({
        "should_replan": true, "root_causes": ["the way is wrong"],
        "replanning_strategy": {"type": "full_replan"}})));
    let model = Rehearsal::new(&rules, "done");
    let (code, _, noted) = model.says(&["run", "look", "--tools", "tools.yaml"]);
    assert!(code == Some(0) && noted.contains("2/2 steps"), "{noted}");
    for told in [
        "step_2: reflect on the whole task",
        "gave up repairing step_2: advised by the reflection",
        "v2: 1 kept, 0 changed, 1 added, 1 dropped",
    ] {
        assert!(noted.contains(told), "{told} in {noted}");
    }
    let (_, told, _) = model.says(&["show", "--last"]);
    assert!(told.contains("completed  2/2 steps"), "{told}");
    assert_eq!(told.matches("(dropped)").count(), 1, "{told}");
    let (_, changes, _) = model.says(&["show", "--last", "--plan=v1..v2"]);
    assert!(changes.contains("v2: replan the rest · why: the way is wrong"), "{changes}");
    let shown = model.rig.last();
    let dropped: Vec<&serde_json::Value> =
        shown["steps"].as_array().unwrap().iter().map(|step| &step["dropped"]).collect();
    assert_eq!(dropped, [&json!(false), &json!(true), &json!(false)]);
    let (_, plan, _) = model.says(&["show", "--last", "--plan"]);
    assert!(plan.contains("step_3") && !plan.contains("step_2"), "the plan in force: {plan}");
}

#[test]
fn tasks_are_found_by_their_tags() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    for tags in [&["--tag", "team=a", "--tag", "env=prod"][..], &["--tag", "team=b"], &[]] {
        let (code, _, noted) =
            model.says(&[&["run", "look", "--tools", "tools.yaml"], tags].concat());
        assert_eq!(code, Some(0), "{noted}");
    }
    let listed = |words: &[&str]| model.rig.ask(&[&["ps"], words].concat()).unwrap();
    let found = listed(&["--tag", "team=a"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(listed(&["--tag", "team=a", "--tag", "env=prod"]), found);
    assert!(listed(&["--tag", "team=a", "--tag", "env=test"]).is_empty());
    assert!(listed(&["--tag", "team=a", "--status", "failed"]).is_empty());
    assert_eq!((listed(&["--tag", "team=b"]).len(), listed(&[]).len()), (1, 3));
    let task = found[0]["task"].as_str().unwrap();
    let (_, told, _) = model.says(&["show", task]);
    assert!(told.contains("env=prod team=a"), "{told}");
    let shown = model.rig.ask(&["show", task]).unwrap();
    assert_eq!(shown[0]["tags"], json!({"team": "a", "env": "prod"}));
}

#[test]
fn a_task_that_never_had_a_plan_or_a_call_says_so() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    let words = ["run", "look", "--tools", "tools.yaml", "--budget", "tokens=20"];
    assert_eq!(model.says(&words).0, Some(3));
    assert_eq!(model.says(&["answer", &model.question(), "--give-up", "enough"]).0, Some(4));
    for (words, code, said) in [
        (&["--step", "step_1"][..], 6, "the task has no steps"),
        (&["--plan=v1..v2"], 6, "the task has no plan"),
        (&["--cost"], 6, "the task made no model calls"),
        (&["--raw"], 6, "see what happened with"),
        (&["--call", "1"], 2, "--call requires --prompt or --raw"),
    ] {
        let (found, _, noted) = model.says(&[&["show", "--last"], words].concat());
        assert!(found == Some(code) && noted.contains(said), "{words:?}: {noted}");
    }
}

#[test]
fn a_rehearsal_is_served_and_ends_with_what_was_never_used() {
    let rig = crate::rig::Rig::empty();
    let mut rules = well("x");
    rules.push(
        json!({"name": "never", "when": {"contains": "nobody says this"}, "reply": {"text": "x"}}),
    );
    std::fs::write(rig.path("script.json"), script(&rules)).unwrap();
    let out = std::fs::File::create(rig.path("out")).unwrap();
    let mut serve = rig.praxis(&["model", "serve-fake", "--script", "script.json"]);
    let mut serve = serve.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let said = || json_lines(&std::fs::read(rig.path("out")).unwrap());
    assert!(within(PATIENCE, || !said().is_empty()));
    assert!(said()[0]["base_url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    let killed =
        std::process::Command::new("kill").args(["-INT", &serve.id().to_string()]).status();
    assert!(killed.unwrap().success() && serve.wait().unwrap().success());
    assert!(said()[1]["unused"].to_string().contains("never"), "{:?}", said());
}

#[test]
fn a_rehearsal_spoils_scripted_and_recorded_answers_as_often_as_it_is_told() {
    let rig = crate::rig::Rig::empty();
    let right = json!({"parameters": {"city": "Lyon"}});
    let rules = [json!({"reply": {"json": right}})];
    std::fs::write(rig.path("script.json"), script(&rules)).unwrap();
    let asked = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": right.to_string()}, "finish_reason": "stop"}]});
    let mut recorded = praxis_rehearsal::cassette::Interaction::new(
        &asked,
        200,
        [("content-type".to_owned(), "application/json".to_owned())].into(),
    );
    recorded.chunks.push(praxis_rehearsal::cassette::CassetteChunk {
        after_ms: 0,
        bytes: praxis_rehearsal::cassette::CassetteBytes::of(answer.to_string().as_bytes()),
    });
    std::fs::write(rig.path("calls.jsonl"), serde_json::to_string(&recorded).unwrap()).unwrap();
    for from in [["--script", "script.json"], ["--replay", "calls.jsonl"]] {
        for (rate, is_right) in [("0", true), ("1,7", false)] {
            let said = served(&rig, &[from[0], from[1], "--degrade", rate], &asked);
            let body: Value =
                serde_json::from_str(&said.0).unwrap_or_else(|_| panic!("{}", said.0));
            let text = body["choices"][0]["message"]["content"].as_str().unwrap();
            let right = right.to_string();
            assert_eq!(text == right, is_right, "{from:?} {rate}: {text}");
            let errors = said.1["counts"]["degraded: wrong_argument"].as_u64();
            assert_eq!(errors, Some(u64::from(!is_right)), "{}", said.1);
        }
    }
    let words = ["model", "serve-fake", "--script", "script.json", "--degrade", "2"];
    let ended = crate::rig::finish(&rig, &mut rig.praxis(&words));
    assert_eq!(ended.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("--degrade must be P[,SEED]"), "{said}");
}

/// What an endpoint answers to one request, and what it reports at its end.
fn served(rig: &crate::rig::Rig, words: &[&str], asked: &Value) -> (String, Value) {
    use std::io::{Read, Write};
    let out = std::fs::File::create(rig.path("out")).unwrap();
    let words = [&["model", "serve-fake"], words].concat();
    let mut serve = rig.praxis(&words).stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let said = || json_lines(&std::fs::read(rig.path("out")).unwrap());
    assert!(within(PATIENCE, || !said().is_empty()));
    let url = said()[0]["base_url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let body = asked.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let killed =
        std::process::Command::new("kill").args(["-INT", &serve.id().to_string()]).status();
    assert!(killed.unwrap().success() && serve.wait().unwrap().success());
    let begin = answer.find('{').unwrap_or(0);
    let end = answer.rfind('}').map_or(begin, |end| end + 1);
    (answer[begin..end].to_owned(), said()[1].clone())
}

fn seed_events(out: &str) -> Vec<(String, Value)> {
    let name = |event: &Value| event["event_type"].as_str().unwrap().to_owned();
    json_lines(out.as_bytes()).into_iter().map(|event| (name(&event), event)).collect()
}

// A-092, A-093, A-094, A-101
#[test]
fn a_goal_is_told_under_the_names_of_the_seed_documents_with_the_words_of_its_models() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "42");
    let words = ["run", "look once", "--tools", "tools.yaml", "--format", "seed"];
    let (code, out, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    let events = seed_events(&out);
    let of = |kind: &str| events.iter().filter(|(_, e)| e["data"]["chunk_type"] == kind).count();
    assert!(of("CHUNK") > of("START") && of("START") == of("DONE"), "{out}");
    assert_eq!(events.last().unwrap().0, "TASK_EXPERIENCE", "{out}");
    let mut is_open = false;
    for (name, event) in events.iter().filter(|(name, _)| name == "LLM_STREAM_CHUNK") {
        match event["data"]["chunk_type"].as_str().unwrap() {
            "START" => is_open = true,
            "CHUNK" => assert!(is_open, "{name}: words of nobody: {event}"),
            _ => is_open = false,
        }
    }
    let planned = events.iter().filter(|(_, e)| e["data"]["chunk_type"] == "CHUNK");
    let planned = planned.filter(|(_, e)| e["phase"] == "任务规划");
    let planned: String = planned.map(|(_, e)| e["message"].as_str().unwrap()).collect();
    assert!(planned.contains("\"step_id\":\"a\""), "{planned}");
    let (code, out, _) = model.says(&["watch", "--last", "--format", "seed", "--audience", "user"]);
    assert_eq!(code, Some(0));
    let events = seed_events(&out);
    let names: std::collections::BTreeSet<&str> =
        events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["STATUS_UPDATE", "TASK_COMPLETED", "TASK_RESULT", "TASK_WAIT"]
    );
    let waits = events.iter().filter(|(name, _)| name == "TASK_WAIT");
    let waits: Vec<&str> = waits.map(|(_, e)| e["message"].as_str().unwrap()).collect();
    assert!(waits.contains(&"making a plan") && waits.contains(&"judging the result"), "{waits:?}");
}

#[test]
fn what_was_asked_and_answered_is_shown_with_form_limits_repairs_and_why_it_was_not_used() {
    let fenced = "Sure:\n```json\n{\"steps\": [{\"step_id\": \"a\", \"step_name\": \"a\", \"tool\": \"nope\", \"parameters\": {},}]}\n```";
    let first = json!({"when": {"stage": "planning", "nth": 1}, "reply": {"text": fenced}});
    let model = Rehearsal::new(&[first, plan(&[("a", "look", json!({}))])], "42");
    let (code, _, noted) = model.says(&["run", "look once", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    let calls = json_lines(&model.does(&["show", "--last", "--raw"]).stdout);
    let refused = calls.iter().find(|call| !call["refused"].as_array().unwrap().is_empty());
    let refused = refused.unwrap_or_else(|| panic!("{calls:?}"));
    let number = refused["call"].to_string();
    let (_, raw, _) = model.says(&["show", "--last", "--raw", "--call", &number]);
    assert!(raw.contains("```json") && raw.contains("answer rejected:"), "{raw}");
    let (_, zh, _) = model.says(&["--lang", "zh", "show", "--last", "--raw", "--call", &number]);
    assert!(zh.contains("回答被拒绝："), "{zh}");
    let (_, prompt, _) = model.says(&["show", "--last", "--prompt", "--call", &number]);
    assert!(prompt.contains("JSON with schema `planning` · at most "), "{prompt}");
}

// A-074
#[test]
fn what_a_goal_taught_is_a_line_of_a_file_and_a_line_that_cannot_be_read_is_told() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "42");
    let run = || model.says(&["run", "look once", "--tools", "tools.yaml"]);
    assert_eq!(run().0, Some(0));
    let file = model.rig.data().join("experiences.jsonl");
    let lines = json_lines(&std::fs::read(&file).unwrap());
    assert_eq!((lines.len(), &lines[0]["quick_summary"]), (1, &json!("q")));
    let task = model.rig.last()["task"].clone();
    let kept = json!({"task_id": task, "task_completion": 90, "execution_efficiency": 80,
        "tool_usage": 80, "category": "solving_ideas", "intention": "i", "task": "t",
        "experience": "e", "quick_summary": "q"});
    for (field, value) in kept.as_object().unwrap() {
        assert_eq!(lines[0][field], *value, "{field} of {}", lines[0]);
    }
    let told = || model.says(&["doctor"]).1;
    assert!(told().contains("1 line in "), "{}", told());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}no json\n")).unwrap();
    assert!(told().contains("first: line 2"), "{}", told());
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let (code, _, noted) = run();
    assert_eq!(code, Some(0), "{noted}");
    assert!(noted.contains("what the task taught could not be told"), "{noted}");
}
