//! Tab completion.

use rustyline::completion::Pair;

use crate::engine::{PageKind, Session, TokenKind, Value, pages, tokens};
use crate::manual::{ToolEntry, entries};
use crate::text::safe;

use super::commands::{self, COMMANDS};
use super::cursor::{At, CursorContext, parameters};

/// Maximum number of candidates.
const MOST: usize = 1_000;
/// The text that Tab inserts at the beginning of a line.
const INDENT: &str = "  ";
/// Keywords that can appear inside statements.
const INNER: [&str; 13] =
    ["AND", "OR", "NOT", "IN", "THEN", "DO", "EACH", "CALL", "TRUE", "FALSE", "NIL", "LAST", "LAST_ERROR"];

/// Returns the candidates for the cursor position, and the offset at which the text that they replace begins. `block`
/// holds the lines above.
pub fn complete(session: &Session<'_>, block: &str, line: &str, at: usize) -> (usize, Vec<Pair>) {
    let before = &line[..at];
    let newest = before.rsplit_once('\n').map_or(before, |(_, newest)| newest);
    if newest.trim().is_empty() {
        return (at, vec![plain(INDENT.to_owned())]);
    }
    if let Some(end) = commands::name_in(line).filter(|_| block.is_empty()) {
        return command(session, before, end);
    }
    let text = format!("{block}{before}");
    expression(session, &text, &line[at..], at)
}

/// Completes a command whose name ends at `end`.
fn command(session: &Session<'_>, before: &str, end: usize) -> (usize, Vec<Pair>) {
    let start = before.len() - before.trim_start().len() + 1;
    let (name, rest) = before.split_at(end.min(before.len()));
    if rest.is_empty() {
        let found = COMMANDS.iter().filter(|(known, ..)| known.starts_with(&name[start..]));
        return (start, found.map(|(known, ..)| plain(format!("{known} "))).collect());
    }
    let typed = rest.trim_start();
    let begin = before.len() - typed.len();
    match commands::full_name(&name[start..]) {
        Some("type" | "time") => expression(session, typed, "", before.len()),
        Some("help" | "tools") => {
            let tools = entries(session.engine().registry()).into_iter().map(|entry| entry.spec.name);
            let names = pages().flat_map(|page| page.names.iter().copied()).chain(tools);
            let found = names.filter(|name| begins_folded(name, typed)).map(|name| plain(name.to_owned()));
            (begin, sorted(found.collect()))
        }
        _ => (before.len(), Vec::new()),
    }
}

/// Completes the end of a text. `behind` is the text after the cursor; `at` is the position of the cursor in the line.
fn expression(session: &Session<'_>, text: &str, behind: &str, at: usize) -> (usize, Vec<Pair>) {
    let place = CursorContext::of(text);
    let holder = place.holder(session);
    match place.at {
        At::Comment => (at, Vec::new()),
        // The text literal begins in a line above.
        At::Text(_, typed) if typed.contains('\n') => (at, Vec::new()),
        At::Text(_, typed) if holder.is_some() => {
            let close = if behind.is_empty() { "\"]" } else { "" };
            let keys = keys(holder.as_ref(), typed).filter(|key| !key.contains(['"', '\\']) && !unsafe_name(key));
            (at - typed.len(), sorted(keys.map(|key| pair(&key, format!("{key}{close}"))).collect()))
        }
        At::Text(quote, typed) => paths(session, typed, quote, behind, at),
        At::Word(word) => {
            let found = match (place.owner(), holder) {
                (_, Some(holder)) => keys(Some(&holder), word).filter(|key| is_name(key)).map(plain).collect(),
                (Some(owner), None) => members(session, owner, word),
                (None, None) if place.follows("CALL") => callees(session, word),
                (None, None) => names(session, &place, word),
            };
            (at - word.len(), sorted(found))
        }
    }
}

/// Returns the keys of a map that begin with a text; none for other values.
fn keys<'v>(holder: Option<&'v Value>, typed: &'v str) -> impl Iterator<Item = String> + 'v {
    let map = holder.and_then(|value| if let Value::Map(map) = value { Some(map) } else { None });
    let keys = map.into_iter().flat_map(|map| map.iter()).map(|(key, _)| key.as_text().to_string());
    keys.filter(move |key| key.starts_with(typed))
}

/// Completes a path in the sandbox, as far as the policy lets tools list it. `quote` begins its text literal.
fn paths(session: &Session<'_>, typed: &str, quote: &str, behind: &str, at: usize) -> (usize, Vec<Pair>) {
    let (folder, name) = typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
    let is_plain = !typed.contains(['\\', '\n']);
    let names =
        if is_plain { session.names_in(if folder.is_empty() { "." } else { folder }, name) } else { Vec::new() };
    let close = if behind.starts_with(quote) { "" } else { quote };
    let fits = |found: &str| found.starts_with(name) && (!found.starts_with('.') || name.starts_with('.'));
    let found = names
        .into_iter()
        .filter(|(found, _)| fits(found) && !unsafe_name(found) && !found.contains(['"', '\'', '\\', '`']));
    let found = found.map(
        |(found, is_folder)| {
            if is_folder { plain(format!("{found}/")) } else { pair(&found, format!("{found}{close}")) }
        },
    );
    (at - name.len(), sorted(found.collect()))
}

