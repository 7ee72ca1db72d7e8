//! The second line of defence: what the kernel refuses to a process in lockdown, tested from within.
//!
//! Each test restarts this program as a process that opens an engine, enters lockdown and then tries what a script
//! could cause if our own checks were wrong. The product code is unaware of it.

#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests try what is forbidden")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use neuroscript::engine::{Engine, Network, Options, Process, open_outside, outside};
use rustix::fs::{CWD, FileType, Mode};

/// The environment variable with the directory of the process, which contains `root`, `library` and `outside`.
const PLACE: &str = "NS_WALL_PLACE";

/// An attempt, and whether the kernel allowed it.
type Tries = Vec<(&'static str, io::Result<()>)>;

#[test]
fn a_sealed_process_reaches_its_grounds_and_nothing_else() {
    let tries = within("tries_of_a_script");
    let (grounds, beyond): (Vec<&str>, Vec<&str>) = tries.lines().partition(|line| line.starts_with("may "));
    assert!(grounds.len() >= 9 && beyond.len() >= 30, "{tries}");
    let wrong: Vec<&str> = grounds
        .into_iter()
        .filter(|line| !line.ends_with(": done"))
        .chain(beyond.into_iter().filter(|line| line.ends_with(": done")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_server_starts_its_own_binary_alone() {
    let tries = within("tries_of_a_server");
    assert_eq!(
        tries,
        "may start itself: done\nmay follow what happens to files: done\nstart another program: Permission denied (os error 13)\n"
    );
}

#[test]
fn what_is_read_alone_is_not_written() {
    let tries = within("tries_of_a_reader");
    assert_eq!(
        tries,
        "may read: done\nwrite: Permission denied (os error 13)\nremove: Permission denied (os error 13)\n"
    );
}

#[test]
fn nothing_runs_unsealed_where_the_policy_demands_it() {
    let tries = within("tries_unsealed");
    assert!(
        tries.contains("`require_kernel_sandbox` is true, and the kernel does not restrict the process"),
        "{tries}"
    );
    assert!(tries.ends_with("sealed: done\n"), "{tries}");
}

/// Runs one of the ignored tests below in a separate process and returns its output.
fn within(name: &str) -> String {
    let place = tempfile::tempdir().expect("a folder for the test");
    for folder in ["root/sub", "outside/sub", "library"] {
        fs::create_dir_all(place.path().join(folder)).expect("a folder");
    }
    for file in ["root/f", "root/sub/g", "outside/f", "outside/sub/g", "library/f"] {
        fs::write(place.path().join(file), "content").expect("a file");
    }
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, place.path())
        .env("HOME", "/nonexistent")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("this program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let kept = fs::read_to_string(place.path().join("outside/f")).expect("what lies outside is there");
    assert_eq!(kept, "content", "what lies outside was changed");
    fs::read_to_string(place.path().join("root/told")).expect("the process told what it tried")
}

fn place() -> PathBuf {
    PathBuf::from(std::env::var_os(PLACE).expect("these are started by other tests")).canonicalize().expect("a folder")
}

fn engine(options: Options) -> Engine {
    let options = Options { sandbox: Some(place().join("root")), ..options };
    Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings))
}

/// Writes the results of the attempts into a file that was opened before.
fn tell(mut told: &File, tries: Tries) {
    for (name, result) in tries {
        let how = result.map_or_else(|error| error.to_string(), |()| "done".to_owned());
        writeln!(told, "{name}: {how}").expect("a file of ours");
    }
}

fn told() -> File {
    File::create(place().join("root/told")).expect("a file of ours")
}

fn seal(engine: &Engine, process: Process) {
    engine.seal(process).unwrap_or_else(|error| panic!("{:?}", error.findings));
    assert!(
        engine.lockdown().is_some_and(|status| status.is_whole()),
        "SKIPPED: this kernel lacks Landlock or seccomp"
    );
}

#[test]
#[ignore = "started by a test above, in a process of its own"]
fn tries_of_a_script() {
    let (place, told) = (place(), told());
    let engine = engine(Options { libraries: vec![place.join("library")], ..Options::default() });
    open_outside();
    let early = File::open(place.join("outside/f")).expect("a file of ours");
    seal(&engine, Process::Script);
    drop(early);
    tell(&told, on_the_grounds(&place.join("root"), &place.join("library")));
    tell(&told, beyond(&place.join("root"), &place.join("outside")));
    tell(&told, from_the_grounds(&place.join("root"), &place.join("outside")));
    tell(&told, of_the_system(&place.join("root")));
    // Files named by a person at a terminal are read by a thread outside the lockdown.
    let file = place.join("outside/f");
    tell(&told, vec![("may read outside for the person", outside(move || fs::read(file).map(drop)))]);
    let network = outside(|| UdpSocket::bind("127.0.0.1:0").map(drop));
    tell(&told, vec![("network outside of the wall", network)]);
}

fn on_the_grounds(root: &Path, library: &Path) -> Tries {
    vec![
        ("may read", fs::read(root.join("f")).map(drop)),
        ("may write", fs::write(root.join("new"), "x")),
        ("may list", fs::read_dir(root).map(drop)),
        ("may make a folder", fs::create_dir(root.join("made"))),
        ("may move to another folder", fs::rename(root.join("new"), root.join("made/new"))),
        ("may make a link", symlink("f", root.join("link"))),
        ("may move a link", fs::rename(root.join("link"), root.join("made/link"))),
        ("may remove", fs::remove_dir_all(root.join("made"))),
        ("may read a library", fs::read(library.join("f")).map(drop)),
        ("may wake itself", UnixStream::pair().map(drop)),
        ("may begin a thread", std::thread::Builder::new().spawn(|| ()).map(drop)),
        ("write a library", fs::write(library.join("f"), "x")),
    ]
}

fn beyond(root: &Path, outside: &Path) -> Tries {
    let in_thread = outside.join("f");
    let thread = std::thread::spawn(move || fs::read(in_thread).map(drop));
    vec![
        ("read outside", fs::read(outside.join("f")).map(drop)),
        ("read outside in a thread", thread.join().expect("it does not panic")),
        ("list outside", fs::read_dir(outside).map(drop)),
        ("write outside", File::options().write(true).open(outside.join("f")).map(drop)),
        ("append outside", File::options().append(true).open(outside.join("f")).map(drop)),
        ("empty outside", File::create(outside.join("f")).map(drop)),
        ("make a file outside", File::create_new(outside.join("new")).map(drop)),
        ("make a folder outside", fs::create_dir(outside.join("made"))),
        ("make a link outside", symlink("f", outside.join("link"))),
        ("remove outside", fs::remove_file(outside.join("f"))),
        ("remove a tree outside", fs::remove_dir_all(outside.join("sub"))),
        ("read by `..`", fs::read(root.join("../outside/f")).map(drop)),
        ("read the users", fs::read("/etc/passwd").map(drop)),
        ("list the processes", fs::read_dir("/proc").map(drop)),
        ("read memory", File::open("/proc/self/mem").map(drop)),
        ("read the environment", fs::read("/proc/self/environ").map(drop)),
        ("open the terminal", File::open("/dev/tty").map(drop)),
    ]
}

fn from_the_grounds(root: &Path, outside: &Path) -> Tries {
    // The kernel reads through a link that our code would have refused.
    let link = symlink(outside.join("f"), root.join("out")).and_then(|()| fs::read(root.join("out")).map(drop));
    vec![
        ("read through a link", link),
        ("move out", fs::rename(root.join("f"), outside.join("moved"))),
        ("move in", fs::rename(outside.join("f"), root.join("moved"))),
        ("take a second name out", fs::hard_link(root.join("f"), outside.join("second"))),
        ("take a second name in", fs::hard_link(outside.join("f"), root.join("second"))),
        ("exchange", {
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(CWD, root.join("f"), CWD, outside.join("f"), flags).map_err(io::Error::from)
        }),
    ]
}

fn of_the_system(root: &Path) -> Tries {
    let special = |kind: FileType, name: &str| {
        rustix::fs::mknodat(CWD, root.join(name), kind, Mode::RUSR, 0x103).map_err(io::Error::from)
    };
    let parent = rustix::process::getppid().expect("a process started this one");
    vec![
        ("make a pipe", special(FileType::Fifo, "pipe")),
        ("make a device", special(FileType::CharacterDevice, "device")),
        ("make a socket", special(FileType::Socket, "socket")),
        ("connect", TcpStream::connect("127.0.0.1:9").map(drop).or_else(refused_by_the_other_side)),
        ("send packets", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("listen on a socket in the root", UnixListener::bind(root.join("listen")).map(drop)),
        ("start a program", Command::new("/bin/true").spawn().map(drop)),
        ("start itself", Command::new("/proc/self/exe").spawn().map(drop)),
        ("signal its parent", rustix::process::test_kill_process(parent).map_err(io::Error::from)),
        ("begin a session of its own", rustix::process::setsid().map(drop).map_err(io::Error::from)),
        ("become another user", rustix::thread::set_thread_uid(rustix::fs::Uid::from_raw(1)).map_err(io::Error::from)),
        ("mount", rustix::mount::mount_bind(root, root.join("sub")).map_err(io::Error::from)),
        ("change its root", rustix::process::chroot(root).map_err(io::Error::from)),
        (
            "follow what happens to files",
            rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC).map(drop).map_err(io::Error::from),
        ),
        ("dump core", {
            let rlimit = rustix::process::Rlimit { current: Some(1 << 20), maximum: Some(1 << 20) };
            rustix::process::setrlimit(rustix::process::Resource::Core, rlimit).map_err(io::Error::from)
        }),
    ]
}

/// A refused connection comes from the network, so the kernel allowed the call.
fn refused_by_the_other_side(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::ConnectionRefused { Ok(()) } else { Err(error) }
}

#[test]
#[ignore = "started by a test above, in a process of its own"]
fn tries_of_a_server() {
    let told = told();
    seal(&engine(Options::default()), Process::Server(Network::None));
    let own = std::env::current_exe().expect("this program");
    let itself = Command::new(own).arg("--list").output().and_then(|output| {
        if output.status.success() {
            Ok(())
        } else {
            Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
    });
    tell(&told, vec![("may start itself", itself)]);
    let follows = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC);
    tell(&told, vec![("may follow what happens to files", follows.map(drop).map_err(io::Error::from))]);
    tell(&told, vec![("start another program", Command::new("/bin/true").spawn().map(drop))]);
}

#[test]
#[ignore = "started by a test above, in a process of its own"]
fn tries_of_a_reader() {
    let (place, told) = (place(), told());
    seal(&engine(Options { read_only: true, ..Options::default() }), Process::Script);
    tell(
        &told,
        vec![
            ("may read", fs::read(place.join("root/f")).map(drop)),
            ("write", File::options().write(true).open(place.join("root/f")).map(drop)),
            ("remove", fs::remove_file(place.join("root/f"))),
        ],
    );
}

#[test]
#[ignore = "started by a test above, in a process of its own"]
fn tries_unsealed() {
    let told = told();
    fs::write(place().join("root/neuroscript.toml"), "[policy]\nrequire_kernel_sandbox = true\n").expect("a file");
    let engine = engine(Options::default());
    let call = || match engine.call("exists", &neuroscript::engine::Value::Nil) {
        Err(error) if error.message.contains("the arguments are a JSON object") => Ok(()),
        Err(error) => Err(io::Error::other(error.message)),
        Ok(_) => Ok(()),
    };
    tell(&told, vec![("unsealed", call())]);
    seal(&engine, Process::Script);
    tell(&told, vec![("sealed", call())]);
}
