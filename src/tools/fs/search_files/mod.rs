//! `FS.SearchFiles`: docs/specs/file_system_tool.md, "Directory tree navigation and search".
//!
//! Lines are searched as ripgrep searches them, with its libraries: in one buffer that is used for one
//! file after another and grows only for a long line, up to a bound.

mod lines;
mod query;

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{LimitHit, Meter, space};
use crate::sandbox::{Kind as EntryKind, ListingPlan, OpenFile, PathRule, SandboxPath, Step};
use crate::text::ToolCode;
use crate::toolkit::{
    Access, Context, Effect, Example, Failure, Given, Risk, Settings, Spec, Tool, ToolError, arguments,
};
use crate::value::Str;

use super::find_files::prefix;
use super::glob::Pattern;
use lines::{Lines, Room};
use query::Query;

const SPEC: Spec = Spec {
    name: "FS.SearchFiles",
    wire: "search_files",
    aliases: &[],
    summary: "Searches the content of files for a text or a regular expression",
    details: "Each line that matches is one of `matches`: `path` from the sandbox root, `line` and `column` (of its first \
        match, in characters) from 1, and `text`, the line without its end; of a line over 500 characters what is around \
        the match, with `…` where it is cut. With `context_lines` it has the lines `before` and `after` too. Order: by \
        path as `FS.FindFiles` gives it, then by line. Without `regex` the `text` is meant as it stands; with it, it is an \
        expression of Rust's `regex` crate, which always takes linear time and has no back references. Lines are \
        searched one by one, so no match goes over a line end; `^` and `$` are those of the line. A file is UTF-8, or \
        UTF-16 where its byte order mark says so; bytes that are neither are shown as U+FFFD, and in a file of another \
        encoding only what is ASCII is found. Links are not followed, because what they lead to is searched in its own \
        place. A file is searched as long as it was when it was opened. `filesSearched` counts the files that were \
        read, `filesMatched` and `totalMatches` those in `matches` and the matches themselves; `truncated` says that \
        there is one more than `max_matches`, and that the search ended there. `skipped` counts files that were left \
        out: `binary` (a NUL in it), `tooLarge` (a line over 1 MiB, or more than the policy's `max_file_size`), \
        `refused` (the policy forbids reading it), `unreadable`.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[ToolCode::SandboxViolation, ToolCode::NotFound, ToolCode::PermissionDenied, ToolCode::IoError],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.rs\", \"fn main() {\\n    todo!()\\n}\\n\")\nFOR EACH match IN FS.SearchFiles(\"todo!\", \"src\").matches DO\n  EMIT match.path, \":\", match.line, \":\", match.column, \":\", match.text\nEND",
        output: "src/a.rs:2:5:    todo!()\n",
    },
};

arguments! {
    struct Args {
        text: Str = Required, Kind::Content, "what to look for";
        directory_path: SandboxPath = Is(Literal::Text(".")), Kind::Path(PathRule::INSIDE, Access::Look), "directory to search, or one file, from the sandbox root";
        regex: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `text` is a regular expression, in the syntax of Rust's `regex` (no look-around, no back-references)";
        ignore_case: bool = Is(Literal::Bool(false)), Kind::Bool, "whether letter case does not count";
        whole_word: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a match must not be part of a longer word";
        pattern: Str = Is(Literal::Text("*")), Kind::Text, "pattern of the files to search, as in `FS.FindFiles`";
        use_gitignore: bool = Is(Literal::Bool(true)), Kind::Bool, "leave out what `.gitignore` files name, and `.git` directories";
        include_hidden: bool = Is(Literal::Bool(false)), Kind::Bool, "also what begins with a dot";
        max_matches: i64 = Is(Literal::Int(1000)), Kind::Int { min: 1, max: 100_000 }, "matches at most";
        context_lines: i64 = Is(Literal::Int(0)), Kind::Int { min: 0, max: 100 }, "lines before and after each match";
    }
}

/// What a search found.
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
    /// There is a further match.
    truncated: bool,
    /// Files that were left out.
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
    /// The line without its end, or what is around the match.
    text: String,
    /// The lines before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<String>>,
    /// The lines after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Vec<String>>,
}

/// How many files were left out, and why.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Skipped {
    /// They hold a NUL byte.
    binary: u64,
    /// They have a line that is too long, or more bytes than the policy allows.
    too_large: u64,
    /// The policy forbids reading them.
    refused: u64,
    /// They could not be opened or read.
    unreadable: u64,
}

