//! Records what a run asks of the disk, and what it acknowledges in between.

use crate::rig::{Rig, json_lines, sequences};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// One thing that was asked of the disk, or said to the caller. Paths are within the rig's folder.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A file was opened so that it is there, empty if `truncate`.
    Create { path: PathBuf, truncate: bool },
    /// Bytes at a place; appended to what this file was last written to if there is no place.
    Write { path: PathBuf, at: Option<usize>, bytes: Vec<u8> },
    /// A file got a length.
    Cut { path: PathBuf, length: usize },
    /// A file or a folder is durable up to the op with this number.
    Sync { path: PathBuf, upto: usize },
    /// A name changed within a folder.
    Rename { from: PathBuf, to: PathBuf },
    /// A name went away.
    Unlink { path: PathBuf },
    /// A folder was made.
    Mkdir { path: PathBuf },
    /// The caller was told of these events.
    Told { task: String, seq: u64 },
}

const CALLS: &str = "openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat";
/// Calls whose effect on the disk the model does not know; none may be made.
const UNKNOWN: &str = "writev,pwritev,pwritev2,fallocate,copy_file_range,sendfile,link,linkat,symlink,symlinkat,sync_file_range";

/// Runs the plan and records it. More words go to strace: a filter of files, an injected fault.
pub(crate) fn record(rig: &Rig, more: &[String]) -> (Vec<Op>, Option<i32>) {
    let (trace, told) = (rig.path("trace"), rig.path("told"));
    let words = ["-f", "-b", "execve", "-qq", "-y", "-xx", "-s", "1000000", "-o"];
    let mut before: Vec<String> = words.map(str::to_owned).to_vec();
    before.extend([trace.display().to_string(), "-e".into(), format!("trace={CALLS},{UNKNOWN}")]);
    before.extend(more.iter().cloned());
    let mut command = rig.praxis_under("strace", &before, &rig.run_words());
    if more.is_empty() {
        // Nothing is counted: the default will do.
        command.env_remove("PRAXIS_JOURNAL_LONE_COMMITS");
    }
    command.stdout(File::create(&told).unwrap());
    let status = command.stderr(File::create(rig.path("stderr")).unwrap()).status().unwrap();
    let text = std::fs::read_to_string(trace).unwrap();
    (
        Reader { home: rig.path("").components().collect(), ..Reader::default() }.read(&text),
        status.code(),
    )
}

#[derive(Default)]
struct Reader {
    home: PathBuf,
    ops: Vec<Op>,
    /// Calls that began and have not ended, by thread: the text so far, and where they began.
    open: BTreeMap<String, (String, usize)>,
}

impl Reader {
    fn read(mut self, text: &str) -> Vec<Op> {
        for line in text.lines() {
            let (thread, rest) = line.split_once(' ').unwrap();
            let rest = rest.trim_start();
            if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
                self.open.insert(thread.to_owned(), (begun.to_owned(), self.ops.len()));
            } else if let Some(resumed) = rest.strip_prefix("<... ") {
                let (begun, upto) = self.open.remove(thread).unwrap();
                let ended = resumed.split_once("resumed>").unwrap().1;
                self.call(&format!("{begun}{ended}"), upto);
            } else if !rest.starts_with(['-', '+']) {
                self.call(rest, self.ops.len());
            }
        }
        self.ops
    }

    /// Takes one whole call: `name(words) = answer`.
    fn call(&mut self, line: &str, upto: usize) {
        let Some((called, answer)) = line.rsplit_once(" = ") else { return };
        let (name, words) = called.trim_end().split_once('(').unwrap();
        let words: Vec<&str> = words.trim_end_matches(')').split(", ").collect();
        if answer.starts_with('-') || answer.starts_with('?') {
            return;
        }
        let quoted: Vec<PathBuf> = words
            .iter()
            .filter(|word| word.starts_with('"'))
            .filter_map(|w| self.path(w))
            .collect();
        let file = words.first().and_then(|word| self.path(word.split_once('<')?.1));
        let op = match (name, file, quoted.as_slice()) {
            ("openat", _, [path]) if line.contains("O_CREAT") => {
                Op::Create { path: path.clone(), truncate: line.contains("O_TRUNC") }
            }
            ("write", Some(path), _) if path.ends_with("told") => return self.told(words[1]),
            ("write", Some(path), _) => Op::Write { path, at: None, bytes: bytes(words[1]) },
            ("pwrite64", Some(path), _) => {
                Op::Write { path, at: words[3].parse().ok(), bytes: bytes(words[1]) }
            }
            ("ftruncate", Some(path), _) => Op::Cut { path, length: words[1].parse().unwrap() },
            ("fsync" | "fdatasync", Some(path), _) => Op::Sync { path, upto },
            ("rename" | "renameat" | "renameat2", _, [from, to]) => {
                Op::Rename { from: from.clone(), to: to.clone() }
            }
            ("unlink" | "unlinkat", _, [path]) => Op::Unlink { path: path.clone() },
            ("mkdir" | "mkdirat", _, [path]) => Op::Mkdir { path: path.clone() },
            (name, Some(path), _) if UNKNOWN.split(',').any(|unknown| unknown == name) => {
                panic!("the model does not know what {name} does to {}", path.display())
            }
            _ => return,
        };
        self.ops.push(op);
    }

    fn told(&mut self, word: &str) {
        let lines = json_lines(&bytes(word));
        for (line, seq) in lines.iter().zip(sequences(&lines)) {
            let subject = line["subject"].as_str().unwrap();
            let task = subject.split('/').nth(1).unwrap().to_owned();
            self.ops.push(Op::Told { task, seq });
        }
    }

    /// A path within the home folder.
    fn path(&self, word: &str) -> Option<PathBuf> {
        let path = PathBuf::from(String::from_utf8(bytes(word)).ok()?);
        path.strip_prefix(&self.home).ok().map(Path::to_owned)
    }
}

/// The bytes of `"\x2f\x74"` or `\x2f\x74>`.
fn bytes(word: &str) -> Vec<u8> {
    let pairs = word.split("\\x").skip(1);
    pairs.map(|pair| u8::from_str_radix(&pair[..2], 16).unwrap()).collect()
}
