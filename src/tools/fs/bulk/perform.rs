//! Doing the work on all items, in order, and telling what became of each.
//!
//! Whatever ends it, whoever called learns what was done: failures of items and limits of the run come
//! with the rows so far as their answer.

use std::mem;

use crate::limits::{Limit, LimitHit};
use crate::sandbox::Change;
use crate::text::ToolCode;
use crate::toolkit::{Answer, Context, Items as Counts, Manner, ToolError};

use super::super::operation::Operation;
use super::rows::{Done, Row};
use super::{Item, Items};

/// What a row takes in an answer besides its names, in bytes of JSON.
const ROW_BYTES: u64 = 300;

/// An item that was looked at: what is to be done, and how many files and directories that concerns.
#[derive(Debug)]
pub struct Planned<P> {
    /// What is to be done.
    pub plan: P,
    /// Files and directories.
    pub files: u64,
}

/// Something that is done to items, and taken back.
pub trait Work {
    /// What is to be done to an item.
    type Plan;
    /// The word for it in results.
    const OPERATION: &'static str;

    /// Looks at an item before anything is changed.
    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Planned<Self::Plan>, ToolError>;
    /// Does it.
    fn perform(&self, context: &mut Context<'_>, plan: &Self::Plan, change: &Change<'_>) -> Result<Done, ToolError>;
}

/// An item by its name, and what is to be done to it or why nothing can be.
type Look<P> = (String, Result<Planned<P>, ToolError>);

/// Does the work on all items, in order.
pub fn run<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Items,
    all_or_nothing: bool,
) -> Result<Operation, ToolError> {
    context.admit_files(items.list.len() as u64).map_err(|error| error.argument(items.argument))?;
    let argument = items.argument;
    let looks = look_at_all(context, work, items, all_or_nothing)?;
    check_answer(context, looks.iter().map(|(name, _)| name))?;
    let files = looks.iter().filter_map(|(_, plan)| plan.as_ref().ok()).map(|plan| plan.files).sum();
    context.admit_files(files).map_err(|error| error.argument(argument))?;
    let change = context.begin_change(files)?;
    let first_step = if all_or_nothing { Some(change.open_group()?) } else { None };
    let mut course = Course { work, change, argument, all: looks.len(), rows: Vec::new(), done: Vec::new() };
    let end = match (course.perform(context, looks, all_or_nothing), first_step) {
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
            // Where that cannot be written down the next start takes back what is left.
            let _ = course.change.close_group();
            Err(error)
        }
        (End::Stopped(error), None) => Err(course.cut_short(error)),
        (End::All(first_failure), _) => course.answer(first_failure),
    }
}

/// Looks at all items before the first is changed. What ends the operation ends it here already.
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
        let plan = work.plan(context, item).map_err(|error| of_item(error, &name, items.argument));
        match plan {
            Err(error) if error.limit.is_some() => return Err(nothing_done(error, W::OPERATION)),
            plan => looks.push((name, plan)),
        }
    }
    match looks.iter().find_map(|(_, plan)| plan.as_ref().err()) {
        Some(error) if all_or_nothing => Err(nothing_done(error.clone(), W::OPERATION)),
        _ => Ok(looks),
    }
}

/// Refuses several items whose rows may not fit into the answer, before any is changed.
fn check_answer<'a>(context: &Context<'_>, names: impl Iterator<Item = &'a String>) -> Result<(), LimitHit> {
    let Some(allowed) = context.answer_bytes else { return Ok(()) };
    // A name stands in its row, in the path of its backup and perhaps in an error.
    let rows: u64 = names.map(|name| 3 * name.len() as u64 + ROW_BYTES).sum();
    if rows > allowed { Err(LimitHit { limit: Limit::Answer, allowed }) } else { Ok(()) }
}

/// The error of an item, by the argument that named the item and by its path.
fn of_item(error: ToolError, name: &str, argument: &'static str) -> ToolError {
    let argument = error.argument.filter(|argument| *argument == "destination").unwrap_or(argument);
    let path = error.path.clone().unwrap_or_else(|| name.to_owned());
    ToolError { path: Some(path), argument: Some(argument), ..error }
}

/// The error of an operation of which nothing was done.
fn nothing_done(error: ToolError, operation: &str) -> ToolError {
    error.preceded_by(&format!("nothing was done ({operation}): "))
}

