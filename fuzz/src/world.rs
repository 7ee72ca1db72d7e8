//! A sandbox for one input, with a secret beside it, and what must hold of everything that is said.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use neuroscript::engine::{EmitError, Engine, Meter, Options, Output, Value, emitted};
use neuroscript::text::{Diagnostic, Sources, render};
use tempfile::TempDir;

/// What no output may hold.
pub const SECRET: &str = "SECRET-of-the-outside";

/// What findings say where the fault is ours.
const FAULT: &str = "a fault of NeuroScript itself";

/// Bytes of the ledger of all sandboxes.
const MOST_LEDGER: u64 = 64 << 10;

/// Whether an input holds already what no answer may: who fuzzes learns what is looked for, and says it himself.
pub fn knows_secret(data: &[u8]) -> bool {
    let holds = |text: &str| data.windows(text.len()).any(|window| window == text.as_bytes());
    holds(SECRET) || holds(FAULT)
}

/// A sandbox, and a folder beside it.
pub struct World {
    top: TempDir,
}

impl World {
    /// An empty sandbox with links that lead out of it; in memory where the system has a place for that.
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

    /// The sandbox.
    pub fn root(&self) -> PathBuf {
        self.top.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.top.path().join("outside")
    }

    /// A file in the sandbox.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("it lies in the sandbox")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }

    /// How engines are opened for it: with limits that end everything soon.
    pub fn options(&self) -> Options {
        Options {
            sandbox: Some(self.root()),
            state: Some(state_of_all()),
            max_steps: Some(20_000),
            timeout: Some(Duration::from_secs(2)),
            ..Options::default()
        }
    }

    /// An engine for it.
    pub fn engine(&self) -> Engine {
        self.opened(&self.options())
    }

    /// An engine with these options.
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

/// The state folder of all sandboxes of this process, so that a key is made once. Its ledger would grow with every
/// input.
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
        // Another thread may do so too.
        let _ = fs::remove_file(ledger);
    }
    place.clone()
}

thread_local! {
    /// The sandbox and engine that inputs share until one of them changes something.
    static SHARED: RefCell<Option<(World, Engine)>> = const { RefCell::new(None) };
}

/// Does something with a sandbox and an engine that `make` opens. The next input gets the same, unless a run was
/// begun in it: making a sandbox takes longer than most targets need for an input.
pub fn with_shared<T>(make: impl FnOnce() -> (World, Engine), work: impl FnOnce(&World, &Engine) -> T) -> T {
    let (world, engine) = SHARED.take().unwrap_or_else(make);
    let done = work(&world, &engine);
    if !world.root().join(".ns").exists() {
        SHARED.set(Some((world, engine)));
    }
    done
}

/// Calls a tool; what is said of it holds no secret and tells of no fault of ours.
pub fn call(engine: &Engine, tool: &str, arguments: serde_json::Value) -> Result<serde_json::Value, String> {
    // Not every number of JSON is a value.
    let arguments: Value = serde_json::from_value(arguments).map_err(|error| error.to_string())?;
    let answer = match engine.call(tool, &arguments) {
        Ok(value) => Ok(serde_json::to_value(&value).expect("every value is JSON")),
        Err(error) => Err(format!("{}: {} {:?}", error.code.id(), error.message, error.answer)),
    };
    let said = format!("{answer:?}");
    assert!(!said.contains(SECRET), "{tool} {arguments}: {said}");
    assert!(!said.contains(FAULT), "{tool} {arguments}: {said}");
    answer
}

/// Findings tell of no fault of ours, and can be shown.
pub fn check_findings(findings: &[Diagnostic], sources: &Sources) {
    for finding in findings {
        assert_ne!(finding.code.id(), "NS0901", "{}", finding.message);
        let _ = render::to_terminal(finding, sources, render::Style::Plain);
        let _ = serde_json::to_string(&render::to_json(finding, sources));
    }
}

/// Nobody reads it.
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
