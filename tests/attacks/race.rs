//! Tools at work while somebody else exchanges what they work on for links to the outside.
//!
//! Races are run against the first wall alone: the kernel's Landlock is taken away, so that nothing but our own
//! way of finding places keeps a tool inside.
//!
//! Each race is one `ns` process that calls a tool over and over, and one thread that never stops
//! exchanging. No secret may come out and nothing outside may change; whether a call succeeds is
//! left to chance. `control` shows that the same exchanging defeats a naive implementation.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags};

use super::arena::{Arena, write};
use super::probe::Probe;

/// A folder `d`, and a link `l` to the outside to exchange it for.
pub fn prepare_folder(arena: &Arena) {
    write(&arena.place("d/f"), b"INSIDE");
    symlink(&arena.outside, arena.place("l")).expect("a link");
}

/// Exchanges two names in a folder, if both are there.
pub fn exchange(root: &Path, one: &str, other: &str) {
    let _ = rustix::fs::renameat_with(CWD, root.join(one), CWD, root.join(other), RenameFlags::EXCHANGE);
}

/// Puts a link to the outside where a file of a folder is that is not finished yet.
pub fn exchange_draft(arena: &Arena, folder: &str) {
    let folder = arena.place(folder);
    let bait = folder.join("bait");
    let _ = symlink(arena.outside.join("f"), &bait);
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(".ns-tmp-") {
            let _ = std::fs::rename(&bait, entry.path());
        }
    }
}

/// Exchanges below which a race says nothing.
const ENOUGH: u64 = 100;
/// How often a race is run again for the sake of [`ENOUGH`].
const ROUNDS: u32 = 10;

/// Calls a tool in a script again and again while somebody disturbs.
pub fn disturbed(probe: &mut Probe, disturb: impl Fn(&Arena) + Sync, call: &str, turns: u32) {
    let exchanges = AtomicU64::new(0);
    for _ in 0..ROUNDS {
        if exchanges.load(Ordering::Relaxed) < ENOUGH {
            round(probe, &disturb, &exchanges, call, turns);
        }
    }
    let exchanges = exchanges.into_inner();
    probe.check(exchanges >= ENOUGH, || format!("inconclusive: only {exchanges} exchanges"));
}

fn round(probe: &mut Probe, disturb: &(impl Fn(&Arena) + Sync), exchanges: &AtomicU64, call: &str, turns: u32) {
    let stop = AtomicBool::new(false);
    let stop = &stop;
    let start = probe.start().args(["run", "--sandbox", "root", "-"]).stdin(script(call, turns)).patience(patience());
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                disturb(&probe.arena);
                exchanges.fetch_add(1, Ordering::Relaxed);
            }
        });
        let _stopping = Stopping(stop);
        start.run()
    });
    match ended {
        Err(reason) => probe.fault(reason),
        Ok(ended) => {
            probe.judge_script(&ended);
            let text = String::from_utf8_lossy(&ended.stdout);
            let answers = text.lines().filter(|line| line.starts_with("took ") || line.starts_with("refused ")).count();
            probe.check(answers == turns as usize, || format!("{turns} turns gave {answers} answers"));
        }
    }
}

/// Stops whoever disturbs when it is dropped, also by a panic.
pub struct Stopping<'a>(pub &'a AtomicBool);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A script that makes the calls and prints every answer.
fn script(call: &str, turns: u32) -> String {
    format!(
        "FOR EACH i IN RANGE({turns}) DO\n{call}\nIF LAST_ERROR == nil THEN\nEMIT \"took \", r\nELSE\nEMIT \"refused \", LAST_ERROR.code, \" \", r\nENDBLOCK\nENDBLOCK\n"
    )
}

/// Races one at a time: each needs a processor for either side.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_long() -> bool {
    std::env::var_os("NS_LONG").is_some_and(|value| value == "1")
}

/// How many turns, in the form that is asked for.
pub fn calls(short: u32) -> u32 {
    calls_times(short, 50)
}

/// The same where the long form is so many times the short one.
pub fn calls_times(short: u32, times: u32) -> u32 {
    if is_long() { short * times } else { short }
}

/// How long a race may take before it counts as hanging.
pub fn patience() -> Duration {
    Duration::from_secs(if is_long() { 3600 } else { 120 })
}
