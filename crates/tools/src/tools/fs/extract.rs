//! `FS.Extract`: docs/specs/file_system_tool.md, "Clarifying Questions".

use std::io::{Read, Write};

use compact_str::CompactString;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{File, Kind as ArchivedKind, PathRule, SandboxError, SandboxPath, Timestamp, Unpacking};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Value;

use super::super::glob::LetterCase;
use super::archive::{Budget, Node, NodeKind, OnUnsafe, OpenArchive, Plan, Reader, UnsafeEntry};
use super::operation::Operation;
use super::patterns::Patterns;

const SPEC: Spec = Spec {
    name: "FS.Extract",
    wire: "extract",
    aliases: &[],
    keywords: &[
        "unzip",
        "untar",
        "gunzip",
        "unxz",
        "unzstd",
        "bunzip2",
        "bz2",
        "tgz",
        "zst",
        "unpack",
        "extract",
        "decompress",
        "zipfile.extract",
        "zipfile.extractall",
        "tarfile.extractall",
        "extractall",
        "shutil.unpack_archive",
        "Expand-Archive",
    ],
    summary: "Unpacks an archive into a directory, all of it or nothing",
    details: "Unpacks all entries of the archive, or none. Returns a map with the number of `files`, `directories` and \
        `links`, the bytes of all files as `sizeBytes`, and `skipped` with `skip_unsafe`.\n\n\
        Formats: zip, tar, and tar in gzip, zstd, xz or bzip2, recognized by their bytes. Any other compressed file \
        holds a single file, which is named after it without `.gz`, `.zst`, `.xz` or `.bz2`. Archives inside the archive are not opened.\n\n\
        Selection: `only` takes the patterns of `FS.Find`, for paths in the archive. Matching entries are unpacked \
        with the directories above them; no match is `not_found`. The whole archive is checked in any case.\n\n\
        Atomicity: everything is checked before anything is written, and written completely before anything gets its \
        name. Nothing that exists is replaced; directories are merged. A new destination directory appears in one \
        step. In an existing one the entries appear one after another; if one of them cannot be moved into place, \
        those before it are removed again, except for what somebody else has changed in the meantime (`conflict`).\n\n\
        Unsafe entries: one of these makes the call fail for the whole archive, unless `skip_unsafe` leaves it out; \
        `skipped` then lists the `name` and the `reason` of each.\n\n\
        - An entry that leaves the directory: `..`, an absolute path, a drive, a path below a link.\n\
        - A symbolic link that points out of the directory, or that has `..` after a name.\n\
        - A pipe or device.\n\
        - A name that no tool can address, or that occurs twice. With `skip_unsafe` the first entry is unpacked, so a \
        later addition never replaces what the archive had; `tar` keeps the last.\n\n\
        Always refused: entries that share bytes, encryption, and anything that two readers could understand \
        differently: data before or after the archive, headers that contradict the list. Names that differ only in \
        case are refused if the file system does not distinguish them.\n\n\
        Metadata: times are kept, and permission bits within the user's mask, without set-user-id, set-group-id and \
        sticky; directories stay usable by their owner. Hard links become copies, and holes of sparse files are \
        written as zeros.",
    effect: Effect::Adds,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::InvalidArchive,
        ToolCode::TooLarge,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nMUST CALL FS.Compress(\"a.txt\", \"a.tar.gz\")\nSET result = FS.Extract(\"a.tar.gz\", \"out\")\nEMIT result.files, \" \", result.sizeBytes\nEMIT FS.Extract(\"a.tar.gz\", \"out\").error",
        output: "1 5\n`out/a.txt` already exists\n",
    },
};

