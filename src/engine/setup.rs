//! How an engine comes to be: the sandbox is opened, the policy read, the limits put together.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::audit::Audit;
use crate::limits::{Interrupt, Limits};
use crate::memory::Project;
use crate::sandbox::{LogFolder, Root, TemporaryFolders};
use crate::text::{Code, Diagnostic, Sources};
use crate::toolkit::{Approvals, Chance, Clock, DirectoryRule, Gate, KeepAnswer, Policy, Registry};

use super::Engine;
use super::config::{Config, Origin, approve, files, parse};
use super::libraries::open_libraries;
use super::wall::outside;

/// What a front end asks for. What is left out comes from the policy file, then from built-in values.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The sandbox folder; the current folder when left out.
    pub sandbox: Option<PathBuf>,
    /// The policy file; when left out, the one in the root or the user's.
    pub policy: Option<PathBuf>,
    /// The folder for what is kept of runs that may change nothing; the user's state folder when left out.
    pub state: Option<PathBuf>,
    /// Folders of modules besides the sandbox.
    pub libraries: Vec<PathBuf>,
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// Whether every failure of a tool is an error.
    pub strict: bool,
    /// Take back a run that fails.
    pub atomic: bool,
    /// Change nothing, and keep what would be changed.
    pub plan: bool,
    /// Whether tools are called and no script is looked at; whoever runs one needs an engine for that.
    pub calls_only: bool,
    /// The limits where neither the policy file nor these options say anything.
    pub limits: Limits,
    /// Directories outside of which nothing may be done, besides what the policy says; all may when left out.
    pub within: Option<Vec<PathBuf>>,
    /// The step limit.
    pub max_steps: Option<u64>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The most bytes of one answer of a tool.
    pub answer_bytes: Option<u64>,
    /// What `TIME.Now` says.
    pub clock: Clock,
    /// What random numbers begin with; nobody can guess it when left out.
    pub seed: Option<u64>,
}

/// Where the policy in force came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicySource {
    /// There is no file.
    BuiltIn,
    /// `neuroscript.toml` in the root.
    Root,
    /// A file that was named, or the user's.
    File(PathBuf),
}

/// Why an engine could not be made.
#[derive(Debug)]
pub struct SetupError {
    /// What to show.
    pub findings: Vec<Diagnostic>,
    /// The text it lies in, when it is about a policy file.
    pub sources: Sources,
}

impl SetupError {
    pub(super) fn new(finding: Diagnostic) -> SetupError {
        SetupError { findings: vec![finding], sources: Sources::new() }
    }
}

/// The name of the policy file in a root.
const POLICY_FILE: &str = "neuroscript.toml";
/// Bytes that a policy file may have.
const MAX_POLICY: u64 = 1 << 20;

impl Engine {
    /// Opens the sandbox, reads the policy and puts the limits together.
    pub fn open(options: &Options) -> Result<Engine, SetupError> {
        let root = open_root(options.sandbox.as_deref())?;
        let registry = Rc::new(crate::tools::registry());
        let (policy_source, config) = read_policy(&root, options, &registry)?;
        let Config { mut limits, mut policy, settings } = config;
        overrule(&mut limits, options);
        policy.read_only |= options.read_only;
        let further = open_further(&root, &mut policy)?;
        options.within.iter().for_each(|within| narrow(&mut policy, &root, &further, within));
        keep_out_of_policies(&mut policy, &root, &further, &policy_source);
        let state = options.state.clone().or_else(files::state_folder);
        state.iter().for_each(|state| keep_out_of_state(&mut policy, &root, &further, state));
        let libraries = open_libraries(&options.libraries, &root, &further, &mut policy)?;
        let approvals = Rc::new(Approvals::new(keep_answers(&policy_source)));
        let journal = policy.journal();
        let engine = Engine {
            gate: Rc::new(Gate {
                registry,
                root,
                further,
                libraries: libraries.into(),
                policy,
                settings,
                notes: RefCell::default(),
                project: Project::default(),
                approvals,
                lookout: Rc::default(),
                temporary: TemporaryFolders::default(),
                audit: Audit::new(state),
                clock: options.clock,
                chance: Rc::new(Chance::new(options.seed)),
                consoles: Rc::default(),
                journal,
                overlay: None,
            }),
            limits,
            strict: options.strict,
            atomic: options.atomic,
            interrupt: Interrupt::default(),
            policy_source,
            ended: RefCell::default(),
            newest: RefCell::default(),
            force: OnceCell::new(),
        };
        engine.check_limits(options.calls_only)?;
        if options.plan {
            return engine.planning();
        }
        engine.gate.recover();
        Ok(engine)
    }

