//! `FS.MoveFiles`: moves or renames several files and directories, each to its own new path.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use crate::gate::{Context, Tool};
use crate::sandbox::{Change, Kind as EntryKind, PathRule, PendingRenaming, Renaming, SandboxPath, SharedFolders};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Risk, Spec, ToolError, arguments};
use crate::value::Str;

use super::bulk::{self, EndOfItem, Item, Items, Outcome, Planned, Work};
use super::move_file::{DESTINATION, Ready, SOURCE, examine, rename};
use super::operation::Operation;
use super::rows::Done;

const SPEC: Spec = Spec {
    name: "FS.MoveFiles",
    wire: "move_files",
    aliases: &[],
    keywords: &[
        "rename files",
        "batch rename",
        "bulk rename",
        "rename many",
        "mmv",
        "rename",
        "vidir",
        "move several",
        "renumber",
    ],
    summary: "Moves or renames several files and directories, each to its own new path",
    details: "Makes each of `moves`, a map with `source` and `destination` (or `from` and `to`), as `FS.MoveFile` \
        does: nothing is overwritten, and a symbolic link is moved itself. The result has `items` and the counts \
        `succeeded` and `failed`. `items` has a record for each move, in the order in which they were made, with \
        `path` (the source), `destination`, `success` and `error`.\n\n\
        Order: all moves are examined before the first is made, and a source is what is there before the call. If a \
        move goes to a path that another move leaves, the other is made first, so `1` can become `2` while `2` becomes \
        `3`. Moves that exchange their paths are a `conflict`; move one of them to a third path in an earlier call. A \
        move of an entry to its own path does nothing and has no record.\n\n\
        With `make_directories` the missing directories of destinations are created.\n\n\
        Failures: one failure does not stop the rest unless `all_or_nothing` is set. If no move is made, the call \
        fails. If a limit ends it, the message says how many were made.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::Conflict,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"1\")\nMUST CALL FS.WriteFile(\"b.txt\", \"2\")\nSET moves = [{\"from\": \"a.txt\", \"to\": \"b.txt\"}, {\"from\": \"b.txt\", \"to\": \"c.txt\"}]\nEMIT FS.MoveFiles(moves).succeeded, \" \", FS.ReadFile(\"b.txt\").content",
        output: "2 1\n",
    },
};

arguments! {
    struct Args {
        moves | pairs: Vec<Move> = Required, Kind::Maps(Move::PARAMS), "moves to make: maps with `source` and `destination`";
        make_directories: bool = Is(Literal::Bool(false)), Kind::Bool, "whether to create missing directories";
        all_or_nothing: bool = Is(Literal::Bool(false)), Kind::Bool, "whether one failure undoes the rest";
    }
}

