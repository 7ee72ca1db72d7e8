//! WHILE and FOR EACH.

use std::rc::Rc;

use crate::program::Builtin;
use crate::program::tree::{Args, Block, Expr, ExprKind, Slot, Target};
use crate::text::Span;
use crate::value::{IntRange, List, Map, Str, Value, ValueError};

use super::super::builtins;
use super::super::machine::{CondFn, Flow, Machine, StmtFn, ValueFn, WatchedLoop};
use super::super::pulled::Pulled;
use super::Compiler;
use super::pulled::OpenFn;

impl Compiler<'_> {
    /// Compiles a loop whose condition has this span.
    pub fn while_loop(&self, condition: CondFn, body: &Block, span: Span) -> StmtFn {
        let body = self.turn(body, span);
        Box::new(move |machine| {
            loop {
                match condition(machine) {
                    Ok(true) => {}
                    Ok(false) => return Flow::Next,
                    Err(_) => return Flow::Throw,
                }
                match body(machine) {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => return Flow::Next,
                    flow => return flow,
                }
            }
        })
    }

    /// Compiles the body of a loop; each iteration costs at least one step.
    fn turn(&self, body: &Block, head: Span) -> StmtFn {
        if body.is_empty() {
            Box::new(move |machine| match machine.step(head) {
                Ok(()) => Flow::Next,
                Err(_) => Flow::Throw,
            })
        } else {
            self.block(body, 1)
        }
    }

    pub fn for_each(&self, first: Slot, second: Option<Slot>, list: &Expr, body: &Block) -> StmtFn {
        let span = list.span;
        let iteration = Iteration {
            first: first.0 as usize,
            second: second.map(|slot| slot.0 as usize),
            body: self.turn(body, span),
        };
        if let ExprKind::Call(call) = &list.kind
            && call.target == Target::Builtin(Builtin::Range)
            && let Args::InOrder(args) = &call.args
        {
            return over_range(self.values(args), iteration, span);
        }
        if let Some(open) = self.pulled(list) {
            return over_pulled(open, iteration);
        }
        let list = self.value(list);
        Box::new(move |machine| match list(machine) {
            Ok(Value::Nil) => Flow::Next,
            Ok(Value::List(list)) => iteration.over_list(machine, &list),
            Ok(Value::Map(map)) => iteration.over_map(machine, &map),
            Ok(value) => match value.as_str() {
                Some(text) => iteration.over_text(machine, &text),
                None => {
                    machine.throw(span, Box::new(ValueError::NotIterable(display(&value))));
                    Flow::Throw
                }
            },
            Err(_) => Flow::Throw,
        })
    }
}

fn display(value: &Value) -> String {
    format!("{} {}", value.type_name(), crate::value::print::preview(value))
}

/// One iteration of a FOR EACH.
struct Iteration {
    first: usize,
    second: Option<usize>,
    body: StmtFn,
}

impl Iteration {
    fn over_list(&self, machine: &mut Machine, list: &Rc<List>) -> Flow {
        let all = list.len();
        if list.rows().is_some() && self.second.is_none() {
            let observed = |machine: &mut Machine, watched: &WatchedLoop| {
                self.over_rows(machine, list, |turns| watched.tell(turns, all))
            };
            return watch(machine, |machine| self.over_rows(machine, list, |_| ()), observed);
        }
        let observed = |machine: &mut Machine, watched: &WatchedLoop| {
            self.over_values(machine, list, |turns| watched.tell(turns, all))
        };
        watch(machine, |machine| self.over_values(machine, list, |_| ()), observed)
    }

    /// Iterates over the elements of a list. `tell` is called before each iteration with the number of completed ones.
    fn over_values(&self, machine: &mut Machine, list: &Rc<List>, tell: impl Fn(usize)) -> Flow {
        for index in 0..list.len() {
            tell(index);
            let value = list.get(index).expect("the index is below the length");
            let flow = match self.second {
                None => self.run(machine, value, None),
                Some(_) => self.run(machine, Value::Int(index as i64), Some(value)),
            };
            if let Some(flow) = flow {
                return flow;
            }
        }
        Flow::Next
    }

    /// Iterates over the rows of a packed table, reusing one map as long as nothing else holds it.
    fn over_rows(&self, machine: &mut Machine, list: &Rc<List>, tell: impl Fn(usize)) -> Flow {
        let rows = list.rows().expect("the list was asked for its rows");
        for index in 0..rows.len() {
            tell(index);
            let reused = match machine.local_mut(self.first) {
                Value::Map(map) => Map::move_to_row(map, rows, index),
                _ => false,
            };
            if !reused {
                *machine.local_mut(self.first) = list.get(index).expect("the index is below the length");
            }
            if let Some(flow) = outcome((self.body)(machine)) {
                return flow;
            }
        }
        Flow::Next
    }

