//! Realistic texts: one line changes.

use serde_json::{Value as Json, json};

use crate::edits::Bench;

const PACKAGE: &str = r#"{
  "name": "shop",
  "version": "1.4.2",
  "private": true,
  "scripts": {
    "build": "tsc -p .",
    "test": "vitest run"
  },
  "files": ["dist", "README.md"],
  "dependencies": {
    "express": "^4.19.2",
    "zod": "~3.23.0"
  },
  "engines": {"node": ">=20"}
}
"#;

const PROJECT: &str = r#"# The project
[build-system]
requires = ["hatchling>=1.24"] # pinned below
build-backend = "hatchling.build"

[project]
name = "shop"
version = "1.4.2"
dependencies = [
    "httpx>=0.27", # HTTP
    "rich",
]

[project.scripts]
shop = "shop.cli:main"

[tool.black]
line-length = 100

# Types
[[tool.mypy.overrides]]
module = "boto3.*"
ignore_missing_imports = true
"#;

const COMPOSE: &str = r#"# Local services
services:
  web:
    image: shop:1.4.2   # built by CI
    ports:
      - "8080:80"
    environment:
      LOG: info
      # secrets come from .env
    depends_on: [db]

  db:
    image: postgres:16

volumes:
  data: {}
"#;

const WORKFLOW: &str = r#"name: CI
on:
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    # the toolchain
    - name: Test
      run: |
        cargo build
        cargo test
"#;

/// Returns the removed and the added lines.
fn changed<'a>(old: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (old[before..old.len() - after].to_vec(), new[before..new.len() - after].to_vec())
}

fn sets(form: &str, text: &str, cases: &[(&str, Json, &[&str], &[&str])]) {
    let bench = Bench::open();
    for (path, value, gone, came) in cases {
        for ending in ["\n", "\r\n"] {
            let text = text.replace('\n', ending);
            let made = bench.set(form, &text, path, value).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(made.matches('\n').count(), made.matches(ending).count(), "{path}: line breaks are of one kind");
            let (text, made) = (text.replace(ending, "\n"), made.replace(ending, "\n"));
            assert_eq!(changed(&text, &made), (gone.to_vec(), came.to_vec()), "{path} = {value}\n{made}");
        }
    }
}

#[test]
fn a_package_of_node() {
    for unit in ["  ", "    ", "\t"] {
        let text = PACKAGE.replace("  ", unit);
        let line = |line: &str| line.replace("  ", unit);
        sets(
            "JSON",
            &text,
            &[
                ("version", json!("1.5.0"), &[&line(r#"  "version": "1.4.2","#)], &[&line(r#"  "version": "1.5.0","#)]),
                (
                    "scripts.lint",
                    json!("eslint ."),
                    &[&line(r#"    "test": "vitest run""#)],
                    &[&line(r#"    "test": "vitest run","#), &line(r#"    "lint": "eslint .""#)],
                ),
                (
                    "files[2]",
                    json!("docs"),
                    &[&line(r#"  "files": ["dist", "README.md"],"#)],
                    &[&line(r#"  "files": ["dist", "README.md", "docs"],"#)],
                ),
                (
                    "engines.npm",
                    json!(">=10"),
                    &[&line(r#"  "engines": {"node": ">=20"}"#)],
                    &[&line(r#"  "engines": {"node": ">=20", "npm": ">=10"}"#)],
                ),
            ],
        );
    }
}

#[test]
fn a_project_of_python() {
    sets(
        "TOML",
        PROJECT,
        &[
            ("project.version", json!("1.5.0"), &["version = \"1.4.2\""], &["version = \"1.5.0\""]),
            ("project.dependencies[2]", json!("zod"), &[], &["    \"zod\","]),
            ("tool.black.target", json!(["py312"]), &[], &["target = [\"py312\"]"]),
            ("project.scripts.more", json!("shop:more"), &[], &["more = \"shop:more\""]),
            ("tool.mypy.overrides[0].strict", json!(true), &[], &["strict = true"]),
            ("tool.ruff.line-length", json!(100), &[], &["[tool.ruff]", "line-length = 100", ""]),
        ],
    );
}

#[test]
fn the_manifest_of_this_package() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("it is there");
    let bench = Bench::open();
    let made = bench.set("TOML", &text, "workspace.package.version", &json!("9.9.9")).expect("it is there");
    assert_eq!(changed(&text, &made).1, ["version = \"9.9.9\""]);
    let made = bench.set("TOML", &text, "workspace.dependencies.clap.version", &json!("9")).expect("it is there");
    assert_eq!(changed(&text, &made).1.len(), 1);
    let made = bench.remove("TOML", &text, "workspace.dependencies.clap").expect("it is there");
    let (gone, came) = changed(&text, &made);
    assert!(gone.len() == 1 && gone[0].starts_with("clap = ") && came.is_empty(), "{gone:?} {came:?}");
    let value = bench.parse("TOML", &text).expect("it is TOML");
    for (table, entries) in value.as_object().expect("a map") {
        for (key, old) in entries.as_object().into_iter().flatten() {
            let path = format!("{table}['{key}']");
            let made = bench.set("TOML", &text, &path, &json!("new")).unwrap_or_else(|error| panic!("{path}: {error}"));
            let comments = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
            // Comments inside a replaced table are removed with it.
            assert!(old.is_object() || comments(&text) == comments(&made), "{path}");
            bench.remove("TOML", &text, &path).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
}

#[test]
fn services_and_a_workflow() {
    let image = "    image: shop:1.4.2   # built by CI";
    sets(
        "YAML",
        COMPOSE,
        &[
            ("services.web.image", json!("shop:1.5.0"), &[image], &["    image: shop:1.5.0   # built by CI"]),
            ("services.web.ports[1]", json!("8443:443"), &[], &["      - \"8443:443\""]),
            ("services.web.environment.DEBUG", json!(true), &[], &["      DEBUG: true"]),
            ("services.web.depends_on[1]", json!("cache"), &["    depends_on: [db]"], &["    depends_on: [db, cache]"]),
            ("services.cache", json!({"image": "redis"}), &[], &["  cache:", "    image: redis"]),
        ],
    );
    sets(
        "YAML",
        WORKFLOW,
        &[
            ("jobs.test.runs-on", json!("macos-14"), &["    runs-on: ubuntu-latest"], &["    runs-on: macos-14"]),
            (
                "jobs.test.steps[0].uses",
                json!("actions/checkout@v5"),
                &["    - uses: actions/checkout@v4"],
                &["    - uses: actions/checkout@v5"],
            ),
            ("jobs.test.steps[0].with.depth", json!(0), &[], &["      with:", "        depth: 0"]),
            (
                "jobs.test.steps[2]",
                json!({"run": "ls", "if": "always()"}),
                &[],
                &["    - run: ls", "      if: always()"],
            ),
            (
                "jobs.test.steps[1].run",
                json!("cargo test\ncargo doc\n"),
                &["        cargo build", "        cargo test"],
                &["        cargo test", "        cargo doc"],
            ),
        ],
    );
}
