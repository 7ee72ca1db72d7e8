//! Performs an operation on all items in order, and reports the outcome of each.
//!
//! However it ends, the caller learns what was done: failures of items and limits of the run carry the rows so
//! far as their answer.

use std::mem;
use std::ops::{ControlFlow, RangeInclusive};

use crate::gate::{Context, Items as Counts};
use crate::limits::{Limit, LimitHit};
use crate::sandbox::Change;
use crate::text::ToolCode;
use crate::toolkit::{Answer, FailureMode, ToolError};

use super::super::operation::Operation;
use super::super::rows::{Done, Row};
use super::{Item, Items};

/// Size of a row in an answer, not counting names, in bytes of JSON.
const ROW_BYTES: u64 = 300;

/// An item that has been examined: its plan, and the number of files and directories affected.
#[derive(Debug)]
pub struct Planned<P> {
    /// The plan for the item.
    pub plan: P,
    /// Number of files and directories.
    pub files: u64,
}

/// An operation on items that can be rolled back.
pub trait Work {
    /// The plan for one item.
    type Plan;
    /// The result of the call, of a failure too.
    type Answer: Answer;
    /// The name of the operation in results.
    const OPERATION: &'static str;

    /// Examines an item before anything is changed. An item without a plan gets no row.
    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Option<Planned<Self::Plan>>, ToolError>;
    /// Carries out the plan.
    fn perform(&self, context: &mut Context<'_>, plan: &Self::Plan, change: &Change<'_>) -> Result<Done, ToolError>;

    /// Returns the result of the call.
    fn answer(&self, operation: Operation) -> Self::Answer;

    /// Returns the maximum number of plans that are carried out together.
    fn together(&self) -> usize {
        1
    }

    /// Carries out plans in order, and passes on how each ended, until told to stop.
    fn perform_all(
        &self,
        context: &mut Context<'_>,
        plans: &[&Self::Plan],
        change: &Change<'_>,
        end: EndOfItem<'_>,
    ) -> ControlFlow<()> {
        perform_each(self, context, plans, change, end)
    }
}

/// Carries out plans one by one.
pub fn perform_each<W: Work + ?Sized>(
    work: &W,
    context: &mut Context<'_>,
    plans: &[&W::Plan],
    change: &Change<'_>,
    end: EndOfItem<'_>,
) -> ControlFlow<()> {
    plans.iter().try_for_each(|plan| {
        let before = context.last_step();
        let result = context.meter.poll().map_err(ToolError::from);
        let result = result.and_then(|()| work.perform(context, plan, change));
        end(Outcome { result, steps: before + 1..=context.last_step() })
    })
}

/// How an item ended.
pub struct Outcome {
    pub result: Result<Done, ToolError>,
    /// The numbers of its steps.
    pub steps: RangeInclusive<u32>,
}

/// Receives how an item ended. Returns whether to go on.
pub type EndOfItem<'a> = &'a mut dyn FnMut(Outcome) -> ControlFlow<()>;

/// The name of an item, and its plan or the reason why it cannot be processed.
type Look<P> = (String, Result<Planned<P>, ToolError>);

/// Performs the operation on all items, in order.
pub fn run<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Items,
    all_or_nothing: bool,
) -> Result<W::Answer, ToolError> {
    let argument = items.argument;
    let looks = admitted(context, work, items, all_or_nothing)?;
    let files = changed_files(&looks);
    let change = context.begin_change(files)?;
    let first_step = if all_or_nothing { Some(change.open_group()?) } else { None };
    let (rows, done) = (Vec::new(), Vec::new());
    let progress = Progress { argument, all_or_nothing, rows, done, first_failure: None, stopped: None };
    let mut course = Execution { work, change, all: looks.len(), progress };
    let end = match (course.perform(context, &looks), first_step) {
        (End::All(failure), Some(_)) => match course.change.close_group() {
            Ok(()) => End::All(failure),
            Err(error) => End::Stopped(error.into()),
        },
        (end, _) => end,
    };
    context.count_items(course.counts());
    match (end, first_step) {
        (End::Stopped(error), Some(first_step)) => {
            let error = course.take_back(context, first_step, error);
            // If the end of the group cannot be journaled, recovery rolls back the rest at the next start.
            let _ = course.change.close_group();
            Err(error)
        }
        (End::Stopped(error), None) => Err(course.cut_short(error)),
        (End::All(first_failure), _) => course.answer(first_failure),
    }
}

