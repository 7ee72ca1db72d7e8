//! The initial tree of every chain.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::super::world::{World, call};
use super::operation::ARCHIVE;

/// A name that is not UTF-8.
const RAW: &[u8] = b"d/raw\xff\xfe";
/// The content of a file that has a second name outside the root.
pub const SHARED: &[u8] = b"shared with the outside";

/// Another file system mounted in the tree.
pub struct Device(PathBuf);

/// Mounts another file system in the tree if `NS_CHAINS_DEVICE` is set. Panics if that fails.
pub fn mount(world: &World) -> Option<Device> {
    std::env::var_os("NS_CHAINS_DEVICE")?;
    let place = world.root().join("h");
    fs::create_dir(&place).expect("a folder");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&place).status();
    assert!(mounted.is_ok_and(|status| status.success()), "a file system is mounted");
    Some(Device(place))
}

impl Drop for Device {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "it is unmounted");
    }
}

/// Creates the tree. Every entry has its own modification time, more than a year ago.
pub fn prepare(world: &World, has_device: bool) {
    let root = world.root();
    for link in ["out", "secret", "loop"] {
        fs::remove_file(root.join(link)).expect("the link goes");
    }
    let files: [(&str, &[u8], u32); 6] = [
        ("a", b"one x", 0o640),
        ("b c", b"two x", 0o444),
        ("d/e/f g", b"three", 0o755),
        ("d/\u{e9}", b"four x", 0o600),
        ("h/y", b"five", 0o644),
        ("quo\"te", b"six", 0o644),
    ];
    for (name, bytes, mode) in files {
        world.put(name, bytes);
        set_mode(&root.join(name), mode);
    }
    fs::write(root.join(Path::new(std::ffi::OsStr::from_bytes(RAW))), b"raw").expect("a file whose name is no text");
    fs::write(beside(world), SHARED).expect("a file outside");
    fs::write(root.join(ARCHIVE), archive()).expect("an archive");
    for (target, name) in [("a", "l"), ("e", "d/l"), ("nowhere", "dangling")] {
        symlink(target, root.join(name)).expect("a link");
    }
    for (name, further) in [("a", "h/a3"), ("a", "d/e/a2"), ("b c", "d/b2"), ("l", "h/l2")] {
        let (name, further) = (root.join(name), root.join(further));
        if has_device && further.starts_with(root.join("h")) {
            // Hard links cannot cross file systems.
            fs::copy(name, further).expect("a copy");
        } else {
            fs::hard_link(name, further).expect("a hard link");
        }
    }
    fs::hard_link(beside(world), root.join("p")).expect("a hard link");
    for (name, mode) in [("d", 0o2775), ("h", 0o1777), ("d/e", 0o700)] {
        set_mode(&root.join(name), mode);
    }
    set_times(&root, &mut 0);
}

/// Checks that nothing outside was changed.
pub fn check_outside(world: &World) {
    world.check_outside();
    assert_eq!(fs::read(beside(world)).expect("a file outside"), SHARED, "a file outside was changed");
}

fn beside(world: &World) -> PathBuf {
    world.root().with_file_name("beside")
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permission bits");
}

/// Gives a directory and everything in it unique modification times.
fn set_times(folder: &Path, count: &mut u32) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_symlink() {
            true => {}
            false if path.is_dir() => set_times(&path, count),
            false => set_time(&path, count),
        }
    }
    set_time(folder, count);
}

fn set_time(path: &Path, count: &mut u32) {
    *count += 1;
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_500_000_000 + u64::from(*count), 123_456_000 + *count);
    fs::File::open(path).and_then(|file| file.set_modified(time)).expect("the time is set");
}

/// Returns an archive of files in directories that exist in the tree, and in new ones.
fn archive() -> &'static [u8] {
    static ARCHIVE_BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    ARCHIVE_BYTES.get_or_init(|| {
        let world = World::new();
        for name in ["s/e/new", "s/e/deep/er", "s/n/m", "s/k"] {
            world.put(name, name.as_bytes());
        }
        let arguments = json!({ "source_path": "s", "destination_path": ARCHIVE });
        call(&world.engine(), "FS.Compress", arguments).expect("an archive");
        fs::read(world.root().join(ARCHIVE)).expect("an archive")
    })
}