    /// An engine for the same sandbox whose runs change nothing, and whose plan says what they would change.
    pub(super) fn planning(&self) -> Result<Engine, SetupError> {
        let gate = self.gate.planning().map_err(|error| {
            let message = format!("nothing can be planned: {error}");
            SetupError::new(
                Diagnostic::placeless(Code::BadRoot, message)
                    .help("name a directory outside the sandbox: `TMPDIR=DIR ns …`"),
            )
        })?;
        let (limits, interrupt) = (self.limits.clone(), self.interrupt.clone());
        let (strict, atomic, policy_source) = (self.strict, self.atomic, self.policy_source.clone());
        let (ended, force) = (RefCell::default(), self.force.clone());
        let newest = RefCell::default();
        Ok(Engine { gate: Rc::new(gate), limits, strict, atomic, interrupt, policy_source, ended, newest, force })
    }
}

fn overrule(limits: &mut Limits, options: &Options) {
    if let Some(max_steps) = options.max_steps {
        limits.max_steps = max_steps;
    }
    if options.timeout.is_some() {
        limits.timeout = options.timeout;
    }
    if options.answer_bytes.is_some() {
        limits.tool_output_bytes = options.answer_bytes;
    }
}

fn open_root(named: Option<&Path>) -> Result<Root, SetupError> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => files::current_folder().map_err(refused_folder)?,
    };
    Root::open(&path).map_err(|error| {
        let message = format!("the sandbox folder `{}` cannot be opened: {error}", path.display());
        SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("name an existing folder: `--sandbox DIR`"))
    })
}

fn read_policy(root: &Root, options: &Options, registry: &Registry) -> Result<(PolicySource, Config), SetupError> {
    let (source, name, text) = match options.policy.as_deref() {
        Some(path) => (PolicySource::File(path.to_path_buf()), path.display().to_string(), read_file(path)?),
        None => match root
            .read_reserved(POLICY_FILE, MAX_POLICY)
            .map_err(|error| unreadable(POLICY_FILE, &error.to_string()))?
        {
            Some(bytes) => (PolicySource::Root, POLICY_FILE.to_owned(), bytes),
            None => match files::user_policy(POLICY_FILE).filter(|path| files::is_file(path)) {
                Some(path) => (PolicySource::File(path.clone()), path.display().to_string(), read_file(&path)?),
                None => {
                    let config = Config { limits: options.limits.clone(), ..Config::default() };
                    return Ok((PolicySource::BuiltIn, config));
                }
            },
        },
    };
    let text = String::from_utf8(text).map_err(|_| unreadable(&name, "it is not UTF-8"))?;
    let mut sources = Sources::new();
    let origin = if source == PolicySource::Root { Origin::Root } else { Origin::User };
    match parse(sources.add(name, text), registry, origin, &options.limits) {
        Ok(config) => Ok((source, config)),
        Err(findings) => Err(SetupError { findings, sources }),
    }
}

/// Nothing may be done outside these directories. One that holds a root narrows nothing there.
fn narrow(policy: &mut Policy, root: &Root, further: &[Root], within: &[PathBuf]) {
    let mut addresses = Vec::new();
    for directory in within {
        // Both the name and what it leads to, so that a link on the way changes nothing.
        let names = [Some(directory.clone()), files::true_path(directory)];
        for name in names.into_iter().flatten() {
            for root in further.iter().chain([root]) {
                match root.part_below(&name) {
                    Some(below) => addresses.push(root.address_of(&below.to_string_lossy()).into_owned()),
                    None if root.path().starts_with(&name) => addresses.push(root.address_of("").into_owned()),
                    None => {}
                }
            }
        }
    }
    policy.narrow(addresses);
}

