//! The book in `docs/`: every code block in it is run, its summary names every page, and every link is valid.
//!
//! The first line of a block determines its kind:
//! - ```` ```LANGUAGE path [time] ```` is a file for the following blocks of its section (`##`), last modified at the
//!   time; a path that ends in `/` is a directory, and the language `base64` gives the bytes of a file. One that no
//!   block reads, such as `text terminal`, is only shown;
//! - `neuroscript` is a script, which passes the check and runs in a sandbox of its own; a `text` block right below it
//!   is its output;
//! - `toml` is the policy file from there on, in its section;
//! - `sh` is run by a shell, in one directory for the whole page;
//! - `console` shows commands after `$ `, each with all that it prints; `…` in a line stands for any text, and a line
//!   of its own for any lines. The directory is that of `sh`, and a `cd` holds for the rest of the page.
//!
//! The clock is fixed at noon of 1 June 2024.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libtest_mimic::{Arguments, Failed, Trial};

use support::{FIXED_TIME, ns, package, run, set_time};

const NOW: &str = "2024-06-01T12:00:00Z";

fn main() {
    let args = Arguments::from_args();
    let mut trials = vec![
        Trial::test("the summary names every page, once", summary_is_whole),
        Trial::test("every link leads somewhere", links_lead_somewhere),
        Trial::test("shown output is compared with what is printed", shown_output_is_compared),
        Trial::test("the cookbook has thirty chores, each with what it prints", cookbook_is_whole),
    ];
    // The five documents are not ours; `tests/specs.rs` tests their contents.
    for page in pages().into_iter().filter(|page| !page.starts_with("specs")) {
        trials.push(Trial::test(format!("blocks of {}", page.display()), move || run_page(&page)));
    }
    libtest_mimic::run(&args, trials).exit();
}

/// Returns the pages of the book, relative to `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    collect(&package("docs"), Path::new(""), &mut pages);
    pages.sort();
    pages
}

fn collect(folder: &Path, below: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the book") {
        let entry = entry.expect("an entry of the book");
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            collect(&entry.path(), &path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") && path != Path::new("SUMMARY.md") {
            pages.push(path);
        }
    }
}

fn read(page: &Path) -> String {
    fs::read_to_string(package("docs").join(page)).expect("the page is there")
}

/// A part of a page.
#[derive(Debug)]
enum Part {
    /// A heading with its number of `#`.
    Heading(usize, String),
    /// A line outside of code.
    Line(String),
    Block(Block),
}

/// A fenced block.
#[derive(Debug, Default)]
struct Block {
    line: usize,
    language: String,
    /// The path of the file that the block defines, and its modification time.
    file: Option<(String, u64)>,
    text: String,
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let fence: String = line.chars().take_while(|c| *c == '`' || *c == '~').collect();
        if fence.len() >= 3 {
            let mut block = Block { line: number, ..opened(&line[fence.len()..]) };
            for (line, _) in lines.by_ref().take_while(|(line, _)| *line != fence) {
                block.text.push_str(line);
                block.text.push('\n');
            }
            parts.push(Part::Block(block));
        } else if line.starts_with('#') {
            let depth = line.chars().take_while(|c| *c == '#').count();
            parts.push(Part::Heading(depth, line[depth..].trim().to_owned()));
        } else {
            parts.push(Part::Line(line.to_owned()));
        }
    }
    parts
}

/// Parses the info string of a fence.
fn opened(words: &str) -> Block {
    let (language, rest) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
    let seconds = |word: &str| chrono::DateTime::parse_from_rfc3339(word).ok().map(|time| time.timestamp() as u64);
    let timed = rest.rsplit_once(' ').and_then(|(path, time)| Some((path.to_owned(), seconds(time)?)));
    let file = timed.or_else(|| Some((rest.to_owned(), FIXED_TIME)));
    Block { language: language.to_owned(), file: file.filter(|(path, _)| !path.is_empty()), ..Block::default() }
}

/// The files that blocks find on the disk.
#[derive(Default)]
struct Files {
    policy: Option<String>,
    files: Vec<(String, u64, Vec<u8>)>,
}

impl Files {
    fn make(&self, sandbox: &Path) {
        for (path, seconds, content) in &self.files {
            let file = sandbox.join(path);
            if path.ends_with('/') {
                fs::create_dir_all(file).expect("a directory");
                continue;
            }
            fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder for the file");
            fs::write(&file, content).expect("a file");
            set_time(&file, *seconds);
        }
        if let Some(policy) = &self.policy {
            fs::write(sandbox.join("neuroscript.toml"), policy).expect("a policy");
        }
    }
}

