//! Faults are found by name and come when they are due.

use super::*;

fn quirks() -> FaultLibrary {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../praxis-core/tests/quirks");
    FaultLibrary::with_fixtures(Path::new(folder))
}

fn planned(fault: &str, after: u64, times: u64) -> PlannedFault {
    PlannedFault { fault: fault.to_owned(), after, times }
}

#[test]
fn a_course_of_faults_is_healthy_before_between_and_after() {
    let course = [planned("reset", 2, 2), planned("stall", 1, 1), planned("broken", 0, 1)];
    let mut course = FaultSchedule::of(&course, &FaultLibrary::default()).unwrap();
    let name =
        |fault: Option<RehearsalFault>| fault.map_or("healthy".to_owned(), |fault| fault.name());
    let names: Vec<String> = (0..6).map(|_| name(course.next_call())).collect();
    assert_eq!(names, ["healthy", "healthy", "reset", "reset", "healthy", "stall"]);
    assert_eq!(course.unused(), ["broken"]);
    assert_eq!(name(course.next_call()), "broken");
    assert_eq!((name(course.next_call()), course.unused()), ("healthy".to_owned(), vec![]));
}

#[test]
fn a_recorded_answer_is_found_by_its_number_or_name_and_sent_as_it_is() {
    for name in ["quirk:36b", "quirk:36b-429-date"] {
        let fault = quirks().find(name).unwrap();
        assert_eq!(fault.name(), "quirk:36b-429-date");
        let wire = fault.wire(vec![], &Circumstance::default());
        let head = wire.head.unwrap();
        assert_eq!(head.status, 429);
        assert!(head.headers.iter().any(|(name, _)| name == "retry-after"), "{head:?}");
    }
    assert_eq!(quirks().find("quirk:1").unwrap().name(), "quirk:01-think-before-json");
    let stream = quirks().find("quirk:34").unwrap().wire(vec![], &Circumstance::default());
    assert!(stream.pieces[0].bytes.len() > 100);
    let content = ("content-type".to_owned(), "text/event-stream".to_owned());
    assert_eq!(stream.head.unwrap().headers, [content]);
}

#[test]
fn a_fault_that_is_not_there_is_refused_with_what_could_be_meant() {
    let refused = FaultLibrary::default().find("cut_steam").unwrap_err();
    assert_eq!(refused.code, "unknown_fault");
    assert!(refused.next.unwrap().en.contains("cut_stream"));
    assert_eq!(FaultLibrary::default().find("quirk:1").unwrap_err().code, "unknown_fault");
    assert!(quirks().find("quirk:99").unwrap_err().message.zh.contains("99"));
    let course = FaultSchedule::of(&[planned("nothing", 0, 1)], &FaultLibrary::default());
    assert_eq!(course.unwrap_err().code, "unknown_fault");
}
