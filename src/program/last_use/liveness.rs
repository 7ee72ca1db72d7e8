//! The variables whose values are still read, found backwards through the statements of a body.

use std::collections::HashMap;

use crate::text::Span;

use super::super::reads::{Slots, changed_in_part, each_stmt, each_variable, local, reads_of};
use super::super::tree::{
    AssignTarget, Block, Body, Call, Callee, Expr, ExprKind, Release, ReleaseMoment, ReleasedPlace, Slot, Stmt,
    StmtKind, Target,
};
use super::points::{Reads, place_of_target, release_place, take_variable};

/// Number of different variables in a statement above which it is left as it is.
const MAX_VARIABLES: usize = 32;

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
}

impl<'a> Liveness<'a> {
    /// Creates the analysis of a body.
    pub fn new(body: &Body, outer: &'a Slots) -> Liveness<'a> {
        let mut analysis = Liveness { after_failure: Slots::new(), outer, exposed: HashMap::new(), innermost: None };
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

    /// Returns the variables that a block reads before it has set them. `set` are those that are set before the block;
    /// on return, those that are certainly set after it.
    fn expose(&mut self, block: &Block, set: &mut Slots) -> Slots {
        let mut exposed = Slots::new();
        for stmt in block {
            let reads = self.expose_stmt(stmt);
            exposed.extend(reads.into_iter().filter(|slot| !set.contains(slot)));
            set.extend(stmt.kind.targets().iter().filter(|target| target.steps.is_empty()).map(|target| target.slot));
        }
        exposed
    }

    /// Returns the variables that a statement reads before it has set them.
    fn expose_stmt(&mut self, stmt: &Stmt) -> Slots {
        let mut reads: Slots = changed_in_part(&stmt.kind).collect();
        self.read_all(&stmt.kind, &mut reads);
        for block in stmt.kind.blocks() {
            let is_loop = matches!(stmt.kind, StmtKind::While { .. } | StmtKind::ForEach { .. });
            let mut set = if is_loop { stmt.kind.set_slots().into_iter().collect() } else { Slots::new() };
            reads.extend(self.expose(block, &mut set));
            if is_loop {
                self.exposed.insert(stmt.span, reads.clone());
            }
        }
        reads
    }

    /// Marks the last uses in a block, from its end. `live` are the variables that are read after the block; on return,
    /// those that are read from its start.
    pub fn block(&mut self, block: &mut Block, live: &mut Slots) {
        for index in (0..block.len()).rev() {
            self.stmt(&mut block[index], live);
        }
        self.release_until_set(block);
    }

    fn stmt(&mut self, stmt: &mut Stmt, live: &mut Slots) {
        match &mut stmt.kind {
            StmtKind::Set { target, value } => self.set(std::slice::from_ref(target), value, live),
            StmtKind::SetMany { targets, value } => self.set(targets, value, live),
            StmtKind::Return(value) => {
                live.clone_from(self.outer);
                self.set(&[], value, live);
            }
            StmtKind::Break => self.jump(live, |(after, _)| after),
            StmtKind::Continue => self.jump(live, |(_, next)| next),
            StmtKind::If { arms, otherwise } => {
                let after = live.clone();
                self.block(otherwise, live);
                for arm in arms {
                    let mut inner = after.clone();
                    self.block(&mut arm.block, &mut inner);
                    live.extend(inner);
                }
                self.read_all(&stmt.kind, live);
            }
            StmtKind::While { body, .. } | StmtKind::ForEach { body, .. } => {
                let mut next = live.clone();
                next.extend(self.exposed.get(&stmt.span).into_iter().flatten());
                let outer = self.innermost.replace((live.clone(), next.clone()));
                self.block(body, &mut next.clone());
                self.innermost = outer;
                *live = next;
                self.read_all(&stmt.kind, live);
            }
            // A handler runs at another time than its statement.
            StmtKind::OnError { body, .. } => live.extend(reads_of(body)),
            _ => self.read_all(&stmt.kind, live),
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
            let is_hidden = |slot: &Slot| !self.after_failure.contains(slot) && !(calls && self.outer.contains(slot));
            for slot in reads.slots().filter(|slot| !live.contains(slot) && is_hidden(slot)) {
                take_variable(value, slot, reads.count(slot));
            }
            for place in places_of(targets) {
                // A sum or a text grows in the place itself.
                let grows = targets.len() == 1 && matches!(value.kind, ExprKind::Chain(..) | ExprKind::Join(_));
                if is_hidden(&place.slot) && reads.count(place.slot) > 0 && !grows {
                    release_place(value, &place, reads.count(place.slot));
                }
            }
        }
        live.extend(reads.slots());
        if calls {
            live.extend(self.outer);
        }
    }

    /// Finds `SET g = m[k]` … `SET m[k] = …` in a block: the place releases its value as soon as the variable holds it.
    fn release_until_set(&self, block: &mut Block) {
        for last in 1..block.len() {
            for place in self.overwritten_places(&block[last]) {
                let nearest = (0..last).rev().take(MAX_DISTANCE).find(|index| {
                    let stmt = &block[*index];
                    touches(stmt, &place) || leaves(stmt)
                });
                if let Some(nearest) = nearest {
                    release_after(&mut block[nearest], place);
                }
            }
        }
    }

    /// Returns the places that a statement overwrites without a read of their variables.
    fn overwritten_places(&self, stmt: &Stmt) -> Vec<ReleasedPlace> {
        let is_hidden = |slot: &Slot| !self.after_failure.contains(slot) && !self.outer.contains(slot);
        let is_read = |slot: Slot| stmt.kind.exprs().into_iter().any(|expr| Reads::of(expr).count(slot) > 0);
        let places = places_of(stmt.kind.targets());
        places.filter(|place| is_hidden(&place.slot) && !is_read(place.slot)).collect()
    }
}

/// Returns the places that a SET overwrites, except those whose variable has another target, which may lie inside.
fn places_of(targets: &[AssignTarget]) -> impl Iterator<Item = ReleasedPlace> + '_ {
    let is_only = |slot: Slot| targets.iter().filter(|target| target.slot == slot).count() == 1;
    targets.iter().filter(move |target| is_only(target.slot)).filter_map(place_of_target)
}

/// Number of statements between the read of a place and its assignment above which they are not looked at.
const MAX_DISTANCE: usize = 16;

/// Returns whether a statement reads or sets the variable of a place, or a variable of its steps.
fn touches(stmt: &Stmt, place: &ReleasedPlace) -> bool {
    let block = std::slice::from_ref(stmt);
    let mut found = false;
    each_stmt(block, &mut |kind| {
        let sets = |slot: &Slot| *slot == place.slot || place.steps.iter().any(|step| step.reads(*slot));
        found |= kind.set_slots().iter().any(sets);
        found |= kind.exprs().iter().any(|expr| Reads::of(expr).count(place.slot) > 0);
    });
    found
}

/// Returns whether a statement may leave its block.
fn leaves(stmt: &Stmt) -> bool {
    let mut leaves = false;
    each_stmt(std::slice::from_ref(stmt), &mut |kind| {
        leaves |= matches!(kind, StmtKind::Break | StmtKind::Continue | StmtKind::OnError { .. });
    });
    leaves
}

/// Releases a place after a SET of a variable has read it.
fn release_after(stmt: &mut Stmt, place: ReleasedPlace) {
    let StmtKind::Set { target, value } = &mut stmt.kind else { return };
    let is_apart = target.slot != place.slot && !place.steps.iter().any(|step| step.reads(target.slot));
    if !target.steps.is_empty() || !is_apart || Reads::of(value).count(place.slot) == 0 {
        return;
    }
    if !matches!(value.kind, ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(_)) {
        return;
    }
    value.wrap(|expr| {
        ExprKind::Release(Box::new(Release { expr, places: vec![place], moment: ReleaseMoment::AfterValue }))
    });
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
