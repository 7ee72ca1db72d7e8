//! Editors that do what others do not: null for everything, no abilities, other line ends and URIs, two servers.

use std::fs;

use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, at, edited, uri};

#[test]
fn a_client_that_writes_null_for_everything_is_served() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(place.path(), &[]);
    let params = json!({
        "processId": null, "clientInfo": null, "locale": null, "rootPath": null, "rootUri": null,
        "capabilities": { "workspace": null, "textDocument": null, "window": null, "general": null, "experimental": null },
        "initializationOptions": null, "trace": null, "workspaceFolders": null, "workDoneToken": null,
    });
    let answer = editor.request("initialize", params);
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16", "{answer}");
    editor.say("initialized", Json::Null);
    editor.say("workspace/didChangeConfiguration", json!({ "settings": null }));
    let file = uri(&place.path().join("a.ns"));
    editor.open_document(&file, "EMIT nope\n");
    assert_eq!(editor.published(&file)["diagnostics"].as_array().unwrap().len(), 1);
    let whole = json!({ "start": at(0, 0), "end": at(9, 0) });
    let context = json!({ "diagnostics": null, "only": null, "triggerKind": null });
    for (method, params) in [
        ("textDocument/completion", json!({ "position": at(0, 5), "context": null, "partialResultToken": null })),
        ("textDocument/signatureHelp", json!({ "position": at(0, 5), "context": null })),
        ("textDocument/hover", json!({ "position": at(0, 1), "workDoneToken": null })),
        ("textDocument/semanticTokens/full", json!({ "partialResultToken": null })),
        (
            "textDocument/formatting",
            json!({ "options": { "tabSize": 2, "insertSpaces": true, "trimFinalNewlines": null } }),
        ),
        ("textDocument/codeAction", json!({ "range": whole, "context": { "diagnostics": [], "only": null } })),
        ("textDocument/codeAction", json!({ "range": whole, "context": context })),
    ] {
        let mut params = params;
        params["textDocument"] = json!({ "uri": file, "version": null });
        let answer = editor.request(method, params);
        let code = answer["error"]["code"].as_i64();
        // A document with errors is not formatted; a list of diagnostics that is missing is refused.
        assert!(matches!(code, None | Some(-32803) | Some(-32602)), "{method}: {answer}");
        assert!(code != Some(-32602) || method == "textDocument/codeAction", "{method}: {answer}");
    }
    editor.say("textDocument/didSave", json!({ "textDocument": { "uri": file }, "text": null }));
    let change = json!([{ "range": null, "rangeLength": null, "text": "EMIT 1\n" }]);
    editor.say(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": file, "version": 2 }, "contentChanges": change }),
    );
    assert_eq!(editor.published(&file)["diagnostics"], json!([]));
    editor.leave();
    // Not even an object of capabilities.
    for params in [json!({}), json!({ "capabilities": null }), json!({ "capabilities": {}, "rootPath": "" })] {
        let mut editor = Editor::start(place.path(), &[]);
        let answer = editor.request("initialize", params);
        assert!(answer["result"]["capabilities"].is_object(), "{answer}");
        editor.leave();
    }
}

#[test]
fn lines_that_end_with_a_carriage_return_stay_so() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    let text = "SET x=1\r\nIF x > 0 THEN\r\nEMIT x\r\nEND\r\n";
    editor.open_document(&file, text);
    assert_eq!(editor.published(&file)["diagnostics"], json!([]));
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let document = json!({ "uri": file });
    let edits = editor.result("textDocument/formatting", json!({ "textDocument": document, "options": options }));
    let formatted = edited(text, &edits);
    assert_eq!(formatted, "SET x = 1\r\nIF x > 0 THEN\r\n  EMIT x\r\nEND\r\n");
    // A change of one line between such ends, and a position behind the end of a line.
    let range = json!({ "start": at(2, 5), "end": at(2, 99) });
    let change = json!([{ "range": range, "text": "nope" }]);
    editor.say(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": file, "version": 2 }, "contentChanges": change }),
    );
    let found = editor.published(&file);
    assert_eq!(found["diagnostics"][0]["range"], json!({ "start": at(2, 5), "end": at(2, 9) }), "{found}");
    let folds = editor.result("textDocument/foldingRange", json!({ "textDocument": document }));
    assert_eq!(folds, json!([{ "startLine": 1, "endLine": 2 }]));
    editor.leave();
}

