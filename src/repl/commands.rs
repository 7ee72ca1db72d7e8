//! Commands of a session: lines that begin with a colon.

use crate::terminal::in_force::in_force;
use crate::text::nearest;

use super::{Repl, history};

/// Whether the session continues after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Read the next entry.
    On,
    /// Leave the session.
    Leave,
}

/// A command: its name and the text that follows the name.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    pub name: &'a str,
    pub rest: &'a str,
}

/// The commands: name, arguments, description.
pub const COMMANDS: [(&str, &str, &str); 20] = [
    (
        "help",
        "[TOPIC]",
        "this list, or a page about a tool, statement, function or code, with an example; or search by purpose: `:help rename`",
    ),
    ("tools", "[PATTERN]", "the tools whose names contain a text, or match a pattern with `*`"),
    ("vars", "", "the variables"),
    ("procs", "", "the procedures, and those of modules"),
    ("type", "EXPR", "the type of a value"),
    ("time", "LINE", "how long a line takes, and how many steps"),
    ("out", "[N]", "the results so far; or one of them in full, which becomes `LAST`"),
    ("load", "FILE", "run a script here, so that its variables and procedures stay"),
    ("break", "[LINE|PROCEDURE|off]", "stop there when a script or line runs; the breakpoints; remove them"),
    ("step", "FILE|LINE", "run a script or a line, and stop before its first statement"),
    ("save", "FILE", "write the lines that were run so far to a new script"),
    ("reset", "", "forget variables, procedures and results"),
    ("log", "", "the runs that changed the sandbox; each line is a separate run"),
    ("show", "[RUN]", "show the changes of the newest run, or of the one given"),
    ("undo", "[RUN]", "undo the newest run, or the one given"),
    ("redo", "[RUN]", "redo the run that was undone last, or the one given"),
    ("plan", "[on|off]", "collect changes instead of making them; show them; apply or discard them"),
    ("policy", "", "the sandbox, the policy and the limits in force"),
    ("clear", "", "clear the screen"),
    ("quit", "", "leave; so does Ctrl-D"),
];

/// Help on typing lines, shown below the list of commands.
pub const KEYS: &str = "\
Type a statement, a block, or an expression to see its value, which `LAST` is
then. Tab completes, Up in a block brings its lines back, Ctrl-R searches what
was typed, Ctrl-C clears the line or stops the script, twice it leaves. A line
that begins with a blank is not kept.";

/// Additional text of `:help plan`.
const PLANNING: &str = "
  :plan on   from now on, lines see their changes, but the disk stays as it is
  :plan      shows the changes so far: a tree with marks, and differences
  :plan off  shows them and asks: yes makes exactly these changes, as one run
             that `:undo` undoes; no discards them; Ctrl-C continues the plan

  Variables are kept throughout. `:undo` and `:log` also work on the runs of the
  plan. Changes of project memory are not part of a plan.";

/// Additional text of `:help break` and `:help step`.
const STEPPING: &str = "
  :break 12      stop before line 12 of a script that :load or :step runs
  :break Tidy    stop in the procedure `Tidy`
  :break off     remove all breakpoints
  :step tidy.ns  run a script, and stop before its first statement
  :step Tidy(1)  run a line, and stop before it

  At a stop, the prompt is `debug>`, and other commands hold; `:help` there lists
  them.";

/// The text of `:help` at a stop.
pub const AT_STOP: &str = "\
At a stop, an expression shows its value, `SET name = expression` changes a
variable, and these commands hold:
  :step         to the next statement, also in a procedure
  :next         to the next statement, over calls
  :out          to the end of the procedure
  :continue     to the next breakpoint
  :back         before the previous change of a file, which is taken back;
                :step and :continue make it again
  :where        the line, and the calls that led to it
  :vars         the variables
  :break 12     stop before line 12 of the script, too
  :break Tidy   stop in the procedure `Tidy`, too
  :break        the breakpoints
  :break off    remove all breakpoints
  :quit         end the run
An empty line repeats the last move.";

/// Parses a text as a command. Returns `None` if it is not one.
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

/// Splits a text that was typed or pasted at once into commands and the lines between them. A line inside an open block
/// is never a command.
pub fn pieces(text: &str, is_open: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if name_in(line).is_some() && (text[begin..at].trim().is_empty() || !is_open(&text[begin..at])) {
            pieces.extend([&text[begin..at], line]);
            begin = end;
        }
        at = end;
    }
    pieces.push(&text[begin..]);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// Returns the byte offset at which the command's name ends, or `None` if the line is not a command.
pub fn name_in(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let command = line[start..].strip_prefix(':').filter(|command| !command.starts_with(':'))?;
    Some(line.len() - command.len() + command.find(char::is_whitespace).unwrap_or(command.len()))
}

/// Resolves a name to a command: a full name, an alias or an unambiguous prefix.
pub fn full_name(name: &str) -> Option<&'static str> {
    let short = match name {
        "q" | "exit" => "quit",
        "h" | "?" | "doc" => "help",
        name => name,
    };
    let mut beginning = COMMANDS.iter().map(|(known, ..)| *known).filter(|known| known.starts_with(short));
    let found = COMMANDS.iter().map(|(known, ..)| *known).find(|known| *known == short);
    found.or_else(|| beginning.next().filter(|_| beginning.next().is_none() && !short.is_empty()))
}

/// Returns the usage and the description of a command.
pub fn usage(name: &str) -> String {
    let found = COMMANDS.iter().find(|(known, ..)| *known == name);
    let more = match name {
        "plan" => PLANNING,
        "break" | "step" => STEPPING,
        _ => "",
    };
    found
        .map_or_else(String::new, |(name, rest, what)| format!(":{name} {rest}\n  {what}\n{more}").replace(" \n", "\n"))
}

impl Repl<'_> {
    /// Executes a command.
    pub fn command(&mut self, command: Command<'_>) -> Flow {
        let Command { name, rest } = command;
        // Discard a Ctrl-C that came too late for the previous line.
        self.engine.interrupt().clear();
        let Some(known) = full_name(name) else {
            let near = nearest(name, COMMANDS.iter().map(|(known, ..)| *known));
            let help = near.map_or(":help lists the commands".to_owned(), |near| format!("did you mean `:{near}`?"));
            self.print(&format!("there is no `:{name}`; {help}"));
            return Flow::On;
        };
        let run = Some(rest).filter(|rest| !rest.is_empty());
        match (known, run) {
            ("quit", _) => return Flow::Leave,
            ("help", topic) => self.help(topic),
            ("tools", pattern) => self.tools(pattern.unwrap_or_default()),
            ("vars", _) => self.variables(),
            ("procs", _) => self.procedures(),
            ("out", number) => self.out(number),
            ("reset", _) => self.reset(),
            ("log", _) => history::log(self.session.borrow().engine()),
            ("show", run) => history::show(self.session.borrow().engine(), run),
            ("undo", run) => self.undo(run, false),
            ("redo", run) => self.undo(run, true),
            ("plan", what) => self.plan(what),
            ("policy", _) => self.print(&in_force(self.engine)),
            ("clear", _) => self.clear(),
            ("type", Some(text)) => self.type_of(text),
            ("time", Some(text)) => self.time(text),
            ("load", Some(file)) => self.load(file),
            ("break", what) => self.break_at(what),
            ("step", Some(what)) => self.step(what),
            ("save", Some(file)) => self.save(file),
            (known, _) => self.print(&usage(known)),
        }
        Flow::On
    }
}
