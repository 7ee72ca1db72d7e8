//! Module files: found and read under the same rules as files that tools read.

use crate::memory::Session as SessionMemory;
use crate::sandbox::{PathRule, PathText, ReadError, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};
use crate::value::Value;

use super::assembly::Gate;
use super::call_record::{CallRecord, LoggedArgument, LoggedForm};
use super::caller::Caller;
use super::library::LibraryPlace;

/// The file of a module, found but not read yet.
#[derive(Debug)]
pub struct ModuleFile {
    place: SandboxPath,
    /// The path in messages.
    pub name: String,
    /// The address that identifies the file, independent of the path in USE.
    pub address: String,
    /// The index of the library that contains it.
    pub library: Option<usize>,
}

/// A reason why a module was not read.
#[derive(Debug)]
pub enum ModuleError {
    /// The file does not exist, or access is refused.
    Tool(ToolError),
    /// The file is larger than the caller allows.
    TooLarge,
}

/// The paths that USE accepts: relative to the sandbox root or the library, without `..`.
const RULE: PathRule = PathRule { parents: false, ..PathRule::RELATIVE };

impl Gate {
    /// Finds a module. A path in a module of a library is looked up in that library only; any other path in the
    /// libraries, in order, and then in the sandbox. Refusals are recorded in the audit log if `run` is the
    /// caller in a run.
    pub fn find_module(
        &self,
        path: &str,
        library: Option<usize>,
        run: Option<&Caller<'_>>,
    ) -> Result<ModuleFile, ToolError> {
        self.recorded(path, run, |record| {
            let text = PathText::parse(path, RULE, &[]).map_err(SandboxError::from)?;
            if let Some(fault) = &text.fault {
                return Err(SandboxError::from(fault.clone()).into());
            }
            let path = text.display();
            if text.wants_folder {
                let error = ToolError::new(ToolCode::IsADirectory, format!("`{path}/` names a directory, not a file"));
                return Err(error.hint("leave out the `/` at the end"));
            }
            let libraries = library.map_or(0..self.world.libraries.len(), |library| library..library + 1);
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

    /// Finds a module in the sandbox, whatever libraries have.
    pub fn module_in_root(&self, path: &str) -> Result<ModuleFile, ToolError> {
        self.recorded(path, None, |record| self.module_in(None, path, record))
    }

    /// Reads the file of a module. Errors: [`ModuleError::TooLarge`] beyond `limit` bytes.
    pub fn read_module(&self, file: &ModuleFile, limit: u64, run: Option<&Caller<'_>>) -> Result<Vec<u8>, ModuleError> {
        let open = self.recorded(&file.name, run, |record| {
            record.concerns(&file.address);
            let open = file.place.open_file()?;
            self.admission.policy.admit_content(file.place.display(), &open.metadata)?;
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
        let locator = self.locator();
        let library_place = library.map(|number| &self.world.libraries[number].place);
        let place = match library_place {
            None => locator.place(path, RULE, Access::Read, see)?,
            Some(LibraryPlace::Outside(root)) => locator.place_in(root, path, RULE, Access::Read, see)?,
            Some(LibraryPlace::Inside(address)) => {
                let rule = PathRule { absolute: true, ..RULE };
                locator.place(&format!("{address}/{path}"), rule, Access::Read, see)?
            }
        };
        // Detects a missing file now, so that the next library is tried.
        place.metadata()?;
        let name = match library.map(|number| self.world.libraries[number].named.trim_end_matches('/')) {
            Some(named) => format!("{named}/{path}"),
            None => path.to_owned(),
        };
        Ok(ModuleFile { address: place.address().into_owned(), place, name, library })
    }

    /// Records the refusal of a USE in the audit log, if this happens in a run.
    fn recorded<T>(
        &self,
        path: &str,
        run: Option<&Caller<'_>>,
        work: impl FnOnce(&CallRecord<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let nobody = SessionMemory::new("");
        let session = run.map_or(&nobody, |caller| caller.session);
        let record =
            CallRecord::new("USE", vec![LoggedArgument::new("path", Value::text(path), LoggedForm::Path)], session);
        let result = work(&record);
        if let Some(Caller { meter, .. }) = run {
            // Nothing was changed, so an unwritable log is not an error.
            self.world.conclude(&record, false, meter, result.as_ref().err());
        }
        result
    }
}

/// Whether the file does not exist here, so that the search goes on.
fn is_missing(error: &ToolError) -> bool {
    matches!(error.code, ToolCode::NotFound | ToolCode::NotADirectory)
}
