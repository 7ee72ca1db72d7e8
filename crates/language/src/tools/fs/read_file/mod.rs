//! `FS.ReadFile`: docs/specs/file_system_tool.md, "Read File Operation".

pub mod several;

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space};
use crate::sandbox::{Metadata, OpenFile, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::time::rfc3339;
use crate::value::{Str, print};

use super::super::build::TextBuilder;
use super::archive::{Budget, Entry, OnUnsafe, OpenArchive};
use super::encoding::{Charset, Choice, Decoder, MarkedCharset, detect, is_binary};
use super::gzip::is_gzip;
use super::last_lines::LastLines;
use super::line_index::{Decoding, LineIndex, LineStart, after_last_line};
use super::lines::{Lines, line_length};
use super::source::{Origin, Source, SourceError, SourceOptions};

const SPEC: Spec = Spec {
    name: "FS.ReadFile",
    wire: "read_file",
    aliases: &["FS.Read"],
    keywords: &[
        "read",
        "open",
        "load",
        "cat",
        "file_get_contents",
        "readFileSync",
        "read_text",
        "read_to_string",
        "slurp",
        "head of file",
        "tail of file",
        "os.ReadFile",
        "File.read",
        "ReadAllText",
        "head",
        "io.open",
        "Get-Content",
        "zcat",
        "gunzip -c",
        "gzip.open",
        "read gzip",
        "read compressed",
        "zlib.gunzipSync",
        "unzip -p",
        "ZipFile.read",
        "extractfile",
    ],
    summary: "Reads a text file, or any file as base64",
    details: "Without `encoding` the file is taken for UTF-8, and when it is not, its encoding is guessed from its bytes \
        (`auto` does that at once); name the encoding where it is known, since few bytes can mislead the guess. A byte order mark decides over all of this and is left out of `content`; `byteOrderMark` tells it, and \
        `FS.WriteFile` writes it if the text begins with U+FEFF: `\"\\u{FEFF}\" + text`, with the `encoding` that was read. All names of the WHATWG \
        Encoding Standard are known, and `iso-8859-1` (`latin-1`) as true Latin-1. Bytes that stand for no character \
        become U+FFFD, and `malformed` is true. Binary files (NUL bytes, or a known signature) are refused as text; \
        `encoding: \"base64\"` reads them. `max_lines` and `skip_lines` cut out lines, which keep their line ends \
        (LF, CRLF or CR), and never hold more of the file than that in memory; `FS.Lines` goes through all lines in a loop. \
        `last_lines` takes them from the end instead. With `line_numbers` each line begins with its number in the file, \
        right-aligned to six places, and a tab. `sizeBytes`, `lastModified` and \
        `checksum` (SHA-256, hexadecimal) are of the whole file, `lineCount` and `content` are what is returned; \
        for a part of the lines `checksum` is nil unless `checksum: true` asks for it. \
        With `decompress` a file in gzip is read as what it was compressed from, all its members after one another, and any \
        other file as it is; `compression` tells which. `content`, lines and `max_size_mb` are then of the decompressed bytes, \
        `sizeBytes` and `checksum` still of the file. \
        With `entry`, a path in a zip, tar or tar in gzip, everything is of that file of the archive (`FS.ListArchive` lists them). \
        Each call checks the whole archive; `FS.Extract` with `only` is quicker for many files.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::InvalidArchive,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"note.txt\", \"one\\ntwo\\n\")\nSET file = FS.ReadFile(\"note.txt\", max_lines: 1)\nEMIT file.lineCount, \" \", file.content",
        output: "1 one\n\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to read, from the sandbox root";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the text, or `base64`; found out when left out";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is read, in MiB";
        max_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines at most; 0 for all";
        skip_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines to leave out before them";
        checksum: Option<bool> = Absent, Kind::Bool, "whether to compute it; when left out, if all lines are read";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a file in gzip is decompressed";
        entry: Option<Str> = Absent, Kind::Text, "file to read in this archive";
        last_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines from the end instead; 0 for all";
        line_numbers: bool = Is(Literal::Bool(false)), Kind::Bool, "whether lines begin with their number and a tab";
    }
}