/// The longest line that is searched, in bytes.
const MAX_LINE: usize = 1 << 20;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if let Some(Some(pattern)) = given.text("pattern") {
        Pattern::parse("pattern", &pattern)?;
    }
    Query::check(given)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Found, ToolError> {
    let query = Query {
        text: &args.text.as_text(),
        is_regex: args.regex,
        ignore_case: args.ignore_case,
        whole_word: args.whole_word,
    };
    let mut search = Search {
        matcher: query.compile()?,
        searcher: searcher(args.context_lines as usize),
        context_lines: args.context_lines as usize,
        max_matches: args.max_matches as usize,
        found: Found::default(),
        bytes: 0,
    };
    let start = &args.directory_path;
    let at_start = |error: ToolError| match error.limit {
        Some(_) => error,
        None => error.argument("directory_path").path(start.shown()),
    };
    let kind = start.metadata().map_err(|error| at_start(error.into()))?.kind;
    if kind != EntryKind::Folder {
        // The parameter only asks to see it.
        context.admit(start.resolved(), false, Access::Read).map_err(at_start)?;
        let open = context.open(start).map_err(at_start)?;
        let _ = search.file(open, start.shown(), context.meter)?;
        return Ok(search.found);
    }
    let pattern = Pattern::parse("pattern", &args.pattern.as_text())?;
    let prefix = prefix(start);
    let mut shown = String::new();
    let visited = context.visit(start, plan(&args), |entry, meter| {
        let lister = &*entry.lister;
        meter.step(u64::from(entry.step != Step::Leave))?;
        if entry.step != Step::Entry || !lister.is_file() || !pattern.fits(&lister.name(), || lister.path()) {
            return Ok(ControlFlow::Continue(()));
        }
        shown.clear();
        shown.push_str(&prefix);
        shown.push_str(&lister.path());
        match entry.open(&shown) {
            Ok(open) => search.file(open, &shown, meter),
            Err(error) => search.skip(error),
        }
    });
    visited.map_err(at_start)?;
    Ok(search.found)
}

fn plan(args: &Args) -> ListingPlan {
    ListingPlan {
        levels: usize::MAX,
        gitignore: args.use_gitignore,
        skip_hidden: !args.include_hidden,
        opens: true,
        ..ListingPlan::default()
    }
}

fn searcher(context_lines: usize) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .before_context(context_lines)
        .after_context(context_lines)
        // The lines before a match are kept in the buffer too.
        .heap_limit(Some(MAX_LINE * (1 + context_lines.min(15))))
        .build()
}

/// A search under way.
struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    context_lines: usize,
    max_matches: usize,
    found: Found,
    /// What the matches take.
    bytes: usize,
}

impl Search {
    /// Searches one file.
    fn file(&mut self, open: OpenFile, shown: &str, meter: &mut Meter) -> Result<ControlFlow<()>, ToolError> {
        let room = self.max_matches - self.found.matches.len();
        let (memory, _) = space::memory_left();
        let memory = usize::try_from(memory).unwrap_or(usize::MAX).saturating_sub(self.bytes);
        let mut lines = Lines::new(&self.matcher, shown, self.context_lines, Room { matches: room, bytes: memory });
        let mut reader = Watched { file: open.file.take(open.metadata.size), meter, hit: None, failed: false };
        let searched = self.searcher.search_reader(&self.matcher, &mut reader, &mut lines);
        if let Some(hit) = reader.hit {
            return Err(hit.into());
        }
        let is_cut = searched.is_err() && !reader.failed;
        let Lines { matches, is_over, is_binary, bytes, .. } = lines;
        space::check(self.bytes + bytes)?;
        let skipped = &mut self.found.skipped;
        match () {
            () if is_binary => skipped.binary += 1,
            () if reader.failed => skipped.unreadable += 1,
            () if is_cut => skipped.too_large += 1,
            () => {
                self.found.files_searched += 1;
                self.bytes += bytes;
                return Ok(self.take(matches, is_over));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take(&mut self, matches: Vec<Match>, is_over: bool) -> ControlFlow<()> {
        let found = &mut self.found;
        found.files_matched += u64::from(!matches.is_empty());
        found.total_matches += matches.len();
        found.matches.extend(matches);
        found.truncated = is_over;
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Counts a file that could not be opened.
    fn skip(&mut self, error: ToolError) -> Result<ControlFlow<()>, ToolError> {
        if error.limit.is_some() {
            return Err(error);
        }
        let skipped = &mut self.found.skipped;
        match error.code {
            // Gone meanwhile, as if it had gone before.
            ToolCode::NotFound => {}
            ToolCode::PolicyDenied => skipped.refused += 1,
            ToolCode::TooLarge => skipped.too_large += 1,
            _ => skipped.unreadable += 1,
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A file that is read as long as the run may go on.
struct Watched<'a> {
    file: io::Take<File>,
    meter: &'a mut Meter,
    hit: Option<LimitHit>,
    failed: bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read =
            self.file.read(buffer).inspect_err(|error| self.failed = error.kind() != io::ErrorKind::Interrupted)?;
        let spent = self.meter.step_text(read).and_then(|()| self.meter.poll());
        spent.map_err(|hit| {
            self.hit = Some(hit);
            io::Error::other(hit)
        })?;
        Ok(read)
    }
}
