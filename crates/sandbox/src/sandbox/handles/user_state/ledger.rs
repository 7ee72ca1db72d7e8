//! The ledger: a record of finished runs and of the end of each root's audit log.
//!
//! A copy of a journal could be put back into its directory. Finished runs are therefore recorded here, outside every
//! root, and are never recovered a second time. The ledger consists of lines of text: `ROOT run NAME`,
//! `ROOT over NAME` (this run and all earlier ones), `ROOT audit SEQ HASH`. Lines are appended under a lock but not
//! synced: they protect against replay, not against a power failure. Malformed lines are ignored.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memmem;
use web_time::{Duration, Instant};

use super::super::error::SandboxError;
use super::super::folder::File;
use super::super::folder::Folder;
use super::super::folder::lock::try_lock;
use super::super::private::{FILE_MODE, check_regular};
use super::display;

const NAME: &str = "ledger";
/// Size in bytes above which the ledger is compacted when it is opened.
const LARGE: u64 = 4 << 20;
/// Maximum size in bytes after compaction.
const COMPACT: usize = 2 << 20;
/// Number of bytes that are read at once.
const PIECE: usize = 64 << 10;
/// Numbers of runs per root to retain. Compaction uses the first number that makes the ledger small enough.
const RUNS: [usize; 3] = [1_000, 50, 0];
/// Maximum time to wait for another process.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// A handle of a user's ledger.
#[derive(Debug)]
pub struct Ledger {
    file: Mutex<File>,
}

/// The last line of an audit log, as last recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEnd {
    /// The number of the line.
    pub seq: u64,
    /// The hash of the line.
    pub hash: String,
}

/// The lines of one root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RootLines {
    /// Finished runs, in the order in which they ended.
    runs: Vec<String>,
    /// This run and all runs with earlier names are finished.
    over: Option<String>,
    audit: Option<AuditEnd>,
    /// The number of its last line in the ledger.
    newest: usize,
}

impl RootLines {
    /// Adds a line without its root. Ignores a malformed line.
    fn add(&mut self, number: usize, rest: &str) {
        let mut words = rest.split(' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("run"), Some(run), None, _) => self.runs.push(run.to_owned()),
            (Some("over"), Some(run), None, _) => self.over = self.over.take().max(Some(run.to_owned())),
            (Some("audit"), Some(seq), Some(hash), None) => {
                let Ok(seq) = seq.parse() else { return };
                self.audit = Some(AuditEnd { seq, hash: hash.to_owned() });
            }
            _ => return,
        }
        self.newest = number;
    }
}

