//! Tools at work while another thread exchanges their files for links to the outside.
//!
//! Races test the first line of defence alone: Landlock is disabled, so that only our handle-based path resolution
//! confines a tool.
//!
//! Each race is one `ns` process that calls a tool over and over, and one thread that exchanges names continuously. No
//! secret may be disclosed and nothing outside may change; whether a call succeeds is left to chance. `control` shows
//! that the same exchanges defeat a naive implementation.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags};

use super::arena::{Arena, write};
use super::mode::is_long;
use super::probe::Probe;

/// Creates a directory `d`, and a link `l` to the outside to exchange it for.
pub fn prepare_folder(arena: &Arena) {
    write(&arena.place("d/f"), b"INSIDE");
    symlink(&arena.outside, arena.place("l")).expect("a link");
}

/// Exchanges two names in a directory if both exist.
pub fn exchange(root: &Path, one: &str, other: &str) {
    let _ = rustix::fs::renameat_with(CWD, root.join(one), CWD, root.join(other), RenameFlags::EXCHANGE);
}

/// Replaces a staging file in a directory by a link to the outside.
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

/// Minimum number of exchanges for a race to be conclusive.
const ENOUGH: u64 = 100;
/// Maximum number of repetitions of a race until there were [`ENOUGH`] exchanges.
const ROUNDS: u32 = 10;

/// Calls a tool in a script repeatedly while another thread disturbs it.
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

/// Stops the disturbing thread when dropped, also on a panic.
pub struct Stopping<'a>(pub &'a AtomicBool);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns a script that makes the calls and prints every answer.
fn script(call: &str, turns: u32) -> String {
    format!(
        "FOR EACH i IN RANGE({turns}) DO\n{call}\nIF LAST_ERROR == nil THEN\nEMIT \"took \", r\nELSE\nEMIT \"refused \", LAST_ERROR.code, \" \", r\nENDBLOCK\nENDBLOCK\n"
    )
}

/// Lets only one race run at a time, because each needs a processor for either side.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of calls, in the short or the long form.
pub fn calls(short: u32) -> u32 {
    calls_times(short, 50)
}

/// Returns the number of calls, with a factor for the long form.
pub fn calls_times(short: u32, times: u32) -> u32 {
    if is_long() { short * times } else { short }
}

/// Returns the time after which a race counts as hanging.
pub fn patience() -> Duration {
    Duration::from_secs(if is_long() { 3600 } else { 120 })
}
