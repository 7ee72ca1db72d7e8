//! Arguments of calls by a server's clients, as models guess them: names in another spelling or of another server, and
//! values in the text form of their type.
//!
//! A guess is understood if exactly one meaning is possible. Everything else stays as it was given, and the binder
//! reports it. Scripts and `ns call` do not come here: their authors are told the right name.

use std::rc::Rc;

use crate::limits::LimitHit;
use crate::value::{List, Map, Str, Value, json};

use super::bind::Binder;
use super::spec::{Kind, Param, WhenAbsent};

/// Names that the file tools of other servers have for a parameter, without case and separators, each with its name
/// here. They hold for tools of files and methods of a server; elsewhere `text` has other meanings.
const GUESSES: [(&str, &[&str]); 18] = [
    ("path", &["pathname"]),
    ("paths", &["files", "filenames", "filepaths"]),
    ("source", &["src", "srcpath", "from", "frompath", "oldpath"]),
    ("destination", &["dst", "dstpath", "dest", "destpath", "to", "topath", "newpath"]),
    ("content", &["contents", "body", "data", "filecontent", "filetext"]),
    ("text", &["query", "needle", "searchtext", "search", "oldstring", "oldstr", "find"]),
    ("replacement", &["newstring", "newstr", "replace", "replacewith"]),
    ("old_text", &["oldstring", "oldstr", "oldcontent", "find", "search"]),
    ("new_text", &["newstring", "newstr", "newcontent", "replace", "replacement", "replacewith"]),
    ("pattern", &["glob", "globpattern", "filepattern"]),
    ("max_matches", &["limit", "maxresults", "maxcount"]),
    ("limit", &["maxresults", "maxmatches", "maxcount"]),
    ("context_lines", &["context"]),
    ("max_lines", &["head"]),
    ("last_lines", &["tail"]),
    ("ignore_case", &["caseinsensitive"]),
    ("script", &["code", "source", "program"]),
    ("run", &["undoid", "runid"]),
];

/// Names for the `path` of a tool that works on files.
const FILE: [&str; 3] = ["file", "filename", "filepath"];
/// Names for the `path` of a tool that works on directories.
const DIRECTORY: [&str; 5] = ["dir", "dirpath", "directory", "directorypath", "folder"];

impl Binder {
    /// Returns the arguments of a JSON call under the names of the parameters and in their types, as far as they can
    /// have one meaning only.
    ///
    /// # Errors
    /// Returns a limit that a text in JSON exceeds.
    pub fn understand(&self, given: &Rc<Map>) -> Result<Rc<Map>, LimitHit> {
        let mut taken: Vec<bool> =
            self.params.iter().map(|param| given.keys().any(|key| param.is_called(&key))).collect();
        let mut understood = Map::with_capacity(given.len());
        let mut is_changed = false;
        for (key, value) in given.iter() {
            let Some(Named { param, is_guess }) = self.named(&key.as_text(), &value, &mut taken) else {
                understood.put(key, value)?;
                continue;
            };
            if matches!(value, Value::Nil) && is_omitted(param) {
                is_changed = true;
                continue;
            }
            let converted = converted(param.kind, &value)?;
            is_changed |= is_guess || converted.is_some();
            let key = if is_guess { Str::from(param.name) } else { key };
            understood.put(key, converted.unwrap_or(value))?;
        }
        Ok(if is_changed { Rc::new(understood) } else { given.clone() })
    }

    /// Returns the parameter that a name stands for, and marks it as taken.
    fn named(&self, name: &str, value: &Value, taken: &mut [bool]) -> Option<Named> {
        if let Some(param) = self.params.iter().find(|param| param.is_called(name)) {
            return Some(Named { param, is_guess: false });
        }
        // Nothing under a doubtful name stays a mistake.
        let place = self.guessed(name, taken).filter(|_| !matches!(value, Value::Nil))?;
        taken[place] = true;
        Some(Named { param: &self.params[place], is_guess: true })
    }

    /// Returns the only parameter that a name can mean, if it is not given already.
    fn guessed(&self, name: &str, taken: &[bool]) -> Option<usize> {
        let folded = folded(name);
        let only = |meant: &dyn Fn(&Param) -> bool| {
            let mut fitting = (0..self.params.len()).filter(|place| meant(&self.params[*place]));
            fitting.next().filter(|place| fitting.next().is_none() && !taken[*place])
        };
        let is_spelling = |called: &str| self::folded(called) == folded;
        let respelled = only(&|param| is_spelling(param.name) || param.aliases.iter().any(|alias| is_spelling(alias)));
        let is_of_files = self.callee.starts_with("FS.") || !self.callee.contains('.');
        if respelled.is_some() || !is_of_files {
            return respelled;
        }
        only(&|param| is_guess(&folded, param))
    }
}

