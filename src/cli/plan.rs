//! `ns run --plan` and `ns apply`: what a run would change, shown before it is done.

use std::fs::File;
use std::io::{BufReader, BufWriter, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::path::Path;

use crate::engine::{Described, Differ, Ending, Engine, Options, Plan, Script, read_plan};
use crate::toolkit::ToolError;

use super::approve::{forget_typed, read_line};
use super::args::{Global, PlanForm, RunArgs};
use super::changes;
use super::exit::Exit;
use super::history::{report, with_engine};
use super::interrupts::catch_interrupts;
use super::page;
use super::run::finish;
use super::show::{Format, Printer, Shared};
use super::terminal::{self, report_error, say};

/// `ns run --plan`
pub fn plan((global, args, form): (&Global, &RunArgs, PlanForm), script: &Script) -> Exit {
    let engine = match super::open(&Options { atomic: args.atomic, plan: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    super::attend(&engine);
    let format = Format::for_run(global.output);
    // The plan is what standard output is for.
    let printer = if form == PlanForm::Text { Printer::new(format) } else { Printer::on_stderr(format) };
    let printer = Shared::new(printer);
    let outcome = engine.run(script, args.procedure.as_deref(), &args.args, Box::new(printer.clone()));
    let flushed = printer.flush();
    let failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
    let exit = finish(&outcome, flushed);
    drop(outcome);
    let command = format!("ns run {}", script.file_name());
    let shown = engine.plan(&command, failed).and_then(|plan| {
        let plan = plan.expect("the engine plans");
        show(&engine, &plan, form)?;
        if form != PlanForm::Text || failed || plan.changes.is_empty() || !agrees(&engine) {
            return Ok(Exit::Done);
        }
        with_apply(global, &plan)
    });
    match (exit, shown) {
        (Exit::Done, shown) => shown.unwrap_or_else(report),
        (exit, shown) => {
            let _ = shown.map_err(report);
            exit
        }
    }
}

fn show(engine: &Engine, plan: &Plan, form: PlanForm) -> Result<(), ToolError> {
    let described = match form {
        PlanForm::Json => {
            let mut output = BufWriter::new(stdout());
            let written = plan.write(&mut output).and_then(|()| Ok(output.flush()?));
            return written.map_err(|error| {
                let message = format!("the plan cannot be written: {error}");
                ToolError::new(crate::text::ToolCode::IoError, message)
                    .hint("look at what standard output is connected to, or use `--plan` without a form")
            });
        }
        PlanForm::Text | PlanForm::Html => engine.describe_plan(plan, Differ::showing(engine.watch()))?,
    };
    match form {
        PlanForm::Html => terminal::print(&page::of_plan(&plan.about.command, plan.about.failed, &described)),
        _ => terminal::print(&told(plan, &described)),
    };
    Ok(())
}

/// A plan as people see it at a terminal.
fn told(plan: &Plan, described: &[Described]) -> String {
    let paint = terminal::paint();
    let head = match (plan.changes.is_empty(), plan.about.failed) {
        (true, true) => return String::new(),
        (true, false) => return "plan: nothing would be changed\n".to_owned(),
        (false, true) => "plan: before it failed, the run would have changed\n",
        (false, false) => "plan: the run would change\n",
    };
    let mut text = format!("{head}{}\n{}", changes::tree(described, paint), changes::summary(described));
    let differences = changes::differences(described, paint);
    if !differences.is_empty() {
        text.push_str(&format!("\n{differences}"));
    }
    text
}

/// Asks at a terminal whether a plan is to be done.
fn agrees(engine: &Engine) -> bool {
    if !(stdin().is_terminal() && stderr().is_terminal() && stdout().is_terminal()) {
        return false;
    }
    forget_typed();
    loop {
        say("\nDo it? [y]es, [n]o: ");
        let Ok(Some(line)) = read_line(&engine.watch()) else { return false };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return true,
            "n" | "no" | "" => return false,
            _ => {}
        }
    }
}

/// `ns apply FILE`
pub fn apply(global: &Global, file: &Path) -> Exit {
    let name = file.display();
    let read = match file == Path::new("-") {
        true => read_plan(stdin().lock()),
        false => match File::open(file).and_then(|file| Ok((file.metadata()?.is_dir(), file))) {
            Ok((false, file)) => read_plan(BufReader::new(file).by_ref()),
            Ok((true, _)) => Err(std::io::Error::other("it is a directory").into()),
            Err(error) => Err(error.into()),
        },
    };
    match read {
        Ok(plan) => with_apply(global, &plan).unwrap_or_else(report),
        Err(error) => {
            let help = "`ns run --plan=json FILE > PLAN` writes one";
            report_error(&format!("the plan `{name}` cannot be read: {error}"), help);
            Exit::Usage
        }
    }
}

fn with_apply(global: &Global, plan: &Plan) -> Result<Exit, ToolError> {
    Ok(with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        let applied = engine.apply(plan)?;
        let changes = if applied.changes == 1 { "1 change".to_owned() } else { format!("{} changes", applied.changes) };
        match applied.by {
            Some(by) => say(&format!("done ({changes}); `ns undo {by}` takes it back\n")),
            None => say("there was nothing to do\n"),
        }
        Ok(Exit::Done)
    }))
}
