//! `ns run --plan` and `ns apply`: show the changes of a run before they are applied.

use std::io::{BufReader, BufWriter, IsTerminal, Write, stderr, stdin, stdout};
use std::path::Path;

use crate::engine::{Described, Differ, Ending, Engine, Invocation, Options, Plan, Script, outside, read_plan};
use crate::options::Global;
use crate::terminal::changes;
use crate::terminal::exit::Exit;
use crate::terminal::in_force::kernel_sandbox;
use crate::terminal::input_file::open_input;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::paint::paint;
use crate::terminal::printer::{Format, Printer, Shared};
use crate::terminal::question::{Answer, asked};
use crate::terminal::report::{print, report_error, report_failure, say};
use crate::terminal::runs::say_applied;
use crate::terminal::sandbox_hint::with_root;
use crate::text::safe;
use crate::toolkit::ToolError;

use super::args::{PlanForm, RunArgs};
use super::finish::finish;
use super::page;
use super::start::{attend, open, settle, with_engine};

/// Warning about a plan that this user's key did not seal, before it is applied.
const NOT_AS_MADE: &str = "warning: the plan is not as `ns` made it for you here: it was edited, or another user, program or folder made it; it does what it says, within the policy";

/// The heading of the calls that were refused.
pub const REFUSED: &str = "refused while it was planned";

/// The settings of a run that only plans.
pub struct PlanRun<'a> {
    /// Options of all commands.
    pub global: &'a Global,
    /// Arguments of `ns run`.
    pub args: &'a RunArgs,
    /// The form of the plan.
    pub form: PlanForm,
}

/// `ns run --plan`
pub fn plan(PlanRun { global, args, form }: PlanRun<'_>, script: &Script, invocation: &Invocation) -> Exit {
    let opened = settle().and_then(|()| open(&Options { atomic: args.atomic, plan: true, ..global.options() }));
    let engine = match opened.and_then(|engine| attend(&engine, global).map(|()| engine)) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if args.verbose {
        say(&format!("{}\n", kernel_sandbox(&engine)));
    }
    let format = Format::for_run(global.output);
    // A plan in another form occupies standard output.
    let printer = if form == PlanForm::Text { Printer::new(format) } else { Printer::on_stderr(format) };
    let printer = Shared::new(printer.warning_of_script(!global.quiet));
    let mut outcome = engine.run(script, invocation, Box::new(printer.clone()));
    let flushed = printer.flush();
    let failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
    outcome.findings = with_root(&outcome.findings, engine.gate().root().path());
    let exit = finish(&outcome, flushed);
    if outcome.ending == Ending::Misused {
        return exit;
    }
    drop(outcome);
    let command = engine.listed_command(script, invocation);
    let shown = engine.plan(&command, failed).and_then(|plan| {
        let plan = plan.expect("the engine plans");
        show(&engine, &plan, form)?;
        let is_asked = form == PlanForm::Text && !failed && !plan.changes.is_empty() && is_somebody_there();
        Ok(if is_asked { ask(&engine, global, plan) } else { Exit::Done })
    });
    match (exit, shown) {
        (Exit::Done, shown) => shown.unwrap_or_else(report_failure),
        (exit, shown) => {
            let _ = shown.map_err(report_failure);
            exit
        }
    }
}

/// Asks whether to apply a plan, and applies it. No answer is a no.
fn ask(engine: &Engine, global: &Global, plan: Plan) -> Exit {
    match asked(engine, "Do it? [y]es, [n]o: ") {
        Answer::Yes => {
            // The lockdown of this process forbids changes; another thread with its own lockdown applies the plan.
            let global = global.clone();
            outside(move || with_apply(&global, &plan))
        }
        Answer::No => Exit::Done,
        Answer::Nobody => {
            say("\n");
            Exit::Done
        }
        Answer::Interrupted => {
            say("\n");
            Exit::Interrupted
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
        PlanForm::Html => print(&page::of_plan(&plan.about, &described)),
        _ => print(&render_plan(plan, &described)),
    };
    Ok(())
}

/// Formats a plan for a terminal.
fn render_plan(plan: &Plan, described: &[Described]) -> String {
    let refused = render_refused(plan);
    let head = match (plan.changes.is_empty(), plan.about.failed) {
        (true, true) => return refused,
        (true, false) => return format!("plan: nothing would be changed\n{refused}"),
        (false, true) => "plan: before it failed, the run would have changed\n",
        (false, false) => "plan: the run would change\n",
    };
    format!("{head}{}{refused}", changes::page(described, paint()))
}

/// Formats the calls that were refused while the plan was made.
fn render_refused(plan: &Plan) -> String {
    let lines = plan.about.refused.lines().map(|line| format!("  {}\n", safe::name(&line)));
    if plan.about.refused.is_empty() { String::new() } else { format!("{REFUSED}:\n{}", lines.collect::<String>()) }
}

fn is_somebody_there() -> bool {
    stdin().is_terminal() && stderr().is_terminal() && stdout().is_terminal()
}

/// `ns apply FILE`
pub fn apply(global: &Global, file: &Path) -> Exit {
    let name = file.display();
    if let Err(exit) = settle() {
        return exit;
    }
    let read = if file == Path::new("-") {
        read_plan(stdin().lock())
    } else if file.is_dir() {
        Err(std::io::Error::other("it is a directory").into())
    } else {
        match open_input(file) {
            Ok(input) => read_plan(BufReader::new(input)),
            Err(error) => Err(error.into()),
        }
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
