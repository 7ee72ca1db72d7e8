//! `FS.FindDuplicates`: files with the same content. The result is complete, or the call fails.
//!
//! Files are compared in three stages, each only for those that are still alike: by size, by the hash of the first
//! block, by the hash of the whole content. Several threads read.

mod groups;

use std::io::Read;

use crate::gate::{Context, Opener, Tool};
use crate::limits::MemoryCharge;
use crate::sandbox::{Bounds, Details, FoundEntries, Kind as EntryKind, PathRule, SandboxError, SandboxPath, Search};
use crate::text::ToolCode;
use crate::toolkit::{BareError, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Value;

use super::super::glob::LetterCase;
use super::super::parallel::{Pace, Parallel, Work};
use super::find::{Wanted, measure};
use super::find_files::prefix;
use super::hashing::{self, HashError};
use super::patterns::{Patterns, leaving_out};
use groups::{Candidate, Digest, Duplicates, Group};

const SPEC: Spec = Spec {
    name: "FS.FindDuplicates",
    wire: "find_duplicates",
    aliases: &[],
    keywords: &[
        "duplicates",
        "duplicate files",
        "find duplicate files",
        "dedupe",
        "same content",
        "identical files",
        "wasted space",
        "fdupes",
        "rdfind",
        "jdupes",
    ],
    summary: "Finds files with the same content in a directory and all directories below it",
    details: "Returns a list of groups of files whose whole contents have the same SHA-256. A group has these \
        fields:\n\n\
        - `size`: bytes of each file.\n\
        - `checksum`: SHA-256, hexadecimal.\n\
        - `wasted`: bytes that all but one of the files take.\n\
        - `paths`: paths from the sandbox root, ordered by their bytes.\n\n\
        Order: by `wasted`, the largest first; groups with equal `wasted` by their first path. Patterns, sizes and \
        `gitignore` are as in `FS.Find`.\n\n\
        Left out: empty files, unless `min_size` is 0; files that the policy forbids to read, with a warning that \
        names the first. Symbolic links are not followed. Several names of one file (hard links) waste nothing: the \
        first by path stands for all of them, unless `hard_links` is set.\n\n\
        Failures: the list is complete, or the call fails. A directory or file that cannot be read, that disappears or \
        changes during the search, or that has a path that no tool takes is an error, which says how to leave it \
        out.\n\n\
        Reading: only files whose size occurs more than once are read, and to the end only those whose first block \
        also occurs more than once. Several threads read (`--jobs`), which changes only the time.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::Encoding,
        ToolCode::Conflict,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nMUST CALL FS.WriteFile(\"b/c.txt\", \"hello\")\nMUST CALL FS.WriteFile(\"d.txt\", \"other\")\nFOR EACH group IN FS.FindDuplicates(\".\") DO\n  EMIT group.wasted, \" \", group.paths\nEND",
        output: "5 [\"a.txt\", \"b/c.txt\"]\n",
    },
};

arguments! {
    struct Args {
        path | dir: SandboxPath = Is(Literal::Text(".")), Kind::Path(PathRule::INSIDE, Access::Look), "directory to search, from the sandbox root";
        pattern: Option<Value> = Absent, Kind::Patterns, "pattern of the files to compare, or a list of patterns, as in `FS.Find`; all when left out";
        hidden: bool = Is(Literal::Bool(true)), Kind::Bool, "include hidden (dot) entries";
        gitignore: bool = Is(Literal::Bool(false)), Kind::Bool, "leave out what `.gitignore` files and `.git/info/exclude` name, and `.git` directories";
        min_size: Option<Value> = Absent, Kind::Size, "minimum size: bytes or text such as `10K`; 1 when left out";
        max_size: Option<Value> = Absent, Kind::Size, "maximum size";
        hard_links: bool = Is(Literal::Bool(false)), Kind::Bool, "whether several names of one file count as files with the same content";
    }
}

/// Bytes at the beginning of a file that are compared before the rest.
const FIRST_BLOCK: u64 = 16 << 10;

/// Links are not followed, neither by the search nor when a file was exchanged for one.
const RULE: PathRule = PathRule::INSIDE.not_following();

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if let Some(pattern) = given.value("pattern") {
        Patterns::parse("pattern", pattern.as_ref(), LetterCase::Counts)?;
    }
    measure::check_sizes(given)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Vec<Duplicates>, ToolError> {
    let patterns = Patterns::parse("pattern", args.pattern.as_ref(), LetterCase::Counts)?;
    let wanted = Wanted { patterns, kind: Some(EntryKind::File), hidden: args.hidden };
    let found = search(context, &args, &wanted)?;
    let entry_bytes = FoundEntries::ENTRY_BYTES + if args.hard_links { 0 } else { FoundEntries::IDENTITY_BYTES };
    let held = MemoryCharge::of(found.len().saturating_mul(entry_bytes))?;
    let mut charge = MemoryCharge::default();
    let candidates = groups::of_same_size(&found, &prefix(&args.path), &mut charge)?;
    drop((found, held));
    let mut comparison = Comparison { parallel: Parallel::of(context), opener: context.opener(), refused: Vec::new() };
    let compared = comparison.compare(context, candidates);
    let mut groups = compared.map_err(|error| leaving_out(error, &args.path, &wanted.patterns))?;
    groups::arrange(&mut groups)?;
    if let Some(first) = comparison.refused.iter().min() {
        let refused = comparison.refused.len();
        context.note(format!(
            "the policy forbids to read {refused} of the files, which were not compared; the first is `{first}`"
        ));
    }
    context.spend(groups.len())?;
    Ok(groups.into_iter().map(Duplicates::from).collect())
}

/// Finds the files that the arguments name.
fn search(context: &mut Context<'_>, args: &Args, wanted: &Wanted) -> Result<FoundEntries, ToolError> {
    let size = |argument, value: &Option<Value>| value.as_ref().map(|value| measure::size(argument, value)).transpose();
    let least = size("min_size", &args.min_size)?.unwrap_or(1);
    let greatest = size("max_size", &args.max_size)?.unwrap_or(u64::MAX);
    let search = Search {
        choose: &|entry| wanted.choose(entry),
        bounds: Bounds { sizes: Some(least..=greatest), ..Bounds::NONE },
        details: Details::All,
        identities: !args.hard_links,
        depth: usize::MAX,
        gitignore: args.gitignore,
    };
    let found = context.find(&args.path, &search, false);
    found.map_err(|error| leaving_out(error, &args.path, &wanted.patterns))
}

/// The comparison of files of the same size.
struct Comparison<'a> {
    parallel: Parallel,
    opener: Opener<'a>,
    /// The files that the policy does not allow to read.
    refused: Vec<String>,
}

