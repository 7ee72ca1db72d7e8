//! Seccomp: system calls that no script and no tool needs are refused with `EPERM`.
//!
//! All other calls are allowed, so that another libc or kernel still works; file access is restricted by Landlock and
//! by our own code. Calls with x32 numbers, which a 64-bit kernel may offer besides its own, are refused, and calls of
//! other architectures kill the process.
//!
//! The BPF program is generated here; seccompiler only installs it. A program compiled by seccompiler has eight times
//! as many instructions. The kernel evaluates each filter for every system call number before accepting it, which takes
//! 3 ms.

use std::sync::{Mutex, PoisonError};

use libc::c_long;
use seccompiler::{BpfProgram, Error, sock_filter};

use super::{LockdownError, Network, Process};

/// The purpose for which the newest filter was installed. It applies to every thread, also to those that start later.
static INSTALLED: Mutex<Option<Process>> = Mutex::new(None);

/// Filters the system calls of all threads. Returns whether this system supports it.
///
/// A second call for the same purpose installs nothing: the kernel would run both filters at every system call.
pub fn install(process: Process) -> Result<bool, LockdownError> {
    let Some(program) = program(process) else { return Ok(false) };
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if *installed == Some(process) {
        return Ok(true);
    }
    match seccompiler::apply_filter_all_threads(&program) {
        Ok(()) => {
            *installed = Some(process);
            Ok(true)
        }
        Err(Error::Seccomp(error) | Error::Prctl(error)) if is_missing(&error) => Ok(false),
        Err(error) => Err(LockdownError::Seccomp(error.to_string())),
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| [libc::ENOSYS, libc::EINVAL].contains(&code))
}

/// Actions of a filter (seccomp(2)).
const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const REFUSE: u32 = 0x0005_0000 | libc::EPERM as u32;
const MISSING: u32 = 0x0005_0000 | libc::ENOSYS as u32;

/// Instructions of classic BPF (linux/bpf_common.h): load a word, compare, return.
const LOAD: u16 = 0x20;
const IF_IS: u16 = 0x15;
const IF_ABOVE: u16 = 0x25;
const IF_FROM: u16 = 0x35;
const IF_ANY: u16 = 0x45;
const ANSWER: u16 = 0x06;

/// Offsets in struct seccomp_data.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// The bit that marks x32 numbers.
const X32: u32 = 0x4000_0000;
/// Number of system calls that are compared one by one.
const CHUNK: usize = 16;

/// Returns the kernel's identifier of this architecture (linux/audit.h).
fn architecture() -> Option<u32> {
    match std::env::consts::ARCH {
        "x86_64" => Some(0xc000_003e),
        "aarch64" => Some(0xc000_00b7),
        "riscv64" => Some(0xc000_00f3),
        _ => None,
    }
}

/// Returns the filter, or `None` for architectures whose system calls are not known here.
fn program(process: Process) -> Option<BpfProgram> {
    let mut program = vec![
        step(LOAD, ARCHITECTURE),
        branch(IF_IS, architecture()?, 1, 0),
        step(ANSWER, KILL),
        step(LOAD, NUMBER),
        branch(IF_FROM, X32, 0, 1),
        step(ANSWER, REFUSE),
    ];
    asked(process).iter().for_each(|call| call.put(&mut program));
    let mut numbers: Vec<u32> = refused(process).into_iter().map(|number| number as u32).collect();
    numbers.sort_unstable();
    for chunk in numbers.chunks(CHUNK) {
        let (length, last) = (chunk.len() as u8, chunk[chunk.len() - 1]);
        program.push(branch(IF_ABOVE, last, length + 2, 0));
        let compared = chunk.iter().zip(0..).map(|(number, place)| branch(IF_IS, *number, length - place, 0));
        program.extend(compared);
        program.extend([step(ANSWER, ALLOW), step(ANSWER, REFUSE)]);
    }
    program.push(step(ANSWER, ALLOW));
    Some(program)
}

fn step(code: u16, k: u32) -> sock_filter {
    branch(code, k, 0, 0)
}

