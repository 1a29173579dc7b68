//! Plans that contradict themselves, their tools, or what an id may be.

use super::case::{Case, GOOD_PLAN, RUN, answers};

//
#[test]
fn a_bad_plan_is_refused_with_the_step_the_field_and_what_to_do() {
    insta::assert_snapshot!(answers(&[shapes(), steps(), references()]));
}

fn shapes() -> Vec<Case> {
    vec![
        Case::plan("a plan that is a list", "- {step_id: a, tool: echo}\n"),
        Case::plan("a plan that is a text", "just words\n"),
        Case::plan("a plan without steps", "plan_description: nothing\n"),
        Case::plan("an empty list of steps", "steps: []\n"),
        Case::plan("steps that are an object", "steps: {a: {tool: echo}}\n"),
        Case::plan(
            "an unknown field with a near one",
            "step: [{step_id: a, tool: echo}]\nsteps: [{step_id: a, tool: echo, parametres: {}}]\n",
        ),
        Case::plan("metadata that is a list", "metadata: [1]\nsteps: [{step_id: a, tool: echo}]\n"),
        Case::plan("a step that is a text", "steps: [a]\n"),
        Case::plan("a step without an id", "steps: [{tool: echo}]\n"),
        Case::plan("a step without a tool", "steps: [{step_id: a}]\n"),
        Case::plan(
            "a tool and actions",
            "steps: [{step_id: a, tool: echo, actions: [{action_id: b, tool: echo}]}]\n",
        ),
        Case::plan("actions that are empty", "steps: [{step_id: a, actions: []}]\n"),
        Case::plan(
            "parameters that are a list",
            "steps: [{step_id: a, tool: echo, parameters: [1]}]\n",
        ),
        Case::plan(
            "parameters in a text that is no JSON",
            "steps: [{step_id: a, tool: echo, parameters: '{a: }'}]\n",
        ),
        Case::plan(
            "dependencies that are no list",
            "steps: [{step_id: a, tool: echo, depends_on: b}]\n",
        ),
        Case::plan(
            "a negative duration",
            "steps: [{step_id: a, tool: echo, expected_duration_sec: -1}]\n",
        ),
        Case::plan(
            "an endless duration",
            "steps: [{step_id: a, tool: echo, expected_duration_sec: 1e300}]\n",
        ),
    ]
}

fn steps() -> Vec<Case> {
    let id = |id: &str| format!("steps: [{{step_id: {id}, tool: echo}}]\n");
    vec![
        Case::plan("an id that YAML reads as false", id("false")),
        Case::plan("an id that YAML reads as a number", id("1.10")),
        Case::plan("an id that is empty", id("''")),
        Case::plan("an id of 100,000 characters", id(&"x".repeat(100_000))),
        Case::plan("an id with a NUL byte", id("\"a\\0b\"")),
        Case::plan("an id with an escape sequence", id("\"a\\e[31mb\"")),
        Case::plan("an id that turns the text", id("\"a\\u202Eb\"")),
        Case::plan("an id with braces", id("'{{a}}'")),
        Case::plan("a word that YAML 1.1 read as false", id("no")).accepted(),
        Case::plan(
            "two steps with one id",
            "steps: [{step_id: a, tool: echo}, {step_id: a, tool: echo}]\n",
        ),
        Case::plan(
            "a step and an action with one id",
            "steps: [{step_id: a, actions: [{action_id: a, tool: echo}]}]\n",
        ),
        Case::plan(
            "a metadata key that is a step",
            "metadata: {a: 1}\nsteps: [{step_id: a, tool: echo}]\n",
        ),
        Case::plan("ten thousand steps", many_steps("")).accepted(),
        Case::plan(
            "ten thousand steps and an error in the last",
            many_steps("- {step_id: last, tool: eco}\n"),
        ),
        Case::plan(
            "twenty thousand and one steps",
            many_steps(&many_steps("").replace("steps:", "").replace("s_", "t_")).trim().to_owned()
                + "\n- {step_id: u, tool: noop}\n",
        ),
        Case::plan(
            "parameters longer than an event",
            format!(
                "steps: [{{step_id: a, tool: echo, parameters: {{x: {}}}}}]\n",
                "y".repeat(70_000)
            ),
        ),
    ]
}

fn many_steps(last: &str) -> String {
    let steps: String =
        (0..10_000).map(|n| format!("- {{step_id: s_{n}, tool: noop}}\n")).collect();
    format!("steps:\n{steps}{last}")
}

fn references() -> Vec<Case> {
    let with = |parameters: &str| {
        format!("steps: [{{step_id: a, tool: echo, parameters: {parameters}}}]\n")
    };
    vec![
        Case::plan(
            "a cycle",
            "steps:\n- {step_id: a, tool: echo, depends_on: [c]}\n- {step_id: b, tool: echo, depends_on: [a]}\n- {step_id: c, tool: echo, parameters: {v: '{{b.output}}'}}\n",
        ),
        Case::plan(
            "a step that depends on itself",
            "steps: [{step_id: a, tool: echo, depends_on: [a]}]\n",
        ),
        Case::plan("a step that reads itself", with("{v: '{{a.output}}'}")),
        Case::plan("an unknown tool with a near one", "steps: [{step_id: a, tool: eco}]\n"),
        Case::plan("an unknown tool like no other", "steps: [{step_id: a, tool: zzz}]\n"),
        Case::plan(
            "a tool that only an example brings",
            "steps: [{step_id: a, tool: forecast_load}]\n",
        ),
        Case::plan("an unknown dependency", "steps: [{step_id: a, tool: echo, depends_on: [b]}]\n"),
        Case::plan("an unknown step in a placeholder", with("{v: '{{stp.outputs.x}}'}")),
        Case::plan("an empty placeholder", with("{v: '{{}}'}")),
        Case::plan("a placeholder that is not closed", with("{v: '{{a.outputs.x'}")),
        Case::plan("a placeholder with a broken path", with("{v: '{{a..b[x]}}'}")),
        Case::plan(
            "names that drive the terminal",
            "steps: [{step_id: a, tool: \"ec\\e[2Jho\", depends_on: [\"b\\u202E\", \"c\\0\"], parameters: {\"k\\e[1m\": '{{x\\e]0;t.outputs.y}}'}}]\n",
        ),
        Case::plan(
            "a missing parameter",
            "steps: [{step_id: a, tool: sleep}, {step_id: b, tool: read_text_file}]\n",
        ),
        Case::plan(
            "a parameter of the wrong type",
            "steps: [{step_id: a, tool: read_text_file, parameters: {path: 7}}]\n",
        ),
        Case::plan(
            "everything at once",
            "steps:\n- {step_id: a, tool: eco, depends_on: [a, x]}\n- {step_id: a, tool: echo, parameters: {v: '{{y.output}}'}}\n",
        ),
        Case::new("no plan at all", &["run"]),
        Case::new("an unknown example", &["run", "--example", "load-forcast"]),
        Case::new("an unknown flag", &["run", "plan.yaml", "--paralel"])
            .file("plan.yaml", GOOD_PLAN),
        Case::new("as JSON", &["--json", "run", "plan.yaml"])
            .file("plan.yaml", "steps: [{step_id: a, tool: eco}]\n"),
        Case::new("a language that does not exist", RUN)
            .file("plan.yaml", GOOD_PLAN)
            .env("PRAXIS_LANG", "fr"),
    ]
}
