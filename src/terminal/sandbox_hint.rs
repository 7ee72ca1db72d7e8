//! Hints about the location of the sandbox, for a person whose script names a path outside of it. Clients of servers do
//! not get them, because they cannot choose another sandbox. The path itself is shown only on a terminal: output that
//! programs read or forward contains no paths of the machine.

use std::io::{IsTerminal, stderr};
use std::path::Path;

use crate::text::{Diagnostic, safe};
use crate::toolkit::{BELOW_ROOT, ToolError};

/// Returns a hint with the sandbox and the option that selects another.
pub fn hint(root: &Path) -> String {
    if stderr().is_terminal() {
        let root = root.display().to_string();
        return format!("the sandbox is `{}`; `ns --sandbox DIR` chooses another", safe::name(&root));
    }
    "the sandbox is the current folder, or that of `ns --sandbox DIR`".to_owned()
}

/// Adds the location of the sandbox to findings about paths outside of it.
pub fn with_root(findings: &[Diagnostic], root: &Path) -> Vec<Diagnostic> {
    let mut findings = findings.to_vec();
    for help in findings.iter_mut().filter_map(|finding| finding.help.as_mut()) {
        add_root(help, root);
    }
    findings
}

/// Adds the location of the sandbox to the error of a call whose path is outside of it.
pub fn in_failure(mut error: ToolError, root: &Path) -> ToolError {
    if let Some(hint) = &mut error.hint {
        add_root(hint, root);
    }
    error
}

fn add_root(help: &mut String, root: &Path) {
    if help.contains(BELOW_ROOT) {
        *help = format!("{help}; {}", hint(root));
    }
}