/// Returns a comparison, with the number of instructions to skip if it holds and if it does not.
fn branch(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// A system call that is allowed or refused depending on one argument.
struct CheckedCall {
    number: c_long,
    /// The index of the argument.
    argument: u32,
    /// Comparisons, each with the action if it holds.
    tests: Vec<(u16, u32, u32)>,
    otherwise: u32,
}

impl CheckedCall {
    fn put(&self, program: &mut BpfProgram) {
        let length = 2 + 2 * self.tests.len() as u8;
        program.push(branch(IF_IS, self.number as u32, 0, length));
        program.push(step(LOAD, ARGUMENTS + 8 * self.argument));
        for &(test, value, answer) in &self.tests {
            program.extend([branch(test, value, 0, 1), step(ANSWER, answer)]);
        }
        program.push(step(ANSWER, self.otherwise));
    }
}

/// Returns the calls that are refused for some arguments.
fn asked(process: Process) -> Vec<CheckedCall> {
    let own = std::process::id();
    let is_script = process == Process::Script;
    // 0 means this process and, for `kill`, its process group, which Ctrl-Z stops.
    let own_alone = vec![(IF_IS, own, ALLOW), (IF_IS, 0, ALLOW)];
    let threads = if is_script { vec![(IF_ANY, libc::CLONE_THREAD as u32, ALLOW)] } else { Vec::new() };
    let clone = [vec![(IF_ANY, NAME_SPACES, REFUSE)], threads].concat();
    let typing = vec![(IF_IS, TIOCSTI, REFUSE), (IF_IS, TIOCLINUX, REFUSE)];
    let mut calls = vec![
        CheckedCall { number: libc::SYS_ioctl, argument: 1, tests: typing, otherwise: ALLOW },
        // The C library tries `clone3`, whose flags a filter cannot read, and falls back to `clone` if it is missing.
        CheckedCall { number: libc::SYS_clone3, argument: 0, tests: Vec::new(), otherwise: MISSING },
        CheckedCall {
            number: libc::SYS_clone,
            argument: 0,
            tests: clone,
            otherwise: if is_script { REFUSE } else { ALLOW },
        },
        CheckedCall { number: libc::SYS_prlimit64, argument: 0, tests: own_alone.clone(), otherwise: REFUSE },
        // The line editor wakes itself through an unnamed socket pair.
        CheckedCall {
            number: libc::SYS_socketpair,
            argument: 0,
            tests: vec![(IF_IS, libc::AF_UNIX as u32, ALLOW)],
            otherwise: REFUSE,
        },
    ];
    if is_script {
        for number in [libc::SYS_kill, libc::SYS_tgkill] {
            calls.push(CheckedCall { number, argument: 0, tests: own_alone.clone(), otherwise: REFUSE });
        }
    }
    calls
}

/// Returns the calls that are refused whatever their arguments.
fn refused(process: Process) -> Vec<c_long> {
    let mut numbers = [NETWORK, MOUNTS, OTHERS, KERNEL, FILES, USERS, IPC].concat();
    match process {
        Process::Server(Network::Accepts) | Process::Tester(Network::Accepts) => {}
        _ => numbers.extend(CONNECTIONS),
    }
    #[cfg(target_arch = "x86_64")]
    numbers.extend(OLD);
    if process == Process::Script {
        numbers.extend([PROGRAMS, SIGNALS, WATCHES].concat());
        #[cfg(target_arch = "x86_64")]
        numbers.push(libc::SYS_vfork);
    }
    numbers
}

/// Requests that simulate keyboard input and read the screen (ioctl_tty(2)).
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;

/// Flags of `clone` that create a namespace.
const NAME_SPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

const PROGRAMS: &[c_long] = &[libc::SYS_execve, libc::SYS_execveat];

/// Ways to send signals other than `kill` and `tgkill`: to threads, and by joining another process group.
const SIGNALS: &[c_long] = &[libc::SYS_tkill, libc::SYS_rt_tgsigqueueinfo, libc::SYS_setpgid, libc::SYS_setsid];

/// Following changes of files, which no script needs. A server reports them to clients that ask for it; it watches only
/// directories that it has opened by handle.
const WATCHES: &[c_long] = &[libc::SYS_inotify_init1];

const NETWORK: &[c_long] =
    &[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_sendmmsg, libc::SYS_recvmmsg];

/// Calls on connections that others have opened.
const CONNECTIONS: &[c_long] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_setsockopt,
];

const MOUNTS: &[c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// Calls that affect other processes of the user.
const OTHERS: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_vhangup,
];

const KERNEL: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_setup,
    libc::SYS_io_submit,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_personality,
    libc::SYS_lookup_dcookie,
];

/// Calls that access files other than by a name in a directory, that create objects that are not files, or that change
/// extended attributes, which no tool does and Landlock does not restrict.
const FILES: &[c_long] = &[
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_mknodat,
    // Takes a path and is not checked by older versions of Landlock; we truncate files by handle.
    libc::SYS_truncate,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

const USERS: &[c_long] = &[
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
];

const IPC: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls that newer architectures do not have.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_mknod,
    libc::SYS_inotify_init,
    libc::SYS_uselib,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_nfsservctl,
    libc::SYS__sysctl,
];

// The libc crate does not have it for aarch64 with musl.
const KEXEC_FILE_LOAD: c_long = if cfg!(target_arch = "x86_64") { 320 } else { 294 };

