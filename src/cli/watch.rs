//! `--watch`: a command that is repeated whenever a file that it reads changes, until Ctrl-C or until nobody reads its
//! output any more.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{IsTerminal, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use crate::terminal::exit::Exit;
use crate::terminal::interrupts::on_interrupt;
use crate::terminal::report::{report_error, say};
use crate::terminal::screen::{CLEARED, is_capable};
use crate::watch::{EntryFilter, Replacement, Watcher};

/// A command that is repeated.
pub struct WatchedCommand<'a> {
    /// The command line without options, for messages.
    pub name: &'static str,
    /// The files and directories on the command line.
    pub named: &'a [PathBuf],
    /// The entries of named directories that are watched.
    pub filter: EntryFilter,
    /// Whether people read the output; it is then cleared on a terminal.
    pub is_for_people: bool,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
}

/// The result of one round.
#[derive(Default)]
pub struct Round {
    /// Further paths that the round depended on.
    pub used: BTreeSet<PathBuf>,
    /// Files that the round has replaced.
    pub replaced: Vec<Replacement>,
    /// Selects other files that the round may have written, by their names.
    pub is_written: Option<fn(&OsStr) -> bool>,
}

/// Runs a round now and after every change of the named files, of those in named directories, and of those that the
/// last round used.
pub fn watch(command: &WatchedCommand<'_>, mut round: impl FnMut() -> Round) -> Exit {
    if command.named.iter().any(|path| path == Path::new("-")) {
        let help = format!("name files or folders, or leave out `--watch`: `{} -`", command.name);
        report_error("standard input cannot be watched", &help);
        return Exit::Usage;
    }
    let clears = command.is_for_people && stdout().is_terminal() && stderr().is_terminal() && is_capable();
    let mut watcher = Watcher::new(command.filter);
    let mut used = BTreeSet::new();
    let is_over = || command.stop.load(Ordering::Relaxed) || is_output_closed();
    loop {
        let since = SystemTime::now();
        watcher.begin(command.named.iter().cloned().collect(), used);
        if clears {
            say(CLEARED);
        }
        let done = round();
        watcher.add(&done.used, since);
        watcher.accept(&done.replaced);
        if let Some(is_written) = done.is_written {
            watcher.accept_all(is_written);
        }
        if !is_over() {
            say("waiting for changes; Ctrl-C ends it\n");
        }
        if !watcher.wait(is_over) {
            // A closed output is not an error.
            return if command.stop.load(Ordering::Relaxed) { Exit::Interrupted } else { Exit::Done };
        }
        used = done.used;
    }
}

/// Returns the flag that Ctrl-C sets. A second Ctrl-C within a second ends the process.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = stop.clone();
    on_interrupt(move || raised.store(true, Ordering::Relaxed));
    stop
}

/// Whether standard output is a pipe or socket that nobody reads any more.
#[cfg(unix)]
pub fn is_output_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let output = stdout();
    let mut ends = [PollFd::new(&output, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut ends, Some(&at_once)).is_ok_and(|ready| ready > 0)
        && ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
pub fn is_output_closed() -> bool {
    false
}