/// Returns the members of a name before a dot: tools of a group, or procedures of a module.
fn members(session: &Session<'_>, owner: &str, word: &str) -> Vec<Pair> {
    let entries = entries(session.engine().registry());
    let tools = entries.iter().filter(|entry| entry.group().eq_ignore_ascii_case(owner));
    let tools = tools.filter_map(|entry| entry.spec.name.split_once('.')).map(|(_, name)| name.to_owned());
    let procedures = session.module_procedures(owner).map(|procedure| procedure.name);
    let found: Vec<Pair> = tools.chain(procedures).filter(|name| begins_folded(name, word)).map(called).collect();
    if !found.is_empty() || word.is_empty() {
        return found;
    }
    aliases(session, |group, tail| group.eq_ignore_ascii_case(owner) && begins_folded(tail, word))
        .map(|(alias, name)| alias_pair(alias.split_once('.').map_or(alias, |(_, tail)| tail), name))
        .collect()
}

/// Returns the aliases of tools, selected by group and tail, each with the name of the tool.
fn aliases<'s>(
    session: &'s Session<'_>,
    fits: impl Fn(&str, &str) -> bool + 's,
) -> impl Iterator<Item = (&'static str, &'static str)> + 's {
    let specs = session.engine().registry().iter().map(|tool| &tool.spec);
    let all = specs.flat_map(|spec| spec.aliases.iter().map(|alias| (*alias, spec.name)));
    all.filter(move |(alias, _)| alias.split_once('.').is_some_and(|(group, tail)| fits(group, tail)))
}

/// Builds a candidate for an alias, displayed with the name of its tool.
fn alias_pair(alias: &str, name: &str) -> Pair {
    Pair { replacement: format!("{alias}("), display: format!("{alias} = {name}") }
}

/// Returns the callable names: tools by their full name or by the part after the dot, and procedures.
fn callees(session: &Session<'_>, word: &str) -> Vec<Pair> {
    let entries = entries(session.engine().registry());
    let fits = |name: &&str| {
        begins_folded(name, word) || name.split_once('.').is_some_and(|(_, tail)| begins_folded(tail, word))
    };
    let tools = entries.iter().map(|entry| entry.spec.name).filter(fits).map(str::to_owned);
    let found: Vec<Pair> = tools.chain(procedures(session, word)).map(called).collect();
    if !found.is_empty() || word.is_empty() {
        return found;
    }
    let fits = |group: &str, tail: &str| !group.eq_ignore_ascii_case("tool") && begins_folded(tail, word);
    aliases(session, fits).map(|(alias, name)| alias_pair(alias, name)).collect()
}

fn procedures(session: &Session<'_>, word: &str) -> Vec<String> {
    let own = session.procedures().map(|procedure| procedure.name);
    let modules = session.modules().flat_map(|module| {
        session.module_procedures(module).map(move |procedure| format!("{module}.{}", procedure.name))
    });
    own.chain(modules).filter(|name| name.starts_with(word)).collect()
}

/// Returns names, keywords and arguments.
fn names(session: &Session<'_>, place: &CursorContext<'_>, word: &str) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    if let Some(call) = place.call() {
        let is_argument = call.is_fresh || place.text[..place.text.len() - word.len()].trim_end().ends_with(['(', ',']);
        let parameters = parameters(&call.callee, session).filter(|_| is_argument).unwrap_or_default();
        let free = parameters.into_iter().map(|(name, _)| name);
        let free = free.filter(|name| !name.is_empty() && name.starts_with(word) && !call.given.contains(name));
        found.extend(free.map(|name| plain(format!("{name}: "))));
    }
    let is_lower = word.chars().any(char::is_lowercase);
    let spelled = |keyword: &&str| if is_lower { keyword.to_lowercase() } else { (*keyword).to_owned() };
    if place.begins_statement() {
        let words = crate::engine::STATEMENT_WORDS.iter();
        found.extend(
            words.map(spelled).filter(|keyword| keyword.starts_with(word)).map(|keyword| plain(format!("{keyword} "))),
        );
    }
    found.extend(INNER.iter().map(spelled).filter(|keyword| keyword.starts_with(word)).map(plain));
    let typed = place.before.iter().filter(|token| token.kind == TokenKind::Name);
    let typed = typed.map(|token| place.text[token.start..token.end].to_owned()).filter(|name| name.len() > 1);
    let variables = session.variables().map(|(name, _)| name.to_owned()).chain(typed);
    found.extend(variables.filter(|name| name.starts_with(word)).map(plain));
    found.extend(procedures(session, word).into_iter().map(called));
    found.extend(session.modules().filter(|name| name.starts_with(word)).map(|name| plain(format!("{name}."))));
    let built_in = pages().filter(|page| page.kind == PageKind::BuiltIn).flat_map(|page| page.names);
    found.extend(built_in.filter(|name| begins_folded(name, word)).map(|name| called((*name).to_owned())));
    let entries = entries(session.engine().registry());
    let groups = entries.iter().map(ToolEntry::group).filter(|group| begins_folded(group, word));
    found.extend(groups.map(|group| plain(format!("{group}."))));
    found
}

fn begins_folded(name: &str, typed: &str) -> bool {
    name.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed))
}

fn is_name(key: &str) -> bool {
    matches!(tokens(key)[..], [token] if token.kind == TokenKind::Name && token.end == key.len())
}

fn unsafe_name(name: &str) -> bool {
    name.contains(['\u{fffd}', '\u{2028}', '\u{2029}']) || safe::hidden(name).is_some()
}

fn plain(text: String) -> Pair {
    Pair { display: text.trim_end().to_owned(), replacement: text }
}

fn called(name: String) -> Pair {
    Pair { replacement: format!("{name}("), display: name }
}

fn pair(display: &str, replacement: String) -> Pair {
    Pair { display: display.to_owned(), replacement }
}

fn sorted(mut found: Vec<Pair>) -> Vec<Pair> {
    found.sort_by(|a, b| a.replacement.cmp(&b.replacement));
    found.dedup_by(|a, b| a.replacement == b.replacement);
    found.truncate(MOST);
    found
}
