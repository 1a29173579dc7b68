//! What finished tasks taught, one JSON line each. A view of the journal: it can be lost and made again.

use praxis_core::ids::TaskId;
use praxis_core::learn::experience::Experience;
use praxis_engine::seams::Experiences;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
            serde_json::from_str::<Line>(line).is_ok_and(|line| line.task_id == *task)
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

    /// All lines that can be read, the oldest first; a line that cannot is passed over.
    pub fn read(&self) -> io::Result<Vec<Line>> {
        let text = match std::fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            read => read?,
        };
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

impl Experiences for ExperienceFile {
    fn keep(&self, task: &TaskId, seq: u64, experience: &Experience) {
        let line = Line {
            evaluation_id: format!("{task}/{seq}"),
            task_id: task.clone(),
            experience: experience.clone(),
        };
        // The journal has it: a file that cannot be written loses nothing.
        let _ = self.append(&line);
    }

    fn forget(&self, task: &TaskId) -> Result<(), String> {
        self.without(task).map_err(|error| format!("{}: {error}", self.0.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::learn::experience::Category;
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

    //
    #[test]
    fn lines_of_many_writers_stay_whole_and_a_line_of_another_form_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("experiences.jsonl");
        let file = Arc::new(ExperienceFile::new(&path));
        assert_eq!(file.read().unwrap(), []);
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let file = Arc::clone(&file);
                std::thread::spawn(move || {
                    for n in 0..50 {
                        let task = TaskId::from(format!("task_{writer}"));
                        file.keep(&task, n, &experience(&"长".repeat(500)));
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
        file.keep(&TaskId::from("task_x"), 1, &experience("last"));
        let read = file.read().unwrap();
        assert_eq!(read.len(), 401);
        assert_eq!(read.last().unwrap().evaluation_id, "task_x/1");
        assert!(
            read.iter().take(400).all(|line| line.experience.experience.chars().count() == 500)
        );
    }
}
