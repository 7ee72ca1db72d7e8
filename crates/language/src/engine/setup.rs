//! Setup of an engine: opens the sandbox, reads the policy and combines the limits.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::audit::Audit;
use crate::gate::{Approvals, DirectoryRule, Gate, GateParts, Policy, RandomSource, Unused};
use crate::limits::{Jobs, Limits};
use crate::sandbox::{Root, UserState, state_folder_of};
use crate::text::{Code, Diagnostic};

use super::Engine;
use super::config::{Config, files};
use super::libraries::open_libraries;
use super::options::{Options, SetupError};
use super::policies::{keep_answers, keep_out_of_policies, read_policies};

impl Engine {
    /// Opens the sandbox that the options name, reads the policy and combines the limits.
    ///
    /// # Errors
    /// Returns the part that cannot be opened or read, with advice.
    pub fn open(options: &Options) -> Result<Engine, SetupError> {
        Engine::open_at(open_root(options.sandbox.as_deref())?, options)
    }

    /// Like [`Engine::open`], with an open root as the sandbox. For a folder in memory
    /// ([`Root::in_memory`](crate::sandbox::Root::in_memory)) nothing is kept of the user unless the options name a state.
    ///
    /// # Errors
    /// Returns the part that cannot be opened or read, with advice.
    pub fn open_at(root: Root, options: &Options) -> Result<Engine, SetupError> {
        let toolbox = crate::tools::toolbox();
        let Config { mut limits, mut policy, settings } = read_policies(&root, options, &toolbox.registry)?;
        let optional = overrule(&mut limits, &mut policy, options);
        Arc::make_mut(&mut policy.provenance).options = optional;
        let own_state = || if root.is_in_memory() { None } else { files::state_folder() };
        let state = options.state.clone().or_else(own_state);
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
        let approvals = Approvals::new(keep_answers(&policy.provenance.files));
        let engine = Engine {
            gate: Rc::new(Gate::new(GateParts {
                toolbox,
                root,
                further,
                libraries,
                policy,
                settings,
                approvals,
                audit: Audit::new(state),
                clock: options.clock,
                random: RandomSource::new(options.seed),
                jobs: options.jobs.unwrap_or_else(Jobs::available),
                client: options.client.clone(),
            })),
            limits,
            strict: options.strict,
            atomic: options.atomic,
            may_plan: options.may_plan,
            interrupt: options.interrupt.clone().unwrap_or_default(),
            ended: RefCell::default(),
            newest: RefCell::default(),
            lockdown: OnceCell::new(),
            open_texts: RefCell::default(),
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

    /// Creates an engine for the same sandbox whose runs only plan changes.
    pub(super) fn planning(&self) -> Result<Engine, SetupError> {
        let gate = self.gate.planning().map_err(|error| {
            let message = format!("nothing can be planned: {error}");
            SetupError::new(
                Diagnostic::placeless(Code::BadRoot, message)
                    .help("name a directory outside the sandbox: `TMPDIR=DIR ns …`"),
            )
        })?;
        let (limits, interrupt) = (self.limits.clone(), self.interrupt.clone());
        let (strict, atomic, may_plan) = (self.strict, self.atomic, self.may_plan);
        let (ended, lockdown) = (RefCell::default(), self.lockdown.clone());
        let newest = RefCell::default();
        let open_texts = RefCell::default();
        Ok(Engine {
            gate: Rc::new(gate),
            limits,
            strict,
            atomic,
            may_plan,
            interrupt,
            ended,
            newest,
            lockdown,
            open_texts,
        })
    }
}

/// Applies options of the command line, which take precedence over every file. Returns the keys that they set.
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

/// Restricts work to these directories. A directory that contains a root does not restrict that root.
fn narrow(policy: &mut Policy, root: &Root, further: &[Root], within: &[PathBuf]) {
    let mut addresses = Vec::new();
    for directory in within {
        // Both the path and its target, so that links on the way make no difference.
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
    note_unopened(policy);
    Ok(further)
}

/// Blocks the targets of blocked directories too, if a rule goes through a link.
fn block_where_links_lead(root: &Root, policy: &mut Policy) {
    let mut more = Vec::new();
    for rule in &policy.blocked_directories {
        // `join` leaves an absolute path unchanged.
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

/// Records the outside directories of the file in the root that stay closed.
fn note_unopened(policy: &mut Policy) {
    let unopened = policy.unopened().filter_map(|rule| {
        let value = format!("[{:?}]", rule.written());
        Some(Unused { key: "allowed_directories", value, stated: rule.stated()?.clone() })
    });
    let unused: Vec<Unused> = unopened.collect();
    Arc::make_mut(&mut policy.provenance).unused.extend(unused);
}

/// Hides the user state from tools, if it is inside a root or contains one.
fn keep_out_of_state(policy: &mut Policy, root: &Root, further: &[Root], state: &Path) {
    // NeuroScript's own directory in it is never a link; otherwise it is not used.
    let names = [std::path::absolute(state).ok(), files::future_path(state)];
    for name in names.into_iter().flatten().map(|state| state_folder_of(&state)) {
        for root in further.iter().chain([root]) {
            let below = if root.path().starts_with(&name) { Some(PathBuf::new()) } else { root.part_below(&name) };
            if let Some(below) = below {
                let address = root.address_of(&below.to_string_lossy()).into_owned();
                policy.blocked_directories.push(DirectoryRule::built_in(&address));
            }
        }
    }
}

fn refused_folder(message: String) -> SetupError {
    SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("name the sandbox: `--sandbox DIR`"))
}