/// Documents that are no files of this machine are checked, each by itself, and nothing is read for them.
#[test]
fn documents_of_any_uri_are_served() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.ns"), "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n").unwrap();
    let mut editor = Editor::open(place.path());
    for (other, is_told) in [
        ("untitled:Untitled-1", false),
        ("untitled:C:%5Cnew%20file.ns", false),
        ("vscode-notebook-cell:/a.ipynb#W0sZmlsZQ%3D%3D", false),
        ("git:/a.ns?%7B%22ref%22%3A%22HEAD%22%7D", false),
        ("file:///c%3A/Users/me/a.ns", false),
        ("file:///C:/Users/me/a.ns", false),
        ("file://server/share/a.ns", true),
        ("file:///a%2Fb.ns", true),
    ] {
        editor.open_document(other, "USE \"m.ns\" AS m\nEMIT m.F(), nope\n");
        if is_told {
            let told = editor.hear();
            assert_eq!(told["method"], "window/showMessage", "{told}");
            assert!(told["params"]["message"].as_str().unwrap().contains(other), "{told}");
        }
        let found = editor.published(other);
        assert_eq!(found["diagnostics"].as_array().unwrap().len(), 1, "{other}: {found}");
        let hover = editor.result_at("textDocument/hover", other, at(1, 1));
        assert!(hover["contents"]["value"].as_str().unwrap().contains("EMIT"), "{other}");
        editor.say("textDocument/didClose", json!({ "textDocument": { "uri": other } }));
        assert_eq!(editor.published(other)["diagnostics"], json!([]), "{other}");
    }
    // Characters that no URI may have are escaped.
    for (written, escaped) in [
        ("untitled:C:\\new file.ns", "untitled:C:%5Cnew%20file.ns"),
        ("file:///tmp/é {x}.ns", "file:///tmp/%C3%A9%20%7Bx%7D.ns"),
    ] {
        editor.open_document(written, "EMIT nope\n");
        assert_eq!(editor.published(escaped)["diagnostics"].as_array().unwrap().len(), 1, "{written}");
        let hover = editor.result_at("textDocument/hover", written, at(0, 1));
        assert!(hover["contents"]["value"].as_str().unwrap().contains("EMIT"), "{written}");
    }
    // A file has one document, however its URI is written.
    let (plain, encoded) = (uri(&place.path().join("a.ns")), uri(&place.path().join("%61.ns")));
    editor.open_document(&plain, "EMIT nope\n");
    editor.published(&plain);
    let hover = editor.result_at("textDocument/hover", &encoded, at(0, 1));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("EMIT"), "{hover}");
    editor.leave();
}

#[test]
fn a_folder_that_is_none_of_this_machine_is_named_in_the_error() {
    let place = tempfile::tempdir().unwrap();
    for (folder, reason) in [
        ("vscode-vfs://github/a/b", "is no `file:` URI"),
        ("file://server/share", "names another machine"),
        ("file:///a%2Fb", "has an encoded `/`"),
    ] {
        let mut editor = Editor::start(place.path(), &[]);
        let answer = editor.request("initialize", json!({ "capabilities": {}, "rootUri": folder }));
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{folder}: {answer}"));
        assert!(message.contains(folder) && message.contains(reason) && message.contains("--sandbox"), "{message}");
        // Beside another folder it is left out.
        let folders = json!([{ "uri": folder, "name": "a" }, { "uri": uri(place.path()), "name": "b" }]);
        let answer = editor.request("initialize", json!({ "capabilities": {}, "workspaceFolders": folders }));
        assert!(answer["result"].is_object(), "{answer}");
        editor.leave();
    }
}

