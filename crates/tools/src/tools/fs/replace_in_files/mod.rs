//! `FS.ReplaceInFiles`: replaces a text, or what an expression matches, in all files of a tree that have it.

mod replacer;

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{Change, PathRule, SandboxError, SandboxPath, Writing};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::diff::Sides;
use super::super::glob::LetterCase;
use super::bulk::{self, EndOfItem, Item, Outcome, Planned, Work};
use super::encoding::{Choice, MarkedCharset};
use super::operation::Operation;
use super::original::{FileEdit, Original, StagedEdit};
use super::patterns::Patterns;
use super::replacement::{LineEnds, difference};
use super::rows::Done;
use super::search_files::{Query, Selection, Skipped, encoding_of, files_with_match};
use replacer::{Replacer, filter};

const SPEC: Spec = Spec {
    name: "FS.ReplaceInFiles",
    wire: "replace_in_files",
    aliases: &[],
    keywords: &[
        "replace in files",
        "replace all",
        "search and replace",
        "sed -i",
        "perl -pi",
        "sd",
        "rename in files",
        "refactor",
        "codemod",
        "replace everywhere",
    ],
    summary: "Replaces a text in all files of a directory",
    details: "Replaces a text in every file that has it. The files are those that `FS.SearchFiles` searches with the \
        same `path`, `pattern`, `gitignore` and `hidden`: text files below a directory, or one file. It is not an \
        error if no file has the text. Fields of the result:\n\n\
        - `items`: a record for each file with a match, in the order of the search: `path`, `replacements`, `success`, \
        and with `dry_run` a `diff`.\n\
        - `replacements`: the sum of those of all files.\n\
        - `filesSearched`: number of files that were read.\n\
        - `skipped`: number of files that are not text (`binary`) or that the policy forbids to read (`refused`).\n\n\
        Literal text: without `regex`, `text` is literal and may have line ends. Line ends in `text` and `replacement` \
        become those of the file. In a file that mixes them, a `text` with LF is also found with CRLF, and its \
        replacement then has CRLF too.\n\n\
        Line by line: with `regex`, `ignore_case` or `whole_word`, each line is searched by itself, without its end, \
        so `\\s+$` does not match line ends. With `regex`, `$1` or `${1}` in `replacement` stands for a group, \
        `${name}` for a named group, `$0` for the whole match and `$$` for a dollar sign.\n\n\
        Every other byte of a file stays, as with `FS.EditFile`, including byte order mark and line ends. The encoding \
        is kept too; it is found for each file unless `encoding` names one.\n\n\
        Failures: every file is examined before the first is changed; a file that changes in between is left as it is \
        (`conflict`). A file that cannot be changed does not stop the rest unless `all_or_nothing` is set. If none is \
        changed, the call fails.\n\n\
        Dry run: with `dry_run` the files stay as they are, and each record has a `diff` in the unified format. It is \
        nil when the answer has no more room, or when the diffs of all files exceed 1 MiB.\n\n\
        Old files are kept below `.ns/backups`, and `ns undo` restores them.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::Encoding,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.txt\", \"old name\\n\")\nMUST CALL FS.WriteFile(\"src/b.txt\", \"old old\\n\")\nSET result = FS.ReplaceInFiles(\"src\", \"old\", \"new\")\nFOR EACH file IN result.items DO\n  EMIT file.path, \" \", file.replacements\nEND",
        output: "src/a.txt 1\nsrc/b.txt 2\n",
    },
};

arguments! {
    struct Args {
        path | directory_path | dir: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Look), "directory whose files are changed, or one file, from the sandbox root";
        text | old_text | old: Str = Required, Kind::Content, "text to replace";
        replacement | new_text | new: Str = Required, Kind::Content, "text to replace it with";
        pattern: Option<Value> = Absent, Kind::Patterns, "pattern of the files to change, or a list of patterns, as in `FS.Find`";
        regex: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `text` is a regular expression for each line (Rust's: no look-around, no back-references)";
        ignore_case: bool = Is(Literal::Bool(false)), Kind::Bool, "ignore letter case";
        whole_word: bool = Is(Literal::Bool(false)), Kind::Bool, "match whole words only";
        gitignore | use_gitignore: bool = Is(Literal::Bool(true)), Kind::Bool, "leave out what git ignores, and `.git`";
        hidden | include_hidden: bool = Is(Literal::Bool(false)), Kind::Bool, "include hidden (dot) entries";
        encoding: Option<Str> = Absent, Kind::TextOrNil, "encoding of files without a byte order mark; detected when left out";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is changed, in MiB";
        all_or_nothing: bool = Is(Literal::Bool(false)), Kind::Bool, "whether one failure undoes the rest";
        dry_run: bool = Is(Literal::Bool(false)), Kind::Bool, "leave the files as they are and report what would change";
    }
}