impl Comparison<'_> {
    /// Returns the groups of files with the same content.
    fn compare(&mut self, context: &mut Context<'_>, files: Vec<Candidate>) -> Result<Vec<Group>, ToolError> {
        let alike = self.group(context, files, FIRST_BLOCK)?;
        let (whole, begun): (Vec<Group>, Vec<Group>) = alike.into_iter().partition(|group| group.size <= FIRST_BLOCK);
        let rest = begun.into_iter().flat_map(Group::into_candidates).collect();
        let mut groups = self.group(context, rest, u64::MAX)?;
        groups.extend(whole);
        Ok(groups)
    }

    /// Groups files of the same size by the hash of their first `most` bytes.
    fn group(&mut self, context: &mut Context<'_>, files: Vec<Candidate>, most: u64) -> Result<Vec<Group>, ToolError> {
        context.spend(files.len())?;
        let opener = self.opener;
        let work = Work {
            scratch: hashing::buffer,
            apply: |file: &Candidate, buffer: &mut Vec<u8>, pace: Pace<'_>| hash(opener, file, most, buffer, pace),
        };
        let mut digests = Vec::with_capacity(files.len());
        self.parallel.map(&files, &work, |file, hashed| {
            context.meter.reach(digests.len() as u64, files.len() as u64);
            match hashed.map_err(ToolError::from) {
                Err(error) if error.code == ToolCode::PolicyDenied => {
                    self.refused.push(file.path.clone());
                    digests.push(None);
                }
                hashed => digests.push(Some(hashed?)),
            }
            Ok::<(), ToolError>(())
        })?;
        Ok(groups::of_same_digest(files, digests)?)
    }
}

/// Returns the hash of the first `most` bytes of a file, which must still have the size that it was found with.
fn hash(
    opener: Opener<'_>,
    file: &Candidate,
    most: u64,
    buffer: &mut [u8],
    pace: Pace<'_>,
) -> Result<Digest, BareError> {
    pace.poll()?;
    let open = opener.open_path(&file.path, RULE).map_err(|error| match error.code() {
        ToolCode::NotFound => SandboxError::Vanished(file.path.clone()).into(),
        _ => error,
    })?;
    let hashed = hashing::hash(&mut open.file.take(most), buffer, pace).map_err(|error| match error {
        HashError::Io(error) => SandboxError::io(&*file.path, &error).into(),
        HashError::Limit(hit) => BareError::from(hit),
    })?;
    if open.metadata.size == file.size && hashed.size == file.size.min(most) {
        return Ok(hashed.digest);
    }
    let message = format!("`{}` changed while it was compared", file.path);
    Err(ToolError::new(ToolCode::Conflict, message).path(&*file.path).into())
}
