//! Conversion of parameter values from command-line words and from the values of a calling program.

use crate::value::{Map, Str, Value};

use super::{Element, Kind, Parameter};

impl Parameter {
    /// Parses one word. Returns `None` if it is not a valid value for this parameter.
    pub(super) fn read(&self, text: &str) -> Option<Value> {
        match self.kind {
            Kind::Flag => None,
            Kind::One(element) | Kind::List(element) => element.read(text),
            Kind::Map(element) => {
                let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty())?;
                let mut entry = Map::with_capacity(1);
                entry.put(Str::new(key), element.read(value)?).ok()?;
                Some(entry.into())
            }
        }
    }

    /// Combines all values given for the parameter into one.
    pub(super) fn whole(&self, mut given: Vec<Value>) -> Value {
        if given.is_empty() {
            return self.default.clone().unwrap_or_default();
        }
        match self.kind {
            Kind::Flag | Kind::One(_) => given.swap_remove(0),
            // A command line is shorter than any limit on lists.
            Kind::List(_) => Value::list(given).unwrap_or_default(),
            Kind::Map(_) => {
                let mut map = Map::with_capacity(given.len());
                for value in &given {
                    if let Value::Map(entry) = value {
                        // The same holds for maps.
                        let _ = entry.iter().try_for_each(|(key, value)| map.put(key, value));
                    }
                }
                map.into()
            }
        }
    }

    /// Converts a value to the parameter's kind: a whole number becomes a float where a float is wanted.
    pub(super) fn converted(&self, value: &Value) -> Option<Value> {
        match (self.kind, value) {
            (Kind::Flag, Value::Bool(_)) => Some(value.clone()),
            (Kind::One(element), value) => element.converted(value),
            (Kind::List(element), Value::List(list)) => {
                let items = list.iter().map(|item| element.converted(&item)).collect::<Option<Vec<Value>>>()?;
                Value::list(items).ok()
            }
            (Kind::Map(element), Value::Map(map)) => {
                let mut converted = Map::with_capacity(map.len());
                for (key, value) in map.iter() {
                    converted.put(key, element.converted(&value)?).ok()?;
                }
                Some(converted.into())
            }
            _ => None,
        }
    }

    /// Returns whether a text is a whole number that is too large for the parameter.
    pub(super) fn is_too_large(&self, text: &str) -> bool {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number && matches!(self.kind, Kind::One(Element::Int) | Kind::List(Element::Int))
    }

    /// Returns the expected input, as diagnostics describe it.
    pub(super) fn expected(&self) -> &'static str {
        match self.kind {
            Kind::Flag => "true or false",
            Kind::One(element) | Kind::List(element) => element.expected(),
            Kind::Map(Element::Text) => "`KEY=VALUE`",
            Kind::Map(_) => "`KEY=NUMBER`",
        }
    }
}

impl Element {
    pub(super) fn converted(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Element::Text, value) => value.as_text().is_some().then(|| value.clone()),
            (Element::Int, Value::Int(_)) | (Element::Float, Value::Float(_)) => Some(value.clone()),
            (Element::Float, Value::Int(number)) => Some((*number as f64).into()),
            _ => None,
        }
    }

    fn read(self, text: &str) -> Option<Value> {
        match self {
            Element::Text => Some(Value::text(text)),
            Element::Int => text.parse::<i64>().ok().map(Value::from),
            Element::Float => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        }
    }

    pub(super) fn expected(self) -> &'static str {
        match self {
            Element::Text => "a text",
            Element::Int => "a whole number",
            Element::Float => "a number",
        }
    }
}
