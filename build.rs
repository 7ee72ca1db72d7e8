//! Sets linker options of `ns`.

use std::{env, process::Command};

/// The first glibc whose loader supports packed relative relocations.
const FIRST_GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if is_for_this_machine() && !is_static && env::var("PROFILE").as_deref() == Ok("debug") {
        // Tests start it tens of thousands of times, and relocating its pages takes a fifth of a start.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    } else if is_for_this_machine()
        && target("ARCH") == "x86_64"
        && glibc().is_some_and(|version| version >= FIRST_GLIBC)
    {
        // A position-independent executable needs 33,000 relocations. Packed, they take 10 KiB instead of 780 KiB.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the build host is also the target: an older loader elsewhere could not run the binary.
fn is_for_this_machine() -> bool {
    env::var("TARGET") == env::var("HOST") && target("ENV") == "gnu"
}

fn target(part: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default()
}

/// Returns the version of the C library, from a line like `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let line = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = line.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
