//! Files that lofty reads: MP3, from its first frame on, and M4A.
//!
//! It reads through [`Stream`], which bounds what it reads and charges memory for it. Its own bound on single allocations
//! is set too. If it panics, the call fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::error::{ErrorKind, LoftyError};
use lofty::file::{AudioFile, TaggedFile, TaggedFileExt};
use lofty::mp4::{AtomData, AtomIdent, Ilst, Mp4File};
use lofty::mpeg::MpegFile;
use lofty::tag::{ItemKey, TagType};

use super::super::window::{Fault, Window};
use super::Song;
use super::content::Piece;
use super::sound::Sound;
use super::stream::{Part, Stream};
use super::texts::{Texts, wanted};
use super::{MAX_READ, mp4};

/// The parts of a file that are asked for.
#[derive(Clone, Copy)]
struct Asked {
    tags: bool,
    sound: bool,
}

impl Asked {
    /// The requests, in order, until something can be read: damaged tags leave the sound readable, and the other way round.
    const ALL: [Asked; 3] =
        [Asked { tags: true, sound: true }, Asked { tags: true, sound: false }, Asked { tags: false, sound: true }];
}

/// Reads an MP3 file from its first frame on, with the tags after its sound.
pub fn mpeg(window: &mut Window<'_, '_>, start: u64) -> Result<Song, Fault> {
    let end = window.size();
    let mut stream = Stream::new(window, vec![Part::Stored(Piece { start, end })]);
    let file: TaggedFile = read(&mut stream, MpegFile::read_from)?.into();
    song("audio/mpeg", &file, None)
}

/// Reads an M4A file.
pub fn mp4(window: &mut Window<'_, '_>) -> Result<Song, Fault> {
    let parts = mp4::without_pictures(window)?;
    let mut stream = Stream::new(window, parts);
    let file = read(&mut stream, Mp4File::read_from)?;
    let texts = file.ilst().map(of_atoms).transpose()?;
    let song = song("audio/mp4", &file.into(), texts)?;
    if song.sound.seconds.is_some() {
        return Ok(song);
    }
    let seconds = mp4::fragments(window)?;
    Ok(Song { sound: Sound { seconds, ..song.sound }, ..song })
}

/// Returns the texts of atoms. lofty's own form of them has only the first text of each.
fn of_atoms(atoms: &Ilst) -> Result<Texts, Fault> {
    let mut texts = Texts::default();
    for atom in atoms {
        let AtomIdent::Fourcc(name) = atom.ident() else { continue };
        let name: String = name.iter().copied().map(char::from).collect();
        let Some(key) = wanted(ItemKey::from_key(TagType::Mp4Ilst, &name)) else { continue };
        for data in atom.data() {
            if let AtomData::UTF8(text) | AtomData::UTF16(text) = data {
                texts.push(key, &name, text)?;
            }
        }
    }
    Ok(texts)
}

fn song(mime_type: &'static str, file: &TaggedFile, first: Option<Texts>) -> Result<Song, Fault> {
    let mut tags: Vec<Texts> = first.into_iter().collect();
    for tag in file.primary_tag().into_iter().chain(file.tags()) {
        tags.push(Texts::of(tag)?);
    }
    Ok(Song { mime_type, tags, sound: Sound::of(file.properties()) })
}

/// Reads a file: all of it, or what can be read of it.
fn read<'w, 'a, 'c, F>(
    stream: &mut Stream<'w, 'a, 'c>,
    reader: impl Fn(&mut Stream<'w, 'a, 'c>, ParseOptions) -> Result<F, LoftyError>,
) -> Result<F, Fault> {
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_READ).use_custom_resolvers(false));
    let mut first = None;
    for asked in Asked::ALL {
        stream.rewind();
        let mut options = ParseOptions::new();
        options.read_cover_art(false).read_tags(asked.tags).read_properties(asked.sound);
        let done = catch_unwind(AssertUnwindSafe(|| reader(stream, options)));
        match (stream.fault(), done) {
            (Some(fault), _) => return Err(fault),
            (None, Ok(Ok(file))) => return Ok(file),
            (None, Ok(Err(error))) => first = first.or(Some(fault(&error))),
            (None, Err(_)) => {
                let fault = "the reader of its tags failed, which is a fault of it; please report it with the file";
                first = first.or(Some(Fault::Damaged(fault)));
            }
        }
    }
    Err(first.unwrap_or(Fault::Damaged("nothing of it can be read")))
}

fn fault(error: &LoftyError) -> Fault {
    match error.kind() {
        ErrorKind::TooMuchData => Fault::Exhausted,
        _ => Fault::Damaged("neither its tags nor its sound can be read"),
    }
}
