//! Progress in a terminal: printed lines scroll, the running steps and model calls are redrawn below them.

use super::live_text::LineCollector;
use super::screen::{self, Size};
use super::story::{StoryPrinter, running};
use super::text::{cut, mark, span};
use praxis_core::lang::Lang;
use praxis_core::time::Timestamp;
use std::io::Write;

/// Maximum number of running steps drawn, and of model calls.
const MOST_DRAWN: usize = 8;

/// The lines below the story that are redrawn.
#[derive(Default)]
pub(crate) struct Live {
    drawn: usize,
    on: bool,
}

impl Live {
    /// Draws only if `on`; otherwise lines are just printed.
    pub(crate) fn new(on: bool) -> Self {
        Self { drawn: 0, on }
    }

    /// Prints lines above the live ones.
    pub(crate) fn print(&mut self, lines: &[String]) {
        let mut out = String::new();
        self.erase(&mut out);
        for line in lines {
            out.push_str(line);
            out.push('\n');
        }
        write(&out);
    }

    /// Redraws the running steps and model calls.
    pub(crate) fn draw(
        &mut self,
        (story, voice): (&StoryPrinter, &LineCollector),
        now: Timestamp,
        lang: Lang,
    ) {
        if !self.on {
            return;
        }
        let mut out = String::new();
        self.erase(&mut out);
        // A line that wraps, or one above the screen, could not be erased again.
        let Size { columns, rows } = screen::size();
        for step in running(&story.state).take(MOST_DRAWN.min(rows.saturating_sub(2))) {
            let time = step.started_at.map(|begun| span(now.since(begun))).unwrap_or_default();
            let (id, name) = (story.id(&step.plan.id), cut(&step.plan.name, 40));
            let line = cut(&format!("{id} {name} {time}"), columns.saturating_sub(3));
            out.push_str(&format!("{} {line}\n", mark(step.status, story.paint)));
            self.drawn += 1;
        }
        for (ask, words, since) in story.asking().take(MOST_DRAWN.min(rows.saturating_sub(2))) {
            let model = story.model_of(ask).unwrap_or_default();
            let waits = voice.waits(ask).and_then(|waiting| waiting.words(model, now, lang));
            let waits = waits.map(|words| format!(" · {words}")).unwrap_or_default();
            let line = format!("… {words} {}{waits}", span(now.since(since)));
            let line = cut(&line, columns.saturating_sub(1));
            out.push_str(&format!("{}\n", story.paint.faint(&line)));
            self.drawn += 1;
        }
        write(&out);
    }

    fn erase(&mut self, out: &mut String) {
        for _ in 0..std::mem::take(&mut self.drawn) {
            out.push_str("\u{1b}[1A\u{1b}[2K");
        }
    }
}

fn write(out: &str) {
    // A closed stderr must not stop the task.
    let _ = std::io::stderr().lock().write_all(out.as_bytes());
}