/// FileContentResult.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Content {
    /// The text, or the bytes as base64.
    content: String,
    /// The encoding that was used.
    encoding: String,
    /// Bytes of the whole file.
    size_bytes: u64,
    /// Lines returned.
    line_count: usize,
    /// Last change, RFC 3339, UTC.
    last_modified: Option<String>,
    /// SHA-256 of the whole file, hexadecimal.
    checksum: Option<String>,
    /// The kind of the file by its content, else by its name.
    mime_type: String,
    /// Bytes stood for no character.
    malformed: bool,
    /// The file begins with a byte order mark, which is not in `content`.
    byte_order_mark: bool,
    /// `gzip` if the content was decompressed.
    compression: Option<&'static str>,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

/// Checks that the encoding is known, and that lines are requested only from texts.
fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    check_lines(given)?;
    let Some(Some(name)) = given.text("encoding") else { return Ok(()) };
    let choice = super::encoding_of("encoding", &name)?;
    for argument in ["max_lines", "skip_lines", "last_lines"] {
        if choice == Choice::Base64 && given.int(argument).flatten().is_some_and(|lines| lines > 0) {
            let message = format!("`{argument}` is for texts, and base64 has no lines");
            return Err(ToolError::bad_argument(argument, message).hint("leave it out"));
        }
    }
    if choice == Choice::Base64 && given.truth("line_numbers").flatten() == Some(true) {
        let message = "`line_numbers` is for texts, and base64 has no lines";
        return Err(ToolError::bad_argument("line_numbers", message).hint("leave it out"));
    }
    Ok(())
}

