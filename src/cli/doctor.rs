//! `ns doctor`: what holds here.

use crate::engine::{Engine, PolicySource, Process, Resolver};
use crate::text::safe;

use super::args::Global;
use super::exit::Exit;
use super::terminal::{print, report_setup};

pub fn doctor(global: &Global) -> Exit {
    let engine = match super::open(&global.options()) {
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
