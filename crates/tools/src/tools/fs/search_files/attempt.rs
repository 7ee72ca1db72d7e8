//! The search of one file: on the account of the run, or by a helper within fixed bounds.
//!
//! A helper finds what the run would find and counts what the run would be charged, or it gives up: when the file has a
//! long line, many matches or an error. The run then searches the file itself, so there is one place that decides about
//! limits and errors.

use std::io::{self, Read, Seek};

use grep_matcher::LineTerminator;
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder};

use crate::limits::{Meter, space};
use crate::sandbox::{File, OpenFile};

use super::super::super::parallel::Pace;
use super::super::decompress::{Bounds, Compression, Decompressed};
use super::lines::{Collects, Lines, Room, Wanted};
use super::matcher::{MatcherParts, QuickMatcher};
use super::query::Query;
use super::reader::{Account, MeteredReader, Utf8Watch};
use super::{MAX_LINE, Match, Search};

/// Size of a file from which its search may have enlarged the buffer of the searcher.
const LARGE: u64 = 64 << 10;
/// Maximum length of a line that a helper searches, in bytes.
const HELPER_LINE: usize = 1 << 20;
/// Maximum window of a file that a helper decompresses, in bytes. Decoders take up to three times as much.
const HELPER_WINDOW: u64 = 8 << 20;
/// Maximum memory for the matches that a helper finds in a file, in bytes.
const HELPER_MATCHES: usize = 512 << 10;

/// How the content of files is searched.
#[derive(Clone, Debug)]
pub struct Manner {
    pub context_lines: usize,
    /// Maximum length of a line in bytes.
    pub longest_line: usize,
    /// The encoding of files without a byte order mark.
    pub encoding: Option<Encoding>,
    /// Whether files that are not UTF-8 hide matches.
    pub watches_utf8: bool,
    pub decompress: bool,
}

/// The matches in one file, and what is known of its content.
pub struct Searched {
    pub matches: Vec<Match>,
    /// Bytes that the matches take.
    pub bytes: usize,
    /// Whether there is a match beyond the capacity.
    pub is_over: bool,
    pub is_binary: bool,
    pub is_utf8: bool,
}

/// A searcher whose state does not depend on the files before, so that it reads the same pieces of a file in any order
/// of files: charges are rounded by piece.
pub struct LineSearcher {
    manner: Manner,
    searcher: Searcher,
}

impl LineSearcher {
    pub fn new(manner: Manner) -> LineSearcher {
        LineSearcher { searcher: manner.searcher(), manner }
    }

    /// Passes the lines of a file to a sink.
    pub fn search<M: grep_matcher::Matcher, S: grep_searcher::Sink<Error = io::Error>>(
        &mut self,
        matcher: M,
        reader: &mut MeteredReader<'_, '_>,
        sink: S,
    ) -> io::Result<()> {
        let searched = self.searcher.search_reader(matcher, &mut *reader, sink);
        if reader.has_read_more_than(LARGE) {
            self.searcher = self.manner.searcher();
        }
        searched
    }
}

impl Manner {
    /// Returns the manner of a search for a query, without context and decompression.
    pub fn new(query: &Query<'_>, encoding: Option<Encoding>) -> Manner {
        let (memory, _) = space::memory_left();
        Manner {
            context_lines: 0,
            longest_line: usize::try_from(memory).unwrap_or(usize::MAX).min(MAX_LINE),
            watches_utf8: encoding.is_none() && !query.text.is_ascii(),
            encoding,
            decompress: false,
        }
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .encoding(self.encoding.clone())
            .line_terminator(LineTerminator::crlf())
            .binary_detection(BinaryDetection::quit(0))
            .before_context(self.context_lines)
            .after_context(self.context_lines)
            // The lines before a match are kept in the same buffer.
            .heap_limit(Some(self.longest_line.saturating_mul(1 + self.context_lines.min(15))))
            .build()
    }

    /// Returns the bytes of a file, as long as it was when it was opened.
    pub fn bytes_of<'f>(&self, open: &'f OpenFile, bounds: Bounds) -> io::Result<Decompressed<io::Take<&'f File>>> {
        let mut file = &open.file;
        let mut format = None;
        if self.decompress {
            format = Compression::of_stream(&mut file)?;
            file.rewind()?;
        }
        Decompressed::new(file.take(open.metadata.size), format, bounds)
    }

    /// Returns what observes whether a file is UTF-8, if that matters.
    pub fn utf8_watch(&self) -> Option<Utf8Watch> {
        self.watches_utf8.then(Utf8Watch::default)
    }
}

/// A file for a helper.
pub struct FileTask {
    pub open: OpenFile,
    pub shown: String,
}

/// A file that a helper has searched, or given up.
pub struct Attempt {
    pub open: OpenFile,
    /// The result, and the steps that the search takes; `None` if the helper gave up.
    pub found: Option<(Searched, u64)>,
}

/// The parts of a search that each helper has for itself.
pub struct Scratch {
    matcher: MatcherParts,
    searcher: LineSearcher,
}

/// The search that helpers share.
pub struct HelperSearch {
    matcher: MatcherParts,
    manner: Manner,
    collects: Collects,
    /// The bounds for each helper that decompresses a file.
    bounds: Bounds,
    /// Maximum number of steps.
    max_steps: u64,
}

impl HelperSearch {
    /// Returns the search for the helpers of a run with this meter. Nothing charges the memory of their decoders to the
    /// run, so all of them together take less than half of the memory that is left.
    pub fn new(search: &Search, helpers: usize, meter: &Meter) -> HelperSearch {
        let longest_line = search.manner.longest_line.min(HELPER_LINE);
        let manner = Manner { longest_line, ..search.manner.clone() };
        let (memory, _) = space::memory_left();
        let max_window = HELPER_WINDOW.min(memory / (8 * helpers.max(1) as u64));
        let bounds = Bounds { max_window, ..Bounds::of(meter) };
        let (matcher, collects) = (search.matcher.parts(), search.collects);
        HelperSearch { matcher, manner, collects, bounds, max_steps: meter.steps_left() }
    }

    /// Returns the scratch value of a helper.
    pub fn scratch(&self) -> Scratch {
        Scratch { matcher: self.matcher.clone(), searcher: LineSearcher::new(self.manner.clone()) }
    }

    /// Searches a file, or gives it up.
    pub fn attempt(&self, task: FileTask, scratch: &mut Scratch, pace: Pace<'_>) -> Attempt {
        let FileTask { open, shown } = task;
        let Scratch { matcher: parts, searcher } = scratch;
        let room = Room { matches: self.collects.room(0), bytes: HELPER_MATCHES };
        let matcher = QuickMatcher::new(parts, pace);
        let wanted = Wanted { collects: self.collects, context_lines: self.manner.context_lines, room };
        let mut lines = Lines::new(&matcher, &shown, wanted);
        let mut search = || {
            let account = Account::Helper { pace, steps: 0, most: self.max_steps };
            let mut reader = MeteredReader::new(
                self.manner.bytes_of(&open, self.bounds.clone())?,
                account,
                self.manner.utf8_watch(),
            );
            searcher.search(&matcher, &mut reader, &mut lines)?;
            Ok::<_, io::Error>((reader.is_utf8(), reader.steps()))
        };
        let searched = search().ok();
        let Lines { matches, bytes, is_over, is_binary, .. } = lines;
        let found = searched
            .filter(|_| !is_over && bytes <= room.bytes)
            .map(|(is_utf8, steps)| (Searched { matches, bytes, is_over, is_binary, is_utf8 }, steps));
        Attempt { open, found }
    }
}
