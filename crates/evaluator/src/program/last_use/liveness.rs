//! The variables whose values are still read, found backwards through the statements of a body.

use std::collections::HashMap;

use crate::text::Span;

use super::super::reads::{Slots, changed_in_part, each_stmt, each_variable, local, reads_of};
use super::super::tree::{
    AssignTarget, Block, Body, Call, Callee, Expr, ExprKind, ReleasedPlace, Slot, Stmt, StmtKind, Target,
};
use super::points::{Reads, place_of_target, release_after, release_place, take_variable};

/// Number of different variables in a statement above which it is left as it is.
const MAX_VARIABLES: usize = 32;

/// The statements after a point of a body, as far as they matter.
#[derive(Clone, Default)]
pub struct After {
    /// The variables that may be read.
    pub live: Slots,
    /// The places that are certainly overwritten before their variables are read.
    pub overwritten: Vec<ReleasedPlace>,
}

/// The analysis of one body.
pub struct Liveness<'a> {
    /// The variables that may be read after a statement has failed.
    after_failure: Slots,
    /// The variables of the top level that procedures read.
    outer: &'a Slots,
    /// For each loop, the variables that an iteration reads before it sets them.
    exposed: HashMap<Span, Slots>,
    /// The variables that are live after the innermost loop, and at the start of its next iteration.
    innermost: Option<(Slots, Slots)>,
    /// Variables that a debugger may read between statements.
    observed: Slots,
}