/// Checks that lines are requested from one end only.
fn check_lines(given: &Given<'_>) -> Result<(), ToolError> {
    let count = |argument: &str| given.int(argument).flatten().unwrap_or(0);
    if count("last_lines") > 0
        && let Some(other) = ["max_lines", "skip_lines"].into_iter().find(|other| count(other) > 0)
    {
        let message = format!("`last_lines` and `{other}` contradict each other");
        return Err(ToolError::bad_argument("last_lines", message).hint("give one of them"));
    }
    Ok(())
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Content, ToolError> {
    let at_path = |error: ToolError| error.argument("path").path(args.path.display());
    let Subject { origin, size, modified, name, metadata } = subject(context, &args)?;
    let all = args.max_lines == 0 && args.skip_lines == 0 && args.last_lines == 0;
    let options = SourceOptions { checksum: args.checksum.unwrap_or(all), decompress: args.decompress, most: None };
    let source = super::check_size(&args.path, size, args.max_size_mb).and_then(|()| {
        Source::new(origin, options).map_err(|error| SandboxError::io(args.path.display(), &error).into())
    });
    let source = source.map_err(at_path)?;
    let mut reading = Reading { args: &args, source, metadata, start: Vec::new(), read: 0, ended: false };
    let taken = reading.run(context).map_err(|error| match error {
        Failed::Sandbox(error) => at_path(error.into()),
        Failed::Tool(error) if error.limit.is_none() && error.argument.is_none() => at_path(error),
        Failed::Tool(error) => error,
        Failed::NotUtf8 => unreachable!("a file that is not UTF-8 is read in the encoding that was found"),
    })?;
    let Reading { mut source, start, .. } = reading;
    let is_gzip = source.is_gzip();
    Ok(Content {
        content: taken.text,
        encoding: taken.encoding,
        size_bytes: source.size().unwrap_or(size),
        line_count: taken.lines,
        last_modified: modified.map(|seconds| rfc3339(seconds).into()),
        checksum: source.checksum(),
        mime_type: mime_type(&start, if is_gzip { without_gz(&name) } else { &name }, taken.is_text),
        malformed: taken.malformed,
        byte_order_mark: taken.has_mark,
        compression: is_gzip.then_some("gzip"),
    })
}

/// The file to read, or the file of an archive.
struct Subject {
    origin: Origin,
    size: u64,
    /// Seconds since 1970.
    modified: Option<i64>,
    name: String,
    /// The metadata of a file that is no archive.
    metadata: Option<Metadata>,
}

fn subject(context: &mut Context<'_>, args: &Args) -> Result<Subject, ToolError> {
    let path = &args.path;
    let at_path = |error: ToolError| match error.argument {
        None => error.argument("path").path(path.display()),
        Some(_) => error,
    };
    let open = context.open(path).map_err(at_path)?;
    let Some(entry) = &args.entry else {
        let OpenFile { file, metadata } = open;
        return Ok(Subject {
            origin: Origin::File(file),
            size: metadata.size,
            modified: metadata.modified.map(|time| time.seconds),
            name: path.display().to_owned(),
            metadata: Some(metadata),
        });
    };
    let budget = Budget::for_looking(open.metadata.size, context);
    let archive = OpenArchive::new(path, open, budget);
    let plan = archive.plan(context, OnUnsafe::Refuse).map_err(|error| match error.code {
        ToolCode::TooLarge => at_path(error.hint("unpack a part of it with `FS.Extract` and `only`")),
        _ => at_path(error),
    })?;
    let found = archive.entry(&plan, &entry.as_text(), path.display()).map_err(at_path)?;
    let Entry { name, size, modified, .. } = found.entry.clone();
    Ok(Subject { origin: Origin::Entry(Box::new(found)), size, modified, name, metadata: None })
}

/// The result of reading.
struct LineSelection {
    text: String,
    encoding: String,
    lines: usize,
    malformed: bool,
    has_mark: bool,
    is_text: bool,
}

/// Why reading failed.
enum Failed {
    Sandbox(SandboxError),
    Tool(ToolError),
    /// The bytes are not UTF-8, which was assumed.
    NotUtf8,
}

impl From<ToolError> for Failed {
    fn from(error: ToolError) -> Failed {
        Failed::Tool(error)
    }
}

impl From<LimitHit> for Failed {
    fn from(hit: LimitHit) -> Failed {
        Failed::Tool(hit.into())
    }
}

/// A file that is being read.
struct Reading<'a> {
    args: &'a Args,
    source: Source,
    /// The metadata of a file that is no archive.
    metadata: Option<Metadata>,
    /// The first piece of the bytes.
    start: Vec<u8>,
    /// Number of bytes read, after they were decompressed.
    read: u64,
    /// Whether their end was reached.
    ended: bool,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;
/// Maximum number of bytes of a character that the next piece completes.
const MAX_HELD: usize = 4;

impl Reading<'_> {
    fn run(&mut self, context: &mut Context<'_>) -> Result<LineSelection, Failed> {
        let choice = self.args.encoding.as_ref().map(|name| super::encoding_of("encoding", &name.as_text()));
        match choice.transpose()? {
            Some(Choice::Base64) => self.base64(context),
            Some(Choice::Text(charset)) => self.text(context, Decoding::Named(charset)),
            Some(Choice::Auto) => self.text(context, Decoding::Guessed),
            None => match self.text(context, Decoding::StrictUtf8) {
                Err(Failed::NotUtf8) => self.text(context, Decoding::Guessed),
                done => done,
            },
        }
    }

    /// Reads the next piece after the `held` bytes that are already in the buffer. Returns only these at the
    /// end of the file.
    fn piece<'b>(&mut self, context: &mut Context<'_>, buffer: &'b mut [u8], held: usize) -> Result<&'b [u8], Failed> {
        let mut length = held;
        // Fills the whole buffer, so that the first piece is long enough to identify the file format.
        while length < buffer.len() {
            let read = self.source.read(&mut buffer[length..]);
            match read.map_err(|error| self.io(&error))? {
                0 => {
                    self.ended = true;
                    break;
                }
                more => length += more,
            }
        }
        let read = &buffer[held..length];
        context.spend_text(read.len())?;
        context.meter.poll()?;
        self.read += read.len() as u64;
        // The file may have grown, or come to more than its size.
        self.check_size()?;
        Ok(&buffer[..length])
    }

    fn check_size(&self) -> Result<(), Failed> {
        let most = self.args.max_size_mb;
        if self.source.is_gzip() && self.read > (most as u64) << 20 {
            let message = format!("`{}` comes to more than the {most} MiB allowed", self.args.path.display());
            return Err(Failed::Tool(ToolError::new(ToolCode::TooLarge, message).hint("raise `max_size_mb`")));
        }
        super::check_size(&self.args.path, self.read, most).map_err(Failed::Tool)
    }

    fn io(&mut self, error: &std::io::Error) -> Failed {
        match self.source.damage(self.args.path.display(), error) {
            Some(damage) => Failed::Tool(damage),
            None => Failed::Sandbox(self.args.path.error(error)),
        }
    }

    /// Continues at a place in the file.
    fn go_to(&mut self, offset: u64) -> Result<(), Failed> {
        let gone = self.source.go_to(offset);
        gone.map_err(|error| self.io(&error))?;
        self.read = offset;
        self.ended = false;
        Ok(())
    }

    /// Reads the lines. Where only a part of them is wanted, it begins at the nearest line whose place is known.
    fn text(&mut self, context: &mut Context<'_>, decoding: Decoding) -> Result<LineSelection, Failed> {
        let is_part = !self.source.has_checksum() && (self.args.skip_lines > 0 || self.args.max_lines > 0);
        let indexed = self.metadata.filter(|_| is_part && self.source.can_seek());
        let mut index = indexed.and_then(|metadata| LineIndex::of(&metadata, decoding));
        let found = index.as_ref().and_then(|index| index.found);
        let decoder = match (found, decoding) {
            (Some(charset), _) | (None, Decoding::Named(charset)) => Decoder::new(charset),
            (None, Decoding::StrictUtf8) => Decoder::tentative(),
            (None, Decoding::Guessed) => {
                self.go_to(0)?;
                let detected = detect(&mut self.source);
                Decoder::new(detected.map_err(|error| self.io(&error))?)
            }
        };
        if let (Decoding::Guessed, Some(index)) = (decoding, &mut index) {
            index.found = Some(decoder.charset());
        }
        let taken = self.lines(context, decoder, index.as_mut());
        index.into_iter().for_each(LineIndex::keep);
        taken
    }

    fn lines(
        &mut self,
        context: &mut Context<'_>,
        mut decoder: Decoder,
        mut index: Option<&mut LineIndex>,
    ) -> Result<LineSelection, Failed> {
        let skip = self.args.skip_lines as usize;
        let start = index.as_ref().and_then(|index| index.before(skip));
        let mut first = start.is_none();
        let mut has_mark = !first && index.as_ref().is_some_and(|index| index.has_mark);
        let LineStart { line: before, offset, malformed, shift } = start.unwrap_or_default();
        self.go_to(offset)?;
        decoder.resume(shift, malformed);
        let mut lines = match self.args.last_lines as usize {
            0 => Selection::Range(Lines::new(skip - before, self.args.max_lines as usize)),
            most => Selection::Last(LastLines::new(most)),
        };
        let mut buffer = vec![0; PIECE + MAX_HELD];
        let mut space = String::new();
        let mut held = 0;
        loop {
            // Pieces end at the same places in the file wherever reading begins, since a NUL in the last one counts.
            let length = held + PIECE - (self.read % PIECE as u64) as usize;
            let filled = self.piece(context, &mut buffer[..length], held)?;
            let (mut bytes, last) = (filled, filled.len() < length);
            if std::mem::take(&mut first) {
                self.start = bytes.to_vec();
                if let Some(MarkedCharset { charset, mark }) = Charset::of_mark(bytes) {
                    decoder = Decoder::new(charset);
                    has_mark = true;
                    bytes = &bytes[mark..];
                    if let Some(index) = &mut index {
                        (index.found, index.has_mark) = (Some(charset), true);
                    }
                }
                if decoder.refuses_nul() && is_binary(bytes) {
                    return Err(self.binary());
                }
            }
            if decoder.refuses_nul() && memchr::memchr(0, bytes).is_some() {
                return Err(self.binary());
            }
            let (text, left) = decoder.decode(bytes, last, &mut space).map_err(|_| Failed::NotUtf8)?;
            if !lines.take(text)? || last {
                break;
            }
            if let Some(index) = &mut index
                && let Some(at) = after_last_line(bytes, decoder.charset())
                && let Some(shift) = decoder.shift_at(bytes, at)
            {
                let offset = self.read - (bytes.len() - at) as u64;
                index.add(LineStart { line: before + lines.ended(), offset, malformed: decoder.malformed, shift });
            }
            held = left;
            buffer.copy_within(length - left..length, 0);
        }
        // Once the end has been reached, bytes appended later are neither in the answer nor in its checksum.
        self.finish_checksum(context)?;
        let Selected { text, lines, before } = lines.finish(skip);
        let text = if self.args.line_numbers { numbered(&text, before)? } else { text };
        let encoding = decoder.charset().name();
        Ok(LineSelection { text, encoding, lines, malformed: decoder.malformed, has_mark, is_text: true })
    }

    /// Reads the bytes after the last wanted line, as far as the checksum needs them.
    fn finish_checksum(&mut self, context: &mut Context<'_>) -> Result<(), Failed> {
        let finished = self.source.finish(|read| {
            context.spend_text(read)?;
            Ok(context.meter.poll()?)
        });
        finished.map_err(|error| match error {
            SourceError::Io(error) => self.io(&error),
            SourceError::Tool(error) => Failed::Tool(error),
        })
    }

    fn binary(&self) -> Failed {
        let path = self.args.path.display();
        let message = match &self.args.entry {
            Some(entry) => format!("`{}` in `{path}` is binary, not text", print::shortened(&entry.as_text(), 200)),
            None => format!("`{path}` is binary, not text"),
        };
        let hint = if is_gzip(&self.start) {
            "it is in gzip: read it with `decompress: true`"
        } else {
            "read it with `encoding: \"base64\"`; a text in UTF-16 needs its `encoding`"
        };
        Failed::Tool(ToolError::new(ToolCode::NotText, message).hint(hint))
    }

    fn base64(&mut self, context: &mut Context<'_>) -> Result<LineSelection, Failed> {
        // The size of decompressed data is unknown.
        let size = self.metadata.filter(|_| self.source.can_seek()).map_or(0, |metadata| metadata.size);
        let longest = usize::try_from(size).unwrap_or(usize::MAX).div_ceil(3).saturating_mul(4);
        space::check_string(longest)?;
        space::check(longest)?;
        let mut text = String::with_capacity(longest);
        // Three bytes become four characters, so the encoded pieces can be concatenated.
        let mut buffer = vec![0; 3 << 14];
        loop {
            let bytes = self.piece(context, &mut buffer, 0)?;
            if self.start.is_empty() {
                self.start = bytes.to_vec();
            }
            let length = text.len() + bytes.len().div_ceil(3) * 4;
            space::check_string(length)?;
            if length > text.capacity() {
                space::check(2 * length)?;
            }
            STANDARD.encode_string(bytes, &mut text);
            // The file may have grown after its end was reached, but nothing can follow padding.
            if self.ended {
                break;
            }
        }
        let lines = usize::from(!text.is_empty());
        Ok(LineSelection {
            text,
            encoding: "base64".to_owned(),
            lines,
            malformed: false,
            has_mark: false,
            is_text: false,
        })
    }
}

