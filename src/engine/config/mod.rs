//! The policy file: TOML with `[limits]`, `[policy]` and `[tools]`.
//!
//! Whatever it says must be understood: an unknown key, a wrong type or a value out of range is a
//! finding with its place, and nothing runs.

// The policy is not a script's file; see ARCHITECTURE.md, invariant 11.
#![allow(clippy::disallowed_methods, reason = "the fence leaves this room out")]

pub mod approve;
pub mod files;

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::limits::Limits;
use crate::text::{Code, Diagnostic, Source, Span, nearest};
use crate::toolkit::{
    DirectoryRule, Extensions, ListDirectorySettings, MemorySettings, Patterns, Policy, Registry, Settings, ToolRule,
    ToolRules,
};

/// What a policy file says, over the built-in values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `[limits]`
    pub limits: Limits,
    /// `[policy]`
    pub policy: Policy,
    /// `[tools.*]`
    pub settings: Settings,
}

/// Whose policy file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It came with the sandbox: it may open nothing outside.
    Root,
    /// The user named it, or it is the user's own.
    User,
}

/// Reads a policy file over what holds without one; tools are named as the registry has them.
pub fn parse(source: &Source, registry: &Registry, origin: Origin, base: Config) -> Result<Config, Vec<Diagnostic>> {
    let mut reader = Reader { source, registry, origin, findings: Vec::new() };
    let mut config = base;
    match DeTable::parse(source.text()) {
        Ok(table) => reader.file(table.get_ref(), &mut config),
        Err(error) => reader.syntax_error(&error),
    }
    if reader.findings.is_empty() { Ok(config) } else { Err(reader.findings) }
}

/// The deepest nesting of a text that the stack of an engine holds, with much to spare.
const MOST_NESTING: i64 = 10_000;

