//! `ns run --plan`, `ns apply` and `:plan`: show the changes of a run or a session before they are applied.

use std::io::{BufReader, BufWriter, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::path::Path;

use crate::engine::{
    Applied, Described, Differ, Ending, Engine, Invocation, Options, Plan, Script, outside, read_plan, short_name,
};
use crate::toolkit::ToolError;

use super::approve::{forget_typed, read_line};
use super::args::{Global, PlanForm, RunArgs};
use super::changes::{self, Paint};
use super::doctor::kernel_sandbox;
use super::exit::Exit;
use super::history::{report, with_engine};
use super::input::open_input;
use super::interrupts::catch_interrupts;
use super::page;
use super::run::finish;
use super::sandbox_hint::with_root;
use super::show::{Format, Printer, Shared};
use super::terminal::{self, counted, report_error, say};

/// The warning before a plan is applied that is not sealed by this user's key.
const NOT_AS_MADE: &str = "warning: the plan is not as `ns` made it for you here: it was edited, or another user, program or folder made it; it does what it says, within the policy";

/// `ns run --plan`
pub fn plan((global, args, form): (&Global, &RunArgs, PlanForm), script: &Script, invocation: &Invocation) -> Exit {
    let opened =
        super::settle().and_then(|()| super::open(&Options { atomic: args.atomic, plan: true, ..global.options() }));
    let engine = match opened.and_then(|engine| super::attend(&engine, global).map(|()| engine)) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if args.verbose {
        say(&format!("{}\n", kernel_sandbox(&engine)));
    }
    let format = Format::for_run(global.output);
    // A plan in another form occupies standard output.
    let printer = if form == PlanForm::Text { Printer::new(format) } else { Printer::on_stderr(format) };
    let printer = Shared::new(printer);
    let mut outcome = engine.run(script, invocation, Box::new(printer.clone()));
    let flushed = printer.flush();
    let failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
    outcome.findings = with_root(&outcome.findings, engine.gate().root.path());
    let exit = finish(&outcome, flushed);
    if outcome.ending == Ending::Misused {
        return exit;
    }
    drop(outcome);
    let command = invocation.listed(script, &format!("ns run {}", script.file_name()));
    let shown = engine.plan(&command, failed).and_then(|plan| {
        let plan = plan.expect("the engine plans");
        show(&engine, &plan, form)?;
        let is_asked = form == PlanForm::Text && !failed && !plan.changes.is_empty() && is_somebody_there();
        if is_asked && asked(&engine, "Do it? [y]es, [n]o: ") == Answer::Yes {
            // The lockdown of this process forbids changes; another thread with its own lockdown applies the plan.
            let global = global.clone();
            Ok(outside(move || with_apply(&global, &plan)))
        } else {
            Ok(Exit::Done)
        }
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
        _ => terminal::print(&render_plan(plan, &described)),
    };
    Ok(())
}

/// Formats a plan for a terminal.
fn render_plan(plan: &Plan, described: &[Described]) -> String {
    let paint = terminal::paint();
    let head = match (plan.changes.is_empty(), plan.about.failed) {
        (true, true) => return String::new(),
        (true, false) => return "plan: nothing would be changed\n".to_owned(),
        (false, true) => "plan: before it failed, the run would have changed\n",
        (false, false) => "plan: the run would change\n",
    };
    format!("{head}{}", told_of(described, paint))
}

fn told_of(described: &[Described], paint: Paint) -> String {
    let mut text = format!("{}\n{}", changes::tree(described, paint), changes::summary(described));
    let differences = changes::differences(described, paint);
    if !differences.is_empty() {
        text.push_str(&format!("\n{differences}"));
    }
    text
}

/// Shows the current plan of a session.
pub(crate) fn show_plan_in_session(engine: &Engine, plan: &Plan) -> Result<(), ToolError> {
    if plan.changes.is_empty() {
        say("plan: nothing would be changed\n");
        return Ok(());
    }
    let described = engine.describe_plan(plan, Differ::showing(engine.watch()))?;
    // A closed output is not an error.
    let _ = terminal::print(&format!("plan: this would be changed\n{}", told_of(&described, terminal::paint())));
    Ok(())
}

/// Shows the planned changes of an undo or a redo.
pub(super) fn show_plan_of(engine: &Engine, plan: &Plan) -> Result<(), ToolError> {
    if plan.changes.is_empty() {
        say("nothing would be changed\n");
        return Ok(());
    }
    let described = engine.describe_plan(plan, Differ::counting(engine.watch()))?;
    terminal::print(&format!("{}\n{}", changes::tree(&described, terminal::paint()), changes::summary(&described)));
    Ok(())
}

fn is_somebody_there() -> bool {
    stdin().is_terminal() && stderr().is_terminal() && stdout().is_terminal()
}

/// The answer of the person at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Apply.
    Yes,
    /// Do not apply.
    No,
    /// Ctrl-C.
    Interrupted,
    /// The end of the input.
    Nobody,
}

/// Asks the person at the terminal. Discards input that was typed before the question.
pub(crate) fn asked(engine: &Engine, question: &str) -> Answer {
    forget_typed(false);
    loop {
        say(&format!("\n{question}"));
        let line = match read_line(&engine.watch()) {
            Ok(Some(line)) => line,
            Ok(None) => return Answer::Nobody,
            Err(_) => return Answer::Interrupted,
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Answer::Yes,
            "n" | "no" | "" => return Answer::No,
            _ => {}
        }
    }
}

/// `ns apply FILE`
pub fn apply(global: &Global, file: &Path) -> Exit {
    let name = file.display();
    if let Err(exit) = super::settle() {
        return exit;
    }
    let read = match file == Path::new("-") {
        true => read_plan(stdin().lock()),
        false if file.is_dir() => Err(std::io::Error::other("it is a directory").into()),
        false => match open_input(file) {
            Ok(input) => read_plan(BufReader::new(input).by_ref()),
            Err(error) => Err(error.into()),
        },
    };
    match read {
        Ok(plan) => with_apply(global, &plan),
        Err(error) => {
            let help = "`ns run --plan=json FILE > PLAN` writes one";
            report_error(&format!("the plan `{name}` cannot be read: {error}"), help);
            Exit::Usage
        }
    }
}

fn with_apply(global: &Global, plan: &Plan) -> Exit {
    with_engine(global, |engine| {
        catch_interrupts(engine.interrupt());
        if !engine.made(plan) {
            say(&format!("{NOT_AS_MADE}\n"));
        }
        let applied = engine.apply(plan)?;
        say_applied(&applied);
        Ok(Exit::Done)
    })
}

/// Reports that a plan was applied.
pub(crate) fn say_applied(applied: &Applied) {
    let changes = counted(applied.changes, "change");
    match applied.by.as_deref().map(short_name) {
        Some(by) => say(&format!("done ({changes}); `ns undo {by}` takes it back\n")),
        None => say("there was nothing to do\n"),
    }
}