/// Examines all items and changes none. The rows say what would be done, and which items would fail.
pub fn examine<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Items,
    operation: &'static str,
    done: impl Fn(W::Plan) -> Done,
) -> Result<W::Answer, ToolError> {
    let looks = admitted(context, work, items, false)?;
    let all = looks.len();
    let mut rows = Vec::with_capacity(all);
    let mut first_failure = None;
    for (name, plan) in looks {
        match plan {
            Ok(plan) => rows.push(Row::done(name, done(plan.plan))),
            Err(error) => {
                rows.push(Row::failed(&name, &error));
                first_failure.get_or_insert(error);
            }
        }
    }
    let counts = counts(&rows, all);
    let answer = work.answer(Operation::of_rows(operation, rows, all));
    match first_failure {
        None => Ok(answer),
        Some(first) => {
            let error = ToolError { manner: FailureMode::Declared, ..some_failed(first, counts) };
            Err(answering(error, answer))
        }
    }
}

/// Examines all items, if the policy admits as many, their answer is not too long, and it admits as many changes.
fn admitted<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Items,
    all_or_nothing: bool,
) -> Result<Vec<Look<W::Plan>>, ToolError> {
    let argument = items.argument;
    context.admit_files(items.list.len() as u64).map_err(|error| error.argument(argument))?;
    let looks = look_at_all(context, work, items, all_or_nothing)?;
    check_answer(context, looks.iter().map(|(name, _)| name))?;
    context.admit_files(changed_files(&looks)).map_err(|error| error.argument(argument))?;
    Ok(looks)
}

/// Returns the number of files and directories that the plans change.
fn changed_files<P>(looks: &[Look<P>]) -> u64 {
    looks.iter().filter_map(|(_, plan)| plan.as_ref().ok()).map(|plan| plan.files).sum()
}

/// Examines all items before the first is changed. An error that would stop the operation stops it here.
fn look_at_all<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Items,
    all_or_nothing: bool,
) -> Result<Vec<Look<W::Plan>>, ToolError> {
    let mut looks = Vec::with_capacity(items.list.len());
    for item in items.list {
        let name = item.name.clone();
        context.spend(1).map_err(|hit| nothing_done(hit.into(), W::OPERATION))?;
        match work.plan(context, item) {
            Ok(None) => {}
            Ok(Some(plan)) => looks.push((name, Ok(plan))),
            Err(error) => {
                let error = of_item(error, &name, items.argument);
                if error.limit.is_some() {
                    return Err(nothing_done(error, W::OPERATION));
                }
                looks.push((name, Err(error)));
            }
        }
    }
    match looks.iter().find_map(|(_, plan)| plan.as_ref().err()) {
        Some(error) if all_or_nothing => Err(nothing_done(error.clone(), W::OPERATION)),
        _ => Ok(looks),
    }
}

/// Refuses the items before any is changed if their rows might not fit into the answer.
fn check_answer<'a>(context: &Context<'_>, names: impl Iterator<Item = &'a String>) -> Result<(), LimitHit> {
    let Some(allowed) = context.answer_bytes else { return Ok(()) };
    // A name occurs in its row, in the path of its backup and possibly in an error.
    let rows: u64 = names.map(|name| 3 * name.len() as u64 + ROW_BYTES).sum();
    if rows > allowed { Err(LimitHit { limit: Limit::Answer, allowed }) } else { Ok(()) }
}

/// Adds the argument that named the item and the path of the item to an error.
pub fn of_item(error: ToolError, name: &str, argument: &'static str) -> ToolError {
    let argument = error.argument.filter(|argument| *argument == "destination").unwrap_or(argument);
    let path = error.path.clone().unwrap_or_else(|| name.to_owned());
    ToolError { path: Some(path), argument: Some(argument), ..error }
}

/// Returns the error of an operation that changed nothing.
fn nothing_done(error: ToolError, operation: &str) -> ToolError {
    error.preceded_by(&format!("nothing was done ({operation}): "))
}

/// An operation in progress.
struct Execution<'w, W: Work> {
    work: &'w W,
    change: Change<'w>,
    /// Number of items.
    all: usize,
    progress: Progress,
}

/// The results of the items processed so far.
struct Progress {
    /// The argument that named the items.
    argument: &'static str,
    all_or_nothing: bool,
    rows: Vec<Row>,
    /// The numbers of the steps and the index of the row of each completed item.
    done: Vec<(RangeInclusive<u32>, usize)>,
    first_failure: Option<ToolError>,
    /// The error that stopped the operation.
    stopped: Option<ToolError>,
}

