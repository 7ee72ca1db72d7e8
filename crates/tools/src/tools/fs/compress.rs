//! `FS.Compress`: docs/specs/file_system_tool.md, "Clarifying Questions".

use std::collections::BTreeSet;
use std::io::{self, Read};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{
    File, Kind as EntryKind, Metadata, Overwrite, PathRule, Replace, SandboxError, SandboxPath, SharedFolders,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Given, ListedPath, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::archive::{ArchivedKind, Entry, GzipWriter, Output, TarWriter, Writer, ZipWriter, refusal};
use super::operation::Operation;
use super::ownership::ReplacedFile;

const SPEC: Spec = Spec {
    name: "FS.Compress",
    wire: "compress",
    aliases: &[],
    keywords: &[
        "archive",
        "pack",
        "compress",
        "zip",
        "tar",
        "gzip",
        "zipfile.write",
        "shutil.make_archive",
        "make_archive",
        "Compress-Archive",
    ],
    summary: "Packs files and directories into an archive",
    details: "Creates an archive and returns a map with its `format`, the number of `files`, `directories` and `links` \
        in it, and `backupPath` if an archive was replaced. `FS.RestoreBackup` restores the replaced archive from \
        it.\n\n\
        Format: `zip`, `tar.gz` or `gz`, by the destination's name (`.zip`, `.tar.gz`, `.tgz`, `.gz`) or by `format`. \
        `gz` compresses a single file, without its name and time.\n\n\
        Names: in `zip` and `tar.gz`, each source is stored under its own name, a directory with everything in it, \
        hidden entries included; the content of the root is stored without a name in front. With `base`, a directory \
        that contains all sources, they are stored under their paths from it: `base: \".\"` keeps paths from the \
        sandbox root.\n\n\
        Content: names, permission bits, times in whole seconds, and symbolic links as links; no owners. A source that \
        is a link is followed. Entries are ordered by the bytes of their names, so equal files give equal bytes.\n\n\
        Left out: the archive itself; `.ns` and `neuroscript.toml`, wherever they are, with a warning for those below \
        a directory of the root.\n\n\
        Failures: a pipe, socket or device, a name that is not UTF-8 and an entry that the policy refuses are errors \
        before anything is written. The archive gets its name when it is complete and synced; missing directories are \
        created.\n\n\
        Warning: if `FS.Extract` would refuse the archive, a warning names the first entry that is the reason: a link \
        that leads out, a name that no tool creates (with a backslash, `:` or an invisible character, or a device name \
        of other systems), or more than 128 levels of directories.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.txt\", \"hello\")\nSET result = FS.Compress(\"src\", \"src.zip\")\nEMIT result.files, \" \", result.directories\nMUST CALL FS.Extract(\"src.zip\", \"copy\")\nEMIT FS.ReadFile(\"copy/src/a.txt\").content",
        output: "1 1\nhello\n",
    },
};

arguments! {
    struct Args {
        source | source_path: Option<SandboxPath> = Absent, Kind::Path(PathRule::INSIDE, Access::Read), "file or directory to pack, from the sandbox root";
        destination | destination_path: Option<SandboxPath> = Absent, Kind::Path(PathRule::INSIDE.creating(), Access::Change), "archive to write, from the sandbox root; required";
        paths: Option<Vec<ListedPath>> = Absent, Kind::Paths(PathRule::INSIDE, Access::Read), "files and directories to pack, instead of `source`";
        base: Option<SandboxPath> = Absent, Kind::Path(PathRule::INSIDE, Access::Look), "directory from which paths in the archive start; each source keeps its own name when left out";
        format: Option<Str> = Absent, Kind::Word(&["zip", "tar.gz", "gz"]), "format, if the destination's name does not tell";
        overwrite: bool = Is(Literal::Bool(false)), Kind::Bool, "whether an existing archive is replaced";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Packed {
    #[serde(flatten)]
    operation: Operation,
    /// `zip`, `tar.gz` or `gz`.
    format: &'static str,
    /// Files in the archive.
    files: u64,
    /// Directories in the archive.
    directories: u64,
    /// Links in the archive.
    links: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Zip,
    TarGz,
    Gzip,
}

impl Format {
    /// All formats with their names.
    const NAMES: [(Format, &str); 3] = [(Format::Zip, "zip"), (Format::TarGz, "tar.gz"), (Format::Gzip, "gz")];

    fn name(self) -> &'static str {
        Format::NAMES[self as usize].1
    }

    fn writer(self) -> Box<dyn Writer> {
        match self {
            Format::Zip => Box::new(ZipWriter::default()),
            Format::TarGz => Box::new(TarWriter::new()),
            Format::Gzip => Box::new(GzipWriter::new()),
        }
    }
}

/// Bytes that are read at a time, and that are buffered before they are written.
const PIECE: usize = 64 << 10;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if !given.is_given("destination") {
        return Err(ToolError::bad_argument("destination", "`FS.Compress` needs a path for `destination`")
            .hint("name the archive, such as \"out.zip\""));
    }
    if given.is_given("source") == given.is_given("paths") {
        Err(ToolError::bad_argument("source", "`FS.Compress` needs either `source` or `paths`")
            .hint("give one path as `source`, or a list as `paths`"))
    } else {
        Ok(())
    }
}

