//! The sandbox, policy and limits in effect, for people.

use crate::engine::{Engine, ForeignAction, KeyRow, NO_KEY_YET, Ownership, PROMISES, Promise, Resolver, System};
use crate::text::safe;

/// Returns whether the kernel restricts the process: a summary, and a line for each restriction.
pub fn kernel_sandbox(engine: &Engine) -> String {
    let Some(status) = engine.lockdown() else { return "kernel sandbox: none".to_owned() };
    let rows = status.rows().into_iter().map(|(name, what)| format!("\n  {name}: {what}"));
    format!("kernel sandbox: {}{}", status.summary(), rows.collect::<String>())
}

/// Describes whether this user's state can be distinguished from foreign state here, and whether `.ns` is foreign.
fn seals(engine: &Engine) -> String {
    let key = match engine.key_lost_because() {
        None => "your key tells your runs from a stranger's".to_owned(),
        Some(NO_KEY_YET) => "your key is made by the first run that changes something".to_owned(),
        Some(reason) => format!("no run is recovered or taken back by another command: {reason}"),
    };
    let own = match engine.ownership() {
        Ok(Some(Ownership::Foreign)) => "; `.ns` here is foreign: see `ns adopt`",
        Ok(_) => "",
        Err(_) => "; `.ns` here cannot be used",
    };
    let foreign = engine.foreign(ForeignAction::Show).map(|it| it.runs.len() as u64 + it.kept.foreign.kept.things);
    let found = match foreign {
        Ok(0) => String::new(),
        Ok(1) => "; 1 thing in it is foreign".to_owned(),
        Ok(number) => format!("; {number} things in it are foreign"),
        Err(error) => format!("; {}", error.message),
    };
    format!("{key}{own}{found}")
}

/// Describes the sandbox of an engine and what scripts may do in it.
pub fn in_force(engine: &Engine) -> String {
    let gate = engine.gate();
    let resolver = match gate.root().resolver() {
        Resolver::Openat2 => "openat2: the kernel keeps every path below the root",
        Resolver::Memory => "memory: paths are followed step by step in a folder in memory",
        Resolver::Portable => "portable: `openat2` is not available, paths are followed step by step through cap-std",
    };
    let mut text = String::new();
    let mut row = |name: &str, value: &str| text.push_str(&format!("{name:<33}{}\n", safe::name(value)));
    row("version", env!("CARGO_PKG_VERSION"));
    row("system", &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    row("sandbox", &gate.root().path().display().to_string());
    row("resolver", resolver);
    row(
        "changes",
        if gate.policy().read_only {
            "refused: read-only"
        } else {
            "allowed in the sandbox; overwritten and deleted files are kept, and `ns undo` undoes whole runs"
        },
    );
    let audit = engine.audit_place().map(|path| path.display().to_string());
    row(
        "audit log",
        audit.as_deref().unwrap_or(if gate.policy().enable_audit_logging {
            "none: read-only, and there is no state folder to keep it in"
        } else {
            "off: `enable_audit_logging` is false"
        }),
    );
    row("seals", &seals(engine));
    gate.libraries().iter().for_each(|library| row("folder of modules", &library.named));
    for (layer, name) in policies(engine) {
        row("policy", &format!("{name} ({layer})"));
    }
    row("threads of a call", &format!("at most {}", engine.jobs()));
    row("tools", &gate.registry().iter().count().to_string());
    match engine.lockdown() {
        Some(status) => {
            row("kernel sandbox", status.summary());
            status.rows().iter().for_each(|(name, what)| row(name, what));
        }
        None => row("kernel sandbox", "none: the process is not restricted"),
    }
    for (name, value) in differences(System::current()) {
        row(&name, &value);
    }
    for (KeyRow { name, .. }, value) in engine.values() {
        let from = engine.provenance().display(name, |stated| engine.provenance().whole(stated));
        row(name, &format!("{value} ({from})"));
    }
    engine.provenance().unused.iter().for_each(|unused| row("not used", &unused.to_string()));
    text
}

/// Returns the promises that this system does not hold, or holds in part, and how far that was tried.
fn differences(system: Option<System>) -> Vec<(String, String)> {
    let Some(system) = system else {
        return vec![("promises".to_owned(), "none: `ns` was never tried on this system".to_owned())];
    };
    let differing = |promise: &Promise| {
        let (word, difference) = promise.on(system).described();
        Some((format!("promise: {}", promise.name), format!("{word}: {}", difference?)))
    };
    let mut rows: Vec<_> = PROMISES.iter().filter_map(differing).collect();
    if !rows.is_empty() {
        rows.insert(0, (format!("tried on {}", system.name()), system.trial().to_owned()));
    }
    rows
}

/// Returns the policy files that were read: the layer and the name of each.
fn policies(engine: &Engine) -> Vec<(&'static str, String)> {
    let files = &engine.provenance().files;
    if files.is_empty() {
        vec![("there is no policy file", "built-in values".to_owned())]
    } else {
        files.iter().map(|file| (file.layer.described(), file.name.to_string())).collect()
    }
}
