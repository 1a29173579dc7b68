//! `praxis model serve-fake`: serves a rehearsal, a scripted model endpoint.

use crate::args_model::ServeFake;
use crate::context::{CliContext, runtime};
use crate::failure::{CommandFailure, Exit};
use crate::inputs;
use praxis_core::problem::Problem;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::Clock;
use praxis_rehearsal::{
    Cassette, DegradedVoice, Degrader, EndpointReport, ErrorRates, FaultLibrary, PlannedFault,
    RehearsalScript, RehearsalServer, RehearsalSetup, Voice,
};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) fn run(context: &CliContext, serve: &ServeFake) -> Result<ExitCode, CommandFailure> {
    let faults = faults(&serve.faults)?;
    let rates = serve.degrade.as_deref().map(degrade).transpose()?;
    let (mut setup, mut voice) = voice(serve)?;
    if let Some((rates, seed)) = rates {
        let spoiled =
            |it| Box::new(DegradedVoice::new(it, Degrader::new(rates, seed))) as Box<dyn Voice>;
        voice = voice.into_iter().map(spoiled).collect();
    }
    setup.address.set_port(serve.port);
    setup.faults.extend(faults);
    runtime()?.block_on(async {
        let clock = TokioClock::real();
        let server = RehearsalServer::start(setup, voice, move || clock.now()).await;
        let server = server.map_err(not_started)?;
        if context.json {
            out!("{}", json!({"base_url": server.base_url()}));
        } else {
            out!("{}", server.base_url());
            let how =
                format!("praxis model add NAME --base-url {} --model MODEL", server.base_url());
            note!("{}{how}", context.say("  next    ", "  下一步  "));
        }
        until_told_to_end().await;
        report(context, &server.report());
        Ok(ExitCode::SUCCESS)
    })
}

/// The setup of a rehearsal and the voices that answer in it.
type Rehearsed = (RehearsalSetup, Vec<Box<dyn Voice>>);

fn voice(serve: &ServeFake) -> Result<Rehearsed, CommandFailure> {
    if let Some(path) = &serve.script {
        inputs::can_be_read(path)?;
        let script = RehearsalScript::open(path, &FaultLibrary::default());
        let script = script.map_err(|problems| CommandFailure::refused(problems, ""))?;
        return Ok((script.setup.clone(), vec![Box::new(script)]));
    }
    let path = serve.replay.as_deref().unwrap_or(Path::new(""));
    inputs::can_be_read(path)?;
    let name = path.display().to_string();
    let refused = |problem| CommandFailure::refused(vec![problem], "");
    let text = std::fs::read_to_string(path).map_err(|error| {
        let words = (format!("cannot read the file: {error}"), format!("无法读取文件：{error}"));
        refused(Problem::new("bad_cassette", &name, words).next(("record it again", "请重新录制")))
    })?;
    if text.trim().is_empty() {
        let words = ("the file contains no recorded calls", "文件中没有录制的调用");
        let next = ("record a call first", "请先录制调用");
        return Err(refused(Problem::new("bad_cassette", &name, words).next(next)));
    }
    let cassette = Cassette::read(&text, &name).map_err(refused)?;
    Ok((RehearsalSetup::default(), vec![Box::new(cassette)]))
}

fn not_started(problem: Problem) -> CommandFailure {
    let exit = if problem.code == "cannot_listen" { Exit::Unreachable } else { Exit::Usage };
    CommandFailure { exit, problems: vec![problem] }
}

/// Parses the `--faults` values; reports all invalid ones at once.
fn faults(words: &[String]) -> Result<Vec<PlannedFault>, CommandFailure> {
    let (mut faults, mut problems) = (Vec::new(), Vec::new());
    for word in words {
        match planned(word) {
            Some(fault) => faults.push(fault),
            None => problems.push(bad_fault(word)),
        }
    }
    if problems.is_empty() { Ok(faults) } else { Err(CommandFailure::refused(problems, "")) }
}

/// Parses a fault: `cut_stream`, or `rate_limited@3x2` for twice after three healthy calls.
fn planned(word: &str) -> Option<PlannedFault> {
    let (fault, at) = word.split_once('@').unwrap_or((word, "0"));
    let (after, times) = at.split_once('x').unwrap_or((at, "1"));
    let (after, times) = (after.trim().parse().ok()?, times.trim().parse().ok()?);
    let is_one = !fault.trim().is_empty() && times > 0;
    is_one.then(|| PlannedFault { fault: fault.trim().to_owned(), after, times })
}

fn bad_fault(word: &str) -> Problem {
    let words = (
        format!("expected NAME@AFTERxTIMES, got `{word}`"),
        format!("应为 NAME@AFTERxTIMES，实际为 `{word}`"),
    );
    Problem::new("unknown_fault", "--faults", words).next((
        "for example `cut_stream`, or `rate_limited@3x2` (twice, after three successful calls)",
        "例如 `cut_stream`，或 `rate_limited@3x2`（三次成功调用之后出现两次）",
    ))
}

/// Parses `P[,SEED]`, such as `0.1` or `0.1,7`: the probability of each kind of error, and the seed.
fn degrade(word: &str) -> Result<(ErrorRates, u64), CommandFailure> {
    let (rate, seed) = word.split_once(',').unwrap_or((word, "0"));
    let rate: Option<f64> = rate.trim().parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    let seed: Option<u64> = seed.trim().parse().ok();
    rate.zip(seed).map(|(rate, seed)| (ErrorRates::all(rate), seed)).ok_or_else(|| {
        let words = (
            format!("--degrade must be P[,SEED] with P from 0 to 1, got `{word}`"),
            format!("--degrade 必须是 P[,SEED]（P 在 0 到 1 之间），实际为 `{word}`"),
        );
        let next = (
            "for example `--degrade 0.1` or `--degrade 0.1,7`",
            "例如 `--degrade 0.1` 或 `--degrade 0.1,7`",
        );
        CommandFailure::usage("usage", words).next(next)
    })
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

fn report(context: &CliContext, report: &EndpointReport) {
    if context.json {
        let (unused, counts) = (&report.account.unused, &report.account.counts);
        out!(
            "{}",
            json!({"calls": report.calls, "unmatched": report.unmatched, "unused": unused, "counts": counts})
        );
        return;
    }
    for line in report.lines(context.lang) {
        note!("{line}");
    }
}
