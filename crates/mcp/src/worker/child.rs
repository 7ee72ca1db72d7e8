//! The worker process.

use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write, stdin, stdout};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::to_raw_value;

use crate::engine::{
    Approver, Arguments, EmitError, Engine, Interrupt, Invocation, LimitHit, Limits, Meter, Options, Output, Progress,
    ProgressView, Question, Reply, Script, SessionMemory, SetupError, emitted, settle_scratch,
};
use crate::gate::MAX_FILES_OF_SERVER;
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::{Value, print};

use super::super::ask::Asked;
use super::super::methods::{Printed, failed_report, report};
use super::super::order::{Given, Order, command_of};
use super::super::progress::{Call, message};
use super::lifeline::Lifeline;
use super::{Answer, GRACE, WorkerMessage};

/// Maximum size of an order, in bytes.
const MAX_ORDER: u64 = 32 << 20;
/// Interval between checks while waiting for an answer, and between progress messages.
const TURN: Duration = Duration::from_millis(50);
const PERIOD: Duration = Duration::from_millis(500);

/// Reads an order from standard input, runs the script, and reports on standard output. `seal` is called after the
/// sandbox is opened and before the script is parsed.
pub fn work(options: &Options, seal: impl FnOnce(&Engine) -> Result<(), SetupError>) -> io::Result<()> {
    let lifeline = Lifeline::tie();
    let mut first = String::new();
    stdin().lock().take(MAX_ORDER).read_line(&mut first)?;
    if !first.ends_with('\n') && (first.len() as u64) < MAX_ORDER {
        // The server ended before it had sent the whole order.
        return Ok(());
    }
    let mut order: Order = serde_json::from_str(&first)?;
    drop(first);
    if !lifeline.leads_to(order.server) {
        return Ok(());
    }
    let options = Options {
        // Values that a script reads are not answers to a client, so only the memory limit applies to them.
        limits: Limits { tool_output_bytes: None, ..Limits::of_server() },
        max_files_unless_set: Some(MAX_FILES_OF_SERVER),
        plan: order.plan,
        atomic: order.atomic && !order.plan,
        within: order.within.clone(),
        client: order.client.clone(),
        key: order.key.take(),
        ..options.clone()
    };
    let began = Instant::now();
    if order.plan {
        settle_scratch()?;
    }
    let opened = Engine::open(&options).and_then(|engine| seal(&engine).map(|()| engine));
    let (report, failed) = match opened {
        Ok(engine) => run(&engine, &mut order, lifeline)?,
        Err(error) => (failed_report(&not_opened(&error)), true),
    };
    let report = to_raw_value(&report)?;
    say(&WorkerMessage::Done { failed, time_ms: began.elapsed().as_millis() as u64, report })
}

fn run(engine: &Engine, order: &mut Order, lifeline: Lifeline) -> io::Result<(Json, bool)> {
    bound_process(engine.limits());
    let (forward, answers) = channel();
    let interrupt = engine.interrupt().clone();
    let listener = std::thread::Builder::new().name("orders".to_owned());
    // Without the thread, questions stay unanswered and the process is killed together with the server.
    match listener.spawn(move || listen(&forward, &interrupt)) {
        Ok(_) => lifeline.hand_over(),
        Err(_) => lifeline.keep(),
    }
    engine.set_approver(Rc::new(Asking { answers }));
    engine.set_progress_view(Rc::new(Watching::default()));
    let file = order.offered.as_ref().map_or("<script>", |offered| offered.file.as_str());
    let script = Script::new(file, order.script.as_str());
    let collector = Collector::default();
    let memory = SessionMemory::handed(name_of(order), std::mem::take(&mut order.remembered));
    let memory = Rc::new(memory.map_err(io::Error::other)?);
    let invocation = invocation(&order.given)?;
    let outcome = engine.run_in_session(&script, &invocation, Box::new(collector.clone()), &memory);
    let printed = std::mem::take(&mut *collector.0.borrow_mut());
    let reported = report(engine, &outcome, printed, order.offered.as_ref());
    let changes = memory.changes();
    // The session memory of a plan or of a run that was rolled back is discarded.
    if !(changes.is_empty() || order.plan || order.atomic && reported.1) {
        say(&WorkerMessage::Remembered { changes })?;
    }
    // The process ends now, so freeing its values would only cost time.
    std::mem::forget((outcome, memory));
    Ok(reported)
}

fn invocation(given: &Given) -> io::Result<Invocation> {
    Ok(match given {
        Given::Words(words) => Invocation::verbatim(words),
        Given::Named(named) => match Value::deserialize(named)? {
            Value::Map(named) => Invocation { procedure: None, arguments: Arguments::Named(named) },
            _ => unreachable!("an object is read as a map"),
        },
    })
}

