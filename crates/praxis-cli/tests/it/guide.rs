//! What the README and the guide tell people to type works as it stands there.

use crate::rig::{Rig, finish};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The fenced blocks of a page: the language and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    let block =
        |text: &str| text.split_once('\n').map(|(kind, body)| (kind.to_owned(), body.to_owned()));
    fenced.filter_map(block).collect()
}

/// Writes the files that blocks name in their first line, and gives the lines that call `praxis`.
fn follow(rig: &Rig, page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (kind, body) in blocks(page) {
        let first = body.lines().next().unwrap_or_default();
        let named = first.trim_start_matches("#!/bin/sh").trim_start_matches(['#', '"', ' ']);
        let named = if first == "#!/bin/sh" {
            body.lines().nth(1).unwrap()[2..].to_owned()
        } else {
            named.to_owned()
        };
        let name = named.split([':', ' ']).next().unwrap_or_default();
        let is_file = [".yaml", ".py", ".sh"].iter().any(|end| name.ends_with(end));
        if is_file && kind != "console" && !name.starts_with("praxis") {
            std::fs::write(rig.path(name), &body).unwrap();
        } else if kind == "sh" {
            lines.extend(body.lines().map(str::to_owned));
        }
    }
    lines
}

/// A line in a shell, with the binary on its path.
fn types(rig: &Rig, line: &str) -> (Option<i32>, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_praxis"));
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path = format!("{}:{}", binary.parent().unwrap().display(), known.display());
    let line = line.replace("cargo run --release --", "praxis");
    let mut shell: Command = rig.program("sh");
    shell.args(["-c", &line]).env("PATH", path).env("PRAXIS_DATA", rig.data());
    let output = finish(rig, &mut shell);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn all_succeed(rig: &Rig, lines: &[&str]) {
    for line in lines {
        let (code, said) = types(rig, line);
        assert_eq!(code, Some(0), "{line}: {said}");
    }
}

fn calls(lines: &[String]) -> Vec<&str> {
    let is_call = |line: &&str| line.starts_with("praxis ") || line.starts_with("cargo run ");
    lines.iter().map(String::as_str).filter(is_call).collect()
}

#[test]
fn every_command_of_the_readme_works_in_its_order() {
    for name in ["README.md", "README.zh-CN.md"] {
        let rig = Rig::empty();
        let lines = follow(&rig, &page(name));
        let calls = calls(&lines);
        assert!(calls.len() >= 7, "{name}: {calls:?}");
        all_succeed(&rig, &calls);
    }
}

#[test]
fn the_plans_and_tools_of_the_guide_run() {
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/plans.md"));
    let greeting = calls(&lines);
    assert_eq!(greeting.len(), 2, "{greeting:?}");
    all_succeed(&rig, &greeting);
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/tools.md"));
    let tools = calls(&lines);
    assert_eq!(tools, ["praxis run plan.yaml --tools tools.yaml"]);
    all_succeed(&rig, &tools);
}

#[test]
fn the_flows_of_the_guide_to_approvals_work_when_typed_as_written() {
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/approvals.md"));
    let typed = calls(&lines);
    assert_eq!(typed.len(), 4, "{typed:?}");
    all_succeed(&rig, &typed);
}

#[test]
fn the_flow_of_the_guide_to_missing_values_asks_and_is_answered_as_written() {
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/slots.md"));
    let typed = calls(&lines);
    assert_eq!(typed.len(), 3, "{typed:?}");
    all_succeed(&rig, &typed[..1]);
    let (code, said) = types(&rig, typed[1]);
    assert!(code == Some(0) && said.contains("missing value · a date like 2027-01-31"), "{said}");
    let (code, said) = types(&rig, typed[2]);
    assert!(code == Some(0) && said.contains("\"back\": \"2027-02-03\""), "{said}");
}

#[test]
fn every_line_of_writing_a_tool_works_and_its_rust_is_that_of_the_example() {
    let rig = Rig::empty();
    let guide = page("docs/guide/writing-a-tool.md");
    let lines = follow(&rig, &guide);
    assert!(lines.len() >= 8, "{lines:?}");
    let said: Vec<String> = lines
        .iter()
        .map(|line| {
            let (code, said) = types(&rig, line);
            assert_eq!(code, Some(0), "{line}: {said}");
            said
        })
        .collect();
    let told = |part: &str| said.iter().any(|said| said.contains(part));
    assert!(told("✔ make_invoice") && told("2027-03-15") && told("Ann"), "{said:?}");
    let example = page("crates/praxis-engine/examples/native_call.rs");
    let rust: Vec<String> =
        blocks(&guide).into_iter().filter(|(kind, _)| kind == "rust").map(|it| it.1).collect();
    assert!(rust.len() == 4 && rust.iter().all(|block| example.contains(block.as_str())));
}

#[test]
fn the_first_flow_of_the_guide_works_when_typed_as_written() {
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/flows.md"));
    let first = calls(&lines);
    assert_eq!(first[0], "praxis flow check hello.yaml");
    let (code, said) = types(&rig, first[0]);
    assert!(code == Some(0) && said.contains("✔ hello: 2 nodes"), "{said}");
    let (code, said) = types(&rig, first[1]);
    assert!(code == Some(0) && said.contains("\"said\": \"Hello, Ada!\""), "{said}");
}

#[test]
fn every_flow_of_the_guide_is_in_order_and_every_command_works() {
    let mut flows = 0;
    for name in ["docs/guide/flows.md", "docs/guide/choice-and-loop.md"] {
        let rig = Rig::empty();
        let lines = follow(&rig, &page(name));
        let told = calls(&lines);
        assert!(told.len() >= 3, "{name}: {told:?}");
        all_succeed(&rig, &told);
        let (code, said) = types(&rig, "praxis flow check *.yaml");
        assert_eq!(code, Some(0), "{name}: {said}");
        assert!(!said.contains("warning"), "{name}: {said}");
        flows += said.matches('✔').count();
    }
    assert!(flows >= 11, "{flows}");
}

#[test]
fn every_operator_and_every_field_of_a_loop_stands_in_the_guide() {
    let guide = page("docs/guide/choice-and-loop.md");
    for operator in praxis_core::choice::operator::ConditionOperator::all() {
        let row = format!("| `{}` |", operator.name());
        assert!(guide.contains(&row), "choice-and-loop.md lacks {operator}");
    }
    let schema: serde_json::Value =
        serde_json::from_str(&page("docs/schema/flow.schema.json")).unwrap();
    let both = guide + &page("docs/guide/flows.md");
    for place in [
        "/properties",
        "/$defs/loop/properties",
        "/$defs/choice/properties",
        "/$defs/sub_flow/properties",
    ] {
        for field in schema.pointer(place).unwrap().as_object().unwrap().keys() {
            assert!(both.contains(&format!("`{field}`")), "{place}/{field}");
        }
    }
}

/// Plans in the pages that stand alone: no metadata, no tools but the built-in ones.
#[test]
fn every_whole_plan_of_the_guide_is_taken_and_ends_well() {
    let mut count = 0;
    for name in ["docs/guide/plans.md", "docs/guide/placeholders.md"] {
        for (kind, body) in blocks(&page(name)) {
            let is_plan = body.contains("steps") && ["yaml", "json"].contains(&kind.as_str());
            if !is_plan {
                continue;
            }
            let rig = Rig::empty();
            std::fs::write(rig.path(&format!("it.{kind}")), &body).unwrap();
            let (code, said) = types(&rig, &format!("praxis run it.{kind}"));
            assert_eq!(code, Some(0), "{name}: {body}\n{said}");
            count += 1;
        }
    }
    assert!(count >= 3, "{count}");
}

/// The commands of `cli.md` after the worked example, except those that name a task or question that
/// only the reader has, files of the reader, or calls to a model. The list is what is left out, so that a new line is run.
#[test]
fn the_commands_of_the_manual_work_after_the_worked_example() {
    let rig = Rig::empty();
    let lines = follow(&rig, &page("docs/guide/cli.md"));
    let left_out = [
        "task_01",
        "q_4f2k",
        "plan.yaml",
        "tools/",
        "cancel",
        "retry",
        "fork",
        "--from 12",
        "prices.csv",
        "serve-fake",
        "--cost",
        "--prompt",
        "--raw",
        "v1..v2",
    ];
    let told = calls(&lines);
    let (erase, others): (Vec<&str>, Vec<&str>) = told
        .into_iter()
        .filter(|line| left_out.iter().all(|word| !line.contains(word)))
        .partition(|line| line.contains("erase"));
    assert!(others.len() >= 18, "{others:?}");
    all_succeed(&rig, &others);
    let simulate = "praxis fork --last --at step_5 --set step_5.season_hours=24 --effects simulate";
    assert!(lines.iter().any(|line| line == simulate));
    all_succeed(&rig, &["praxis watch --last --from 12", simulate]);
    let settings = follow(&rig, &page("docs/guide/settings.md"));
    all_succeed(&rig, &calls(&settings));
    all_succeed(&rig, &erase);
}

#[test]
fn the_crash_of_the_guide_ends_in_a_question_about_the_write() {
    let all = blocks(&page("docs/guide/crash-and-recovery.md"));
    let (_, block) = all.iter().find(|(_, body)| body.contains("kill -9 $!")).unwrap();
    let sooner = block.replace("\"5\"", "\"2\"").replace("sleep 2;", "sleep 1;");
    assert_ne!(*block, sooner);
    let (code, said) = types(&Rig::empty(), &sooner);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("slow_write") && said.contains("--not-done"), "{said}");
}

#[test]
fn every_setting_stands_in_the_guide_with_its_default() {
    let rig = Rig::empty();
    let guide = page("docs/guide/settings.md");
    for key in rig.ask(&["config", "show"]).unwrap() {
        let (name, value) = (key["key"].as_str().unwrap(), &key["value"]);
        let row = guide.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("settings.md lacks {name}"));
        let text = value.as_str().filter(|text| !text.is_empty());
        let value = text.map_or_else(|| value.to_string(), str::to_owned);
        // These two are shown as the absolute paths that they become.
        let placed = ["data.dir", "tools.folders"].contains(&name);
        assert!(placed || row.contains(&format!("| `{value}` |")), "{row}: {value}");
    }
}
