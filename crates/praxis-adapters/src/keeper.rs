//! The keeper of a program, `praxis __exec`: nothing that a program starts outlives Praxis.
//!
//! Where the system allows it, the program runs in a PID namespace of its own, whose first process holds the
//! lifeline: when that process ends, the kernel kills everything in the namespace, daemons included. Elsewhere the
//! keeper is a subreaper and kills all its descendants.

use crate::command::{NOT_STARTED, NOT_STARTED_WORDS};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, close, getgid, getuid, setsid};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// The first argument of a keeper.
pub const KEEPER: &str = "__exec";
/// The first argument of the first process in a namespace.
pub const FIRST: &str = "__first";

/// The time that a new owner waits for the programs of the previous one before it says so.
const SILENT_WAIT: Duration = Duration::from_secs(1);
/// The time after which a new owner gives up waiting.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The pause between two looks at the locks.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Runs a program to its end, or until the lifeline closes. The process must do nothing else.
pub fn keep(locks: &Path, argv: &[String]) -> ExitCode {
    close_inherited();
    call_it("praxis-keeper");
    // Without a session of its own the program still runs; it only gets the signals of the terminal.
    let _ = setsid();
    let path = locks.join(format!("{}.lock", std::process::id()));
    let lock = hold_lock(&path);
    let code = if enter_namespace() {
        keep_first(&path, argv)
    } else {
        // Without a namespace a descendant may outlive this process, so it has to hold the lock itself.
        let _ = lock.as_ref().map(|lock| fcntl(lock, FcntlArg::F_SETFD(FdFlag::empty())));
        watch(argv, Leftovers::Kill)
    };
    let _ = fs::remove_file(&path);
    drop(lock);
    code
}

/// Runs the program as the first process of a namespace: the program cannot outlive this process.
pub fn first(lock: &Path, argv: &[String]) -> ExitCode {
    close_inherited();
    call_it("praxis-keeper");
    let _lock = hold_lock(lock);
    // If the keeper is killed, so is this process, and with it the namespace.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    watch(argv, Leftovers::DieWithUs)
}

/// Closes all descriptors but stdin, stdout and stderr: files and locks of whoever started Praxis are not for the
/// programs that it runs, nor for an owner in the background. Must run before this process opens anything.
pub fn close_inherited() {
    let Ok(open) = fs::read_dir("/proc/self/fd") else { return };
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<RawFd>().ok();
    // Collected first: the descriptor of the listing itself is closed by then.
    let numbers: Vec<RawFd> = open.flatten().filter_map(number).collect();
    for descriptor in numbers.into_iter().filter(|number| *number > 2) {
        let _ = close(descriptor);
    }
}

/// Renames the process, so that killing processes by the name `praxis` hits only the engine.
fn call_it(name: &str) {
    if let Ok(name) = CString::new(name) {
        let _ = prctl::set_name(&name);
    }
}

/// Puts the future children of this process into a PID namespace of their own. Must run before any thread starts.
fn enter_namespace() -> bool {
    if unshare(CloneFlags::CLONE_NEWPID).is_ok() {
        return true;
    }
    let (uid, gid) = (getuid(), getgid());
    if unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).is_err() {
        return false;
    }
    // Maps the user to itself; without the map the program would run as `nobody`.
    let map = |file: &str, id: u32| fs::write(format!("/proc/self/{file}"), format!("{id} {id} 1"));
    let _ = fs::write("/proc/self/setgroups", "deny");
    map("uid_map", uid.as_raw()).and(map("gid_map", gid.as_raw())).is_ok()
}

fn keep_first(lock: &Path, argv: &[String]) -> ExitCode {
    let binary = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    match Command::new(binary).arg(FIRST).arg(lock).arg("--").args(argv).status() {
        Ok(status) => code(status),
        Err(error) => not_started("the keeper", &error),
    }
}

fn not_started(program: &str, error: &std::io::Error) -> ExitCode {
    eprintln!("{NOT_STARTED_WORDS}`{program}`: {error}");
    ExitCode::from(NOT_STARTED)
}

/// Converts an exit status as shells do: 128 plus the signal for a killed program.
fn code(status: ExitStatus) -> ExitCode {
    let by_signal = status.signal().map(|signal| 128 + signal);
    ExitCode::from(u8::try_from(status.code().or(by_signal).unwrap_or(1)).unwrap_or(1))
}

/// The fate of processes that the program leaves behind.
#[derive(Clone, Copy)]
enum Leftovers {
    /// The kernel kills them with this process.
    DieWithUs,
    /// This process finds and kills them.
    Kill,
}

enum KeeperMessage {
    /// The program ended.
    Ended(std::io::Result<ExitStatus>),
    /// The other end of the lifeline is closed.
    Alone,
}

