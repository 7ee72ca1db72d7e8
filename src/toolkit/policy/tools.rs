//! Rules about tools: which are refused, which ask a person first, which need not.

use globset::{GlobBuilder, GlobMatcher};

use super::super::registry::Registry;
use super::super::spec::Spec;
use super::stated::{Layer, Stated};

/// `[tools]` of one policy file: lists of names and globs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRules {
    /// Where `require_confirmation_for_delete` of the same file asks before each delete.
    pub confirms_delete: Option<Stated>,
    /// These run without a question.
    pub allow: Vec<ToolRule>,
    /// These are refused.
    pub deny: Vec<ToolRule>,
    /// These ask a person first.
    pub ask: Vec<ToolRule>,
}

/// One name, or a glob over names.
#[derive(Clone, Debug)]
pub struct ToolRule {
    written: String,
    stated: Option<Stated>,
    names: Names,
}

#[derive(Clone, Debug)]
enum Names {
    /// The script name of one tool.
    One(&'static str),
    /// All whose script name or wire name it matches.
    Glob(GlobMatcher),
}

impl PartialEq for ToolRule {
    fn eq(&self, other: &ToolRule) -> bool {
        self.written == other.written
    }
}

/// What the rules of a file say of a tool, and which of them.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolVerdict {
    /// It runs.
    Allowed {
        /// Its own name stands in `allow`, not a glob.
        by_name: bool,
    },
    /// It is refused, by this rule.
    Denied(ToolRule),
    /// A person is asked first.
    Ask {
        /// By this rule.
        rule: ToolRule,
        /// It is the tool's own name, not a glob.
        by_name: bool,
    },
    /// No rule speaks of it.
    Silent,
}

impl ToolRule {
    /// A rule as the policy file writes it; an error says what is wrong.
    pub fn parse(written: &str, registry: &Registry) -> Result<ToolRule, String> {
        let names = match written.contains(['*', '?', '[', '{']) {
            false => Names::One(match registry.find(written) {
                Some(id) => registry.get(id).spec.name,
                None => return Err(unknown(written, registry)),
            }),
            true => {
                let glob = GlobBuilder::new(&written.to_ascii_lowercase()).build();
                Names::Glob(glob.map_err(|error| error.kind().to_string())?.compile_matcher())
            }
        };
        let rule = ToolRule { written: written.to_owned(), stated: None, names };
        match registry.iter().any(|tool| rule.matches(&tool.spec).is_some()) {
            true => Ok(rule),
            false => Err(format!("no tool matches `{written}`")),
        }
    }

    /// The same rule with the place where it is stated.
    pub fn at(self, stated: Stated) -> ToolRule {
        ToolRule { stated: Some(stated), ..self }
    }

    /// Where it is stated.
    pub fn stated(&self) -> Option<&Stated> {
        self.stated.as_ref()
    }

    /// The rule as the policy file writes it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it is about a tool, and then whether by its name alone.
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
    /// Whose file the rules are of; none where there are none.
    pub fn layer(&self) -> Option<Layer> {
        let mut rules = self.allow.iter().chain(&self.deny).chain(&self.ask).filter_map(ToolRule::stated);
        rules.next().or(self.confirms_delete.as_ref()).map(|stated| stated.layer)
    }

    /// What the rules of the file say of a tool: a name counts more than a glob; of the same kind a refusal counts
    /// more than a question, and a question more than leave.
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
