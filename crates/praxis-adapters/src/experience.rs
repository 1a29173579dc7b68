//! What finished tasks taught, one JSON line each. A view of the journal: it can be lost and made again.

use praxis_core::ids::TaskId;
use praxis_core::learn::experience::{Category, Experience};
use praxis_engine::seams::Experiences;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The score of a line that has none.
const DEFAULT_SCORE: u64 = 50;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Unique: the task and the entry.
    pub evaluation_id: String,
    /// Which task.
    pub task_id: TaskId,
    /// What it taught. Fields that a later version adds are passed over.
    #[serde(flatten)]
    pub experience: Experience,
}

/// A file that lines are added to.
pub struct ExperienceFile(PathBuf);

impl ExperienceFile {
    /// The file at a path; made when the first line is written.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Adds a line in one write, so that lines of several writers never mix.
    pub fn append(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let mut file = File::options().create(true).append(true).open(&self.0)?;
        file.write_all(text.as_bytes())
    }

    /// Writes the file anew without the lines of a task; the others stay as they are, byte for byte.
    fn without(&self, task: &TaskId) -> io::Result<()> {
        let text = match std::fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        let is_of_task = |line: &&str| {
            let line = serde_json::from_str::<Value>(line).unwrap_or_default();
            line.get("task_id").and_then(Value::as_str) == Some(task.as_str())
        };
        if !text.lines().any(|line| is_of_task(&line)) {
            return Ok(());
        }
        let rest: String =
            text.lines().filter(|line| !is_of_task(line)).map(|line| format!("{line}\n")).collect();
        let beside = self.0.with_extension("new");
        let mut file = File::create(&beside)?;
        file.write_all(rest.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.0)
    }

    /// All that can be read, the oldest first, and which lines cannot.
    pub fn read(&self) -> io::Result<Lines> {
        let bytes = match std::fs::read(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lines::default()),
            read => read?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = Lines::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match read_line(line, index + 1) {
                Some(line) => lines.read.push(line),
                None => lines.unread.push(index + 1),
            }
        }
        Ok(lines)
    }
}

/// What a file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// What could be read.
    pub read: Vec<Line>,
    /// The numbers of the lines that could not, from one.
    pub unread: Vec<usize>,
}

/// A line of any version: a field that is not there has its default. None if it tells nothing.
fn read_line(line: &str, number: usize) -> Option<Line> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let tells = ["experience", "quick_summary", "task"].iter().any(|name| text(name).is_some());
    if !tells {
        return None;
    }
    let score = |name: &str| {
        let score = value.get(name).and_then(Value::as_u64).unwrap_or(DEFAULT_SCORE);
        u32::try_from(score.min(100)).unwrap_or(100)
    };
    let category = match text("category").as_deref() {
        Some("solving_ideas") => Category::SolvingIdeas,
        _ => Category::ReflectionSuggestions,
    };
    let task_id = text("task_id").unwrap_or_default();
    Some(Line {
        evaluation_id: text("evaluation_id").unwrap_or_else(|| format!("{task_id}/line {number}")),
        task_id: TaskId::from(task_id),
        experience: Experience {
            task_completion: score("task_completion"),
            execution_efficiency: score("execution_efficiency"),
            tool_usage: score("tool_usage"),
            category,
            intention: text("intention").unwrap_or_default(),
            task: text("task").unwrap_or_default(),
            experience: text("experience").unwrap_or_default(),
            quick_summary: text("quick_summary").unwrap_or_default(),
            defaulted: value.get("defaulted").and_then(Value::as_bool).unwrap_or_default(),
        },
    })
}

impl Experiences for ExperienceFile {
    fn keep(&self, task: &TaskId, seq: u64, experience: &Experience) -> Result<(), String> {
        let line = Line {
            evaluation_id: format!("{task}/{seq}"),
            task_id: task.clone(),
            experience: experience.clone(),
        };
        self.append(&line).map_err(|error| format!("{}: {error}", self.0.display()))
    }

    fn forget(&self, task: &TaskId) -> Result<(), String> {
        self.without(task).map_err(|error| format!("{}: {error}", self.0.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn experience(words: &str) -> Experience {
        Experience {
            task_completion: 90,
            execution_efficiency: 80,
            tool_usage: 70,
            category: Category::SolvingIdeas,
            intention: "负荷预测".to_owned(),
            task: "t".to_owned(),
            experience: words.to_owned(),
            quick_summary: "q".to_owned(),
            defaulted: false,
        }
    }

    // A-074
    #[test]
    fn lines_of_many_writers_stay_whole_and_a_line_of_another_form_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("experiences.jsonl");
        let file = Arc::new(ExperienceFile::new(&path));
        assert_eq!(file.read().unwrap(), Lines::default());
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let file = Arc::clone(&file);
                std::thread::spawn(move || {
                    for n in 0..50 {
                        let task = TaskId::from(format!("task_{writer}"));
                        file.keep(&task, n, &experience(&"长".repeat(500))).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"old\": 1}\nno json\n")
            .unwrap();
        file.keep(&TaskId::from("task_x"), 1, &experience("last")).unwrap();
        let Lines { read, unread } = file.read().unwrap();
        assert_eq!(unread, [401, 402]);
        assert_eq!(read.len(), 401);
        assert_eq!(read.last().unwrap().evaluation_id, "task_x/1");
        assert!(
            read.iter().take(400).all(|line| line.experience.experience.chars().count() == 500)
        );
    }

    // A-074
    #[test]
    fn a_line_of_an_older_form_is_read_with_defaults_and_forgotten_with_its_task() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("experiences.jsonl");
        let old = r#"{"task_id": "task_old", "experience": "look twice", "tool_usage": 70}"#;
        std::fs::write(&path, format!("{old}\n")).unwrap();
        let file = ExperienceFile::new(&path);
        let Lines { read, unread } = file.read().unwrap();
        assert!(unread.is_empty());
        let taught = &read[0].experience;
        assert_eq!((taught.experience.as_str(), taught.tool_usage), ("look twice", 70));
        assert_eq!(
            (taught.task_completion, taught.category),
            (50, Category::ReflectionSuggestions)
        );
        assert_eq!(read[0].evaluation_id, "task_old/line 1");
        file.forget(&TaskId::from("task_old")).unwrap();
        assert_eq!(file.read().unwrap(), Lines::default());
        let nowhere = ExperienceFile::new(&folder.path().join("no/such/folder"));
        assert!(nowhere.keep(&TaskId::from("task_x"), 1, taught).unwrap_err().contains("no/such"));
    }
}
