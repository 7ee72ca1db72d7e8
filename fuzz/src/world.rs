//! A sandbox for one input with a secret beside it, and invariants of all output.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use neuroscript_language::engine::{EmitError, Engine, Meter, Options, Output, Value, emitted};
use neuroscript_text::{Diagnostic, Sources, render};
use tempfile::TempDir;

/// Text that no output may contain.
pub const SECRET: &str = "SECRET-of-the-outside";

/// The text of findings about internal errors.
const FAULT: &str = "a fault of NeuroScript itself";

/// Maximum size in bytes of the ledger that all sandboxes share.
const MOST_LEDGER: u64 = 8 << 10;

/// Whether an input contains the text that outputs are checked for. A fuzzer can learn it and make it appear
/// legitimately.
pub fn knows_secret(data: &[u8]) -> bool {
    let holds = |text: &str| data.windows(text.len()).any(|window| window == text.as_bytes());
    holds(SECRET) || holds(FAULT)
}

/// A sandbox, and a directory beside it.
pub struct World {
    top: TempDir,
}

impl World {
    /// Creates an empty sandbox with links that lead out of it, in `/dev/shm` if that exists.
    pub fn new() -> World {
        let memory = Path::new("/dev/shm");
        let top = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let world = World { top: top.expect("a folder") };
        fs::create_dir(world.root()).and_then(|()| fs::create_dir(world.outside())).expect("folders");
        fs::write(world.outside().join("secret"), SECRET).expect("a secret");
        #[cfg(unix)]
        for (target, name) in [("../outside", "out"), ("../outside/secret", "secret"), ("loop", "loop")] {
            std::os::unix::fs::symlink(target, world.root().join(name)).expect("a link");
        }
        world
    }

    /// Returns the root of the sandbox.
    pub fn root(&self) -> PathBuf {
        self.top.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.top.path().join("outside")
    }

    /// Creates a file in the sandbox.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("it lies in the sandbox")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }

    /// Returns options with tight limits.
    pub fn options(&self) -> Options {
        Options {
            sandbox: Some(self.root()),
            state: Some(state_of_all()),
            max_steps: Some(20_000),
            timeout: Some(Duration::from_secs(2)),
            ..Options::default()
        }
    }

    /// Opens an engine with the default options of this sandbox.
    pub fn engine(&self) -> Engine {
        self.opened(&self.options())
    }

    /// Opens an engine with these options.
    pub fn opened(&self, options: &Options) -> Engine {
        Engine::open(options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings))
    }

    /// Checks that nothing outside was changed.
    pub fn check_outside(&self) {
        let names = fs::read_dir(self.outside()).expect("it is listed").count();
        let secret = fs::read_to_string(self.outside().join("secret")).expect("it is there");
        assert_eq!((names, secret.as_str()), (1, SECRET), "something outside was changed");
    }
}

/// Returns the state directory shared by all sandboxes of this process, so that the key is created only once. Deletes
/// its ledger when that becomes too large, because it would grow with every input.
fn state_of_all() -> PathBuf {
    static STATE: OnceLock<PathBuf> = OnceLock::new();
    let made = || {
        let place = std::env::temp_dir().join(format!("neuroscript-fuzz-state-{}", std::process::id()));
        fs::create_dir_all(&place).expect("a folder");
        place
    };
    let place = STATE.get_or_init(made);
    let ledger = place.join("neuroscript/ledger");
    if ledger.metadata().is_ok_and(|metadata| metadata.len() > MOST_LEDGER) {
        // Another thread may delete it at the same time.
        let _ = fs::remove_file(ledger);
    }
    place.clone()
}

thread_local! {
    /// The sandbox and engine that inputs share until one of them changes something.
    static SHARED: RefCell<Option<(World, Engine)>> = const { RefCell::new(None) };
}

/// Calls `work` with a sandbox and an engine that `make` creates. The next input gets the same ones unless a run has
/// begun, because creating a sandbox takes longer than most targets need for an input.
pub fn with_shared<T>(make: impl FnOnce() -> (World, Engine), work: impl FnOnce(&World, &Engine) -> T) -> T {
    let (world, engine) = SHARED.take().unwrap_or_else(make);
    let done = work(&world, &engine);
    if !world.root().join(".ns").exists() {
        SHARED.set(Some((world, engine)));
    }
    done
}

/// Calls a tool, and checks that its answer contains neither the secret nor an internal error.
pub fn call(engine: &Engine, tool: &str, arguments: serde_json::Value) -> Result<serde_json::Value, String> {
    // Not every JSON number is a value.
    let arguments: Value = serde_json::from_value(arguments).map_err(|error| error.to_string())?;
    let answer = match engine.call(tool, &arguments) {
        Ok(value) => Ok(serde_json::to_value(&value).expect("every value is JSON")),
        Err(error) if error.code.id() == "unknown_tool" => panic!("there is no {tool}"),
        Err(error) => Err(format!("{}: {} {:?}", error.code.id(), error.message, error.answer)),
    };
    let said = format!("{answer:?}");
    assert!(!said.contains(SECRET), "{tool} {arguments}: {said}");
    assert!(!said.contains(FAULT), "{tool} {arguments}: {said}");
    answer
}

/// Checks that findings contain no internal errors and can be rendered.
pub fn check_findings(findings: &[Diagnostic], sources: &Sources) {
    for finding in findings {
        assert_ne!(finding.code.id(), "NS0901", "{}", finding.message);
        let _ = render::to_terminal(finding, sources, render::Style::Plain);
        let _ = serde_json::to_string(&render::to_json(finding, sources));
    }
}

/// An output that discards everything after a check for the secret.
pub struct Unread;

impl Output for Unread {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        let text = emitted(values, meter)?;
        assert!(!text.contains(SECRET), "{text}");
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        assert!(!text.contains(SECRET), "{text}");
    }
}
