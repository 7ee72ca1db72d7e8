//! Inputs that use most memory when read: encodings, archives, and files beside a script.

use image::{DynamicImage, ImageFormat, RgbaImage};
use neuroscript::engine::{Engine, Options, Script, format_script, read_plan};
use serde_json::json;

use crate::make::{Tar, Zip, gzip, record, tar, zip};
use crate::subject::call;
use crate::{ALLOCATOR, BASE, Bench, MEMORY, alone, songs};

/// Returns the peak of allocated bytes during some work.
fn peak(work: impl FnOnce() -> Result<(), String>) -> (usize, Result<(), String>) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let done = work();
    (ALLOCATOR.peak_usage() - before, done)
}

fn stays_within(what: &str, work: impl FnOnce() -> Result<(), String>) {
    let (peak, done) = peak(work);
    assert!(peak <= 2 * MEMORY + BASE, "{what} takes {peak} bytes, with {MEMORY} allowed ({done:?})");
}

#[test]
fn files_in_any_encoding() {
    alone(|| {
        let bench = Bench::new(MEMORY);
        let contents: [(&str, Vec<u8>); 5] = [
            ("ascii", b"a".repeat(MEMORY - 1000)),
            ("lines", b"a\n".repeat(MEMORY / 3)),
            ("latin", b"\xe9".repeat(MEMORY / 2)),
            ("utf-16", b"\xe9\x20".repeat(MEMORY / 3)),
            ("broken", b"\xff\xfd".repeat(MEMORY / 4)),
        ];
        for (name, content) in &contents {
            std::fs::write(bench.root().join(name), content).expect("a file");
            std::fs::write(bench.root().join(format!("{name}2")), [content, &b"x\n"[..]].concat()).expect("a file");
            for encoding in [None, Some("latin-1"), Some("utf-16"), Some("utf-8"), Some("gb18030"), Some("base64")] {
                let read = json!({"file_path": name, "encoding": encoding, "max_size_mb": 1000});
                let given = read.as_object().map(|given| given.iter().filter(|(_, value)| !value.is_null()));
                let given: serde_json::Map<_, _> =
                    given.expect("an object").map(|(name, value)| (name.clone(), value.clone())).collect();
                stays_within(&format!("reading {name} as {encoding:?}"), || {
                    call(&bench.engine, "FS.ReadFile", given.into())
                });
            }
            let compared = json!({"a_path": name, "b_path": format!("{name}2"), "max_size_mb": 1000});
            stays_within(&format!("comparing {name}"), || call(&bench.engine, "FS.DiffFiles", compared));
        }
    });
}

fn extract(bench: &Bench, name: &str, archive: &[u8]) {
    std::fs::write(bench.root().join("archive"), archive).expect("an archive");
    let given = json!({
        "archive_path": "archive", "destination_path": "out",
        "max_entries": 1_000_000_000_u64, "max_ratio": 1_000_000_000_u64, "max_total_bytes": 1_u64 << 60,
    });
    stays_within(name, || match call(&bench.engine, "FS.Extract", given) {
        Ok(()) => panic!("{name}: it was meant to be too large"),
        Err(error) if error.contains("memory_bytes") => Ok(()),
        error => error,
    });
}

#[test]
fn lists_of_archives() {
    alone(|| {
        let bench = Bench::new(MEMORY);
        let names = |count: usize, name: &dyn Fn(usize) -> String| -> Vec<String> { (0..count).map(name).collect() };
        let short = names(60_000, &|number| format!("{number:x}"));
        let deep = names(3_000, &|number| format!("{number:x}/{}f", "a/".repeat(100)));
        let long = names(3_000, &|number| format!("{}{number:x}", "b".repeat(200)));
        for (what, names) in [("short", &short), ("deep", &deep), ("long", &long)] {
            let entries: Vec<Zip> = names.iter().map(|name| Zip::stored(name, "")).collect();
            let repeated = if what == "long" { 20 } else { 1 };
            let entries: Vec<Zip> = (0..repeated)
                .flat_map(|round| {
                    entries.iter().cloned().map(move |mut entry| {
                        entry.name.extend(format!("-{round}").into_bytes());
                        entry
                    })
                })
                .collect();
            extract(&bench, &format!("a zip of {what} names"), &zip(&entries));
        }
        for (what, names) in [("short", &short), ("deep", &deep)] {
            let entry = |name: &String| {
                let long = record("path", name);
                let header = Tar { kind: b'x', name: b"p", content: &long, ..Tar::default() };
                [header.bytes(), Tar { name: b"f", ..Tar::default() }.bytes()].concat()
            };
            let mut bytes: Vec<u8> = names.iter().flat_map(entry).collect();
            bytes.extend([0; 1024]);
            extract(&bench, &format!("a tar of {what} names"), &gzip(&bytes));
        }
    });
}

