//! The documented behaviour of `find` in the simplest code: list everything, then apply each rule.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// An entry of a tree, and the metadata that count for it.
struct Entry {
    path: String,
    metadata: fs::Metadata,
    target: Option<String>,
}

impl Entry {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().expect("a path has a name")
    }

    fn kind(&self) -> &'static str {
        let kind = self.metadata.file_type();
        if kind.is_dir() {
            "directory"
        } else if kind.is_symlink() {
            "link"
        } else if kind.is_file() {
            "file"
        } else {
            "other"
        }
    }

    fn record(&self, args: &Json) -> Json {
        let size = if self.metadata.is_dir() { 0 } else { self.metadata.len() };
        let time = |seconds| {
            let time = chrono::DateTime::from_timestamp(seconds, 0).expect("a time");
            time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
        };
        let mut record = json!({
            "path": self.path,
            "name": self.name(),
            "type": self.kind(),
            "size": size,
            "modified": time(self.metadata.mtime()),
            "extension": extension(self.name()),
            "target": self.target,
        });
        if args["identity"] == true {
            record["links"] = json!(self.metadata.nlink());
            record["identity"] = json!(format!("{:x}-{:x}", self.metadata.dev(), self.metadata.ino()));
            record["changed"] = json!(time(self.metadata.ctime()));
        }
        record
    }
}

fn extension(name: &str) -> &str {
    match name.rfind('.') {
        Some(dot) if dot > 0 && dot + 1 < name.len() => &name[dot + 1..],
        _ => "",
    }
}

/// Returns the records that a call must give.
pub fn find(root: &Path, args: &Json) -> Vec<Json> {
    let rules = Rules::new(args);
    let mut entries = Vec::new();
    rules.collect(root, root, "", &mut entries);
    if args["follow"] == true {
        rules.follow(root, &mut entries);
    }
    let mut given: Vec<(Json, &Entry)> =
        entries.iter().filter(|entry| rules.gives(entry)).map(|entry| (entry.record(args), entry)).collect();
    given.sort_by(|(a, _), (b, _)| text(a, "path").as_bytes().cmp(text(b, "path").as_bytes()));
    let key = args["sort"].as_str().unwrap_or("path");
    let time = |entry: &Entry| (entry.metadata.mtime(), entry.metadata.mtime_nsec());
    let order = |(a, of_a): &(Json, &Entry), (b, of_b): &(Json, &Entry)| match key {
        "size" => a["size"].as_u64().cmp(&b["size"].as_u64()),
        "modified" => time(of_a).cmp(&time(of_b)),
        key => text(a, key).as_bytes().cmp(text(b, key).as_bytes()),
    };
    if args["descending"] == true {
        given.sort_by(|a, b| order(b, a))
    } else {
        given.sort_by(order)
    }
    given.truncate(args["limit"].as_u64().map_or(usize::MAX, |limit| limit as usize));
    given.into_iter().map(|(record, _)| record).collect()
}

fn text<'a>(record: &'a Json, key: &str) -> &'a str {
    record[key].as_str().expect("a text")
}

/// A pattern of a call.
struct Pattern {
    excludes: bool,
    directories_only: bool,
    /// The alternatives without braces, of which one must match.
    choices: Vec<Vec<char>>,
    of_paths: bool,
    ignore_case: bool,
}

