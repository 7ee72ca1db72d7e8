//! Variables for the client: read when they are opened, page by page, with bounded texts.

use serde_json::{Value as Json, json};

use crate::engine::{Paused, Purity, Value, VariableScope};
use crate::value::print;

use super::arguments::{SetVariable, Variables};
use super::message::{Answer, Refusal};

/// Maximum number of variables in one answer.
const MAX_PAGE: usize = 1_000;
/// Maximum number of things that can be opened at one stop.
const MAX_HANDLES: usize = 100_000;
/// Maximum number of characters of a text or a name, and of bytes of an expression for a place.
const MAX_TEXT: usize = 1_000;
/// Maximum number of characters of a list or map on its line.
const MAX_PREVIEW: usize = 120;
/// Maximum number of characters of a value that is copied.
const MAX_COPIED: usize = 1 << 20;

/// The things that the client can open at this stop.
#[derive(Debug, Default)]
pub struct Handles(Vec<Handle>);

/// Something that can be opened.
#[derive(Clone, Debug)]
enum Handle {
    /// The variables of a frame.
    Scope { frame: usize, scope: VariableScope },
    /// A list or map in a variable.
    Path(ValuePath),
    /// A list or map that an expression had as its value.
    Result(Value),
}

/// A place in a variable.
#[derive(Clone, Debug)]
struct ValuePath {
    frame: usize,
    scope: VariableScope,
    name: String,
    steps: Vec<Value>,
}

impl ValuePath {
    fn inside(&self, step: Value) -> ValuePath {
        ValuePath { steps: self.steps.iter().cloned().chain([step]).collect(), ..self.clone() }
    }

    /// Returns the expression for the place, or `None` if it is too long.
    fn expression(&self) -> Option<String> {
        let mut text = self.name.clone();
        for step in &self.steps {
            if text.len() > MAX_TEXT || step.as_text().is_some_and(|key| key.len() > MAX_TEXT) {
                return None;
            }
            text.push('[');
            // A text takes everything.
            let _ = print::write_quoted(step, &mut text);
            text.push(']');
        }
        (text.len() <= MAX_TEXT).then_some(text)
    }

    /// Returns the value there now.
    fn value(&self, paused: &mut Paused<'_>) -> Option<Value> {
        let variables = paused.variables(self.frame, self.scope);
        let whole = variables.into_iter().find(|variable| variable.name == self.name)?.value;
        self.steps.iter().try_fold(whole, |value, step| element(&value, step))
    }
}

