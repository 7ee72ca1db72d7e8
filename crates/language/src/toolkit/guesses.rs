//! Arguments of JSON calls as programs guess them: names in another spelling or of another server, and values in the
//! text form of their type.
//!
//! A guess is understood if exactly one meaning is possible. Everything else stays as it was given, and the binder
//! reports it. Scripts do not come here: `ns check` tells their authors the right name.

use std::rc::Rc;

use crate::limits::LimitHit;
use crate::value::{List, Map, Str, Value, json};

use super::bind::Binder;
use super::spec::{Kind, Param, WhenAbsent};

/// Names that the file tools of other servers have for a parameter, without case and separators, each with its name
/// here. They hold for tools of files and methods of a server; elsewhere `text` and `pattern` have other meanings.
const GUESSES: [(&str, &[&str]); 17] = [
    ("path", &["file", "filename", "filepath", "pathname", "dir", "dirpath", "directory", "directorypath", "folder"]),
    ("paths", &["files", "filenames", "filepaths"]),
    ("source", &["src", "srcpath", "from", "frompath", "oldpath", "old"]),
    ("destination", &["dst", "dstpath", "dest", "destpath", "to", "topath", "target", "newpath", "new"]),
    ("content", &["contents", "body", "data", "filecontent", "filetext"]),
    ("text", &["query", "needle", "searchtext", "search"]),
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

impl Binder {
    /// Returns the arguments of a JSON call under the names of the parameters and in their types, as far as they can
    /// have one meaning only.
    ///
    /// # Errors
    /// Returns a limit that a text in JSON exceeds.
    pub fn understand(&self, given: &Rc<Map>) -> Result<Rc<Map>, LimitHit> {
        let known: Vec<bool> = self.params.iter().map(|param| given.keys().any(|key| param.is_called(&key))).collect();
        let mut understood = Map::with_capacity(given.len());
        let mut taken = known;
        let mut is_changed = false;
        for (key, value) in given.iter() {
            let exact = self.params.iter().find(|param| param.is_called(&key.as_text()));
            let param = exact.or_else(|| {
                let place = self.guessed(&key.as_text(), &taken)?;
                taken[place] = true;
                Some(&self.params[place])
            });
            let Some(param) = param else {
                understood.put(key, value)?;
                continue;
            };
            is_changed |= exact.is_none();
            if matches!(value, Value::Nil) && is_omitted(param) {
                is_changed = true;
                continue;
            }
            let converted = converted(param.kind, &value)?;
            is_changed |= converted.is_some();
            let key = if exact.is_some() { key } else { Str::from(param.name) };
            understood.put(key, converted.unwrap_or(value))?;
        }
        Ok(if is_changed { Rc::new(understood) } else { given.clone() })
    }

    /// Returns the only parameter, among those that are not given, that a name can mean.
    fn guessed(&self, name: &str, taken: &[bool]) -> Option<usize> {
        let folded = folded(name);
        let fits = |meant: &dyn Fn(&str) -> bool| {
            let names = |param: &Param| meant(param.name) || param.aliases.iter().any(|alias| meant(alias));
            let mut fitting = (0..self.params.len()).filter(|place| names(&self.params[*place]));
            fitting.next().filter(|place| fitting.next().is_none() && !taken[*place])
        };
        let respelled = fits(&|called| self::folded(called) == folded);
        let is_of_files = self.callee.starts_with("FS.") || !self.callee.contains('.');
        if respelled.is_some() || !is_of_files {
            return respelled;
        }
        fits(&|called| GUESSES.iter().any(|(name, guesses)| *name == called && guesses.contains(&folded.as_str())))
    }
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
    if let Value::Int(number) = value {
        let is_text =
            matches!(kind, Kind::Text | Kind::TextOrNil | Kind::Form(_) | Kind::Content | Kind::Path(..) | Kind::Kept);
        return if is_text { Value::checked_text(&number.to_string()).map(Some) } else { Ok(None) };
    }
    if let (Kind::Maps(params), Value::List(list)) = (kind, value) {
        return understood_maps(params, list);
    }
    let Some(text) = value.as_text() else { return Ok(None) };
    Ok(match kind {
        Kind::Maps(_) => match list_of(&text)? {
            Some(list) => converted(kind, &list)?.or(Some(list)),
            None => None,
        },
        Kind::Int { .. } | Kind::IntOrNil { .. } => text.parse().ok().map(Value::Int),
        Kind::Number => json_of(&text)?.filter(|value| matches!(value, Value::Int(_) | Value::Float(_))),
        Kind::Bool | Kind::BoolOrTexts => match &*text {
            "true" | "True" => Some(true.into()),
            "false" | "False" => Some(false.into()),
            _ => None,
        },
        Kind::Map => json_of(&text)?.filter(|value| matches!(value, Value::Map(_))),
        Kind::List => list_of(&text)?,
        Kind::Texts | Kind::Scalars | Kind::Paths(..) => match list_of(&text)? {
            Some(list) => Some(list),
            None => Some(Value::list(vec![value.clone()])?),
        },
        _ => None,
    })
}

/// Returns the maps of a list under the names of their parameters, if any has another name or type.
fn understood_maps(params: &'static [Param], list: &List) -> Result<Option<Value>, LimitHit> {
    let binder = Binder { callee: "", params };
    let mut is_changed = false;
    let understood: Result<Vec<Value>, LimitHit> = list
        .iter()
        .map(|item| match item {
            Value::Map(map) => {
                let understood = binder.understand(&map)?;
                is_changed |= !Rc::ptr_eq(&map, &understood);
                Ok(Value::Map(understood))
            }
            item => Ok(item),
        })
        .collect();
    let understood = Value::list(understood?)?;
    Ok(is_changed.then_some(understood))
}

fn list_of(text: &str) -> Result<Option<Value>, LimitHit> {
    Ok(json_of(text)?.filter(|value| matches!(value, Value::List(_))))
}

/// Returns the value of a text in JSON, or `None` if it is not in JSON.
fn json_of(text: &str) -> Result<Option<Value>, LimitHit> {
    match json::from_text(text) {
        Ok(value) => Ok(Some(value)),
        Err(json::ParseError::Limit(hit)) => Err(hit),
        Err(_) => Ok(None),
    }
}
