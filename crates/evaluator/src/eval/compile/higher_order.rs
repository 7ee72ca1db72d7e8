//! Functions that take a procedure: they run it for each element, at one step per element.

use std::rc::Rc;

use crate::limits::space;
use crate::program::HigherOrder;
use crate::program::tree::{Args, Call, Callback, Callee};
use crate::text::Span;
use crate::toolkit::ToolError;
use crate::value::{Hashed, List, Map, Value, ValueMap, order, print};

use super::super::builtins;
use super::super::debug;
use super::super::machine::{EvalResult, Machine, ValueFn, WatchedLoop};
use super::super::pulled::Pulled;
use super::super::tool_call::{self, Failing, Handling};
use super::Compiler;
use super::call::{CompiledArg, run_procedure, with_room};
use super::pulled::OpenFn;
use super::release::BeforeCall;

/// Calls the callee with one or two arguments.
type Apply = Box<dyn Fn(&mut Machine, Value, Option<Value>) -> EvalResult<Value>>;

/// One run of a procedure over all elements.
struct Pass<'a> {
    apply: &'a Apply,
    span: Span,
    /// The display of the run, if it is displayed.
    watched: Option<&'a WatchedLoop>,
}

impl Pass<'_> {
    /// Begins with the element at an index: charges a step, and displays how many have been done. `all` is 0 if their
    /// number is unknown.
    fn begin(&self, machine: &mut Machine, index: usize, all: usize) -> EvalResult<()> {
        if let Some(watched) = self.watched {
            watched.tell(index, all);
        }
        machine.step(self.span)
    }
}

/// The elements that a procedure is run for.
struct Elements<'a> {
    source: Source<'a>,
    /// Number of elements taken.
    taken: usize,
}

