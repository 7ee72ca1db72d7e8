//! Says how `ns` is linked.

use std::{env, process::Command};

/// The first glibc whose loader reads packed relocations.
const FIRST_GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_for_this_machine() && target("ARCH") == "x86_64" && glibc().is_some_and(|version| version >= FIRST_GLIBC) {
        // A place in memory that differs from run to run takes 33,000 relocations. Packed they are 10 KiB and not 780.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether what is built runs where it is built: no older loader shall meet what it cannot read.
fn is_for_this_machine() -> bool {
    env::var("TARGET") == env::var("HOST") && target("ENV") == "gnu"
}

fn target(part: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default()
}

/// The version of the C library, from a line like `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let line = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = line.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
