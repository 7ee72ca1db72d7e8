//! A session at a terminal: lines and blocks, their output, `:help` and `:quit`.

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::cli::{Printer, log_in_session, report_findings, undo_in_session};
use crate::engine::{Ending, Engine, Session};

const HELP: &str = "\
Type a statement, a block, or an expression to see its value.
  :help   this text
  :tools  the names of the tools
  :log    what was changed here; each line is a run of its own
  :undo   take the newest run back, or the one that is named (`:undo RUN`); :redo does it again
  :quit   leave (so does Ctrl-D)
`ns tools NAME` in a shell shows a tool, `ns explain CODE` an error.";

/// Reads and runs lines until the user leaves.
pub fn run(engine: &Engine, output: Printer) -> rustyline::Result<()> {
    let mut editor = DefaultEditor::with_config(Config::builder().auto_add_history(true).build())?;
    let mut session = engine.session(Box::new(output));
    println!("NeuroScript {}; :help helps, :quit leaves.", env!("CARGO_PKG_VERSION"));
    loop {
        match read(&mut editor, &session) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => match text.trim() {
                ":quit" | ":q" | ":exit" => return Ok(()),
                "exit" | "quit" | "exit()" | "quit()" => println!(":quit leaves"),
                ":help" | ":h" | "help" => println!("{HELP}"),
                ":tools" => {
                    engine.registry().iter().for_each(|tool| println!("{:<22} {}", tool.spec.name, tool.spec.summary))
                }
                ":log" => log_in_session(engine),
                ":undo" => undo_in_session(engine, None, false),
                ":redo" => undo_in_session(engine, None, true),
                command if command.starts_with(":undo ") => {
                    undo_in_session(engine, command.split_once(' ').map(|(_, run)| run.trim()), false);
                }
                command if command.starts_with(':') && !command.starts_with("::") => {
                    println!("there is no `{command}`; :help helps")
                }
                _ => evaluate(&mut session, &text),
            },
            Err(ReadlineError::Interrupted) => println!("(:quit leaves)"),
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Reads lines until they are complete.
fn read(editor: &mut DefaultEditor, session: &Session<'_>) -> rustyline::Result<String> {
    let mut text = editor.readline("ns> ")?;
    while session.is_unfinished(&text) {
        text.push('\n');
        text.push_str(&editor.readline("... ")?);
    }
    Ok(text)
}

fn evaluate(session: &mut Session<'_>, text: &str) {
    let outcome = session.evaluate(text);
    report_findings(&outcome.findings, session.sources());
    if outcome.ending == Ending::Interrupted {
        println!("interrupted; no variable was changed");
    }
}
