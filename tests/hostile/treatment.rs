//! Treatments of a file or directory.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use super::folder::{Target, other_state, path_of};
use super::support::{ns, run};

/// A way to make a directory hostile.
#[derive(Debug)]
pub struct Treatment {
    pub name: &'static str,
    /// Whether it applies to directories as well, or to files only.
    scope: Scope,
    pub needs_root: bool,
    /// Applied to `path`, with the root and the directory above it, which contains `outside`.
    work: fn(&Place<'_>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Files,
    Folders,
    Both,
}

struct Place<'a> {
    path: &'a Path,
    root: &'a Path,
    above: &'a Path,
}

const fn treat(name: &'static str, scope: Scope, work: fn(&Place<'_>)) -> Treatment {
    Treatment { name, scope, needs_root: false, work }
}

const fn treat_as_root(name: &'static str, scope: Scope, work: fn(&Place<'_>)) -> Treatment {
    Treatment { name, scope, needs_root: true, work }
}

pub const TREATMENTS: [Treatment; 30] = [
    treat("garbage", Scope::Files, |it| put(it, &b"\x00\xff\xfe garbage \n\n\x1b[2J".repeat(30))),
    treat("empty", Scope::Files, |it| put(it, b"")),
    treat("cut in half", Scope::Files, |it| change(it, |bytes| bytes[..bytes.len() / 2].to_vec())),
    treat("cut by a byte", Scope::Files, |it| change(it, |bytes| bytes[..bytes.len().saturating_sub(1)].to_vec())),
    treat("doubled", Scope::Files, |it| change(it, |bytes| [bytes, bytes].concat())),
    treat("a byte flipped", Scope::Files, |it| {
        change(it, |bytes| bytes.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == bytes.len() / 3)).collect())
    }),
    treat("lines reversed", Scope::Files, |it| {
        change(it, |bytes| {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            lines.reverse();
            lines.concat()
        })
    }),
    treat("numbers grown", Scope::Files, |it| {
        change(it, |bytes| {
            String::from_utf8_lossy(bytes)
                .replace(":1", ":18446744073709551616")
                .replace(":2", ":-9223372036854775808")
                .into_bytes()
        })
    }),
    treat("paths that leave", Scope::Files, |it| {
        change(it, |bytes| String::from_utf8_lossy(bytes).replace("a.txt", "../outside/secret.txt").into_bytes())
    }),
    treat("nested brackets", Scope::Files, |it| put(it, &b"[{\"a\":".repeat(100_000))),
    treat("a million lines", Scope::Files, |it| put(it, &b"x\n".repeat(1_000_000))),
    treat("one long line", Scope::Files, |it| put(it, &b"y".repeat(3 << 20))),
    treat("terabytes of nothing", Scope::Files, |it| {
        put(it, b"");
        let file = fs::File::create(it.path).expect("it is a file");
        file.set_len(1 << 40).or_else(|_| file.set_len(1 << 33)).expect("a file with a hole");
    }),
    treat("a link to a file outside", Scope::Both, |it| link(it, it.above.join("outside/secret.txt"))),
    treat("a link to a directory outside", Scope::Both, |it| link(it, it.above.join("outside/folder"))),
    treat("a relative link outside", Scope::Both, |it| link(it, "../outside/secret.txt")),
    treat("a dangling link", Scope::Both, |it| link(it, it.above.join("outside/new"))),
    treat("a link to itself", Scope::Both, |it| link(it, it.path)),
    treat("a pipe", Scope::Both, |it| make(it, &["mkfifo"], &[])),
    treat_as_root("a device that never ends", Scope::Both, |it| make(it, &["mknod"], &["c", "1", "5"])),
    treat_as_root("a device that takes all", Scope::Both, |it| make(it, &["mknod"], &["c", "1", "3"])),
    treat("a socket", Scope::Both, |it| {
        remove(it.path);
        // The path may be too long for a socket; then nothing exists there.
        drop(std::os::unix::net::UnixListener::bind(it.path));
    }),
    treat("a directory", Scope::Files, |it| {
        remove(it.path);
        fs::create_dir_all(it.path.join("in")).expect("a folder");
    }),
    treat("a file", Scope::Folders, |it| {
        remove(it.path);
        fs::write(it.path, "a file").expect("a file");
    }),
    treat("nested without end", Scope::Both, |it| {
        remove(it.path);
        let script = "import os,sys\nos.makedirs(sys.argv[1])\nos.chdir(sys.argv[1])\nfor _ in range(2500):\n    os.mkdir('d')\n    os.chdir('d')\n";
        let made = Command::new("python3").args(["-c", script]).arg(it.path).status().expect("python");
        assert!(made.success());
    }),
    treat("gone", Scope::Both, |it| remove(it.path)),
    treat("nobody may open it", Scope::Both, |it| {
        if it.path.exists() {
            fs::set_permissions(it.path, fs::Permissions::from_mode(0o0)).expect("it is ours");
        }
    }),
    treat_as_root("of another user", Scope::Both, |it| {
        if it.path.exists() {
            chown(it.path, Some(65534), Some(65534)).expect("root gives it away");
        }
    }),
    treat("from another key", Scope::Both, |it| from_another(it, true)),
    treat("from another root", Scope::Both, |it| from_another(it, false)),
];