#[test]
fn messages_in_an_odd_order_do_no_harm() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let file = uri(&place.path().join("a.ns"));
    let document = json!({ "uri": file });
    // Changes and the end of a document that is not open.
    editor.replace(&file, 5, "EMIT nope\n");
    editor.say("textDocument/didClose", json!({ "textDocument": document }));
    let answer = editor.request("textDocument/hover", json!({ "textDocument": document, "position": at(0, 0) }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // Versions that stay or go back: the order of the messages counts.
    editor.open_document(&file, "EMIT 1\n");
    editor.published(&file);
    for (version, text, findings) in
        [(7, "EMIT nope\n", 1), (7, "EMIT 2\n", 0), (-3, "EMIT a, b\n", 2), (0, "EMIT 3\n", 0)]
    {
        editor.replace(&file, version, text);
        let found = editor.published(&file);
        assert_eq!(found["version"], version);
        assert_eq!(found["diagnostics"].as_array().unwrap().len(), findings, "{found}");
    }
    // A document that is opened twice is the second one.
    editor.open_document(&file, "EMIT nope\n");
    assert_eq!(editor.published(&file)["diagnostics"].as_array().unwrap().len(), 1);
    // A request about a position after the end, and a range that is backwards.
    assert_eq!(editor.result_at("textDocument/hover", &file, at(99, 99)), Json::Null);
    let range = json!({ "start": at(0, 9), "end": at(0, 5) });
    let change = json!([{ "range": range, "text": "1" }]);
    editor.say(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": file, "version": 9 }, "contentChanges": change }),
    );
    assert_eq!(editor.published(&file)["diagnostics"], json!([]));
    editor.leave();
}

/// Two editors on one folder know nothing of each other but what is saved.
#[test]
fn two_servers_serve_one_folder() {
    let place = tempfile::tempdir().unwrap();
    let file = uri(&place.path().join("a.ns"));
    let mut editors = [Editor::open(place.path()), Editor::open_with(place.path(), &[], &abilities())];
    for (number, editor) in editors.iter_mut().enumerate() {
        editor.open_document(&file, &"EMIT nope\n".repeat(number + 1));
    }
    for (number, editor) in editors.iter_mut().enumerate() {
        assert_eq!(editor.published(&file)["diagnostics"].as_array().unwrap().len(), number + 1);
    }
    for editor in editors {
        editor.leave();
    }
}

/// Asks for a rename.
fn rename(editor: &mut Editor, file: &str, position: Json, name: &str) -> Json {
    let params = json!({ "textDocument": { "uri": file }, "position": position, "newName": name });
    editor.request("textDocument/rename", params)
}

const LIBRARY: &str = "DEFINE PROCEDURE Twice(n)\n  RETURN n * 2\nEND\n";

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_keeps_the_names_that_the_editor_uses() {
    let place = tempfile::tempdir().unwrap();
    let (real, link) = (place.path().join("real"), place.path().join("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink("real", &link).unwrap();
    let user = "USE \"lib.ns\" AS lib\nEMIT lib.Twice(2)\n";
    fs::write(real.join("lib.ns"), LIBRARY).unwrap();
    fs::write(real.join("a.ns"), user).unwrap();
    fs::write(real.join("b.ns"), user).unwrap();
    let mut editor = Editor::open(&link);
    let (main, library) = (uri(&link.join("a.ns")), uri(&link.join("lib.ns")));
    editor.open_document(&main, user);
    editor.open_document(&library, &format!("# one\n# two\n{LIBRARY}"));
    let definition = editor.result_at("textDocument/definition", &main, at(1, 10));
    assert_eq!((&definition["uri"], &definition["range"]["start"]), (&json!(library), &at(2, 17)), "{definition}");
    let answer = rename(&mut editor, &main, at(1, 10), "Double");
    let changes = answer["result"]["documentChanges"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let found: Vec<(&Json, &Json)> =
        changes.iter().map(|it| (&it["textDocument"]["uri"], &it["textDocument"]["version"])).collect();
    let other = json!(uri(&link.join("b.ns")));
    assert_eq!(found.len(), 3, "{found:?}");
    for expected in [(&json!(main), &json!(1)), (&json!(library), &json!(1)), (&other, &Json::Null)] {
        assert!(found.contains(&expected), "{expected:?} {found:?}");
    }
    let symbols = editor.result("workspace/symbol", json!({ "query": "Twice" }));
    assert_eq!(symbols[0]["location"]["uri"], library, "{symbols}");
    editor.leave();
}

#[test]
fn a_name_is_not_renamed_while_a_script_that_may_use_it_has_errors() {
    for wrong in ["USE \"lib.ns\" AS lib\nEMIT lib.Twice(2\n", "USE \"lib.ns\" lib\nEMIT lib.Twice(2)\n"] {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("lib.ns"), LIBRARY).unwrap();
        fs::write(place.path().join("b.ns"), wrong).unwrap();
        // It has errors too, and another procedure of this name.
        fs::write(place.path().join("c.ns"), "EMIT (\nDEFINE PROCEDURE Twice()\nEND\n").unwrap();
        let mut editor = Editor::open(place.path());
        let library = uri(&place.path().join("lib.ns"));
        editor.open_document(&library, LIBRARY);
        let answer = rename(&mut editor, &library, at(0, 18), "Double");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("`b.ns` has errors"), "{answer}");
        fs::remove_file(place.path().join("b.ns")).unwrap();
        let answer = rename(&mut editor, &library, at(0, 18), "Double");
        assert_eq!(answer["result"]["documentChanges"].as_array().map(Vec::len), Some(1), "{answer}");
        editor.leave();
    }
}

#[test]
fn prose_of_markdown_is_no_code() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let page = uri(&place.path().join("README.md"));
    for (text, line, is_code) in [
        ("# Title\n\nE\n", 2, false),
        ("# Title\n\nE\n\n```ns\nE\n```\n", 2, false),
        ("# Title\n\nE\n\n```ns\nE\n```\n", 5, true),
        ("```ns\n\n```\n", 1, true),
        ("```ns\n", 1, true),
        ("```sh\nE\n```\n", 1, false),
    ] {
        let open = json!({ "uri": page, "languageId": "markdown", "version": 1, "text": text });
        editor.say("textDocument/didOpen", json!({ "textDocument": open }));
        let width = text.split('\n').nth(line).unwrap_or_default().len();
        let found = editor.result_at("textDocument/completion", &page, at(line, width));
        assert_eq!(!found["items"].as_array().unwrap().is_empty(), is_code, "{text:?} {found}");
        let has_script = text.contains("```ns");
        let tokens = editor.result("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": page } }));
        assert!(has_script || tokens["data"] == json!([]), "{text:?} {tokens}");
        let findings = editor.diagnostics(&page);
        assert!(has_script || findings.is_empty(), "{text:?} {findings:?}");
    }
    editor.leave();
}

