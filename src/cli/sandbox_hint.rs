//! Where the sandbox is, for a person whose script names a path outside of it. Clients of servers are not told:
//! they cannot choose another. The path itself is shown at a terminal alone: what is read by programs, or sent on,
//! names no place of the machine.

use std::io::{IsTerminal, stderr};
use std::path::Path;

use crate::text::{Diagnostic, safe};
use crate::toolkit::{BELOW_ROOT, ToolError};

/// The sandbox, and the option that chooses another.
pub fn hint(root: &Path) -> String {
    if stderr().is_terminal() {
        let root = root.display().to_string();
        return format!("the sandbox is `{}`; `ns --sandbox DIR` chooses another", safe::name(&root));
    }
    "the sandbox is the current folder, or that of `ns --sandbox DIR`".to_owned()
}

/// Findings about paths outside the sandbox, with the place of the sandbox.
pub fn with_root(findings: &[Diagnostic], root: &Path) -> Vec<Diagnostic> {
    let mut findings = findings.to_vec();
    for help in findings.iter_mut().filter_map(|finding| finding.help.as_mut()) {
        add_root(help, root);
    }
    findings
}

/// The failure of a call, with the place of the sandbox where its path lies outside.
pub fn in_failure(mut error: ToolError, root: &Path) -> ToolError {
    if let Some(hint) = &mut error.hint {
        add_root(hint, root);
    }
    error
}

fn add_root(help: &mut String, root: &Path) {
    if help.starts_with(BELOW_ROOT) {
        *help = format!("{help}; {}", hint(root));
    }
}
