//! Expressions: operands are evaluated from left to right, and then combined by the rules.

use neuroscript::engine::ast::{BinaryOp, Call, ExprId, ExprKind, UnaryOp};
use neuroscript::text::Span;

use super::builtins;
use super::evaluator::{Evaluator, is_builtin, unset};
use super::fault::{Run, Stop};
use super::operators::{binary, bounded, field, index, invert, negate, power};
use super::programs::FILES;
use super::value::Value;

/// 2^63, which is an int only after a minus sign.
const MIN_MAGNITUDE: u64 = 1 << 63;

impl<'a> Evaluator<'a> {
    /// Returns the expression inside parentheses and placeholders.
    pub fn inner(&self, id: ExprId) -> ExprId {
        match &self.tree[id].kind {
            ExprKind::Parenthesized(inner) | ExprKind::Placeholder(inner) => self.inner(*inner),
            _ => id,
        }
    }

    /// Returns the location of an expression in messages.
    pub fn place_of(&self, id: ExprId) -> Span {
        self.tree[self.inner(id)].span
    }

    pub fn value(&mut self, id: ExprId) -> Run<Value> {
        let tree = self.tree;
        let place = tree[id].span;
        match &tree[id].kind {
            ExprKind::Nil => Ok(Value::Nil),
            ExprKind::Bool(truth) => Ok(Value::Truth(*truth)),
            ExprKind::Int(number) => i64::try_from(*number).map(Value::Int).map_err(|_| Stop::GivenUp),
            ExprKind::Float(number) => Ok(Value::Float(*number)),
            ExprKind::Text(text) => Ok(Value::Text(text.clone())),
            ExprKind::Template(text, offset) => self.template(text, *offset),
            ExprKind::Name(name) => self.variable(name, place),
            ExprKind::Last => Ok(self.frame().last.clone()),
            ExprKind::Placeholder(inner) | ExprKind::Parenthesized(inner) => self.value(*inner),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.value(*item)).collect::<Run<Vec<Value>>>()?;
                bounded(Value::List(items)).map_err(|wrong| wrong.at(place))
            }
            ExprKind::Map(entries) => {
                let mut made: Vec<(String, Value)> = Vec::new();
                for entry in entries {
                    let value = self.value(entry.value)?;
                    match made.iter().position(|(key, _)| *key == entry.key) {
                        Some(at) => made[at].1 = value,
                        None => made.push((entry.key.clone(), value)),
                    }
                }
                bounded(Value::Map(made)).map_err(|wrong| wrong.at(place))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, place),
            ExprKind::Chain(first, links) => {
                let mut left = self.value(*first)?;
                for link in links {
                    if matches!(link.op, BinaryOp::And | BinaryOp::Or) {
                        let decided = link.op == BinaryOp::Or;
                        let is_decided = left.is_true() == decided;
                        left = Value::Truth(if is_decided { decided } else { self.value(link.operand)?.is_true() });
                    } else {
                        let right = self.value(link.operand)?;
                        left = binary(link.op, &left, &right).map_err(|wrong| wrong.at(place))?;
                    }
                }
                Ok(left)
            }
            ExprKind::Power(left, right) => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                power(&left, &right).map_err(|wrong| wrong.at(place))
            }
            ExprKind::Index(whole, at) => {
                let (whole, at) = (self.value(*whole)?, self.value(*at)?);
                index(&whole, &at).map_err(|wrong| wrong.at(place))
            }
            ExprKind::Field(whole, name) => {
                let whole = self.value(*whole)?;
                field(&whole, &name.text).map_err(|wrong| wrong.at(place))
            }
            ExprKind::Call(call) => self.called(call, place),
            ExprKind::Bad => Err(Stop::GivenUp),
        }
    }

    /// Returns a variable of the running procedure, or else of the top level.
    fn variable(&mut self, name: &str, place: Span) -> Run<Value> {
        let own = self.frames.last().expect("the top level's frame is always there");
        match own.variables.get(name).or_else(|| self.frames[0].variables.get(name)) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => Err(unset(name, place)),
            None if name == "LAST_ERROR" => Ok(self.last_error.clone()),
            None => Err(Stop::GivenUp),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, place: Span) -> Run<Value> {
        if let (UnaryOp::Negate, ExprKind::Int(MIN_MAGNITUDE)) = (op, &self.tree[operand].kind) {
            return Ok(Value::Int(i64::MIN));
        }
        let value = self.value(operand)?;
        let result = match op {
            UnaryOp::Not => Ok(Value::Truth(!value.is_true())),
            UnaryOp::Negate => negate(&value),
            UnaryOp::Invert => invert(&value),
        };
        result.map_err(|wrong| wrong.at(place))
    }

    /// Evaluates a text in which `{{name.field}}` stands for a printed value.
    fn template(&mut self, text: &str, offset: u32) -> Run<Value> {
        let mut made = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((name, after)) = behind.split_once("}}") else { return Err(Stop::GivenUp) };
            made.push_str(before);
            let start = offset as usize + (text.len() - behind.len());
            made.push_str(&self.dotted(name, Some(start), Span::at(start))?.printed());
            rest = after;
        }
        made.push_str(rest);
        bounded(Value::Text(made)).map_err(|wrong| wrong.at(Span::at(offset as usize)))
    }

    /// Evaluates `name.field.field`, located at an offset or at one place as a whole.
    fn dotted(&mut self, dotted: &str, start: Option<usize>, place: Span) -> Run<Value> {
        let mut words = dotted.split('.');
        let name = words.next().unwrap_or_default();
        let whole = start.map_or(place, |start| Span::new(start, start + dotted.len()));
        let of_name = start.map_or(place, |start| Span::new(start, start + name.len()));
        let mut value = match name {
            "LAST" => self.frame().last.clone(),
            "nothing" => {
                let message = format!("nothing sets `{name}`, which EVAL is to expand");
                return Err(Stop::fault("NS0101", message, place));
            }
            _ => self.variable(name, of_name)?,
        };
        for word in words {
            value = field(&value, word).map_err(|wrong| wrong.at(whole))?;
        }
        Ok(value)
    }

    fn called(&mut self, call: &'a Call, place: Span) -> Run<Value> {
        let name = call.callee.as_str();
        if let Some(function) = name.strip_prefix("LIST.") {
            return self.over(function, call, place);
        }
        if name == "FS.Lines" {
            let lines = self.lines(call, place)?;
            self.step(lines.len() as u64)?;
            let value = bounded(Value::List(lines)).map_err(|wrong| wrong.at(place))?;
            self.frame().last = value.clone();
            return Ok(value);
        }
        if is_builtin(name) {
            self.step(1)?;
            if let ("LEN", [list]) = (name, &call.args[..])
                && let Some(lines) = self.pulled(list.value)?
            {
                let Value::List(lines) = lines else { unreachable!("lines are a list") };
                self.step(lines.len() as u64)?;
                return Ok(Value::Int(lines.len() as i64));
            }
            let value = self.built_in(call, place)?;
            if let ("RANGE", Value::List(items)) = (name, &value) {
                self.step(items.len() as u64)?;
            }
            return Ok(value);
        }
        let mut args = Vec::new();
        for arg in &call.args {
            args.push((arg.name.as_ref().map(|name| name.text.as_str()), self.value(arg.value)?));
        }
        let value = self.call(name, args, place)?;
        self.frame().last = value.clone();
        Ok(value)
    }

    /// Returns the lines that a call gives, if they are pulled there. The caller charges each that it takes.
    pub fn pulled(&mut self, list: ExprId) -> Run<Option<Value>> {
        let tree = self.tree;
        let inner = self.inner(list);
        match &tree[inner].kind {
            ExprKind::Call(call) if call.callee == "FS.Lines" && self.frame().pulls => {
                let lines = self.lines(call, tree[inner].span)?;
                Ok(Some(Value::List(lines)))
            }
            _ => Ok(None),
        }
    }

    /// Calls `FS.Lines`.
    fn lines(&mut self, call: &'a Call, place: Span) -> Run<Vec<Value>> {
        self.step(1)?;
        let name = match self.value(call.args[0].value)? {
            Value::Map(entries) => entries[0].1.printed(),
            name => name.printed(),
        };
        match FILES.iter().find(|(known, _)| *known == name) {
            Some((_, content)) => {
                self.last_error = Value::Nil;
                Ok(content.lines().map(Value::text).collect())
            }
            None => {
                let stop = Stop::fault("not_found", format!("`{name}` does not exist"), place);
                if let Stop::Fault(fault) = &stop {
                    self.last_error = self.error_value(fault);
                }
                Err(stop)
            }
        }
    }

    /// Returns the result of a built-in, without charging its step.
    pub fn built_in(&mut self, call: &'a Call, place: Span) -> Run<Value> {
        let args = call.args.iter().map(|arg| self.value(arg.value)).collect::<Run<Vec<Value>>>()?;
        match (call.callee.as_str(), &args[..]) {
            ("EVAL", [text]) => self.expanded(&text.printed(), place),
            (name, args) => builtins::apply(name, args).ok_or(Stop::GivenUp)?.map_err(|wrong| wrong.at(place)),
        }
    }

    /// Evaluates `EVAL(text)`. All errors are located at the call.
    fn expanded(&mut self, text: &str, place: Span) -> Run<Value> {
        let mut made = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((name, after)) = behind.split_once("}}") else { return Err(Stop::GivenUp) };
            made.push_str(before);
            made.push_str(&self.dotted(name, None, place)?.printed());
            rest = after;
        }
        made.push_str(rest);
        bounded(Value::Text(made)).map_err(|wrong| wrong.at(place))
    }

    /// Evaluates functions such as `LIST.Map(list, Name)`.
    fn over(&mut self, function: &str, call: &'a Call, place: Span) -> Run<Value> {
        self.step(1)?;
        let [list, procedure, start @ ..] = &call.args[..] else { return Err(Stop::GivenUp) };
        let ExprKind::Name(procedure) = &self.tree[procedure.value].kind else { return Err(Stop::GivenUp) };
        if !self.is_procedure(procedure) {
            return Err(Stop::GivenUp);
        }
        let pulled = self.pulled(list.value)?;
        let is_pulled = pulled.is_some();
        let items = match pulled {
            Some(pulled) => pulled,
            None => self.value(list.value)?,
        };
        let Value::List(items) = items else { return Err(Stop::GivenUp) };
        let mut items = items.into_iter();
        let mut made = Vec::new();
        let mut reduced = match start {
            [start] => Some(self.value(start.value)?),
            _ if function == "Reduce" => items.next(),
            _ => None,
        };
        self.step(u64::from(is_pulled && start.is_empty() && reduced.is_some()))?;
        let mut decided = None;
        for item in items {
            self.step(1 + u64::from(is_pulled))?;
            let args = reduced.take().into_iter().chain([item.clone()]).map(|value| (None, value)).collect();
            let given = self.call(procedure, args, place)?;
            match function {
                "Map" => made.push(given),
                "Filter" if given.is_true() => made.push(item),
                "Filter" => {}
                "Reduce" => reduced = Some(given),
                "Any" | "All" if given.is_true() == (function == "Any") => {
                    decided = Some(function == "Any");
                    break;
                }
                "Any" | "All" => {}
                _ => return Err(Stop::GivenUp),
            }
        }
        let value = match function {
            "Reduce" => reduced.unwrap_or(Value::Nil),
            "Any" | "All" => Value::Truth(decided.unwrap_or(function == "All")),
            _ => bounded(Value::List(made)).map_err(|wrong| wrong.at(place))?,
        };
        self.frame().last = value.clone();
        Ok(value)
    }
}
