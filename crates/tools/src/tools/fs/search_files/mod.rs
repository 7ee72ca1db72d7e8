//! `FS.SearchFiles`: docs/specs/file_system_tool.md, "Directory tree navigation and search".
//!
//! Lines are searched with the libraries of ripgrep. One buffer per thread is reused for files and grows only for a
//! long line, up to a bound. Several threads search the files of a tree (`tree`).

mod attempt;
mod files;
mod lines;
mod matcher;
mod query;
mod reader;
mod tree;

use std::io::Seek;
use std::ops::ControlFlow;

use grep_searcher::Encoding;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool, Visit};
use crate::limits::{Meter, space};
use crate::sandbox::{IgnoreSources, Kind as EntryKind, ListingPlan, OpenFile, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, Value, print};

use super::super::glob::LetterCase;
use super::super::parallel::{Pace, Parallel, Work};
use super::decompress::Bounds;
use super::encoding::Choice;
use super::find_files::prefix;
use super::patterns::{Entry, Patterns, leaving_out};
use attempt::{Attempt, FileTask, HelperSearch, LineSearcher, Manner, Searched};
use lines::{Collects, Lines, Room, Wanted};
use reader::{Account, MeteredReader};
use tree::{Scope, TreeSearch};

pub use files::files_with_match;
pub use lines::without_end;
pub use matcher::LineMatcher;
pub use query::Query;

const SPEC: Spec = Spec {
    name: "FS.SearchFiles",
    wire: "search_files",
    aliases: &[],
    keywords: &[
        "grep",
        "search",
        "search text",
        "find in files",
        "find text",
        "rg",
        "content",
        "Select-String",
        "zgrep",
        "search compressed",
        "rotated logs",
    ],
    summary: "Finds the lines of files that contain a text or match a regular expression",
    details: "Returns the matching lines as `matches`, and counts. All text files are searched, or the call fails: a \
        directory or file that cannot be read, a line over 64 MiB and a match in a file whose path is not UTF-8, which \
        no tool takes, are errors. The error says how to leave the entry out. Fields of the result:\n\n\
        - `matches`: a record for each matching line: `path` from the sandbox root, `line` and `column` from 1 \
        (`column` is that of the first match, in characters) and `text`, the line without its end. Of a line over 500 \
        characters, `text` is the part around the match, with `…` where it is cut. With `context_lines` a record also \
        has the lines `before` and `after`.\n\
        - `filesSearched`, `filesMatched`: number of files read, and of files in `matches`.\n\
        - `totalMatches`: number of matching lines; a line counts once, however often it matches.\n\
        - `truncated`: true if the search ended at `max_matches` and there is one more match. Without `max_matches` \
        there is no cap.\n\
        - `notUtf8`, `skipped.binary`, `skipped.refused`: counts of files that were searched in part or left out, see \
        below.\n\n\
        Order: by path, a directory before what follows its name, then by line.\n\n\
        Matching: without `regex`, `text` is literal. With it, `text` is an expression of Rust's `regex` crate, which \
        takes linear time and has no back-references. Each line is searched by itself, so no match crosses a line end; \
        `^` and `$` are those of the line.\n\n\
        Encoding: a file is UTF-8, or UTF-16 if its byte order mark says so. `encoding` names another one for all \
        files without a mark. Bytes that are not in the encoding are shown as U+FFFD. In a file that is not UTF-8, \
        only ASCII is found: if `text` has other characters, `notUtf8` counts such files and a warning names the \
        first; search them with `encoding: \"latin-1\"`, say.\n\n\
        Files left out: a file with a NUL character is not text; `skipped.binary` counts such files, among them UTF-16 \
        without a mark, which `encoding: \"utf-16le\"` searches. Files that the policy forbids to read are left out, \
        as in every listing; `skipped.refused` counts them, and a warning names the first. Symbolic links are not \
        followed, because their targets are searched in their own places.\n\n\
        Compression: with `decompress`, the decompressed content of a file in gzip, zstd, xz or bzip2 is searched; damaged data is an error \
        (`invalid_archive`).\n\n\
        A file is searched up to the length that it had when it was opened.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::PermissionDenied,
        ToolCode::NotText,
        ToolCode::InvalidArchive,
        ToolCode::TooLarge,
        ToolCode::Encoding,
        ToolCode::Conflict,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.rs\", \"fn main() {\\n    todo!()\\n}\\n\")\nFOR EACH match IN FS.SearchFiles(\"src\", \"todo!\").matches DO\n  EMIT match.path, \":\", match.line, \":\", match.column, \":\", match.text\nEND",
        output: "src/a.rs:2:5:    todo!()\n",
    },
};