/// Something to pack: its path, and its name in the archive.
struct Source {
    place: SandboxPath,
    metadata: Metadata,
    name: String,
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Packed, ToolError> {
    let destination = args.destination.expect("the check demands it");
    let at_destination = |error: ToolError| error.argument("destination").path(destination.display());
    let format = format_of(args.format.as_ref(), &destination)?;
    let argument = if args.source.is_some() { "source" } else { "paths" };
    let places = match (args.source, args.paths) {
        (Some(place), _) => vec![place],
        (None, listed) => listed
            .unwrap_or_default()
            .into_iter()
            .map(|listed| listed.place.map_err(|error| error.argument("paths")))
            .collect::<Result<_, _>>()?,
    };
    if format == Format::Gzip {
        check_single(&places).map_err(|error| by_source(error, argument, &destination))?;
        check_nameless(args.base.as_ref())?;
    }
    let gathered = gather(context, places, args.base.as_ref(), &destination);
    let (sources, left_out) = gathered.map_err(|error| by_source(error, argument, &destination))?;
    let replace = if args.overwrite { Replace::Yes } else { Replace::No };
    if destination.wants_folder() || destination.is_root() {
        return Err(at_destination(SandboxError::IsAFolder(destination.display().to_owned()).into()));
    }
    destination.check_replaceable(replace).map_err(|error| at_destination(error.into()))?;
    context.admit_files(sources.len() as u64)?;
    let change = context.begin_change(1)?;
    if args.overwrite {
        context.admit_keeping(&destination).map_err(at_destination)?;
    }
    let store = context.backup_store(&destination);
    let overwrite = if args.overwrite { Overwrite::keeping(store) } else { Overwrite::never(store) };
    let mut file = destination.begin_file(overwrite, &change).map_err(|error| at_destination(error.into()))?;
    let counts = pack(context, &sources, &destination, format, &mut file.file)
        .map_err(|error| by_source(error, argument, &destination))?;
    context.meter.tell_syncing(true);
    let written = file.finish(context.meter).map_err(|error| at_destination(error.into()))?;
    let replaced = ReplacedFile::of(&destination, &written);
    replaced.note_differences(context);
    let done = Operation::done("compress", destination.display(), Some(counts.bytes));
    let operation = done.with_backup(written.backup).with_other_names(replaced.other_names());
    super::note_left_out(context, left_out, "packed");
    if let Some(reason) = &counts.refusal {
        let archive = destination.display();
        let others = match counts.refused {
            1 => String::new(),
            refused => format!(", and so for {} more", refused - 1),
        };
        context.note(format!("`FS.Extract` will refuse `{archive}`: {reason}{others}; other programs may take it"));
    }
    Ok(Packed {
        operation,
        format: format.name(),
        files: counts.files,
        directories: counts.directories,
        links: counts.links,
    })
}

/// Adds the argument that named the source to an error with a path, unless it is the path of the archive.
fn by_source(error: ToolError, argument: &'static str, destination: &SandboxPath) -> ToolError {
    let is_sources = error.path.as_deref().is_some_and(|path| path != destination.display());
    if is_sources && error.argument.is_none() { error.argument(argument) } else { error }
}

/// Writes all sources to a file.
fn pack(
    context: &mut Context<'_>,
    sources: &[Source],
    destination: &SandboxPath,
    format: Format,
    file: &mut File,
) -> Result<Counts, ToolError> {
    let mut counts = Counts::default();
    let mut out = Output::new(file);
    let mut writer = format.writer();
    let files = sources.iter().filter(|source| source.metadata.kind == EntryKind::File);
    context.meter.expect_bytes(files.map(|source| source.metadata.size).sum());
    let mut packer = Packer { context, writer: &mut *writer, out: &mut out, destination };
    for (reached, source) in sources.iter().enumerate() {
        packer.context.meter.reach(reached as u64, sources.len() as u64);
        packer.put(source, &mut counts)?;
    }
    packer.finish()?;
    counts.bytes = out.position();
    Ok(counts)
}

fn format_of(given: Option<&Str>, destination: &SandboxPath) -> Result<Format, ToolError> {
    let name = destination.file_name().to_lowercase();
    let given = given.map(|given| given.as_text().to_string());
    let of_name = |given: &str| Format::NAMES.into_iter().find(|(_, name)| *name == given).map(|(format, _)| format);
    match given.as_deref() {
        Some(given) => Ok(of_name(given).expect("the kind of the argument has these words")),
        None if name.ends_with(".zip") => Ok(Format::Zip),
        None if name.ends_with(".tar.gz") || name.ends_with(".tgz") => Ok(Format::TarGz),
        None if name.ends_with(".gz") => Ok(Format::Gzip),
        None => Err(ToolError::bad_argument("destination", "the name of the archive does not tell its format")
            .hint("end it in `.zip`, `.tar.gz`, `.tgz` or, for a single file, `.gz`, or give `format`")),
    }
}

/// Checks that there is one file and nothing else to compress.
fn check_single(places: &[SandboxPath]) -> Result<(), ToolError> {
    let hint = "name the archive `.tar.gz` or `.zip`";
    let [place] = places else {
        let message = format!("a `.gz` holds one file, not {}", places.len());
        return Err(ToolError::new(ToolCode::Conflict, message).hint(hint));
    };
    let at_source = |error: ToolError| error.path(place.display());
    match place.metadata().map_err(|error| at_source(error.into()))?.kind {
        EntryKind::Folder => {
            let message = format!("`{}` is a directory, and a `.gz` holds one file", place.display());
            Err(at_source(ToolError::new(ToolCode::IsADirectory, message).hint(hint)))
        }
        _ => Ok(()),
    }
}

/// Checks that no `base` is given for a format without names.
fn check_nameless(base: Option<&SandboxPath>) -> Result<(), ToolError> {
    if base.is_none() {
        return Ok(());
    }
    let error = ToolError::bad_argument("base", "a `.gz` holds a file without its name");
    Err(error.hint("leave out `base`, or name the archive `.tar.gz` or `.zip`"))
}

/// Returns the name of a source in the archive: its path from `base`, or else its last name.
fn name_of(place: &SandboxPath, base: Option<&SandboxPath>) -> Result<String, ToolError> {
    let Some(base) = base else {
        return Ok(if place.is_root() { String::new() } else { place.file_name() });
    };
    let (above, address) = (base.address(), place.address());
    let rest = match address.strip_prefix(&*above) {
        Some(rest) if above.is_empty() || rest.is_empty() => Some(rest),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    let outside = || {
        let message = format!("`{}` is not in `{}`", place.display(), base.display());
        ToolError::bad_argument("base", message).hint("name a directory that holds every source, such as \".\"")
    };
    rest.map(str::to_owned).ok_or_else(outside)
}

/// Returns all entries to pack in the order of the archive, and the number of reserved entries left out.
fn gather(
    context: &mut Context<'_>,
    places: Vec<SandboxPath>,
    base: Option<&SandboxPath>,
    destination: &SandboxPath,
) -> Result<(Vec<Source>, u64), ToolError> {
    let mut sources = Vec::new();
    let mut left_out = 0;
    let mut names = BTreeSet::new();
    let mut folders = SharedFolders::default();
    for place in places {
        let at_source = |error: ToolError| error.path(place.display());
        let metadata = place.metadata().map_err(|error| at_source(error.into()))?;
        let top = name_of(&place, base)?;
        if !names.insert(top.clone()) {
            let message = format!("two of the sources are called `{top}`");
            return Err(at_source(ToolError::new(ToolCode::Conflict, message)).hint("pack a directory that holds both"));
        }
        if place.address() == destination.address() {
            let message = format!("`{}` cannot be packed into itself", place.display());
            return Err(at_source(ToolError::new(ToolCode::Conflict, message)));
        }
        let start = place.address().into_owned();
        let tree = match metadata.kind {
            EntryKind::Folder => Some(context.admitted_tree(&place, Access::Read, None)?),
            _ => None,
        };
        if !top.is_empty() {
            sources.push(Source { place, metadata, name: top.clone() });
        }
        let Some(tree) = tree else { continue };
        tree.check_text(&start)?;
        context.admit_files(tree.len() as u64)?;
        left_out += tree.reserved;
        for below in (0..tree.len()).map(|entry| tree.path(entry)) {
            context.meter.poll()?;
            let address = joined(&start, &below);
            if address == destination.address() {
                continue;
            }
            let mut place = context.place(&address, PathRule::INSIDE.not_following(), Access::Read)?;
            folders.share(&mut place);
            let metadata = place.metadata()?;
            sources.push(Source { place, metadata, name: joined(&top, &below) });
        }
    }
    sources.sort_by(|a, b| a.name.split('/').cmp(b.name.split('/')));
    // A source may be in another one: under `base` both have the same name, and are the same entry.
    sources.dedup_by(|a, b| a.name == b.name);
    Ok((sources, left_out))
}

fn joined(above: &str, below: &str) -> String {
    if above.is_empty() { below.to_owned() } else { format!("{above}/{below}") }
}

#[derive(Default)]
struct Counts {
    files: u64,
    directories: u64,
    links: u64,
    bytes: u64,
    /// Number of entries for which `FS.Extract` would refuse the archive.
    refused: u64,
    /// Why it would refuse the first of them.
    refusal: Option<String>,
}

/// Writes the sources to an archive.
struct Packer<'a, 'c, 'f> {
    context: &'a mut Context<'c>,
    writer: &'a mut dyn Writer,
    out: &'a mut Output<'f>,
    destination: &'a SandboxPath,
}

impl Packer<'_, '_, '_> {
    fn put(&mut self, source: &Source, counts: &mut Counts) -> Result<(), ToolError> {
        let Source { place, metadata, name } = source;
        let entry = |what: ArchivedKind, metadata: &Metadata| Entry {
            name: name.clone(),
            what,
            mode: metadata.mode & 0o777,
            modified: metadata.modified.map(|time| time.seconds),
            size: 0,
            is_text: true,
        };
        let at_source = |error: ToolError| error.path(place.display());
        self.context.spend(1)?;
        match metadata.kind {
            EntryKind::Folder => {
                counts.directories += 1;
                self.begin(&entry(ArchivedKind::Folder, metadata), counts)
            }
            EntryKind::Link => {
                counts.links += 1;
                let text = place.read_link().map_err(|error| at_source(error.into()))?;
                let text = text.into_string().map_err(|_| at_source(unaddressable(place)))?;
                self.begin(&Entry { mode: 0o777, ..entry(ArchivedKind::Link(text), metadata) }, counts)
            }
            EntryKind::File => {
                counts.files += 1;
                let open = self.context.open(place).map_err(at_source)?;
                let size = open.metadata.size;
                self.begin(&Entry { size, ..entry(ArchivedKind::File, &open.metadata) }, counts)?;
                self.copy(place, open.file, size)
            }
            EntryKind::Special => Err(at_source(SandboxError::Special(place.display().to_owned()).into())),
        }
    }

