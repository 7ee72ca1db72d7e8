//! Migration of scripts of upstream NeuroScript. It needs no sandbox and no policy, only a large enough stack; whether the
//! result is a valid script is for [`Engine::check`](super::Engine::check) to say.

use crate::limits::Limits;
use crate::migrate::{Migrated, migrate};
use crate::text::{Diagnostic, Source, Sources};

use super::stack::on_large_stack;
use super::{Script, internal_fault};

pub use crate::migrate::Verdict;

/// A migrated script.
pub struct MigratedScript {
    /// The original text, for showing findings and differences.
    pub sources: Sources,
    /// The migrated text, with a report; or the reason why the text cannot be read.
    pub result: Result<Migration, Vec<Diagnostic>>,
}

/// A migrated text with its report.
pub struct Migration {
    /// The text.
    pub text: String,
    /// The report, in the order of the original text.
    pub notes: Vec<MigrationNote>,
}

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationNote {
    /// The line in the original text, from 1.
    pub line: usize,
    /// The outcome for the place.
    pub verdict: Verdict,
    /// The change or the difference, with its reason.
    pub message: String,
}

/// Migrates a script.
pub fn migrate_script(script: &Script) -> MigratedScript {
    let mut sources = Sources::new();
    let (text, undecodable) = script.decode(Limits::default().script_bytes);
    let source = sources.add(script.name(), text);
    let result = match undecodable {
        Some(finding) => Err(vec![finding]),
        None => on_large_stack(|| migration(source)).map_err(|panic| vec![internal_fault(&panic)]),
    };
    MigratedScript { sources, result }
}

fn migration(source: &Source) -> Migration {
    let Migrated { text, notes } = migrate(source.text());
    let line = |at: usize| source.line_of(at).max(1);
    let notes = notes.into_iter();
    let notes = notes.map(|note| MigrationNote { line: line(note.at), verdict: note.verdict, message: note.message });
    Migration { text, notes: notes.collect() }
}