    fn over_map(&self, machine: &mut Machine, map: &Rc<Map>) -> Flow {
        let observed = |machine: &mut Machine, watched: &WatchedLoop| {
            self.over_entries(machine, map, |turns| watched.tell(turns, map.len()))
        };
        watch(machine, |machine| self.over_entries(machine, map, |_| ()), observed)
    }

    fn over_entries(&self, machine: &mut Machine, map: &Rc<Map>, tell: impl Fn(usize)) -> Flow {
        for index in 0..map.len() {
            tell(index);
            let (key, value) = map.entry_at(index).expect("the index is below the length");
            if let Some(flow) = self.run(machine, key.into(), self.second.map(|_| value)) {
                return flow;
            }
        }
        Flow::Next
    }

    /// Iterates over the numbers of a range.
    fn over_numbers(&self, machine: &mut Machine, range: IntRange, tell: impl Fn(usize)) -> Flow {
        let mut next = range.start;
        for index in 0..range.count() {
            tell(index as usize);
            let number = Value::Int(next);
            // The last number may have no successor.
            next = next.wrapping_add(range.step);
            let flow = match self.second {
                None => self.run(machine, number, None),
                Some(_) => self.run(machine, Value::Int(index as i64), Some(number)),
            };
            if let Some(flow) = flow {
                return flow;
            }
        }
        Flow::Next
    }

    /// Iterates over elements that are pulled. The stream is closed when the loop ends, however it ends.
    fn over_pulled(&self, machine: &mut Machine, elements: &mut Pulled) -> Flow {
        let mut index = 0;
        loop {
            let element = match elements.next(machine) {
                Ok(Some(element)) => element,
                Ok(None) => return Flow::Next,
                Err(_) => return Flow::Throw,
            };
            let flow = match self.second {
                None => self.run(machine, element, None),
                Some(_) => self.run(machine, Value::Int(index), Some(element)),
            };
            if let Some(flow) = flow {
                return flow;
            }
            index += 1;
        }
    }

    fn over_text(&self, machine: &mut Machine, text: &Str) -> Flow {
        for index in 0..text.char_count() {
            let c = text.char_at(index).expect("the index is below the length");
            let c = Value::text(c.encode_utf8(&mut [0; 4]));
            let flow = match self.second {
                None => self.run(machine, c, None),
                Some(_) => self.run(machine, Value::Int(index as i64), Some(c)),
            };
            if let Some(flow) = flow {
                return flow;
            }
        }
        Flow::Next
    }

    /// Runs one iteration. Returns a flow if the loop is over.
    #[inline(always)]
    fn run(&self, machine: &mut Machine, first: Value, second: Option<Value>) -> Option<Flow> {
        *machine.local_mut(self.first) = first;
        if let (Some(slot), Some(value)) = (self.second, second) {
            *machine.local_mut(slot) = value;
        }
        outcome((self.body)(machine))
    }
}

/// Runs a loop, reporting its progress if the run has a view.
fn watch(
    machine: &mut Machine,
    plain: impl FnOnce(&mut Machine) -> Flow,
    observed: impl FnOnce(&mut Machine, &WatchedLoop) -> Flow,
) -> Flow {
    let Some(watched) = machine.watch_loop() else { return plain(machine) };
    let flow = observed(machine, &watched);
    machine.end_loop(watched);
    flow
}

/// Translates the end of an iteration to the flow of the loop, or `None` to continue.
#[inline(always)]
fn outcome(flow: Flow) -> Option<Flow> {
    match flow {
        Flow::Next | Flow::Continue => None,
        Flow::Break => Some(Flow::Next),
        flow => Some(flow),
    }
}

/// `FOR EACH line IN FS.Lines(…)` holds one element at a time.
fn over_pulled(open: OpenFn, iteration: Iteration) -> StmtFn {
    Box::new(move |machine| {
        let Ok(mut elements) = open(machine) else { return Flow::Throw };
        let watched = machine.watch_loop();
        if let Some(watched) = &watched {
            elements.report_to(machine, watched.progress());
        }
        let flow = iteration.over_pulled(machine, &mut elements);
        watched.into_iter().for_each(|watched| machine.end_loop(watched));
        flow
    })
}

/// `FOR EACH i IN RANGE(…)` counts without creating a list.
fn over_range(args: Vec<ValueFn>, iteration: Iteration, span: Span) -> StmtFn {
    Box::new(move |machine| {
        let mut given = Vec::with_capacity(args.len());
        for arg in &args {
            match arg(machine) {
                Ok(value) => given.push(value),
                Err(_) => return Flow::Throw,
            }
        }
        let range = match builtins::int_range(&given) {
            Ok(range) => range,
            Err(error) => {
                machine.throw(span, error);
                return Flow::Throw;
            }
        };
        let all = range.count() as usize;
        let observed = |machine: &mut Machine, watched: &WatchedLoop| {
            iteration.over_numbers(machine, range, |turns| watched.tell(turns, all))
        };
        watch(machine, |machine| iteration.over_numbers(machine, range, |_| ()), observed)
    })
}
