//! SET: assignment to variables and to places inside their values.

use crate::program::tree::{AssignTarget, BinaryOp, Expr, ExprKind, Link};
use crate::text::Span;
use crate::value::{Fallible, List, Map, Value, ValueError, operators, place};

use super::super::machine::{EvalResult, Flow, Machine, StmtFn, Thrown, ValueFn};
use super::Compiler;
use super::expr::{constant, joined_text};
use super::fused::{with_near, with_wide};
use super::grow::{Growth, grown_or, is_variable};
use super::operand::{Operand, take_set};

/// Writes a value to an assignment target.
type Writer = Box<dyn Fn(&mut Machine, Value) -> EvalResult<()>>;

impl Compiler<'_> {
    pub fn set(&self, target: &AssignTarget, value: &Expr) -> StmtFn {
        let slot = target.slot.0 as usize;
        match &target.steps[..] {
            [] => self.set_variable(target, value),
            [step] => self.set_element(slot, step, value, target),
            _ => self.set_target(target, value),
        }
    }

    fn set_variable(&self, target: &AssignTarget, value: &Expr) -> StmtFn {
        let slot = target.slot.0 as usize;
        if let ExprKind::Chain(first, links) = &value.kind
            && is_variable(first, slot)
            && links[0].op == BinaryOp::Add
            && let [link] = &links[..]
        {
            return self.add_to_variable(slot, link, first.span, value.span);
        }
        match self.growth(target, value) {
            Some(growth) => grow_variable(slot, growth, self.set_whole(slot, value)),
            None => self.set_whole(slot, value),
        }
    }

    /// `SET x = …`, where the value replaces the old one.
    fn set_whole(&self, slot: usize, value: &Expr) -> StmtFn {
        if let ExprKind::Chain(first, links) = &value.kind
            && !joined_text(first, links)
            && let Some(set) = self.set_computed(slot, first, links, value.span)
        {
            return set;
        }
        with_wide!(self.wide(value), |value| set_to(slot, value))
    }

    /// `SET x = x + …`: adds in place.
    fn add_to_variable(&self, slot: usize, link: &Link, name: Span, span: Span) -> StmtFn {
        match &link.operand.kind {
            ExprKind::Const(Value::Int(number)) => add_int(slot, *number, name, span),
            ExprKind::List(items) if items.len() == 1 => append_item(slot, self.value(&items[0]), name, span),
            ExprKind::Const(Value::List(list)) if list.len() == 1 => {
                append_item(slot, constant(list.get(0).expect("the list has one item")), name, span)
            }
            _ => with_wide!(self.wide(&link.operand), |value| add_value(slot, value, name, span)),
        }
    }

    /// `SET x[i] = …`
    fn set_element(&self, slot: usize, step: &Expr, value: &Expr, target: &AssignTarget) -> StmtFn {
        let (name, span) = (target.name_span, target.span);
        let step = self.near(step);
        let growth = self.growth(target, value);
        with_wide!(self.wide(value), |value| with_near!(step, |step| {
            set_element(ElementPlace { slot, step, value, growth, name, span })
        }))
    }

    /// `SET x[i].name[j] = …`
    fn set_target(&self, target: &AssignTarget, value: &Expr) -> StmtFn {
        let (growth, write) = (self.growth(target, value), self.writer(target));
        let value = self.value(value);
        Box::new(move |machine| {
            let value = grown_or(growth.as_ref(), machine, &value);
            match value.and_then(|value| value.map_or(Ok(()), |value| write(machine, value))) {
                Ok(()) => Flow::Next,
                Err(_) => Flow::Throw,
            }
        })
    }

    /// `SET a, b = …`
    pub fn set_many(&self, targets: &[AssignTarget], value: &Expr) -> StmtFn {
        let span = value.span;
        let value = self.value(value);
        let writers: Vec<_> = targets.iter().map(|target| self.writer(target)).collect();
        Box::new(move |machine| {
            let Ok(value) = value(machine) else { return Flow::Throw };
            let values = match place::unpack(&value, writers.len()) {
                Ok(values) => values,
                Err(error) => {
                    machine.throw(span, error);
                    return Flow::Throw;
                }
            };
            for (write, value) in writers.iter().zip(values) {
                if write(machine, value).is_err() {
                    return Flow::Throw;
                }
            }
            Flow::Next
        })
    }

    /// Compiles the assignment to a target.
    fn writer(&self, target: &AssignTarget) -> Writer {
        let slot = target.slot.0 as usize;
        let (name, span) = (target.name_span, target.span);
        let steps = self.values(&target.steps);
        if steps.is_empty() {
            return Box::new(move |machine, value| {
                *machine.local_mut(slot) = value;
                Ok(())
            });
        }
        Box::new(move |machine, value| {
            let mut way = Vec::with_capacity(steps.len());
            for step in &steps {
                way.push(step(machine)?);
            }
            set_target(machine, slot, &way, value).map_err(|error| place_failed(machine, slot, error, name, span))
        })
    }
}