/// Returns the name of a script in lists of runs: its file, or its first line that is not a comment.
fn name_of(order: &Order) -> String {
    let command = command_of(order.client.as_deref());
    if let Some(offered) = &order.offered {
        return format!("{command} {}", offered.file);
    }
    let mut lines = order.script.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    format!("{command} run_script: {}", print::shortened(first, 60))
}

/// Passes answers on until the input closes, which means stop: the server requested it or has ended. The script is then
/// interrupted, and the process ends after a grace period even if the script does not react.
fn listen(tell: &Sender<Answer>, interrupt: &Interrupt) {
    let mut line = String::new();
    let mut input = stdin().lock();
    while input.read_line(&mut line).is_ok_and(|length| length > 0) {
        if let Ok(answer) = serde_json::from_str(&line) {
            // If the run has ended, nobody waits for the answer.
            let _ = tell.send(answer);
        }
        line.clear();
    }
    interrupt.raise();
    std::thread::sleep(GRACE);
    std::process::exit(1);
}

fn not_opened(error: &SetupError) -> ToolError {
    let finding = &error.findings[0];
    let failure = ToolError::new(ToolCode::PolicyDenied, finding.message.clone());
    finding.help.iter().fold(failure, |failure, help| failure.hint(help.clone()))
}

/// Sets resource limits of the process, as a second line of defence behind the limits of the engine.
#[cfg(unix)]
fn bound_process(limits: &Limits) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    /// Memory in bytes that the process may use in addition to twice the limit for values: code, stacks, temporary
    /// buffers of tools.
    const BESIDES: u64 = 2 << 30;
    /// Bytes that a file may exceed the write limit of the run before the system ends the process.
    const FILE_SLACK: u64 = 64 << 20;
    /// Seconds of processor time that the process may use beyond the time limit of the run.
    const SECONDS_SLACK: u64 = 10;
    let bound = |resource: Resource, amount: u64| {
        let limit = Rlimit { current: Some(amount), maximum: Some(amount) };
        // Fails if a lower limit is in force already, which is just as good.
        let _ = setrlimit(resource, limit);
    };
    bound(Resource::Core, 0);
    bound(Resource::As, limits.memory_bytes.saturating_mul(2).saturating_add(BESIDES));
    if let Some(bytes) = limits.bytes_written {
        bound(Resource::Fsize, bytes.saturating_add(FILE_SLACK));
    }
    if let Some(time) = limits.timeout {
        bound(Resource::Cpu, time.as_secs().saturating_add(SECONDS_SLACK));
    }
}

/// On other systems only the limits of the engine apply.
#[cfg(not(unix))]
fn bound_process(_: &Limits) {}

fn say(said: &WorkerMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    let mut out = stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// The output of EMIT, and the warnings of tools.
#[derive(Clone, Default)]
struct Collector(Rc<RefCell<Printed>>);

/// Maximum number of different warnings that are kept.
const WARNINGS: usize = 100;

impl Output for Collector {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().output.push_str(&emitted(values, meter)?);
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        let Printed { warnings, more_warnings, .. } = &mut *self.0.borrow_mut();
        if warnings.len() < WARNINGS || warnings.contains_key(text) {
            *warnings.entry(text.to_owned()).or_default() += 1;
        } else {
            *more_warnings += 1;
        }
    }
}

/// Asks through the server.
struct Asking {
    answers: Receiver<Answer>,
}

impl Approver for Asking {
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
        let asked = Asked::of(question);
        if say(&WorkerMessage::Ask { tool: asked.tool, message: asked.message }).is_err() {
            return Ok(Reply::Nobody);
        }
        let answer = loop {
            match self.answers.recv_timeout(TURN) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Disconnected) => break Answer::Nobody,
                Err(RecvTimeoutError::Timeout) => {
                    meter.watch().excuse(TURN);
                    meter.poll()?;
                }
            }
        };
        Ok(match answer {
            Answer::Once => Reply::Once,
            Answer::Session => Reply::Run,
            Answer::Never => Reply::Never,
            Answer::Dismissed => Reply::Dismissed,
            Answer::Nobody => Reply::Nobody,
        })
    }
}

/// Reports the progress of the current call.
#[derive(Default)]
struct Watching {
    call: Arc<Mutex<Option<Call>>>,
    teller: std::cell::OnceCell<()>,
}

impl ProgressView for Watching {
    fn begin(&self, tool: &'static str, progress: Arc<Progress>) {
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) = Some((tool, progress));
        self.teller.get_or_init(|| {
            let call = self.call.clone();
            // Without the thread there is only no progress.
            let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(move || tell(&call));
        });
    }

    fn end(&self) {
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn tell(call: &Mutex<Option<Call>>) {
    let mut done = 0;
    loop {
        std::thread::sleep(PERIOD);
        let call = call.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((tool, progress)) = call {
            done += 1;
            let said = WorkerMessage::Progress { done, message: message(tool, &progress) };
            if say(&said).is_err() {
                return;
            }
        }
    }
}
