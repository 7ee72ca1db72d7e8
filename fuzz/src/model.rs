//! File operations compared with a model in memory: the result of each, the final tree, executed directly or as a plan,
//! and the tree after undoing everything.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use neuroscript_language::engine::{Engine, Options};
use serde_json::json;

use super::world::{World, call};

/// Paths, few enough for collisions, including one that no file can have, and the sandbox itself.
const NAMES: [&str; 12] =
    ["a", "b c", "d", "d/e", "d/e/f g", "d/\u{e9}", "quo\"te", "d/raw", "n\u{1F600}/m", " lead", "nul\0name", "."];
/// A name that is not UTF-8, in a directory that is moved, copied and deleted.
const RAW: &[u8] = b"d/raw\xff\xfe";
/// Maximum number of operations of one input.
const MOST: usize = 24;

/// The entry at a path.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    File(Vec<u8>),
    Folder,
}

/// A tree: paths as bytes, without the root.
type Tree = BTreeMap<Vec<u8>, Node>;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Write(&'static str, u8),
    Make(&'static str),
    Move(&'static str, &'static str),
    Copy(&'static str, &'static str),
    Delete(&'static str),
}

/// Executes the operations that bytes encode, four bytes each. The first byte selects direct execution or a plan.
pub fn operations(data: &[u8]) {
    let Some((form, data)) = data.split_first() else { return };
    let world = World::new();
    prepare(&world);
    let before = read(&world.root());
    let mut model = before.clone();
    let engine = world.engine();
    let plans = form % 2 == 1;
    let planning = plans.then(|| world.opened(&Options { plan: true, ..world.options() }));
    for operation in data.chunks_exact(4).take(MOST).map(decoded) {
        let done = done(planning.as_ref().unwrap_or(&engine), operation);
        let expected = step(&mut model, operation);
        assert_eq!(done, expected, "{operation:?} in {model:?}");
    }
    if let Some(planning) = planning {
        assert_eq!(read(&world.root()), before, "planning changed something");
        let plan = planning.plan("fuzz", false).expect("the plan is told").expect("the engine plans");
        engine.apply(&plan).unwrap_or_else(|error| panic!("{}: {:#?}", error.message, plan.changes));
    }
    assert_eq!(read(&world.root()), model);
    while engine.undo(None, false, false).map_err(|error| assert_eq!(error.code.id(), "not_found")).is_ok() {}
    assert_eq!(read(&world.root()), before, "taken back");
    world.check_outside();
}

fn prepare(world: &World) {
    for link in ["out", "secret", "loop"] {
        fs::remove_file(world.root().join(link)).expect("the link goes");
    }
    world.put("a", b"one");
    world.put("d/e/f g", b"two");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let raw = world.root().join(Path::new(std::ffi::OsStr::from_bytes(RAW)));
        fs::write(raw, b"raw").expect("a file whose name is no text");
    }
}

fn decoded(bytes: &[u8]) -> Operation {
    let name = |byte: u8| NAMES[usize::from(byte) % NAMES.len()];
    match bytes[0] % 6 {
        0 | 1 => Operation::Write(name(bytes[1]), bytes[3]),
        2 => Operation::Make(name(bytes[1])),
        3 => Operation::Move(name(bytes[1]), name(bytes[2])),
        4 => Operation::Copy(name(bytes[1]), name(bytes[2])),
        _ => Operation::Delete(name(bytes[1])),
    }
}

/// Executes an operation. Returns whether it succeeded.
fn done(engine: &Engine, operation: Operation) -> bool {
    let (tool, arguments) = match operation {
        Operation::Write(path, byte) => ("FS.WriteFile", json!({ "file_path": path, "content": content(byte) })),
        Operation::Make(path) => ("FS.CreateDirectory", json!({ "directory_path": path })),
        Operation::Move(from, to) => ("FS.MoveFile", json!({ "source": from, "destination": to })),
        Operation::Copy(from, to) => (
            "FS.CopyFile",
            json!({ "source_path": from, "destination_path": to, "recursive": true, "overwrite": true }),
        ),
        Operation::Delete(path) => ("FS.DeleteFile", json!({ "path": path, "recursive": true })),
    };
    call(engine, tool, arguments).is_ok_and(|answer| answer["error"].is_null())
}

fn content(byte: u8) -> String {
    "x".repeat(usize::from(byte))
}

/// Applies an operation to the model. Returns whether it is possible.
fn step(tree: &mut Tree, operation: Operation) -> bool {
    match operation {
        Operation::Write(path, byte) => put(tree, path, Node::File(content(byte).into_bytes())),
        Operation::Make(path) => match at(tree, path) {
            Some(node) => node == Node::Folder,
            None => put(tree, path, Node::Folder),
        },
        Operation::Move(from, to) => {
            let goes_into =
                Path::new(to).parent().is_none_or(|above| at(tree, &above.to_string_lossy()) == Some(Node::Folder));
            let can = is_name(from) && is_name(to) && at(tree, from).is_some() && at(tree, to).is_none();
            if !can || !goes_into || is_below(to, from) {
                return false;
            }
            let moved = subtree(tree, from);
            tree.retain(|path, _| !is_in(path, from));
            tree.extend(moved.into_iter().map(|(rest, node)| (joined(to, &rest), node)));
            true
        }
        Operation::Copy(from, to) => {
            if from == to || is_below(to, from) || is_below(from, to) || !is_name(from) || !is_name(to) {
                return false;
            }
            let copied = subtree(tree, from);
            let there = at(tree, to);
            let can = match (at(tree, from), &there) {
                (None, _) | (_, Some(Node::Folder)) => false,
                (Some(Node::Folder), Some(Node::File(_))) => false,
                (Some(_), _) => true,
            };
            if !can || !put(tree, to, Node::Folder) && there.is_none() {
                return false;
            }
            tree.remove(to.as_bytes());
            tree.extend(copied.into_iter().map(|(rest, node)| (joined(to, &rest), node)));
            true
        }
        Operation::Delete(path) => {
            let can = is_name(path) && at(tree, path).is_some();
            if can {
                tree.retain(|other, _| !is_in(other, path));
            }
            can
        }
    }
}

/// Puts an entry at a path and creates its parent directories. Returns whether that is possible.
fn put(tree: &mut Tree, path: &str, node: Node) -> bool {
    let above: Vec<&str> = path.match_indices('/').map(|(end, _)| &path[..end]).collect();
    let is_blocked = above.iter().any(|above| matches!(at(tree, above), Some(Node::File(_))));
    let is_in_the_way = at(tree, path) == Some(Node::Folder);
    if !is_name(path) || is_blocked || is_in_the_way {
        return false;
    }
    tree.extend(above.into_iter().map(|above| (above.as_bytes().to_vec(), Node::Folder)));
    tree.insert(path.as_bytes().to_vec(), node);
    true
}

fn at(tree: &Tree, path: &str) -> Option<Node> {
    match path {
        "" | "." => Some(Node::Folder),
        path => tree.get(path.as_bytes()).cloned(),
    }
}

/// Whether an entry other than the root can have this path.
fn is_name(path: &str) -> bool {
    path != "." && !path.contains('\0')
}

/// Whether a path is `folder` or below it.
fn is_in(path: &[u8], folder: &str) -> bool {
    path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

fn is_below(path: &str, folder: &str) -> bool {
    is_in(path.as_bytes(), folder)
}

/// Returns the entries at and below a path, by the rest of their paths.
fn subtree(tree: &Tree, path: &str) -> Vec<(Vec<u8>, Node)> {
    let found = tree.iter().filter(|(other, _)| is_in(other, path));
    found.map(|(other, node)| (other[path.len()..].to_vec(), node.clone())).collect()
}

fn joined(path: &str, rest: &[u8]) -> Vec<u8> {
    [path.as_bytes(), rest].concat()
}

/// Reads the tree on the disk, without `.ns`.
fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut ahead = vec![root.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(&folder).expect("it is listed") {
            let path = entry.expect("an entry").path();
            let below = path.strip_prefix(root).expect("it is below").as_os_str().as_encoded_bytes().to_vec();
            if below == b".ns" {
                continue;
            }
            if path.is_dir() {
                tree.insert(below, Node::Folder);
                ahead.push(path);
            } else {
                drop(tree.insert(below, Node::File(fs::read(&path).expect("it is read"))))
            }
        }
    }
    tree
}
