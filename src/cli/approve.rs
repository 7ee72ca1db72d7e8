//! Asking the person at the terminal before a tool runs.

use std::io::{BufRead, IsTerminal, stderr, stdin};
use std::rc::Rc;

use crate::engine::{Approver, Engine, LimitHit, Meter, Question, Reply, Watch};
use crate::text::safe;

use super::screen;
use super::terminal::say;

/// The person at the terminal.
struct Terminal;

/// Lets an engine ask, where somebody reads standard error and types standard input.
pub fn ask_at_terminal(engine: &Engine) {
    if stdin().is_terminal() && stderr().is_terminal() {
        engine.set_approver(Rc::new(Terminal));
    }
}

impl Approver for Terminal {
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
        screen::ask(|| ask(question, meter))
    }
}

fn ask(question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
    say(&format!("\n`{}` asks to run: {}\n", question.tool, safe::name(&question.reason)));
    for line in &question.plan {
        say(&format!("  {}\n", safe::name(line)));
    }
    if !question.can_always {
        say("  an answer holds for this run at most: no policy file of yours alone lifts what asks\n");
    }
    let always = if question.can_always { "[a]lways, " } else { "" };
    loop {
        say(&format!("[o]nce, this [r]un, {always}[n]ever? "));
        let Some(line) = read_line(&meter.watch())? else { return Ok(Reply::Never) };
        match line.trim().to_ascii_lowercase().as_str() {
            "o" | "once" => return Ok(Reply::Once),
            "r" | "run" | "this run" => return Ok(Reply::Run),
            "a" | "always" if question.can_always => return Ok(Reply::Always),
            "n" | "never" | "no" => return Ok(Reply::Never),
            _ => {}
        }
    }
}

/// A line that is typed; none at the end of the input. The run's clock and Ctrl-C go on counting.
pub fn read_line(watch: &Watch) -> Result<Option<String>, LimitHit> {
    wait(watch)?;
    let mut line = String::new();
    // A terminal gives one line at a time, so none is left behind in the buffer.
    match stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => Ok(None),
        Ok(_) => Ok(Some(line)),
    }
}

/// Waits until there is something to read.
#[cfg(unix)]
pub fn wait(watch: &Watch) -> Result<(), LimitHit> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const TURN: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    loop {
        watch.poll()?;
        let input = stdin();
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&TURN)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return Ok(()),
        }
    }
}

/// Elsewhere reading itself waits.
#[cfg(not(unix))]
pub fn wait(watch: &Watch) -> Result<(), LimitHit> {
    watch.poll()
}

/// Whether something is there to be read from standard input.
#[cfg(unix)]
pub fn is_input_waiting() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = stdin();
    poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Elsewhere nobody knows.
#[cfg(not(unix))]
pub fn is_input_waiting() -> bool {
    false
}

/// Forgets what was typed and not read yet: the rest of a paste up to its end mark, else what comes at once.
#[cfg(unix)]
pub fn forget_typed(is_paste: bool) {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let input = stdin();
    let Ok(before) = tcgetattr(&input) else { return };
    let mut raw = before.clone();
    raw.make_raw();
    // As it comes and not line by line, and without being shown.
    if tcsetattr(&input, OptionalActions::Now, &raw).is_ok() {
        read_away(is_paste);
        // A terminal that is gone says so when it is read next.
        let _ = tcsetattr(&input, OptionalActions::Now, &before);
    }
}

/// Reads until nothing comes any more, for some seconds at most.
#[cfg(unix)]
fn read_away(is_paste: bool) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::time::{Duration, Instant};
    const END: &[u8] = b"\x1b[201~";
    let silence = Timespec { tv_sec: i64::from(is_paste), tv_nsec: 100_000_000 };
    let (input, begin) = (stdin(), Instant::now());
    let (mut bytes, mut last) = ([0; 4096], Vec::new());
    while begin.elapsed() < Duration::from_secs(10)
        && poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&silence)).is_ok_and(|ready| ready > 0)
    {
        let Ok(count @ 1..) = rustix::io::read(&input, &mut bytes) else { return };
        last.extend_from_slice(&bytes[..count]);
        if is_paste && last.windows(END.len()).any(|part| part == END) {
            return;
        }
        last.drain(..last.len().saturating_sub(END.len() - 1));
    }
}

/// Elsewhere it is read.
#[cfg(not(unix))]
pub fn forget_typed(_is_paste: bool) {}
