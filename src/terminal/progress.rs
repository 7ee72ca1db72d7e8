//! Progress of long calls and loops on a terminal: one line on standard error, removed when they end.

use std::io::{IsTerminal, stderr};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{BinaryBytes, HumanCount};

use crate::engine::{Engine, Progress, ProgressView};

use super::screen::{self, Author, PERIOD};

/// Duration from which a call is shown.
const CALL_SHOWN_AFTER: Duration = Duration::from_millis(500);
/// Duration from which a loop is shown.
const LOOP_SHOWN_AFTER: Duration = Duration::from_secs(2);
/// Share of the work that must be done before the remaining time is shown.
const LEAST_SHARE: f64 = 0.01;

/// Enables the progress line if standard error is a terminal.
pub fn show_at_terminal(engine: &Engine) {
    if stderr().is_terminal() && screen::is_capable() {
        engine.set_progress_view(Rc::new(Line::default()));
    }
}

/// The progress line. Its thread starts with the first call or loop.
#[derive(Default)]
struct Line {
    work: Arc<Mutex<Works>>,
    painter: OnceLock<()>,
}

/// The loop and the call in progress.
#[derive(Default)]
struct Works {
    turns: Option<Work>,
    call: Option<Work>,
}

/// A call or a loop in progress.
struct Work {
    /// The name of the tool; `None` for a loop.
    tool: Option<&'static str>,
    since: Instant,
    progress: Arc<Progress>,
}

fn lock(work: &Mutex<Works>) -> MutexGuard<'_, Works> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Line {
    fn begin_painting(&self) {
        self.painter.get_or_init(|| {
            let work = Arc::downgrade(&self.work);
            // Without the thread there is only no progress line.
            let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || paint(&work));
        });
    }
}

impl ProgressView for Line {
    fn begin(&self, tool: &'static str, progress: Arc<Progress>) {
        lock(&self.work).call = Some(Work { tool: Some(tool), since: Instant::now(), progress });
        self.begin_painting();
    }

    fn end(&self) {
        let mut works = lock(&self.work);
        works.call = None;
        // Within a loop, the line stays until it is redrawn or other output clears it.
        if works.turns.is_none() {
            screen::clear();
        }
    }

    fn begin_loop(&self, progress: Arc<Progress>) {
        lock(&self.work).turns = Some(Work { tool: None, since: Instant::now(), progress });
        self.begin_painting();
    }

    fn end_loop(&self) {
        let mut works = lock(&self.work);
        works.turns = None;
        screen::clear();
    }
}

/// Redraws until the line is dropped.
fn paint(work: &Weak<Mutex<Works>>) {
    loop {
        thread::sleep(PERIOD);
        let Some(work) = work.upgrade() else { return };
        let works = lock(&work);
        let line = works.line();
        if !line.is_empty() {
            screen::draw(Author::Engine, &line);
        }
    }
}

impl Works {
    /// Formats the line, such as `812 of 4,000, 3 s left · FS.CopyFile: 1.50 of 4.00 GiB, 120 MiB/s, 20 s left`.
    fn line(&self) -> String {
        let lasts = |work: &&Work| work.since.elapsed() >= work.shown_after();
        let parts = [&self.turns, &self.call].into_iter().flatten().filter(lasts);
        parts.map(Work::message).collect::<Vec<_>>().join(" · ")
    }
}

impl Work {
    fn shown_after(&self) -> Duration {
        if self.tool.is_some() { CALL_SHOWN_AFTER } else { LOOP_SHOWN_AFTER }
    }

