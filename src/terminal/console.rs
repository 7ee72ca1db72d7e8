//! The console of scripts: standard input line by line, and a progress line on standard error.

use std::cell::RefCell;
use std::io::{IsTerminal, Read, stderr, stdin};
use std::rc::Rc;

use crate::engine::{Console, Engine, InputFault, Meter};
use crate::text::colors::ColorKey;
use crate::text::safe;

use super::keyboard::wait;
use super::paint::{Paint, color_key, paint};
use super::printer::Format;
use super::report::say;
use super::screen::{self, Author};

/// Size of a read, in bytes.
const PIECE: usize = 64 << 10;

/// Lets scripts read standard input and show their progress.
///
/// `format` is that of the output, which has colours if it is shown to a person.
pub fn connect_console(engine: &Engine, format: Format) {
    let has_colors = format == Format::Raw && paint() == Paint::Colored;
    engine.set_console(Rc::new(Streams { pending: RefCell::default(), has_colors }));
}

struct Streams {
    /// Data read beyond the last line, and the offset at which the unread part begins.
    pending: RefCell<(Vec<u8>, usize)>,
    has_colors: bool,
}

impl Console for Streams {
    fn read_line(&self, prompt: &str, most: usize, meter: &Meter) -> Result<Option<String>, InputFault> {
        if !prompt.is_empty() && stdin().is_terminal() && stderr().is_terminal() {
            say(&safe::name(prompt));
        }
        screen::ask(|| self.next_line(most, meter))
    }

    fn show(&self, line: Option<&str>) {
        match line {
            None => screen::clear(),
            Some(line) if stderr().is_terminal() => screen::draw(Author::Script, &safe::name(line)),
            Some(_) => {}
        }
    }

    fn color_key(&self) -> Option<&'static ColorKey> {
        self.has_colors.then(color_key)
    }
}

impl Streams {
    fn next_line(&self, most: usize, meter: &Meter) -> Result<Option<String>, InputFault> {
        let mut line = Vec::new();
        loop {
            let (pending, from) = &mut *self.pending.borrow_mut();
            let new = &pending[*from..];
            let end = memchr::memchr(b'\n', new);
            if line.len() + end.unwrap_or(new.len()) > most {
                return Err(InputFault::TooLong);
            }
            line.extend_from_slice(&new[..end.unwrap_or(new.len())]);
            if let Some(end) = end {
                *from += end + 1;
                return Ok(Some(text(line)));
            }
            pending.resize(PIECE, 0);
            *from = 0;
            let length = read(pending, meter).inspect_err(|_| pending.clear())?;
            pending.truncate(length);
            if length == 0 {
                return Ok((!line.is_empty()).then(|| text(line)));
            }
        }
    }
}

/// Removes the progress line from the terminal at the end of the run.
impl Drop for Streams {
    fn drop(&mut self) {
        screen::end();
    }
}

fn read(piece: &mut [u8], meter: &Meter) -> Result<usize, InputFault> {
    loop {
        wait(&meter.watch()).map_err(InputFault::Limit)?;
        match stdin().lock().read(piece) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(InputFault::Io(error)),
            Ok(length) => return Ok(length),
        }
    }
}

/// Converts a line to text: strips a trailing CR, and replaces invalid UTF-8 with U+FFFD.
fn text(mut line: Vec<u8>) -> String {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
