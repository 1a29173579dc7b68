//! W4: one task of ten thousand steps, each reading the one before.

use crate::chain;
use crate::report::Line;
use crate::rig::{Stopwatch, disk_bytes, engine, folder, median, runtime};

const STEPS: usize = 10_000;
const PART: usize = 1000;

pub(crate) fn run(emit: &mut dyn FnMut(Line)) -> anyhow::Result<()> {
    let folder = folder()?;
    let tools = chain::tools();
    let request = chain::request(&tools, STEPS)?;
    let times = runtime()?.block_on(async {
        let engine = engine(folder.path(), tools)?;
        let mut events = engine.subscribe();
        let accepted = engine.submit(request).await?;
        let (mut times, mut watch) = (Vec::new(), Stopwatch::start());
        while times.len() < STEPS {
            if events.recv().await?.task == accepted.task {
                times.push(watch.seconds());
                watch = Stopwatch::start();
            }
        }
        engine.finished(&accepted.task).await;
        anyhow::Ok(times)
    })?;
    let (first, last) = (times.iter().take(PART), times.iter().skip(STEPS - PART));
    let ratio = median(last.copied()) / median(first.copied());
    emit(Line::praxis("W4", "last_over_first", ratio).at_most(1.1));
    // The engine is gone: closing the database made the checkpoint.
    let disk = disk_bytes(folder.path())? / 1024.0 / STEPS as f64;
    emit(Line::praxis("W4", "disk_kib_per_step", disk).at_most(1.0));
    Ok(())
}