    fn begin(&mut self, entry: &Entry, counts: &mut Counts) -> Result<(), ToolError> {
        if let Some(reason) = refusal(entry) {
            counts.refused += 1;
            counts.refusal.get_or_insert(reason);
        }
        let begun = self.writer.begin(entry, self.out);
        self.settle(begun, PIECE)
    }

    /// Copies as many bytes as the file had when it was opened.
    fn copy(&mut self, place: &SandboxPath, file: impl Read, size: u64) -> Result<(), ToolError> {
        let mut content = file.take(size);
        let mut piece = vec![0; PIECE];
        let mut copied = 0;
        loop {
            self.context.meter.poll()?;
            let length = content.read(&mut piece).map_err(|error| ToolError::from(place.error(&error)))?;
            if length == 0 {
                break;
            }
            self.context.spend_text(length)?;
            copied += length as u64;
            let written = self.writer.write(&piece[..length], self.out);
            self.settle(written, PIECE)?;
        }
        if copied < size {
            let message = format!("`{}` became shorter while it was packed", place.display());
            return Err(ToolError::new(ToolCode::Conflict, message).path(place.display()));
        }
        let ended = self.writer.end(self.out);
        self.settle(ended, PIECE)
    }

    fn finish(&mut self) -> Result<(), ToolError> {
        let finished = self.writer.finish(self.out);
        self.settle(finished, 1)
    }

    /// Writes the buffered bytes once there are at least `at_least`. They are charged first.
    fn settle(&mut self, done: io::Result<()>, at_least: usize) -> Result<(), ToolError> {
        let wrap = |error: io::Error| ToolError::from(self.destination.error(&error));
        done.map_err(wrap)?;
        if self.out.pending.len() < at_least {
            return Ok(());
        }
        let waiting = self.out.pending.len() as u64;
        self.context.begin_write(self.destination, self.out.position(), waiting)?;
        self.out.flush().map_err(wrap)
    }
}

fn unaddressable(place: &SandboxPath) -> ToolError {
    let message = format!("`{}` is a link to a name that is not UTF-8", place.display());
    ToolError::new(ToolCode::IoError, message).hint("let it point to a name in UTF-8, or remove it")
}
