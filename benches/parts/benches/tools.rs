//! Benchmarks of the tools: the path of a call through binder and gate, and the cost of walks, listings and JSON.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group};
use neuroscript::engine::{Script, Value};
use neuroscript_parts::{engine, run};

/// Number of directories in the tree, and of files in each.
const FOLDERS: usize = 40;
const FILES: usize = 50;

/// Creates a tree with `.gitignore` files at two levels. Every second file is ignored.
fn tree(top: &Path) {
    fs::create_dir(top.join(".git")).expect("a folder");
    fs::write(top.join(".gitignore"), "*.tmp\n/build/\n!keep.tmp\n").expect("a file");
    for folder in 0..FOLDERS {
        let folder = top.join(format!("part{folder}"));
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join(".gitignore"), "**/old*\n").expect("a file");
        for file in 0..FILES {
            let ending = if file % 2 == 0 { "tmp" } else { "txt" };
            fs::write(folder.join(format!("file{file}.{ending}")), "text\n").expect("a file");
        }
    }
}

/// Reads a value as a front end does.
fn value(json: &str) -> Value {
    serde_json::from_str(json).expect("it is JSON")
}

fn calls(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a sandbox");
    fs::write(folder.path().join("a.txt"), "text\n").expect("a file");
    let engine = engine(folder.path());
    let mut group = criterion.benchmark_group("call");
    for (tool, given) in [
        ("STR.Upper", r#"{"text": "a"}"#),
        ("FS.Exists", r#"{"path": "a.txt"}"#),
        ("FS.ReadFile", r#"{"file_path": "a.txt"}"#),
    ] {
        let given = value(given);
        group.bench_function(tool, |bencher| {
            bencher.iter(|| engine.call(tool, &given).unwrap_or_else(|error| panic!("{error:?}")))
        });
    }
    group.finish();
}

fn trees(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a sandbox");
    tree(folder.path());
    let engine = engine(folder.path());
    let mut group = criterion.benchmark_group("tree");
    group.throughput(Throughput::Elements((FOLDERS * FILES) as u64));
    for (name, script) in [
        ("walk", "EMIT LEN(FS.WalkDir(\".\"))\n"),
        (
            "walk, fields of every row",
            "SET sum = 0\nFOR EACH e IN FS.WalkDir(\".\") DO\n  SET sum = sum + e.size\nEND\n",
        ),
        ("list", "EMIT LEN(FS.ListDir(\".\", recursive: true))\n"),
        ("list by .gitignore", "EMIT LEN(FS.ListDir(\".\", recursive: true, use_gitignore: true))\n"),
    ] {
        let script = Script::new("tree.ns", script);
        group.bench_function(name, |bencher| bencher.iter(|| run(&engine, &script)));
    }
    group.finish();
}

fn json(criterion: &mut Criterion) {
    let mut text = "[".to_owned();
    for number in 0..1_000 {
        let separator = if number == 0 { "" } else { "," };
        write!(text, r#"{separator}{{"name":"file{number}.txt","size":{number},"isDir":false,"tags":["a",1.5]}}"#)
            .expect("a text takes everything");
    }
    text.push(']');
    let read = value(&text);
    let mut group = criterion.benchmark_group("JSON");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("in", |bencher| bencher.iter(|| value(&text)));
    group.bench_function("out", |bencher| bencher.iter(|| serde_json::to_string(&read).expect("every value is JSON")));
    group.finish();
}

criterion_group!(benches, calls, trees, json);
fn main() {
    neuroscript_parts::main(benches);
}