/// Opens the directories outside the root that the policy allows.
fn open_further(root: &Root, policy: &mut Policy) -> Result<Vec<Root>, SetupError> {
    let mut further: Vec<Root> = Vec::new();
    let below = |path: &Path| root.part_below(path).map(|below| below.to_string_lossy().into_owned());
    block_where_links_lead(root, policy);
    policy.settle(below, |path| {
        let refused = |reason: String| {
            let message = format!("`{}` of `allowed_directories` cannot be opened: {reason}", path.display());
            let finding = Diagnostic::placeless(Code::BadPolicy, message);
            SetupError::new(finding.help("name an existing directory that does not hold another root, or remove it"))
        };
        let opened = Root::open_further(path).map_err(|error| refused(error.to_string()))?;
        for other in further.iter().chain([root]) {
            if opened.part_below(other.path()).is_some() || other.part_below(opened.path()).is_some() {
                return Err(refused("it holds another root of this run, or lies in one".to_owned()));
            }
        }
        let path = opened.path().to_path_buf();
        further.push(opened);
        Ok(path)
    })?;
    Ok(further)
}

/// A blocked directory is blocked under its true name too, where the rule goes through a link.
fn block_where_links_lead(root: &Root, policy: &mut Policy) {
    let mut more = Vec::new();
    for rule in &policy.blocked_directories {
        // An absolute path stays what it is.
        let written = root.path().join(rule.written());
        let Some(path) = files::true_path(&written) else { continue };
        let holds_root = rule.absolute().is_some() && root.path().starts_with(&path);
        if holds_root {
            more.push(rule.leading(Some(""), &path));
        }
        if path != written {
            let below = root.part_below(&path).map(|below| below.to_string_lossy().into_owned());
            more.push(rule.leading(below.as_deref(), &path));
        }
    }
    policy.blocked_directories.extend(more);
}

/// No tool changes the policy file that was named, or that of the user, where a root holds it.
fn keep_out_of_policies(policy: &mut Policy, root: &Root, further: &[Root], source: &PolicySource) {
    let named = match source {
        PolicySource::File(path) => Some(path.clone()),
        PolicySource::Root | PolicySource::BuiltIn => None,
    };
    for path in named.into_iter().chain(files::user_policy(POLICY_FILE)) {
        // Both what the name leads to and the name itself, which may be a link.
        let true_folder = path.parent().and_then(files::true_path);
        let true_name = true_folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
        let names = [std::path::absolute(&path).ok(), files::true_path(&path), true_name];
        for name in names.into_iter().flatten() {
            for root in further.iter().chain([root]) {
                if let Some(below) = root.part_below(&name) {
                    policy.keep_out_of(&root.address_of(&below.to_string_lossy()));
                }
            }
        }
    }
}

/// No tool sees what is kept of runs in the user's state folder, where a root holds it or lies in it.
fn keep_out_of_state(policy: &mut Policy, root: &Root, further: &[Root], state: &Path) {
    // Our own folder in it is no link, or it is not used.
    let names = [std::path::absolute(state).ok(), files::future_path(state)];
    for name in names.into_iter().flatten().map(|state| LogFolder::own_in_state(&state)) {
        for root in further.iter().chain([root]) {
            let below = match root.path().starts_with(&name) {
                true => Some(PathBuf::new()),
                false => root.part_below(&name),
            };
            if let Some(below) = below {
                let address = root.address_of(&below.to_string_lossy()).into_owned();
                policy.blocked_directories.push(DirectoryRule::ours(&address));
            }
        }
    }
}

/// What keeps an answer for good: in the policy file in force, if it is the user's own.
fn keep_answers(source: &PolicySource) -> Option<KeepAnswer> {
    let path = match source {
        PolicySource::File(path) => path.clone(),
        // The file in the root belongs to the folder, not to the user.
        PolicySource::Root | PolicySource::BuiltIn => return None,
    };
    Some(Box::new(move |tool| {
        let path = path.clone();
        outside(move || approve::allow_for_good(&path, tool, &crate::tools::registry()))
    }))
}

/// The bytes of a policy file that is named by a path of the operating system.
fn read_file(path: &Path) -> Result<Vec<u8>, SetupError> {
    files::read(path, MAX_POLICY).map_err(|error| unreadable(&path.display().to_string(), &error.to_string()))
}

fn refused_folder(message: String) -> SetupError {
    SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("name the sandbox: `--sandbox DIR`"))
}

fn unreadable(name: &str, reason: &str) -> SetupError {
    let message = format!("the policy file `{name}` cannot be used: {reason}");
    SetupError::new(
        Diagnostic::placeless(Code::BadPolicy, message)
            .help("mend or remove it; nothing runs without the policy that is asked for"),
    )
}
