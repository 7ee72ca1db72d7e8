//! Checks that each mode is as described: the resolver in use, and the user.

use libtest_mimic::Trial;

use super::arena::Arena;
use super::launch::{Call, Refusal, Start};
use super::mode::{Mode, Resolver};
use super::report::{self, Verdict};

/// Returns the checks of a mode.
pub fn trials(mode: Mode) -> Vec<Trial> {
    let mut trials = vec![
        report::trial(format!("mode [{mode}]: the resolver in force"), move || resolver_in_force(mode)),
        report::trial(format!("mode [{mode}]: the user in force"), move || user_in_force(mode)),
    ];
    if mode.resolver == Resolver::Openat2 {
        let name = format!("mode [{mode}]: openat2 refused with EPERM");
        trials.push(report::trial(name, move || openat2_not_permitted(mode)));
    }
    if mode == Mode::ONE {
        for (what, call) in [("Landlock", Call::Landlock), ("seccomp", Call::Seccomp)] {
            let name = format!("mode [{mode}]: nothing runs without {what} where the policy demands it");
            trials.push(report::trial(name, move || nothing_runs_without(mode, what, call)));
        }
    }
    trials
}

/// If the kernel lacks a part of the lockdown, this is reported, and with `require_kernel_sandbox` nothing runs.
fn nothing_runs_without(mode: Mode, what: &str, call: Call) -> Verdict {
    let arena = Arena::new();
    arena.set_up(&[], mode);
    let start = |policy: &str, words: &[&str]| {
        super::arena::write(&arena.top.join("policy.toml"), policy.as_bytes());
        let words = words.iter().chain(&["--sandbox", "root", "--policy", "policy.toml"]);
        let start = Start::new(mode, &arena.top).args(words.copied());
        start.refuse(Refusal::new(call, rustix::io::Errno::NOSYS)).run()
    };
    let demanding = "[policy]\nrequire_kernel_sandbox = true\n";
    let write = ["call", "write_file", r#"{"file_path":"made","content":""}"#];
    let told = match (start("", &["doctor"]), start(demanding, &write), start("", &["run", "-v", "-e", "EMIT 1"])) {
        (Ok(doctor), Ok(refused), Ok(run)) => (doctor, refused, run),
        (Err(reason), ..) | (_, Err(reason), _) | (.., Err(reason)) => return Verdict::Skipped(reason),
    };
    let (doctor, refused, run) = told;
    let says = |bytes: &[u8], words: &str| String::from_utf8_lossy(bytes).contains(words);
    let faults = [
        (!says(&doctor.stdout, "kernel sandbox                   in part"), "`ns doctor` does not tell"),
        (!says(&run.stderr, "kernel sandbox: in part"), "`ns run -v` does not tell"),
        (run.code != Some(0), "nothing runs where nothing is demanded"),
        (refused.code == Some(0) || !says(&refused.stderr, "require_kernel_sandbox"), "it runs where it is demanded"),
        (arena.root.join("made").exists(), "the tool did its work"),
    ];
    let faults: Vec<String> =
        faults.iter().filter(|(is, _)| *is).map(|(_, fault)| format!("without {what}: {fault}")).collect();
    if faults.is_empty() { Verdict::Passed } else { Verdict::Failed(faults) }
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

/// Old container runtimes answer EPERM instead of ENOSYS for unknown system calls.
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
