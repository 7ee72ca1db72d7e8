//! Whether a tool may run at all, and whether a person is asked first: the strictest answer of all policy files. The
//! `allow` list of a file lifts only rules of the same file.

use crate::text::ToolCode;
use crate::toolkit::{Effect, Spec, ToolError};

use super::stated::{Layer, SourceLine, change_of, source_of};
use super::tools::{ToolRules, ToolVerdict};
use super::{Approval, Policy};

/// A rule of a file that asks before a tool runs.
struct ApprovalReason {
    reason: String,
    instead: String,
    /// The layer of the file; `None` for a built-in rule.
    layer: Option<Layer>,
}

impl Policy {
    /// Decides whether the policy files let a tool run. Errors: `policy_denied`.
    pub(super) fn leave(&self, spec: &Spec) -> Result<Approval, ToolError> {
        if self.tools.is_empty() && !spec.requires_approval {
            return Ok(Approval::NotNeeded);
        }
        let mut asks = Vec::new();
        for rules in &self.tools {
            asks.extend(ask_of(rules, spec)?);
        }
        asks.extend(self.built_in_ask(spec));
        let lifted_by = match asks.as_slice() {
            [one] => one.layer.filter(|layer| layer.is_users()).or_else(|| self.newest_users_file(one.layer)),
            _ => None,
        };
        Ok(match asks.into_iter().next() {
            None => Approval::NotNeeded,
            Some(ApprovalReason { reason, instead, .. }) => Approval::Needed { reason, instead, lifted_by },
        })
    }

    /// Returns the question of a tool that requires approval by itself, unless one of the user's own files allows it.
    fn built_in_ask(&self, spec: &Spec) -> Option<ApprovalReason> {
        let is_users = |rules: &&ToolRules| rules.layer().is_some_and(Layer::is_users);
        let allows = |rules: &ToolRules| matches!(rules.verdict(spec), ToolVerdict::Allowed { .. });
        (spec.requires_approval && !self.tools.iter().filter(is_users).any(allows)).then(|| ApprovalReason {
            reason: "the tool asks unless the policy allows it".to_owned(),
            instead: format!(
                "add `{}` to `allow` in `[tools]` of your own policy file, or of one given as `--policy`",
                spec.name
            ),
            layer: None,
        })
    }

    /// Returns the file to which the reply to a built-in question is written.
    fn newest_users_file(&self, asking: Option<Layer>) -> Option<Layer> {
        if asking.is_some() {
            return None;
        }
        self.provenance.files.iter().map(|file| file.layer).rfind(|layer| layer.is_users())
    }
}

/// Returns the question that a file requires before a tool runs. Errors: `policy_denied` if the file refuses the
/// tool.
fn ask_of(rules: &ToolRules, spec: &Spec) -> Result<Option<ApprovalReason>, ToolError> {
    let name = spec.name;
    let file =
        |stated: Option<&SourceLine>| stated.map_or("the policy file".to_owned(), |stated| stated.file.to_string());
    match rules.verdict(spec) {
        ToolVerdict::Denied(rule) => {
            let source = source_of(rule.stated());
            let message = format!("the policy refuses `{name}`: it is in `deny` as `{}` ({source})", rule.written());
            Err(ToolError::new(ToolCode::PolicyDenied, message).hint(change_of("deny", "tools", rule.stated())))
        }
        ToolVerdict::Ask { rule, by_name } => {
            let file = file(rule.stated());
            let instead = if by_name {
                format!("move `{}` from `ask` to `allow` in `[tools]` of {file}", rule.written())
            } else {
                format!("add `{name}` to `allow` in `[tools]` of {file}")
            };
            let reason = format!("it is in `ask` as `{}` ({})", rule.written(), source_of(rule.stated()));
            Ok(Some(ApprovalReason { reason, instead, layer: rule.stated().map(|stated| stated.layer) }))
        }
        ToolVerdict::Allowed { by_name: true } => Ok(None),
        ToolVerdict::Silent | ToolVerdict::Allowed { by_name: false } => {
            let stated = rules.confirms_delete.as_ref().filter(|_| spec.effect == Effect::Deletes);
            Ok(stated.map(|stated| ApprovalReason {
                reason: format!("`require_confirmation_for_delete` is true ({stated})"),
                instead: format!(
                    "add `{name}` to `allow` in `[tools]` of {}, or set `require_confirmation_for_delete = false` there",
                    stated.file
                ),
                layer: Some(stated.layer),
            }))
        }
    }
}
