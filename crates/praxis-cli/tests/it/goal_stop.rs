//! Ctrl-C while a model answers: the task is cancelled, and the endpoint is left.

use crate::goal_rig::{TOOLS, name_model};
use crate::rig::{PATIENCE, Rig, within};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Keeps whoever drives it alive until the file is there.
const GATE: &str = "
  - id: gate
    idempotent: true
    command: {argv: [sh, -c, 'echo gate >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
";

/// What an endpoint that never ends its answer sees of its caller.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    Asked,
    Left,
    StillThere(String),
}

/// Begins an answer and waits for its caller to go away.
fn answer_without_end(mut stream: TcpStream, tell: &Sender<Seen>) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"}") {
        let read = stream.read(&mut piece).unwrap();
        request.extend_from_slice(&piece[..read]);
    }
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(format!("{head}8\r\n: ping\n\n\r\n").as_bytes()).unwrap();
    tell.send(Seen::Asked).unwrap();
    let saw = loop {
        match stream.read(&mut piece) {
            Ok(0) => break Seen::Left,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break Seen::Left,
            // A signal that was meant for another thread.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break Seen::StillThere(format!("{other:?}")),
        }
    };
    tell.send(saw).unwrap();
}

pub(crate) fn endpoint() -> (String, Receiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || answer_without_end(listener.accept().unwrap().0, &tell));
    (url, told)
}

/// Another process that owns the data folder, and stays as long as its gate is closed.
fn owner(rig: &Rig) -> Child {
    let mut owner = rig.praxis(&["run", "plan.yaml", "--tools", "tools.yaml"]);
    let owner = owner.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    owner
}

#[test]
fn an_interrupt_while_a_model_answers_cancels_the_task_and_closes_the_connection() {
    for by_an_owner in [false, true] {
        let plan = "steps: [{step_id: wait, tool: gate}]";
        let rig = Rig::with(plan, &format!("{TOOLS}{GATE}"));
        let (url, told) = endpoint();
        name_model(&rig, &url);
        let mut owner = by_an_owner.then(|| owner(&rig));
        let words = ["run", "look twice", "--tools", "tools.yaml", "--two-stage", "never"];
        let mut run = rig.spoken(&words);
        let run = run.env("PRAXIS_GOAL_LEARN", "false").stdout(Stdio::null());
        let mut run = run.stderr(File::create(rig.path("noted")).unwrap()).spawn().unwrap();
        assert_eq!(told.recv_timeout(PATIENCE), Ok(Seen::Asked));
        let killed = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
        assert!(killed.unwrap().success());
        assert_eq!(told.recv_timeout(2 * PATIENCE), Ok(Seen::Left));
        // The end of a process closes everything; the cancelled task does so while its driver lives.
        let lives = owner.as_mut().map(|owner| owner.try_wait().unwrap().is_none());
        assert!(lives.unwrap_or(true), "the owner stays");
        assert!(within(PATIENCE, || run.try_wait().unwrap().is_some()));
        assert_eq!(run.wait().unwrap().code(), Some(5));
        assert_eq!(rig.last()["status"], "cancelled");
        let noted = std::fs::read_to_string(rig.path("noted")).unwrap();
        assert!(noted.contains("■ cancelled:"), "{noted}");
        assert!(!noted.contains("model call failed"), "nothing went wrong: {noted}");
        std::fs::write(rig.path("open"), "").unwrap();
        owner.map(|mut owner| owner.wait().unwrap());
    }
}

#[test]
fn a_task_whose_owner_was_killed_is_to_be_resumed_and_not_retried() {
    let plan = "steps: [{step_id: wait, tool: gate}]";
    let rig = Rig::with(plan, &format!("{TOOLS}{GATE}"));
    let mut killed = owner(&rig);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (code, _, noted) = rig.says(&["retry", "--last"]);
    assert!(code == Some(2) && noted.contains("error[task_running]"), "{noted}");
    assert!(noted.contains("no process is running it; run `praxis resume task_"), "{noted}");
    std::fs::write(rig.path("open"), "").unwrap();
    assert_eq!(rig.says(&["resume", "--last"]).0, Some(0));
}