arguments! {
    struct Move {
        source | from: Str = Required, Kind::Content, "file or directory to move, relative to the sandbox root";
        destination | to: Str = Required, Kind::Content, "its new path, relative to the sandbox root";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    context.admit_files(args.moves.len() as u64).map_err(|error| error.argument("moves"))?;
    let mut work = MoveSeveral { make_directories: args.make_directories, ..MoveSeveral::default() };
    let items = work.in_order(context, args.moves)?;
    bulk::run(context, &mut work, Items { argument: "moves", list: items }, args.all_or_nothing)
}

/// A move operation on several items.
#[derive(Default)]
struct MoveSeveral {
    make_directories: bool,
    /// The destinations of the items, in their order.
    destinations: VecDeque<Result<SandboxPath, ToolError>>,
    /// The paths that the items leave.
    sources: HashSet<String>,
    /// The paths that the items get.
    made: HashSet<String>,
    /// The paths of the items that exchange their paths with others.
    in_circles: HashSet<String>,
    /// The sources of the items that were examined.
    left: HashSet<String>,
    /// The destinations of the items that were examined.
    taken: HashSet<String>,
    folders: SharedFolders,
}

/// One of several moves.
struct OneMove {
    source: SandboxPath,
    destination: SandboxPath,
    /// Whether the directory of the destination is missing.
    lacks_parent: bool,
}

impl MoveSeveral {
    /// Returns the items in an order in which each finds its destination free.
    fn in_order(&mut self, context: &mut Context<'_>, moves: Vec<Move>) -> Result<Vec<Item>, ToolError> {
        let mut items = Vec::with_capacity(moves.len());
        let mut addresses = Vec::with_capacity(moves.len());
        for Move { source, destination } in moves {
            context.spend(1)?;
            let (name, target) = (source.as_text().to_string(), destination.as_text().to_string());
            let mut place = context.place(&name, SOURCE, Access::Change);
            place.iter_mut().for_each(|place| self.folders.share(place));
            addresses.push(place.as_ref().map(|place| place.address().into_owned()).unwrap_or_default());
            items.push(Some(Item { name, place, target }));
        }
        let by_source: HashMap<&str, usize> =
            addresses.iter().enumerate().map(|(index, address)| (address.as_str(), index)).collect();
        // The item that leaves the destination of each.
        let mut before = Vec::with_capacity(items.len());
        let mut destinations = Vec::with_capacity(items.len());
        for item in items.iter().flatten() {
            let mut destination = context.place(&item.target, DESTINATION, Access::Make);
            destination.iter_mut().for_each(|place| self.folders.share(place));
            let address = destination.as_ref().map(|place| place.address().into_owned()).unwrap_or_default();
            before.push(by_source.get(address.as_str()).copied().filter(|_| !address.is_empty()));
            self.made.insert(address);
            destinations.push(Some(destination.map_err(|error| error.argument("destination"))));
        }
        let mut ordered = Vec::with_capacity(items.len());
        // The chain in which each item was reached first.
        let mut reached = vec![usize::MAX; items.len()];
        for start in 0..items.len() {
            let mut chain = Vec::new();
            let mut next = Some(start);
            while let Some(index) = next.filter(|index| reached[*index] == usize::MAX) {
                reached[index] = start;
                chain.push(index);
                next = before[index];
            }
            // The chain leads back to itself, from the item that it reaches again.
            let again = next.filter(|index| reached[*index] == start && !chain.is_empty());
            let circle = again.and_then(|again| chain.iter().position(|index| *index == again));
            self.in_circles
                .extend(chain[circle.unwrap_or(chain.len())..].iter().map(|index| addresses[*index].clone()));
            for index in chain.into_iter().rev() {
                ordered.extend(items[index].take());
                self.destinations.extend(destinations[index].take());
            }
        }
        self.sources = addresses.into_iter().collect();
        Ok(ordered)
    }
}

impl Work for MoveSeveral {
    type Plan = OneMove;
    type Answer = Operation;
    const OPERATION: &'static str = "move";

    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Option<Planned<OneMove>>, ToolError> {
        let destination = self.destinations.pop_front().expect("each item has one");
        let (source, destination) = (item.place?, destination?);
        let (from, to) = (source.address().into_owned(), destination.address().into_owned());
        if from == to && source.metadata().is_ok() {
            return Ok(None);
        }
        self.check_dependence(&from, &to)?;
        self.check_links(context, &source)?;
        self.check_links(context, &destination).map_err(|error| error.argument("destination"))?;
        let lacks_parent = !destination.missing_folders().1.is_empty();
        let ready = Ready { has_parent: !self.make_directories, is_free: !self.sources.contains(&to) };
        examine(context, &source, &destination, ready).map_err(|error| self.explain(error, &from))?;
        self.left.insert(from);
        self.taken.insert(to);
        let files = 1 + destination.missing_folders().1.len() as u64;
        Ok(Some(Planned { plan: OneMove { source, destination, lacks_parent }, files }))
    }

    fn answer(&self, operation: Operation) -> Operation {
        operation
    }

    fn perform(&self, context: &mut Context<'_>, plan: &OneMove, change: &Change<'_>) -> Result<Done, ToolError> {
        let made = if plan.lacks_parent { Some(make_parent(context, &plan.destination, change)?) } else { None };
        let renaming = plan.renaming()?;
        let renaming = Renaming { target: made.as_ref().unwrap_or(renaming.target), ..renaming };
        rename(context, renaming.begin(change)?, change)?;
        Ok(moved_to(renaming.target))
    }

    fn together(&self) -> usize {
        256
    }

    fn perform_all(
        &self,
        context: &mut Context<'_>,
        plans: &[&OneMove],
        change: &Change<'_>,
        end: EndOfItem<'_>,
    ) -> ControlFlow<()> {
        // Those whose directories exist are journaled together.
        for together in plans.chunk_by(|one, other| !one.lacks_parent && !other.lacks_parent) {
            let renamings: Option<Vec<_>> = together.iter().map(|plan| plan.renaming().ok()).collect();
            let pending = match renamings.filter(|_| !together[0].lacks_parent) {
                Some(renamings) => Renaming::begin_all(renamings, change).ok(),
                None => None,
            };
            match pending {
                Some(pending) => rename_all(context, pending, change, end)?,
                // Each says for itself why it cannot be begun.
                None => bulk::perform_each(self, context, together, change, end)?,
            }
        }
        ControlFlow::Continue(())
    }
}

/// Makes moves that are in the journal.
fn rename_all(
    context: &mut Context<'_>,
    pending: Vec<PendingRenaming<'_>>,
    change: &Change<'_>,
    end: EndOfItem<'_>,
) -> ControlFlow<()> {
    pending.into_iter().try_for_each(|pending| {
        let (step, before, target) = (pending.number(), context.last_step(), pending.renaming().target);
        let result = context.meter.poll().map_err(ToolError::from);
        let result = result.and_then(|()| rename(context, pending, change)).map(|()| moved_to(target));
        let last = context.last_step();
        // A move to another file system has taken steps of its own.
        end(Outcome { result, steps: if last > before { before + 1..=last } else { step..=step } })
    })
}

fn moved_to(target: &SandboxPath) -> Done {
    Done { destination: Some(target.display().to_owned()), ..Done::default() }
}

impl OneMove {
    fn renaming(&self) -> Result<Renaming<'_>, ToolError> {
        // An item before may have changed the source, if both are names of one file.
        let metadata = self.source.metadata().map_err(|error| ToolError::from(error).path(self.source.display()))?;
        Ok(Renaming { source: &self.source, target: &self.destination, metadata })
    }
}

