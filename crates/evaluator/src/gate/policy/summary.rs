//! The policy as `ns doctor` shows it: every key with its value.

use super::{DirectoryRule, Extensions, Policy, ToolRule, ToolRules};

/// Formats texts as a list in one line.
fn listed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(|text| format!("{text:?}")).collect();
    format!("[{}]", texts.join(", "))
}

/// Joins the lists of several files, all of which apply.
fn each(lists: impl Iterator<Item = String>, none: &str) -> String {
    let lists: Vec<String> = lists.collect();
    if lists.is_empty() { none.to_owned() } else { lists.join(" and ") }
}

impl Policy {
    /// Returns every key of `[policy]` and the lists of `[tools]`, with the values in force.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let written = |rule: &&DirectoryRule| !rule.is_ours();
        let directories = |rules: &[DirectoryRule]| listed(rules.iter().filter(written).map(DirectoryRule::written));
        let allowed = each(self.allowed_directories.iter().map(|rules| directories(rules)), "[\".\"]");
        let extensions = |lists: &[Extensions]| each(lists.iter().map(|list| listed(list.iter())), "[]");
        let tools = |rules: fn(&ToolRules) -> &[ToolRule]| {
            listed(self.tools.iter().flat_map(|layer| rules(layer).iter()).map(ToolRule::written))
        };
        vec![
            ("read_only", self.read_only.to_string()),
            ("allowed_directories", allowed),
            ("blocked_directories", directories(&self.blocked_directories)),
            ("allowed_extensions", extensions(&self.allowed_extensions)),
            ("blocked_extensions", extensions(&self.blocked_extensions)),
            ("blocked_patterns", each(self.blocked_patterns.iter().map(|patterns| patterns.display()), "[]")),
            ("max_file_size", self.max_file_size.to_string()),
            ("max_files_per_operation", self.max_files_per_operation.to_string()),
            ("require_confirmation_for_delete", self.require_confirmation_for_delete.to_string()),
            ("enable_audit_logging", self.enable_audit_logging.to_string()),
            ("reject_hard_links", self.reject_hard_links.to_string()),
            ("require_kernel_sandbox", self.require_kernel_sandbox.to_string()),
            ("durability", self.durability.word().to_owned()),
            ("backup_count", self.retention.count.to_string()),
            ("backup_days", self.retention.days.to_string()),
            ("backup_bytes", self.retention.bytes.to_string()),
            ("allow", tools(|rules| &rules.allow)),
            ("deny", tools(|rules| &rules.deny)),
            ("ask", tools(|rules| &rules.ask)),
        ]
    }
}