impl<'a> Liveness<'a> {
    /// Creates the analysis of a body.
    pub fn new(body: &Body, outer: &'a Slots) -> Liveness<'a> {
        let mut analysis = Liveness {
            after_failure: Slots::new(),
            outer,
            exposed: HashMap::new(),
            innermost: None,
            observed: Slots::new(),
        };
        let mut clears = false;
        each_stmt(&body.block, &mut |kind| match kind {
            StmtKind::OnError { body, .. } => {
                analysis.after_failure.extend(reads_of(body));
                // A handler may call a procedure that reads them.
                analysis.after_failure.extend(outer);
            }
            StmtKind::ClearError => clears = true,
            _ => {}
        });
        if clears {
            // The run may continue after any statement.
            analysis.after_failure.extend(reads_of(&body.block));
        }
        analysis.expose(&body.block, &mut Slots::new());
        analysis
    }

    /// Treats every variable as read between statements.
    pub fn observe(&mut self, body: &Body) {
        self.observed = (0..body.slots.len() as u32).map(Slot).collect();
    }

    /// Returns the variables that a block reads before it has set them. `set` are those that are set before the block;
    /// on return, those that are certainly set after it.
    fn expose(&mut self, block: &Block, set: &mut Slots) -> Slots {
        let mut exposed = Slots::new();
        for stmt in block {
            let (reads, sets) = self.expose_stmt(stmt);
            exposed.extend(reads.into_iter().filter(|slot| !set.contains(slot)));
            set.extend(sets);
        }
        exposed
    }

    /// Returns the variables that a statement reads before it has set them, and those that it certainly sets.
    fn expose_stmt(&mut self, stmt: &Stmt) -> (Slots, Slots) {
        let mut reads: Slots = changed_in_part(&stmt.kind).collect();
        self.read_all(&stmt.kind, &mut reads);
        let is_loop = matches!(stmt.kind, StmtKind::While { .. } | StmtKind::ForEach { .. });
        let mut sets_of_blocks = Vec::new();
        for block in stmt.kind.blocks() {
            let mut set = if is_loop { stmt.kind.set_slots().into_iter().collect() } else { Slots::new() };
            reads.extend(self.expose(block, &mut set));
            sets_of_blocks.push(set);
        }
        if is_loop {
            self.exposed.insert(stmt.span, reads.clone());
        }
        let sets = match &stmt.kind {
            StmtKind::If { .. } => in_all(sets_of_blocks),
            kind => kind.targets().iter().filter(|target| target.steps.is_empty()).map(|target| target.slot).collect(),
        };
        (reads, sets)
    }

    /// Marks the last uses in a block, from its end. `after` is what follows the block; on return, what follows its
    /// start.
    pub fn block(&mut self, block: &mut Block, after: &mut After) {
        for index in (0..block.len()).rev() {
            self.stmt(&mut block[index], after);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, after: &mut After) {
        if !self.observed.is_empty() {
            after.live.extend(&self.observed);
            after.overwritten.clear();
        }
        match &mut stmt.kind {
            StmtKind::Set { target, value } => {
                self.release_held(target, value, &after.overwritten);
                self.set(std::slice::from_ref(target), value, &mut after.live);
            }
            StmtKind::SetMany { targets, value } => self.set(targets, value, &mut after.live),
            StmtKind::Return(value) => {
                after.live.clone_from(self.outer);
                self.set(&[], value, &mut after.live);
            }
            StmtKind::Break => self.jump(&mut after.live, |(end, _)| end),
            StmtKind::Continue => self.jump(&mut after.live, |(_, next)| next),
            StmtKind::If { arms, otherwise } => {
                let end = after.clone();
                self.block(otherwise, after);
                for arm in arms {
                    let mut inner = end.clone();
                    self.block(&mut arm.block, &mut inner);
                    after.live.extend(inner.live);
                    let ends = ends_body(&arm.block);
                    after.overwritten.retain(|place| {
                        inner.overwritten.contains(place) || ends && !arm.block.iter().any(|stmt| touches(stmt, place))
                    });
                }
                self.read_all(&stmt.kind, &mut after.live);
            }
            StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } => {
                let mut next = after.live.clone();
                next.extend(self.exposed.get(&stmt.span).into_iter().flatten());
                let outer = self.innermost.replace((after.live.clone(), next.clone()));
                self.block(body, &mut After { live: next.clone(), overwritten: Vec::new() });
                self.innermost = outer;
                after.live = next;
                self.read_all(&stmt.kind, &mut after.live);
            }
            // A handler runs at another time than its statement.
            StmtKind::OnError { body, .. } => after.live.extend(reads_of(body)),
            _ => self.read_all(&stmt.kind, &mut after.live),
        }
        self.overwrite(stmt, &mut after.overwritten);
    }

    /// Adds the places that a statement overwrites, and removes those that it reads.
    fn overwrite(&self, stmt: &Stmt, overwritten: &mut Vec<ReleasedPlace>) {
        if leaves(&stmt.kind) {
            overwritten.clear();
            return;
        }
        overwritten.retain(|place| !touches(stmt, place));
        let is_hidden = |slot: &Slot| !self.after_failure.contains(slot) && !self.outer.contains(slot);
        let is_read = |slot: Slot| stmt.kind.exprs().into_iter().any(|expr| Reads::of(expr).count(slot) > 0);
        let places = places_of(stmt.kind.targets());
        overwritten.extend(places.filter(|place| is_hidden(&place.slot) && !is_read(place.slot)));
        overwritten.truncate(MAX_PLACES);
    }

    /// Releases places that a SET of a variable reads and that are overwritten afterwards.
    fn release_held(&self, target: &AssignTarget, value: &mut Expr, overwritten: &[ReleasedPlace]) {
        let reads = Reads::of(value);
        let is_apart = |place: &&ReleasedPlace| target.slot != place.slot && !place.reads(target.slot);
        if !target.steps.is_empty() {
            return;
        }
        for place in overwritten.iter().filter(is_apart).filter(|place| reads.count(place.slot) > 0) {
            if !release_place(value, place, reads.count(place.slot)) {
                release_after(value, place);
            }
        }
    }

    /// Adds the variables that the expressions of a statement read, also by the procedures that they call.
    fn read_all(&self, kind: &StmtKind, live: &mut Slots) {
        let exprs = kind.exprs();
        let is_call = matches!(kind, StmtKind::MustCall { call, .. } if runs_procedure(call));
        if is_call || exprs.iter().any(|expr| calls_procedure(expr)) {
            live.extend(self.outer);
        }
        exprs.into_iter().for_each(|expr| read(expr, live));
    }

    fn jump(&self, live: &mut Slots, target: impl Fn(&(Slots, Slots)) -> &Slots) {
        if let Some(innermost) = &self.innermost {
            live.clone_from(target(innermost));
        }
    }

    /// Marks the last uses in the value of a SET or RETURN.
    fn set(&mut self, targets: &[AssignTarget], value: &mut Expr, live: &mut Slots) {
        for target in targets {
            if target.steps.is_empty() {
                live.remove(&target.slot);
            }
        }
        let mut calls_in_steps = false;
        for target in targets.iter().filter(|target| !target.steps.is_empty()) {
            live.insert(target.slot);
            target.steps.iter().for_each(|step| read(step, live));
            calls_in_steps |= target.steps.iter().any(calls_procedure);
        }
        let reads = Reads::of(value);
        let calls = calls_in_steps || calls_procedure(value);
        if reads.len() <= MAX_VARIABLES {
            let is_observed = |slot: &Slot| self.after_failure.contains(slot) || calls && self.outer.contains(slot);
            for slot in reads.slots().filter(|slot| !live.contains(slot) && !is_observed(slot)) {
                take_variable(value, slot, reads.count(slot));
            }
            for place in places_of(targets) {
                // A sum or a text grows in the place itself.
                let grows = targets.len() == 1 && matches!(value.kind, ExprKind::Chain(..) | ExprKind::Join(_));
                if !is_observed(&place.slot) && reads.count(place.slot) > 0 && !grows {
                    release_place(value, &place, reads.count(place.slot));
                }
            }
        }
        live.extend(reads.slots());
        if calls {
            live.extend(self.outer);
        }
    }
}

/// The variables that are certainly set in all of several blocks.
fn in_all(sets: Vec<Slots>) -> Slots {
    let all = sets.into_iter().reduce(|common, set| common.intersection(&set).copied().collect());
    all.unwrap_or_default()
}

/// Returns the places that a SET overwrites, except those that another of its targets may lie inside of, lead to or
/// change the way to.
fn places_of(targets: &[AssignTarget]) -> impl Iterator<Item = ReleasedPlace> + '_ {
    let is_apart = |place: &ReleasedPlace| {
        let is_only = targets.iter().filter(|target| target.slot == place.slot).count() == 1;
        let is_read = |step: &Expr| Reads::of(step).count(place.slot) > 0;
        is_only && !targets.iter().any(|target| place.reads(target.slot) || target.steps.iter().any(is_read))
    };
    targets.iter().filter_map(place_of_target).filter(is_apart)
}

