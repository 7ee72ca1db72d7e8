//! `ns adopt`: shows the foreign state in `.ns`, and adopts it if the user agrees.

use std::io::{IsTerminal, stderr, stdin};

use crate::engine::{Engine, ForeignAction, ForeignRun, ForeignState, Options, Ownership, Value};
use crate::options::{Global, OutputFormat};
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::question::{Answer, asked};
use crate::terminal::report::{counted, say};
use crate::text::safe;
use crate::toolkit::ToolError;
use crate::value::Map;

use super::args::AdoptArgs;
use super::print_value::print_value;
use super::start::with_options;

/// `ns adopt`
pub fn adopt(global: &Global, args: &AdoptArgs) -> Exit {
    // Recover no run before the user has seen what is there.
    with_options(&Options { looks_only: !args.yes, makes_key: true, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let found = engine.foreign(ForeignAction::Show)?;
        if is_nothing(&found) && engine.ownership()? != Some(Ownership::Foreign) {
            report_flaws(&found);
            say("nothing in `.ns` is foreign\n");
            return Ok(Exit::Done);
        }
        let printed = print_value(global, page(global, &found)?)?;
        report_flaws(&found);
        if !args.yes && !is_agreed(engine) {
            say("nothing was done; `ns adopt --yes` takes it over, `ns gc --foreign` removes it\n");
            return Ok(printed);
        }
        let done = engine.foreign(ForeignAction::Adopt)?;
        Ok(report(&done))
    })
}

fn is_nothing(found: &ForeignState) -> bool {
    found.runs.is_empty() && found.kept.foreign.kept.things == 0
}

fn is_agreed(engine: &Engine) -> bool {
    let is_somebody_there = stdin().is_terminal() && stderr().is_terminal();
    is_somebody_there && asked(engine, "take it over, so that it counts as yours? [y/N] ") == Answer::Yes
}

/// Reports what was adopted and what was skipped.
fn report(done: &ForeignState) -> Exit {
    let left = done.runs.iter().filter_map(|run| Some((run, run.flaw.as_ref()?)));
    let mut count = done.runs.len();
    for (run, flaw) in left {
        count -= 1;
        say(&format!("warning: the run {} was left alone: {}\n", safe::name(&run.run), safe::name(flaw)));
    }
    for failure in &done.kept.failures {
        say(&format!("warning: {}; it was left alone\n", safe::name(&failure.to_string())));
    }
    let unfinished = done.runs.iter().filter(|run| run.flaw.is_none() && !run.has_ended).count();
    say(&format!(
        "{} and {} were taken over\n",
        counted(count, "run"),
        counted(done.kept.foreign.gone.things as usize, "kept file")
    ));
    if unfinished > 0 {
        say(&format!("{} did not end; the next `ns` here brings them to an end\n", counted(unfinished, "run")));
    }
    if count == done.runs.len() && done.kept.failures.is_empty() { Exit::Done } else { Exit::Failed }
}

fn report_flaws(found: &ForeignState) {
    for flaw in &found.kept.flaws {
        say(&format!("warning: {}; it is left alone\n", safe::name(&flaw.to_string())));
    }
}

/// Returns the foreign runs and backups as a value to print.
fn page(global: &Global, found: &ForeignState) -> Result<Value, ToolError> {
    let runs = Value::list(found.runs.iter().map(row_of_run).collect::<Result<_, _>>()?)?;
    let kept = found.kept.foreign.kept;
    let kept_row = Map::with_capacity(2).with("files", kept.things as i64).with("bytes", kept.bytes as i64);
    let page = Map::with_capacity(2).with("runs", runs).with("kept", Value::from(kept_row));
    if !matches!(global.output, OutputFormat::Json) {
        say("what follows is foreign: your key did not seal it for this directory, and it says so itself\n");
    }
    Ok(page.into())
}

fn row_of_run(run: &ForeignRun) -> Result<Value, ToolError> {
    let paths = Value::list(run.paths.iter().map(|path| Value::text(&path.display())).collect())?;
    let state = match (&run.flaw, run.has_ended) {
        (Some(flaw), _) => format!("cannot be taken over: {flaw}"),
        (None, true) => "ended".to_owned(),
        (None, false) => "did not end".to_owned(),
    };
    let row = Map::with_capacity(5).with("run", run.run.as_str()).with("command", run.command.as_str());
    Ok(row.with("steps", run.steps as i64).with("state", state.as_str()).with("paths", paths).into())
}
