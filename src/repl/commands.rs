//! What begins with a colon.

use crate::cli::{log_in_session, undo_in_session};
use crate::text::nearest;

use super::Repl;

/// What comes after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// The next entry.
    On,
    /// Nothing.
    Leave,
}

/// A command and what stands behind its name.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    name: &'a str,
    rest: &'a str,
}

const HELP: &str = "\
Type a statement, a block, or an expression to see its value.
  :help   this text
  :tools  the names of the tools
  :log    what was changed here; each line is a run of its own
  :undo   take the newest run back, or the one that is named (`:undo RUN`); :redo does it again
  :quit   leave (so does Ctrl-D)
`ns tools NAME` in a shell shows a tool, `ns explain CODE` an error.";

const NAMES: [&str; 6] = ["help", "tools", "log", "undo", "redo", "quit"];

/// The command that a text is, if it is one.
pub fn of(text: &str) -> Option<Command<'_>> {
    let text = text.trim();
    match text {
        "exit" | "quit" | "exit()" | "quit()" => return Some(Command { name: "quit", rest: "" }),
        "help" | "help()" => return Some(Command { name: "help", rest: "" }),
        _ => {}
    }
    let command = text.strip_prefix(':').filter(|command| !command.starts_with(':'))?;
    let (name, rest) = command.split_once(|c: char| c.is_whitespace()).unwrap_or((command, ""));
    Some(Command { name, rest: rest.trim() })
}

/// Where the name of the command ends that a line is, if it is one.
pub fn name_in(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let command = line[start..].strip_prefix(':').filter(|command| !command.starts_with(':'))?;
    Some(line.len() - command.len() + command.find(char::is_whitespace).unwrap_or(command.len()))
}

impl Repl<'_> {
    /// Does what a command says.
    pub fn command(&mut self, command: Command<'_>) -> Go {
        let Command { name, rest } = command;
        match name {
            "quit" | "q" | "exit" => return Go::Leave,
            "help" | "h" | "?" => self.print(HELP),
            "tools" => {
                let rows =
                    self.engine.registry().iter().map(|tool| format!("{:<22} {}", tool.spec.name, tool.spec.summary));
                self.print(&rows.collect::<Vec<_>>().join("\n"));
            }
            "log" => log_in_session(self.engine),
            "undo" => undo_in_session(self.engine, Some(rest).filter(|run| !run.is_empty()), false),
            "redo" => undo_in_session(self.engine, None, true),
            unknown => match nearest(unknown, NAMES) {
                Some(near) => self.print(&format!("there is no `:{unknown}`; did you mean `:{near}`?")),
                None => self.print(&format!("there is no `:{unknown}`; :help lists the commands")),
            },
        }
        Go::On
    }

    fn print(&self, text: &str) {
        // That nobody reads it is nobody's error.
        let _ = self.printer.print_line(text).and_then(|()| self.printer.flush());
    }
}
