//! Links that are followed and links that are not.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use serde_json::{Value as Json, json};

use super::Place;

#[test]
fn folders_are_entered_once_while_links_are_followed() {
    let place = Place::new(&["a/f", "a/up -> ..", "a/me -> .", "b -> a", "c/x -> ../d", "d/y -> ../c", "d/z"]);
    let follow = json!({ "recursive": true, "follow_folder_symlinks": true });
    assert_eq!(place.list(follow), "box/\n  a/\n    f\n  c/\n    x\n      z");
    let not = place.list(json!({ "recursive": true }));
    assert_eq!(not, "box/\n  a/\n    f\n    me\n    up\n  b\n  c/\n    x\n  d/\n    y\n    z");
    let shallow = place.list(json!({ "recursive": true, "follow_folder_symlinks": true, "depth": 0 }));
    assert_eq!(shallow, "box/\n  a/\n  b\n  c/\n  d/", "what is not entered is not marked");
    let json = place.list(json!({ "path": "c", "recursive": true, "follow_folder_symlinks": true, "format": "value" }));
    assert_eq!(
        json,
        r#"{"name":"c","type":"folder","children":[{"name":"x","type":"link","link_target":"../d","children":[{"name":"z","type":"file"}]}]}"#
    );
}

#[test]
fn a_link_before_its_target_takes_it() {
    let place = Place::new(&["a -> z", "z/f", "y -> z"]);
    let list = |filter: &str| {
        place.list(json!({ "recursive": true, "follow_folder_symlinks": true, "filter": filter, "show_data": true }))
    };
    assert_eq!(list("both"), "box/ (folder)\n  a (link -> z)\n    f (file)");
    assert_eq!(list("files"), "a/f (file)");
    assert_eq!(list("folders"), "a (link -> z)");
}

#[test]
fn chains_of_file_links() {
    let place = Place::new(&[
        "a -> b",
        "b -> sub/c",
        "sub/c -> ../file",
        "file",
        "loop1 -> loop2",
        "loop2 -> loop3",
        "loop3 -> loop2",
        "self -> self",
        "dead -> dead2",
        "dead2 -> gone",
        "through -> sub/../file",
        "dir -> sub",
        "todir -> dir",
        "slash -> file/",
    ]);
    let shown = place.list(json!({ "follow_file_symlinks": true, "show_data": true, "filter": "files" }));
    let wanted = "a (file)\nb (file)\ndead (link)\ndead2 (link)\nfile (file)\nloop1 (link)\nloop2 (link)\nloop3 (link)\n\
                  self (link)\nslash (file)\nthrough (file)";
    assert_eq!(shown, wanted);
    let json: Json =
        serde_json::from_str(&place.list(json!({ "follow_file_symlinks": true, "format": "json" }))).expect("JSON");
    let target = |name: &str| {
        let children = json["children"].as_array().expect("children");
        children.iter().find(|child| child["name"] == name).expect("it is listed")["link_target"].clone()
    };
    assert_eq!((target("loop1"), target("loop2"), target("loop3")), (json!("loop2"), json!("loop2"), json!("loop3")));
    assert_eq!((target("dead"), target("self"), target("a")), (json!("gone"), json!("self"), Json::Null));
    assert_eq!(
        (target("dir"), target("todir")),
        (json!("sub"), json!("dir")),
        "links to folders are not followed by this"
    );
}

#[test]
fn links_that_leave_the_root_stay_links() {
    let place = Place::new(&[
        "abs -> /etc/hostname",
        "dir -> /etc",
        "rel -> ../../../../../../etc/hostname",
        "beside -> ../secret",
        "chain -> abs",
        "deep -> in/out/passwd",
        "in/out -> /etc",
        "back -> ../box/file",
        "file",
    ]);
    fs::write(place.top.path().join("secret"), "SECRET").expect("a file outside");
    let follow =
        json!({ "recursive": true, "follow_file_symlinks": true, "follow_folder_symlinks": true, "show_data": true });
    let wanted = "box/ (folder)\n  abs (link -> /etc/hostname)\n  back (link -> ../box/file)\n  beside (link -> ../secret)\n  \
                  chain (link -> abs)\n  deep (link -> in/out/passwd)\n  dir (link -> /etc)\n  file (file)\n  in/ (folder)\n    \
                  out (link -> /etc)\n  rel (link -> ../../../../../../etc/hostname)";
    assert_eq!(place.list(follow), wanted);
    assert_eq!(place.list(json!({ "filter": "folders" })), "in", "nobody looks at what lies outside");
}

#[test]
fn absolute_links_into_the_root_are_followed() {
    let place = Place::new(&["a/f"]);
    symlink(place.at("a"), place.at("link")).expect("a link");
    symlink(place.sandbox(), place.at("root")).expect("a link");
    let list = |path: &str| {
        place.list(json!({ "path": path, "recursive": true, "follow_folder_symlinks": true, "filter": "files" }))
    };
    assert_eq!(list("."), "a/f", "the link and the root were entered already");
    assert_eq!(list("link"), "f");
}

#[test]
fn links_in_folders_whose_names_are_no_text() {
    let place = Place::new(&["t/f"]);
    let odd = place.sandbox().join(OsStr::from_bytes(b"\xff"));
    fs::create_dir(&odd).expect("a folder");
    symlink("../t", odd.join("l")).expect("a link");
    symlink("x", odd.join("m")).expect("a link");
    fs::write(odd.join("x"), "").expect("a file");
    let args =
        json!({ "recursive": true, "follow_folder_symlinks": true, "follow_file_symlinks": true, "show_data": true });
    let wanted = "box/ (folder)\n  t/ (folder)\n    f (file)\n  \u{fffd}/ (folder)\n    m (file)\n    x (file)";
    assert_eq!(place.list(args), wanted);
}
