//! A disk that keeps what was synced and, of the rest, whatever it likes, in pieces of 512 bytes.
//!
//! It is as bad as POSIX allows: syncing a file does not make its name durable, and of writes that
//! were not synced a later one may survive an earlier one.

use crate::record::Op;
use std::collections::BTreeMap;
use std::path::Path;

const SECTOR: usize = 512;

/// Numbers that only look random: the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }
}

/// A change that is not durable yet, and the op that made it.
struct Pending<T> {
    op: usize,
    change: T,
}

#[derive(Clone)]
enum Change {
    Bytes(usize, Vec<u8>),
    Length(usize),
}

#[derive(Clone)]
enum Naming {
    Link(String, usize),
    Unlink(String),
    Rename(String, String),
}

#[derive(Default)]
struct File {
    durable: Vec<u8>,
    pending: Vec<Pending<Change>>,
    /// Where the next write without a place goes.
    end: usize,
}

#[derive(Default)]
struct Folder {
    durable: BTreeMap<String, usize>,
    now: BTreeMap<String, usize>,
    pending: Vec<Pending<Naming>>,
}

enum Node {
    File(File),
    Folder(Folder),
}

/// A disk with a root folder, which is there from the start.
pub(crate) struct Disk {
    nodes: Vec<Node>,
    ops: usize,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Node::Folder(Folder::default())], ops: 0 }
    }

    /// A disk on which all of a folder is durable.
    pub(crate) fn holding(folder: &Path) -> Self {
        let mut disk = Self::new();
        disk.load(folder, 0);
        disk
    }

    fn load(&mut self, from: &Path, into: usize) {
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let is_folder = entry.file_type().unwrap().is_dir();
            let node = if is_folder {
                Node::Folder(Folder::default())
            } else {
                let durable = std::fs::read(entry.path()).unwrap_or_default();
                Node::File(File { durable, ..File::default() })
            };
            let index = self.add(node);
            let name = entry.file_name().to_string_lossy().into_owned();
            let folder = self.folder(into);
            folder.durable.insert(name.clone(), index);
            folder.now.insert(name, index);
            if is_folder {
                self.load(&entry.path(), index);
            }
        }
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn folder(&mut self, index: usize) -> &mut Folder {
        match &mut self.nodes[index] {
            Node::Folder(folder) => folder,
            Node::File(_) => panic!("a file is no folder"),
        }
    }

    fn find(&mut self, path: &Path) -> Option<usize> {
        let names = path.iter().map(|name| name.to_string_lossy().into_owned());
        names.into_iter().try_fold(0, |index, name| self.folder(index).now.get(&name).copied())
    }

    fn file(&mut self, path: &Path) -> &mut File {
        let index = self.find(path).unwrap_or_else(|| panic!("no file {}", path.display()));
        match &mut self.nodes[index] {
            Node::File(file) => file,
            Node::Folder(_) => panic!("{} is a folder", path.display()),
        }
    }

    fn name(&mut self, path: &Path, naming: impl FnOnce(String) -> Naming) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let parent = self.find(path.parent().unwrap()).unwrap();
        let change = naming(name);
        let op = self.ops;
        let folder = self.folder(parent);
        rename(&mut folder.now, &change);
        folder.pending.push(Pending { op, change });
    }

    /// Does what was asked of the disk.
    pub(crate) fn take(&mut self, op: &Op) {
        match op {
            Op::Create { path, truncate } => {
                if self.find(path).is_none() {
                    let index = self.add(Node::File(File::default()));
                    self.name(path, |name| Naming::Link(name, index));
                }
                if *truncate {
                    self.change(path, Change::Length(0));
                    self.file(path).end = 0;
                }
            }
            Op::Write { path, at, bytes } => {
                let end = self.file(path).end;
                self.change(path, Change::Bytes(at.unwrap_or(end), bytes.clone()));
                if at.is_none() {
                    self.file(path).end = end + bytes.len();
                }
            }
            Op::Cut { path, length } => self.change(path, Change::Length(*length)),
            Op::Sync { path, upto } => self.sync(path, *upto),
            Op::Rename { from, to } => {
                let to = to.file_name().unwrap().to_string_lossy().into_owned();
                self.name(from, |from| Naming::Rename(from, to));
            }
            Op::Unlink { path } => self.name(path, Naming::Unlink),
            Op::Mkdir { path } => {
                let index = self.add(Node::Folder(Folder::default()));
                self.name(path, |name| Naming::Link(name, index));
            }
            Op::Told { .. } => {}
        }
        self.ops += 1;
    }

    fn change(&mut self, path: &Path, change: Change) {
        let op = self.ops;
        self.file(path).pending.push(Pending { op, change });
    }

    fn sync(&mut self, path: &Path, upto: usize) {
        let index = self.find(path).unwrap();
        match &mut self.nodes[index] {
            Node::File(file) => {
                for pending in file.pending.extract_if(.., |pending| pending.op < upto) {
                    write(&mut file.durable, &pending.change, &mut |_| true);
                }
            }
            Node::Folder(folder) => {
                for pending in folder.pending.extract_if(.., |pending| pending.op < upto) {
                    rename(&mut folder.durable, &pending.change);
                }
            }
        }
    }

    /// The power fails. Of what was not synced, each piece survives with a chance of `of_ten`.
    pub(crate) fn fail(&self, to: &Path, dice: &mut Dice, of_ten: usize) {
        self.leave(0, to, dice, of_ten);
    }

    fn leave(&self, index: usize, to: &Path, dice: &mut Dice, of_ten: usize) {
        match &self.nodes[index] {
            Node::File(file) => {
                let mut content = file.durable.clone();
                for pending in &file.pending {
                    write(&mut content, &pending.change, &mut |_| dice.below(10) < of_ten);
                }
                std::fs::write(to, content).unwrap();
            }
            Node::Folder(folder) => {
                std::fs::create_dir_all(to).unwrap();
                let mut names = folder.durable.clone();
                let kept = if of_ten == 0 { 0 } else { dice.below(folder.pending.len() + 1) };
                folder.pending.iter().take(kept).for_each(|p| rename(&mut names, &p.change));
                for (name, index) in names {
                    self.leave(index, &to.join(name), dice, of_ten);
                }
            }
        }
    }
}

fn rename(names: &mut BTreeMap<String, usize>, naming: &Naming) {
    match naming {
        Naming::Link(name, index) => drop(names.insert(name.clone(), *index)),
        Naming::Unlink(name) => drop(names.remove(name)),
        Naming::Rename(from, to) => {
            if let Some(index) = names.remove(from) {
                names.insert(to.clone(), index);
            }
        }
    }
}

/// Changes a content, sector by sector as far as each one is kept.
fn write(content: &mut Vec<u8>, change: &Change, keep: &mut dyn FnMut(usize) -> bool) {
    match change {
        Change::Length(length) => {
            if keep(0) {
                content.resize(*length, 0);
            }
        }
        Change::Bytes(at, bytes) => {
            let (mut from, end) = (*at, at + bytes.len());
            while from < end {
                let to = (from / SECTOR * SECTOR + SECTOR).min(end);
                let part = &bytes[from - at..to - at];
                if keep(from) {
                    content.resize(content.len().max(to), 0);
                    content[from..to].copy_from_slice(part);
                }
                from = to;
            }
        }
    }
}