/// Number of overwritten places that are remembered.
const MAX_PLACES: usize = 16;

/// Returns whether a statement reads or sets the variable of a place, or a variable of its steps.
fn touches(stmt: &Stmt, place: &ReleasedPlace) -> bool {
    let block = std::slice::from_ref(stmt);
    let mut found = false;
    each_stmt(block, &mut |kind| {
        let sets = |slot: &Slot| *slot == place.slot || place.reads(*slot);
        found |= kind.set_slots().iter().any(sets);
        found |= kind.exprs().iter().any(|expr| Reads::of(expr).count(place.slot) > 0);
    });
    found
}

/// Returns whether the body ends with a block.
fn ends_body(block: &Block) -> bool {
    block.last().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Fail(_)))
}

/// Returns whether a statement leaves its block, so that what follows may not happen.
fn leaves(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::OnError { .. })
}

fn read(expr: &Expr, live: &mut Slots) {
    each_variable(expr, &mut |variable| live.extend(local(variable)));
}

/// Returns whether an expression runs a procedure, which may read the variables of the top level.
fn calls_procedure(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if runs_procedure(call)) || expr.parts().into_iter().any(calls_procedure)
}

fn runs_procedure(call: &Call) -> bool {
    match call.target {
        Target::Procedure(_) => true,
        Target::HigherOrder(_, callback) => matches!(callback.callee, Callee::Procedure(_)),
        Target::Builtin(_) | Target::Tool(_) => false,
    }
}
