//! `ns doctor`: what holds here.

use crate::engine::{Engine, ForeignDeed, Options, PolicySource, Process, Provenance, Resolver};
use crate::text::safe;

use super::args::Global;
use super::exit::Exit;
use super::terminal::{print, report_setup};

pub fn doctor(global: &Global) -> Exit {
    let engine = match super::open(&Options { looks_only: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    // As a run would do it, so that what is told is what holds.
    let sealed = engine.seal(Process::Script);
    let printed = print(&in_force(&engine));
    match sealed {
        Ok(()) => printed,
        Err(error) => {
            report_setup(&error);
            Exit::Usage
        }
    }
}

/// One line that says whether the kernel restricts the process, and how.
pub(super) fn kernel_sandbox(engine: &Engine) -> String {
    let Some(force) = engine.force() else { return "kernel sandbox: none".to_owned() };
    let rows = force.rows().into_iter().map(|(name, what)| format!("\n  {name}: {what}"));
    format!("kernel sandbox: {}{}", force.summary(), rows.collect::<String>())
}

/// Whether what this user leaves here can be told from a stranger's, and whether `.ns` is a stranger's.
fn seals(engine: &Engine) -> String {
    let key = match engine.key_lost_because() {
        None => "your key tells your runs from a stranger's".to_owned(),
        Some(reason) => format!("no run is recovered or taken back by another command: {reason}"),
    };
    let own = match engine.provenance() {
        Ok(Some(Provenance::Foreign)) => "; `.ns` here is foreign: see `ns adopt`",
        Ok(_) => "",
        Err(_) => "; `.ns` here cannot be used",
    };
    let foreign = engine.foreign(ForeignDeed::Show).map(|it| it.runs.len() as u64 + it.kept.foreign.kept.things);
    let found = match foreign {
        Ok(0) => String::new(),
        Ok(1) => "; 1 thing in it is foreign".to_owned(),
        Ok(number) => format!("; {number} things in it are foreign"),
        Err(error) => format!("; {}", error.message),
    };
    format!("{key}{own}{found}")
}

/// Where an engine works, and what it lets scripts do.
pub(crate) fn in_force(engine: &Engine) -> String {
    let gate = engine.gate();
    let resolver = match gate.root.resolver() {
        Resolver::Openat2 => "openat2: the kernel keeps every path below the root",
        Resolver::Portable => "portable: `openat2` is not available, paths are followed step by step through cap-std",
    };
    let policy = match engine.policy_source() {
        PolicySource::BuiltIn => "built-in values; there is no policy file".to_owned(),
        PolicySource::Root => "neuroscript.toml in the sandbox".to_owned(),
        PolicySource::File(path) => path.display().to_string(),
    };
    let mut text = String::new();
    let mut row = |name: &str, value: &str| text.push_str(&format!("{name:<33}{}\n", safe::name(value)));
    row("version", env!("CARGO_PKG_VERSION"));
    row("system", &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    row("sandbox", &gate.root.path().display().to_string());
    row("resolver", resolver);
    row(
        "changes",
        if gate.policy.read_only {
            "refused: read-only"
        } else {
            "allowed below the sandbox; what is overwritten or deleted is kept, and `ns undo` takes whole runs back"
        },
    );
    let audit = engine.audit_place().map(|path| path.display().to_string());
    row(
        "audit log",
        audit.as_deref().unwrap_or(match gate.policy.enable_audit_logging {
            false => "off: `enable_audit_logging` is false",
            true => "none: read-only, and there is no state folder to keep it in",
        }),
    );
    row("seals", &seals(engine));
    gate.libraries.iter().for_each(|library| row("folder of modules", &library.named));
    row("policy", &policy);
    row("tools", &gate.registry.iter().count().to_string());
    match engine.force() {
        Some(force) => {
            row("kernel sandbox", force.summary());
            force.rows().iter().for_each(|(name, what)| row(name, what));
        }
        None => row("kernel sandbox", "none: the process is not restricted"),
    }
    for (key, value) in gate.policy.summary().iter().chain(&engine.limits().summary()) {
        row(key, value);
    }
    text
}