arguments! {
    struct Args {
        source | archive_path | path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "archive to unpack, from the sandbox root";
        destination | destination_path | dir: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Make), "directory to unpack into, from the sandbox root; made when it is missing";
        only: Option<Value> = Absent, Kind::Patterns, "pattern of the entries to unpack, or a list of patterns, as for `FS.Find`; all when left out";
        max_total_bytes: i64 = Is(Literal::Int(1 << 30)), Kind::at_least(0), "maximum bytes of all files together";
        max_entries: Option<i64> = Absent, Kind::at_least(0), "maximum files and directories; the policy's `max_files_per_operation` when left out";
        max_ratio: i64 = Is(Literal::Int(200)), Kind::at_least(1), "maximum unpacked size, as a multiple of the archive's size; the first 10 MiB are free";
        skip_unsafe: bool = Is(Literal::Bool(false)), Kind::Bool, "leave out entries whose name, kind or link makes the archive unsafe, and list them in `skipped`";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Unpacked {
    #[serde(flatten)]
    operation: Operation,
    /// Files that were made.
    files: u64,
    /// Directories in the archive, also those that existed.
    directories: u64,
    /// Links that were made.
    links: u64,
    /// With `skip_unsafe`, the entries that were left out, in the order of the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Vec<Skipped>>,
}

/// An entry that was left out.
#[derive(Serialize, JsonSchema)]
struct Skipped {
    /// The name as the archive has it.
    name: String,
    /// Why it was not made.
    reason: String,
}

impl From<UnsafeEntry> for Skipped {
    fn from(unsafe_entry: UnsafeEntry) -> Skipped {
        Skipped { name: unsafe_entry.entry.name, reason: unsafe_entry.refusal.reason }
    }
}

/// Bytes that are written at a time.
const PIECE: usize = 64 << 10;
/// Times that every file system and every tool can represent: the years 1 to 9999.
const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(only) = given.value("only") else { return Ok(()) };
    Patterns::parse("only", only.as_ref(), LetterCase::Counts).map(drop)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Unpacked, ToolError> {
    let (archive, destination) = (&args.source, &args.destination);
    let at_archive = |error: ToolError| match error.path {
        None => error.argument("source").path(archive.display()),
        Some(_) => error,
    };
    let at_destination = |error: SandboxError| ToolError::from(error).argument("destination");
    let open = context.open(archive).map_err(at_archive)?;
    check_destination(destination).map_err(at_destination)?;
    let budget = Budget {
        max_total_bytes: args.max_total_bytes as u64,
        max_entries: args.max_entries.map_or(context.files_per_operation(), |most| most as u64),
        max_ratio: args.max_ratio as u64,
        archive_bytes: open.metadata.size,
        watch: context.meter.watch(),
    };
    let source = OpenArchive::new(archive, open, budget);
    let whole = source.plan(context, OnUnsafe::of(args.skip_unsafe)).map_err(at_archive)?;
    let patterns = Patterns::parse("only", args.only.as_ref(), LetterCase::Counts)?;
    let at_only = |error: ToolError| error.path(archive.display());
    let mut plan = if args.only.is_some() { whole.part(&patterns).map_err(at_only)? } else { whole };
    let names: Vec<(&[CompactString], bool)> =
        plan.nodes().map(|(parts, node)| (parts.as_slice(), node.kind == NodeKind::Folder)).collect();
    admit(context, destination, &plan)?;
    destination.check_free(&names).map_err(at_destination)?;
    let change = context.begin_change(plan.len().max(1))?;
    context.meter.write_bytes(plan.bytes)?;
    context.meter.expect_bytes(plan.bytes);
    let tree = destination.unpack(&change).map_err(at_destination)?;
    let mut unpacker = Unpacker { context, tree, archive };
    unpacker.make(&plan, source.reader().map_err(at_archive)?)?;
    unpacker.context.meter.tell_syncing(true);
    unpacker.tree.finish(&names).map_err(at_destination)?;
    let skipped = std::mem::take(&mut plan.unsafe_entries).into_iter().map(Skipped::from).collect();
    let count = |wanted: fn(&NodeKind) -> bool| plan.nodes().filter(|(_, node)| wanted(&node.kind)).count() as u64;
    Ok(Unpacked {
        operation: Operation::done("extract", destination.display(), Some(plan.bytes)),
        files: count(|kind| matches!(kind, NodeKind::File | NodeKind::CopyOf(_))),
        directories: count(|kind| matches!(kind, NodeKind::Folder)),
        links: count(|kind| matches!(kind, NodeKind::Link(_))),
        skipped: args.skip_unsafe.then_some(skipped),
    })
}

fn check_destination(destination: &SandboxPath) -> Result<(), SandboxError> {
    match destination.metadata() {
        Err(SandboxError::NotFound(_)) => Ok(()),
        Ok(found) if found.kind == ArchivedKind::Folder => Ok(()),
        Ok(_) => Err(SandboxError::NotAFolder(destination.display().to_owned())),
        Err(error) => Err(error),
    }
}

/// Asks the policy to admit the directory and every name to be created in it.
fn admit(context: &Context<'_>, destination: &SandboxPath, plan: &Plan) -> Result<(), ToolError> {
    let address = destination.address();
    context.admit(&address, true, Access::Change)?;
    context.admit_files(plan.len())?;
    for (parts, node) in plan.nodes() {
        context.meter.poll()?;
        let name = parts.join("/");
        let path = if address.is_empty() { name } else { format!("{address}/{name}") };
        context.admit(&path, node.kind == NodeKind::Folder, Access::Change)?;
        context.admit_size(&path, node.size)?;
    }
    Ok(())
}

/// Creates the tree of a plan.
struct Unpacker<'a, 'c> {
    context: &'a mut Context<'c>,
    tree: Unpacking<'a>,
    archive: &'a SandboxPath,
}

impl Unpacker<'_, '_> {
    fn make(&mut self, plan: &Plan, mut reader: Reader) -> Result<(), ToolError> {
        for (parts, node) in plan.nodes().filter(|(_, node)| node.kind == NodeKind::Folder) {
            self.context.meter.poll()?;
            self.tree.make_folder(parts, node.mode)?;
        }
        for (reached, (listed, parts)) in plan.listed.iter().enumerate() {
            self.context.meter.reach(reached as u64, plan.listed.len() as u64);
            let entry = reader.advance()?;
            if entry.as_ref() != Some(listed) {
                return Err(self.changed());
            }
            let node = plan.node(parts);
            if let Some(node) = node {
                self.put(parts, node, &mut reader)?;
            }
        }
        if reader.advance()?.is_some() {
            return Err(self.changed());
        }
        // Creating an entry changes the time of its directory, so the times of directories are set last.
        for (parts, node) in plan.nodes().rev().filter(|(_, node)| node.kind == NodeKind::Folder) {
            if let Some(modified) = time_of(node) {
                self.tree.set_modified(parts, modified)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, parts: &[CompactString], node: &Node, reader: &mut Reader) -> Result<(), ToolError> {
        match &node.kind {
            NodeKind::Folder => Ok(()),
            NodeKind::Link(text) => {
                self.tree.make_link(parts, text)?;
                Ok(time_of(node).map_or(Ok(()), |time| self.tree.set_modified(parts, time))?)
            }
            NodeKind::File => self.fill(parts, node, |buffer| reader.read(buffer)),
            NodeKind::CopyOf(source) => {
                let mut source: File = self.tree.open_file(source)?;
                let archive = self.archive;
                self.fill(parts, node, |buffer| source.read(buffer).map_err(|error| archive.error(&error).into()))
            }
        }
    }

    /// Creates a file with the content that `read` returns.
    fn fill(
        &mut self,
        parts: &[CompactString],
        node: &Node,
        mut read: impl FnMut(&mut [u8]) -> Result<usize, ToolError>,
    ) -> Result<(), ToolError> {
        let mut file = self.tree.make_file(parts, node.mode)?;
        let mut piece = vec![0; PIECE];
        loop {
            self.context.meter.poll()?;
            let length = read(&mut piece)?;
            if length == 0 {
                break;
            }
            self.context.spend_text(length)?;
            file.write_all(&piece[..length]).map_err(|error| ToolError::from(self.tree.error(parts, &error)))?;
        }
        Ok(self.tree.close_file(parts, file, time_of(node))?)
    }

    fn changed(&self) -> ToolError {
        let message = format!("`{}` changed while it was unpacked", self.archive.display());
        ToolError::new(ToolCode::Conflict, message).path(self.archive.display())
    }
}

fn time_of(node: &Node) -> Option<Timestamp> {
    node.modified.filter(|seconds| TIMES.contains(seconds)).map(|seconds| Timestamp { seconds, nanos: 0 })
}
