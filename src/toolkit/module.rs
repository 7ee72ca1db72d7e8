//! Files of code that a text uses: found and read by the rules that hold for tools that read files.
//!
//! A library is a folder of modules that the user names. One outside the sandbox is a root of its own, which
//! no tool reaches; one inside it, or inside a further root, is a path there, so that all rules about that
//! path hold.

use crate::limits::Meter;
use crate::sandbox::{PathRule, PathText, ReadError, Root, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::value::Value;

use super::call_record::{CallRecord, Shown, Told};
use super::error::ToolError;
use super::gate::Gate;
use super::memory::SessionMemory;
use super::spec::Access;

/// A folder of modules besides the sandbox.
#[derive(Debug)]
pub struct Library {
    /// The folder as the user named it, for messages.
    pub named: String,
    /// Where it is.
    pub place: LibraryPlace,
}

/// Where a library is.
#[derive(Debug)]
pub enum LibraryPlace {
    /// Below a root that tools reach, at this address.
    Inside(String),
    /// A root of its own.
    Outside(Box<Root>),
}

/// A module's file, found and not read yet.
#[derive(Debug)]
pub struct ModuleFile {
    place: SandboxPath,
    /// The path as messages show it.
    pub name: String,
    /// What it is known by, whatever path led there.
    pub address: String,
    /// The library that it belongs to.
    pub library: Option<usize>,
}

/// Why a module was not read.
#[derive(Debug)]
pub enum ModuleError {
    /// It is not there, or refused.
    Tool(ToolError),
    /// It has more bytes than the caller takes.
    TooLarge,
}

/// What a path in USE may be: from the sandbox root, or the library, downwards.
const RULE: PathRule = PathRule { parents: false, ..PathRule::RELATIVE };

impl Gate {
    /// Finds the module of a path: in a library for the modules of that library; for others in the
    /// libraries, in their order, then in the sandbox. What is refused is told to the audit log of a run,
    /// which has an account and a session.
    pub fn find_module(
        &self,
        path: &str,
        library: Option<usize>,
        run: Option<(&Meter, &SessionMemory)>,
    ) -> Result<ModuleFile, ToolError> {
        self.telling(path, run, |record| {
            let text = PathText::parse(path, RULE, &[]).map_err(SandboxError::from)?;
            if let Some(fault) = &text.fault {
                return Err(SandboxError::from(fault.clone()).into());
            }
            let path = text.shown();
            if text.wants_folder {
                let error = ToolError::new(ToolCode::IsADirectory, format!("`{path}/` names a directory, not a file"));
                return Err(error.hint("leave out the `/` at the end"));
            }
            let libraries = library.map_or(0..self.libraries.len(), |library| library..library + 1);
            for number in libraries {
                match self.module_in(Some(number), &path, record) {
                    Err(error) if is_missing(&error) => {}
                    found => return found,
                }
            }
            match library {
                None => self.module_in(None, &path, record),
                Some(_) => Err(ToolError::new(ToolCode::NotFound, format!("`{path}` does not exist"))),
            }
        })
    }

    /// The text of a module's file, of at most so many bytes.
    pub fn read_module(
        &self,
        file: &ModuleFile,
        limit: u64,
        run: Option<(&Meter, &SessionMemory)>,
    ) -> Result<Vec<u8>, ModuleError> {
        let open = self.telling(&file.name, run, |record| {
            record.concerns(&file.address);
            let open = file.place.open_file()?;
            self.policy.admit_content(file.place.shown(), &open.metadata)?;
            Ok(open)
        });
        let open = open.map_err(ModuleError::Tool)?;
        open.read_to_limit(&file.place, limit).map_err(|error| match error {
            ReadError::Sandbox(error) => ModuleError::Tool(error.into()),
            ReadError::TooLarge { .. } => ModuleError::TooLarge,
        })
    }

    fn module_in(&self, library: Option<usize>, path: &str, record: &CallRecord<'_>) -> Result<ModuleFile, ToolError> {
        let see = |address: &str| record.concerns(address);
        let library_place = library.map(|number| &self.libraries[number].place);
        let place = match library_place {
            None => self.place(path, RULE, Access::Read, see)?,
            Some(LibraryPlace::Outside(root)) => self.place_in(root, path, RULE, Access::Read, see)?,
            Some(LibraryPlace::Inside(address)) => {
                let rule = PathRule { absolute: true, ..RULE };
                self.place(&format!("{address}/{path}"), rule, Access::Read, see)?
            }
        };
        // What is missing is found out now, so that the next library can be asked.
        place.metadata()?;
        let name = match library.map(|number| self.libraries[number].named.trim_end_matches('/')) {
            Some(named) => format!("{named}/{path}"),
            None => path.to_owned(),
        };
        Ok(ModuleFile { address: place.address().into_owned(), place, name, library })
    }

    /// Tells the audit log of a run when work for USE is refused.
    fn telling<T>(
        &self,
        path: &str,
        run: Option<(&Meter, &SessionMemory)>,
        work: impl FnOnce(&CallRecord<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let nobody = SessionMemory::new("");
        let session = run.map_or(&nobody, |(_, session)| session);
        let record = CallRecord::new("USE", vec![Told::new("path", Value::text(path), Shown::Path)], session);
        let result = work(&record);
        if let Some((meter, _)) = run {
            // Nothing was changed, so a log that cannot be written is no error.
            self.conclude(&record, false, meter, result.as_ref().err());
        }
        result
    }
}

/// Whether there is no such file, so that it may be somewhere else.
fn is_missing(error: &ToolError) -> bool {
    matches!(error.code, ToolCode::NotFound | ToolCode::NotADirectory)
}