impl Pattern {
    fn new(text: &str, ignore_case: bool) -> Pattern {
        let (excludes, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (directories_only, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        let of_paths = text.contains('/');
        let text = text.strip_prefix("./").unwrap_or(text);
        let choices = braces(text).iter().map(|choice| choice.chars().collect()).collect();
        Pattern { excludes, directories_only, choices, of_paths, ignore_case }
    }

    fn fits(&self, path: &str, is_directory: bool) -> bool {
        let subject = if self.of_paths { path } else { path.rsplit('/').next().expect("a name") };
        let fold = |text: Vec<char>| {
            if self.ignore_case { text.into_iter().flat_map(char::to_lowercase).collect() } else { text }
        };
        let subject = fold(subject.chars().collect());
        let fits = self.choices.iter().any(|choice| matches(&fold(choice.clone()), &subject));
        fits && (is_directory || !self.directories_only)
    }
}

/// Expands a pattern with at most one pair of braces.
fn braces(text: &str) -> Vec<String> {
    match (text.find('{'), text.find('}')) {
        (Some(open), Some(close)) => {
            let (before, after) = (&text[..open], &text[close + 1..]);
            text[open + 1..close].split(',').map(|choice| format!("{before}{choice}{after}")).collect()
        }
        _ => vec![text.to_owned()],
    }
}

/// Whether a text matches a pattern, by trying everything.
fn matches(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', '*'] => true,
        ['*', '*', '/', rest @ ..] => {
            matches(rest, text)
                || text.iter().position(|c| *c == '/').is_some_and(|at| matches(pattern, &text[at + 1..]))
        }
        // In the middle `/**/`, and at the end `/**`.
        ['/', '*', '*'] => text.first() == Some(&'/') && text.len() > 1,
        ['*', rest @ ..] => {
            matches(rest, text) || text.first().is_some_and(|c| *c != '/') && matches(pattern, &text[1..])
        }
        ['?', rest @ ..] => text.first().is_some_and(|c| *c != '/') && matches(rest, &text[1..]),
        ['\\', c, rest @ ..] => text.first() == Some(c) && matches(rest, &text[1..]),
        ['[', rest @ ..] => {
            let close = rest.iter().position(|c| *c == ']').expect("a class ends");
            let (class, after) = (&rest[..close], &rest[close + 1..]);
            let (negated, class) = if class[0] == '!' { (true, &class[1..]) } else { (false, class) };
            text.first().is_some_and(|c| *c != '/' && class.contains(c) != negated) && matches(after, &text[1..])
        }
        [c, rest @ ..] => text.first() == Some(c) && matches(rest, &text[1..]),
    }
}

/// The rules of a call.
struct Rules<'a> {
    args: &'a Json,
    patterns: Vec<Pattern>,
}

impl<'a> Rules<'a> {
    fn new(args: &'a Json) -> Rules<'a> {
        let texts: Vec<&str> = match &args["pattern"] {
            Json::Array(texts) => texts.iter().filter_map(Json::as_str).collect(),
            text => text.as_str().into_iter().collect(),
        };
        let ignore_case = args["ignore_case"] == true;
        Rules { args, patterns: texts.iter().map(|text| Pattern::new(text, ignore_case)).collect() }
    }

    fn depth(&self) -> usize {
        self.args["depth"].as_u64().map_or(usize::MAX, |depth| depth as usize)
    }

    /// Returns the verdict of the last matching pattern: whether it excludes.
    fn last(&self, path: &str, is_directory: bool) -> Option<bool> {
        self.patterns.iter().rev().find(|pattern| pattern.fits(path, is_directory)).map(|pattern| pattern.excludes)
    }

    fn is_hidden(&self, path: &str) -> bool {
        self.args["hidden"] == false && path.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
    }

    fn enters(&self, path: &str) -> bool {
        !self.is_hidden(path) && self.last(path, true) != Some(true) && path.split('/').count() < self.depth()
    }

    /// Collects everything in a directory on the disk, whose path in the answer is `below`.
    fn collect(&self, root: &Path, folder: &Path, below: &str, entries: &mut Vec<Entry>) {
        for entry in fs::read_dir(folder).expect("a folder of the tree") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("names are texts");
            if folder == root && name == ".ns" {
                continue;
            }
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            let metadata = entry.metadata().expect("what is known of an entry");
            let target = metadata.is_symlink().then(|| fs::read_link(entry.path()).expect("a link"));
            let target = target.map(|target| target.to_str().expect("a text").to_owned());
            if metadata.is_dir() && self.enters(&path) {
                self.collect(root, &entry.path(), &path, entries);
            }
            entries.push(Entry { path, metadata, target });
        }
    }