arguments! {
    struct Args {
        path | directory_path | dir: SandboxPath = Is(Literal::Text(".")), Kind::Path(PathRule::INSIDE, Access::Look), "directory to search, or one file, from the sandbox root";
        text: Str = Required, Kind::Content, "what to look for";
        pattern: Option<Value> = Absent, Kind::Patterns, "pattern of the files to search, or a list of patterns";
        regex: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `text` is a regular expression (Rust's: no look-around, no back-references)";
        ignore_case: bool = Is(Literal::Bool(false)), Kind::Bool, "ignore letter case";
        whole_word: bool = Is(Literal::Bool(false)), Kind::Bool, "match whole words only";
        gitignore | use_gitignore: bool = Is(Literal::Bool(true)), Kind::Bool, "leave out what git ignores, and `.git`";
        hidden | include_hidden: bool = Is(Literal::Bool(false)), Kind::Bool, "include hidden (dot) entries";
        max_matches: Option<i64> = Absent, Kind::IntOrNil { min: 1, max: i64::MAX }, "matches at most";
        context_lines: i64 = Is(Literal::Int(0)), Kind::Int { min: 0, max: 100 }, "lines before and after each match";
        encoding: Option<Str> = Absent, Kind::TextOrNil, "encoding of files without a byte order mark; UTF-8 when left out";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether files in gzip, zstd, xz and bzip2 are searched decompressed";
    }
}

/// Result of a search.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The lines that match.
    matches: Vec<Match>,
    /// Files that were read.
    files_searched: u64,
    /// Files with a match.
    files_matched: u64,
    /// How many matches there are in the list.
    total_matches: usize,
    /// There is a match beyond `max_matches`.
    truncated: bool,
    /// Files that were read and are not UTF-8, so that characters of `text` beyond ASCII are not found in them.
    not_utf8: u64,
    /// Files that were left out by rule.
    skipped: Skipped,
}

/// A line that matches.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    /// The file, from the sandbox root.
    path: String,
    /// The line, from 1.
    line: u64,
    /// The character where its first match begins, from 1.
    column: usize,
    /// The line without its end; of a long line, the text around the match.
    text: String,
    /// The lines before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<String>>,
    /// The lines after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Vec<String>>,
}

/// Number of files that were left out by rule.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// They hold a NUL byte, so they are no texts.
    binary: u64,
    /// The policy forbids reading them.
    refused: u64,
}

/// Bytes that a file with a match takes in addition to its path.
const FILE_BYTES: usize = 32;
/// Maximum length of a line in bytes, if the memory of the run permits.
const MAX_LINE: usize = 64 << 20;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check).with_early_check(|given, _| Query::check_early(given))
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if let Some(pattern) = given.value("pattern") {
        Patterns::parse("pattern", pattern.as_ref(), LetterCase::Counts)?;
    }
    if let Some(Some(name)) = given.text("encoding") {
        encoding_of(&name)?;
    }
    Query::check(given)
}

/// Returns the encoding in which files without a byte order mark are decoded.
pub fn encoding_of(name: &str) -> Result<Encoding, ToolError> {
    let known = match super::encoding_of("encoding", name)? {
        Choice::Text(charset) => Encoding::new(&charset.search_label()).ok(),
        Choice::Auto | Choice::Base64 => None,
    };
    known.ok_or_else(|| {
        let message =
            format!("`encoding` names one encoding for all files, and `{}` is none", print::shortened(name, 40));
        ToolError::bad_argument("encoding", message).hint("name one such as `latin-1`, `utf-16le` or `shift_jis`")
    })
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Found, ToolError> {
    let text = args.text.as_text();
    let query = Query { text: &text, is_regex: args.regex, ignore_case: args.ignore_case, whole_word: args.whole_word };
    let encoding = args.encoding.as_ref().map(|name| encoding_of(&name.as_text())).transpose()?;
    let manner = Manner {
        context_lines: args.context_lines as usize,
        decompress: args.decompress,
        ..Manner::new(&query, encoding)
    };
    let most = args.max_matches.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let mut search = Search::new(query, manner, Collects::Matches { most })?;
    let selection =
        Selection { start: &args.path, pattern: args.pattern.as_ref(), gitignore: args.gitignore, hidden: args.hidden };
    search.run(context, &selection)?;
    Ok(search.found)
}

/// The files that are searched.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    /// A directory, or one file.
    pub start: &'a SandboxPath,
    /// The value of the argument `pattern`.
    pub pattern: Option<&'a Value>,
    /// Whether what git ignores is left out.
    pub gitignore: bool,
    /// Whether names that begin with a dot are searched.
    pub hidden: bool,
}

