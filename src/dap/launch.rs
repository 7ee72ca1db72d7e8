//! `launch`: opens the sandbox, reads the script, locks the process down and runs the script under the debugger.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::json;

use crate::engine::{
    Ending, Engine, Interrupt, Invocation, Options, Outcome, Process, Script, SetupError, Words, settle_scratch,
};
use crate::terminal::exit::Exit;
use crate::terminal::script_file::load_script;

use super::arguments::Launch;
use super::client::Client;
use super::files::{Files, Origins};
use super::inspect::Counting;
use super::message::{Refusal, Request, Sender};
use super::output::{Events, rendered};
use super::queue::Queue;

/// The connection, and how the client counts lines.
#[derive(Clone)]
pub struct Connection {
    pub sender: Sender,
    pub queue: Queue,
    pub counting: Counting,
}

/// Maximum number of changes of a plan that are listed.
const LISTED: usize = 50;

/// Runs a script for the `launch` request, which is answered before the first statement.
pub fn run(connection: &Connection, prepared: Prepared, request: Request) {
    let Prepared { engine, script, files, launch } = prepared;
    let Connection { sender, queue, counting } = connection.clone();
    for note in engine.gate().take_notes() {
        let _ = sender.show("stderr", &format!("warning: {note}\n"));
    }
    let client = Rc::new(Client {
        sender: sender.clone(),
        queue,
        counting,
        stop_on_entry: launch.stop_on_entry,
        no_debug: launch.no_debug,
        files: RefCell::new(files),
        launch: RefCell::new(Some(request)),
        handles: RefCell::default(),
        stop: RefCell::default(),
    });
    let invocation = Invocation::of_words(words(&launch.args)).with_procedure(launch.procedure.as_deref());
    let outcome = engine.debug(&script, &invocation, Box::new(Events::new(sender.clone())), client.clone());
    report(&sender, &engine, &outcome);
    let exit = Exit::from(outcome.ending).code();
    if let Some(request) = client.launch.take() {
        let first = outcome.findings.first().map_or(String::new(), |finding| format!(": {}", finding.message));
        sender.answer(&request, Err(Refusal::new(format!("the script cannot be run{first}"))));
    }
    sender.event("exited", json!({ "exitCode": exit }));
    sender.event("terminated", json!({}));
}

/// Returns the arguments of a script as `ns run SCRIPT ARGS…` understands them.
fn words(args: &[String]) -> Words {
    let mut parts = args.splitn(2, |word| word == "--").map(<[String]>::to_vec);
    let before = parts.next().unwrap_or_default();
    Words { before, after: parts.next().unwrap_or_default(), ..Words::default() }
}

/// A script that is ready to run, in its sandbox.
pub struct Prepared {
    engine: Engine,
    script: Script,
    files: Files,
    launch: Launch,
}

impl Prepared {
    /// Returns the interrupt of the run.
    pub fn interrupt(&self) -> &Interrupt {
        self.engine.interrupt()
    }
}

/// Reads the script of a `launch` request, opens the sandbox and locks the process down.
///
/// # Errors
/// Why it cannot be launched; another request may follow if the process is not locked down.
pub fn prepare(options: &Options, request: &Request) -> Result<Prepared, Refusal> {
    let launch: Launch = request.read()?;
    let Some(program) = &launch.program else {
        return Err(Refusal::new("`program` is missing: name the path of the script"));
    };
    let script = load_script(program).map_err(Refusal::new)?;
    let libraries: Vec<PathBuf> = launch.lib.iter().chain(&options.libraries).cloned().collect();
    let options = Options {
        sandbox: launch.sandbox.clone().or_else(|| options.sandbox.clone()),
        policy: launch.policy.clone().or_else(|| options.policy.clone()),
        libraries: libraries.clone(),
        strict: launch.strict || options.strict,
        read_only: launch.read_only || options.read_only,
        plan: launch.plan,
        ..options.clone()
    };
    if launch.plan {
        settle_scratch().map_err(|error| Refusal::new(format!("nothing can be planned: {error}")))?;
    }
    let engine = Engine::open(&options).map_err(|error| not_set_up(&error))?;
    let (sandbox, root) = (options.sandbox.as_deref(), engine.gate().root().path());
    let files = Files::new(&Origins { program, sandbox, root, libraries: &libraries });
    engine.seal(Process::Script).map_err(|error| not_set_up(&error))?;
    Ok(Prepared { engine, script, files, launch })
}

fn not_set_up(error: &SetupError) -> Refusal {
    let finding = error.findings.first();
    Refusal::new(finding.map_or_else(
        || "the sandbox cannot be opened".to_owned(),
        |finding| {
            let help = finding.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            format!("{}{help}", finding.message)
        },
    ))
}

/// Tells the client how the run ended.
fn report(sender: &Sender, engine: &Engine, outcome: &Outcome) {
    let _ = sender.show("stderr", &rendered(&outcome.findings, &outcome.sources));
    if let Some(usage) = &outcome.usage {
        let _ = sender.show("stderr", &format!("\n{usage}"));
    }
    for warning in &outcome.warnings {
        let _ = sender.show("stderr", &format!("warning: {warning}\n"));
    }
    if engine.is_planning() {
        let failed = !matches!(outcome.ending, Ending::Done | Ending::Unread);
        let _ = sender.show("console", &planned(engine, failed));
    }
}

/// Returns the changes that a planned run would make.
fn planned(engine: &Engine, failed: bool) -> String {
    let plan = match engine.plan("ns dap", failed) {
        Ok(Some(plan)) => plan,
        Ok(None) => return String::new(),
        Err(error) => return format!("the plan cannot be shown: {}\n", error.message),
    };
    let mut text = format!("planned changes: {}; nothing on the disk has changed\n", plan.changes.len());
    for change in plan.changes.iter().take(LISTED) {
        text.push_str(&format!("  {}\n", change.path.display()));
    }
    text
}
