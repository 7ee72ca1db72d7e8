//! The progress line at the bottom of the terminal. All other output, from any thread, first clears it.

use std::io::{Write, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::value::print::shortened;

/// Interval between redraws.
pub const PERIOD: Duration = Duration::from_millis(100);
/// The width assumed for a terminal that does not report one.
pub const COLUMNS: u16 = 80;

/// The author of the progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The script, through `IO.Progress`.
    Script,
    /// `ns` itself.
    Engine,
}

/// The state of the last line of the terminal.
struct Screen {
    shown: Option<(Author, Instant)>,
    /// Whether a question is being asked, so that nothing may be drawn.
    is_asking: bool,
    /// Whether the script has drawn a line. It takes precedence because it says more.
    is_script_s: bool,
}

static SCREEN: Mutex<Screen> = Mutex::new(Screen { shown: None, is_asking: false, is_script_s: false });

fn lock() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    fn clear(&mut self) {
        if self.shown.take().is_some() {
            write("\r\x1b[K");
        }
    }
}

/// Draws the line, limited to the width of the terminal. Does nothing while a question is asked, or within [`PERIOD`]
/// of the last redraw.
pub fn draw(author: Author, line: &str) {
    let mut screen = lock();
    screen.is_script_s |= author == Author::Script;
    let is_fresh = screen.shown.is_some_and(|(of, at)| of == author && at.elapsed() < PERIOD);
    if is_fresh || screen.is_asking || screen.is_script_s && author == Author::Engine {
        return;
    }
    write(&format!("\r{}\x1b[K", shortened(line, columns().saturating_sub(2))));
    screen.shown = Some((author, Instant::now()));
}

/// Clears the whole screen; lines that have scrolled out of it stay.
pub const CLEARED: &str = "\x1b[H\x1b[2J";

/// Whether the terminal understands escape sequences.
pub fn is_capable() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal != "dumb" && !terminal.is_empty())
}

/// Clears the line.
pub fn clear() {
    lock().clear();
}

/// Clears the line, and prints while no other thread can draw.
pub fn print<T>(work: impl FnOnce() -> T) -> T {
    let mut screen = lock();
    screen.clear();
    work()
}

/// Asks a question; nothing is drawn meanwhile.
pub fn ask<T>(work: impl FnOnce() -> T) -> T {
    let asks = |is_asking| {
        let mut screen = lock();
        screen.clear();
        screen.is_asking = is_asking;
    };
    asks(true);
    let answer = work();
    asks(false);
    answer
}

/// Clears the line at the end of a run, and resets its state.
pub fn end() {
    let mut screen = lock();
    screen.clear();
    screen.is_script_s = false;
}

/// A closed standard error is not an error.
fn write(text: &str) {
    let _ = stderr().lock().write_all(text.as_bytes());
}

fn columns() -> usize {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col);
    #[cfg(not(unix))]
    let columns = 0;
    usize::from(if columns == 0 { COLUMNS } else { columns })
}
