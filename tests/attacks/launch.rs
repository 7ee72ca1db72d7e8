//! Starts `ns` as another user, or with system calls refused, and waits for its end.
//!
//! `unsafe` is forbidden, so no code can run between fork and exec. But a user and a filter belong to a thread, and a
//! child process inherits those of the thread that starts it. For each set of [`Orders`], one thread changes its user,
//! installs the filter, and then starts processes. Nothing here judges the answers of `ns`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, pidfd_open};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use super::mode::Mode;

/// Maximum number of open files of `ns`: the default of most systems.
const OPEN_FILES: u64 = 1024;
/// Time after which a single call counts as hanging, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Interval between measurements of a process's memory.
const LOOK_NANOS: i64 = 5_000_000;

/// The restrictions of a thread that starts programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Orders {
    /// The user and group to become.
    user: Option<u32>,
    /// The system calls that must fail.
    refused: Vec<Refusal>,
}

/// A command to start, and the channel for the result.
type Job = (Command, Sender<Result<std::io::Result<Child>, String>>);

/// A system call that fails with an error whatever its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    call: Call,
    errno: u32,
}

/// A system call that can be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    Openat2,
    Renameat2,
    Landlock,
    Seccomp,
}

impl Refusal {
    pub fn new(call: Call, errno: rustix::io::Errno) -> Refusal {
        Refusal { call, errno: errno.raw_os_error() as u32 }
    }
}

impl Call {
    fn number(self) -> i64 {
        match self {
            Call::Openat2 => 437,
            Call::Renameat2 if cfg!(target_arch = "x86_64") => 316,
            Call::Renameat2 => 276,
            Call::Landlock => 444,
            Call::Seccomp if cfg!(target_arch = "x86_64") => 317,
            Call::Seccomp => 277,
        }
    }
}

/// Limits the open files of this program and its children to the default of most systems.
pub fn limit_open_files() {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
    rustix::process::setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit })
        .expect("fewer files than before may be opened");
}

/// Starts a program on the thread with these restrictions.
fn start_by(orders: Orders, command: Command) -> Result<Child, String> {
    static THREADS: Mutex<Option<HashMap<Orders, Sender<Job>>>> = Mutex::new(None);
    let jobs = {
        let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = |orders: &Orders| {
            let (sender, jobs) = channel();
            let orders = orders.clone();
            std::thread::spawn(move || start_all(&orders, &jobs));
            sender
        };
        let threads = threads.get_or_insert_default();
        threads.entry(orders).or_insert_with_key(begin).clone()
    };
    let (sender, started) = channel();
    jobs.send((command, sender)).expect("such a thread never ends");
    let started = started.recv().expect("such a thread answers");
    started.map(|child| child.expect("ns can be started"))
}

fn start_all(orders: &Orders, jobs: &Receiver<Job>) {
    let prepared = prepare(orders);
    for (mut command, answer) in jobs {
        let started = prepared.clone().map(|()| command.spawn());
        answer.send(started).expect("somebody waits for the answer");
    }
}

fn prepare(orders: &Orders) -> Result<(), String> {
    if let Some(user) = orders.user {
        become_user(user).map_err(|error| format!("user {user} cannot be had: {error}"))?;
    }
    orders.refused.iter().try_for_each(|refusal| install(*refusal))
}

/// Gives up user, groups and, with the user, all capabilities.
fn become_user(number: u32) -> rustix::io::Result<()> {
    let (user, group) = (rustix::fs::Uid::from_raw(number), rustix::fs::Gid::from_raw(number));
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    rustix::thread::set_thread_res_uid(user, user, user)?;
    rustix::thread::set_no_new_privs(true)
}

fn install(refusal: Refusal) -> Result<(), String> {
    let rules = [(refusal.call.number(), Vec::new())].into_iter().collect();
    let arch = std::env::consts::ARCH.try_into().map_err(|error| format!("no filters here: {error}"))?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(refusal.errno), arch);
    let program: BpfProgram =
        filter.and_then(TryInto::try_into).map_err(|error| format!("the filter cannot be built: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("no seccomp here: {error}"))
}

/// A start of `ns`.
#[derive(Debug)]
pub struct Start<'a> {
    mode: Mode,
    refused: Vec<Refusal>,
    program: PathBuf,
    args: Vec<OsString>,
    folder: &'a Path,
    stdin: Vec<u8>,
    patience: Duration,
}

/// The result of a start of `ns`.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it had to be killed.
    pub hung: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Peak memory that was observed, in KiB.
    pub peak_kib: u64,
}

impl<'a> Start<'a> {
    /// Creates a start in a mode, with a current directory.
    pub fn new(mode: Mode, folder: &'a Path) -> Start<'a> {
        let (program, args, stdin) = (program().to_owned(), Vec::new(), Vec::new());
        Start { mode, refused: mode.refused(), program, args, folder, stdin, patience: PATIENCE }
    }

    /// Selects another build of `ns`.
    pub fn program(mut self, program: &Path) -> Start<'a> {
        self.program = program.to_owned();
        self
    }

    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Start<'a> {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn refuse(mut self, refusal: Refusal) -> Start<'a> {
        self.refused.push(refusal);
        self
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Start<'a> {
        self.stdin = text.into();
        self
    }

