//! Asking the person at the terminal before a tool runs.

use std::io::{BufRead, IsTerminal, stderr, stdin};
use std::rc::Rc;

use crate::engine::{Approver, Engine, LimitHit, Meter, Question, Reply, Watch};
use crate::text::safe;

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
        say(&format!("\n`{}` asks to run: {}\n", question.tool, safe::name(&question.reason)));
        for line in &question.plan {
            say(&format!("  {}\n", safe::name(line)));
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

/// Forgets what was typed and not read yet.
#[cfg(unix)]
pub fn forget_typed() {
    use rustix::termios::{QueueSelector, tcflush};
    use std::time::Duration;
    // The rest of a paste is still on its way.
    for _ in 0..10 {
        // Where nothing can be forgotten, it is read as if it were typed.
        let _ = tcflush(stdin(), QueueSelector::IFlush);
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Elsewhere it is read.
#[cfg(not(unix))]
pub fn forget_typed() {}
