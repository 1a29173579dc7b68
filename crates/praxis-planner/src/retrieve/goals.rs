//! An index of past goals.
//!
//! - in: goals in words, by task
//! - out: the nearest goals with their similarity; 1000 means that a goal has all words of the query
//! - never: finds a goal that shares no word

use super::index::{DocumentField, IndexedDocument, WordIndex};
use super::synonyms::Synonyms;
use super::words::words;
use praxis_core::ids::TaskId;
use praxis_core::planner::thousandths;

/// Goals, indexed by their words.
#[derive(Clone, Debug, Default)]
pub struct GoalIndex {
    index: WordIndex<TaskId>,
}

impl GoalIndex {
    /// Adds a goal, or replaces that of the task.
    pub fn put(&mut self, task: &TaskId, goal: &str) {
        let document: IndexedDocument = vec![(DocumentField::About, words(goal))];
        self.index.put(task.clone(), &document);
    }

    /// Removes the goal of a task.
    pub fn remove(&mut self, task: &TaskId) {
        self.index.remove(task);
    }

    /// Returns the nearest goals, each with the share of the query's words that it has, in thousandths.
    pub fn nearest(&self, goal: &str, most: usize) -> Vec<(TaskId, u32)> {
        let own = words(goal);
        let ranked = self.index.rank(&Synonyms::default().asked(goal), most);
        let near = |task: TaskId| {
            let similarity = thousandths(self.index.share(&own, &task));
            (task, similarity)
        };
        let mut near: Vec<(TaskId, u32)> = ranked.into_iter().map(|hit| near(hit.key)).collect();
        // The sort is stable: goals with the same share stay in the order of the index.
        near.sort_by_key(|(_, similarity)| std::cmp::Reverse(*similarity));
        near
    }

    /// Like [`Self::nearest`], with the goal of `named` appended if it is indexed and not among them.
    pub fn nearest_and(
        &self,
        goal: &str,
        most: usize,
        named: Option<&TaskId>,
    ) -> Vec<(TaskId, u32)> {
        let mut near = self.nearest(goal, most);
        let known = named.filter(|task| self.index.place(task).is_some());
        if let Some(task) = known.filter(|named| near.iter().all(|(task, _)| task != *named)) {
            near.push((task.clone(), thousandths(self.index.share(&words(goal), task))));
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn goals_are_near_by_the_words_they_share_in_both_languages() {
        let mut goals = GoalIndex::default();
        goals.put(&"task_load".into(), "对某区域进行负荷预测");
        goals.put(&"task_mail".into(), "send a mail to the team");
        goals.put(&"task_twin".into(), "send a mail to the team");
        let near = goals.nearest("负荷预测", 20);
        assert_eq!(near, [("task_load".into(), 1000)]);
        let near = goals.nearest("send a letter to the team", 20);
        let tasks: Vec<&str> = near.iter().map(|(task, _)| task.as_str()).collect();
        assert_eq!(tasks, ["task_mail", "task_twin"]);
        assert!(near.iter().all(|(_, similarity)| (500..1000).contains(similarity)), "{near:?}");
        goals.remove(&"task_mail".into());
        assert_eq!(goals.nearest("send a mail", 20).len(), 1);
        assert!(goals.nearest("", 20).is_empty());
    }
}
