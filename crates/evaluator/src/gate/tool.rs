//! Tools: declarations with the functions that carry them out.
//!
//! A tool that returns a list can declare that it *streams*: it opens a [`Stream`], and whoever needs one element at a
//! time pulls from that. Whoever needs the list gets it collected from the same stream, so both have the same elements,
//! errors and steps.

use std::fmt;
use std::rc::Rc;

use crate::toolkit::{
    Answer, AnyList, Arguments, Bound, Check, Declaration, Fields, MediaFields, Registry, Spec, ToolError, ToolId,
};
use crate::value::{Elements, Value};

use super::context::Context;
use super::truncate::done_but_unreported;

type ToolFn<'a> = dyn Fn(&mut Context<'_>, &mut Bound<'_>) -> Result<Value, Box<ToolError>> + 'a;
type OpenFn = dyn Fn(&mut Context<'_>, &mut Bound<'_>) -> Result<Box<dyn Stream>, Box<ToolError>>;

/// The elements of a list that is never made: each is made when it is pulled.
///
/// A stream holds open handles, never paths, so the gate decides once, when it is opened.
pub trait Stream {
    /// Returns the next element, or `None` after the last one. Charges the steps and the memory of the element.
    fn pull(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError>;

    /// Returns the number of bytes that are read up to the end, for the display of progress, or `None` if it is unknown.
    fn bytes(&self) -> Option<u64> {
        None
    }
}

/// A tool: its declaration and its function.
pub struct Tool {
    declaration: Declaration,
    run: Box<ToolFn<'static>>,
    open: Option<Box<OpenFn>>,
    variant: Option<Box<Variant>>,
}

/// A cheaper variant of a tool, for scripts that read only these fields of its records.
struct Variant {
    reads: Fields,
    tool: Tool,
}

impl Tool {
    /// Creates a tool from its declaration and its function.
    pub fn new<A, R>(spec: Spec, run: impl Fn(&mut Context<'_>, A) -> Result<R, ToolError> + 'static) -> Tool
    where
        A: Arguments + 'static,
        R: Answer + 'static,
    {
        let run = move |context: &mut Context<'_>, bound: &mut Bound<'_>| match run(context, A::take(bound)) {
            Ok(answer) => answer.into_value().map_err(|hit| Box::new(done_but_unreported(hit, context.has_changed()))),
            Err(error) => Err(Box::new(error)),
        };
        Tool {
            declaration: Declaration::new(spec, A::PARAMS, R::schema),
            run: Box::new(run),
            open: None,
            variant: None,
        }
    }

    /// Creates a tool that returns a list, from its declaration and the function that opens the stream of the elements.
    pub fn streaming<A, S>(
        spec: Spec,
        open: impl Fn(&mut Context<'_>, A) -> Result<S, ToolError> + Copy + 'static,
    ) -> Tool
    where
        A: Arguments + 'static,
        S: Stream + 'static,
    {
        let collect = move |context: &mut Context<'_>, args| collect(&mut open(context, args)?, context);
        let tool = Tool::new(spec, collect);
        let open = move |context: &mut Context<'_>, bound: &mut Bound<'_>| match open(context, A::take(bound)) {
            Ok(stream) => Ok(Box::new(stream) as Box<dyn Stream>),
            Err(error) => Err(Box::new(error)),
        };
        Tool { declaration: tool.declaration.with_stream(), open: Some(Box::new(open)), ..tool }
    }

    /// Returns the tool with a check of its arguments. The check runs before a script starts, with the arguments that
    /// are known then, and before each call, with all arguments.
    pub fn with_check(self, check: Check) -> Tool {
        Tool { declaration: self.declaration.with_check(Some(check)), ..self }
    }

    /// Returns the tool with a check that is made only before a script starts, because the tool itself makes it when it
    /// runs.
    pub fn with_early_check(self, check: Check) -> Tool {
        Tool { declaration: self.declaration.with_early_check(check), ..self }
    }

    /// Returns the tool with the fields in which its answer is an image or audio.
    pub fn with_media(self, media: MediaFields) -> Tool {
        Tool { declaration: self.declaration.with_media(media), ..self }
    }

    /// Returns the tool with a cheaper variant, for scripts that read only these fields of its records. Both must be
    /// indistinguishable to such a script.
    pub fn with_projection<A, R>(
        self,
        reads: Fields,
        run: impl Fn(&mut Context<'_>, A) -> Result<R, ToolError> + 'static,
    ) -> Tool
    where
        A: Arguments + 'static,
        R: Answer + 'static,
    {
        let Tool { declaration, run, open, .. } = Tool::new(self.declaration.spec, run);
        let declaration = declaration.with_check(self.declaration.own_check());
        let variant = Variant { reads, tool: Tool { declaration, run, open, variant: None } };
        Tool { variant: Some(Box::new(variant)), ..self }
    }
}

/// Returns the list of all elements of a stream.
fn collect(stream: &mut impl Stream, context: &mut Context<'_>) -> Result<AnyList, ToolError> {
    let mut elements = Elements::default();
    while let Some(element) = stream.pull(context)? {
        elements.push(element)?;
    }
    Ok(AnyList(elements.finish()?))
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.declaration.fmt(f)
    }
}

/// The tools of an engine: the registry of their declarations, and their functions.
#[derive(Clone)]
pub struct Toolbox {
    /// The declarations.
    pub registry: Rc<Registry>,
    /// The function of each tool, in the order of the registry.
    functions: Rc<[Box<ToolFn<'static>>]>,
    /// The functions of the tools that stream, with their tools.
    openers: Rc<[(ToolId, Box<OpenFn>)]>,
}

impl Toolbox {
    /// Collects these tools, in this order.
    ///
    /// # Panics
    /// Panics if two tools share a name; a test of the built-in tools rules that out.
    pub fn new(tools: Vec<Tool>) -> Toolbox {
        let mut declarations = Vec::with_capacity(tools.len());
        let mut functions = Vec::with_capacity(tools.len());
        let mut variants = Vec::new();
        let mut openers = Vec::new();
        for (number, Tool { declaration, run, open, variant }) in tools.into_iter().enumerate() {
            declarations.push(declaration);
            functions.push(run);
            openers.extend(open.map(|open| (ToolId::new(number), open)));
            variants.extend(variant.map(|variant| (ToolId::new(number), *variant)));
        }
        let mut registry = Registry::new(declarations);
        for (id, Variant { reads, tool }) in variants {
            registry.add_variant(id, reads, tool.declaration);
            functions.push(tool.run);
        }
        Toolbox { registry: Rc::new(registry), functions: functions.into(), openers: openers.into() }
    }

    /// Returns the function that opens the stream of a tool.
    pub(super) fn opener(&self, id: ToolId) -> &OpenFn {
        let opener = self.openers.iter().find(|(tool, _)| *tool == id);
        &*opener.expect("the registry says that the tool streams").1
    }

    /// Returns a tool for a call.
    pub(super) fn get(&self, id: ToolId) -> ToolRef<'_> {
        ToolRef { declaration: self.registry.get(id), run: &*self.functions[id.index()] }
    }
}

/// A tool of a toolbox.
#[derive(Clone, Copy)]
pub struct ToolRef<'a> {
    /// Its declaration.
    pub declaration: &'a Declaration,
    /// Its function.
    pub(super) run: &'a ToolFn<'a>,
}

impl ToolRef<'_> {
    /// Runs the tool. Only the gate may call this.
    pub(super) fn run(self, context: &mut Context<'_>, bound: &mut Bound<'_>) -> Result<Value, Box<ToolError>> {
        (self.run)(context, bound)
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox").field("registry", &self.registry).finish_non_exhaustive()
    }
}
