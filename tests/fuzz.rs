//! The fuzz targets without libFuzzer: every file of the corpora, and deterministic mutations of them. `fuzz/run` lets
//! libFuzzer search further.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[path = "support/dice.rs"]
mod dice;
#[path = "../fuzz/src/lib.rs"]
mod fuzz;
#[path = "../fuzz/src/test_head.rs"]
mod test_head;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use dice::Dice;

/// Size of a chain in bytes: its head, and three runs of five operations.
const CHAIN_BYTES: usize = 4 + 3 * 5 * 4;

/// Pieces that mutations insert, besides bytes of other inputs.
const PIECES: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\r\n",
    b"..",
    b"/",
    b"\"",
    b"'''",
    b"{",
    b"]",
    b"\\",
    b"**",
    b"-1",
    b"9223372036854775808",
    b"1e400",
    b"\xf0\x9f\x98\x80",
    b"END\n",
];

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no corpus");
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("it is read"));
    files.into_iter().map(read).collect()
}

fn mutated(inputs: &[(PathBuf, Vec<u8>)], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = inputs[dice.below(inputs.len())].1.clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(24)).min(bytes.len());
        match dice.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, dice.pick(&PIECES).iter().copied())),
            2 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = dice.below(bytes.len() + 1);
                drop(bytes.splice(to..to, piece));
            }
            _ => {
                let other = &inputs[dice.below(inputs.len())].1;
                let from = dice.below(other.len() + 1);
                let until = (from + dice.below(40)).min(other.len());
                drop(bytes.splice(at..end, other[from..until].iter().copied()));
            }
        }
    }
    bytes
}

/// Returns all targets.
fn targets() -> impl Iterator<Item = fuzz::Target> {
    let test_head: fuzz::Target = ("test_head", test_head::test_head);
    fuzz::TARGETS.into_iter().chain([test_head])
}

/// Runs a target on every file of its corpus, and on mutations of them.
fn runs(target: &str) {
    let (_, work) = targets().find(|(name, _)| *name == target).expect("there is such a target");
    let inputs = corpus(target);
    for (path, bytes) in &inputs {
        assert!(catch_unwind(|| work(bytes)).is_ok(), "{}", path.display());
    }
    let rounds = match std::env::var_os("NS_LONG") {
        Some(_) => 20_000,
        None if target == "chains" => 40,
        None => 300,
    };
    let first = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + rounds {
        let bytes = mutated(&inputs, &mut Dice::new(seed));
        if catch_unwind(|| work(&bytes)).is_err() {
            let place = std::env::temp_dir().join(format!("ns-fuzz-{target}-{seed}"));
            fs::write(&place, &bytes).expect("what fails is kept");
            panic!("NS_SEED={seed} fails; the input is {}", place.display());
        }
    }
}

#[test]
fn every_target_is_given_to_libfuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("the manifest");
    for (name, _) in targets() {
        let binary = fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).expect("the target");
        assert!(binary.contains(&format!("::{name}(data)")), "{binary}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not built");
    }
}

#[test]
fn parser() {
    runs("parser");
}

#[test]
fn formatter() {
    runs("formatter");
}

#[test]
fn programs() {
    runs("programs");
}

#[test]
fn paths() {
    runs("paths");
}

#[test]
fn policy() {
    runs("policy");
}

#[test]
fn arguments() {
    runs("arguments");
}

#[test]
fn gitignore() {
    runs("gitignore");
}

#[test]
fn archive() {
    runs("archive");
}

#[test]
fn media() {
    runs("media");
}

#[test]
fn operations() {
    runs("operations");
}

/// Chains are slow, so the short form has fewer mutations, and an equal number of random inputs. `NS_SEED` and
/// `NS_CHAINS` select others.
#[test]
fn chains() {
    runs("chains");
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = number("NS_CHAINS").unwrap_or(if std::env::var_os("NS_LONG").is_some() { 20_000 } else { 40 });
    let first = number("NS_SEED").unwrap_or(0);
    for seed in first..first + count {
        let mut dice = Dice::new(seed);
        let bytes: Vec<u8> = (0..CHAIN_BYTES).map(|_| dice.below(256) as u8).collect();
        let outcome = catch_unwind(|| fuzz::chains(&bytes));
        assert!(outcome.is_ok(), "NS_SEED={seed} NS_CHAINS=1 fails");
    }
}

/// Chains of single operations. All of them would take hours; `NS_FIRST` and `NS_STEP` select those to run.
#[test]
fn small_chains() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    // Primes, so that all operations occur in all places.
    let step = number("NS_STEP").unwrap_or(if std::env::var_os("NS_LONG").is_some() { 19 } else { 1009 });
    let chosen = (number("NS_FIRST").unwrap_or(0)..fuzz::small_chains()).step_by(step);
    let faults: Vec<usize> =
        chosen.clone().filter(|chain| catch_unwind(|| fuzz::small_chain(*chain)).is_err()).collect();
    assert!(faults.is_empty(), "{} of {} chains fail: {faults:?}", faults.len(), chosen.len());
}

#[test]
fn journal() {
    runs("journal");
}

#[test]
fn plan() {
    runs("plan");
}

#[test]
fn memory() {
    runs("memory");
}

#[test]
fn audit() {
    runs("audit");
}

#[test]
fn test_head() {
    runs("test_head");
}
