//! What a policy says, as `ns doctor` shows it: every key with its value.

use super::{DirectoryRule, Policy, ToolRule};

/// A list of texts in one line.
fn listed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(|text| format!("{text:?}")).collect();
    format!("[{}]", texts.join(", "))
}

impl Policy {
    /// Every key of `[policy]` and the lists of `[tools]` with what is in force.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let written = |rule: &&DirectoryRule| !rule.is_ours();
        let directories = |rules: &[DirectoryRule]| listed(rules.iter().filter(written).map(DirectoryRule::written));
        let tools = |rules: &[ToolRule]| listed(rules.iter().map(ToolRule::written));
        let allowed = match self.allowed_directories.is_empty() {
            true => "[\".\"]".to_owned(),
            false => directories(&self.allowed_directories),
        };
        vec![
            ("read_only", self.read_only.to_string()),
            ("allowed_directories", allowed),
            ("blocked_directories", directories(&self.blocked_directories)),
            ("allowed_extensions", listed(self.allowed_extensions.iter())),
            ("blocked_extensions", listed(self.blocked_extensions.iter())),
            ("blocked_patterns", self.blocked_patterns.shown()),
            ("max_file_size", self.max_file_size.to_string()),
            ("max_files_per_operation", self.max_files_per_operation.to_string()),
            ("require_confirmation_for_delete", self.require_confirmation_for_delete.to_string()),
            ("enable_audit_logging", self.enable_audit_logging.to_string()),
            ("reject_hard_links", self.reject_hard_links.to_string()),
            ("require_kernel_sandbox", self.require_kernel_sandbox.to_string()),
            ("backup_count", self.retention.count.to_string()),
            ("backup_days", self.retention.days.to_string()),
            ("backup_bytes", self.retention.bytes.to_string()),
            ("tools: allow", tools(&self.tools.allow)),
            ("tools: deny", tools(&self.tools.deny)),
            ("tools: ask", tools(&self.tools.ask)),
        ]
    }
}
