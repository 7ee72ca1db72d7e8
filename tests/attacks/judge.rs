//! Executes the attack of a vector in a mode and judges the result.

use super::answer::{Answer, Form, shown};
use super::arena::Arena;
use super::door::Door;
use super::launch::{Ended, Start};
use super::mode::{Mode, is_root};
use super::opened::Watch;
use super::report::Verdict;
use super::snapshot::{Closeness, Snapshot, set_back_access_times};
use super::vector::{Op, Vector, expand, expand_text, text_of};
use super::{generated, post};

/// Entries that a failed change may leave: the state directory without backups.
const OWN_BEGINNINGS: [&str; 3] = ["`.ns` is new", "`.ns/.gitignore` is new", "`.ns/lock` is new"];

/// Tools whose results contain link targets, which may be absolute.
const TELLS_TARGETS: [&str; 2] = ["file_info", "find"];

/// Snapshots of the trees around a call.
#[derive(Debug)]
pub struct Before {
    outside: Snapshot,
    evil: Snapshot,
    pub root: Snapshot,
    top: Vec<std::ffi::OsString>,
}

/// Executes an attack.
pub fn attack(vector: &Vector, mode: Mode, door: Door) -> Verdict {
    if let Some(reason) = obstacle(vector, mode) {
        return Verdict::Skipped(reason);
    }
    let arena = Arena::in_memory();
    if let Some(policy) = &vector.policy {
        super::arena::write(&arena.top.join("policy.toml"), policy.as_bytes());
    }
    generated::prepare(vector, &arena);
    arena.set_up(&vector.setup, mode);
    if let Some(reason) = missing_here(vector) {
        return Verdict::Skipped(reason);
    }
    let before = Before::look(&arena);
    let watch = Watch::begin(&vector.setup, &arena);
    let mut faults = match generated::start(vector, mode, &arena) {
        Some(start) => match start.run() {
            Ok(ended) => generated::judge(vector, &ended),
            Err(reason) => return Verdict::Skipped(reason),
        },
        None => match door.start(vector, mode, &arena).run() {
            Ok(ended) => judge(vector, mode, &arena, &before, (door, &ended)),
            Err(reason) => return Verdict::Skipped(reason),
        },
    };
    faults.extend(watch.iter().flat_map(Watch::faults));
    faults.extend(before.outside_faults(&arena, closeness_outside(vector)));
    Verdict::of(faults)
}

/// Returns the reason why the vector cannot run in this mode, or at all.
fn obstacle(vector: &Vector, mode: Mode) -> Option<String> {
    if let Some(reason) = mode.unavailable() {
        return Some(reason.to_owned());
    }
    if vector.harness {
        return Some("a driver does it: the `race` group".to_owned());
    }
    if vector.setup.iter().any(|op| matches!(op, Op::MountTmpfs { .. })) {
        return Some("a driver does it: the `devices` group".to_owned());
    }
    let missing = match vector.requires.as_deref()? {
        "root" => !is_root(),
        "unprivileged" => !mode.is_unprivileged(),
        "privileged" => mode.is_unprivileged(),
        other => panic!("{}: nobody knows what `requires: {other}` means", vector.id),
    };
    missing.then(|| format!("it requires {}", vector.requires.as_deref().unwrap_or_default()))
}

/// Returns the feature that the vector needs and `ns` lacks.
fn missing_here(vector: &Vector) -> Option<String> {
    if generated::is_driver(&vector.tool) {
        return None;
    }
    let declared = super::declared::parameters(&vector.tool);
    if declared.is_none() && vector.code.as_deref() != Some("unknown_tool") {
        return Some(format!("there is no tool `{}` yet", vector.tool));
    }
    let unknown = |name: &&String| declared.is_some_and(|names| !names.contains(*name));
    if vector.category != "arguments"
        && let Some(name) = vector.args.as_object().into_iter().flat_map(|args| args.keys()).find(unknown)
    {
        return Some(format!("`{}` has no argument `{name}` yet", vector.tool));
    }
    None
}

/// Returns the call of a vector from a shell.
pub fn call<'a>(vector: &Vector, mode: Mode, arena: &'a Arena) -> Start<'a> {
    let json = match &vector.raw_args {
        Some(raw) => text_of(raw, &arena.names()),
        None => expand(&vector.args, &arena.names()).to_string(),
    };
    let start = Start::new(mode, &arena.top).args(["call", &vector.tool]).args(place_flags(vector, arena));
    let start = start.args(vector.flags.iter().map(String::as_str));
    // A long argument does not fit on a command line.
    if json.len() < 100_000 { start.args(["--", &json]) } else { start.args(["-"]).stdin(json) }
}

pub fn place_flags(vector: &Vector, arena: &Arena) -> Vec<String> {
    let names = arena.names();
    let sandbox = vector.sandbox.as_deref().unwrap_or("${ROOT}");
    let mut flags = vec!["--sandbox".to_owned(), expand_text(sandbox, &names)];
    if vector.policy.is_some() {
        flags.extend(["--policy".to_owned(), expand_text("${TMP}/policy.toml", &names)]);
    }
    flags
}

