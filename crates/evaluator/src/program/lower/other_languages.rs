//! Names from other languages for things that are written differently or do not exist in NeuroScript.

use crate::text::written_as;

/// Returns what to write instead of a call of a name that does not exist.
pub fn instead(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    TABLE.iter().find(|(names, _)| names.contains(&&*lower)).map(|(_, help)| *help).or_else(|| written_as(name))
}

/// Returns the equivalent of a shell command.
pub fn of_shell(name: &str) -> Option<&'static str> {
    let (_, help) = SHELL.iter().find(|(word, _)| *word == name)?;
    Some(help)
}

/// Shell commands, and what to write instead.
const SHELL: [(&str, &str); 6] = [
    ("ls", "`FS.ListDir(\".\")` lists the directory, `FS.Find(\".\")` finds all files below it"),
    ("dir", "`FS.ListDir(\".\")` lists the directory, `FS.Find(\".\")` finds all files below it"),
    ("tree", "`FS.ListDir(\".\")` lists the directory as a tree"),
    ("pwd", "`ns doctor` shows the sandbox; paths begin there"),
    ("du", "`FS.Find(\".\", sort: \"size\", descending: true)` finds all files, the largest first"),
    ("date", "`TIME.Now()` gives the time"),
];

/// Returns advice for a name that stands for something that scripts cannot do.
pub fn absent(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let first = lower.split('.').next().unwrap_or_default();
    let is_reported = name.contains('.') || !OFTEN_OWN.contains(&first);
    ABSENT.iter().find(|(names, _)| is_reported && names.contains(&first)).map(|(_, help)| *help)
}

/// Returns whether a bare name matches a tool only by coincidence, so that the tool's page would not help.
pub fn means_a_value(name: &str) -> bool {
    name.eq_ignore_ascii_case("list")
}

const NO_PROGRAMS: &str = "a script starts no other programs; `ns tools` lists what it can do itself, and `ns FILE` can \
    stand in a shell script between them";
const NO_NETWORK: &str =
    "a script has no access to the network; fetch it before, and read the file: `FS.ReadFile(path)`";
const NO_WAITING: &str = "a script does not wait; schedule its runs from outside (cron, a shell loop)";
const NO_THREADS: &str = "a script does one thing after another; `FOR EACH x IN list DO` goes through a list";

/// Lower-case names of things that scripts cannot do in a namespace that has others, and what to do instead.
const TABLE: [(&[&str], &str); 2] = [
    (
        &[
            "os.system",
            "os.popen",
            "os.execv",
            "os.run",
            "os.exec",
            "os.spawn",
            "os.startprocess",
            "shell_exec",
            "proc_open",
        ],
        NO_PROGRAMS,
    ),
    (&["time.sleep", "thread.sleep", "time.after"], NO_WAITING),
];

/// Names in [`ABSENT`] that scripts often give to their own procedures.
const OFTEN_OWN: [&str; 8] = ["process", "command", "make", "request", "net", "thread", "wait", "shell"];

/// Lower-case first parts of names for things that scripts cannot do, and what to do instead.
const ABSENT: [(&[&str], &str); 4] = [
    (
        &[
            "subprocess",
            "child_process",
            "exec",
            "execsync",
            "spawn",
            "popen",
            "system",
            "shell",
            "sh",
            "bash",
            "cmd",
            "git",
            "npm",
            "docker",
            "make",
            "command",
            "process",
            "execfile",
            "powershell",
        ],
        NO_PROGRAMS,
    ),
    (
        &[
            "requests",
            "urllib",
            "urllib2",
            "http",
            "https",
            "httpx",
            "axios",
            "fetch",
            "curl",
            "wget",
            "socket",
            "net",
            "aiohttp",
            "request",
            "xmlhttprequest",
            "ftp",
            "smtp",
            "smtplib",
            "websocket",
        ],
        NO_NETWORK,
    ),
    (&["sleep", "usleep", "settimeout", "setinterval", "wait", "delay"], NO_WAITING),
    (&["threading", "thread", "asyncio", "multiprocessing", "promise", "async", "await", "concurrent"], NO_THREADS),
];