impl MoveSeveral {
    /// Adds a hint to the error for a source that only another item of the call would make.
    fn explain(&self, error: ToolError, from: &str) -> ToolError {
        let is_made = error.code == ToolCode::NotFound && self.made.contains(from);
        if is_made {
            error.hint("a source is what is there before the call; move it on in a call after")
        } else {
            error
        }
    }

    /// Refuses a move that depends on another one in a way that no order resolves.
    fn check_dependence(&self, from: &str, to: &str) -> Result<(), ToolError> {
        let conflict = |message: String, path: &str| Err(ToolError::new(ToolCode::Conflict, message).path(path));
        if self.left.contains(from) {
            return conflict(format!("`{from}` is moved by an item before it already"), from);
        }
        if self.taken.contains(to) {
            return conflict(format!("another item is moved to `{to}` already"), to)
                .map_err(|error| error.argument("destination"));
        }
        if from != to && self.in_circles.contains(from) {
            let error = conflict(format!("`{from}` and `{to}` exchange their paths, alone or with others"), from);
            return error.map_err(|error| {
                error.hint("move one of them to a third path in a call before, with `FS.MoveFile` say")
            });
        }
        let among =
            |path: &str, paths: &HashSet<String>| above(path).find(|above| paths.contains(*above)).map(str::to_owned);
        if let Some(above) = among(from, &self.sources) {
            return conflict(format!("`{from}` goes with `{above}`, another item"), from);
        }
        let in_destination = |above: String, verb: &str| {
            let error = conflict(format!("`{to}` is in `{above}`, which another item {verb}"), to);
            error.map_err(|error| error.argument("destination").hint("move it in a call after"))
        };
        match (among(to, &self.sources), among(to, &self.made)) {
            (Some(above), _) if above != from => in_destination(above, "moves"),
            (_, Some(above)) if above != to => in_destination(above, "makes"),
            _ => Ok(()),
        }
    }

    /// Refuses a path that goes through a link which an item of the call moves: it would lead elsewhere afterwards.
    fn check_links(&self, context: &mut Context<'_>, place: &SandboxPath) -> Result<(), ToolError> {
        if place.display() == place.address() {
            return Ok(());
        }
        for way in above(place.display()) {
            let Ok(link) = context.place(way, SOURCE, Access::Look) else { continue };
            if self.sources.contains(&*link.address()) {
                let message = format!("`{}` goes through `{way}`, which an item moves", place.display());
                let error = ToolError::new(ToolCode::Conflict, message).path(place.display());
                return Err(error.hint("move it in a call of its own"));
            }
        }
        Ok(())
    }
}

/// Returns the directories above a path, without the root.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(slash, _)| &path[..slash])
}

/// Makes the missing directories of a destination, unless an item before made them, and returns the destination in them.
fn make_parent(
    context: &mut Context<'_>,
    destination: &SandboxPath,
    change: &Change<'_>,
) -> Result<SandboxPath, ToolError> {
    let address = destination.address();
    let at_destination = |error: ToolError| error.argument("destination");
    let parent = address.rsplit_once('/').map_or("", |(parent, _)| parent);
    let parent = context.place(parent, PathRule::INSIDE.creating(), Access::Make).map_err(at_destination)?;
    match parent.metadata() {
        Ok(there) if there.kind == EntryKind::Folder => {}
        _ => parent.create_folder(change).map_err(|error| at_destination(error.into()))?,
    }
    context.place(&address, DESTINATION, Access::Make).map_err(at_destination)
}