impl Handles {
    /// Forgets everything, since the run goes on.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, handle: Handle) -> usize {
        if self.0.len() >= MAX_HANDLES {
            return 0;
        }
        self.0.push(handle);
        self.0.len()
    }

    fn get(&self, reference: usize) -> Result<Handle, Refusal> {
        let found = reference.checked_sub(1).and_then(|at| self.0.get(at)).cloned();
        found.ok_or_else(|| Refusal::new(format!("there is nothing with the reference {reference} at this stop")))
    }

    /// Returns the scopes of a frame.
    pub fn scopes(&mut self, paused: &mut Paused<'_>, frame: usize) -> Json {
        let mut scopes = vec![("Variables", VariableScope::Local)];
        if paused.reads_outer(frame) {
            scopes.push(("Script", VariableScope::Outer));
        }
        scopes.push(("Outcome", VariableScope::Outcome));
        let scopes = scopes.into_iter().map(|(name, scope)| {
            let count = paused.variables(frame, scope).len();
            let reference = self.add(Handle::Scope { frame, scope });
            let hint = if scope == VariableScope::Local { json!("locals") } else { Json::Null };
            let mut shown =
                json!({ "name": name, "variablesReference": reference, "namedVariables": count, "expensive": false });
            if !hint.is_null() {
                shown["presentationHint"] = hint;
            }
            shown
        });
        json!({ "scopes": scopes.collect::<Vec<_>>() })
    }

    /// Answers `variables`.
    pub fn variables(&mut self, paused: &mut Paused<'_>, wanted: &Variables) -> Answer {
        let shown = match self.get(wanted.variables_reference)? {
            Handle::Scope { frame, scope } => self.of_scope(paused, frame, scope, wanted),
            Handle::Path(place) => {
                let value = place.value(paused).ok_or_else(|| Refusal::new("the value is gone"))?;
                self.inside(&value, Some(&place), wanted)
            }
            Handle::Result(value) => self.inside(&value, None, wanted),
        };
        Ok(json!({ "variables": shown }))
    }

    fn of_scope(
        &mut self,
        paused: &mut Paused<'_>,
        frame: usize,
        scope: VariableScope,
        wanted: &Variables,
    ) -> Vec<Json> {
        let variables = paused.variables(frame, scope);
        let all = variables.len();
        let page = page(wanted, all);
        let mut shown: Vec<Json> = Vec::new();
        for variable in variables.into_iter().skip(page.start).take(page.len()) {
            let place = ValuePath { frame, scope, name: variable.name.clone(), steps: Vec::new() };
            let name = print::shortened(&variable.name, MAX_TEXT);
            shown.push(self.shown(&name, &variable.value, Some(place)));
        }
        with_rest(shown, page.end, all, wanted)
    }

    /// Returns the elements of a list or map.
    fn inside(&mut self, value: &Value, place: Option<&ValuePath>, wanted: &Variables) -> Vec<Json> {
        let (all, is_list) = match value {
            Value::List(list) => (list.len(), true),
            Value::Map(map) => (map.len(), false),
            _ => return Vec::new(),
        };
        let other = if is_list { "named" } else { "indexed" };
        if wanted.filter.as_deref() == Some(other) {
            return Vec::new();
        }
        let page = page(wanted, all);
        let mut shown = Vec::new();
        for index in page.clone() {
            let (name, step, element) = match value {
                Value::List(list) => {
                    let Some(element) = list.get(index) else { break };
                    (format!("[{index}]"), Value::Int(index as i64), element)
                }
                Value::Map(map) => {
                    let Some((key, element)) = map.entry_at(index) else { break };
                    (print::shortened(&key.as_text(), MAX_TEXT), key.into(), element)
                }
                _ => break,
            };
            shown.push(self.shown(&name, &element, place.map(|place| place.inside(step))));
        }
        with_rest(shown, page.end, all, wanted)
    }

    /// Returns a variable for the client.
    fn shown(&mut self, name: &str, value: &Value, place: Option<ValuePath>) -> Json {
        let mut shown = self.value(value, place.clone());
        shown["name"] = json!(name);
        shown["value"] = shown["result"].take();
        if let Some(shown) = shown.as_object_mut() {
            shown.remove("result");
        }
        if let Some(expression) = place.and_then(|place| place.expression()) {
            shown["evaluateName"] = json!(expression);
        }
        shown
    }

    /// Returns a value as the result of an expression.
    pub fn result(&mut self, value: &Value) -> Json {
        self.value(value, None)
    }

    fn value(&mut self, value: &Value, place: Option<ValuePath>) -> Json {
        let mut shown = json!({ "result": text_of(value), "type": type_of(value), "variablesReference": 0 });
        let count = match value {
            Value::List(list) => ("indexedVariables", list.len()),
            Value::Map(map) => ("namedVariables", map.len()),
            _ => return shown,
        };
        if count.1 > 0 {
            let handle = place.map_or_else(|| Handle::Result(value.clone()), Handle::Path);
            shown["variablesReference"] = json!(self.add(handle));
            shown[count.0] = json!(count.1);
        }
        shown
    }

    /// Answers `setVariable`.
    pub fn set(&mut self, paused: &mut Paused<'_>, wanted: &SetVariable) -> Answer {
        if wanted.name.chars().nth(MAX_TEXT).is_some() {
            return Err(Refusal::new(format!("the name is cut after {MAX_TEXT} characters, so nothing is set by it")));
        }
        let place = match self.get(wanted.variables_reference)? {
            Handle::Scope { scope: VariableScope::Outcome, .. } => {
                return Err(Refusal::new("`LAST`, `LAST_ERROR` and `ARGS` are set by the run alone"));
            }
            Handle::Scope { frame, scope } => ValuePath { frame, scope, name: wanted.name.clone(), steps: Vec::new() },
            Handle::Path(ValuePath { scope: VariableScope::Outcome, .. }) | Handle::Result(_) => {
                return Err(Refusal::new("only what is in a variable can be set"));
            }
            Handle::Path(place) => {
                let step = match place.value(paused) {
                    Some(Value::List(_)) => index_of(&wanted.name)?,
                    _ => Value::text(&wanted.name),
                };
                place.inside(step)
            }
        };
        let value = paused.evaluate(Some(place.frame), &wanted.value, Purity::Pure).map_err(Refusal::new)?.value;
        // The variables of the script are those of the outermost frame.
        let frame = if place.scope == VariableScope::Outer { 0 } else { place.frame };
        paused.set_variable(frame, &place.name, &place.steps, value.clone()).map_err(Refusal::new)?;
        let mut shown = self.value(&value, Some(place));
        shown["value"] = shown["result"].take();
        Ok(shown)
    }
}