impl Ledger {
    /// Opens the ledger; if `makes`, creates it first if it does not exist.
    pub(super) fn open(folder: &Folder, makes: bool) -> Result<Ledger, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(NAME), &error);
        let name = OsStr::new(NAME);
        match folder.metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound && makes => match folder.create_file(name, FILE_MODE) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(wrap(error)),
                _ => {}
            },
            other => check_regular(display(NAME), &other.map_err(wrap)?)?,
        }
        let file = folder.open_log(name).map_err(wrap)?;
        let metadata = folder.file_metadata(&file).map_err(wrap)?;
        check_regular(display(NAME), &metadata)?;
        let ledger = Ledger { file: Mutex::new(file) };
        if metadata.size > LARGE {
            // A ledger that stays large still works.
            let _ = ledger.with_lock(compact);
        }
        Ok(ledger)
    }

    /// Returns a handle of the ledger, for the kernel's restrictions.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> io::Result<rustix::fd::OwnedFd> {
        Ok(self.file().on_disk()?.try_clone()?.into())
    }

    /// Records that a run is over.
    pub fn end_run(&self, root: &str, run: &str) -> io::Result<()> {
        self.add(&format!("{root} run {run}\n"))
    }

    /// Records the last line of an audit log.
    pub fn end_audit(&self, root: &str, end: &AuditEnd) -> io::Result<()> {
        self.add(&format!("{root} audit {} {}\n", end.seq, end.hash))
    }

    /// Whether a run is over.
    ///
    /// # Errors
    /// Returns errors of the operating system. The answer is not known then.
    pub fn is_over(&self, root: &str, run: &str) -> io::Result<bool> {
        let lines = self.read_lines(root)?;
        Ok(lines.over.is_some_and(|over| run <= over.as_str()) || lines.runs.iter().any(|ended| ended == run))
    }

    /// Returns the last line of a root's audit log, as last recorded by this user.
    pub fn audit_end(&self, root: &str) -> io::Result<Option<AuditEnd>> {
        Ok(self.read_lines(root)?.audit)
    }

    /// Reads the lines of one root. The ledger may contain thousands of roots, so it is read piece by piece, and lines
    /// are selected before they are parsed.
    fn read_lines(&self, root: &str) -> io::Result<RootLines> {
        let mut lines = RootLines::default();
        // Only compaction needs the order of the lines of several roots.
        let mut add = |rest: &[u8]| lines.add(0, &String::from_utf8_lossy(rest));
        let start = format!("{root} ");
        let finder = memmem::Finder::new(&start);
        // Another process may be compacting it.
        self.with_lock(|file| {
            read_pieces(file, |piece| {
                let begins_line = |at: &usize| *at == 0 || piece[at - 1] == b'\n';
                let own = finder.find_iter(piece).filter(begins_line).map(|at| &piece[at + start.len()..]);
                own.for_each(|rest| add(&rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]));
            })
        })?;
        Ok(lines)
    }

    fn add(&self, line: &str) -> io::Result<()> {
        self.with_lock(|file| {
            // After a partial line left by a crash, start a new one.
            let is_torn = file.size()? > 0 && !ends_in_line_feed(file)?;
            file.write_all(format!("{}{line}", if is_torn { "\n" } else { "" }).as_bytes())
        })
    }

    fn with_lock<T>(&self, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        let mut file = self.file();
        let begin = Instant::now();
        loop {
            if try_lock(&file)?.is_free() {
                break;
            }
            if begin.elapsed() >= PATIENCE {
                return Err(ErrorKind::WouldBlock.into());
            }
            std::thread::sleep(PAUSE);
        }
        let done = work(&mut file);
        // If unlocking fails, the lock is released with the file.
        let _ = file.unlock();
        done
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ends_in_line_feed(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn read(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    go_to_newest(file)?;
    file.take(2 * LARGE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the ledger in pieces of whole lines. The last one may be partial.
fn read_pieces(file: &mut File, mut work: impl FnMut(&[u8])) -> io::Result<()> {
    go_to_newest(file)?;
    let mut file = file.take(2 * LARGE);
    let (mut piece, mut filled) = (vec![0; PIECE], 0);
    loop {
        let count = match file.read(&mut piece[filled..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += count;
        let end = if count == 0 { filled } else { memchr::memrchr(b'\n', &piece[..filled]).map_or(0, |at| at + 1) };
        work(&piece[..end]);
        if count == 0 {
            return Ok(());
        }
        piece.copy_within(end..filled, 0);
        filled -= end;
        if filled == piece.len() {
            piece.resize(2 * filled, 0);
        }
    }
}

/// Moves to the end, which has the newest lines. A partial first line is ignored.
fn go_to_newest(file: &mut File) -> io::Result<()> {
    let begin = file.size()?.saturating_sub(2 * LARGE);
    file.seek(SeekFrom::Start(begin)).map(drop)
}

fn lines_of(text: &str) -> BTreeMap<&str, RootLines> {
    let mut roots: BTreeMap<&str, RootLines> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let Some((root, rest)) = line.split_once(' ') else { continue };
        roots.entry(root).or_default().add(number, rest);
    }
    roots
}

/// Compacts a ledger. Retains the newest runs of each root, and replaces the others with a single line for the last
/// of them.
fn compact(file: &mut File) -> io::Result<()> {
    let before = read(file)?;
    let roots = lines_of(&before);
    let mut texts = RUNS.iter().map(|&runs| text_of(&roots, runs));
    let mut text = texts.clone().find(|text| text.len() <= COMPACT).or_else(|| texts.next_back()).unwrap_or_default();
    // The roots used most recently are last, so drop lines from the start.
    while text.len() > COMPACT {
        let end = text.floor_char_boundary(text.len() - COMPACT);
        let next = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        text.drain(..next);
    }
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

fn text_of(roots: &BTreeMap<&str, RootLines>, most: usize) -> String {
    let mut ordered: Vec<_> = roots.iter().collect();
    ordered.sort_by_key(|(_, lines)| lines.newest);
    let mut text = String::new();
    for (root, lines) in ordered {
        let (old, new) = lines.runs.split_at(lines.runs.len().saturating_sub(most));
        if let Some(over) = old.iter().chain(&lines.over).max() {
            text.push_str(&format!("{root} over {over}\n"));
        }
        new.iter().for_each(|run| text.push_str(&format!("{root} run {run}\n")));
        if let Some(AuditEnd { seq, hash }) = &lines.audit {
            text.push_str(&format!("{root} audit {seq} {hash}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::folder::Folder;
    use super::{AuditEnd, LARGE, Ledger, PIECE};

    fn ledger(place: &tempfile::TempDir) -> Ledger {
        Ledger::open(&Folder::open_root(place.path()).expect("it opens"), true).expect("it is made")
    }

    #[test]
    fn a_run_that_ended_is_over_for_its_root_alone() {
        let place = tempfile::tempdir().expect("a folder");
        let one = ledger(&place);
        one.end_run("aa", "run-1").expect("it is added");
        std::fs::OpenOptions::new()
            .append(true)
            .open(place.path().join("ledger"))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"aa run torn"))
            .expect("it is torn");
        let other = ledger(&place);
        other.end_audit("aa", &AuditEnd { seq: 7, hash: "h".to_owned() }).expect("it is added");
        assert!(one.is_over("aa", "run-1").expect("it is read"));
        assert!(!one.is_over("a", "run-1").expect("it is read") && !one.is_over("bb", "run-1").expect("it is read"));
        assert!(!one.is_over("aaa", "run-1").expect("it is read") && !one.is_over("aa", "run-2").expect("it is read"));
        assert_eq!(one.audit_end("aa").expect("it is read"), Some(AuditEnd { seq: 7, hash: "h".to_owned() }));
        assert_eq!(one.audit_end("bb").expect("it is read"), None);
    }

    #[test]
    fn lines_are_found_where_pieces_end() {
        let place = tempfile::tempdir().expect("a folder");
        let ledger = ledger(&place);
        // Lines of another root, one of them longer than a piece, and the name of the root inside of a line.
        for length in [PIECE - 30, PIECE - 10, PIECE - 5, PIECE, 3 * PIECE] {
            let text = format!("{}\nbb run aa run {length}\n", "x".repeat(length));
            std::fs::write(place.path().join("ledger"), text).expect("it is written");
            ledger.end_run("aa", "run-1").expect("it is added");
            ledger.end_run("aa", "run-2").expect("it is added");
            for (run, is_over) in [("run-1", true), ("run-2", true), ("run-3", false), (&length.to_string(), false)] {
                assert_eq!(ledger.is_over("aa", run).expect("it is read"), is_over, "{length}: {run}");
            }
        }
    }

    #[test]
    fn a_large_ledger_forgets_no_end() {
        let place = tempfile::tempdir().expect("a folder");
        let mut text = String::new();
        let (mut number, roots) = (0, 300);
        while (text.len() as u64) <= LARGE {
            text.push_str(&format!("{:016x} run {number:030}\n", number % roots));
            number += 1;
        }
        std::fs::write(place.path().join("ledger"), &text).expect("it is written");
        set_private(&place);
        let ledger = ledger(&place);
        let size = std::fs::metadata(place.path().join("ledger")).expect("it is there").len();
        assert!(size <= LARGE / 2, "{size}");
        for run in [0, 1, number / 2, number - 1] {
            let root = format!("{:016x}", run % roots);
            assert!(ledger.is_over(&root, &format!("{run:030}")).expect("it is read"), "{run}");
            assert!(!ledger.is_over(&root, &format!("{:030}", number + roots)).expect("it is read"));
        }
    }

    fn set_private(place: &tempfile::TempDir) {
        use std::os::unix::fs::PermissionsExt;
        let path = place.path().join("ledger");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    }
}
