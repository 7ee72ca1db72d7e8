//! Chains of runs and their reversal: after each undo, redo, rollback and failed call, the whole tree must be in its
//! previous state.
//!
//! A chain consists of three runs of random operations on a tree with hard links, symbolic links, special permission
//! bits and odd names. Each run is a script, an atomic script that fails, a plan that is applied, or single calls. The
//! runs are undone in reverse order, with a redo in between, out of order, or by force after a change by another
//! program.

mod force;
mod operation;
mod setup;
mod small;
mod snapshot;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;

use neuroscript_language::engine::{Ending, Engine, Invocation, Options, Script};

use super::world::{Unread, World, call};
use operation::{NO_BACKUP, Operation};
use setup::Device;
pub use small::{small_chain, small_chains};
use snapshot::Snapshot;

/// Maximum number of runs of a chain, and of operations of a run.
const RUNS: usize = 3;
const MOST: usize = 8;
/// Bytes before the operations, and bytes of an operation.
const HEAD: usize = 4;
const OPERATION: usize = 4;

/// The way in which the operations of a run are executed.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Script,
    /// As an atomic script that fails at its end.
    Atomic,
    Plan,
    /// One by one, each as a run of its own.
    Calls,
}

/// A run that changed something.
struct Done {
    run: String,
    before: Snapshot,
    after: Snapshot,
}

/// A chain in progress.
struct Chain {
    /// Declared first, so that it is unmounted before the tree that contains it is deleted.
    device: Option<Device>,
    world: World,
    root: PathBuf,
    /// The engine of all steps, as in a server, if each does not open its own.
    kept_engine: Option<Rc<Engine>>,
    /// The runs that are not undone, the oldest first.
    done: Vec<Done>,
    last_backup: String,
    /// The operations so far, printed on a failure.
    log: Vec<String>,
}

/// Executes the chain that bytes encode, undoes it, and compares the tree after each step.
pub fn chains(data: &[u8]) {
    let Some((head, operations)) = data.split_at_checked(HEAD) else { return };
    let mut chain = Chain::new(head[0] >> (2 * RUNS) & 1 == 1);
    let first = chain.snapshot();
    let count = operations.len() / OPERATION;
    let each = count.div_ceil(RUNS).clamp(1, MOST) * OPERATION;
    for (number, run) in operations.chunks(each).take(RUNS).enumerate() {
        let manner = match (head[0] >> (2 * number)) % 4 {
            0 => Manner::Script,
            1 => Manner::Atomic,
            2 => Manner::Plan,
            _ => Manner::Calls,
        };
        let operations: Vec<Operation> = run.chunks_exact(OPERATION).map(Operation::decode).collect();
        chain.run(manner, &operations);
    }
    match head[1] % 4 {
        0 => chain.undo_in_reverse(false),
        1 => chain.undo_in_reverse(true),
        2 => chain.undo_out_of_order(head[2], &first),
        _ => force::undo_by_force(&mut chain, (head[2], head[3])),
    }
    if head[1] % 4 != 3 && chain.done.is_empty() {
        first.expect(&chain.snapshot(), "everything is undone");
    }
    setup::check_outside(&chain.world);
}

