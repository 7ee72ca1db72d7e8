//! `ns watch SCRIPT --on PATTERN`: runs a script whenever matching files of the sandbox have changed and are quiet.
//!
//! Each round is a process `ns run --atomic`, with all that holds for one: its lockdown, its limits, its entry in the
//! list of runs. This process looks at the sandbox with `FS.Find`, so patterns, policy and links are those of the tool.
//! It looks again and again instead of waiting for notifications, whose queue can overflow.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Address, ChangeKind, ChangeReport, Engine, Selection};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::on_interrupt;
use crate::terminal::report::{counted, report_error, report_failure, say};
use crate::text::{first_shell_word, safe};
use crate::toolkit::ToolError;
use crate::watch::Arrivals;

use super::args::WatchArgs;
use super::start::open;
use super::watch::is_output_closed;

/// Minimum time between two looks.
const PERIOD: Duration = Duration::from_millis(200);
/// Maximum time between two looks, of which each takes long in a large tree.
const LONGEST_PERIOD: Duration = Duration::from_secs(5);
/// Maximum time until a signal or the end of a round is noticed.
const SLICE: Duration = Duration::from_millis(20);
/// Maximum number of runs that may have begun during a round.
const MOST_RUNS: usize = 100;

/// The files that match.
type Tree = BTreeMap<String, State>;

/// The state of a file, as far as it tells two of them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    identity: String,
    modified: String,
    size: Option<u64>,
}

/// `ns watch`
pub fn watch_script(global: &Global, args: &WatchArgs) -> Exit {
    if args.file == Path::new("-") {
        report_error("a script on standard input can be read once", "name a file: `ns watch FILE --on PATTERN`");
        return Exit::Usage;
    }
    let engine = match open(&global.options()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let signals = Signals::caught();
    let watch = ScriptWatch { global, args, engine, signals };
    match watch.look() {
        Ok(tree) => watch.go_on(tree),
        Err(error) => report_failure(error),
    }
}

/// A script that is run again and again.
struct ScriptWatch<'a> {
    global: &'a Global,
    args: &'a WatchArgs,
    engine: Engine,
    signals: Signals,
}

