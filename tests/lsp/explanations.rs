//! The code of a diagnostic leads to its page, in editors that can open it.

use neuroscript::text::{Code, ToolCode};
use serde_json::{Value as Json, json};

use super::client::{Editor, abilities, uri};

const REQUEST: &str = "workspace/textDocumentContent";

/// Returns the abilities of an editor that asks the server for documents.
fn modern() -> Json {
    let mut abilities = abilities();
    abilities["workspace"]["textDocumentContent"] = json!({ "dynamicRegistration": true });
    abilities["textDocument"]["publishDiagnostics"]["codeDescriptionSupport"] = json!(true);
    abilities
}

/// Opens a script with a finding and returns its diagnostic, published and pulled.
fn diagnostics(editor: &mut Editor, folder: &std::path::Path) -> [Json; 2] {
    let file = uri(&folder.join("a.ns"));
    editor.open_document(&file, "SET total = 1\nEMIT totl, total\n");
    let published = editor.published(&file)["diagnostics"][0].clone();
    [published, editor.diagnostics(&file)[0].clone()]
}

#[test]
fn a_code_leads_to_its_page() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open_with(place.path(), &[], &modern());
    let offered = &editor.server["capabilities"]["workspace"]["textDocumentContent"];
    let scheme = offered["schemes"][0].as_str().unwrap().to_owned();
    for diagnostic in diagnostics(&mut editor, place.path()) {
        assert_eq!(diagnostic["code"], "NS0101");
        let page = diagnostic["codeDescription"]["href"].as_str().unwrap();
        assert!(page.starts_with(&format!("{scheme}:")), "{page}");
        let text = editor.result(REQUEST, json!({ "uri": page }))["text"].as_str().unwrap().to_owned();
        assert!(text.starts_with("# NS0101: a name that nothing sets\n\nA variable is known once"), "{text}");
        assert!(text.ends_with("## Example\n\n```neuroscript\nSET total = 1\nEMIT totl\n```\n"), "{text}");
    }
    editor.leave();
}

#[test]
fn every_code_has_a_page() {
    let place = tempfile::tempdir().unwrap();
    let mut editor = Editor::open_with(place.path(), &[], &modern());
    let codes = Code::ALL.iter().map(|code| (code.id(), code.title(), code.explanation()));
    let tool_codes = ToolCode::ALL.iter().map(|code| (code.id(), code.title(), code.explanation()));
    for (id, title, explanation) in codes.chain(tool_codes) {
        let page = editor.result(REQUEST, json!({ "uri": format!("neuroscript-explain:/{id}.md") }));
        let text = page["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("# {id}: {title}\n\n{explanation}\n")), "{id}: {text}");
    }
}

#[test]
fn other_editors_get_no_link() {
    let place = tempfile::tempdir().unwrap();
    let mut without_documents = modern();
    without_documents["workspace"].as_object_mut().unwrap().remove("textDocumentContent");
    let mut without_links = modern();
    without_links["textDocument"]["publishDiagnostics"]["codeDescriptionSupport"] = json!(false);
    for abilities in [abilities(), without_documents, without_links] {
        let mut editor = Editor::open_with(place.path(), &[], &abilities);
        assert_eq!(editor.server["capabilities"]["workspace"]["textDocumentContent"], Json::Null);
        for diagnostic in diagnostics(&mut editor, place.path()) {
            assert_eq!(diagnostic["codeDescription"], Json::Null);
        }
    }
}

#[test]
fn other_documents_are_refused() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("secret.md"), "secret").unwrap();
    let mut editor = Editor::open_with(place.path(), &[], &modern());
    let file = uri(&place.path().join("secret.md"));
    for page in [
        "neuroscript-explain:/NS9999.md",
        "neuroscript-explain:/.md",
        "neuroscript-explain:/NS0101",
        "neuroscript-explain:/../NS0101.md",
        "neuroscript-explain://NS0101.md",
        "neuroscript-explain:/ns0101.md",
        "NEUROSCRIPT-EXPLAIN",
        &file,
    ] {
        let answer = editor.request(REQUEST, json!({ "uri": page }));
        assert_eq!(answer["error"]["code"], -32602, "{page}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("is not the page of a code"), "{message}");
    }
    assert_eq!(editor.request(REQUEST, json!({}))["error"]["code"], -32602);
    editor.leave();
}
