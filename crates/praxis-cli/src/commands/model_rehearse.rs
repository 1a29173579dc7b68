//! `praxis model serve-fake`: a model endpoint that says what it is told.

use crate::args_model::ServeFake;
use crate::failure::Failure;
use crate::home::{Desk, runtime};
use praxis_adapters::rehearsal::{
    Cassette, Library, Planned, Report, Script, Server, Setup, Voice,
};
use praxis_core::intake::problem::Problem;
use praxis_engine::clock::TokioClock;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) fn run(desk: &Desk, serve: &ServeFake) -> Result<ExitCode, Failure> {
    let refused = |problems| Failure::refused(problems, "");
    let (mut setup, voice) = voice(serve).map_err(refused)?;
    setup.address.set_port(serve.port);
    setup.faults.extend(serve.faults.iter().map(|word| planned(word)));
    runtime()?.block_on(async {
        let server = Server::start(setup, voice, Arc::new(TokioClock::real())).await;
        let server = server.map_err(|problem| refused(vec![problem]))?;
        if desk.json {
            out!("{}", json!({"base_url": server.base_url()}));
        } else {
            out!("{}", server.base_url());
            let how =
                format!("praxis model add NAME --base-url {} --model MODEL", server.base_url());
            note!("{}{how}", desk.say("  next    ", "  下一步  "));
        }
        until_told_to_end().await;
        report(desk, &server.report());
        Ok(ExitCode::SUCCESS)
    })
}

/// How a rehearsal is set up, and who speaks in it.
type Rehearsed = (Setup, Vec<Box<dyn Voice>>);

fn voice(serve: &ServeFake) -> Result<Rehearsed, Vec<Problem>> {
    if let Some(path) = &serve.script {
        let script = Script::open(path, &Library::default())?;
        return Ok((script.setup.clone(), vec![Box::new(script)]));
    }
    let path = serve.replay.as_deref().unwrap_or(Path::new(""));
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let words = (format!("it cannot be read: {error}"), format!("无法读取：{error}"));
        vec![Problem::new("bad_cassette", &name, words)]
    })?;
    let cassette = Cassette::read(&text, &name).map_err(|problem| vec![problem])?;
    Ok((Setup::default(), vec![Box::new(cassette)]))
}

/// `cut_stream`, `rate_limited@3x2`: after three healthy calls, twice.
fn planned(word: &str) -> Planned {
    let (fault, at) = word.split_once('@').unwrap_or((word, "0"));
    let (after, times) = at.split_once('x').unwrap_or((at, "1"));
    let number = |text: &str, usual: u64| text.trim().parse().unwrap_or(usual);
    Planned { fault: fault.to_owned(), after: number(after, 0), times: number(times, 1) }
}

async fn until_told_to_end() {
    let Ok(mut end) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = end.recv() => {}
    }
}

fn report(desk: &Desk, report: &Report) {
    if desk.json {
        let (unused, counts) = (&report.account.unused, &report.account.counts);
        out!(
            "{}",
            json!({"calls": report.calls, "unmatched": report.unmatched, "unused": unused, "counts": counts})
        );
        return;
    }
    for line in report.lines(desk.lang) {
        note!("{line}");
    }
}