/// Where a value goes, by its key.
enum Field<'c> {
    Bool(&'c mut bool),
    /// A whole number of at least so much.
    U64(&'c mut u64, u64),
    Usize(&'c mut usize, u64),
    /// How deep texts may nest, for which there is stack.
    Depth(&'c mut usize),
    OptionalU64(&'c mut Option<u64>),
    I64(&'c mut i64, i64),
    Seconds(&'c mut Option<Duration>),
    Directories(&'c mut Vec<DirectoryRule>),
    Extensions(&'c mut Extensions),
    Patterns(&'c mut Patterns),
    Tools(&'c mut Vec<ToolRule>),
    Variables(&'c mut Vec<String>),
}

struct Reader<'a> {
    source: &'a Source,
    registry: &'a Registry,
    origin: Origin,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn file(&mut self, table: &DeTable<'_>, config: &mut Config) {
        // What `[tools]` means depends on `[policy]`.
        if let Some(value) = table.get("policy") {
            self.fields(value, policy(&mut config.policy));
        }
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "policy" => {}
                "limits" => self.fields(value, limits(&mut config.limits)),
                "tools" => self.tools(value, config),
                "llm" => {
                    let message = "this version has no provider for `LLM`".to_owned();
                    self.report(key.span(), message, "remove `[llm]`: no script can ask a model yet");
                }
                other => self.unknown(other, key.span(), &["limits", "policy", "tools"]),
            }
        }
    }

    fn tools(&mut self, value: &Spanned<DeValue<'_>>, config: &mut Config) {
        let Some(table) = self.table(value) else { return };
        let Config { settings, policy, .. } = config;
        let ToolRules { allow, deny, ask } = &mut policy.tools;
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "allow" => self.set("allow", value, Field::Tools(allow)),
                "deny" => self.set("deny", value, Field::Tools(deny)),
                "ask" => self.set("ask", value, Field::Tools(ask)),
                "list_directory" => self.fields(value, list_directory(&mut settings.list_directory)),
                "memory" => self.fields(value, memory(&mut settings.memory)),
                "env" => self.fields(value, vec![("names", Field::Variables(&mut settings.env.names))]),
                other => self.unknown(other, key.span(), &["allow", "deny", "ask", "list_directory", "memory", "env"]),
            }
        }
        self.check_leave(table, policy);
    }

    /// Leave alone refuses nothing: whoever writes it probably means the opposite.
    fn check_leave(&mut self, table: &DeTable<'_>, policy: &Policy) {
        let ToolRules { allow, deny, ask } = &policy.tools;
        let alone = deny.is_empty() && ask.is_empty() && !policy.require_confirmation_for_delete;
        if let Some(value) = table.get("allow").filter(|_| alone && !allow.is_empty()) {
            let help = "write `deny = [\"*\"]` beside it to refuse every other tool, or remove it";
            self.report(value.span(), "`allow` alone changes nothing: other tools are allowed too".to_owned(), help);
        }
    }

    fn fields(&mut self, value: &Spanned<DeValue<'_>>, fields: Vec<(&'static str, Field<'_>)>) {
        let Some(table) = self.table(value) else { return };
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        for (key, _) in table.iter() {
            if !names.contains(&key.get_ref().as_ref()) {
                self.unknown(key.get_ref(), key.span(), &names);
            }
        }
        for (name, field) in fields {
            if let Some(value) = table.get(name) {
                self.set(name, value, field);
            }
        }
    }

    fn table<'v, 't>(&mut self, value: &'v Spanned<DeValue<'t>>) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => {
                self.report(value.span(), "expected a table".to_owned(), "write it as `[name]` with keys below");
                None
            }
        }
    }

    fn set(&mut self, name: &str, value: &Spanned<DeValue<'_>>, field: Field<'_>) {
        match field {
            Field::Bool(target) => match value.get_ref() {
                DeValue::Boolean(truth) => *target = *truth,
                _ => self.wrong(name, value, "true or false"),
            },
            Field::U64(target, least) => self.whole(name, value, least, |number| *target = number),
            Field::Usize(target, least) => self.whole(name, value, least, |number| *target = number as usize),
            Field::Depth(target) => match integer(value.get_ref()) {
                Some(number @ 1..=MOST_NESTING) => *target = number as usize,
                _ => self.wrong(name, value, &format!("a whole number of 1 to {MOST_NESTING}")),
            },
            Field::OptionalU64(target) => self.whole(name, value, 0, |number| *target = Some(number)),
            Field::I64(target, least) => self.whole(name, value, least as u64, |number| *target = number as i64),
            Field::Seconds(target) => match seconds(value.get_ref()) {
                Some(duration) => *target = Some(duration),
                None => self.wrong(name, value, "a number of seconds above 0"),
            },
            Field::Directories(target) => self.directories(name, value, target),
            Field::Extensions(target) => self.texts(name, value, "extensions", |reader, item, written| {
                target.add(written).unwrap_or_else(|expected| reader.wrong(name, item, expected));
            }),
            Field::Patterns(target) => self.patterns(name, value, target),
            Field::Variables(target) => self.variables(name, value, target),
            Field::Tools(target) => {
                self.texts(name, value, "tools", |reader, item, written| {
                    match ToolRule::parse(written, reader.registry) {
                        Ok(rule) => target.push(rule),
                        Err(message) => reader.report(item.span(), message, "`ns tools` lists the tools"),
                    }
                });
            }
        }
    }

    /// Goes through a list of texts.
    fn texts(
        &mut self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        noun: &str,
        mut take: impl FnMut(&mut Self, &Spanned<DeValue<'_>>, &str),
    ) {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong(name, value, &format!("a list of {noun}"));
        };
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(written) => take(self, item, written),
                _ => self.wrong(name, item, "texts"),
            }
        }
    }

    fn directories(&mut self, name: &str, value: &Spanned<DeValue<'_>>, rules: &mut Vec<DirectoryRule>) {
        if name == "allowed_directories" && value.get_ref().as_array().is_some_and(|items| items.is_empty()) {
            let message = format!("`{name}` allows nothing, so that no tool could work with files");
            return self.report(value.span(), message, "leave it out for all of the sandbox, or name directories");
        }
        self.texts(name, value, "directories", |reader, item, written| match DirectoryRule::parse(written) {
            Ok(rule) if rule.absolute().is_some() && reader.origin == Origin::Root => {
                let message = format!("`{name}` of the policy file in the root has only directories below the root");
                reader.report(item.span(), message, "name it in your own policy file, or in one given as `--policy`");
            }
            Ok(rule) => rules.push(rule),
            Err(expected) => reader.wrong(name, item, expected),
        });
    }

    /// What the environment holds is the user's: a file that came with a directory does not open it.
    fn variables(&mut self, name: &str, value: &Spanned<DeValue<'_>>, names: &mut Vec<String>) {
        if self.origin == Origin::Root {
            let message = "the policy file in the root cannot let scripts see the environment".to_owned();
            return self.report(
                value.span(),
                message,
                "name it in your own policy file, or in one given as `--policy`",
            );
        }
        self.texts(name, value, "names", |reader, item, written| {
            match written.contains(['=', '\0']) || written.is_empty() {
                false => names.push(written.to_owned()),
                true => reader.wrong(name, item, "names of variables"),
            }
        });
    }

    fn patterns(&mut self, name: &str, value: &Spanned<DeValue<'_>>, patterns: &mut Patterns) {
        let (mut written, mut spans) = (Vec::new(), Vec::new());
        self.texts(name, value, "patterns", |_, item, text| {
            written.push(text.to_owned());
            spans.push(item.span());
        });
        match Patterns::new(&written) {
            Ok(read) => *patterns = read,
            Err((number, reason)) => {
                let span = spans.get(number).cloned().unwrap_or_else(|| value.span());
                self.report(span, format!("`{name}` needs globs: {reason}"), "change the pattern");
            }
        }
    }

    fn whole(&mut self, name: &str, value: &Spanned<DeValue<'_>>, least: u64, set: impl FnOnce(u64)) {
        match integer(value.get_ref()).and_then(|number| u64::try_from(number).ok()) {
            Some(number) if number >= least => set(number),
            _ => self.wrong(name, value, &format!("a whole number of at least {least}")),
        }
    }

    fn wrong(&mut self, name: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        self.report(value.span(), format!("`{name}` needs {expected}"), "change the value");
    }

    fn unknown(&mut self, key: &str, span: Range<usize>, known: &[&str]) {
        let help = match nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.join(", ")),
        };
        self.report(span, format!("unknown key `{key}`"), &help);
    }

    fn syntax_error(&mut self, error: &toml::de::Error) {
        let span = error.span().unwrap_or(0..0);
        self.report(span, error.message().trim_end_matches('.').to_lowercase(), "mend the TOML");
    }

    fn report(&mut self, span: Range<usize>, message: String, help: &str) {
        let span = Span::new(span.start, span.end).shifted(self.source.base());
        self.findings.push(Diagnostic::error(Code::BadPolicy, span, message).help(help));
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

fn seconds(value: &DeValue<'_>) -> Option<Duration> {
    let seconds = match value {
        DeValue::Float(number) => number.as_str().parse::<f64>().ok()?,
        other => integer(other)? as f64,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

fn limits(limits: &mut Limits) -> Vec<(&'static str, Field<'_>)> {
    vec![
        ("max_steps", Field::U64(&mut limits.max_steps, 1)),
        ("timeout_s", Field::Seconds(&mut limits.timeout)),
        ("call_depth", Field::Usize(&mut limits.call_depth, 1)),
        ("nesting", Field::Depth(&mut limits.nesting)),
        ("value_depth", Field::Usize(&mut limits.value_depth, 1)),
        ("memory_bytes", Field::U64(&mut limits.memory_bytes, 1 << 16)),
        ("string_bytes", Field::Usize(&mut limits.string_bytes, 1)),
        ("collection_items", Field::Usize(&mut limits.collection_items, 1)),
        ("script_bytes", Field::Usize(&mut limits.script_bytes, 1)),
        ("modules", Field::Usize(&mut limits.modules, 0)),
        ("output_bytes", Field::OptionalU64(&mut limits.output_bytes)),
        ("tool_output_bytes", Field::OptionalU64(&mut limits.tool_output_bytes)),
        ("files_changed", Field::OptionalU64(&mut limits.files_changed)),
        ("bytes_written", Field::OptionalU64(&mut limits.bytes_written)),
    ]
}

fn policy(policy: &mut Policy) -> Vec<(&'static str, Field<'_>)> {
    vec![
        ("read_only", Field::Bool(&mut policy.read_only)),
        ("allowed_directories", Field::Directories(&mut policy.allowed_directories)),
        ("blocked_directories", Field::Directories(&mut policy.blocked_directories)),
        ("allowed_extensions", Field::Extensions(&mut policy.allowed_extensions)),
        ("blocked_extensions", Field::Extensions(&mut policy.blocked_extensions)),
        ("blocked_patterns", Field::Patterns(&mut policy.blocked_patterns)),
        ("max_file_size", Field::U64(&mut policy.max_file_size, 0)),
        ("max_files_per_operation", Field::U64(&mut policy.max_files_per_operation, 1)),
        ("require_confirmation_for_delete", Field::Bool(&mut policy.require_confirmation_for_delete)),
        ("enable_audit_logging", Field::Bool(&mut policy.enable_audit_logging)),
        ("reject_hard_links", Field::Bool(&mut policy.reject_hard_links)),
        ("require_kernel_sandbox", Field::Bool(&mut policy.require_kernel_sandbox)),
        ("backup_count", Field::U64(&mut policy.retention.count, 0)),
        ("backup_days", Field::U64(&mut policy.retention.days, 0)),
        ("backup_bytes", Field::U64(&mut policy.retention.bytes, 0)),
    ]
}

fn memory(settings: &mut MemorySettings) -> Vec<(&'static str, Field<'_>)> {
    vec![("max_value_bytes", Field::U64(&mut settings.max_value_bytes, 1))]
}

fn list_directory(settings: &mut ListDirectorySettings) -> Vec<(&'static str, Field<'_>)> {
    vec![
        ("max_entries", Field::I64(&mut settings.max_entries, 1)),
        ("max_depth", Field::I64(&mut settings.max_depth, 1)),
        ("include_hidden_default", Field::Bool(&mut settings.include_hidden_default)),
        ("include_symlinks_default", Field::Bool(&mut settings.include_symlinks_default)),
        ("include_files_default", Field::Bool(&mut settings.include_files_default)),
        ("include_dirs_default", Field::Bool(&mut settings.include_dirs_default)),
        ("include_other_default", Field::Bool(&mut settings.include_other_default)),
    ]
}