#[test]
fn a_block_of_markdown_keeps_its_line_ends() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(place.path());
    let page = uri(&place.path().join("a.md"));
    let text = "# Title\r\n\r\n- list\r\n\r\n  ```ns\r\n  SET  n = 1\r\n  EMIT  n\r\n  ```\r\n";
    let open = json!({ "uri": page, "languageId": "markdown", "version": 1, "text": text });
    editor.say("textDocument/didOpen", json!({ "textDocument": open }));
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": page }, "options": options });
    let edits = editor.result("textDocument/formatting", params);
    assert_eq!(edited(text, &edits), text.replace("SET  n", "SET n").replace("EMIT  n", "EMIT n"), "{edits}");
    editor.leave();
}

#[test]
fn folders_that_cannot_be_opened_are_left_out_with_a_warning() {
    let place = tempfile::tempdir().unwrap();
    let folder = |name: &str| json!({ "uri": uri(&place.path().join(name)), "name": name });
    for name in ["good", "bad"] {
        fs::create_dir(place.path().join(name)).unwrap();
    }
    fs::write(place.path().join("bad/neuroscript.toml"), "[limits]\nsteps = 1\n[\n").unwrap();
    let mut editor = Editor::start(place.path(), &[]);
    let folders = json!([folder("gone"), folder("good"), folder("bad")]);
    let params =
        json!({ "processId": null, "rootUri": null, "workspaceFolders": folders, "capabilities": abilities() });
    let answer = editor.request("initialize", params.clone());
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
    let mut warned = Vec::new();
    for _ in 0..2 {
        let frame = editor.hear();
        assert_eq!(frame["method"], "window/showMessage", "{frame}");
        warned.push(frame["params"]["message"].as_str().unwrap().to_owned());
    }
    assert!(warned[0].contains("gone"), "{warned:?}");
    assert!(warned[1].contains("neuroscript.toml:3:") && warned[1].contains("mend the TOML"), "{warned:?}");
    editor.say("initialized", json!({}));
    let file = uri(&place.path().join("good/a.ns"));
    editor.open_document(&file, "EMIT nope\n");
    assert_eq!(editor.published(&file)["diagnostics"].as_array().unwrap().len(), 1);
    editor.leave();
    // Without a folder that can be opened, the request is refused, and names the file.
    let mut editor = Editor::start(place.path(), &[]);
    let params = json!({ "workspaceFolders": [folder("bad")], "capabilities": abilities() });
    let answer = editor.request("initialize", params);
    assert!(answer["error"]["message"].as_str().unwrap().contains("neuroscript.toml:3:"), "{answer}");
    drop(editor);
}