/// The parameter that a name stands for.
struct Named {
    param: &'static Param,
    /// Whether the name is neither its name nor an alias.
    is_guess: bool,
}

/// Whether a name, without case and separators, is one that other servers have for a parameter. An alias tells whether a
/// `path` takes files or directories alone.
fn is_guess(folded: &str, param: &Param) -> bool {
    let has_alias = |names: &[&str]| param.aliases.iter().any(|alias| names.contains(alias));
    let is_path = param.name == "path"
        && (FILE.contains(&folded) && !has_alias(&["dir", "directory_path"])
            || DIRECTORY.contains(&folded) && !has_alias(&["file_path"]));
    is_path || GUESSES.iter().any(|(name, guesses)| *name == param.name && guesses.contains(&folded))
}

/// Returns a name without case and separators.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Whether `null` means that a parameter is not given. Strict schemas make programs send every argument.
fn is_omitted(param: &Param) -> bool {
    param.absent != WhenAbsent::Required && !matches!(param.kind, Kind::Any)
}

/// Returns a value in the type of its parameter, if it has another type and only one value can be meant.
fn converted(kind: Kind, value: &Value) -> Result<Option<Value>, LimitHit> {
    match (kind, value) {
        // Elsewhere a number may mean something else than its digits, as permission bits do.
        (Kind::Content | Kind::Path(..), Value::Int(number)) => Value::checked_text(&number.to_string()).map(Some),
        (Kind::Maps(params), Value::List(list)) => changed(list, |item| match item {
            Value::Map(map) => {
                let understood = Binder { callee: "", params }.understand(map)?;
                Ok((!Rc::ptr_eq(map, &understood)).then_some(Value::Map(understood)))
            }
            _ => Ok(None),
        }),
        (Kind::Paths(rule, access), Value::List(list)) => changed(list, |item| match item {
            Value::Int(_) => converted(Kind::Path(rule, access), item),
            _ => Ok(None),
        }),
        (kind, value) => match value.as_text() {
            Some(text) => from_text(kind, value, &text),
            None => Ok(None),
        },
    }
}

/// Returns a text as a value of the type of its parameter.
fn from_text(kind: Kind, value: &Value, text: &str) -> Result<Option<Value>, LimitHit> {
    let list = || Ok::<_, LimitHit>(json_of(text)?.filter(|value| matches!(value, Value::List(_))));
    Ok(match kind {
        Kind::Int { .. } | Kind::IntOrNil { .. } => text.parse().ok().map(Value::Int),
        Kind::Number => json_of(text)?.filter(|value| matches!(value, Value::Int(_) | Value::Float(_))),
        Kind::Bool | Kind::BoolOrTexts => match text {
            "true" | "True" => Some(true.into()),
            "false" | "False" => Some(false.into()),
            _ => None,
        },
        Kind::Map => json_of(text)?.filter(|value| matches!(value, Value::Map(_))),
        Kind::List => list()?,
        Kind::Maps(_) | Kind::Paths(..) if text.starts_with('[') => match list()? {
            Some(list) => converted(kind, &list)?.or(Some(list)),
            None => None,
        },
        Kind::Texts | Kind::Scalars | Kind::Patterns | Kind::TextOrTexts if text.starts_with('[') => list()?,
        Kind::Texts | Kind::Scalars | Kind::Paths(..) => Some(Value::list(vec![value.clone()])?),
        _ => None,
    })
}

/// Returns a list with some elements changed; `None` if none is.
fn changed(list: &List, change: impl Fn(&Value) -> Result<Option<Value>, LimitHit>) -> Result<Option<Value>, LimitHit> {
    let mut is_changed = false;
    let mut elements = Vec::with_capacity(list.len());
    for item in list.iter() {
        let other = change(&item)?;
        is_changed |= other.is_some();
        elements.push(other.unwrap_or(item));
    }
    if is_changed { Value::list(elements).map(Some) } else { Ok(None) }
}

/// Returns the value of a text in JSON, or `None` if it is not in JSON.
fn json_of(text: &str) -> Result<Option<Value>, LimitHit> {
    match json::from_text(text) {
        Ok(value) => Ok(Some(value)),
        Err(json::ParseError::Limit(hit)) => Err(hit),
        Err(_) => Ok(None),
    }
}