/// Returns a value that is copied: the whole of it, if it is not too long.
pub fn copied(value: &Value) -> String {
    match value.as_text() {
        Some(text) => print::shortened(&text, MAX_COPIED),
        None => print::beginning(value, MAX_COPIED),
    }
}

fn element(value: &Value, step: &Value) -> Option<Value> {
    match (value, step) {
        (Value::List(list), Value::Int(index)) => list.get(usize::try_from(*index).ok()?),
        (Value::Map(map), step) => map.get(&step.as_str()?),
        _ => None,
    }
}

fn index_of(name: &str) -> Result<Value, Refusal> {
    let digits = name.trim_start_matches('[').trim_end_matches(']');
    let index: i64 = digits.parse().map_err(|_| Refusal::new(format!("`{name}` is not an index of a list")))?;
    Ok(Value::Int(index))
}

/// Returns the indices of a page.
fn page(wanted: &Variables, all: usize) -> std::ops::Range<usize> {
    let start = wanted.start.min(all);
    let count = if wanted.count == 0 { MAX_PAGE } else { wanted.count.min(MAX_PAGE) };
    start..start.saturating_add(count).min(all)
}

/// Adds a line that says how many are left, if the client asked for all.
fn with_rest(mut shown: Vec<Json>, end: usize, all: usize, wanted: &Variables) -> Vec<Json> {
    if wanted.count == 0 && end < all {
        let value = format!("{} more; look at one with an expression", all - end);
        shown.push(json!({ "name": "…", "value": value, "variablesReference": 0 }));
    }
    shown
}

fn type_of(value: &Value) -> &'static str {
    if matches!(value, Value::Unset) { "not set" } else { value.type_name() }
}

/// Returns a value on one line; what is cut says how long it is.
fn text_of(value: &Value) -> String {
    match value {
        Value::Unset => "not set yet".to_owned(),
        Value::List(list) => format!("{} ({})", print::beginning(value, MAX_PREVIEW), counted(list.len(), "element")),
        Value::Map(map) => format!("{} ({})", print::beginning(value, MAX_PREVIEW), counted(map.len(), "key")),
        value => match value.as_text() {
            Some(text) if text.len() > MAX_TEXT && text.chars().nth(MAX_TEXT).is_some() => {
                let beginning = print::beginning(value, MAX_TEXT);
                format!("{beginning} ({})", counted(text.chars().count(), "character"))
            }
            _ => print::beginning(value, 8 * MAX_TEXT),
        },
    }
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