#[test]
fn a_map_of_holes() {
    alone(|| {
        let bench = Bench::new(MEMORY);
        let pieces = 900_000;
        let lines: String = (0..pieces).map(|piece| format!("{}\n1\n", 2 * piece)).collect();
        let mut content = format!("{pieces}\n{lines}").into_bytes();
        content.resize(content.len().next_multiple_of(512), 0);
        content.resize(content.len() + pieces, b'x');
        let about = [
            record("GNU.sparse.major", "1"),
            record("GNU.sparse.minor", "0"),
            record("GNU.sparse.name", "holes"),
            record("GNU.sparse.realsize", &(2 * pieces).to_string()),
        ]
        .concat();
        let header = Tar { kind: b'x', name: b"p", content: &about, ..Tar::default() };
        let file = Tar { name: b"holes", content: &content, ..Tar::default() };
        extract(&bench, "a map of holes", &gzip(&tar(&[header, file])));
    });
}

/// Returns policy files of the greatest size, and lists of the greatest size that is accepted.
fn policies() -> Vec<(String, String)> {
    const BYTES: usize = 256 << 10;
    let units = [("comments", "#\n"), ("lists", "a=[[],[],[]]\n"), ("heads", "[[a]]\n"), ("dots", "a.a.a.a.a=0\n")];
    let mut policies: Vec<(String, String)> =
        units.iter().map(|(what, unit)| ((*what).to_owned(), unit.repeat(BYTES / unit.len()))).collect();
    policies.push(("keys".to_owned(), (0..30_000).map(|number| format!("{number}=0\n")).collect()));
    let long = ["*a?[a-z]".repeat(30), "{a,b}[!c]".repeat(25), "é[à-ü]*".repeat(25), "**/a/".repeat(50) + "b"];
    let mut entries: Vec<&str> = vec!["*", "FS.*", "{FS,STR}.*", "a", "", "*.{a,b,c}*"];
    entries.extend(long.iter().map(String::as_str));
    for (section, key) in [("policy", "blocked_patterns"), ("policy", "allowed_extensions"), ("tools", "deny")] {
        for entry in &entries {
            let quoted = format!("\"{entry}\",");
            for (size, count) in
                [("long", (BYTES - 100) / quoted.len()), ("full", 2_000.min((64 << 10) / (entry.len() + 1)))]
            {
                let text = format!("[{section}]\n{key} = [{}]\n", quoted.repeat(count));
                policies.push((format!("a {size} {key} of `{entry:.20}`"), text));
            }
        }
    }
    policies
}

#[test]
fn policies_and_patterns_beside_a_script() {
    alone(|| {
        let bench = Bench::new(MEMORY);
        for (what, text) in policies() {
            let policy = bench.root().join("policy.toml");
            std::fs::write(&policy, &text).expect("a policy");
            let options = Options {
                sandbox: Some(bench.root().to_owned()),
                policy: Some(policy),
                state: Some(bench.root().join("../state")),
                ..Options::default()
            };
            // A policy is read before there are limits; a file has at most 256 KiB.
            let (peak, read) =
                peak(|| Engine::open(&options).map(drop).map_err(|error| format!("{:?}", error.findings)));
            if std::env::var_os("NS_SHOW").is_some() {
                println!("{what}: {peak} bytes, {:.300}", format!("{read:?}"));
            }
            assert!(peak <= 100 << 20, "a policy of {what} takes {peak} bytes");
        }
        std::fs::remove_file(bench.root().join("policy.toml")).expect("it was there");
        for (what, unit) in [("names", "a\n"), ("stars", "*\n"), ("classes", "[a]\n"), ("long", "a*b*c*d*e*f*g*h*i*\n")]
        {
            std::fs::write(bench.root().join(".gitignore"), unit.repeat((1 << 20) / unit.len())).expect("patterns");
            stays_within(&format!("a .gitignore of {what}"), || call(&bench.engine, "FS.ListDir", json!({})));
        }
    });
}

#[test]
fn plans() {
    alone(|| {
        for (what, text) in [
            ("nesting", "[".repeat(1 << 20)),
            ("lists", format!("[{}0]", "[],".repeat(1 << 20))),
            ("maps", format!("[{}0]", "{},".repeat(1 << 20))),
            ("lines", "{}\n".repeat(1 << 20)),
        ] {
            let (peak, read) = peak(|| read_plan(text.as_bytes()).map(drop).map_err(|error| error.to_string()));
            assert!(read.is_err(), "{what} is no plan");
            assert!(peak <= 16 * text.len(), "a plan of {what} takes {peak} bytes for {}", text.len());
        }
    });
}