/// Sets a place in a variable. If the variable is not set and the place begins with a key, the variable becomes a map;
/// if that fails, it stays unset.
fn set_target(machine: &mut Machine, slot: usize, way: &[Value], value: Value) -> Fallible<()> {
    let variable = machine.local_mut(slot);
    if !matches!(variable, Value::Unset) || !way[0].is_text() {
        return variable.set_place(way, value);
    }
    let mut map = Value::from(Map::with_capacity(1));
    map.set_place(way, value)?;
    *variable = map;
    Ok(())
}

/// Throws the error of a place that cannot be set. If the variable is not set and the place does not begin with a key,
/// the error says so.
#[cold]
#[inline(never)]
fn place_failed(machine: &mut Machine, slot: usize, error: Box<ValueError>, name: Span, span: Span) -> Thrown {
    match (machine.local(slot), &*error) {
        (Value::Unset, ValueError::NotIndexable { .. }) => machine.throw_unset(name),
        _ => machine.throw(span, error),
    }
}

fn set_to<V: Operand>(slot: usize, value: V) -> StmtFn {
    let set = SetTo { slot, value };
    Box::new(move |machine| match set.value.try_scalar(machine) {
        Some(scalar) => {
            *machine.local_mut(set.slot) = scalar;
            Flow::Next
        }
        None => set.evaluate(machine),
    })
}

/// `SET x = value`
struct SetTo<V> {
    slot: usize,
    value: V,
}

impl<V: Operand> SetTo<V> {
    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    fn evaluate(&self, machine: &mut Machine) -> Flow {
        match self.value.take(machine).and_then(|held| take_set(machine, &self.value, held)) {
            Ok(value) => {
                *machine.local_mut(self.slot) = value;
                Flow::Next
            }
            Err(_) => Flow::Throw,
        }
    }
}

fn add_int(slot: usize, number: i64, name: Span, span: Span) -> StmtFn {
    Box::new(move |machine| {
        if let Value::Int(current) = machine.local_mut(slot)
            && let Some(sum) = current.checked_add(number)
        {
            *current = sum;
            return Flow::Next;
        }
        add(machine, slot, &Value::Int(number), name, span)
    })
}

fn add_value<V: Operand>(slot: usize, value: V, name: Span, span: Span) -> StmtFn {
    let addition = Addition { slot, value, name, span };
    if V::IS_IMMEDIATE {
        Box::new(move |machine| addition.add_now(machine))
    } else {
        Box::new(move |machine| addition.evaluate(machine))
    }
}

/// `SET x = x + value`
struct Addition<V> {
    slot: usize,
    value: V,
    name: Span,
    span: Span,
}

impl<V: Operand> Addition<V> {
    #[inline(always)]
    fn add_now(&self, machine: &mut Machine) -> Flow {
        match machine.local(self.slot) {
            Value::Int(current)
                if let Some(sum) = self.value.try_int(machine).and_then(|number| current.checked_add(number)) =>
            {
                *machine.local_mut(self.slot) = Value::Int(sum);
                Flow::Next
            }
            Value::Float(current) if let Some(number) = self.value.try_float(machine) => {
                *machine.local_mut(self.slot) = (current.get() + number).into();
                Flow::Next
            }
            _ => self.evaluate_apart(machine),
        }
    }

    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    fn evaluate_apart(&self, machine: &mut Machine) -> Flow {
        self.evaluate(machine)
    }

    #[inline(always)]
    fn evaluate(&self, machine: &mut Machine) -> Flow {
        if V::COMPUTES && matches!(machine.local(self.slot), Value::Unset) {
            machine.throw_unset(self.name);
            return Flow::Throw;
        }
        let Ok(held) = self.value.take(machine) else { return Flow::Throw };
        if let (Value::Int(current), Some(number)) = (machine.local(self.slot), self.value.int(&held, machine)) {
            if let Some(sum) = current.checked_add(number) {
                *machine.local_mut(self.slot) = Value::Int(sum);
                return Flow::Next;
            }
        } else if let (Value::Float(current), Some(number)) =
            (machine.local(self.slot), self.value.float(&held, machine))
        {
            *machine.local_mut(self.slot) = (current.get() + number).into();
            return Flow::Next;
        }
        self.add(machine, held)
    }

