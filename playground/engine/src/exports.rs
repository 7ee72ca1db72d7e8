//! The playground for JavaScript. Answers are JSON; a panic is a trap, after which the page starts another worker.

use js_sys::Function;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

use crate::{Playground, Receiver, highlight};

/// Returns three numbers for each token of a script: start, end, class.
#[wasm_bindgen]
pub fn tokens(script: &str) -> Vec<u32> {
    highlight(script)
}

/// Returns the formatted script, or the errors in it.
#[wasm_bindgen]
pub fn format(script: &str) -> String {
    Playground::format(script)
}

/// A folder in memory.
#[wasm_bindgen]
pub struct Folder(Playground);

#[wasm_bindgen]
impl Folder {
    /// Creates an empty folder.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Folder, JsError> {
        Playground::new().map(Folder).map_err(|refusal| JsError::new(&refusal.to_string()))
    }

    /// Returns the findings about a script.
    pub fn check(&self, script: &str) -> String {
        self.0.check(script)
    }

    /// Runs a script; `receive` gets the pieces of its output, and whether a piece is a warning.
    pub fn run(&mut self, script: &str, receive: Function) -> String {
        self.0.run(script, receiver(receive))
    }

    /// Plans a script.
    pub fn plan(&mut self, script: &str, receive: Function) -> String {
        self.0.plan(script, receiver(receive))
    }

    /// Applies the newest plan.
    pub fn apply(&mut self) -> String {
        self.0.apply()
    }

    /// Undoes the newest run, or redoes the one that was undone last.
    pub fn undo(&mut self, redo: bool) -> String {
        self.0.undo(redo)
    }

    /// Returns the entries of the folder and its runs.
    pub fn state(&self) -> String {
        self.0.state()
    }

    /// Returns the beginning of a file.
    pub fn read(&self, path: &str) -> String {
        self.0.read(path)
    }

    /// Writes a file.
    pub fn write(&mut self, path: &str, text: &str) -> String {
        self.0.write(path, text)
    }

    /// Deletes a file or a directory.
    pub fn remove(&mut self, path: &str) -> String {
        self.0.remove(path)
    }

    /// Returns the tree of the folder as bytes.
    pub fn save(&self) -> Result<Vec<u8>, JsError> {
        self.0.save().map_err(|refusal| JsError::new(&refusal.to_string()))
    }

    /// Returns the changes from a saved folder to this one.
    pub fn changes_since(&self, snapshot: &[u8]) -> String {
        self.0.changes_since(snapshot)
    }

    /// Replaces the folder by a saved one.
    pub fn load(&mut self, snapshot: &[u8]) -> String {
        self.0.load(snapshot)
    }
}

fn receiver(receive: Function) -> Receiver {
    Box::new(move |piece, is_warning| {
        // The page cannot refuse output, so its exceptions say nothing.
        let _ = receive.call2(&JsValue::NULL, &JsValue::from_str(piece), &JsValue::from_bool(is_warning));
    })
}