// Newer than the table of the libc crate; the same on all architectures.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

#[cfg(test)]
mod tests {
    use super::*;

    /// Interprets a filter for one call; it supports the few BPF instructions that the filters use.
    fn verdict(program: &BpfProgram, number: i64, first: u32, second: u32) -> u32 {
        let arch = architecture().expect("tests run where filters are");
        let word = |offset: u32| match offset {
            0 => number as u32,
            4 => arch,
            16 => first,
            24 => second,
            _ => 0,
        };
        let (mut accumulator, mut at) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let is = match step.code {
                0x20 => {
                    accumulator = word(step.k);
                    continue;
                }
                0x06 => return step.k,
                0x15 => accumulator == step.k,
                0x25 => accumulator > step.k,
                0x35 => accumulator >= step.k,
                0x45 => accumulator & step.k != 0,
                code => panic!("unknown instruction {code:#x}"),
            };
            at += usize::from(if is { step.jt } else { step.jf });
        }
    }

    fn program_of(process: Process) -> BpfProgram {
        program(process).expect("tests run where filters are")
    }

    #[test]
    fn every_listed_call_is_refused_under_both_numbers() {
        let program = program_of(Process::Script);
        for number in refused(Process::Script) {
            assert_eq!(verdict(&program, number, 0, 0), REFUSE, "call {number}");
            if cfg!(target_arch = "x86_64") {
                assert_eq!(verdict(&program, number | c_long::from(X32), 0, 0), REFUSE, "x32 call {number}");
            }
        }
        assert_eq!(verdict(&program, libc::SYS_clone3, 0, 0), MISSING);
        // Every other number is allowed.
        let (refused, asked) = (refused(Process::Script), asked(Process::Script));
        for number in 0..500 {
            if !refused.contains(&number) && asked.iter().all(|call| call.number != number) {
                assert_eq!(verdict(&program, number, 0, 0), ALLOW, "call {number}");
            }
        }
        for number in [libc::SYS_read, libc::SYS_openat, libc::SYS_openat2, libc::SYS_renameat2, libc::SYS_futex] {
            assert_eq!(verdict(&program, number, 0, 0), ALLOW, "call {number}");
        }
    }

    /// The number is written here, so it is compared where the crate has it.
    #[test]
    #[cfg(all(target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn the_number_of_kexec_file_load_is_that_of_libc() {
        assert_eq!(KEXEC_FILE_LOAD, libc::SYS_kexec_file_load);
    }

    #[test]
    fn threads_begin_and_processes_do_not() {
        let (script, server) = (program_of(Process::Script), program_of(Process::Server(Network::None)));
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u32;
        let spaced = thread | libc::CLONE_NEWNET as u32;
        assert_eq!(verdict(&script, libc::SYS_clone, thread, 0), ALLOW);
        assert_eq!(verdict(&script, libc::SYS_clone, 17, 0), REFUSE);
        assert_eq!(verdict(&server, libc::SYS_clone, 17, 0), ALLOW);
        assert_eq!(verdict(&server, libc::SYS_execve, 0, 0), ALLOW);
        for program in [&script, &server] {
            assert_eq!(verdict(program, libc::SYS_clone, spaced, 0), REFUSE);
        }
    }

    #[test]
    fn who_accepts_connections_makes_none() {
        let program = program_of(Process::Server(Network::Accepts));
        for number in CONNECTIONS {
            assert_eq!(verdict(&program, *number, 0, 0), ALLOW, "call {number}");
            assert_eq!(verdict(&program_of(Process::Server(Network::None)), *number, 0, 0), REFUSE, "call {number}");
        }
        for number in [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
            assert_eq!(verdict(&program, number, 0, 0), REFUSE, "call {number}");
        }
    }

    #[test]
    fn other_processes_and_the_terminal_are_left_alone() {
        let program = program_of(Process::Script);
        let own = std::process::id();
        for (number, first, second, expected) in [
            (libc::SYS_kill, own, 0, ALLOW),
            (libc::SYS_kill, own + 1, 0, REFUSE),
            (libc::SYS_kill, 0, 0, ALLOW),
            (libc::SYS_tgkill, own, 0, ALLOW),
            (libc::SYS_tgkill, own + 1, 0, REFUSE),
            (libc::SYS_tkill, own, 0, REFUSE),
            (libc::SYS_prlimit64, 0, 0, ALLOW),
            (libc::SYS_prlimit64, own + 1, 0, REFUSE),
            (libc::SYS_ioctl, 0, TIOCSTI, REFUSE),
            (libc::SYS_ioctl, 0, libc::TIOCGWINSZ as u32, ALLOW),
        ] {
            assert_eq!(verdict(&program, number, first, second), expected, "call {number} of {first}, {second}");
        }
    }
}
