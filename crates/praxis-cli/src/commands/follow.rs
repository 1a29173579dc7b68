//! Follows a task in the journal and prints its events, until it ends or waits for a person.

use super::ending::{exit, what_next};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::view::answer::template;
use crate::view::cost;
use crate::view::live::Live;
use crate::view::live_text::LineCollector;
use crate::view::screen;
use crate::view::seed::SeedPrinter;
use crate::view::story::StoryPrinter;
use crate::view::text::Paint;
use praxis_adapters::blobs;
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ask::waiting::WaitReason;
use praxis_core::decide::next;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::journal::event::Entry;
use praxis_core::payload::Payload;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use praxis_core::view::stream::views;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::LiveText;
use praxis_engine::seams::Clock;
use serde_json::{Map, Value};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// Interval at which the journal is polled.
const LOOK_AGAIN: Duration = Duration::from_millis(60);
/// Maximum wait for the effect of an order.
const PATIENCE: Duration = Duration::from_secs(2);

/// Prints the events of a task as they come.
pub(crate) struct Follower<'a> {
    context: &'a CliContext,
    reader: JournalReader,
    story: StoryPrinter,
    live: Live,
    clock: TokioClock,
    from: u64,
    /// True if events are kept off stdout, because something else is the result there.
    quiet: bool,
    voice: LineCollector,
    seed: Option<SeedPrinter>,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(context: &'a CliContext, from: u64) -> Result<Self, CommandFailure> {
        Ok(Self {
            context,
            reader: context.reader()?,
            story: StoryPrinter::new(
                context.lang,
                Paint(context.colors),
                screen::size_if(context.show_progress),
            ),
            live: Live::new(context.show_progress),
            clock: TokioClock::real(),
            from,
            quiet: false,
            voice: LineCollector::default(),
            seed: context.seed.map(|audience| SeedPrinter::new(audience, context.lang)),
        })
    }

    /// Returns the state of the task as of the last printed event.
    pub(crate) fn state(&self) -> &State {
        &self.story.state
    }

    /// Keeps events off stdout.
    pub(crate) fn be_quiet(&mut self) {
        self.quiet = true;
    }

    /// Subscribes to the models' live text: the reasons of their waits, and their replies if those are shown.
    pub(crate) fn listen(&mut self, said: broadcast::Receiver<Arc<LiveText>>) {
        match &mut self.seed {
            Some(seed) => seed.listen(said),
            None if self.context.json => {}
            None => self.voice.listen(said, self.context.verbose),
        }
    }

    /// Prints the reasons for which model calls began to wait, unless they are drawn.
    fn tell_waits(&mut self) {
        let now = self.clock.now();
        let begun = self.voice.begun().into_iter().filter(|_| !self.context.show_progress);
        let words = |(ask, waiting): (u32, WaitReason)| {
            let words = waiting.words(self.story.model_of(ask)?, now, self.context.lang)?;
            Some(self.story.paint.faint(&format!("  … {words}")))
        };
        let lines: Vec<String> = begun.filter_map(words).collect();
        if !lines.is_empty() {
            self.live.print(&lines);
        }
    }

    /// Waits up to `PATIENCE` for new events of a task, and prints them.
    pub(crate) async fn until_it_moves(&mut self, task: &TaskId) -> Result<(), CommandFailure> {
        let _ = tokio::time::timeout(PATIENCE, async {
            while self.reader.entries(task, self.story.state.seq).is_ok_and(|new| new.is_empty()) {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        })
        .await;
        for entry in &self.reader.entries(task, self.story.state.seq)? {
            self.tell(entry)?;
        }
        Ok(())
    }

    /// Prints a note if Praxis still learns from a finished task.
    pub(crate) fn tell_what_is_left(&self) {
        let state = &self.story.state;
        let asking = state.asks_under_way() > 0 && self.context.show_progress;
        let is_left = asking || !next::finished(state).is_empty();
        if self.context.json || !state.status().is_final() || !is_left {
            return;
        }
        let words = self.context.say(
            "  reviewing the task; praxis exits when the review is done",
            "  正在总结本次任务的经验，完成后自动退出",
        );
        note!("{}", self.story.paint.faint(&words));
    }

    /// Prints events until the task ends or waits. `news` wakes it early.
    pub(crate) async fn follow(
        &mut self,
        task: &TaskId,
        mut news: impl AsyncFnMut(),
    ) -> Result<(), CommandFailure> {
        loop {
            self.tell_new(task)?;
            let heard = self.voice.hear(task);
            if !heard.is_empty() {
                let faint = heard.iter().map(|line| self.story.paint.faint(line));
                self.live.print(&faint.collect::<Vec<_>>());
            }
            self.tell_waits();
            let status = self.story.state.status();
            if status.is_final() || status == TaskStatus::Waiting {
                self.live.print(&[]);
                return Ok(());
            }
            self.live.draw(
                (&self.story, &self.voice),
                self.clock.now().max(Timestamp(0)),
                self.context.lang,
            );
            tokio::select! {
                () = news() => {}
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }

    /// Prints the seed events after the end, while Praxis learns from the task: every call that began gets its end.
    pub(crate) async fn tell_the_rest(&mut self, task: &TaskId) -> Result<(), CommandFailure> {
        if self.seed.is_none() || !self.story.state.status().is_final() {
            return Ok(());
        }
        loop {
            let is_driven = self.context.folder.has_owner();
            self.tell_new(task)?;
            let state = &self.story.state;
            let is_left = state.asks_under_way() > 0 || !next::finished(state).is_empty();
            if !is_left || !is_driven {
                return Ok(());
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Prints the new entries of the journal, and new text of models.
    fn tell_new(&mut self, task: &TaskId) -> Result<(), CommandFailure> {
        let entries = self.reader.entries(task, self.story.state.seq)?;
        if let Some(seed) = &mut self.seed {
            seed.hear(task);
        }
        for entry in &entries {
            self.tell(entry)?;
        }
        let spoken = self.seed.as_mut().map(SeedPrinter::spoken).unwrap_or_default();
        spoken.iter().filter(|_| !self.quiet).for_each(|line| out!("{line}"));
        Ok(())
    }

    /// Prints a line that is not an event, above the drawn steps.
    pub(crate) fn remark(&mut self, words: String) {
        self.live.print(&[words]);
    }

    fn tell(&mut self, entry: &Entry) -> Result<(), CommandFailure> {
        let lines = self.story.tell(entry).map_err(CommandFailure::illegal)?;
        let seed = self.seed.as_mut().map(|seed| seed.tell(entry)).transpose();
        let seed = seed.map_err(CommandFailure::illegal)?;
        if entry.seq <= self.from {
            return Ok(());
        }
        if let Some(lines) = seed {
            lines.iter().filter(|_| !self.quiet).for_each(|line| out!("{line}"));
            return Ok(());
        }
        if !self.context.json {
            self.live.print(&lines);
            return Ok(());
        }
        for event in views(&self.story.state, entry).into_iter().filter(|_| !self.quiet) {
            out!("{}", serde_json::to_string(&event).unwrap_or_default());
        }
        Ok(())
    }

    /// Prints the result to stdout and the next commands to stderr, and returns the exit code.
    pub(crate) fn conclude(&self, task: &TaskId) -> Result<ExitCode, CommandFailure> {
        let state = &self.story.state;
        if !self.context.json {
            if let Some(result) = result(self.context, state)? {
                // A program that reads stdout always gets JSON.
                let told = std::io::stdout()
                    .is_terminal()
                    .then(|| template(state, &result, self.context.lang));
                out!("{}", told.flatten().unwrap_or_else(|| pretty(&result)));
            }
            if let Some(cost) = cost::line(state, &self.story.spent(), self.context.lang) {
                note!("{}{cost}", self.context.say("  cost    ", "  花费    "));
            }
            let head = self.context.say("  next    ", "  下一步  ");
            note!("{head}{}", what_next(state, task).join("    "));
        }
        Ok(exit(state))
    }
}

/// Returns the answer to the goal, else the output of the plan's final step, or of all final steps by id.
pub(crate) fn result(context: &CliContext, state: &State) -> Result<Option<Value>, CommandFailure> {
    if let Some(answer) =
        state.goal.as_deref().and_then(|goal_state| goal_state.evaluation.answer.as_ref())
    {
        return whole(context, answer).map(Some);
    }
    let mut outputs = Map::new();
    for id in &state.result_of {
        let index = state.context.index_of(id.as_str());
        if let Some(result) = index.and_then(|index| state.context.result(index)) {
            outputs.insert(id.to_string(), whole(context, &result.output)?);
        }
    }
    Ok(match outputs.len() {
        0 => None,
        1 => outputs.into_iter().next().map(|(_, value)| value),
        _ => Some(Value::Object(outputs)),
    })
}

/// Returns the value of a payload, from its blob if necessary.
pub(crate) fn whole(context: &CliContext, payload: &Payload) -> Result<Value, CommandFailure> {
    match payload {
        Payload::Json(value) => Ok(value.as_ref().clone()),
        Payload::Blob(stored) => blob(context, &stored.blob),
    }
}

/// Reads the JSON in a blob.
pub(crate) fn blob(context: &CliContext, id: &BlobId) -> Result<Value, CommandFailure> {
    let failed = |said: String| {
        let words = (said.clone(), format!("无法读取大对象：{said}"));
        CommandFailure::new(Exit::TaskFailed, "blob_unreadable", words)
    };
    let content =
        blobs::read(&context.folder.blobs(), id).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&content).map_err(|error| failed(error.to_string()))
}

/// Returns text as it is, and any other value as indented JSON.
pub(crate) fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
