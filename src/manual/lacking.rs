//! Things that scripts cannot do although newcomers look for them, and what to do instead.

use crate::engine::built_in_tools;

use super::layout::wrapped;
use super::topic::{Topic, find, summaries};

/// A thing that scripts cannot do.
struct Lacking {
    /// Words that people look for, in lower case.
    names: &'static [&'static str],
    /// Why there is none.
    reason: &'static str,
    /// The way around it.
    instead: &'static str,
    /// Pages about what to use instead.
    see: &'static [&'static str],
}

const LACKING: [Lacking; 15] = [
    Lacking {
        names: &[
            "http",
            "https",
            "url",
            "network",
            "internet",
            "download",
            "upload",
            "curl",
            "wget",
            "fetch",
            "request",
            "requests",
            "http request",
            "rest api",
            "api",
            "web",
            "website",
            "socket",
            "sockets",
            "tcp",
            "ftp",
            "ssh",
            "websocket",
            "email",
            "mail",
            "send mail",
            "smtp",
            "dns",
            "ping",
        ],
        reason: "A script has no access to the network",
        instead: "Fetch the data before the run and read the file or standard input: `curl URL | ns FILE`. To send \
            results, write a file or print them, and let another program send them",
        see: &["FS.ReadFile", "IO.Input", "EMIT"],
    },
    Lacking {
        names: &[
            "sleep",
            "wait",
            "delay",
            "pause",
            "timer",
            "schedule",
            "cron",
            "interval",
            "poll",
            "watch",
            "watch files",
            "inotify",
            "daemon",
            "background",
        ],
        reason: "A script does not wait: it runs once, from beginning to end",
        instead: "Let something outside start it again: `ns watch FILE --on PATTERN` whenever files change, or cron or \
            a systemd timer at a time",
        see: &["ns watch", "TIME.Now"],
    },
    Lacking {
        names: &[
            "exec",
            "shell",
            "shell command",
            "subprocess",
            "process",
            "processes",
            "spawn",
            "popen",
            "system",
            "run command",
            "run a command",
            "run a program",
            "run program",
            "external program",
            "kill",
            "pipe",
        ],
        reason: "A script starts no other programs",
        instead: "Use the tools of `ns`, or put `ns FILE` between other programs in a shell script: a script reads \
            standard input and prints results",
        see: &["ns tools", "IO.Input", "EMIT"],
    },
    Lacking {
        names: &[
            "thread",
            "threads",
            "async",
            "await",
            "parallel",
            "concurrency",
            "concurrent",
            "mutex",
            "promise",
            "goroutine",
        ],
        reason: "A script does one thing after another",
        instead: "Go through a list, or start several runs: they may work in one folder at the same time",
        see: &["FOR EACH", "LIST.Map"],
    },
    Lacking {
        names: &["hard link", "hard links", "hardlink", "hardlinks", "junction"],
        reason: "No tool makes a hard link: the rules of the policy go by names, and a second name would pass by them",
        instead: "Make a symbolic link, or copy the file. `FS.FileInfo` tells hard links by `links` and `identity`",
        see: &["FS.CreateLink", "FS.CopyFile", "FS.FileInfo"],
    },
    Lacking {
        names: &["chown", "owner", "chgrp", "change owner", "sudo", "root", "user", "users"],
        reason: "A script has the rights of the user who runs it, and no tool changes owners",
        instead: "Set permission bits, or change the owner outside of `ns`",
        see: &["FS.SetPermissions", "FS.FileInfo"],
    },
    Lacking {
        names: &["database", "sql", "sqlite", "mysql", "postgres", "query database"],
        reason: "No tool opens a database",
        instead: "Keep values between runs in project memory, or read and write JSON and CSV files",
        see: &["MEMORY.Set", "CSV.Parse", "JSON.Parse"],
    },
    Lacking {
        names: &["class", "classes", "struct", "method", "inheritance", "interface", "new object", "oop"],
        reason: "The language has no classes",
        instead: "Keep data in maps, and define procedures for them",
        see: &["DEFINE PROCEDURE", "literals", "USE"],
    },
    Lacking {
        names: &["encrypt", "decrypt", "encryption", "cipher", "aes", "gpg", "sign"],
        reason: "No tool encrypts or signs",
        instead: "Hashes tell whether content has changed; encrypt files outside of `ns`",
        see: &["HASH.Sha256", "FS.HashFile"],
    },
    Lacking {
        names: &["html", "parse html", "xpath"],
        reason: "No tool parses HTML, and no language of paths searches XML",
        instead: "Parse XML and XHTML as maps, and take out single parts of HTML with regular expressions",
        see: &["XML.Parse", "REGEX.All", "STR.Split"],
    },
    Lacking {
        names: &["pdf", "docx", "xlsx", "excel", "office", "video"],
        reason: "No tool reads the content of office documents, PDF or video",
        instead: "A script can find, move, hash and pack such files, and tell their type; convert the content before",
        see: &["MIME.OfContent", "FS.Find", "CSV.Parse"],
    },
    Lacking {
        names: &["convert image", "resize", "resize image", "thumbnail", "crop", "rotate image", "imagemagick"],
        reason: "No tool changes an image",
        instead: "Sort and rename images by what `IMAGE.Info` tells, and change them with a program for images. A server \
            for agents gives images scaled down with `read_media`",
        see: &["IMAGE.Info", "FS.ReadMedia"],
    },
    Lacking {
        names: &["gui", "window", "dialog", "button", "notification", "clipboard", "mouse"],
        reason: "A script has no windows",
        instead: "It asks and prints at the terminal",
        see: &["IO.Input", "EMIT", "IO.Progress"],
    },
    Lacking {
        names: &["llm", "ai", "gpt", "model", "prompt model"],
        reason: "No provider of a language model is built in, so a script cannot ask one",
        instead: "An agent can call the tools and run scripts itself, over the Model Context Protocol",
        see: &["ns mcp", "ns guide"],
    },
    Lacking {
        names: &["disk space", "free space", "df", "disk full"],
        reason: "No tool tells how much space is free on the disk",
        instead: "Add up the sizes of files, or delete what old runs have kept with `ns gc`",
        see: &["FS.Find", "ns gc"],
    },
];

/// Returns what a script cannot do and what to do instead, with the topics to see, for a text that names such a thing.
pub fn lacking(text: &str) -> Option<String> {
    let wanted = text.trim().to_lowercase().replace(['_', '-'], " ");
    let last = wanted.rsplit(['.', ':']).next().unwrap_or(&wanted);
    let first = wanted.split(['.', ':']).next().unwrap_or(&wanted);
    let by_name = |name: &str| LACKING.iter().find(|lacking| lacking.names.contains(&name));
    by_name(&wanted).or_else(|| by_name(last)).or_else(|| by_name(first)).map(Lacking::page)
}

/// Like [`lacking`], for a text of several words of which one names such a thing: `print pdf`.
pub fn lacking_in(text: &str) -> Option<String> {
    text.split_whitespace().rev().find_map(lacking)
}

impl Lacking {
    fn page(&self) -> String {
        let registry = built_in_tools();
        let found = self.see.iter().map(|name| {
            find(&registry, name).into_iter().next().expect("`tests/doc.rs` prints the page of each thing")
        });
        let topics: Vec<Topic<'_>> = found.collect();
        let text = wrapped(&format!("{}. {}.", self.reason, self.instead));
        format!("{text}\n\nSee\n{}", summaries(&topics))
    }
}