impl ScriptWatch<'_> {
    /// Waits and runs until a signal, or until nobody reads the output any more.
    fn go_on(&self, begun_with: Tree) -> Exit {
        let known = if self.args.initial { Tree::new() } else { begun_with };
        let mut arrivals = Arrivals::new(known, self.args.settle);
        let mut last_failure = None;
        self.say_waiting();
        loop {
            let begin = Instant::now();
            match self.look() {
                Ok(tree) => {
                    last_failure = None;
                    arrivals.observe(&tree, Instant::now());
                }
                // A directory may be gone for a moment.
                Err(error) if last_failure.as_deref() != Some(&*error.message) => {
                    last_failure = Some(error.message.clone());
                    report_failure(error);
                }
                Err(_) => {}
            }
            let paths = arrivals.take_quiet(Instant::now());
            if !paths.is_empty() {
                let exit = self.round(&paths, &mut arrivals);
                if self.args.once && !self.signals.is_raised() {
                    return exit;
                }
                self.say_waiting();
                continue;
            }
            let pause = (begin.elapsed() * 10).clamp(PERIOD, LONGEST_PERIOD);
            if let Some(exit) = self.wait(Instant::now() + pause) {
                return exit;
            }
        }
    }

    /// Waits until a moment. Returns how the watch ends, if it ends before that.
    fn wait(&self, until: Instant) -> Option<Exit> {
        loop {
            if self.signals.is_raised() {
                return Some(Exit::Interrupted);
            }
            if is_output_closed() {
                // A closed output is not an error.
                return Some(Exit::Done);
            }
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(SLICE);
        }
    }

    fn say_waiting(&self) {
        if !self.global.quiet && !self.signals.is_raised() {
            say("waiting for changes; Ctrl-C ends it\n");
        }
    }

    /// Returns the files that match.
    fn look(&self) -> Result<Tree, ToolError> {
        let arguments = serde_json::json!({
            "path": ".", "pattern": self.args.on, "type": "file", "exact_times": true, "identity": true,
        });
        let arguments = self
            .engine
            .value_of_json(&arguments.to_string())
            .map_err(|error| ToolError::bad_argument("pattern", format!("the pattern is no text: {error}")))?;
        let found = self.engine.call("FS.Find", &arguments)?;
        self.engine.gate().take_notes();
        let found = serde_json::to_value(&found).unwrap_or_default();
        let records = found.as_array().map(Vec::as_slice).unwrap_or_default();
        let row = |record: &serde_json::Value| {
            let text = |name: &str| record.get(name).and_then(|value| value.as_str()).map(str::to_owned);
            let size = record.get("size").and_then(serde_json::Value::as_u64);
            let (identity, modified) = (text("identity").unwrap_or_default(), text("modified").unwrap_or_default());
            Some((text("path")?, State { identity, modified, size }))
        };
        Ok(records.iter().filter_map(row).collect())
    }

    /// Runs the script for these files, and accepts what it changed itself.
    fn round(&self, paths: &[String], arrivals: &mut Arrivals<State>) -> Exit {
        if !self.global.quiet {
            let first = paths.first().map(|path| safe::name(path).into_owned()).unwrap_or_default();
            let further = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
            say(&format!("{}: {first}{further}\n", counted(paths.len(), "file")));
        }
        let before = self.runs();
        let ended = self.start(paths).inspect_err(|_| arrivals.give_back(paths));
        let ended = ended.and_then(|child| self.signals.wait_for(child));
        let exit = match ended {
            Ok(status) => Exit::of_status(status),
            Err(error) => {
                report_error(&format!("the script cannot be run: {error}"), "the watch goes on");
                Exit::Failed
            }
        };
        if let Err(error) = before.and_then(|before| self.accept_changes(&before, arrivals)) {
            report_failure(error);
        } else if exit != Exit::Done && !self.args.once && !self.signals.is_raised() {
            say(&format!("the run ended with exit code {}; the watch goes on\n", exit.code()));
        }
        exit
    }

    fn start(&self, paths: &[String]) -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(self.global.words());
        command.arg("--sandbox").arg(self.engine.gate().root().path());
        command.args(self.words(paths)).stdin(Stdio::null());
        #[cfg(unix)]
        // Ctrl-C at a terminal reaches this process alone, which passes it on once.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }

    /// Returns the command line of a round after the options: `run`, the script, its own words, the paths.
    fn words(&self, paths: &[String]) -> Vec<OsString> {
        let mut words = vec![OsString::from("run"), OsString::from("--atomic")];
        words.extend(self.args.procedure.iter().flat_map(|name| [OsString::from("--proc"), name.into()]));
        words.push(self.args.file.clone().into());
        words.push(OsString::from("--"));
        words.extend(self.args.words.iter().map(OsString::from));
        // A name that begins with a dash must not be taken for an option of the script.
        let plain = |path: &String| if path.starts_with('-') { format!("./{path}") } else { path.clone() };
        words.extend(paths.iter().map(plain).map(OsString::from));
        words
    }

    /// Returns the names of the newest runs.
    fn runs(&self) -> Result<BTreeSet<String>, ToolError> {
        let runs = self.engine.runs(Selection::All, MOST_RUNS)?;
        Ok(runs.into_iter().map(|summary| summary.run).collect())
    }

    /// Accepts the files as the run of a round left them. A file of another size, or one at a path that the run has
    /// deleted, is somebody else's, so it counts as changed.
    fn accept_changes(&self, before: &BTreeSet<String>, arrivals: &mut Arrivals<State>) -> Result<(), ToolError> {
        let name = self.args.file.file_name().unwrap_or_default().to_string_lossy();
        let runs = self.engine.runs(Selection::All, MOST_RUNS)?;
        let new = runs.iter().filter(|summary| !before.contains(&summary.run));
        let ours = new.filter(|summary| summary.begin.as_ref().is_some_and(|begin| is_run_of(&begin.command, &name)));
        let mut changes = RoundChanges::default();
        for summary in ours {
            self.engine.show_run(&summary.run)?.changes.into_iter().for_each(|change| changes.add(change));
        }
        if changes.is_empty() {
            return Ok(());
        }
        for (path, state) in self.look()? {
            if changes.include(&path, state.size) {
                arrivals.accept(path, state);
            }
        }
        Ok(())
    }
}