fn run_page(page: &Path) -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let shell = place.path().join("page");
    fs::create_dir(&shell)?;
    let mut console = Console { folder: shell.clone(), end: place.path().join("end") };
    let mut files = Files::default();
    let mut parts = parts(&read(page)).into_iter().peekable();
    while let Some(part) = parts.next() {
        let block = match part {
            Part::Heading(..=2, _) => {
                files = Files::default();
                continue;
            }
            Part::Block(block) => block,
            _ => continue,
        };
        let at = format!("{}:{}", page.display(), block.line);
        match (block.language.as_str(), block.file) {
            (_, Some((path, _))) if Path::new(&path).is_absolute() => {
                return Err(format!("{at}: `{path}` is not a path in the sandbox").into());
            }
            (language, Some((path, seconds))) => {
                files.files.push((path, seconds, content(language, &block.text)));
            }
            ("toml", None) => files.policy = Some(block.text),
            ("neuroscript", None) => {
                while parts.next_if(|part| matches!(part, Part::Line(line) if line.is_empty())).is_some() {}
                let is_output =
                    |part: &Part| matches!(part, Part::Block(it) if it.language == "text" && it.file.is_none());
                let output = match parts.next_if(is_output) {
                    Some(Part::Block(output)) => Some(output.text),
                    _ => None,
                };
                run_script(&block.text, output.as_deref(), &files).map_err(|fault| format!("{at}: {fault}"))?;
            }
            ("sh", None) => run_shell(&block.text, &files, &shell).map_err(|fault| format!("{at}: {fault}"))?,
            ("console", None) => console.run(&block.text, &files).map_err(|fault| format!("{at}: {fault}"))?,
            ("signature", None) => {}
            (other, None) => return Err(format!("{at}: a block of `{other}` is nothing that runs").into()),
        }
    }
    Ok(())
}

/// Returns the bytes of a file that a block defines.
fn content(language: &str, text: &str) -> Vec<u8> {
    match language {
        "base64" => STANDARD.decode(text.replace('\n', "")).expect("a block of base64"),
        _ => text.as_bytes().to_vec(),
    }
}

fn run_script(script: &str, output: Option<&str>, files: &Files) -> Result<(), String> {
    let place = tempfile::tempdir().expect("a folder for the script");
    let (sandbox, file) = (place.path().join("sandbox"), place.path().join("script.ns"));
    fs::create_dir(&sandbox).expect("a sandbox");
    fs::write(&file, script).expect("the script can be written");
    files.make(&sandbox);
    let checked = run(ns(&sandbox).arg("check").arg(&file));
    let ran = run(ns(&sandbox).args(["--now", NOW, "run"]).arg(&file));
    let told = format!("{}{}", checked.stderr, ran.stderr);
    if checked.code != 0 || ran.code != 0 || !checked.stderr.is_empty() {
        return Err(format!("exit {} and {}\n{told}", checked.code, ran.code));
    }
    match output {
        Some(output) if ran.stdout.trim_end() != output.trim_end() => {
            Err(format!("expected\n{output}\nfound\n{}\n{told}", ran.stdout))
        }
        _ => Ok(()),
    }
}

fn run_shell(text: &str, files: &Files, folder: &Path) -> Result<(), String> {
    files.make(folder);
    let ran = run(&mut shell(text, folder));
    match ran.code {
        0 => Ok(()),
        code => Err(format!("exit {code}\n{}", ran.stderr)),
    }
}

/// Returns a shell that runs a text with the `ns` of the tests, as a user without a configuration.
fn shell(text: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_ns")).parent().expect("the binary lies in a folder");
    let path = std::env::var("PATH").expect("there is a path");
    let mut command = Command::new("sh");
    command.args(["-euc", text]).current_dir(folder).env("PATH", format!("{}:{path}", binary.display()));
    command.env("NO_COLOR", "1").env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME");
    command.env("XDG_STATE_HOME", support::state_home());
    command
}

/// The commands that a page shows with their output.
struct Console {
    /// The current directory.
    folder: PathBuf,
    /// The file in which a command leaves its current directory.
    end: PathBuf,
}

impl Console {
    fn run(&mut self, text: &str, files: &Files) -> Result<(), String> {
        files.make(&self.folder);
        let (before, commands) = text.split_once("$ ").ok_or("a console shows a command after `$ `")?;
        if !before.is_empty() {
            return Err(format!("the output `{before}` follows no command"));
        }
        commands.split("\n$ ").try_for_each(|shown| {
            let (command, output) = shown.split_once('\n').unwrap_or((shown, ""));
            self.step(command, output).map_err(|fault| format!("`{command}`: {fault}"))
        })
    }

