//! How an engine comes to be: the sandbox is opened, the policy read, the limits put together.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::audit::Audit;
use crate::limits::{Interrupt, Limits};
use crate::memory::Project;
use crate::sandbox::{Root, TemporaryFolders, UserKey, UserState, state_folder_of};
use crate::text::{Code, Diagnostic, Sources};
use crate::toolkit::{Approvals, Chance, Clock, DirectoryRule, Gate, Policy, Unused};

use super::Engine;
use super::config::{Config, files};
use super::libraries::open_libraries;
use super::policies::{keep_answers, keep_out_of_policies, read_policies};

/// What a front end asks for. What is left out comes from the policy file, then from built-in values.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The sandbox folder; the current folder when left out.
    pub sandbox: Option<PathBuf>,
    /// A policy file besides the user's own and the one in the root.
    pub policy: Option<PathBuf>,
    /// The policy file of a case of `ns test`, which narrows alone.
    pub case_policy: Option<PathBuf>,
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
    /// The key of the user's seals, from a process that was handed it; read from the state folder when left out.
    pub key: Option<UserKey>,
    /// Whether nothing will be run or changed: no run that was killed is brought to an end, and no key is made.
    pub looks_only: bool,
    /// Whether a key is made all the same, where there is none.
    pub makes_key: bool,
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
    /// The most files that one operation lists or changes. As an option of the user's own it may widen what the
    /// policy file says.
    pub max_files: Option<u64>,
    /// The same where neither says anything; that of people when left out.
    pub max_files_unless_set: Option<u64>,
    /// The most bytes of one answer of a tool.
    pub answer_bytes: Option<u64>,
    /// What `TIME.Now` says.
    pub clock: Clock,
    /// What random numbers begin with; nobody can guess it when left out.
    pub seed: Option<u64>,
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

impl Engine {
    /// Opens the sandbox, reads the policy and puts the limits together.
    pub fn open(options: &Options) -> Result<Engine, SetupError> {
        let root = open_root(options.sandbox.as_deref())?;
        let registry = Rc::new(crate::tools::registry());
        let Config { mut limits, mut policy, settings } = read_policies(&root, options, &registry)?;
        let optional = overrule(&mut limits, &mut policy, options);
        Arc::make_mut(&mut policy.provenance).options = optional;
        let state = options.state.clone().or_else(files::state_folder);
        let makes_key = options.makes_key || !(policy.read_only || options.plan || options.looks_only);
        let user = Arc::new(match &options.key {
            Some(key) => UserState::handed(key.clone(), state.as_deref()),
            None => UserState::open(state.as_deref(), makes_key),
        });
        let root = sealed_for(root, &user)?;
        let further = open_further(&root, &mut policy)?;
        let further = further.into_iter().map(|root| sealed_for(root, &user)).collect::<Result<Vec<Root>, _>>()?;
        options.within.iter().for_each(|within| narrow(&mut policy, &root, &further, within));
        keep_out_of_policies(&mut policy, &root, &further);
        state.iter().for_each(|state| keep_out_of_state(&mut policy, &root, &further, state));
        let libraries = open_libraries(&options.libraries, &root, &further, &mut policy)?;
        let approvals = Rc::new(Approvals::new(keep_answers(&policy.provenance.files)));
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
            ended: RefCell::default(),
            newest: RefCell::default(),
            force: OnceCell::new(),
        };
        engine.check_limits(options.calls_only)?;
        if options.plan {
            return engine.planning();
        }
        if !options.looks_only {
            engine.gate.recover();
        }
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
        let (strict, atomic) = (self.strict, self.atomic);
        let (ended, force) = (RefCell::default(), self.force.clone());
        let newest = RefCell::default();
        Ok(Engine { gate: Rc::new(gate), limits, strict, atomic, interrupt, ended, newest, force })
    }
}

/// Sets what options of the command line say, which come before every file, and gives the keys.
fn overrule(limits: &mut Limits, policy: &mut Policy, options: &Options) -> Vec<&'static str> {
    let mut keys = Vec::new();
    if let Some(max_steps) = options.max_steps {
        limits.max_steps = max_steps;
        keys.push("max_steps");
    }
    if options.timeout.is_some() {
        limits.timeout = options.timeout;
        keys.push("timeout_s");
    }
    if options.answer_bytes.is_some() {
        limits.tool_output_bytes = options.answer_bytes;
        keys.push("tool_output_bytes");
    }
    if let Some(most) = options.max_files {
        policy.max_files_per_operation = most;
        keys.push("max_files_per_operation");
    }
    if options.read_only && !policy.read_only {
        policy.read_only = true;
        keys.push("read_only");
    }
    keys
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

fn sealed_for(root: Root, user: &Arc<UserState>) -> Result<Root, SetupError> {
    let path = root.path().display().to_string();
    root.sealed_for(user).map_err(|error| {
        let message = format!("the sandbox folder `{path}` cannot be looked at: {error}");
        SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("name an existing folder: `--sandbox DIR`"))
    })
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
    let truth = |path: &Path| files::true_path(path).unwrap_or_else(|| path.to_path_buf());
    policy.settle(below, truth, |path| {
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
    tell_unopened(policy);
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

/// Notes the directories outside that the file in the root names in vain.
fn tell_unopened(policy: &mut Policy) {
    let unopened = policy.unopened().filter_map(|rule| {
        let value = format!("[{:?}]", rule.written());
        Some(Unused { key: "allowed_directories", value, stated: rule.stated()?.clone() })
    });
    let unused: Vec<Unused> = unopened.collect();
    Arc::make_mut(&mut policy.provenance).unused.extend(unused);
}

/// No tool sees what is kept of runs in the user's state folder, where a root holds it or lies in it.
fn keep_out_of_state(policy: &mut Policy, root: &Root, further: &[Root], state: &Path) {
    // Our own folder in it is no link, or it is not used.
    let names = [std::path::absolute(state).ok(), files::future_path(state)];
    for name in names.into_iter().flatten().map(|state| state_folder_of(&state)) {
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

fn refused_folder(message: String) -> SetupError {
    SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("name the sandbox: `--sandbox DIR`"))
}
