//! The candidates for a cursor position.

use crate::engine::{PageKind, ProcedureInfo, STATEMENT_WORDS, TokenKind, closed_heads, next_words, pages, tokens};
use crate::manual::{ToolEntry, entries};
use crate::text::safe;

use super::cursor::{At, CursorContext, parameters};
use super::surroundings::Surroundings;

/// A text that can stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The text to insert.
    pub replacement: String,
    /// The text to show.
    pub display: String,
    /// The kind of its subject.
    pub kind: CandidateKind,
}

/// The subject of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A keyword.
    Keyword,
    /// A variable.
    Variable,
    /// A procedure of the text or of a module.
    Procedure,
    /// A tool, or a function that takes a procedure.
    Tool,
    /// A built-in function.
    BuiltIn,
    /// A module, or a group of tools.
    Module,
    /// The name of an argument.
    Argument,
    /// A key of a map.
    Key,
    /// A directory.
    Folder,
    /// A file.
    File,
}

/// The candidates for a position.
#[derive(Debug)]
pub struct Candidates {
    /// Number of bytes before the cursor that they replace.
    pub replaced: usize,
    /// The name before the dot that precedes them.
    pub owner: Option<String>,
    /// The candidates, sorted by replacement.
    pub found: Vec<Candidate>,
}

impl Candidates {
    fn new(replaced: usize, found: Vec<Candidate>) -> Candidates {
        Candidates { replaced, owner: None, found: sorted(found) }
    }
}

impl Candidate {
    /// Returns a candidate that is shown as it is inserted.
    pub fn plain(text: String, kind: CandidateKind) -> Candidate {
        Candidate { display: text.trim_end().to_owned(), replacement: text, kind }
    }

    fn called(name: String, kind: CandidateKind) -> Candidate {
        Candidate { replacement: format!("{name}("), display: name, kind }
    }
}

/// Completes the end of a text. `behind` is the text after the cursor.
pub fn candidates<S: Surroundings>(surroundings: &S, text: &str, behind: &str) -> Candidates {
    let place = CursorContext::of(text);
    let holder = place.holder(surroundings);
    match place.at {
        At::Comment => Candidates::new(0, Vec::new()),
        // The text literal begins in a line above.
        At::Text(_, typed) if typed.contains('\n') => Candidates::new(0, Vec::new()),
        At::Text(_, typed) => match holder {
            Some(holder) => {
                let close = if behind.is_empty() { "\"]" } else { "" };
                let keys = keys(surroundings, &holder, typed);
                let keys = keys.into_iter().filter(|key| !key.contains(['"', '\\']) && !unsafe_name(key));
                let found = keys.map(|key| pair(&key, format!("{key}{close}"), CandidateKind::Key));
                Candidates::new(typed.len(), found.collect())
            }
            None => paths(surroundings, &place, behind),
        },
        At::Word(word) => {
            let found = match (place.owner(), holder) {
                (_, Some(holder)) => {
                    let keys = keys(surroundings, &holder, word).into_iter().filter(|key| is_name(key));
                    keys.map(|key| Candidate::plain(key, CandidateKind::Key)).collect()
                }
                (Some(owner), None) => members(surroundings, owner, word),
                (None, None) if place.follows("CALL") => callees(surroundings, word),
                (None, None) => names(surroundings, &place, word),
            };
            Candidates { owner: place.owner().map(str::to_owned), ..Candidates::new(word.len(), found) }
        }
    }
}

/// Returns the keys of a map that begin with a text.
fn keys<S: Surroundings>(surroundings: &S, holder: &S::Shape, typed: &str) -> Vec<String> {
    let mut keys = surroundings.keys(holder);
    keys.retain(|key| key.starts_with(typed));
    keys
}

/// Completes a path in the sandbox, as far as the policy lets tools list it.
fn paths(surroundings: &impl Surroundings, place: &CursorContext<'_>, behind: &str) -> Candidates {
    let At::Text(quote, typed) = place.at else { return Candidates::new(0, Vec::new()) };
    let (folder, name) = typed.rsplit_once('/').unwrap_or(("", typed));
    let is_absolute = typed.starts_with('/');
    let is_plain = !is_absolute && !typed.contains(['\\', '\n']);
    let folder = if folder.is_empty() { "." } else { folder };
    let names = if is_plain { surroundings.names_in(folder, name) } else { Vec::new() };
    let close = if behind.starts_with(quote) { "" } else { quote };
    let fits = |found: &str| found.starts_with(name) && (!found.starts_with('.') || name.starts_with('.'));
    let found = names
        .into_iter()
        .filter(|(found, _)| fits(found) && !unsafe_name(found) && !found.contains(['"', '\'', '\\', '`']));
    let found = found.map(|(found, is_folder)| {
        if is_folder {
            Candidate::plain(format!("{found}/"), CandidateKind::Folder)
        } else {
            pair(&found, format!("{found}{close}"), CandidateKind::File)
        }
    });
    Candidates::new(name.len(), found.collect())
}