impl Treatment {
    /// Whether it applies to a target.
    pub fn fits(&self, target: &Target) -> bool {
        match self.scope {
            Scope::Both => true,
            Scope::Files => !target.is_folder,
            Scope::Folders => target.is_folder,
        }
    }

    /// Applies it.
    pub fn apply(&self, target: &Target, root: &Path, above: &Path) {
        let path = path_of(target, root);
        (self.work)(&Place { path: &path, root, above });
    }
}

fn remove(path: &Path) {
    let is_there = fs::symlink_metadata(path);
    match is_there.map(|metadata| metadata.is_dir()) {
        Ok(true) => fs::remove_dir_all(path).expect("it is ours"),
        Ok(false) => fs::remove_file(path).expect("it is ours"),
        Err(_) => fs::create_dir_all(path.parent().expect("a parent")).expect("folders"),
    }
}

fn put(it: &Place<'_>, content: &[u8]) {
    remove(it.path);
    fs::write(it.path, content).expect("a file");
}

fn change(it: &Place<'_>, change: impl Fn(&[u8]) -> Vec<u8>) {
    let before = fs::read(it.path).unwrap_or_default();
    put(it, &change(&before));
}

fn link(it: &Place<'_>, to: impl AsRef<Path>) {
    remove(it.path);
    symlink(to, it.path).expect("a link");
}

fn make(it: &Place<'_>, before: &[&str], after: &[&str]) {
    remove(it.path);
    let made = Command::new(before[0]).args(&before[1..]).arg(it.path).args(after).status().expect("coreutils");
    assert!(made.success(), "{before:?}");
}

/// Replaces the target by the same file of another user's directory.
fn from_another(it: &Place<'_>, is_other_key: bool) {
    let below = it.path.strip_prefix(it.root).expect("it lies there");
    let other = it.above.join("theirs");
    fs::create_dir_all(&other).expect("a folder");
    for (path, content) in [("a.txt", "1"), ("b.txt", "2"), ("gone.txt", "3")] {
        fs::write(other.join(path), content).expect("a file");
    }
    let script = "MUST FS.WriteFile(\"a.txt\", \"x\")\nMUST FS.DeleteFile(\"gone.txt\")\nMUST MEMORY.Set(\"k\", 1, \"project\")\nMUST FS.MoveFile(\"b.txt\", \"c.txt\")";
    let mut command = ns(&other);
    if is_other_key {
        command.env("XDG_STATE_HOME", other_state());
    }
    assert_eq!(run(command.args(["run", "-e", script])).code, 0);
    let target = Target { path: Box::leak(below.display().to_string().into_boxed_str()), is_folder: false };
    // If there is no file of the same name, take another one of theirs.
    let mut theirs = path_of(&target, &other);
    if !theirs.exists() {
        let folder = below.parent().unwrap_or(Path::new(""));
        let mut names: Vec<_> =
            fs::read_dir(other.join(folder)).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        names.retain(|path| path.is_file());
        theirs = names.pop().unwrap_or_else(|| other.join(".ns"));
    }
    remove(it.path);
    let copied = Command::new("cp").arg("-a").arg(&theirs).arg(it.path).status().expect("cp");
    assert!(copied.success());
    fs::remove_dir_all(&other).expect("it is ours");
}