impl Progress {
    /// Adds the rows up to the next item that has a plan, which ended so. Returns whether to go on.
    fn add<'l, P: 'l>(&mut self, items: &mut impl Iterator<Item = &'l Look<P>>, outcome: Outcome) -> ControlFlow<()> {
        if let Some(name) = self.refuse(items) {
            match outcome.result {
                Err(error) => self.fail(name, error),
                Ok(done) => {
                    self.rows.push(Row::done(name.clone(), done));
                    self.done.push((outcome.steps, self.rows.len() - 1));
                }
            }
        }
        if self.stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds the rows of items that have no plan, up to one that has. Returns the name of that one.
    fn refuse<'l, P: 'l>(&mut self, items: &mut impl Iterator<Item = &'l Look<P>>) -> Option<&'l String> {
        for (name, plan) in items {
            match plan {
                Ok(_) => return Some(name),
                Err(error) => self.fail(name, error.clone()),
            }
        }
        None
    }

    fn fail(&mut self, name: &str, error: ToolError) {
        let error = of_item(error, name, self.argument);
        self.rows.push(Row::failed(name, &error));
        if self.all_or_nothing || error.limit.is_some() {
            self.stopped = Some(error);
        } else {
            self.first_failure.get_or_insert(error);
        }
    }
}

/// How an operation ended.
enum End {
    /// All items were processed; the first failure, if any.
    All(Option<ToolError>),
    /// The error of an item stopped the operation.
    Stopped(ToolError),
}

impl<W: Work> Execution<'_, W> {
    fn perform(&mut self, context: &mut Context<'_>, looks: &[Look<W::Plan>]) -> End {
        let Execution { work, change, progress, .. } = self;
        // A tree is one item, but counts as many files as it contains.
        let files = |looks: &[Look<W::Plan>]| -> u64 {
            looks.iter().map(|(_, plan)| plan.as_ref().map_or(1, |plan| plan.files)).sum()
        };
        let all = files(looks);
        let mut reached = 0;
        for together in looks.chunks(work.together()) {
            context.meter.reach(reached, all);
            reached += files(together);
            let plans: Vec<&W::Plan> =
                together.iter().filter_map(|(_, plan)| Some(&plan.as_ref().ok()?.plan)).collect();
            let mut items = together.iter();
            let ended = work.perform_all(context, &plans, change, &mut |outcome| progress.add(&mut items, outcome));
            if ended.is_continue() {
                progress.refuse(&mut items);
            }
            if let Some(error) = progress.stopped.take() {
                return End::Stopped(error);
            }
        }
        End::All(progress.first_failure.take())
    }

    /// Returns the result after all items were processed: an error if any failed.
    fn answer(&mut self, first_failure: Option<ToolError>) -> Result<W::Answer, ToolError> {
        let Some(first) = first_failure else { return Ok(self.reported()) };
        let error = some_failed(first, self.counts());
        Err(self.with_item(error))
    }

    /// Returns the error after a limit stopped the operation; it says how many items were completed.
    fn cut_short(&mut self, error: ToolError) -> ToolError {
        let Counts { done, all, .. } = self.counts();
        let error = match done {
            0 => nothing_done(error, W::OPERATION),
            _ => error.followed_by(&format!("; {done} of {all} items were done before ({})", W::OPERATION)),
        };
        self.with_item(error)
    }

    /// Rolls back the completed items, last first, regardless of the limits of the run.
    fn take_back(&mut self, context: &mut Context<'_>, first_step: u32, error: ToolError) -> ToolError {
        let failures = match context.roll_back(first_step) {
            Ok(failures) => failures,
            Err(failure) => vec![(u32::MAX, failure)],
        };
        let Progress { rows, done, .. } = &mut self.progress;
        let all = done.len();
        for (steps, row) in done.drain(..) {
            if !failures.iter().any(|(step, _)| steps.contains(step) || *step == u32::MAX) {
                let row = &mut rows[row];
                *row = mem::replace(row, Row::failed("", &error)).taken_back(error.code);
            }
        }
        context.count_items(self.counts());
        let Some((_, failure)) = failures.first() else { return nothing_done(error, W::OPERATION) };
        let count = self.counts().done;
        let after = format!("; {count} of {all} changes could not be taken back: {failure}");
        self.with_item(ToolError { code: ToolCode::Conflict, ..error.followed_by(&after) })
    }

    fn with_item(&mut self, error: ToolError) -> ToolError {
        answering(error, self.reported())
    }

    fn reported(&mut self) -> W::Answer {
        self.work.answer(Operation::of_rows(W::OPERATION, mem::take(&mut self.progress.rows), self.all))
    }

    fn counts(&self) -> Counts {
        counts(&self.progress.rows, self.all)
    }
}

fn counts(rows: &[Row], all: usize) -> Counts {
    let done = rows.iter().filter(|row| row.is_done()).count();
    Counts { done: done as u64, failed: (rows.len() - done) as u64, all: all as u64 }
}

/// Returns the error after some of the items failed.
fn some_failed(first: ToolError, counts: Counts) -> ToolError {
    let manner = if counts.done > 0 { FailureMode::Partly } else { FailureMode::Declared };
    let before = format!("{} of {} items failed; the first: ", counts.failed, counts.all);
    ToolError { manner, ..first.preceded_by(&before) }
}

/// Attaches the rows to an error as its answer.
fn answering(error: ToolError, answer: impl Answer) -> ToolError {
    match answer.into_value() {
        Ok(answer) => error.answering(answer),
        // There is no memory for the rows; the message has the counts.
        Err(_) => error,
    }
}