    pub fn patience(mut self, patience: Duration) -> Start<'a> {
        self.patience = patience;
        self
    }

    /// Runs it to its end. Returns an error if the mode is not available here.
    pub fn run(&self) -> Result<Ended, String> {
        let temporary = || tempfile::tempfile().expect("a file for output");
        let (mut stdout, mut stderr) = (temporary(), temporary());
        let child = self.spawn(copy_of(&stdout).into(), copy_of(&stderr).into())?;
        let (status, hung, peak_kib) = wait(child, self.patience);
        Ok(Ended {
            code: status.code(),
            signal: status.signal(),
            hung,
            stdout: read_back(&mut stdout),
            stderr: read_back(&mut stderr),
            peak_kib,
        })
    }

    /// Runs it with its standard output redirected.
    pub fn run_onto(&self, stdout: impl Into<Stdio>) -> Ended {
        let mut stderr = tempfile::tempfile().expect("a file for output");
        let child = self.spawn(stdout.into(), copy_of(&stderr).into()).expect("this mode was had before");
        let (status, hung, peak_kib) = wait(child, self.patience);
        let stderr = read_back(&mut stderr);
        Ended { code: status.code(), signal: status.signal(), hung, stdout: Vec::new(), stderr, peak_kib }
    }

    /// Runs it with standard output and standard error on a terminal, and returns the bytes that the terminal received.
    pub fn run_on_terminal(&self) -> Vec<u8> {
        let (master, slave) = super::terminal::open();
        let reader = std::thread::spawn(move || super::terminal::read_all(master));
        let child = self.spawn(copy_of(&slave).into(), slave.into()).expect("this mode was had before");
        let _ = wait(child, self.patience);
        reader.join().expect("the terminal's reader does not panic")
    }

    fn spawn(&self, stdout: Stdio, stderr: Stdio) -> Result<Child, String> {
        let orders = Orders { user: self.mode.user_to_become(), refused: self.refused.clone() };
        let orders_user = orders.user;
        let mut stdin = tempfile::tempfile().expect("a file for input");
        stdin.write_all(&self.stdin).expect("the input is written");
        stdin.rewind().expect("a file can be rewound");
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("XDG_STATE_HOME", state_home(orders_user))
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm")
            .process_group(0)
            .current_dir(self.folder)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr);
        start_by(orders, command)
    }
}

/// Returns the state directory of the attacking user, which makes runs undoable as for any user.
fn state_home(user: Option<u32>) -> PathBuf {
    static STATES: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);
    let mut states = STATES.lock().unwrap_or_else(PoisonError::into_inner);
    let states = states.get_or_insert_with(|| {
        let states = tempfile::tempdir().expect("a folder for the attacks");
        std::fs::set_permissions(states.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        states
    });
    let home = states.path().join(user.map_or("own".to_owned(), |user| user.to_string()));
    if std::fs::create_dir(&home).is_ok() && user.is_some() {
        std::os::unix::fs::chown(&home, user, user).expect("root gives it away");
    }
    home
}

fn copy_of(file: &File) -> File {
    file.try_clone().expect("a descriptor can be duplicated")
}

fn read_back(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().expect("a file can be rewound");
    file.read_to_end(&mut bytes).expect("the output can be read");
    bytes
}

/// Waits for the end, or kills the process. Also returns the peak memory.
fn wait(mut child: Child, patience: Duration) -> (std::process::ExitStatus, bool, u64) {
    let begin = Instant::now();
    let status_file = format!("/proc/{}/status", child.id());
    let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).expect("a child of ours is there");
    let mut peak_kib = 0;
    loop {
        peak_kib = peak_kib.max(high_water_kib(&status_file));
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return (status, false, peak_kib);
        }
        if begin.elapsed() > patience {
            let group = Pid::from_child(&child);
            rustix::process::kill_process_group(group, Signal::KILL).expect("a group of ours can be killed");
            return (child.wait().expect("a killed child ends"), true, peak_kib);
        }
        let ends = PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN);
        // The loop checks whether it has ended.
        let _ = poll(&mut [ends], Some(&Timespec { tv_sec: 0, tv_nsec: LOOK_NANOS }));
    }
}

fn high_water_kib(status_file: &str) -> u64 {
    let text = std::fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}

/// The path of `ns`: the build of cargo, or a copy that every user may run.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

fn program() -> &'static Path {
    PROGRAM.get().map_or(Path::new(env!("CARGO_BIN_EXE_ns")), PathBuf::as_path)
}

/// Makes sure that the user nobody can run `ns`. Returns the directory of a copy if one is needed.
pub fn share_program() -> Option<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let built = Path::new(env!("CARGO_BIN_EXE_ns"));
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode());
    let open = mode(built) & 0o005 == 0o005 && built.ancestors().skip(1).all(|folder| mode(folder) & 0o001 != 0);
    if open {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder for a copy of ns");
    let copy = folder.path().join("ns");
    std::fs::copy(built, &copy).expect("ns can be copied");
    for path in [folder.path(), &copy] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    }
    PROGRAM.set(copy).expect("ns is shared once");
    Some(folder)
}
