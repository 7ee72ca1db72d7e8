//! Tools: declarations with the functions that carry them out.

use std::fmt;
use std::rc::Rc;

use crate::toolkit::{Answer, Arguments, Bound, Check, Declaration, Fields, Registry, Spec, ToolError, ToolId};
use crate::value::Value;

use super::context::Context;
use super::truncate::done_but_unreported;

type ToolFn = dyn Fn(&mut Context<'_>, &mut Bound<'_>) -> Result<Value, Box<ToolError>>;

/// A tool: its declaration and its function.
pub struct Tool {
    declaration: Declaration,
    run: Box<ToolFn>,
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
        Tool { declaration: Declaration::new(spec, A::PARAMS, R::schema), run: Box::new(run), variant: None }
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
        let Tool { declaration, run, .. } = Tool::new(self.declaration.spec, run);
        let declaration = declaration.with_check(self.declaration.own_check());
        let variant = Variant { reads, tool: Tool { declaration, run, variant: None } };
        Tool { variant: Some(Box::new(variant)), ..self }
    }
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
    functions: Rc<[Box<ToolFn>]>,
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
        for (number, Tool { declaration, run, variant }) in tools.into_iter().enumerate() {
            declarations.push(declaration);
            functions.push(run);
            variants.extend(variant.map(|variant| (ToolId::new(number), *variant)));
        }
        let mut registry = Registry::new(declarations);
        for (id, Variant { reads, tool }) in variants {
            registry.add_variant(id, reads, tool.declaration);
            functions.push(tool.run);
        }
        Toolbox { registry: Rc::new(registry), functions: functions.into() }
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
    run: &'a ToolFn,
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