/// Adds argument, path and hint to the error for a start that cannot be searched.
fn at_start(error: ToolError, start: &SandboxPath) -> ToolError {
    match error.code {
        _ if error.limit.is_some() => error,
        ToolCode::NotFound => error
            .argument("path")
            .path(start.display())
            .hint("the directory comes first, then the text: `FS.SearchFiles(\"src\", \"TODO\")`"),
        _ => error.argument("path").path(start.display()),
    }
}

/// Searches a file that the caller named. Errors: it is binary.
fn search_one(context: &mut Context<'_>, file: &SandboxPath, search: &mut Search) -> Result<(), ToolError> {
    // The parameter only requires permission to look at the path.
    context.admit(&file.address(), false, Access::Read).map_err(|error| at_start(error, file))?;
    let open = context.open(file).map_err(|error| at_start(error, file))?;
    let _ = search.file(&open, Subject { shown: file.display(), addressable: Ok(()) }, context.meter)?;
    match search.found.skipped.binary {
        0 => Ok(()),
        _ => Err(ToolError::new(ToolCode::NotText, format!("`{}` is binary, not text", file.display()))
            .argument("path")
            .hint("a text in UTF-16 needs its `encoding`, a compressed one `decompress: true`")),
    }
}

fn search_tree(context: &mut Context<'_>, selection: &Selection<'_>, search: &mut Search) -> Result<(), ToolError> {
    let start = selection.start;
    let patterns = Patterns::parse("pattern", selection.pattern, LetterCase::Counts)?;
    let enters = |below: &str| patterns.may_hold(Entry::of_path(below, true));
    let visit = Visit { plan: selection.plan(), enters: Some(&enters) };
    let parallel = Parallel::of(context);
    let helpers = HelperSearch::new(search, parallel.helpers(), context.meter);
    let work = Work {
        scratch: || helpers.scratch(),
        apply: |task: FileTask, scratch: &mut _, pace: Pace<'_>| helpers.attempt(task, scratch, pace),
    };
    let prefix = prefix(start);
    let visited = parallel.feed(&work, |feed| {
        let mut tree =
            TreeSearch::new(search, feed, parallel.helpers(), Scope { patterns: &patterns, prefix: &prefix });
        context.visit(start, visit, &mut tree)
    });
    visited.map_err(|error: ToolError| leaving_out(error, start, &patterns))
}

impl Selection<'_> {
    fn plan(&self) -> ListingPlan {
        ListingPlan {
            levels: usize::MAX,
            ignored_by: self.gitignore.then_some(IgnoreSources::Repository),
            skip_hidden: !self.hidden,
            opens: true,
            strict: true,
            ..ListingPlan::default()
        }
    }
}

/// A file to search.
struct Subject<'a> {
    /// The path from the sandbox root.
    shown: &'a str,
    /// The error for a path that no tool accepts, if something is found in the file.
    addressable: Result<(), SandboxError>,
}

/// A search in progress.
struct Search {
    matcher: LineMatcher,
    searcher: LineSearcher,
    manner: Manner,
    collects: Collects,
    found: Found,
    /// The files with a match, if those are collected.
    files: Vec<String>,
    /// Bytes that the matches and files take.
    bytes: usize,
    /// The first file that the policy does not allow to read.
    first_refused: Option<String>,
    /// The first file that is not UTF-8.
    first_not_utf8: Option<String>,
}

impl Search {
    /// Prepares a search.
    fn new(query: Query<'_>, manner: Manner, collects: Collects) -> Result<Search, ToolError> {
        Ok(Search {
            matcher: query.compile()?,
            searcher: LineSearcher::new(manner.clone()),
            manner,
            collects,
            found: Found::default(),
            files: Vec::new(),
            bytes: 0,
            first_refused: None,
            first_not_utf8: None,
        })
    }

    /// Searches the files, and notes what could not be searched.
    fn run(&mut self, context: &mut Context<'_>, selection: &Selection<'_>) -> Result<(), ToolError> {
        let start = selection.start;
        let kind = start.metadata().map_err(|error| at_start(error.into(), start))?.kind;
        match kind {
            EntryKind::Folder => search_tree(context, selection, self)?,
            _ => search_one(context, start, self)?,
        }
        if let Some(first) = &self.first_refused {
            let refused = self.found.skipped.refused;
            context.note(format!(
                "the policy forbids to read {refused} of the files, which were not searched; the first is `{first}`"
            ));
        }
        if let Some(first) = &self.first_not_utf8 {
            let files = self.found.not_utf8;
            context.note(format!(
                "{files} of the files are not UTF-8, so matches beyond ASCII may be missing from them; the first is `{first}`; name their `encoding`, such as \"latin-1\""
            ));
        }
        Ok(())
    }

