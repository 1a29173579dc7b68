//! How many tasks are taken in.

use crate::rig::Rig;

// B-052
#[test]
fn over_the_limit_a_task_is_refused_with_what_to_do_and_nothing_is_kept_of_it() {
    let rig = Rig::empty();
    let flow = "flow: f\nnodes: [{id: a, call: Approve, params: {message: Go?}}]\n";
    std::fs::write(rig.path("f.yaml"), flow).unwrap();
    std::fs::write(rig.path("praxis.toml"), "[intake]\ntasks = 2\n").unwrap();
    let run = ["flow", "run", "f.yaml"];
    assert_eq!([rig.says(&run).0, rig.says(&run).0], [Some(3), Some(3)]);
    let (code, _, said) = rig.says(&run);
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("too_many_tasks") && said.contains("praxis ps"), "{said}");
    assert_eq!(rig.ask(&["ps"]).unwrap().len(), 2);
    let limits = "[intake]\nrequests = 2\nwithin = \"1h\"\n";
    std::fs::write(rig.path("praxis.toml"), limits).unwrap();
    let (code, _, said) = rig.says(&run);
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("too_many_requests") && said.contains("3600 s"), "{said}");
}
