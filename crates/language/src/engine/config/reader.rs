//! Reads one policy file: TOML with `[limits]`, `[policy]` and `[tools]`.
//!
//! Everything in it must be valid: an unknown key, a wrong type or a value out of range is a finding with its
//! position.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::gate::{DirectoryRule, Extensions, Layer, Patterns, SourceLine, ToolRule, ToolRules};
use crate::sandbox::Durability;
use crate::text::{Code, Diagnostic, Source, Span, nearest};
use crate::toolkit::Registry;

use super::Config;
use super::keys::{Field, KEYS, Key, SECTIONS};

/// The content of one policy file.
#[derive(Debug)]
pub struct Read {
    /// Its values, on top of the built-in values.
    pub config: Config,
    /// The keys that it states, and their positions.
    pub stated: BTreeMap<&'static str, SourceLine>,
}

/// Reads a policy file. The registry resolves the names of tools.
pub fn read(source: &Source, registry: &Registry, layer: Layer) -> Result<Read, Vec<Diagnostic>> {
    let file = short_name(source.name(), layer);
    let read = Read { config: Config::default(), stated: BTreeMap::new() };
    let mut reader = Reader { source, registry, layer, file, read, findings: Vec::new() };
    match DeTable::parse(source.text()) {
        Ok(table) => reader.section("", table.get_ref()),
        Err(error) => reader.syntax_error(&error),
    }
    if reader.findings.is_empty() { Ok(reader.read) } else { Err(reader.findings) }
}

/// Returns the name of a policy file for messages to scripts, which must not learn its path outside the sandbox.
fn short_name(path: &str, layer: Layer) -> Arc<str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if layer == Layer::User { format!("the user's {name}").into() } else { name.into() }
}

/// Maximum number of entries of a list. Tools are matched against each, and each may be an automaton of its own.
const MAX_ENTRIES: usize = 2_000;
/// Maximum number of bytes in all entries of a list, which are compiled together.
const MAX_ENTRY_BYTES: usize = 64 << 10;
/// Maximum number of findings that are reported for one file.
const MAX_FINDINGS: usize = 100;
/// Maximum nesting of texts; the stack of an engine holds this with a large margin.
const MOST_NESTING: i64 = 10_000;