    #[inline(never)]
    fn add(&self, machine: &mut Machine, held: V::Held) -> Flow {
        match take_set(machine, &self.value, held) {
            Ok(value) => add(machine, self.slot, &value, self.name, self.span),
            Err(_) => Flow::Throw,
        }
    }
}

/// `SET x = x + …` with several operands: a text or a list grows in place.
fn grow_variable(slot: usize, growth: Growth, otherwise: StmtFn) -> StmtFn {
    Box::new(move |machine| match machine.local(slot) {
        Value::Text(_) | Value::List(_) => match growth.run(machine) {
            Ok(None) => Flow::Next,
            Ok(Some(value)) => {
                *machine.local_mut(slot) = value;
                Flow::Next
            }
            Err(_) => Flow::Throw,
        },
        _ => otherwise(machine),
    })
}

fn set_element<V: Operand, S: Operand>(place: ElementPlace<S, V>) -> StmtFn {
    Box::new(move |machine| {
        if V::IS_IMMEDIATE
            && let Some(at) = place.step.try_int(machine)
            && let Some(new) = place.value.try_scalar(machine)
            && let Value::List(list) = machine.local_mut(place.slot)
            && List::replace(list, at as usize, new).is_ok()
        {
            return Flow::Next;
        }
        place.evaluate(machine)
    })
}

/// `SET x[step] = value`
struct ElementPlace<S, V> {
    slot: usize,
    step: S,
    value: V,
    /// How the value is appended to the element, if the expression may start with the element.
    growth: Option<Growth>,
    name: Span,
    span: Span,
}

impl<S: Operand, V: Operand> ElementPlace<S, V> {
    // Out of line so that the fast path saves no registers for it.
    #[inline(never)]
    fn evaluate(&self, machine: &mut Machine) -> Flow {
        let value =
            |machine: &mut Machine| self.value.take(machine).and_then(|held| take_set(machine, &self.value, held));
        let new = match grown_or(self.growth.as_ref(), machine, value) {
            Ok(Some(new)) => new,
            Ok(None) => return Flow::Next,
            Err(_) => return Flow::Throw,
        };
        let Ok(held) = self.step.take(machine) else { return Flow::Throw };
        let Some(at) = self.step.int(&held, machine) else { return self.set(machine, held, new) };
        let Value::List(list) = machine.local_mut(self.slot) else { return self.set(machine, held, new) };
        match List::replace(list, at as usize, new) {
            Ok(()) => Flow::Next,
            Err(new) => self.set(machine, held, new),
        }
    }

    /// Sets the place by the general rules.
    // Takes ownership of the held operand so that the fast path saves no registers for it.
    #[inline(never)]
    fn set(&self, machine: &mut Machine, held: S::Held, new: Value) -> Flow {
        let Ok(step) = take_set(machine, &self.step, held) else { return Flow::Throw };
        match set_target(machine, self.slot, std::slice::from_ref(&step), new) {
            Ok(()) => Flow::Next,
            Err(error) => {
                place_failed(machine, self.slot, error, self.name, self.span);
                Flow::Throw
            }
        }
    }
}

/// `SET x = x + [item]`: if `x` is a list, no list is created for the item.
fn append_item(slot: usize, item: ValueFn, name: Span, span: Span) -> StmtFn {
    Box::new(move |machine| {
        if matches!(machine.local(slot), Value::Unset) {
            machine.throw_unset(name);
            return Flow::Throw;
        }
        let Ok(item) = item(machine) else { return Flow::Throw };
        if let Value::List(list) = machine.local_mut(slot) {
            return match List::push(list, item) {
                Ok(()) => Flow::Next,
                Err(hit) => {
                    machine.throw(span, hit);
                    Flow::Throw
                }
            };
        }
        match Value::list(vec![item]) {
            Ok(items) => add(machine, slot, &items, name, span),
            Err(hit) => {
                machine.throw(span, hit);
                Flow::Throw
            }
        }
    })
}

/// Adds by the general rules.
#[inline(never)]
fn add(machine: &mut Machine, slot: usize, value: &Value, name: Span, span: Span) -> Flow {
    if matches!(machine.local(slot), Value::Unset) {
        machine.throw_unset(name);
        return Flow::Throw;
    }
    match operators::add_in_place(machine.local_mut(slot), value) {
        Ok(()) => Flow::Next,
        Err(error) => {
            machine.throw(span, error);
            Flow::Throw
        }
    }
}