/// FileOperationResult, and what was searched.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReplacedInFiles {
    #[serde(flatten)]
    operation: Operation,
    /// How often the text was replaced in all files.
    replacements: usize,
    /// Files that were read.
    files_searched: u64,
    /// Files that were left out by rule.
    skipped: Skipped,
}

/// Maximum number of bytes of all diffs of a dry run.
const DIFFS: usize = 1 << 20;
/// Maximum number of bytes of a text and its replacement together of which a diff is made.
const DIFFED: usize = 32 << 20;
/// Bytes of an answer that diffs leave for a row, and what its path takes.
const REST_OF_ROW: usize = 400;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check).with_early_check(check_early)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if let Some(pattern) = given.value("pattern") {
        Patterns::parse("pattern", pattern.as_ref(), LetterCase::Counts)?;
    }
    if let Some(Some(name)) = given.text("encoding") {
        encoding_of(&name)?;
    }
    let (text, replacement) = (given.text("text").flatten(), given.text("replacement").flatten());
    Query::with(given, |query| {
        let query = filter(query);
        query.parse()?;
        if query.is_plain() && text.is_some() && text == replacement {
            let error = ToolError::bad_argument("replacement", "`text` and `replacement` are the same");
            return Err(error.hint("give the text that comes in its place"));
        }
        Ok(())
    })
}

/// Checks the expression and the groups that the replacement names.
fn check_early(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(Some(replacement)) = given.text("replacement") else { return Ok(()) };
    Query::with(given, |query| Replacer::new(query, &replacement).map(drop))
}

fn run(context: &mut Context<'_>, args: Args) -> Result<ReplacedInFiles, ToolError> {
    let (text, replacement) = (args.text.as_text(), args.replacement.as_text());
    let query = Query { text: &text, is_regex: args.regex, ignore_case: args.ignore_case, whole_word: args.whole_word };
    let selection =
        Selection { start: &args.path, pattern: args.pattern.as_ref(), gitignore: args.gitignore, hidden: args.hidden };
    let name = args.encoding.as_ref().map(Str::as_text);
    let searched_in = name.as_deref().map(encoding_of).transpose()?;
    let asked = name.as_deref().map(|name| super::encoding_of("encoding", name)).transpose()?;
    let found = files_with_match(context, &selection, filter(query), searched_in)?;
    let mut work = Replace {
        replacer: Replacer::new(query, &replacement)?,
        asked,
        max_size_mb: args.max_size_mb,
        is_dry_run: args.dry_run,
        room: context.answer_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(DIFFS).min(DIFFS),
        files_searched: found.searched,
        skipped: found.skipped,
    };
    // A link that names one file is followed, as when the file is searched; links in a tree are not.
    let is_one = found.paths.first().is_some_and(|path| path == args.path.display());
    let rule = if is_one { PathRule::INSIDE } else { PathRule::INSIDE.not_following() };
    let items = bulk::found(context, found.paths, rule, Access::Change);
    if args.dry_run {
        bulk::examine(context, &mut work, items, "replace (dry run)", |plan| Done {
            replacements: Some(plan.replacements),
            diff: plan.diff,
            ..Done::default()
        })
    } else {
        bulk::run(context, &mut work, items, args.all_or_nothing)
    }
}

/// The replacement in several files.
struct Replace<'a> {
    replacer: Replacer<'a>,
    asked: Option<Choice>,
    max_size_mb: i64,
    is_dry_run: bool,
    /// Bytes of the answer that are left for diffs and rows.
    room: usize,
    files_searched: u64,
    skipped: Skipped,
}

/// The replacement in one file.
struct OneFile {
    path: SandboxPath,
    /// The SHA-256 of the content that was examined.
    digest: [u8; 32],
    replacements: usize,
    diff: Option<String>,
}

/// The results of a replacement in one file besides its new content.
struct About {
    digest: [u8; 32],
    replacements: usize,
    diff: Option<String>,
}