/// Whether a command of the list of runs is that of a script with this name.
fn is_run_of(command: &str, name: &str) -> bool {
    command.strip_prefix("ns run ").is_some_and(|words| first_shell_word(words).rsplit('/').next() == Some(name))
}

/// Entries as the runs of a round left them.
#[derive(Default)]
struct RoundChanges {
    /// Files, each with its size in bytes.
    files: BTreeSet<(Address, u64)>,
    /// Directories that were created, or moved to their paths.
    folders: BTreeSet<Address>,
}

impl RoundChanges {
    fn add(&mut self, change: ChangeReport) {
        let ChangeReport { path, what, is_folder, sizes: (_, size), .. } = change;
        if is_folder && matches!(what, ChangeKind::Created | ChangeKind::Moved(_)) {
            self.folders.insert(path);
        } else if let Some(size) = size {
            self.files.insert((path, size));
        }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Whether a file of this size is one of the files, or in one of the directories.
    fn include(&self, path: &str, size: Option<u64>) -> bool {
        let address = Address::from(OsStr::new(path));
        let is_in_folder = address.ancestors().skip(1).any(|folder| self.folders.contains(&folder));
        is_in_folder || size.is_some_and(|size| self.files.contains(&(address, size)))
    }
}

/// Signals that end the watch. The first interrupts the run of a round, which takes its changes back; a second one
/// within a second ends both processes at once.
struct Signals {
    is_raised: Arc<AtomicBool>,
    /// The process of the round, or 0.
    child: Arc<AtomicU32>,
}

impl Signals {
    fn caught() -> Signals {
        let signals = Signals { is_raised: Arc::default(), child: Arc::default() };
        let (is_raised, child) = (signals.is_raised.clone(), signals.child.clone());
        on_interrupt(move || {
            is_raised.store(true, Ordering::Relaxed);
            interrupt(child.load(Ordering::Relaxed));
        });
        signals
    }

    fn is_raised(&self) -> bool {
        self.is_raised.load(Ordering::Relaxed)
    }

    /// Waits for the process of a round, which signals reach meanwhile.
    fn wait_for(&self, mut child: Child) -> std::io::Result<ExitStatus> {
        self.child.store(child.id(), Ordering::Relaxed);
        if self.is_raised() {
            interrupt(child.id());
        }
        while !has_ended(&mut child)? {
            std::thread::sleep(SLICE);
        }
        // The process is reaped after its number is forgotten, so no signal reaches another process.
        self.child.store(0, Ordering::Relaxed);
        child.wait()
    }
}

/// Whether a process has ended. It is not reaped.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    child.try_wait().map(|ended| ended.is_some())
}

#[cfg(unix)]
fn interrupt(child: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(child) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        // Fails if the process has ended.
        let _ = kill_process(child, Signal::INT);
    }
}

#[cfg(not(unix))]
fn interrupt(_: u32) {}

#[cfg(test)]
mod tests {
    use super::is_run_of;
    use crate::text::shell_word;

    #[test]
    fn a_run_is_known_by_the_name_of_its_script() {
        for name in ["a.ns", "it's.ns", "two words.ns", "'", "ü.ns"] {
            for folder in ["", "in/", "/tmp/it's here/"] {
                let script = shell_word(&format!("{folder}{name}"));
                for command in [format!("ns run {script}"), format!("ns run {script} in/x 'two words'")] {
                    assert!(is_run_of(&command, name), "{command}");
                    assert!(!is_run_of(&command, &format!("b{name}")) && !is_run_of(&command, "x"), "{command}");
                }
            }
        }
        assert!(!is_run_of("ns call FS.WriteFile", "a.ns") && !is_run_of("ns run <a.ns>", "a.ns"));
    }
}
