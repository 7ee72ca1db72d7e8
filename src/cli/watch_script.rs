//! `ns watch SCRIPT --on PATTERN`: runs a script whenever matching files of the sandbox have changed and are quiet.
//!
//! Each round is a process `ns run --atomic`, with all that holds for one: its lockdown, its limits, its entry in the
//! list of runs. This process looks at the sandbox with `FS.Find`, so patterns, policy and links are those of the tool.
//! It looks again and again instead of waiting for notifications, whose queue can overflow.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::engine::{Address, ChangeKind, ChangeReport, Engine, Selection};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::on_interrupt;
use crate::terminal::report::{counted, report_error, report_failure, say};
use crate::text::{first_shell_word, safe};
use crate::toolkit::ToolError;
use crate::value::rfc3339_exact;
use crate::watch::Arrivals;

use super::args::WatchArgs;
use super::start::open;
use super::watch::is_output_closed;
use super::watched_files::{FileState, Tree, WatchedFiles};

/// Minimum time between two looks.
const PERIOD: Duration = Duration::from_millis(200);
/// Maximum time between two looks, of which each takes long in a large tree.
const LONGEST_PERIOD: Duration = Duration::from_secs(5);
/// Maximum time until a signal or the end of a round is noticed.
const SLICE: Duration = Duration::from_millis(20);
/// Maximum number of runs that may have begun during a round.
const MOST_RUNS: usize = 100;

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
    let mut files = WatchedFiles::new(&engine, &args.on);
    match files.look() {
        Ok(tree) => ScriptWatch { global, args, engine: &engine, files, signals }.go_on(tree),
        Err(error) => report_failure(error),
    }
}

/// A script that is run again and again.
struct ScriptWatch<'a> {
    global: &'a Global,
    args: &'a WatchArgs,
    engine: &'a Engine,
    files: WatchedFiles<'a>,
    signals: Signals,
}

impl ScriptWatch<'_> {
    /// Waits and runs until a signal, or until nobody reads the output any more.
    fn go_on(&mut self, begun_with: Tree) -> Exit {
        let known = if self.args.initial { Tree::new() } else { begun_with };
        let mut arrivals = Arrivals::new(known, self.args.settle);
        let mut last_failure = None;
        self.say_waiting();
        loop {
            let begin = Instant::now();
            match self.files.look() {
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
            if let Some(exit) = self.round(&mut arrivals) {
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

    /// Runs the script for the files that are quiet now, several times if they are too many for one command line.
    /// Returns the highest exit code of these runs; `None` if no file is quiet.
    fn round(&mut self, arrivals: &mut Arrivals<FileState>) -> Option<Exit> {
        let begin = Instant::now();
        let mut gravest = None;
        let mut paths = arrivals.take_quiet(begin);
        while !paths.is_empty() && !self.signals.is_raised() {
            let exit = self.run(&paths, arrivals);
            gravest = gravest.into_iter().chain([exit]).max_by_key(|exit| exit.code());
            paths = arrivals.take_rest(begin);
        }
        gravest
    }

    /// Runs the script for these files, and accepts what it changed itself.
    fn run(&mut self, paths: &[String], arrivals: &mut Arrivals<FileState>) -> Exit {
        if !self.global.quiet {
            let first = paths.first().map(|path| safe::name(path).into_owned()).unwrap_or_default();
            let further = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
            say(&format!("{}: {first}{further}\n", counted(paths.len(), "file")));
        }
        let (before, begin) = (self.runs(), timestamp());
        let ended = self.start(paths).inspect_err(|_| arrivals.give_back(paths));
        let ended = ended.and_then(|child| self.signals.wait_for(child));
        let period = [begin, timestamp()];
        let exit = match ended {
            Ok(status) => Exit::of_status(status),
            Err(error) => {
                report_error(&format!("the script cannot be run: {error}"), "the watch goes on");
                Exit::Failed
            }
        };
        if let Err(error) = before.and_then(|before| self.accept_changes(&before, &period, arrivals)) {
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

    /// Accepts the files as a run left them, and observes all others. A file of another size, or one at a path that the
    /// run has deleted, is somebody else's, so it counts as changed.
    fn accept_changes(
        &mut self,
        before: &BTreeSet<String>,
        period: &[String; 2],
        arrivals: &mut Arrivals<FileState>,
    ) -> Result<(), ToolError> {
        let name = self.args.file.file_name().unwrap_or_default().to_string_lossy();
        let runs = self.engine.runs(Selection::All, MOST_RUNS)?;
        let new = runs.iter().filter(|summary| !before.contains(&summary.run));
        let ours = new.filter(|summary| summary.begin.as_ref().is_some_and(|begin| is_run_of(&begin.command, &name)));
        let ours: Vec<_> = ours.collect();
        let mut changes = RunChanges::default();
        for summary in &ours {
            self.engine.show_run(&summary.run)?.changes.into_iter().for_each(|change| changes.add(change));
        }
        let now = self.files.look()?;
        for (path, state) in &now {
            // A file that a failed run restored differs only in the time of its last change.
            let is_restored = || arrivals.known(path).is_some_and(|known| state.has_content_of(known));
            if !ours.is_empty() && (changes.include(path, state, period) || is_restored()) {
                arrivals.accept(path.clone(), state.clone());
            }
        }
        arrivals.observe(&now, Instant::now());
        Ok(())
    }
}

/// Returns the current time as records of `FS.Find` show it.
fn timestamp() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    rfc3339_exact(since.as_secs().try_into().unwrap_or(i64::MAX), since.subsec_nanos()).as_str().to_owned()
}

/// Whether a command of the list of runs is that of a script with this name.
fn is_run_of(command: &str, name: &str) -> bool {
    command.strip_prefix("ns run ").is_some_and(|words| first_shell_word(words).rsplit('/').next() == Some(name))
}

/// Entries as a run left them.
#[derive(Default)]
struct RunChanges {
    /// Files, each with its size in bytes.
    files: BTreeSet<(Address, u64)>,
    /// Directories that were copied or unpacked as a whole; the report does not list their files.
    created: BTreeSet<Address>,
    /// Directories that were moved to their paths.
    moved: BTreeSet<Address>,
}

impl RunChanges {
    fn add(&mut self, change: ChangeReport) {
        let ChangeReport { path, what, is_folder, sizes: (_, size), holds, .. } = change;
        match what {
            ChangeKind::Moved(_) if is_folder => self.moved.extend([path]),
            ChangeKind::Created if is_folder => self.created.extend(holds.map(|_| path)),
            _ => self.files.extend(size.map(|size| (path, size))),
        }
    }

    /// Whether a file is one of the files, or came with one of the directories: by the time of its last change it is
    /// older than a run that moved it, and not younger than one that created it.
    fn include(&self, path: &str, state: &FileState, [begin, end]: &[String; 2]) -> bool {
        let address = Address::from(OsStr::new(path));
        let is_below = |folders: &BTreeSet<Address>| {
            !folders.is_empty() && address.ancestors().skip(1).any(|folder| folders.contains(&folder))
        };
        state.changed <= *begin && is_below(&self.moved)
            || state.changed <= *end && is_below(&self.created)
            || state.size.is_some_and(|size| self.files.contains(&(address, size)))
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