impl Chain {
    fn new(keeps_engine: bool) -> Chain {
        let world = World::new();
        let device = setup::mount(&world);
        setup::prepare(&world, device.is_some());
        let kept_engine = keeps_engine.then(|| Rc::new(world.engine()));
        Chain {
            root: world.root(),
            world,
            device,
            kept_engine,
            done: Vec::new(),
            last_backup: NO_BACKUP.to_owned(),
            log: Vec::new(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let snapshot = Snapshot::take(&self.root);
        if self.device.is_some() { snapshot.without_inodes() } else { snapshot }
    }

    fn engine(&self) -> Rc<Engine> {
        self.kept_engine.clone().unwrap_or_else(|| Rc::new(self.world.engine()))
    }

    fn run(&mut self, manner: Manner, operations: &[Operation]) {
        let script: String = operations.iter().map(Operation::script).collect();
        self.log.push(format!("{manner:?}\n{script}"));
        match manner {
            Manner::Script => self.run_script(operations),
            Manner::Atomic => self.fail_atomically(operations),
            Manner::Plan => self.apply_plan(operations),
            Manner::Calls => operations.iter().for_each(|operation| self.call(operation)),
        }
    }

    fn script(&self, operations: &[Operation], end: &str) -> Script {
        let mut script = format!("SET backup = {:?}\n", self.last_backup);
        operations.iter().for_each(|operation| script.push_str(&operation.script()));
        let _ = writeln!(script, "{end}");
        Script::new("chain.ns", script)
    }

    fn note(&mut self, run: Option<String>, before: Snapshot) {
        let after = self.snapshot();
        match run {
            Some(run) => self.done.push(Done { run, before, after }),
            None => before.expect(&self.snapshot(), "nothing was done"),
        }
    }

    fn run_script(&mut self, operations: &[Operation]) {
        let before = self.snapshot();
        let (engine, script) = (self.engine(), self.script(operations, ""));
        let outcome = engine.run(&script, &Invocation::default(), Box::new(Unread));
        assert_eq!(outcome.ending, Ending::Done, "{:?}\n{}", outcome.findings, script.code());
        self.note(engine.ended_run().map(|ended| ended.run), before);
    }

    fn fail_atomically(&mut self, operations: &[Operation]) {
        let before = self.snapshot();
        let engine = self.world.opened(&Options { atomic: true, ..self.world.options() });
        let script = self.script(operations, "FAIL \"on purpose\"");
        let outcome = engine.run(&script, &Invocation::default(), Box::new(Unread));
        assert!(outcome.warnings.is_empty(), "{:?}\n{}", outcome.warnings, script.code());
        before.expect(&self.snapshot(), &format!("an atomic run failed\n{}", script.code()));
    }

    fn apply_plan(&mut self, operations: &[Operation]) {
        let before = self.snapshot();
        let planning = self.world.opened(&Options { plan: true, ..self.world.options() });
        let script = self.script(operations, "");
        let outcome = planning.run(&script, &Invocation::default(), Box::new(Unread));
        assert_eq!(outcome.ending, Ending::Done, "{:?}\n{}", outcome.findings, script.code());
        before.expect(&self.snapshot(), "planning changed something");
        let plan = planning.plan("chain", false).expect("the plan is told").expect("the engine plans");
        match self.engine().apply(&plan) {
            Ok(applied) => self.note(applied.by, before),
            // A plan does not know that a file system is mounted in a directory, which cannot be moved.
            Err(error) if self.device.is_some() && error.message.ends_with("busy") => {
                before.expect(&self.snapshot(), "a plan could not be applied");
            }
            Err(error) => panic!("{}: {:#?}\n{}", error.message, plan.changes, script.code()),
        }
    }

    fn call(&mut self, operation: &Operation) {
        let before = self.snapshot();
        let engine = self.engine();
        let answer = call(&engine, operation.tool, operation.arguments(&self.last_backup));
        if let Some(backup) = answer.ok().as_ref().and_then(|answer| answer.get("backupPath")?.as_str()) {
            self.last_backup = backup.to_owned();
        }
        self.note(engine.ended_run().map(|ended| ended.run), before);
    }

    fn undo_in_reverse(&mut self, with_redo: bool) {
        while let Some(Done { run, before, after }) = self.done.pop() {
            self.undo(&run, &before);
            if with_redo {
                let redone = self.engine().undo(None, true, false);
                redone.unwrap_or_else(|error| panic!("redo of {run}: {} {:?}", error.message, error.answer));
                after.expect(&self.snapshot(), "a run was redone");
                let undone = self.engine().undo(None, false, false);
                undone.unwrap_or_else(|error| panic!("second undo of {run}: {} {:?}", error.message, error.answer));
                before.expect(&self.snapshot(), "a run was undone again");
            }
        }
    }

    fn undo(&self, run: &str, before: &Snapshot) {
        let undone = self.engine().undo(Some(run), false, false);
        undone.unwrap_or_else(|error| panic!("{run}: {} {:?}", error.message, error.answer));
        before.expect(&self.snapshot(), "a run was undone");
    }

    /// Undoes runs in an arbitrary order, as far as they do not conflict with others, redoes them, and undoes them in
    /// reverse order.
    fn undo_out_of_order(&mut self, mut choice: u8, first: &Snapshot) {
        let mut undone: Vec<(usize, Done, Snapshot)> = Vec::new();
        while !self.done.is_empty() {
            let at = usize::from(choice) % self.done.len();
            choice /= 3;
            if self.try_undo(at, &mut undone) {
                continue;
            }
            // A later run may conflict with this undo, and an earlier undo with that of the newest run.
            if !self.try_undo(self.done.len() - 1, &mut undone) {
                break;
            }
        }
        if self.done.is_empty() {
            first.expect(&self.snapshot(), "everything is undone out of order");
        }
        undone.into_iter().rev().for_each(|undone| self.redo(undone));
        // A redone run is newer than those that were not undone, so the undo of one of these may conflict with it.
        while let Some(Done { before, .. }) = self.done.last() {
            let before = before.clone();
            if !self.try_undo(self.done.len() - 1, &mut Vec::new()) {
                break;
            }
            before.expect(&self.snapshot(), "a run was undone");
        }
    }

    /// Redoes the run that was undone last.
    fn redo(&mut self, (at, done, before): (usize, Done, Snapshot)) {
        self.log.push(format!("redo of {}", done.run));
        let redone = self.engine().undo(None, true, false);
        let redone = redone.unwrap_or_else(|error| panic!("redo: {} {:?}", error.message, error.answer));
        before.expect(&self.snapshot(), "a run was redone");
        self.done.insert(at, Done { run: redone.by.expect("the redo is a run"), ..done });
    }

    /// Undoes a run. Returns false if that is refused, in which case nothing may have changed.
    fn try_undo(&mut self, at: usize, undone: &mut Vec<(usize, Done, Snapshot)>) -> bool {
        let before = self.snapshot();
        let run = self.done[at].run.clone();
        self.log.push(format!("undo of {run}"));
        match self.engine().undo(Some(&run), false, false) {
            Ok(_) => {
                undone.push((at, self.done.remove(at), before));
                true
            }
            Err(error) => {
                assert_eq!(error.code.id(), "conflict", "{}", error.message);
                before.expect(&self.snapshot(), "an undo was refused");
                self.log.push(format!("refused: {:?}", error.answer));
                false
            }
        }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.log.join("\n"));
        }
    }
}
