//! What a program says when it does not succeed.

use crate::rig::{Rig, finish};

const TOOLS: &str = r#"
- id: told
  risk: read
  command:
    argv: [sh, -c, 'echo "{\"ok\": false, \"why\": \"closed on Sundays\"}"']
    success: {field: ok, equals: true}
- id: left
  risk: read
  command:
    argv: [sh, -c, 'echo "{\"got\": 3}"; echo no more >&2; exit 3']
"#;

// A-003
#[test]
fn what_a_program_said_before_it_failed_is_kept() {
    let plan = "steps:\n  - {step_id: a, tool: told}\n  - {step_id: b, tool: left}\n";
    let rig = Rig::with(plan, TOOLS);
    let output = finish(&rig, &mut rig.praxis(&rig.run_words()));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let journal = rig.praxis(&["export", "--last", "--jsonl"]).output().unwrap();
    let journal = String::from_utf8_lossy(&journal.stdout).into_owned();
    for said in ["closed on Sundays", r#""got":3"#, "no more"] {
        assert!(journal.contains(said), "{said} in {journal}");
    }
}
