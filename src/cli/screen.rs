//! The line at the end of the terminal that says how far the work has come. Whatever else is printed puts it out of
//! the way first, also from another thread.

use std::io::{Write, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::value::print::shortened;

/// Time from one picture to the next.
pub const PERIOD: Duration = Duration::from_millis(100);
/// The width assumed for a terminal that does not report one.
pub const COLUMNS: u16 = 80;

/// Who draws the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The script, by `IO.Progress`.
    Script,
    /// `ns` itself, of what goes on.
    Engine,
}

/// The state of the last line of the terminal.
struct Screen {
    shown: Option<(Author, Instant)>,
    /// Whether somebody is asked there, so that nothing is drawn.
    is_asking: bool,
    /// Whether the script has drawn a line of its own, which says more.
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

/// Draws the line, no wider than the terminal, where it is not asked there and not drawn just now.
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

/// Clears the line.
pub fn clear() {
    lock().clear();
}

/// Prints something with the line out of its way.
pub fn print<T>(work: impl FnOnce() -> T) -> T {
    let mut screen = lock();
    screen.clear();
    work()
}

/// Asks somebody something: nothing is drawn meanwhile.
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

/// Clears the line at the end of a run, and forgets whether the script drew one.
pub fn end() {
    let mut screen = lock();
    screen.clear();
    screen.is_script_s = false;
}

/// That nobody reads standard error is nobody's error.
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