    /// Returns the remaining capacity for results.
    fn room(&self) -> Room {
        let (memory, _) = space::memory_left();
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        Room { matches: self.collects.room(self.found.matches.len()), bytes: memory.saturating_sub(self.bytes) }
    }

    /// Searches one file.
    fn file(&mut self, open: &OpenFile, file: Subject<'_>, meter: &mut Meter) -> Result<ControlFlow<()>, ToolError> {
        let room = self.room();
        let mut lines = Lines::new(
            &self.matcher,
            file.shown,
            Wanted { collects: self.collects, context_lines: self.manner.context_lines, room },
        );
        let bounds = Bounds::of(meter);
        let bytes = self.manner.bytes_of(open, bounds).map_err(|error| SandboxError::io(file.shown, &error))?;
        let mut reader = MeteredReader::new(bytes, Account::Run(meter), self.manner.utf8_watch());
        let searched = self.searcher.search(&self.matcher, &mut reader, &mut lines);
        if let Some(hit) = reader.hit {
            return Err(hit.into());
        }
        if let Some(stop) = self.matcher.take_stop() {
            return Err(stop);
        }
        let Lines { matches, is_over, is_binary, bytes, .. } = lines;
        space::check(self.bytes + bytes)?;
        match searched {
            Err(error) if !is_binary && reader.failed => {
                let damage = reader.damage(file.shown, &error);
                return Err(damage.unwrap_or_else(|| SandboxError::io(file.shown, &error).into()));
            }
            Err(_) if !is_binary => return Err(self.has_long_line(file.shown)),
            _ => {}
        }
        let is_utf8 = reader.is_utf8();
        self.take(Searched { matches, bytes, is_over, is_binary, is_utf8 }, file)
    }

    /// Takes what a helper found in a file, if the run would have found the same; else searches it again.
    fn complete(
        &mut self,
        attempt: Attempt,
        file: Subject<'_>,
        meter: &mut Meter,
    ) -> Result<ControlFlow<()>, ToolError> {
        let room = self.room();
        match attempt.found.filter(|(found, _)| found.matches.len() <= room.matches && found.bytes <= room.bytes) {
            Some((found, steps)) => {
                meter.step(steps)?;
                meter.poll()?;
                self.take(found, file)
            }
            None => {
                (&attempt.open.file).rewind().map_err(|error| SandboxError::io(file.shown, &error))?;
                self.file(&attempt.open, file, meter)
            }
        }
    }

    /// Adds what was found in a file to the result.
    fn take(&mut self, searched: Searched, file: Subject<'_>) -> Result<ControlFlow<()>, ToolError> {
        let Searched { matches, bytes, is_over, is_binary, is_utf8 } = searched;
        if is_binary {
            self.found.skipped.binary += 1;
            return Ok(ControlFlow::Continue(()));
        }
        if !matches.is_empty() {
            file.addressable?;
        }
        let found = &mut self.found;
        found.files_searched += 1;
        if !is_utf8 {
            found.not_utf8 += 1;
            self.first_not_utf8.get_or_insert_with(|| file.shown.to_owned());
        }
        found.files_matched += u64::from(!matches.is_empty());
        if self.collects == Collects::Files {
            if !matches.is_empty() {
                self.bytes += FILE_BYTES + file.shown.len();
                space::check(self.bytes)?;
                self.files.push(file.shown.to_owned());
            }
            return Ok(ControlFlow::Continue(()));
        }
        self.bytes += bytes;
        found.total_matches += matches.len();
        found.matches.extend(matches);
        found.truncated = is_over;
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn has_long_line(&self, shown: &str) -> ToolError {
        let message =
            format!("`{shown}` has a line of more than {} bytes, which cannot be searched", self.manner.longest_line);
        ToolError::new(ToolCode::TooLarge, message).path(shown)
    }

    /// Skips a file that the policy does not allow to read, or that has disappeared.
    fn refused(&mut self, error: ToolError, shown: &str) -> Result<ControlFlow<()>, ToolError> {
        match error.code {
            _ if error.limit.is_some() => return Err(error),
            ToolCode::NotFound => {}
            ToolCode::PolicyDenied => {
                self.found.skipped.refused += 1;
                self.first_refused.get_or_insert_with(|| shown.to_owned());
            }
            _ => return Err(error),
        }
        Ok(ControlFlow::Continue(()))
    }
}