enum Source<'a> {
    List(&'a List),
    Call(&'a mut Pulled),
}

impl<'a> Elements<'a> {
    fn of(source: Source<'a>) -> Elements<'a> {
        Elements { source, taken: 0 }
    }

    /// Returns the next element, or `None` after the last one.
    fn next(&mut self, machine: &mut Machine) -> EvalResult<Option<Value>> {
        let element = match &mut self.source {
            Source::List(list) => list.get(self.taken),
            Source::Call(elements) => elements.next(machine)?,
        };
        self.taken += usize::from(element.is_some());
        Ok(element)
    }

    /// Like [`Elements::next`], and begins the pass over the element.
    fn begin_next(&mut self, machine: &mut Machine, pass: &Pass<'_>) -> EvalResult<Option<Value>> {
        let element = self.next(machine)?;
        if element.is_some() {
            let all = if let Source::List(list) = self.source { list.len() } else { 0 };
            pass.begin(machine, self.taken - 1, all)?;
        }
        Ok(element)
    }
}

impl Compiler<'_> {
    /// Compiles a call of a higher-order function.
    pub(super) fn higher_order_call<B: BeforeCall>(
        &self,
        function: HigherOrder,
        callback: Callback,
        call: &Call,
        failing: Failing,
        before: B,
    ) -> ValueFn {
        let Args::Placed { values, params } = &call.args else { unreachable!("lowering places these arguments") };
        let (params, span) = (*params, call.span);
        let apply = self.apply(callback.callee, span, failing);
        let list = values.iter().position(|arg| arg.place == 0).expect("lowering demands it");
        if function.takes_one_by_one()
            && let Some(open) = self.pulled(&values[list].value)
        {
            let (earlier, later) = (self.placed(&values[..list]), self.placed(&values[list + 1..]));
            return over_pulled(function, PulledArgs { earlier, open, later, params }, apply, span, before);
        }
        let args = self.placed(values);
        Box::new(move |machine| {
            machine.step(span)?;
            let mut given = vec![None; params];
            for arg in &args {
                given[arg.place] = Some((arg.value)(machine)?);
            }
            before.run(machine);
            let options = given.split_off(HigherOrder::PROCEDURE + 1);
            let whole = given.swap_remove(0).expect("lowering demands it");
            check(machine, function, 0, &whole, span)?;
            let watched = machine.watch_loop();
            let pass = Pass { apply: &apply, span, watched: watched.as_ref() };
            let option = options.into_iter().next().flatten();
            let result = match &whole {
                Value::List(list) if function == HigherOrder::SortBy => sort_by(machine, list, option, &pass),
                Value::List(list) => run(machine, function, Elements::of(Source::List(list)), option, &pass),
                Value::Map(map) => run_map(machine, function, map, callback.args, &pass),
                _ => unreachable!("it was just checked"),
            };
            watched.into_iter().for_each(|watched| machine.end_loop(watched));
            result
        })
    }

    fn apply(&self, callee: Callee, span: Span, failing: Failing) -> Apply {
        let frame = self.frame;
        match callee {
            Callee::Procedure(id) => {
                let params = &self.program.procedures[id.0 as usize].params;
                let defaults: Vec<Value> =
                    params.iter().map(|param| param.default.clone().unwrap_or_default()).collect();
                Box::new(move |machine, first, second| {
                    let given = 1 + usize::from(second.is_some());
                    let absent = defaults[given..].iter().cloned();
                    run_procedure(machine, id.0 as usize, frame, span, [first].into_iter().chain(second).chain(absent))
                })
            }
            Callee::Builtin(crate::program::Builtin::Range) => Box::new(move |machine, first, second| {
                let args: Vec<Value> = [first].into_iter().chain(second).collect();
                super::call::range_of(machine, &args, span)
            }),
            Callee::Builtin(builtin) => Box::new(move |machine, first, second| {
                let result = match second {
                    None => builtins::unary(builtin)(&first),
                    Some(second) => builtins::apply(builtin, &[first, second]),
                };
                result.map_err(|error| machine.throw(span, error))
            }),
            Callee::Tool(id) if self.tells_calls_of(id) => Box::new(move |machine, first, second| {
                let params = machine.world.gate.registry().get(id).params.len();
                with_room(machine, params, |machine, args| {
                    args[0] = Some(first);
                    if second.is_some() {
                        args[1] = second;
                    }
                    debug::changing_call(machine, id, args, span, Handling { failing, warns_of_truncation: false })
                })
            }),
            Callee::Tool(id) => Box::new(move |machine, first, second| {
                let params = machine.world.gate.registry().get(id).params.len();
                with_room(machine, params, |machine, args| {
                    args[0] = Some(first);
                    if second.is_some() {
                        args[1] = second;
                    }
                    // The result goes into the new list or map, so no truncation warning is given here.
                    tool_call::call(machine, id, args, span, Handling { failing, warns_of_truncation: false })
                })
            }),
        }
    }
}

/// The compiled arguments of a higher-order function whose list is pulled, in the order of the text.
struct PulledArgs {
    earlier: Vec<CompiledArg>,
    open: OpenFn,
    later: Vec<CompiledArg>,
    params: usize,
}

/// Compiles a call whose elements are pulled from another call.
fn over_pulled<B: BeforeCall>(function: HigherOrder, args: PulledArgs, apply: Apply, span: Span, before: B) -> ValueFn {
    Box::new(move |machine| {
        machine.step(span)?;
        let mut given = vec![None; args.params];
        for arg in &args.earlier {
            given[arg.place] = Some((arg.value)(machine)?);
        }
        let mut elements = (args.open)(machine)?;
        for arg in &args.later {
            given[arg.place] = Some((arg.value)(machine)?);
        }
        before.run(machine);
        let option = given.into_iter().nth(HigherOrder::PROCEDURE + 1).flatten();
        let watched = machine.watch_loop();
        if let Some(watched) = &watched {
            elements.report_to(machine, watched.progress());
        }
        let pass = Pass { apply: &apply, span, watched: watched.as_ref() };
        let result = run(machine, function, Elements::of(Source::Call(&mut elements)), option, &pass);
        watched.into_iter().for_each(|watched| machine.end_loop(watched));
        result
    })
}

fn run(
    machine: &mut Machine,
    function: HigherOrder,
    elements: Elements<'_>,
    option: Option<Value>,
    pass: &Pass<'_>,
) -> EvalResult<Value> {
    let apply = pass.apply;
    match function {
        HigherOrder::Map => {
            collect(machine, elements, pass, |machine, element| Ok(Some(apply(machine, element, None)?)))
        }
        HigherOrder::Filter => collect(machine, elements, pass, |machine, element| {
            Ok(apply(machine, element.clone(), None)?.is_true().then_some(element))
        }),
        HigherOrder::Reduce => reduce(machine, elements, option, pass),
        HigherOrder::Any => Ok(first(machine, elements, pass, true)?.into()),
        HigherOrder::All => Ok((!first(machine, elements, pass, false)?).into()),
        HigherOrder::GroupBy => group_by(machine, elements, pass),
        HigherOrder::SortBy => unreachable!("the whole list is sorted"),
        HigherOrder::MapMap | HigherOrder::MapFilter => unreachable!("these are given maps"),
    }
}

/// Returns the map of new values, or of the entries that are kept. The procedure takes `params` arguments: the value,
/// or key and value.
fn run_map(
    machine: &mut Machine,
    function: HigherOrder,
    map: &Map,
    params: usize,
    pass: &Pass<'_>,
) -> EvalResult<Value> {
    let mut made = Rc::new(Map::with_capacity(0));
    for (index, (key, value)) in map.iter().enumerate() {
        pass.begin(machine, index, map.len())?;
        let given = match params {
            2 => (pass.apply)(machine, key.clone().into(), Some(value.clone()))?,
            _ => (pass.apply)(machine, value.clone(), None)?,
        };
        let put = match function {
            HigherOrder::MapMap => given,
            _ if given.is_true() => value,
            _ => continue,
        };
        Map::insert(&mut made, key, put).map_err(|hit| machine.throw(pass.span, hit))?;
    }
    Ok(Value::Map(made))
}

/// Size in bytes of one entry of a group table.
const GROUP_BYTES: usize = 2 * size_of::<Value>() + 4 * size_of::<usize>();

fn group_by(machine: &mut Machine, mut elements: Elements<'_>, pass: &Pass<'_>) -> EvalResult<Value> {
    let span = pass.span;
    let mut groups: ValueMap<Rc<List>> = ValueMap::default();
    while let Some(element) = elements.begin_next(machine, pass)? {
        let key = (pass.apply)(machine, element.clone(), None)?;
        let Some(name) = print::key_text(&key) else {
            let message =
                format!("element {} gives a {} where a key is made of a value", elements.taken - 1, key.type_name());
            let error = ToolError::bad_argument("key", message).hint("give a text or a number");
            return Err(machine.throw(span, ToolError { tool: Some(HigherOrder::GroupBy.spec().name), ..error }));
        };
        if groups.len() == groups.capacity() {
            space::check(2 * groups.capacity() * GROUP_BYTES).map_err(|hit| machine.throw(span, hit))?;
        }
        let group = groups.entry(Hashed(name.into())).or_insert_with(|| Rc::new(List::empty()));
        List::push(group, element).map_err(|hit| machine.throw(span, hit))?;
    }
    let mut map = Map::with_capacity(groups.len());
    for (Hashed(name), group) in groups {
        let name = name.as_str().expect("names are texts");
        map.put(name, Value::List(group)).map_err(|hit| machine.throw(span, hit))?;
    }
    Ok(map.into())
}

/// Returns the list of values that `make` returns for the elements, without those for which it returns `None`.
fn collect(
    machine: &mut Machine,
    mut elements: Elements<'_>,
    pass: &Pass<'_>,
    make: impl Fn(&mut Machine, Value) -> EvalResult<Option<Value>>,
) -> EvalResult<Value> {
    let mut made = Rc::new(List::empty());
    while let Some(element) = elements.begin_next(machine, pass)? {
        if let Some(value) = make(machine, element)? {
            List::push(&mut made, value).map_err(|hit| machine.throw(pass.span, hit))?;
        }
    }
    Ok(Value::List(made))
}

fn reduce(
    machine: &mut Machine,
    mut elements: Elements<'_>,
    start: Option<Value>,
    pass: &Pass<'_>,
) -> EvalResult<Value> {
    let first = match start {
        None => elements.next(machine)?,
        start => start,
    };
    let Some(mut made) = first else { return Ok(Value::Nil) };
    while let Some(element) = elements.begin_next(machine, pass)? {
        made = (pass.apply)(machine, made, Some(element))?;
    }
    Ok(made)
}

/// Returns whether the procedure's result has the truth value `wanted` for any element.
fn first(machine: &mut Machine, mut elements: Elements<'_>, pass: &Pass<'_>, wanted: bool) -> EvalResult<bool> {
    while let Some(element) = elements.begin_next(machine, pass)? {
        if (pass.apply)(machine, element, None)?.is_true() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn sort_by(machine: &mut Machine, list: &Rc<List>, descending: Option<Value>, pass: &Pass<'_>) -> EvalResult<Value> {
    let span = pass.span;
    if let Some(descending) = &descending {
        check(machine, HigherOrder::SortBy, 2, descending, span)?;
    }
    let elements = Elements::of(Source::List(list));
    let keys = collect(machine, elements, pass, |machine, element| Ok(Some((pass.apply)(machine, element, None)?)))?;
    let Value::List(keys) = keys else { unreachable!("what was collected is a list") };
    let needed = list.len() * (size_of::<usize>() + size_of::<Value>());
    space::check(needed).map_err(|hit| machine.throw(span, hit))?;
    let keys: Vec<Value> = keys.iter().collect();
    let direction = order::Direction::of(descending.is_some_and(|descending| descending.is_true()));
    let sorted = order::sorted(&keys, direction).map_err(|unsorted| match unsorted {
        order::Unsorted::Limit(hit) => machine.throw(span, hit),
        order::Unsorted::Odd(odd) => {
            let (index, found) = (odd.index, odd.display(&keys));
            let message = format!("element {index} cannot be ordered with the others: {found}");
            let hint = "give numbers or texts, not both, or lists with the same kind at each index";
            let error = ToolError::bad_argument("procedure", message).hint(hint);
            machine.throw(span, ToolError { tool: Some(HigherOrder::SortBy.spec().name), ..error })
        }
    })?;
    Value::list(sorted.into_iter().filter_map(|index| list.get(index)).collect())
        .map_err(|hit| machine.throw(span, hit))
}

/// Checks an argument as the binder checks those of tools.
fn check(machine: &mut Machine, function: HigherOrder, place: usize, value: &Value, span: Span) -> EvalResult<()> {
    function.binder().check(place, value).map_err(|error| {
        let error = ToolError { tool: Some(function.spec().name), ..ToolError::from(error) };
        machine.throw(span, error)
    })
}
