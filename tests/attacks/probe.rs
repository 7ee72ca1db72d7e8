//! A sequence of calls in one arena, for attacks that need more than one call.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::answer::{Answer, Form, end_faults};
use super::arena::Arena;
use super::judge::Before;
use super::launch::{Ended, Refusal, Start};
use super::mode::Mode;
use super::report::Verdict;
use super::snapshot::{Closeness, Content, Snapshot};

/// An arena, the way to start `ns` in it, and the faults so far.
#[derive(Debug)]
pub struct Probe {
    pub arena: Arena,
    pub mode: Mode,
    refused: Vec<Refusal>,
    /// Another build of `ns`.
    program: Option<PathBuf>,
    before: Option<Before>,
    faults: Vec<String>,
}

impl Probe {
    /// Creates a probe whose calls have these system calls refused. Returns a verdict if the mode is not available.
    pub fn new(mode: Mode, refused: &[Refusal]) -> Result<Probe, Verdict> {
        Probe::at(Arena::new, mode, refused)
    }

    /// Creates a probe in memory, for races.
    pub fn in_memory(mode: Mode, refused: &[Refusal]) -> Result<Probe, Verdict> {
        Probe::at(Arena::in_memory, mode, refused)
    }

    fn at(arena: fn() -> Arena, mode: Mode, refused: &[Refusal]) -> Result<Probe, Verdict> {
        match mode.unavailable() {
            Some(reason) => Err(Verdict::Skipped(reason.to_owned())),
            None => {
                let (before, faults) = (None, Vec::new());
                Ok(Probe { arena: arena(), mode, refused: refused.to_vec(), program: None, before, faults })
            }
        }
    }

    /// Selects another build of `ns` for further starts.
    pub fn use_program(&mut self, program: &Path) {
        self.program = Some(program.to_owned());
    }

    /// Ends the set-up: hands everything over and records the outside.
    pub fn begin(&mut self) {
        self.arena.hand_over(self.mode);
        self.begin_handed_over();
    }

    /// Records the outside after everything has been handed over.
    pub fn begin_handed_over(&mut self) {
        self.before = Some(Before::look(&self.arena));
    }

    /// Returns a start of `ns` here.
    pub fn start(&self) -> Start<'_> {
        let start = Start::new(self.mode, &self.arena.top);
        let start = match &self.program {
            Some(program) => start.program(program),
            None => start,
        };
        self.refused.iter().fold(start, |start, refusal| start.refuse(*refusal))
    }

    /// Calls a tool, which must answer `ok` or with one of the codes (separated by `|`).
    pub fn call(&mut self, tool: &str, args: Value, expected: &str) {
        let text = args.to_string();
        let start = self.start().args(["call", tool, "--sandbox", "root", "-"]).stdin(text.as_str());
        let ended = match start.run() {
            Ok(ended) => ended,
            Err(reason) => return self.fault(format!("the call was not made: {reason}")),
        };
        let answer = Answer::of(&ended, Form::default());
        let found = answer.code.as_deref().unwrap_or(answer.class);
        let fits = expected.split('|').any(|word| word == found);
        self.faults.extend(answer.faults.iter().map(|fault| format!("{tool} {}: {fault}", super::cut(&text))));
        self.check(fits, || format!("{tool} {}: expected {expected}, found {found}: {ended:?}", super::cut(&text)));
    }

    /// Calls a tool, which must succeed, and returns the path of its backup.
    pub fn call_kept(&mut self, tool: &str, args: Value) -> Option<String> {
        let text = args.to_string();
        let start = self.start().args(["call", tool, "--sandbox", "root", "-"]).stdin(text.as_str());
        let kept = start.run().ok().and_then(|ended| {
            let answer: Value = serde_json::from_slice(&ended.stdout).ok()?;
            answer["backupPath"].as_str().map(str::to_owned)
        });
        self.check(kept.is_some(), || format!("{tool} {}: nothing is kept", super::cut(&text)));
        kept
    }

    /// Records faults of a finished script.
    pub fn judge_script(&mut self, ended: &Ended) {
        self.faults.extend(end_faults(ended));
        self.check(ended.code == Some(0), || {
            format!("exit {:?}: {}", ended.code, String::from_utf8_lossy(&ended.stderr))
        });
    }

    /// Records a fault unless a condition holds.
    pub fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.fault(what());
        }
    }

    /// Records a fault.
    pub fn fault(&mut self, what: String) {
        self.faults.push(super::cut(&what));
    }

    /// Checks that a tree in the sandbox is unchanged.
    pub fn check_same(&mut self, path: &str, before: &Snapshot) {
        let after = match path {
            "." => Snapshot::of_root(&self.arena.root),
            path => Snapshot::of(&self.arena.place(path)),
        };
        let differences = before.differences(&after, Closeness::State);
        self.faults.extend(differences.iter().map(|line| format!("in `{path}`: {line}")));
    }

    /// Checks that nothing exists at a path in the sandbox.
    pub fn check_absent(&mut self, path: &str) {
        let found = std::fs::symlink_metadata(self.arena.place(path)).is_ok();
        self.check(!found, || format!("`{path}` exists"));
    }

    /// Checks that no staging file exists anywhere in the sandbox. Links with such names belong to the attacker.
    pub fn check_no_stray(&mut self) {
        let now = Snapshot::of_root(&self.arena.root);
        let is_ours = |path: &&&Path| !matches!(now.0[**path].content, Content::Link(_));
        let stray = now.named(".ns-tmp-");
        let stray: Vec<String> = stray.iter().filter(is_ours).map(|path| path.display().to_string()).collect();
        self.check(stray.is_empty(), || format!("left behind: {stray:?}"));
    }

    /// Checks that no file in the sandbox contains a secret.
    pub fn check_no_secret_inside(&mut self) {
        let now = Snapshot::of(&self.arena.root);
        for (path, entry) in &now.0 {
            let secret = matches!(&entry.content, Content::Short(bytes) if bytes.starts_with(b"SECRET"));
            self.check(!secret, || format!("a SECRET was taken into `{}`", path.display()));
        }
    }

    /// Returns the final verdict, including the outside.
    pub fn verdict(&mut self, closeness: Closeness) -> Verdict {
        if let Some(before) = &self.before {
            self.faults.extend(before.outside_faults(&self.arena, closeness));
        }
        Verdict::of(std::mem::take(&mut self.faults))
    }
}