    fn step(&mut self, line: &str, output: &str) -> Result<(), String> {
        let text = format!("exec 2>&1\n{line}\npwd > {}", self.end.display());
        let ran = run(&mut shell(&text, &self.folder));
        if ran.code != 0 {
            return Err(format!("exit {}\n{}", ran.code, ran.stdout));
        }
        self.folder = PathBuf::from(fs::read_to_string(&self.end).expect("the shell was there").trim_end());
        fs::remove_file(&self.end).expect("the file of the shell");
        let (wanted, found): (Vec<&str>, Vec<&str>) = (output.lines().collect(), ran.stdout.lines().collect());
        if is_shown(&wanted, &found) { Ok(()) } else { Err(format!("expected\n{output}\nfound\n{}", ran.stdout)) }
    }
}

/// Matches any text in the output that a page shows.
const ANYTHING: &str = "…";

/// Whether lines are those that a page shows.
fn is_shown(shown: &[&str], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((&ANYTHING, rest)) => (0..=lines.len()).any(|skipped| is_shown(rest, &lines[skipped..])),
        Some((line, rest)) => {
            lines.split_first().is_some_and(|(found, others)| is_shown_line(line, found) && is_shown(rest, others))
        }
    }
}

fn is_shown_line(shown: &str, line: &str) -> bool {
    let (shown, line) = (shown.trim_end(), line.trim_end());
    let Some((first, rest)) = shown.split_once(ANYTHING) else { return shown == line };
    let Some(mut left) = line.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once(ANYTHING).map_or((None, rest), |(middle, last)| (Some(middle), last));
    for part in middle.iter().flat_map(|middle| middle.split(ANYTHING)) {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

/// Returns the texts and targets of the links of a page, except in code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in parts(text) {
        let Part::Line(line) = part else { continue };
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for (_, rest) in prose.match_indices("](").map(|(at, _)| prose.split_at(at + 2)) {
            found.extend(rest.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    found
}

/// Returns the anchor of a heading, as mdBook and GitHub generate it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn shown_output_is_compared() -> Result<(), Failed> {
    let shown = ["a", "…", "id … of …: done", "z"];
    assert!(is_shown(&shown, &["a", "id 1 of 2: done", "z"]));
    assert!(is_shown(&shown, &["a", "b", "c", "id  of : done", "z"]));
    let others: [&[&str]; 6] = [
        &["a", "b", "z"],
        &["a", "id 1: done", "z"],
        &["a", "id 1 of 2: done!", "z"],
        &["id 1 of 2: done", "z"],
        &["a", "id 1 of 2: done", "z", "z!"],
        &["a", "id 1 of 2: done"],
    ];
    assert!(others.iter().all(|lines| !is_shown(&shown, lines)));
    assert!(is_shown(&[], &[]) && !is_shown(&[], &["a"]) && !is_shown_line("a…a", "a"));
    Ok(())
}

fn summary_is_whole() -> Result<(), Failed> {
    let named = links(&read(Path::new("SUMMARY.md")));
    let known: BTreeSet<String> = pages().iter().map(|page| page.display().to_string()).collect();
    assert_eq!(named.len(), known.len(), "a page is named twice, or one is missing");
    assert_eq!(named.into_iter().collect::<BTreeSet<_>>(), known);
    let book = fs::read_to_string(package("book.toml")).expect("book.toml");
    let book: toml::Table = book.parse().expect("book.toml is TOML");
    assert_eq!(book["book"]["src"].as_str(), Some("docs"));
    Ok(())
}

fn links_lead_somewhere() -> Result<(), Failed> {
    let mut faults = Vec::new();
    for page in pages() {
        for link in links(&read(&page)).into_iter().filter(|link| !link.contains("://")) {
            let (path, wanted) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().expect("a page lies in a folder").join(path),
            };
            let is_there = package("docs").join(&target).is_file();
            let has_anchor = || {
                let is_wanted = |part| matches!(part, Part::Heading(_, text) if anchor(&text) == wanted);
                wanted.is_empty() || parts(&read(&target)).into_iter().any(is_wanted)
            };
            if !is_there || !has_anchor() {
                faults.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "links that lead nowhere:\n{}", faults.join("\n"));
    Ok(())
}

fn cookbook_is_whole() -> Result<(), Failed> {
    let mut chores: Vec<(String, Vec<String>)> = Vec::new();
    for page in pages().into_iter().filter(|page| page.starts_with("cookbook") && !page.ends_with("README.md")) {
        for part in parts(&read(&page)) {
            match part {
                Part::Heading(2, title) => chores.push((title, Vec::new())),
                Part::Block(Block { language, file: None, .. }) => {
                    chores.last_mut().expect("a block stands in a chore").1.push(language);
                }
                _ => {}
            }
        }
    }
    for (title, blocks) in &chores {
        assert_eq!(blocks, &["neuroscript", "text"], "{title}: a script, and what it prints");
    }
    assert!(chores.len() >= 30, "{} chores", chores.len());
    Ok(())
}
