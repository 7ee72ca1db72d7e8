//! Rules about tools: which ones are refused, which ones ask first, and which ones run without a question.

use globset::{GlobBuilder, GlobMatcher};

use crate::toolkit::{Registry, Spec};

use super::stated::{Layer, SourceLine};

/// `[tools]` of one policy file: lists of names and globs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRules {
    /// Where `require_confirmation_for_delete` of the same file requires approval for deletes.
    pub confirms_delete: Option<SourceLine>,
    /// Tools that run without a question.
    pub allow: Vec<ToolRule>,
    /// Tools that are refused.
    pub deny: Vec<ToolRule>,
    /// Tools that ask a person first.
    pub ask: Vec<ToolRule>,
}

/// One name, or a glob over names.
#[derive(Clone, Debug)]
pub struct ToolRule {
    written: String,
    stated: Option<SourceLine>,
    names: Names,
}

#[derive(Clone, Debug)]
enum Names {
    /// The script name of one tool.
    One(&'static str),
    /// All tools whose script name or wire name matches.
    Glob(GlobMatcher),
}

impl PartialEq for ToolRule {
    fn eq(&self, other: &ToolRule) -> bool {
        self.written == other.written
    }
}

/// The decision of one file's rules about a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolVerdict {
    /// The tool runs.
    Allowed {
        /// Whether `allow` has the tool's own name, not a glob.
        by_name: bool,
    },
    /// The tool is refused, by this rule.
    Denied(ToolRule),
    /// A person is asked first.
    Ask {
        /// The rule that asks.
        rule: ToolRule,
        /// Whether the rule has the tool's own name, not a glob.
        by_name: bool,
    },
    /// No rule mentions the tool.
    Silent,
}

impl ToolRule {
    /// Parses a rule of the policy file. The error says what is wrong.
    pub fn parse(written: &str, registry: &Registry) -> Result<ToolRule, String> {
        let names = if written.contains(['*', '?', '[', '{']) {
            let glob = GlobBuilder::new(&written.to_ascii_lowercase()).build();
            Names::Glob(glob.map_err(|error| error.kind().to_string())?.compile_matcher())
        } else {
            Names::One(match registry.find(written) {
                Some(id) => registry.get(id).spec.name,
                None => return Err(unknown(written, registry)),
            })
        };
        let rule = ToolRule { written: written.to_owned(), stated: None, names };
        if registry.iter().any(|tool| rule.matches(&tool.spec).is_some()) {
            Ok(rule)
        } else {
            Err(format!("no tool matches `{written}`"))
        }
    }

    /// Sets the line that states the rule.
    pub fn at(self, stated: SourceLine) -> ToolRule {
        ToolRule { stated: Some(stated), ..self }
    }

    /// Returns the line that states the rule.
    pub fn stated(&self) -> Option<&SourceLine> {
        self.stated.as_ref()
    }

    /// Returns the rule as written in the policy file.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns `None` if the rule does not match, otherwise whether it matches by the tool's own name.
    fn matches(&self, spec: &Spec) -> Option<bool> {
        match &self.names {
            Names::One(name) => (*name == spec.name).then_some(true),
            Names::Glob(glob) => {
                let matches = glob.is_match(spec.name.to_ascii_lowercase()) || glob.is_match(spec.wire);
                matches.then_some(false)
            }
        }
    }
}

fn unknown(written: &str, registry: &Registry) -> String {
    match registry.nearest(written) {
        Some(near) => format!("there is no tool `{written}`; did you mean `{near}`?"),
        None => format!("there is no tool `{written}`"),
    }
}

impl ToolRules {
    /// Returns the layer of the file; `None` if there are no rules.
    pub fn layer(&self) -> Option<Layer> {
        let mut rules = self.allow.iter().chain(&self.deny).chain(&self.ask).filter_map(ToolRule::stated);
        rules.next().or(self.confirms_delete.as_ref()).map(|stated| stated.layer)
    }

    /// Returns the decision about a tool. A name takes precedence over a glob; within the same kind, `deny` over
    /// `ask`, and `ask` over `allow`.
    pub fn verdict(&self, spec: &Spec) -> ToolVerdict {
        let find =
            |rules: &[ToolRule], by_name: bool| rules.iter().find(|rule| rule.matches(spec) == Some(by_name)).cloned();
        for by_name in [true, false] {
            if let Some(rule) = find(&self.deny, by_name) {
                return ToolVerdict::Denied(rule);
            }
            if let Some(rule) = find(&self.ask, by_name) {
                return ToolVerdict::Ask { rule, by_name };
            }
            if find(&self.allow, by_name).is_some() {
                return ToolVerdict::Allowed { by_name };
            }
        }
        ToolVerdict::Silent
    }
}