/// Formatting has no policy, so its bound is its own: 256 MiB, whatever the text.
#[test]
fn texts_to_format() {
    /// Number of words and marks that are just allowed.
    const MOST: usize = 500_000;
    alone(|| {
        for (what, head, unit, tail, tokens) in [
            ("numbers", "SET a = [", "1,", "1]\n", 2),
            ("lists", "SET a = [", "[],", "1]\n", 3),
            ("maps", "SET a = [", "{\"a\": 1},", "1]\n", 8),
            ("nesting", "SET a = [", "[[[[1]]]],\n", "1]\n", 11),
            ("lines", "", "EMIT 1\n", "", 3),
            ("arguments", "", "EMIT STR.Sub(a, 1) + 1\n", "", 12),
            ("blocks", "", "IF a THEN\nEND\n", "", 6),
            ("comments", "", "#a\n", "", 3),
            ("notes", "SET a = [", "1,#a\n", "1]\n", 5),
            ("metadata", "", "::a:b\n", "", 6),
        ] {
            let text = |tokens: usize| format!("{head}{}{tail}", unit.repeat(tokens));
            for (is_allowed, count) in [(true, MOST / tokens), (false, 3 * MOST / tokens)] {
                let script = Script::new("growth.ns", text(count));
                let (peak, _) = peak(|| {
                    let formatted = format_script(&script, None).result;
                    let refused = formatted.as_ref().err().map(|findings| findings[0].message.clone());
                    assert_eq!(
                        refused,
                        refused.clone().filter(|message| !is_allowed && message.contains("too large to format"))
                    );
                    assert_eq!(refused.is_none(), is_allowed, "{what}: {refused:?}");
                    Ok(())
                });
                if std::env::var_os("NS_SHOW").is_some() {
                    println!("{what}: {count} take {peak} bytes");
                }
                assert!(peak <= 256 << 20, "{count} {what} take {peak} bytes");
            }
        }
    });
}

/// Images are charged before they are decoded: those that are accepted take no more than the limit.
#[test]
fn images() {
    const ALLOWED: usize = 24 << 20;
    alone(|| {
        let bench = Bench::new(ALLOWED);
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/media/large.jpg");
        let mut files = images_of_every_format();
        files.push(("progressive".to_owned(), std::fs::read(path).expect("the file")));
        let (mut accepted, mut refused) = (0, 0);
        for (what, file) in files {
            std::fs::write(bench.root().join("image"), file).expect("an image");
            for max_side in [8000, 400, 10] {
                let given = json!({"path": "image", "max_side": max_side, "max_bytes": 12_000_000});
                let (peak, done) = peak(|| call(&bench.engine, "FS.ReadMedia", given));
                if std::env::var_os("NS_SHOW").is_some() {
                    println!("{what} to {max_side}: {peak} bytes, {done:?}");
                }
                assert!(peak <= ALLOWED + BASE, "{what} to {max_side} takes {peak} bytes ({done:?})");
                match done {
                    Ok(()) => accepted += 1,
                    Err(error) => {
                        assert!(error.contains("memory_bytes") || error.contains("max_bytes"), "{what}: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(accepted > 40 && refused > 10, "{accepted} were accepted, {refused} refused");
    });
}

/// Tags are charged before a crate makes texts of them: what is read takes no more than the limit.
#[test]
fn tags_of_audio() {
    const ALLOWED: usize = 24 << 20;
    alone(|| {
        let bench = Bench::new(ALLOWED);
        let (mut accepted, mut refused) = (0, 0);
        for count in [1_000, 20_000, 200_000, 1_000_000] {
            for (what, file) in [("FLAC", songs::flac(count)), ("ID3", songs::id3(count.min(300_000)))] {
                std::fs::write(bench.root().join("song"), file).expect("a song");
                let (peak, done) = peak(|| call(&bench.engine, "AUDIO.Tags", json!({"path": "song"})));
                if std::env::var_os("NS_SHOW").is_some() {
                    println!("{what} with {count}: {peak} bytes, {done:?}");
                }
                assert!(peak <= ALLOWED + BASE, "{what} with {count} takes {peak} bytes ({done:?})");
                *(if done.is_ok() { &mut accepted } else { &mut refused }) += 1;
            }
        }
        assert!(accepted > 1 && refused > 1, "{accepted} were accepted, {refused} refused");
    });
}

fn images_of_every_format() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for side in [300, 900, 1600] {
        let pixels = (0..=250_u8).cycle().take(4 * side as usize * side as usize).collect();
        let image = DynamicImage::from(RgbaImage::from_raw(side, side, pixels).expect("as many pixels"));
        let opaque = DynamicImage::from(image.to_rgb8());
        let mut forms = vec![
            (ImageFormat::Png, image.clone()),
            (ImageFormat::Png, image.to_luma16().into()),
            (ImageFormat::Png, image.to_rgba16().into()),
            (ImageFormat::Jpeg, opaque.clone()),
            (ImageFormat::WebP, image.clone()),
            (ImageFormat::WebP, opaque.clone()),
            (ImageFormat::Bmp, opaque),
        ];
        // Large images in GIF take long to write.
        if side <= 900 {
            forms.push((ImageFormat::Gif, image));
        }
        for (format, image) in forms {
            let mut bytes = std::io::Cursor::new(Vec::new());
            image.write_to(&mut bytes, format).expect("it is encoded");
            files.push((format!("{format:?} of {side} in {:?}", image.color()), bytes.into_inner()));
        }
    }
    files
}