/// Returns the members of a name before a dot: tools of a group, or procedures of a module.
fn members(surroundings: &impl Surroundings, owner: &str, word: &str) -> Vec<Candidate> {
    let entries = entries(surroundings.registry());
    let tools = entries.iter().filter(|entry| entry.group().eq_ignore_ascii_case(owner));
    let tools = tools.filter_map(|entry| entry.spec.name.split_once('.'));
    let tools = tools.map(|(_, name)| Candidate::called(name.to_owned(), CandidateKind::Tool));
    let procedures = surroundings.module_procedures(owner).into_iter();
    let procedures = procedures.map(|procedure| Candidate::called(procedure.name, CandidateKind::Procedure));
    let found: Vec<Candidate> =
        tools.chain(procedures).filter(|candidate| begins_folded(&candidate.display, word)).collect();
    if !found.is_empty() || word.is_empty() {
        return found;
    }
    aliases(surroundings, |group, tail| group.eq_ignore_ascii_case(owner) && begins_folded(tail, word))
        .map(|(alias, name)| alias_candidate(alias.split_once('.').map_or(alias, |(_, tail)| tail), name))
        .collect()
}

/// Returns the aliases of tools, selected by group and tail, each with the name of the tool.
fn aliases<'s>(
    surroundings: &'s impl Surroundings,
    fits: impl Fn(&str, &str) -> bool + 's,
) -> impl Iterator<Item = (&'static str, &'static str)> + 's {
    let specs = surroundings.registry().iter().map(|tool| &tool.spec);
    let all = specs.flat_map(|spec| spec.aliases.iter().map(|alias| (*alias, spec.name)));
    all.filter(move |(alias, _)| alias.split_once('.').is_some_and(|(group, tail)| fits(group, tail)))
}

/// Returns a candidate for an alias, displayed with the name of its tool.
fn alias_candidate(alias: &str, name: &str) -> Candidate {
    pair(&format!("{alias} = {name}"), format!("{alias}("), CandidateKind::Tool)
}

/// Returns the callable names: tools by their full name or by the part after the dot, and procedures.
fn callees(surroundings: &impl Surroundings, word: &str) -> Vec<Candidate> {
    let entries = entries(surroundings.registry());
    let fits = |name: &&str| {
        begins_folded(name, word) || name.split_once('.').is_some_and(|(_, tail)| begins_folded(tail, word))
    };
    let tools = entries.iter().map(|entry| entry.spec.name).filter(fits);
    let tools = tools.map(|name| Candidate::called(name.to_owned(), CandidateKind::Tool));
    let found: Vec<Candidate> = tools.chain(procedures(surroundings, word)).collect();
    if !found.is_empty() || word.is_empty() {
        return found;
    }
    let fits = |group: &str, tail: &str| !group.eq_ignore_ascii_case("tool") && begins_folded(tail, word);
    aliases(surroundings, fits).map(|(alias, name)| alias_candidate(alias, name)).collect()
}

fn procedures(surroundings: &impl Surroundings, word: &str) -> Vec<Candidate> {
    let own = surroundings.procedures().into_iter().map(|procedure| procedure.name);
    let modules = surroundings.modules().into_iter().flat_map(|module| {
        let qualified = |procedure: ProcedureInfo| format!("{module}.{}", procedure.name);
        surroundings.module_procedures(&module).into_iter().map(qualified).collect::<Vec<_>>()
    });
    let found = own.chain(modules).filter(|name| name.starts_with(word));
    found.map(|name| Candidate::called(name, CandidateKind::Procedure)).collect()
}

