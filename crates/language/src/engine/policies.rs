//! The policy files of an engine: which ones exist, their combined values, and where permanent approvals are saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::gate::{KeepAnswer, Layer, Policy, PolicyFile};
use crate::sandbox::Root;
use crate::text::{Code, Diagnostic, Sources};
use crate::toolkit::Registry;

use super::config::{Config, approve, combine, files, read};
use super::lockdown::outside;
use super::options::{Options, SetupError};

/// The name of the policy file in a root.
const POLICY_FILE: &str = "neuroscript.toml";
/// Maximum size of a policy file, in bytes.
const MAX_POLICY: u64 = 256 << 10;

/// Reads all policy files and combines their values.
pub(super) fn read_policies(root: &Root, options: &Options, registry: &Registry) -> Result<Config, SetupError> {
    let mut found = Vec::new();
    if let Some(path) = files::user_policy(POLICY_FILE).filter(|path| files::may_be_there(path)) {
        found.push((Layer::User, path.display().to_string(), read_file(&path)?, Some(path)));
    }
    if let Some(path) = &options.policy {
        found.push((Layer::Named, path.display().to_string(), read_file(path)?, Some(path.clone())));
    }
    if let Some(path) = &options.case_policy {
        found.push((Layer::Case, path.display().to_string(), read_file(path)?, Some(path.clone())));
    }
    let in_root = root.read_reserved(POLICY_FILE, MAX_POLICY);
    if let Some(bytes) = in_root.map_err(|error| unreadable(POLICY_FILE, &error.to_string()))? {
        found.push((Layer::Root, POLICY_FILE.to_owned(), bytes, None));
    }
    let (mut sources, mut findings) = (Sources::new(), Vec::new());
    let (mut read_files, mut files) = (Vec::new(), Vec::new());
    for (layer, name, bytes, path) in found {
        let text = String::from_utf8(bytes).map_err(|_| unreadable(&name, "it is not UTF-8"))?;
        files.push(PolicyFile { layer, name: name.as_str().into(), path });
        match read(sources.add(name, text), registry, layer) {
            Ok(file) => read_files.push(file),
            Err(more) => findings.extend(more),
        }
    }
    if !findings.is_empty() {
        return Err(SetupError { findings, sources });
    }
    let mut config = combine(without_file(options), read_files);
    Arc::make_mut(&mut config.policy.provenance).files = files;
    Ok(config)
}

/// Returns the paths at which an engine with these options looks for policy files; they need not exist.
pub fn policy_paths(options: &Options) -> Vec<PathBuf> {
    let named = [&options.policy, &options.case_policy].into_iter().flatten().cloned();
    let in_root = options.sandbox.as_deref().unwrap_or(Path::new("")).join(POLICY_FILE);
    files::user_policy(POLICY_FILE).into_iter().chain(named).chain([in_root]).collect()
}

/// Checks the text of a policy file.
///
/// # Errors
/// One finding per mistake, with its position.
pub fn check_policy(text: &str, layer: Layer, registry: &Registry) -> Result<(), SetupError> {
    let mut sources = Sources::new();
    let read = read(sources.add(POLICY_FILE, text), registry, layer);
    read.map(drop).map_err(|findings| SetupError { findings, sources })
}

/// Returns the configuration without any policy file.
fn without_file(options: &Options) -> Config {
    let mut config = Config { limits: options.limits.clone(), ..Config::default() };
    if let Some(most) = options.max_files_unless_set {
        config.policy.max_files_per_operation = most;
    }
    config
}

/// Prevents tools from changing the policy files that the user named or has, if they are inside a root.
pub(super) fn keep_out_of_policies(policy: &mut Policy, root: &Root, further: &[Root]) {
    let read: Vec<PathBuf> = policy.provenance.files.iter().filter_map(|file| file.path.clone()).collect();
    for path in read.into_iter().chain(files::user_policy(POLICY_FILE)) {
        // The target of the path, and also the path itself, which may be a link.
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

/// Returns a function that saves permanent approvals in the user's own policy files. The file in the root belongs to
/// the directory, not to the user.
pub(super) fn keep_answers(files: &[PolicyFile]) -> Option<KeepAnswer> {
    let users: Vec<(Layer, PathBuf)> = files
        .iter()
        .filter(|file| file.layer.is_users())
        .filter_map(|file| Some((file.layer, file.path.clone()?)))
        .collect();
    if users.is_empty() {
        return None;
    }
    Some(Box::new(move |tool, layer| {
        let found = users.iter().find(|(users, _)| *users == layer).map(|(_, path)| path.clone());
        let path = found.ok_or("no policy file of yours lifts what asks")?;
        outside(move || approve::allow_for_good(&path, layer, tool, &crate::tools::registry()))
    }))
}

/// Reads a policy file at a path of the operating system.
fn read_file(path: &Path) -> Result<Vec<u8>, SetupError> {
    files::read(path, MAX_POLICY).map_err(|error| unreadable(&path.display().to_string(), &error.to_string()))
}

fn unreadable(name: &str, reason: &str) -> SetupError {
    let message = format!("the policy file `{name}` cannot be used: {reason}");
    SetupError::new(
        Diagnostic::placeless(Code::BadPolicy, message)
            .help("mend or remove it; nothing runs without the policy that is asked for"),
    )
}
