//! Benchmarks of the language: parsing, lowering, and the cost of statements, calls and values.

use criterion::{Criterion, Throughput, criterion_group};
use neuroscript::engine::{Script, parse_script};
use neuroscript_parts::{engine, run};

/// Number of procedures in a long text; each contains loops, calls, lists and maps.
const PROCEDURES: usize = 500;

/// Number of iterations of a statement in one measurement.
const TURNS: usize = 10_000;

/// Returns a text of procedures that are never called, followed by one trivial statement.
fn long_text() -> String {
    let procedure = |number: usize| {
        format!(
            "DEFINE PROCEDURE Part{number}(items, limit)\n  SET found = []\n  SET sizes = {{\"a\": 1, \"b\": [2, 3]}}\n  FOR EACH i, item IN items DO\n    IF item.size > limit AND i % 2 == 0 THEN\n      SET found = found + [{{\"name\": item.name, \"at\": i}}]\n      SET sizes[\"k\" + i] = (item.size * 3 - 1) / 2\n    ELSE\n      EMIT \"left out: \", item.name\n    END\n  END\n  RETURN found, LEN(sizes)\nEND\n"
        )
    };
    let procedures: String = (0..PROCEDURES).map(procedure).collect();
    procedures + "SET x = 1\n"
}

fn texts(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a sandbox");
    let engine = engine(folder.path());
    let text = long_text();
    let script = Script::new("long.ns", text.as_str());
    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| parse_script(&script)));
    group.bench_function("parse, lower, compile", |bencher| bencher.iter(|| run(&engine, &script)));
    group.bench_function("check", |bencher| bencher.iter(|| engine.check(&script)));
    group.finish();
}

/// Loop bodies. The times include the loop itself; `nothing` is the baseline.
const BODIES: [(&str, &str); 14] = [
    ("nothing", "SET x = i"),
    ("int arithmetic", "SET x = i * 3 - x"),
    ("float arithmetic", "SET f = f * 0.5 + 1.5"),
    ("call of a procedure", "SET x = Same(i)"),
    ("call of a built-in", "SET x = ABS(i)"),
    ("call of a tool", "SET x = LIST.Contains(few, i)"),
    ("list: read", "SET x = list[i]"),
    ("list: set", "SET list[i] = x"),
    ("list: append", "SET grown = grown + [i]"),
    ("map: read a field", "SET x = map.size"),
    ("map: read a key", "SET x = map[key]"),
    ("map: set a key", "SET map[key] = i"),
    ("text: append", "SET text = text + \"abc\""),
    ("text: join", "SET x = \"a\" + i + \"b\""),
];

fn statements(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a sandbox");
    let engine = engine(folder.path());
    let mut group = criterion.benchmark_group("statement");
    group.throughput(Throughput::Elements(TURNS as u64));
    for (name, body) in BODIES {
        let script = Script::new(
            "loop.ns",
            format!(
                "DEFINE PROCEDURE Same(n)\n  RETURN n\nEND\nSET x = 0\nSET f = 0.5\nSET few = [1, 2]\nSET list = RANGE({TURNS})\nSET grown = []\nSET map = {{\"name\": \"n\", \"size\": 5}}\nSET key = \"size\"\nSET text = \"\"\nFOR EACH i IN RANGE({TURNS}) DO\n  {body}\nEND\n"
            ),
        );
        group.bench_function(name, |bencher| bencher.iter(|| run(&engine, &script)));
    }
    group.finish();
}

criterion_group!(benches, texts, statements);
fn main() {
    neuroscript_parts::main(benches);
}