/// Returns names, keywords and arguments.
fn names(surroundings: &impl Surroundings, place: &CursorContext<'_>, word: &str) -> Vec<Candidate> {
    let mut found = arguments(surroundings, place, word);
    found.extend(keywords(surroundings, place, word));
    let typed = place.before.iter().filter(|token| surroundings.has_typed_names() && token.kind == TokenKind::Name);
    let typed = typed.map(|token| &place.text[token.start..token.end]).filter(|name| name.len() > 1);
    let typed = typed.filter(|name| name.starts_with(word)).map(str::to_owned);
    let variables = surroundings.variables().into_iter().filter(|name| name.starts_with(word)).chain(typed);
    found.extend(variables.map(|name| Candidate::plain(name, CandidateKind::Variable)));
    found.extend(procedures(surroundings, word));
    let modules = surroundings.modules().into_iter().filter(|name| name.starts_with(word));
    found.extend(modules.map(|name| Candidate::plain(format!("{name}."), CandidateKind::Module)));
    let built_in = pages().filter(|page| page.kind == PageKind::BuiltIn).flat_map(|page| page.names);
    let built_in = built_in.filter(|name| begins_folded(name, word));
    found.extend(built_in.map(|name| Candidate::called((*name).to_owned(), CandidateKind::BuiltIn)));
    let entries = entries(surroundings.registry());
    let groups = entries.iter().map(ToolEntry::group).filter(|group| begins_folded(group, word));
    found.extend(groups.map(|group| Candidate::plain(format!("{group}."), CandidateKind::Module)));
    found
}

/// Returns the arguments that the call around the cursor does not have yet.
fn arguments(surroundings: &impl Surroundings, place: &CursorContext<'_>, word: &str) -> Vec<Candidate> {
    let Some(call) = place.call() else { return Vec::new() };
    let before = &place.text[..place.text.len() - word.len()];
    let is_argument = call.is_fresh || before.trim_end().ends_with(['(', ',']);
    let parameters = parameters(&call.callee, surroundings).filter(|_| is_argument).unwrap_or_default();
    let free = parameters.into_iter().map(|(name, _)| name);
    let free = free.filter(|name| !name.is_empty() && name.starts_with(word) && !call.given.contains(name));
    free.map(|name| Candidate::plain(format!("{name}: "), CandidateKind::Argument)).collect()
}

/// Returns the keywords that can stand here, in lower case if the word has lower-case letters.
fn keywords(surroundings: &impl Surroundings, place: &CursorContext<'_>, word: &str) -> Vec<Candidate> {
    let is_lower = word.chars().any(char::is_lowercase);
    let Some(statement) = place.statement() else { return Vec::new() };
    let words: Vec<String> = if statement.is_empty() {
        // A session shows the value of an expression.
        let values = if surroundings.has_typed_names() { next_words("EMIT") } else { Vec::new() };
        let block = place.open_block();
        let fits = |keyword: &&&str| fits(block.as_deref(), keyword);
        STATEMENT_WORDS.iter().filter(fits).map(|keyword| format!("{keyword} ")).chain(values).collect()
    } else {
        next_words(&statement)
    };
    let spelled = words.into_iter().map(|keyword| if is_lower { keyword.to_lowercase() } else { keyword });
    let found = spelled.filter(|keyword| keyword.starts_with(word));
    found.map(|keyword| Candidate::plain(keyword, CandidateKind::Keyword)).collect()
}

/// Whether a statement word can stand in a block that begins with a word, or in none.
fn fits(block: Option<&str>, keyword: &str) -> bool {
    if keyword == "ELSE" {
        return block == Some("IF");
    }
    let heads = closed_heads(keyword);
    heads.is_empty() || block.is_some_and(|block| heads.contains(&block))
}

/// Whether a name begins with a text, ignoring case.
pub fn begins_folded(name: &str, typed: &str) -> bool {
    name.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed))
}

fn is_name(key: &str) -> bool {
    matches!(tokens(key)[..], [token] if token.kind == TokenKind::Name && token.end == key.len())
}

fn unsafe_name(name: &str) -> bool {
    name.contains(['\u{fffd}', '\u{2028}', '\u{2029}']) || safe::hidden(name).is_some()
}

fn pair(display: &str, replacement: String, kind: CandidateKind) -> Candidate {
    Candidate { display: display.to_owned(), replacement, kind }
}

/// Sorts candidates by replacement and removes duplicates.
pub fn sorted(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|a, b| a.replacement.cmp(&b.replacement));
    found.dedup_by(|a, b| a.replacement == b.replacement);
    found
}
