//! The commands that run in hostile directories.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::folder::Treated;
use super::support::ns;

/// Standard input of the commands.
const FRAMES: &str = concat!(
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",",
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"list_directory\",\"arguments\":{\"path\":\".\"}}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"run_script\",\"arguments\":{\"script\":\"EMIT 1\"}}}\n",
);
/// Maximum size of output that is examined; a command that prints more is at fault.
const OUTPUT: u64 = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

/// A command, and its permitted effects.
pub struct Command {
    pub words: &'static [&'static str],
    /// Whether it may undo or redo a run of the user.
    takes_back: bool,
    input: &'static str,
}

const fn command(words: &'static [&'static str]) -> Command {
    Command { words, takes_back: false, input: "" }
}

const fn taking_back(words: &'static [&'static str]) -> Command {
    Command { words, takes_back: true, input: "" }
}

pub const COMMANDS: [Command; 33] = [
    command(&["run", "-e", "EMIT LEN(FS.WalkDir(\".\"))"]),
    command(&["run", "ok.ns"]),
    command(&["run", "--atomic", "-e", "MUST FS.WriteFile(\"x.txt\", \"1\")\nFAIL \"no\""]),
    command(&["run", "--plan", "-e", "MUST FS.WriteFile(\"a.txt\", \"planned\")"]),
    command(&["run", "-e", "EMIT MEMORY.Get(\"k\", \"project\")\nCALL MEMORY.Set(\"j\", 1, \"project\")"]),
    command(&["run", "-e", "EMIT FS.ReadFile(\".ns/audit.jsonl\").error, FS.ReadFile(\"neuroscript.toml\").error"]),
    command(&["run", "doc.md"]),
    command(&["--read-only", "run", "ok.ns"]),
    command(&["call", "list_directory", "{\"path\": \".\", \"recursive\": true}"]),
    command(&["call", "write_file", "{\"file_path\": \"new/x.txt\", \"content\": \"1\"}"]),
    command(&["render", "doc.md"]),
    command(&["check", "ok.ns", "lib/m.ns", "t/case.ns"]),
    command(&["fmt", "--check", "t/case.ns", "lib/m.ns", "doc.md"]),
    command(&["test", "t"]),
    command(&["log"]),
    command(&["log", "--all", "--output", "json"]),
    command(&["show", "2026"]),
    command(&["doctor"]),
    command(&["memory", "list"]),
    command(&["memory", "export", "--salvage"]),
    command(&["memory", "import", "memory.jsonl"]),
    command(&["audit", "verify"]),
    command(&["audit", "show", "--limit", "5"]),
    command(&["gc", "--dry-run", "--all", "--keep-runs", "0"]),
    command(&["adopt"]),
    Command { words: &["mcp", "--write"], takes_back: false, input: FRAMES },
    Command { words: &["repl"], takes_back: false, input: "EMIT 1\n" },
    command(&["apply", "plan.json"]),
    command(&["undo", "--plan", "--force"]),
    command(&["redo", "--plan"]),
    taking_back(&["undo"]),
    taking_back(&["undo", "--force"]),
    taking_back(&["redo"]),
];

impl Command {
    /// Runs it in a directory. The error describes a fault.
    pub fn run(&self, folder: &Treated) -> Result<(), String> {
        let root = folder.root();
        let mut command = ns(&root);
        command.args(self.words).current_dir(&root).env("TMPDIR", folder.other());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ns starts");
        // A command that reads nothing may have ended already.
        let _ = child.stdin.take().expect("input is piped").write_all(self.input.as_bytes());
        let readers = [reader(child.stdout.take().expect("piped")), reader(child.stderr.take().expect("piped"))];
        let ended = wait(&mut child)?;
        let [output, told] = readers.map(|reader| reader.join().expect("a reader ends"));
        // Any command recovers a killed run.
        let takes_back = self.takes_back || folder.is_open();
        // These commands create files of their own.
        for own in ["x.txt", "f.txt", "new"] {
            let path = root.join(own);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        let shown = format!("exit {ended:?}\n{}\n{}", short(&output), short(&told));
        if ended.is_none_or(|code| code == 101) || told.contains("panicked") || told.contains("NS0901") {
            return Err(format!("it fell over: {shown}"));
        }
        // A command given a link by name reads its target, like `cat`.
        let names_it = self.words.contains(&folder.target);
        if !names_it && (output.contains("SECRET") || told.contains("SECRET")) {
            return Err(format!("it shows what is outside: {shown}"));
        }
        if let Some(escape) = output.chars().chain(told.chars()).find(|&c| c == '\u{1b}') {
            return Err(format!("it sends {escape:?} to the terminal: {shown}"));
        }
        folder.fault(takes_back).map_or(Ok(()), |fault| Err(format!("{fault}\n{shown}")))
    }
}

fn short(text: &str) -> String {
    text.chars().take(600).collect()
}

fn reader(from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output that a killed process leaves unread does not matter.
        let _ = from.take(OUTPUT).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end, and kills a process that hangs. Returns its exit code, `None` after a signal.
fn wait(child: &mut Child) -> Result<Option<i32>, String> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            return Ok(status.code());
        }
        if begin.elapsed() > PATIENCE {
            child.kill().expect("it is ours");
            child.wait().expect("it is ours");
            return Err("it did not end".to_owned());
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
