//! An experience store in memory that counts its queries.

use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::journal::memory::{PlanBarred, RecalledTask};
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Experiences, RecallRequest, TaughtExperience};
use praxis_planner::retrieve::goals::GoalIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Experiences of tasks, lost when the process ends. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryExperiences(Arc<Mutex<ExperiencesInner>>);

#[derive(Default)]
struct ExperiencesInner {
    taught: BTreeMap<TaskId, (Tenant, Timestamp, Experience)>,
    asked: usize,
}

impl MemoryExperiences {
    fn inner(&self) -> MutexGuard<'_, ExperiencesInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of recalls.
    pub fn asked(&self) -> usize {
        self.inner().asked
    }

    /// Returns the experience of a task.
    pub fn of(&self, task: &TaskId) -> Option<Experience> {
        self.inner().taught.get(task).map(|(_, _, experience)| experience.clone())
    }
}

impl Experiences for MemoryExperiences {
    fn keep(&self, taught: &TaughtExperience<'_>) -> Result<(), String> {
        let kept = (taught.tenant.clone(), taught.at, taught.experience.clone());
        self.inner().taught.insert(taught.task.clone(), kept);
        Ok(())
    }

    fn forget(&self, task: &TaskId) -> Result<(), String> {
        self.inner().taught.remove(task);
        Ok(())
    }

    fn recall(&self, asked: &RecallRequest<'_>) -> Result<Vec<RecalledTask>, String> {
        let mut inner = self.inner();
        inner.asked += 1;
        let mut goals = GoalIndex::default();
        let mut misleading: BTreeSet<&str> = BTreeSet::new();
        for (task, (whose, _, experience)) in &inner.taught {
            let worked =
                experience.category == ExperienceCategory::SolvingIdeas && whose == asked.tenant;
            let case = experience.case.as_ref();
            misleading.extend(case.and_then(|case| case.misled_by.as_deref()));
            if let Some(case) = case.filter(|_| worked) {
                goals.put(task, &case.goal);
            }
        }
        let memory = |(task, similarity): (TaskId, u32)| {
            let (_, at, experience) = inner.taught.get(&task)?;
            let case = experience.case.clone()?;
            let summary = experience.quick_summary.clone();
            let plan = case.plan.as_ref().map(PlanTemplate::hash);
            let misled = plan.is_some_and(|plan| misleading.contains(plan.as_str()));
            let (at, barred) = (Some(*at), misled.then_some(PlanBarred::Failed));
            Some(RecalledTask { hash: case.hash(), task, similarity, summary, case, at, barred })
        };
        let near = goals.nearest_and(asked.goal, asked.most, asked.named);
        Ok(near.into_iter().filter_map(memory).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_in_memory_does_what_every_store_does() {
        crate::conformance::experiences(&MemoryExperiences::default());
    }
}