    fn message(&self) -> String {
        let (elapsed, progress) = (self.since.elapsed(), &self.progress);
        let [items, entries] = [progress.items(), progress.entries()].map(|(done, all)| Amount { done, all });
        let bytes = Amount { done: progress.bytes_read().max(progress.bytes_written()), all: progress.all_bytes() };
        let mut parts = Vec::new();
        if items.all > 1 {
            parts.push(format!("{} of {}", HumanCount(items.done), HumanCount(items.all)));
        } else if bytes.done == 0 && entries.done > 0 && entries.done <= entries.all {
            // The expected number comes from an earlier walk, and the tree may have changed since.
            parts.push(format!("{} of about {} entries", HumanCount(entries.done), HumanCount(entries.all)));
        } else if bytes.done == 0 && entries.done > 0 {
            let noun = if entries.done == 1 { "entry" } else { "entries" };
            parts.push(format!("{} {noun}", HumanCount(entries.done)));
        }
        if bytes.done > 0 && bytes.done <= bytes.all {
            parts.push(format!("{} of {}", BinaryBytes(bytes.done), BinaryBytes(bytes.all)));
        } else if bytes.done > 0 {
            parts.push(BinaryBytes(bytes.done).to_string());
        }
        let per_second = (bytes.done as f64 / elapsed.as_secs_f64()) as u64;
        if per_second > 0 {
            parts.push(format!("{}/s", BinaryBytes(per_second)));
        }
        // Files are synced one by one; show it only when nothing else remains to be done.
        let is_written = items.all <= 1 || bytes.all > 0 && bytes.done >= bytes.all;
        if is_written && progress.is_syncing() {
            parts.push("syncing".to_owned());
            return self.named(&parts);
        }
        // A walk says how much is left only as long as the call does nothing else.
        let only_walks = bytes.done == 0 && items.all == 0;
        let share = bytes.share().or_else(|| items.share()).or_else(|| entries.share().filter(|_| only_walks));
        parts.push(match share.filter(|share| *share >= LEAST_SHARE) {
            Some(share) => format!("{} left", time(elapsed.mul_f64((1.0 - share) / share))),
            None => time(elapsed),
        });
        self.named(&parts)
    }

    fn named(&self, parts: &[String]) -> String {
        let tool = self.tool.map(|tool| format!("{tool}: ")).unwrap_or_default();
        format!("{tool}{}", parts.join(", "))
    }
}

/// An amount of work: how much is done, and how much there is; 0 if that is unknown.
#[derive(Clone, Copy)]
struct Amount {
    done: u64,
    all: u64,
}

impl Amount {
    /// Returns the completed share; `None` if the total is unknown.
    fn share(self) -> Option<f64> {
        (self.all > 1 && self.done <= self.all).then(|| self.done as f64 / self.all as f64)
    }
}

/// Formats a duration: `20 s`, `3 min`, `2 h`.
fn time(time: Duration) -> String {
    match (time + Duration::from_millis(500)).as_secs() {
        seconds @ ..120 => format!("{} s", seconds.max(1)),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Progress, Work, Works};

    fn work(tool: Option<&'static str>, seconds: u64, (items, all): (u64, u64)) -> Work {
        let progress = Arc::new(Progress::default());
        progress.reached(items, all);
        let since = Instant::now().checked_sub(Duration::from_secs(seconds)).expect("the machine has run so long");
        Work { tool, since, progress }
    }

    #[test]
    fn what_is_left_is_what_the_rate_says() {
        let line = |turns, call| Works { turns, call }.line();
        assert_eq!(line(Some(work(None, 3, (812, 4_000))), None), "812 of 4,000, 12 s left");
        assert_eq!(line(Some(work(None, 1, (812, 4_000))), None), "", "it may end at once");
        assert_eq!(line(None, Some(work(Some("FS.Find"), 4, (0, 0)))), "FS.Find: 4 s");
        let both = line(Some(work(None, 200, (1, 2))), Some(work(Some("FS.HashFile"), 1, (0, 1))));
        assert_eq!(both, "1 of 2, 3 min left · FS.HashFile: 1 s");
        assert_eq!(line(Some(work(None, 10, (1, 100_000))), None), "1 of 100,000, 10 s", "too little to tell");
    }

    #[test]
    fn a_walk_knows_what_an_earlier_one_met() {
        let line = |met: usize, expected| {
            let call = work(Some("FS.Find"), 4, (0, 0));
            call.progress.begin_walk(expected);
            call.progress.found(met);
            Works { turns: None, call: Some(call) }.line()
        };
        assert_eq!(line(1_000, None), "FS.Find: 1,000 entries, 4 s");
        assert_eq!(line(1_000, Some(4_000)), "FS.Find: 1,000 of about 4,000 entries, 12 s left");
        assert_eq!(line(5_000, Some(4_000)), "FS.Find: 5,000 entries, 4 s", "it has grown");
    }
}