struct Reader<'a> {
    source: &'a Source,
    registry: &'a Registry,
    layer: Layer,
    file: Arc<str>,
    read: Read,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads a table whose keys have this prefix (`tools.memory`), and the tables in it.
    fn section(&mut self, section: &'static str, table: &DeTable<'_>) {
        let keys: Vec<&'static Key> = KEYS.iter().filter(|key| key.section == section).collect();
        let inner: Vec<(&'static str, &'static str)> = inner_of(section).collect();
        for (name, value) in table.iter() {
            let written: &str = name.get_ref();
            if let Some((name, section)) = inner.iter().find(|(name, _)| *name == written) {
                match value.get_ref() {
                    DeValue::Table(table) => self.section(section, table),
                    _ => self.report(
                        value.span(),
                        "expected a table".to_owned(),
                        &format!("write it as `[{name}]` with keys below"),
                    ),
                }
            } else if let Some(key) = keys.iter().find(|key| key.name == written) {
                self.key(key, name.span(), value);
            } else if section.is_empty() && written == "llm" {
                let message = "this version has no provider for `LLM`".to_owned();
                self.report(name.span(), message, "remove `[llm]`: no script can ask a model yet");
            } else {
                let known = keys.iter().map(|key| key.name).chain(inner.iter().map(|(name, _)| *name));
                self.unknown(written, name.span(), &known.collect::<Vec<_>>());
            }
        }
        if section.is_empty() {
            self.finish(table);
        }
    }

    fn key(&mut self, key: &'static Key, span: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let stated = self.stated(&span);
        let mut config = std::mem::take(&mut self.read.config);
        self.set(key.name, value, &stated, (key.field)(&mut config));
        self.read.config = config;
        self.read.stated.insert(key.name, stated);
    }

    /// Handles settings that depend on more than one key.
    fn finish(&mut self, table: &DeTable<'_>) {
        let policy = &mut self.read.config.policy;
        if policy.require_confirmation_for_delete {
            let stated = self.read.stated.get("require_confirmation_for_delete").cloned();
            tools_of(&mut policy.tools).confirms_delete = stated;
        }
        let Some(ToolRules { allow, deny, ask, confirms_delete }) = policy.tools.first() else { return };
        // `allow` alone refuses nothing; the author probably means the opposite.
        let is_alone = deny.is_empty() && ask.is_empty() && confirms_delete.is_none() && !allow.is_empty();
        let tools = table.get("tools").and_then(|tools| tools.get_ref().as_table());
        // An empty `ask` or `deny` shows that other tools are meant to run: saving an approval can leave one.
        let tools = tools.filter(|tools| is_alone && !tools.contains_key("ask") && !tools.contains_key("deny"));
        if let Some(value) = tools.and_then(|tools| tools.get("allow")) {
            let help = "write `deny = [\"*\"]` beside it to refuse every other tool, or remove it";
            self.report(value.span(), "`allow` alone changes nothing: other tools are allowed too".to_owned(), help);
        }
    }

    fn stated(&self, span: &Range<usize>) -> SourceLine {
        let line = self.source.line_of(span.start);
        SourceLine { layer: self.layer, file: self.file.clone(), line }
    }

    fn set(&mut self, name: &str, value: &Spanned<DeValue<'_>>, stated: &SourceLine, field: Field<'_>) {
        match field {
            Field::Bool(target) => match value.get_ref() {
                DeValue::Boolean(truth) => *target = *truth,
                _ => self.wrong(name, value, "true or false"),
            },
            Field::Durability(target) => match value.get_ref().as_str().and_then(Durability::named) {
                Some(durability) => *target = durability,
                None => self.wrong(name, value, "\"batched\" or \"each\""),
            },
            Field::U64(target, least) | Field::Unlimited(target, least) => {
                self.whole(name, value, least, |number| *target = number)
            }
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
            Field::AllowedDirectories(target) => {
                let rules = self.directories(name, value);
                target.extend((!rules.is_empty()).then_some(rules));
            }
            Field::BlockedDirectories(target) => *target = self.directories(name, value),
            Field::Extensions(target) => {
                let mut extensions = Extensions::default().at(stated.clone());
                self.texts(name, value, "extensions", |reader, item, written| {
                    extensions.add(written).unwrap_or_else(|expected| reader.wrong(name, item, expected));
                });
                target.extend((!extensions.is_empty()).then_some(extensions));
            }
            Field::Patterns(target) => *target = self.patterns(name, value, stated).into_iter().collect(),
            Field::Variables(target) => *target = self.variables(name, value),
            Field::Tools(target, list) => {
                let mut rules = Vec::new();
                self.texts(name, value, "tools", |reader, item, written| {
                    match ToolRule::parse(written, reader.registry) {
                        Ok(rule) => rules.push(rule.at(reader.stated(&item.span()))),
                        Err(message) => reader.report(item.span(), message, "`ns tools` lists the tools"),
                    }
                });
                if !rules.is_empty() {
                    *list(tools_of(target)) = rules;
                }
            }
        }
    }

    /// Calls `take` for each text of a list.
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
        if let Err((item, message)) = check_size(name, items.iter()) {
            return self.report(item, message, "write fewer, or one pattern in place of many");
        }
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(written) => take(self, item, written),
                _ => self.wrong(name, item, "texts"),
            }
        }
    }

    fn directories(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Vec<DirectoryRule> {
        let mut rules = Vec::new();
        if name == "allowed_directories" && value.get_ref().as_array().is_some_and(|items| items.is_empty()) {
            let message = format!("`{name}` allows nothing, so that no tool could work with files");
            self.report(value.span(), message, "leave it out for all of the sandbox, or name directories");
        }
        self.texts(name, value, "directories", |reader, item, written| match DirectoryRule::parse(written) {
            Ok(rule) => rules.push(rule.at(reader.stated(&item.span()))),
            Err(expected) => reader.wrong(name, item, expected),
        });
        rules
    }

    fn variables(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let mut names = Vec::new();
        self.texts(name, value, "names", |reader, item, written| {
            if written.contains(['=', '\0']) || written.is_empty() {
                reader.wrong(name, item, "names of variables")
            } else {
                names.push(written.to_owned())
            }
        });
        names
    }

    fn patterns(&mut self, name: &str, value: &Spanned<DeValue<'_>>, stated: &SourceLine) -> Option<Patterns> {
        let (mut written, mut spans) = (Vec::new(), Vec::new());
        self.texts(name, value, "patterns", |reader, item, text| {
            written.push((text.to_owned(), reader.stated(&item.span()).line));
            spans.push(item.span());
        });
        match Patterns::new(&written) {
            Ok(patterns) => {
                let patterns = patterns.at(stated.clone());
                Some(patterns).filter(|patterns| !patterns.is_empty())
            }
            Err((number, reason)) => {
                let span = spans.get(number).cloned().unwrap_or_else(|| value.span());
                self.report(span, format!("`{name}` needs globs: {reason}"), "change the pattern");
                None
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
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        self.findings.push(Diagnostic::error(Code::BadPolicy, span, message).help(help));
    }
}

/// Checks the size of a list. The error has the span of the first entry that is too much, and a message.
fn check_size<'t>(
    name: &str,
    items: impl Iterator<Item = &'t Spanned<DeValue<'t>>>,
) -> Result<(), (Range<usize>, String)> {
    let mut bytes = 0;
    for (number, item) in items.enumerate() {
        bytes += item.get_ref().as_str().map_or(0, str::len);
        if number >= MAX_ENTRIES {
            return Err((item.span(), format!("`{name}` has more than {MAX_ENTRIES} entries")));
        }
        if bytes > MAX_ENTRY_BYTES {
            return Err((item.span(), format!("the entries of `{name}` have more than {MAX_ENTRY_BYTES} bytes")));
        }
    }
    Ok(())
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

/// Returns the tables in a table: their names there, and as sections.
fn inner_of(section: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    SECTIONS.iter().filter_map(move |inner| {
        let name = match section {
            "" => inner,
            section => inner.strip_prefix(section)?.strip_prefix('.')?,
        };
        (!name.contains('.')).then_some((name, *inner))
    })
}

/// Returns the rules about tools of the file being read.
fn tools_of(tools: &mut Vec<ToolRules>) -> &mut ToolRules {
    if tools.is_empty() {
        tools.push(ToolRules::default());
    }
    tools.first_mut().expect("it is there by now")
}
