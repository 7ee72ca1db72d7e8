//! Places inside a value: the targets of `SET m["k"].list[0] = x`.

use std::rc::Rc;

use super::operators::{add_in_place, missing_key, out_of_range, position};
use super::print::display;
use super::{Fallible, List, Map, Value, ValueError};

impl Value {
    /// Sets the place that `steps` lead to, outermost first; there must be at least one step.
    ///
    /// Missing maps on the path are created. A list index may equal the length, which appends. Only the storage on the
    /// path is copied, and only where it is shared. On an error nothing has changed except that maps on the path may
    /// have been created.
    pub fn set_place(&mut self, steps: &[Value], value: Value) -> Fallible<()> {
        let (step, rest) = steps.split_first().expect("a place has at least one step");
        let Some(next) = rest.first() else { return self.set_element(step, value) };
        let inner = self.element_mut(step, next)?;
        inner.set_place(rest, value)?;
        let nested = inner.depth();
        self.deepen(nested)
    }

    /// Records that an element was changed in place and now has the depth `nested`.
    fn deepen(&mut self, nested: u32) -> Fallible<()> {
        match self {
            Value::List(list) => Ok(List::deepen(list, nested)?),
            Value::Map(map) => Ok(Map::deepen(map, nested)?),
            _ => unreachable!("only lists and maps have elements"),
        }
    }

    /// Appends `addends` to the text or list in the place that `steps` lead to, if the place holds `held` itself and
    /// not only an equal value. Otherwise returns `held`, and nothing has changed.
    pub fn grow_place(&mut self, steps: &[Value], held: Value, addends: &[Value]) -> Fallible<Option<Value>> {
        let Some((step, rest)) = steps.split_first() else { return self.grow(held, addends) };
        let Some(inner) = self.existing_element_mut(step)? else { return Ok(Some(held)) };
        let left = inner.grow_place(rest, held, addends)?;
        let nested = inner.depth();
        self.deepen(nested)?;
        Ok(left)
    }

    /// Sets the place that `steps` lead to to nil, if that copies nothing.
    pub fn release_place(&mut self, steps: &[Value]) {
        let mut place = self;
        for step in steps {
            let element = match (place, step) {
                (Value::List(list), Value::Int(index)) => {
                    position(*index, list.len()).and_then(|index| List::own_element_mut(list, index))
                }
                (Value::Map(map), Value::Small(_) | Value::Text(_)) => {
                    step.as_str().and_then(|key| Map::own_value_mut(map, &key))
                }
                _ => None,
            };
            let Some(element) = element else { return };
            place = element;
        }
        *place = Value::Nil;
    }

    fn grow(&mut self, held: Value, addends: &[Value]) -> Fallible<Option<Value>> {
        let is_held = match (&*self, &held) {
            (Value::Text(text), Value::Text(held)) => Rc::ptr_eq(text, held),
            (Value::List(list), Value::List(held)) => Rc::ptr_eq(list, held),
            _ => false,
        };
        if !is_held {
            return Ok(Some(held));
        }
        drop(held);
        addends.iter().try_for_each(|addend| add_in_place(self, addend))?;
        Ok(None)
    }

    /// Returns the element that a step leads to, mutably, if there is one.
    fn existing_element_mut(&mut self, step: &Value) -> Fallible<Option<&mut Value>> {
        match (self, step) {
            (Value::List(list), Value::Int(index)) => match position(*index, list.len()) {
                Some(at) => Ok(List::get_mut(list, at)?),
                None => Ok(None),
            },
            (Value::Map(map), Value::Small(_) | Value::Text(_)) => {
                let key = step.as_str().expect("the step is a text");
                Ok(Map::get_mut(map, &key)?)
            }
            _ => Ok(None),
        }
    }

    /// Sets one element of a list or map.
    pub fn set_element(&mut self, step: &Value, value: Value) -> Fallible<()> {
        match (&mut *self, step) {
            (Value::List(list), Value::Int(index)) => set_item(list, *index, value),
            (Value::Map(map), Value::Small(_) | Value::Text(_)) => {
                Ok(Map::insert(map, step.as_str().expect("the step is a text"), value)?)
            }
            (Value::Small(_) | Value::Text(_), Value::Int(_)) => Err(Box::new(ValueError::FixedText(display(self)))),
            _ => Err(not_indexable(self, step)),
        }
    }

    /// Returns the element that a step leads to, mutably; creates a missing map if `next` is a key.
    fn element_mut(&mut self, step: &Value, next: &Value) -> Fallible<&mut Value> {
        match (&mut *self, step) {
            (Value::List(list), Value::Int(index)) if position(*index, list.len()).is_none() => {
                return Err(out_of_range(*index, "list", list.len(), "elements"));
            }
            (Value::Map(map), Value::Small(_) | Value::Text(_)) => {
                let key = step.as_str().expect("the step is a text");
                if !map.contains(&key) {
                    if !next.is_text() {
                        return Err(missing_key(map, &key));
                    }
                    Map::insert(map, key, Map::with_capacity(0).into())?;
                }
            }
            (Value::List(_), Value::Int(_)) => {}
            (other, step) => return Err(not_indexable(other, step)),
        }
        Ok(self.existing_element_mut(step)?.expect("the element is there or was just made"))
    }
}

fn set_item(list: &mut Rc<List>, index: i64, value: Value) -> Fallible<()> {
    let length = list.len();
    match position(index, length) {
        Some(at) => Ok(List::set(list, at, value)?),
        None if index == length as i64 => Ok(List::push(list, value)?),
        None => {
            let mut error = out_of_range(index, "list", length, "elements");
            if let ValueError::IndexOutOfRange { is_target, .. } = &mut *error {
                *is_target = true;
            }
            Err(error)
        }
    }
}

fn not_indexable(value: &Value, step: &Value) -> Box<ValueError> {
    Box::new(ValueError::NotIndexable { found: display(value), index: display(step) })
}

/// Returns the elements for the targets of `SET a, b = value`.
pub fn unpack(value: &Value, expected: usize) -> Fallible<Vec<Value>> {
    match value {
        Value::List(list) if list.len() == expected => Ok(list.iter().collect()),
        Value::List(list) => {
            Err(Box::new(ValueError::CountMismatch { expected, found: format!("a list of {}", list.len()) }))
        }
        _ => Err(Box::new(ValueError::CountMismatch { expected, found: display(value) })),
    }
}