/// The items on their way.
struct Course<'w, W: Work> {
    work: &'w W,
    change: Change<'w>,
    /// What named the items.
    argument: &'static str,
    /// How many there are.
    all: usize,
    /// Those that were reached.
    rows: Vec<Row>,
    /// The rows of those that were done, each with the number of its last step.
    done: Vec<(u32, usize)>,
}

/// How the course ended.
enum End {
    /// All items were reached; the first failure, if there was one.
    All(Option<ToolError>),
    /// At an item whose error ends the operation.
    Stopped(ToolError),
}

impl<W: Work> Course<'_, W> {
    fn perform(&mut self, context: &mut Context<'_>, looks: Vec<Look<W::Plan>>, all_or_nothing: bool) -> End {
        let mut first_failure = None;
        // A tree is one item, and as many files as are in it.
        let all = looks.iter().map(|(_, plan)| plan.as_ref().map_or(1, |plan| plan.files)).sum();
        let mut reached = 0;
        for (name, plan) in looks {
            context.meter.reach(reached, all);
            reached += plan.as_ref().map_or(1, |plan| plan.files);
            let result = plan.and_then(|plan| {
                context.meter.poll()?;
                self.work.perform(context, &plan.plan, &self.change)
            });
            match result {
                Ok(done) => {
                    self.rows.push(Row::done(name, &done));
                    self.done.push((context.last_step(), self.rows.len() - 1));
                }
                Err(error) => {
                    let error = of_item(error, &name, self.argument);
                    self.rows.push(Row::failed(&name, &error));
                    if all_or_nothing || error.limit.is_some() {
                        return End::Stopped(error);
                    }
                    first_failure.get_or_insert(error);
                }
            }
        }
        End::All(first_failure)
    }

    /// What is told where every item was reached: a failure of the call where none was done.
    fn answer(&mut self, first_failure: Option<ToolError>) -> Result<Operation, ToolError> {
        let counts = self.counts();
        let Some(first) = first_failure else { return Ok(self.operation()) };
        let manner = if counts.done > 0 { Manner::Partly } else { Manner::Declared };
        let before = format!("{} of {} items failed; the first: ", counts.failed, counts.all);
        Err(self.told(ToolError { manner, ..first.preceded_by(&before) }))
    }

    /// What is told where a limit ended it: that, and what was done before.
    fn cut_short(&mut self, error: ToolError) -> ToolError {
        let Counts { done, all, .. } = self.counts();
        let error = match done {
            0 => nothing_done(error, W::OPERATION),
            _ => error.followed_by(&format!("; {done} of {all} items were done before ({})", W::OPERATION)),
        };
        self.told(error)
    }

    /// Takes back what was done, the last first, whatever the run may still spend.
    fn take_back(&mut self, context: &mut Context<'_>, first_step: u32, error: ToolError) -> ToolError {
        let failures = match context.roll_back(first_step) {
            Ok(failures) => failures,
            Err(failure) => vec![(u32::MAX, failure)],
        };
        let all = self.done.len();
        let mut first = first_step;
        for (last, row) in self.done.drain(..) {
            if !failures.iter().any(|(step, _)| (first..=last).contains(step) || *step == u32::MAX) {
                let row = &mut self.rows[row];
                *row = mem::replace(row, Row::failed("", &error)).taken_back(error.code);
            }
            first = last + 1;
        }
        context.count_items(self.counts());
        let Some((_, failure)) = failures.first() else { return nothing_done(error, W::OPERATION) };
        let count = self.counts().done;
        let after = format!("; {count} of {all} changes could not be taken back: {failure}");
        self.told(ToolError { code: ToolCode::Conflict, ..error.followed_by(&after) })
    }

    /// An error with the rows as its answer.
    fn told(&mut self, error: ToolError) -> ToolError {
        match self.operation().into_value() {
            Ok(answer) => error.answering(answer),
            // No room for the rows: the sentence has the counts.
            Err(_) => error,
        }
    }

    fn operation(&mut self) -> Operation {
        Operation::of_rows(W::OPERATION, mem::take(&mut self.rows), self.all)
    }

    fn counts(&self) -> Counts {
        let done = self.rows.iter().filter(|row| row.is_done()).count();
        Counts { done: done as u64, failed: (self.rows.len() - done) as u64, all: self.all as u64 }
    }
}