/// Starts the program and waits until it ends or the lifeline closes.
fn watch(argv: &[String], leftovers: Leftovers) -> ExitCode {
    if matches!(leftovers, Leftovers::Kill) {
        let _ = prctl::set_child_subreaper(true);
    }
    let Some((program, arguments)) = argv.split_first() else { return ExitCode::from(2) };
    // The lock is held by now: an owner that takes over later waits for this process. One that took over before found
    // no lock and may have started the call again, so the program must not start here too.
    if is_cut(std::io::stdin()) {
        return ExitCode::from(128 + 9);
    }
    let mut child = match Command::new(program).args(arguments).stdin(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return not_started(program, &error),
    };
    let (news, arrived) = channel();
    let (input, alone) = (child.stdin.take(), news.clone());
    std::thread::spawn(move || watch_lifeline(input, &alone));
    std::thread::spawn(move || wait_for(child, &news));
    let ended = match arrived.recv() {
        Ok(KeeperMessage::Ended(Ok(status))) => code(status),
        Ok(KeeperMessage::Ended(Err(_))) => ExitCode::from(1),
        Ok(KeeperMessage::Alone) | Err(_) => ExitCode::from(128 + 9),
    };
    if matches!(leftovers, Leftovers::Kill) {
        kill_descendants();
    }
    ended
}

/// Returns true if the other end of the lifeline is closed.
fn is_cut(lifeline: impl AsFd) -> bool {
    let mut polled = [PollFd::new(lifeline.as_fd(), PollFlags::POLLIN)];
    let found = poll(&mut polled, PollTimeout::ZERO);
    let [polled] = polled;
    found.is_ok() && polled.revents().is_some_and(|events| events.contains(PollFlags::POLLHUP))
}

fn wait_for(mut child: Child, news: &Sender<KeeperMessage>) {
    let _ = news.send(KeeperMessage::Ended(child.wait()));
}

/// Passes the input to the program, then waits until the lifeline closes.
fn watch_lifeline(program: Option<ChildStdin>, news: &Sender<KeeperMessage>) {
    let mut lifeline = std::io::stdin().lock();
    if let (Some(input), Some(mut program)) = (read_input(&mut lifeline), program) {
        // A program that does not read its input is no error.
        let _ = program.write_all(&input);
    }
    let mut rest = [0_u8; 64];
    while matches!(lifeline.read(&mut rest), Ok(read) if read > 0) {}
    let _ = news.send(KeeperMessage::Alone);
}

/// Reads a decimal length, a line feed, and that many bytes.
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

/// Kills all descendants of this process. Those started meanwhile are found in the next round.
fn kill_descendants() {
    let own = std::process::id();
    for _ in 0..200 {
        let found = descendants(own);
        if found.is_empty() {
            return;
        }
        for pid in found.into_iter().filter_map(|pid| i32::try_from(pid).ok()) {
            // The process may be gone already.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
        {
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the living descendants of this process.
fn descendants(own: u32) -> Vec<u32> {
    let Ok(folder) = fs::read_dir("/proc") else { return vec![] };
    let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> =
        pids.filter_map(|pid| Some((pid, living_parent(pid)?))).collect();
    let mut found = vec![own];
    let mut known = 0;
    while known < found.len() {
        known = found.len();
        let below = |(pid, parent): &&(u32, u32)| found.contains(parent) && !found.contains(pid);
        let children: Vec<u32> = parents.iter().filter(below).map(|(pid, _)| *pid).collect();
        found.extend(children);
    }
    found.retain(|pid| *pid != own);
    found
}

/// Returns the parent of a process; `None` for a zombie.
fn living_parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}

/// Takes a shared lock on the lock file of a keeper. The keeper and the first process of its namespace hold one each.
fn hold_lock(path: &Path) -> Option<File> {
    let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
    file.lock_shared().ok()?;
    Some(file)
}

/// Programs of a previous owner that do not end.
#[derive(Debug, thiserror::Error)]
#[error("a program of the previous owner process is still running (process {})", self.processes())]
pub struct OldPrograms(Vec<String>);

impl OldPrograms {
    /// Returns the ids of the processes that keep them.
    pub fn processes(&self) -> String {
        self.0.join(", ")
    }
}

/// Waits until the programs of the previous owner are gone. `held_up` is called once if that takes longer than a second.
pub fn await_old_keepers(locks: &Path, held_up: impl FnOnce(&OldPrograms)) -> io::Result<()> {
    fs::create_dir_all(locks)?;
    let mut held_up = Some(held_up);
    let mut waited = Duration::ZERO;
    loop {
        let living = living_keepers(locks)?;
        if living.is_empty() {
            return Ok(());
        }
        let old = OldPrograms(living);
        if waited >= LONGEST_WAIT {
            return Err(io::Error::new(io::ErrorKind::TimedOut, old));
        }
        if waited >= SILENT_WAIT
            && let Some(held_up) = held_up.take()
        {
            held_up(&old);
        }
        std::thread::sleep(LOCK_PAUSE);
        waited += LOCK_PAUSE;
    }
}

/// Removes the lock files of keepers that are gone, and returns the process ids of the others.
fn living_keepers(locks: &Path) -> io::Result<Vec<String>> {
    let mut living = Vec::new();
    for entry in fs::read_dir(locks)?.flatten() {
        let path = entry.path();
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        } else {
            living.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    Ok(living)
}

/// Returns true if programs get a PID namespace of their own here. A child process tries it, since this one must not
/// enter a namespace.
pub fn has_namespaces() -> bool {
    let Ok(binary) = std::env::current_exe() else { return false };
    Command::new(binary).arg(PROBE).status().is_ok_and(|status| status.success())
}

/// The first argument of a process that only tries to enter a namespace.
pub const PROBE: &str = "__probe";

/// Tries to enter a namespace and reports the result by its exit code.
pub fn probe() -> ExitCode {
    if enter_namespace() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