impl Replace<'_> {
    fn edit<'a>(&self, path: &'a SandboxPath) -> FileEdit<'a> {
        FileEdit {
            path,
            max_size_mb: self.max_size_mb,
            reports_backup: true,
            if_match: None,
            is_dry_run: false,
            change: None,
        }
    }

    /// Returns the edit that a plan makes.
    fn edit_of<'a>(&self, plan: &'a OneFile) -> FileEdit<'a> {
        FileEdit { if_match: Some(plan.digest), ..self.edit(&plan.path) }
    }

    /// Returns the new content of a file.
    fn replace(
        &self,
        context: &mut Context<'_>,
        path: &SandboxPath,
        old: Option<&Original>,
    ) -> Result<(Vec<u8>, About), ToolError> {
        let old = old.ok_or_else(|| SandboxError::Vanished(path.display().to_owned()))?;
        let encoding = old.charset(path, self.asked)?;
        let text = old.text(encoding)?;
        let replaced = self.replacer.replace(context, &text, LineEnds::of(&text))?;
        let MarkedCharset { charset, mark } = encoding;
        let is_shown = replaced.replacements > 0 && text.len() + replaced.text.len() <= DIFFED && self.room > 0;
        let diff = if self.is_dry_run && is_shown {
            Some(difference(path, Sides { old: &text, new: &replaced.text }, context)?)
        } else {
            None
        };
        let mut bytes = old.bytes[..mark].to_vec();
        bytes.extend_from_slice(&super::encoded("replacement", &replaced.text, charset)?);
        Ok((bytes, About { digest: old.digest, replacements: replaced.replacements, diff }))
    }

    /// Keeps a diff if the answer has room for it. A byte takes at most six bytes in JSON.
    fn fitting(&mut self, path: &SandboxPath, diff: Option<String>) -> Option<String> {
        self.room = self.room.saturating_sub(REST_OF_ROW + 6 * path.display().len());
        let size = diff.as_ref().map_or(0, |diff| 6 * diff.len());
        let fits = size <= self.room;
        if fits {
            self.room -= size;
        }
        diff.filter(|_| fits)
    }
}

impl Work for Replace<'_> {
    type Plan = OneFile;
    type Answer = ReplacedInFiles;
    const OPERATION: &'static str = "replace";

    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Option<Planned<OneFile>>, ToolError> {
        let path = item.place?;
        let examination = FileEdit { is_dry_run: true, ..self.edit(&path) };
        let About { digest, replacements, diff } =
            examination.run(context, |context, old| self.replace(context, &path, old))?.about;
        if replacements == 0 {
            return Ok(None);
        }
        let diff = self.fitting(&path, diff);
        Ok(Some(Planned { plan: OneFile { path, digest, replacements, diff }, files: 1 }))
    }

    fn answer(&self, operation: Operation) -> ReplacedInFiles {
        let Replace { files_searched, skipped, .. } = *self;
        ReplacedInFiles { replacements: operation.replacements(), operation, files_searched, skipped }
    }

    fn perform(&self, context: &mut Context<'_>, plan: &OneFile, change: &Change<'_>) -> Result<Done, ToolError> {
        let path = &plan.path;
        let edit = FileEdit { change: Some(change), ..self.edit_of(plan) };
        let done = edit.run(context, |context, old| self.replace(context, path, old))?;
        Ok(done_with(done.bytes.len() as u64, &done.about, done.backup))
    }

    fn together(&self) -> usize {
        Writing::most_together()
    }

    fn perform_all(
        &self,
        context: &mut Context<'_>,
        plans: &[&OneFile],
        change: &Change<'_>,
        end: EndOfItem<'_>,
    ) -> ControlFlow<()> {
        let edits: Vec<FileEdit<'_>> = plans.iter().map(|plan| self.edit_of(plan)).collect();
        let have_directories = plans.iter().all(|plan| plan.path.missing_folders().1.is_empty());
        let writings = edits.iter().map(|edit| edit.writing(context)).collect();
        let pending = if have_directories { Writing::begin_all(writings, change).ok() } else { None };
        // Each says for itself why it cannot be begun.
        let Some(pending) = pending else { return bulk::perform_each(self, context, plans, change, end) };
        let (mut steps, mut staged) = (Vec::with_capacity(pending.len()), Vec::with_capacity(pending.len()));
        for (edit, pending) in edits.iter().zip(pending) {
            steps.push(pending.number());
            staged.push(edit.stage(context, pending, |context, old| self.replace(context, edit.path, old)));
        }
        StagedEdit::sync_all(context, staged.iter_mut().flatten());
        for (step, edit) in steps.into_iter().zip(staged) {
            let result = edit.and_then(|mut edit| {
                let backup = edit.finish(context)?;
                Ok(done_with(edit.size, &edit.about, backup))
            });
            end(Outcome { result, steps: step..=step })?;
        }
        ControlFlow::Continue(())
    }
}

fn done_with(size: u64, about: &About, backup_path: Option<String>) -> Done {
    Done { size_bytes: Some(size), backup_path, replacements: Some(about.replacements), ..Done::default() }
}
