//! The keeper of a program, `praxis __exec`: feeds it, waits for it, and takes it down with all that
//! came from it when nobody waits any more.
//!
//! It is a subreaper: whatever the program leaves behind, daemons too, becomes its child.

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper, setsid};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use crate::command::{NOT_STARTED, NOT_STARTED_WORDS};

enum News {
    /// The program ended with this code.
    Ended(u8),
    /// The other end of the lifeline is gone.
    Alone,
}

/// Runs a program to its end, or until the lifeline closes. The process must do nothing else.
pub fn keep(locks: &Path, argv: &[String]) -> ExitCode {
    // Neither can fail in a way that the program would notice; without them it still runs.
    let _ = setsid();
    let _ = set_child_subreaper(rustix::process::getpid().into());
    let lock = hold_lock(locks);
    let Some((program, arguments)) = argv.split_first() else { return ExitCode::from(2) };
    let started = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            eprintln!("{NOT_STARTED_WORDS}`{program}`: {error}");
            return ExitCode::from(u8::try_from(NOT_STARTED).unwrap_or(127));
        }
    };
    let (news, arrived) = channel();
    let feeding = news.clone();
    let input = child.stdin.take();
    std::thread::spawn(move || watch_lifeline(input, &feeding));
    std::thread::spawn(move || {
        let code = child.wait().map_or(1, |status| {
            let by_signal = status.signal().map(|signal| 128 + signal);
            u8::try_from(status.code().or(by_signal).unwrap_or(1)).unwrap_or(1)
        });
        let _ = news.send(News::Ended(code));
    });
    let code = match arrived.recv() {
        Ok(News::Ended(code)) => code,
        Ok(News::Alone) | Err(_) => 128 + 9,
    };
    kill_descendants();
    release_lock(lock, locks);
    ExitCode::from(code)
}

/// Passes the input on, then waits for the end of the lifeline.
fn watch_lifeline(program: Option<std::process::ChildStdin>, news: &Sender<News>) {
    let mut lifeline = std::io::stdin().lock();
    if let (Some(input), Some(mut program)) = (read_input(&mut lifeline), program) {
        let _ = program.write_all(&input);
    }
    let mut rest = [0_u8; 64];
    while matches!(lifeline.read(&mut rest), Ok(read) if read > 0) {}
    let _ = news.send(News::Alone);
}

fn read_input(lifeline: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = 0_usize;
    let mut byte = [0_u8; 1];
    loop {
        lifeline.read_exact(&mut byte).ok()?;
        match byte {
            [b'\n'] => break,
            [digit @ b'0'..=b'9'] => {
                length = length.checked_mul(10)?.checked_add(usize::from(digit - b'0'))?;
            }
            _ => return None,
        }
    }
    let mut input = Vec::new();
    let read = lifeline.take(length as u64).read_to_end(&mut input).ok()?;
    (read == length).then_some(input)
}

/// Kills until nothing is left that came from here. New children of dying ones are found in the next round.
fn kill_descendants() {
    let own = std::process::id();
    for _ in 0..200 {
        let found = descendants(own);
        if found.is_empty() {
            return;
        }
        for pid in found {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                // It may be gone already.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        reap();
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn reap() {
    use rustix::process::{WaitOptions, wait};
    while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
}

/// Processes that live below this one.
fn descendants(own: u32) -> Vec<u32> {
    let Ok(folder) = fs::read_dir("/proc") else { return vec![] };
    let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, living_parent(pid)?))).collect();
    let mut found = vec![own];
    let mut known = 0;
    while known < found.len() {
        known = found.len();
        let children: Vec<u32> = parents
            .iter()
            .filter(|(pid, parent)| found.contains(parent) && !found.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        found.extend(children);
    }
    found.retain(|pid| *pid != own);
    found
}

/// The parent of a process that is not already dead.
fn living_parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}

fn lock_path(locks: &Path) -> std::path::PathBuf {
    locks.join(format!("{}.lock", std::process::id()))
}

fn hold_lock(locks: &Path) -> Option<File> {
    let file = File::create(lock_path(locks)).ok()?;
    file.lock().ok()?;
    Some(file)
}

fn release_lock(lock: Option<File>, locks: &Path) {
    let _ = fs::remove_file(lock_path(locks));
    drop(lock);
}

/// Waits until the keepers of the last owner are gone. Says how many had to be waited for.
pub fn await_old_keepers(locks: &Path) -> std::io::Result<usize> {
    fs::create_dir_all(locks)?;
    let mut waited = 0;
    for entry in fs::read_dir(locks)?.flatten() {
        let path = entry.path();
        if let Ok(file) = File::open(&path) {
            if file.try_lock_shared().is_err() {
                waited += 1;
                file.lock_shared()?;
            }
        }
        let _ = fs::remove_file(&path);
    }
    Ok(waited)
}
