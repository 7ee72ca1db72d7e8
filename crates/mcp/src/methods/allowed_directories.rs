//! `list_allowed_directories`: lists the sandboxes and the rules about their paths.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::gate::Policy;
use crate::toolkit::Spec;

use super::super::sandboxes::Sandboxes;

pub const SPEC: Spec = super::reading(
    "NS.ListAllowedDirectories",
    "list_allowed_directories",
    "Lists the directories that calls can reach, and the rules that narrow them",
);

/// The keys of the policy that narrow which paths calls can reach.
const RULES: [&str; 6] = [
    "allowed_directories",
    "blocked_directories",
    "allowed_extensions",
    "blocked_extensions",
    "blocked_patterns",
    "max_file_size",
];

/// The sandboxes.
#[derive(Serialize, JsonSchema)]
pub struct Allowed {
    directories: Vec<AllowedDirectory>,
}

#[derive(Serialize, JsonSchema)]
struct AllowedDirectory {
    /// The name that calls give as `sandbox`, if there are several.
    sandbox: String,
    /// The absolute path. Paths of calls are relative to it.
    path: String,
    writable: bool,
    /// The lines of the policy that narrow it, such as `max_file_size = 1000`.
    rules: Vec<String>,
    /// The directories in it to which the roots of the client narrow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    roots: Option<Vec<String>>,
}

/// Returns the sandboxes.
pub fn list_allowed_directories(sandboxes: &Sandboxes) -> Allowed {
    Allowed { directories: sandboxes.iter().map(|(name, engine)| described(name, engine)).collect() }
}

fn described(name: &str, engine: &Engine) -> AllowedDirectory {
    let policy = engine.gate().policy();
    let usual = Policy::default().summary();
    let rules = policy.summary().into_iter().filter(|rule| RULES.contains(&rule.0) && !usual.contains(rule));
    AllowedDirectory {
        sandbox: name.to_owned(),
        path: engine.gate().root().path().to_string_lossy().into_owned(),
        writable: !policy.read_only,
        rules: rules.map(|(key, value)| format!("{key} = {value}")).collect(),
        roots: policy.within(),
    }
}