/// The lines that are collected.
enum Selection {
    Range(Lines),
    Last(LastLines),
}

/// The collected lines.
struct Selected {
    text: String,
    lines: usize,
    /// Number of lines of the file before them.
    before: usize,
}

impl Selection {
    /// Processes a piece. Returns whether more input can be relevant.
    fn take(&mut self, piece: &str) -> Result<bool, LimitHit> {
        match self {
            Selection::Range(lines) => lines.take(piece),
            Selection::Last(lines) => lines.take(piece).map(|()| true),
        }
    }

    /// Returns the number of lines that have ended so far, for the index of a range.
    fn ended(&self) -> usize {
        match self {
            Selection::Range(lines) => lines.ended(),
            Selection::Last(_) => 0,
        }
    }

    fn finish(self, skip: usize) -> Selected {
        match self {
            Selection::Range(lines) => {
                let (text, lines) = lines.finish();
                Selected { text, lines, before: skip }
            }
            Selection::Last(lines) => {
                let (text, lines, before) = lines.finish();
                Selected { text, lines, before }
            }
        }
    }
}

/// Returns lines with their numbers before them.
fn numbered(text: &str, before: usize) -> Result<String, LimitHit> {
    let mut numbered = TextBuilder::default();
    let mut rest = text;
    for number in before + 1.. {
        if rest.is_empty() {
            break;
        }
        let (line, others) = rest.split_at(line_length(rest));
        numbered.push(&format!("{number:>6}\t"))?;
        numbered.push(line)?;
        rest = others;
    }
    Ok(numbered.into_held().0)
}

/// Returns the name that a file had before it was compressed.
fn without_gz(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

fn mime_type(start: &[u8], name: &str, is_text: bool) -> String {
    let by_content = infer::get(start).filter(|_| !is_text).map(|kind| kind.mime_type());
    by_content.map(str::to_owned).unwrap_or_else(|| {
        let fallback = if is_text { "text/plain" } else { "application/octet-stream" };
        mime_guess::from_path(name).first_raw().unwrap_or(fallback).to_owned()
    })
}
