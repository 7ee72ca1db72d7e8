//! That each mode is what it says: the resolver in force, and the user.

use libtest_mimic::Trial;

use super::arena::Arena;
use super::launch::{Call, Refusal, Start};
use super::mode::{Mode, Resolver};
use super::report::{self, Verdict};

/// The checks of a mode.
pub fn trials(mode: Mode) -> Vec<Trial> {
    let mut trials = vec![
        report::trial(format!("mode [{mode}]: the resolver in force"), move || resolver_in_force(mode)),
        report::trial(format!("mode [{mode}]: the user in force"), move || user_in_force(mode)),
    ];
    if mode.resolver == Resolver::Openat2 {
        let name = format!("mode [{mode}]: openat2 refused with EPERM");
        trials.push(report::trial(name, move || openat2_not_permitted(mode)));
    }
    trials
}

fn resolver_in_force(mode: Mode) -> Verdict {
    if let Some(reason) = mode.unavailable() {
        return Verdict::Skipped(reason.to_owned());
    }
    let wanted = match mode.resolver {
        Resolver::Openat2 => "openat2",
        Resolver::Portable => "portable",
    };
    match mode.doctor(&Arena::new()) {
        Ok(text) if resolver_of(&text) == Some(wanted) => Verdict::Passed,
        Ok(text) => Verdict::Failed(vec![format!("the resolver is not {wanted}:\n{text}")]),
        Err(reason) => Verdict::Failed(vec![reason]),
    }
}

fn resolver_of(doctor: &str) -> Option<&str> {
    let line = doctor.lines().find_map(|line| line.strip_prefix("resolver"))?;
    line.trim().split(':').next()
}

fn user_in_force(mode: Mode) -> Verdict {
    use std::os::unix::fs::MetadataExt;
    if let Some(reason) = mode.unavailable() {
        return Verdict::Skipped(reason.to_owned());
    }
    let arena = Arena::new();
    arena.set_up(&[], mode);
    let call = Start::new(mode, &arena.top).args([
        "call",
        "write_file",
        r#"{"file_path":"mine","content":""}"#,
        "--sandbox",
        "root",
    ]);
    if let Err(reason) = call.run() {
        return Verdict::Failed(vec![reason]);
    }
    let owner = std::fs::metadata(arena.root.join("mine")).map(|metadata| metadata.uid());
    let wanted = mode.user_to_become().unwrap_or(rustix::process::geteuid().as_raw());
    match owner {
        Ok(owner) if owner == wanted => Verdict::Passed,
        other => Verdict::Failed(vec![format!("a new file belongs to {other:?}, not to {wanted}")]),
    }
}

/// Old container runtimes answer EPERM, not ENOSYS, for calls that they do not know.
fn openat2_not_permitted(mode: Mode) -> Verdict {
    if let Some(reason) = mode.unavailable() {
        return Verdict::Skipped(reason.to_owned());
    }
    let arena = Arena::new();
    arena.hand_over(mode);
    let doctor = Start::new(mode, &arena.top)
        .args(["doctor", "--sandbox", "root"])
        .refuse(Refusal::new(Call::Openat2, rustix::io::Errno::PERM));
    match doctor.run() {
        Err(reason) => Verdict::Skipped(reason),
        Ok(ended) if resolver_of(&String::from_utf8_lossy(&ended.stdout)) == Some("portable") => Verdict::Passed,
        Ok(ended) => Verdict::Failed(vec![format!("the resolver is not portable: {ended:?}")]),
    }
}
