//! How far work that lasts has come, on a terminal: one line on standard error, which goes when the work
//! ends.

use std::io::{IsTerminal, stderr};
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};

use crate::engine::{Engine, Progress, ProgressView};

use super::args::Global;

/// Work that ends before is not shown.
const SHOWN_AFTER: Duration = Duration::from_millis(500);
/// Time from one picture to the next.
const PERIOD: Duration = Duration::from_millis(100);

/// Lets an engine show its work, where somebody reads standard error and did not ask for quiet.
pub fn show_at_terminal(engine: &Engine, global: &Global) {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if stderr().is_terminal() && !is_dumb && !global.quiet {
        engine.set_progress_view(Rc::new(Line::default()));
    }
}

/// The line, and the thread that draws it from the first call on.
#[derive(Default)]
struct Line {
    work: Arc<Mutex<Option<Work>>>,
    painter: OnceLock<()>,
}

/// A call that goes on.
struct Work {
    tool: &'static str,
    since: Instant,
    progress: Arc<Progress>,
    bar: Option<ProgressBar>,
}

impl ProgressView for Line {
    fn begin(&self, tool: &'static str, progress: Arc<Progress>) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Work { tool, since: Instant::now(), progress, bar: None });
        self.painter.get_or_init(|| {
            let work = Arc::downgrade(&self.work);
            // Without a thread nothing is shown, and everything works.
            let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || paint(&work));
        });
    }

    fn end(&self) {
        // The line is gone before anything else is printed.
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bar) = work.and_then(|work| work.bar) {
            bar.finish_and_clear();
        }
    }
}

/// Draws until nobody holds the work.
fn paint(work: &Weak<Mutex<Option<Work>>>) {
    loop {
        thread::sleep(PERIOD);
        let Some(work) = work.upgrade() else { return };
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = work.as_mut().filter(|work| work.since.elapsed() >= SHOWN_AFTER) {
            let message = work.message();
            let bar = work.bar.get_or_insert_with(new_bar);
            bar.set_message(message);
            bar.tick();
        }
    }
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is a constant");
    ProgressBar::new_spinner().with_style(style)
}

impl Work {
    /// `FS.CopyFile: 412 of 1000 items, 1.50 GiB written, 3 s`
    fn message(&self) -> String {
        let mut parts = Vec::new();
        let (items, all) = self.progress.items();
        if all > 0 {
            parts.push(format!("{items} of {all} items"));
        }
        for (bytes, word) in [(self.progress.bytes_read(), "read"), (self.progress.bytes_written(), "written")] {
            if bytes > 0 {
                parts.push(format!("{} {word}", BinaryBytes(bytes)));
            }
        }
        parts.push(format!("{} s", self.since.elapsed().as_secs()));
        format!("{}: {}", self.tool, parts.join(", "))
    }
}
