//! Texts that are open in an editor: a check reads them in place of the files of modules.
//!
//! The path of a module is still found and admitted as that of a file, so an open text opens nothing that the policy
//! closes.

use std::collections::HashMap;
use std::path::Path;

use crate::gate::ModuleError;

use super::Engine;

/// Open texts by the addresses of their files.
pub(super) type OpenTexts = HashMap<String, String>;

impl Engine {
    /// Sets the text that checks read in place of a module's file; `None` lets them read the file again. A path outside
    /// the sandbox has no effect.
    pub fn set_open_text(&self, path: &Path, text: Option<&str>) {
        let Some(address) = self.address_of(path) else { return };
        let mut texts = self.open_texts.borrow_mut();
        match text {
            Some(text) => drop(texts.insert(address, text.to_owned())),
            None => drop(texts.remove(&address)),
        }
    }

    /// Returns the address of a path in the sandbox.
    pub fn address_of(&self, path: &Path) -> Option<String> {
        let root = self.gate.root();
        Some(root.address_of(&root.part_below(path)?.to_string_lossy()).into_owned())
    }

    /// Returns the open text of a module with this address.
    pub(super) fn open_text(&self, address: &str, limit: u64) -> Option<Result<Vec<u8>, ModuleError>> {
        let texts = self.open_texts.borrow();
        let text = texts.get(address)?;
        Some(if text.len() as u64 > limit { Err(ModuleError::TooLarge) } else { Ok(text.as_bytes().to_vec()) })
    }
}