    /// Resolves links in rounds: those of the tree, those behind them, and so on.
    fn follow(&self, root: &Path, entries: &mut Vec<Entry>) {
        let root = root.canonicalize().expect("the root");
        let mut read: BTreeSet<PathBuf> = BTreeSet::from([root.clone()]);
        let folders = entries.iter().filter(|entry| entry.metadata.is_dir() && self.enters(&entry.path));
        read.extend(folders.map(|entry| root.join(&entry.path)));
        let mut done = 0;
        loop {
            let mut links: Vec<usize> =
                (done..entries.len()).filter(|index| entries[*index].metadata.is_symlink()).collect();
            if links.is_empty() {
                return;
            }
            links.sort_by(|a, b| format!("{}/", entries[*a].path).cmp(&format!("{}/", entries[*b].path)));
            done = entries.len();
            for link in links {
                let path = entries[link].path.clone();
                if !self.hides_nothing_above(&path) {
                    continue;
                }
                let Ok(real) = root.join(&path).canonicalize() else { continue };
                let Ok(below_root) = real.strip_prefix(&root) else { continue };
                // A link that leaves the root on its way is not followed, even if it returns.
                if climbs_out(&root, &path) || below_root.starts_with(".ns") {
                    continue;
                }
                entries[link].metadata = fs::metadata(&real).expect("what a link leads to");
                if entries[link].metadata.is_dir() && self.enters(&path) && read.insert(real.clone()) {
                    let mut found = Vec::new();
                    self.collect_new(&root, &real, &path, &mut read, &mut found);
                    entries.append(&mut found);
                }
            }
        }
    }

    fn hides_nothing_above(&self, path: &str) -> bool {
        !self.is_hidden(path)
    }

    /// Like [`Rules::collect`], for directories that were not read before.
    fn collect_new(
        &self,
        root: &Path,
        folder: &Path,
        below: &str,
        read: &mut BTreeSet<PathBuf>,
        entries: &mut Vec<Entry>,
    ) {
        let mut inside = Vec::new();
        let shallow = Rules { args: &json!({ "depth": below.split('/').count() + 1 }), patterns: Vec::new() };
        shallow.collect(root, folder, below, &mut inside);
        for entry in inside {
            let real = folder.join(entry.name());
            let enters = entry.metadata.is_dir() && self.enters(&entry.path) && read.insert(real.clone());
            let path = entry.path.clone();
            entries.push(entry);
            if enters {
                self.collect_new(root, &real, &path, read, entries);
            }
        }
    }

    fn gives(&self, entry: &Entry) -> bool {
        let is_directory = entry.metadata.is_dir();
        let has_includes = self.patterns.iter().any(|pattern| !pattern.excludes);
        let included = self.last(&entry.path, is_directory).map_or(!has_includes, |excludes| !excludes);
        let kind = self.args["type"].as_str().unwrap_or("file");
        let fits_kind = kind == "all" || kind == entry.kind();
        let size = entry.metadata.len();
        let bound = |name: &str| match &self.args[name] {
            Json::Null => None,
            Json::String(text) => Some(match text.as_str() {
                "1K" => 1024,
                "1.5 KB" => 1500,
                text => text.parse().expect("a size"),
            }),
            number => number.as_u64(),
        };
        let has_bound = bound("min_size").is_some() || bound("max_size").is_some();
        let fits_size = bound("min_size").is_none_or(|least| size >= least)
            && bound("max_size").is_none_or(|most| size <= most)
            && !(has_bound && is_directory);
        let time = |name: &str| {
            let text = self.args[name].as_str()?;
            Some(chrono::DateTime::parse_from_rfc3339(text).expect("a time").timestamp())
        };
        let fits_time = time("newer_than").is_none_or(|time| entry.metadata.mtime() >= time)
            && time("older_than").is_none_or(|time| entry.metadata.mtime() < time);
        let fits_depth = entry.path.split('/').count() <= self.depth();
        included && fits_kind && fits_size && fits_time && fits_depth && !self.is_hidden(&entry.path)
    }
}

/// Whether a link leaves the root anywhere on its way.
fn climbs_out(root: &Path, path: &str) -> bool {
    let mut at = root.join(path).parent().expect("a link lies in a folder").canonicalize().expect("a folder");
    let mut target = fs::read_link(root.join(path)).expect("a link");
    for _ in 0..40 {
        if target.is_absolute() {
            return !target.starts_with(root);
        }
        for part in target.components() {
            match part {
                std::path::Component::ParentDir if at == root => return true,
                std::path::Component::ParentDir => drop(at.pop()),
                std::path::Component::CurDir => {}
                part => at.push(part),
            }
            if at.is_symlink() {
                break;
            }
        }
        match fs::read_link(&at) {
            Ok(next) => {
                at.pop();
                target = next;
            }
            Err(_) => return false,
        }
    }
    false
}
