//! A store of experiences in memory, which counts how often it is asked.

use praxis_core::ids::{TaskId, Tenant};
use praxis_core::learn::experience::{Category, Experience};
use praxis_core::learn::memory::Memory;
use praxis_core::retrieve::goals::Goals;
use praxis_engine::seams::{Experiences, Taught};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What tasks taught, forgotten with the process. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryExperiences(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    taught: BTreeMap<TaskId, (Tenant, Experience)>,
    asked: usize,
}

impl MemoryExperiences {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often somebody recalled something.
    pub fn asked(&self) -> usize {
        self.inner().asked
    }

    /// What a task taught.
    pub fn of(&self, task: &TaskId) -> Option<Experience> {
        self.inner().taught.get(task).map(|(_, experience)| experience.clone())
    }
}

impl Experiences for MemoryExperiences {
    fn keep(&self, taught: &Taught<'_>) -> Result<(), String> {
        let kept = (taught.tenant.clone(), taught.experience.clone());
        self.inner().taught.insert(taught.task.clone(), kept);
        Ok(())
    }

    fn forget(&self, task: &TaskId) -> Result<(), String> {
        self.inner().taught.remove(task);
        Ok(())
    }

    fn recall(&self, tenant: &Tenant, goal: &str, most: usize) -> Result<Vec<Memory>, String> {
        let mut inner = self.inner();
        inner.asked += 1;
        let mut goals = Goals::default();
        for (task, (whose, experience)) in &inner.taught {
            let worked = experience.category == Category::SolvingIdeas && whose == tenant;
            if let Some(case) = experience.case.as_ref().filter(|_| worked) {
                goals.put(task, &case.goal);
            }
        }
        let memory = |(task, likeness): (TaskId, u32)| {
            let (_, experience) = inner.taught.get(&task)?;
            let case = experience.case.clone()?;
            let summary = experience.quick_summary.clone();
            Some(Memory { hash: case.hash(), task, likeness, summary, case })
        };
        Ok(goals.nearest(goal, most).into_iter().filter_map(memory).collect())
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
