//! Shared code of the tests of the binary: starting it, building trees, describing results.

#![allow(dead_code, reason = "each test uses its part")]

pub mod checker;
pub mod dice;
pub mod frames;
pub mod pty;
pub mod songs;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use neuroscript::engine::{EmitError, Meter, Output, Value, emitted};

/// The modification time given to every file of a test tree: 2020-09-13T12:26:40Z.
pub const FIXED_TIME: u64 = 1_600_000_000;

/// Returns the files in a directory of the package and below it with one of these extensions, sorted by path.
pub fn package_files(directory: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut ahead) = (Vec::new(), vec![package(directory)]);
    while let Some(directory) = ahead.pop() {
        for entry in fs::read_dir(&directory).expect("a directory of the package") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                ahead.push(path);
            } else if extensions.iter().any(|extension| path.extension().is_some_and(|found| found == *extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the sources of all crates of the workspace.
pub fn source_files() -> Vec<PathBuf> {
    ["src", "crates", "playground/engine"].into_iter().flat_map(|directory| package_files(directory, &["rs"])).collect()
}

/// Returns a path in the package.
pub fn package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the state directory of the test user, which contains the key of the seals.
pub fn state_home() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state");
    fs::create_dir_all(&home).expect("the folder for tests can be written");
    home
}

/// Returns a folder in memory, where nothing waits for a disk, for tests that are not about one. With `NS_LONG=1`, and
/// where there is no such file system, it is an ordinary one.
pub fn folder_in_memory() -> tempfile::TempDir {
    let is_long = std::env::var_os("NS_LONG").is_some();
    let in_memory = if is_long { None } else { tempfile::tempdir_in("/dev/shm").ok() };
    in_memory.unwrap_or_else(|| tempfile::tempdir().expect("a folder for the test"))
}

/// Returns `ns` with a sandbox, without input and user settings.
pub fn ns(sandbox: &Path) -> Command {
    let mut command = ns_without_sandbox();
    command.arg("--sandbox").arg(sandbox);
    command
}

/// Returns `ns` like [`ns`], in the current directory.
pub fn ns_without_sandbox() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ns"));
    command.stdin(Stdio::null()).env("NO_COLOR", "1").env_remove("XDG_CONFIG_HOME").env("HOME", "/nonexistent");
    command.env("XDG_STATE_HOME", state_home());
    USER_POLICY.with_borrow(|folder| {
        if let Some(folder) = folder {
            command.env("XDG_CONFIG_HOME", folder.path());
        }
    });
    command
}