fn judge(vector: &Vector, mode: Mode, arena: &Arena, before: &Before, (door, ended): (Door, &Ended)) -> Vec<String> {
    let mut faults: Vec<String> = absolute_paths(vector, arena, ended).into_iter().collect();
    let ended = &match door.as_call(ended) {
        Ok(ended) => ended,
        Err(fault) => return vec![fault],
    };
    let answer = Answer::of(ended, Form { is_text: super::declared::gives_text(&vector.tool), may_warn: vector.warns });
    faults.extend(answer.faults.iter().cloned());
    if !vector.expected.split('|').any(|class| class == answer.class) {
        faults.push(format!("expected `{}`, found `{}`: {}", vector.expected, answer.class, told(ended)));
    } else if vector.code.is_some() && vector.code != answer.code {
        faults.push(format!("expected the code {:?}, found {:?}: {}", vector.code, answer.code, told(ended)));
    }
    faults.extend(before.root_faults(vector, arena, answer.class));
    let terminal = || call(vector, mode, arena).run_on_terminal();
    for text in &vector.post {
        faults.extend(post::check(
            text,
            &post::Scene { vector, arena, before, answer: &answer, ended, terminal: &terminal },
        ));
    }
    faults
}

fn told(ended: &Ended) -> String {
    format!("exit {:?}, {} {}", ended.code, shown(&ended.stdout), shown(&ended.stderr))
}

/// Finds absolute paths in messages. Paths must be relative to the root, unless the caller wrote an absolute one or
/// chose another sandbox.
fn absolute_paths(vector: &Vector, arena: &Arena, ended: &Ended) -> Option<String> {
    let top = arena.top.to_str().expect("temporary folders have plain names");
    let given = expand(&vector.args, &arena.names()).to_string();
    let mut both = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if TELLS_TARGETS.contains(&vector.tool.as_str()) {
        for op in &vector.setup {
            if let Op::Symlink { target, .. } = op {
                let target = text_of(target, &arena.names());
                both = both.map(|text| text.replace(&target, ""));
            }
        }
    }
    let told = both.iter().any(|text| text.contains(top)) && !given.contains(top) && vector.sandbox.is_none();
    told.then(|| format!("an absolute path came out: {}", told_of(&both)))
}

fn told_of(both: &[String; 2]) -> String {
    super::cut(&both.concat())
}

/// Returns how closely to compare the outside. Files with a second name inside may be read there, which changes their
/// access times outside.
fn closeness_outside(vector: &Vector) -> Closeness {
    let shared = vector.setup.iter().any(|op| matches!(op, Op::Hardlink { .. }));
    if shared { Closeness::Changes } else { Closeness::Reads }
}

impl Before {
    /// Takes the snapshots. Prepares the outside so that reading it is noticed.
    pub fn look(arena: &Arena) -> Before {
        set_back_access_times(&arena.outside);
        set_back_access_times(&arena.evil);
        let before = Before {
            outside: Snapshot::of(&arena.outside),
            evil: Snapshot::of(&arena.evil),
            root: Snapshot::of_root(&arena.root),
            top: names_in(arena),
        };
        set_back_access_times(&arena.outside);
        set_back_access_times(&arena.evil);
        before
    }

    /// Returns the differences outside of the sandbox.
    pub fn outside_faults(&self, arena: &Arena, closeness: Closeness) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, before, folder) in
            [("outside", &self.outside, &arena.outside), ("root-evil", &self.evil, &arena.evil)]
        {
            let differences = before.differences(&Snapshot::of(folder), closeness);
            faults.extend(differences.iter().map(|line| format!("ESCAPE in {name}: {line}")));
        }
        let now = names_in(arena);
        if now != self.top {
            faults.push(format!("ESCAPE beside the root: {:?} became {now:?}", self.top));
        }
        faults
    }

    /// Returns the effects of a call in the sandbox that it should not have had.
    fn root_faults(&self, vector: &Vector, arena: &Arena, class: &str) -> Vec<String> {
        let after = Snapshot::of_root(&arena.root);
        // Some attacks choose another sandbox, which then contains the log.
        let chosen = vector.sandbox.as_deref().map(|text| expand_text(text, &arena.names()));
        let chosen = chosen.and_then(|path| std::fs::canonicalize(path).ok());
        let below = chosen.as_deref().and_then(|path| path.strip_prefix(std::fs::canonicalize(&arena.root).ok()?).ok());
        let after = match below {
            Some(below) => after.without_log(below),
            None => after,
        };
        let stray = after.named(".ns-tmp-");
        let mut faults: Vec<String> =
            stray.iter().map(|path| format!("`{}` was left behind", path.display())).collect();
        let closeness = match class {
            // A listing into a memory is stored below `.ns`.
            "ok" if !super::declared::reads(&vector.tool) || vector.args.get("target").is_some() => return faults,
            "error" => Closeness::State,
            _ => Closeness::Changes,
        };
        let differences = self.root.differences(&after, closeness);
        let strange = differences.iter().filter(|line| !OWN_BEGINNINGS.contains(&line.as_str()));
        faults.extend(strange.map(|line| format!("the sandbox was changed: {line}")));
        faults
    }
}

fn names_in(arena: &Arena) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(&arena.top).expect("a folder of ours can be read");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("a folder of ours can be read").file_name()).collect();
    names.sort();
    names
}