thread_local! {
    /// The user's configuration directory for processes that this test starts from now on.
    static USER_POLICY: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Gives the user a policy file, for processes that this test starts from now on.
pub fn set_user_policy(text: &str) {
    let folder = tempfile::tempdir().expect("a folder for the user's settings");
    fs::create_dir(folder.path().join("neuroscript")).expect("a folder");
    fs::write(folder.path().join("neuroscript/neuroscript.toml"), text).expect("a policy");
    USER_POLICY.set(Some(folder));
}

/// The result of a command, as text.
pub struct Ran {
    /// The exit code; -1 after a signal.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ran {
    let output = loop {
        match command.output() {
            // A script written by this test is open for writing in any child that another test is starting.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            // The same, of a binary that a program such as `setpriv` starts.
            Ok(output) if output.status.code() == Some(126) && output.stderr.ends_with(b"Text file busy\n") => {}
            output => break output.expect("the binary was built"),
        }
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs a command to its end with a text as its standard input.
pub fn with_input(command: &mut Command, input: &str) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ns starts");
    // A program that ends before it has read everything is no failure.
    let written = child.stdin.take().expect("input is piped").write_all(input.as_bytes());
    if let Err(error) = written {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe, "ns reads its input");
    }
    let output = child.wait_with_output().expect("ns ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs a shell script that can use `ns` on a small tmpfs at `$PLACE`. Returns `None` if mounting is not possible.
pub fn on_small_disk(place: &Path, options: &str, script: &str) -> Option<Ran> {
    let whole = format!(
        "mount -t tmpfs -o {options} tmpfs \"$PLACE\" || exit 77\nns() {{ \"$NS\" --sandbox \"$PLACE\" \"$@\"; }}\n{script}"
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-euc", &whole]).env("PLACE", place).env("NO_COLOR", "1");
    command.env("NS", env!("CARGO_BIN_EXE_ns")).env("HOME", "/nonexistent").env("XDG_STATE_HOME", state_home());
    let ran = run(&mut command);
    if ran.code == 77 || ran.stderr.contains("unshare failed") {
        println!("SKIPPED: no tmpfs can be mounted: {}", ran.stderr);
        return None;
    }
    Some(ran)
}

/// Copies a tree and gives every file of the copy [`FIXED_TIME`].
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder of the copy");
    for entry in fs::read_dir(from).expect("the tree to copy") {
        let entry = entry.expect("an entry of the tree");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file of the copy");
        }
    }
    set_times(to, FIXED_TIME);
}

/// Sets the modification times of a directory and everything in it.
pub fn set_times(folder: &Path, seconds: u64) {
    for entry in fs::read_dir(folder).expect("a folder to set times in") {
        let path = entry.expect("an entry").path();
        match path.is_symlink() {
            true => {}
            false if path.is_dir() => set_times(&path, seconds),
            false => set_time(&path, seconds),
        }
    }
    set_time(folder, seconds);
}

/// Sets the modification time of a file or directory.
pub fn set_time(path: &Path, seconds: u64) {
    let file = fs::File::open(path).expect("a file to set the time of");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("the time can be set");
}

/// Describes a tree as text: one line per entry, sorted, with the content of small texts and the targets of links.
pub fn describe(folder: &Path) -> String {
    let mut lines = Vec::new();
    describe_into(folder, Path::new(""), &mut lines);
    lines.sort();
    lines.concat()
}

fn describe_into(folder: &Path, below: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder to describe") {
        let entry = entry.expect("an entry to describe");
        let path = below.join(entry.file_name());
        if path == Path::new(".ns/runs") {
            // Its names, sizes and seals vary.
            continue;
        }
        let metadata = entry.path().symlink_metadata().expect("an entry to look at");
        let mut line = format!("{}", path.display());
        if metadata.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link to read");
            let _ = write!(line, " -> {}", target.display());
        } else if metadata.is_dir() {
            line.push('/');
            describe_into(&entry.path(), &path, lines);
        } else if path == Path::new(".ns/audit.jsonl") {
            // Times, runs and hashes vary.
            line.push_str(" (the audit log)");
        } else {
            let bytes = fs::read(entry.path()).unwrap_or_default();
            let _ = write!(line, " {} bytes {:?}", bytes.len(), String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
        }
        if metadata.permissions().mode() & 0o111 != 0 && metadata.is_file() {
            line.push_str(" executable");
        }
        lines.push(line + "\n");
    }
}

/// Describes everything in a directory except `.ns`, one line each: path, kind, permission bits, modification time,
/// content.
pub fn state_of(folder: &Path) -> Vec<String> {
    described(
        folder,
        |_| true,
        |metadata| {
            let modified = metadata.modified().expect("a time").duration_since(SystemTime::UNIX_EPOCH);
            format!("{:o} {modified:?}", metadata.permissions().mode())
        },
    )
}

/// Describes the same without times, and without the contents of archives, which contain times.
pub fn contents_of(folder: &Path) -> Vec<String> {
    described(folder, |path| !holds_times(path), |metadata| format!("{:o}", metadata.permissions().mode()))
}

fn described(
    folder: &Path,
    is_read: impl Fn(&Path) -> bool,
    describe: impl Fn(&fs::Metadata) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(path) = ahead.pop() {
        let metadata = path.symlink_metadata().expect("an entry to look at");
        let mut line = format!("{} {}", path.display(), describe(&metadata));
        if metadata.is_symlink() {
            let _ = write!(line, " -> {}", fs::read_link(&path).expect("a link to read").display());
        } else if metadata.is_dir() {
            let inside =
                fs::read_dir(&path).expect("a folder to describe").map(|entry| entry.expect("an entry").path());
            ahead.extend(inside.filter(|inner| inner != &folder.join(".ns")));
        } else if metadata.is_file() && is_read(&path) {
            let _ = write!(line, " {:?}", fs::read(&path).expect("a file to read"));
        }
        lines.push(line);
    }
    lines.sort();
    lines
}

/// Whether a file is an archive.
fn holds_times(path: &Path) -> bool {
    let name = path.to_string_lossy();
    [".zip", ".tar.gz", ".tgz"].iter().any(|end| name.ends_with(end))
}

/// Returns the stable parts of the audit log of a sandbox, one line for each of its lines.
pub fn audited(sandbox: &Path) -> String {
    let log = fs::read_to_string(sandbox.join(".ns/audit.jsonl")).unwrap_or_default();
    let told = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of the log is JSON");
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let paths: Vec<&str> =
            line["paths"].as_array().expect("paths").iter().filter_map(|path| path.as_str()).collect();
        let words = [text("tool"), text("outcome"), text("code"), paths.join(" ")];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ") + "\n"
    };
    log.lines().map(told).collect()
}

/// Whether `strace` is installed. If it is not, prints that the test is skipped.
pub fn has_strace() -> bool {
    let found = Command::new("strace").arg("-V").output().is_ok();
    if !found {
        println!("SKIPPED: there is no strace");
    }
    found
}

/// Returns a command that runs another one under `strace` with these options and writes the trace to a file.
pub fn strace(traced: &Command, trace: &Path, options: &[&str]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(trace).args(options);
    // The program stops at the traced system calls alone, which is faster. Signals would not be injected.
    if !options.iter().any(|option| option.starts_with("inject=")) {
        command.arg("--seccomp-bpf");
    }
    command.arg(traced.get_program()).args(traced.get_args());
    for (name, value) in traced.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(directory) = traced.get_current_dir() {
        command.current_dir(directory);
    }
    command
}

/// Compares with a golden file, or writes it if `UPDATE` is set.
pub fn golden(file: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(file.parent().expect("a golden file lies in a folder")).expect("a folder for golden files");
        fs::write(file, actual).expect("a golden file can be written");
        return Ok(());
    }
    let wanted = fs::read_to_string(file).map_err(|error| format!("{}: {error}; run with UPDATE=1", file.display()))?;
    if wanted == actual {
        return Ok(());
    }
    let difference =
        similar::TextDiff::from_lines(&wanted, actual).unified_diff().header("expected", "actual").to_string();
    Err(format!("{} differs; UPDATE=1 accepts what is new:\n{difference}", file.display()))
}

/// Captures the output of a script; warnings are lines that begin with `warning: `.
#[derive(Clone, Default)]
pub struct Captured(Rc<RefCell<String>>);

impl Captured {
    /// Returns the output so far.
    pub fn text(&self) -> String {
        self.0.borrow().clone()
    }
}

impl Output for Captured {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().push_str(&emitted(values, meter)?);
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        self.0.borrow_mut().push_str(&format!("warning: {text}\n"));
    }
}
