//! Images and audio: content blocks of their own, whose data is nowhere else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, RgbImage};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::mcp::client::Client;
use crate::support::folder_in_memory;

const WAV: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAkIBw";

fn sandbox() -> TempDir {
    let place = folder_in_memory();
    let image = RgbImage::from_fn(400, 200, |x, y| image::Rgb([x as u8, y as u8, (x ^ y) as u8]));
    image.save_with_format(place.path().join("a.png"), ImageFormat::Png).expect("an image");
    std::fs::write(place.path().join("a.wav"), STANDARD.decode(WAV).expect("base64")).expect("a sound");
    std::fs::write(place.path().join("a.svg"), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n").expect("an image");
    place
}

/// Returns the content block of a type, and checks that its data is nowhere else.
fn block(result: &Json, kind: &str) -> Json {
    assert_eq!(result["isError"], false, "{result}");
    let blocks: Vec<&Json> = result["content"].as_array().expect("content").iter().collect();
    let found: Vec<&&Json> = blocks.iter().filter(|block| block["type"] == kind).collect();
    assert_eq!(found.len(), 1, "{result}");
    let data = found[0]["data"].as_str().expect("data");
    assert_eq!(result.to_string().matches(data).count(), 1, "the data comes once");
    // The text is the structured content, as in every answer.
    let text: Json = serde_json::from_str(blocks[0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(text, result["structuredContent"]);
    assert!(text.get("data").is_none(), "{text}");
    (*found[0]).clone()
}

#[test]
fn an_image_is_an_image() {
    let place = sandbox();
    let file = std::fs::read(place.path().join("a.png")).expect("the image");
    // An image is no answer that is cut: its bound is `max_bytes`.
    for options in [&["--tools", "default,read_media"][..], &["--tools", "all", "--max-output-bytes", "1000"]] {
        let mut client = Client::open(place.path(), options);
        let result = client.call("read_media", json!({ "path": "a.png" }));
        let image = block(&result, "image");
        assert_eq!(image["mimeType"], "image/png");
        assert_eq!(STANDARD.decode(image["data"].as_str().expect("data")).expect("base64"), file);
        let told = &result["structuredContent"];
        assert_eq!(json!([told["width"], told["height"], told["scaled"]]), json!([400, 200, false]), "{told}");
        assert_eq!((&told["sizeBytes"], &result["_meta"]["scaled"]), (&json!(file.len()), &json!(false)));
        let result = client.call("read_media", json!({ "path": "a.png", "max_side": 100 }));
        let small = STANDARD.decode(block(&result, "image")["data"].as_str().expect("data")).expect("base64");
        assert_eq!(image::load_from_memory(&small).expect("an image").to_rgb8().dimensions(), (100, 50));
        assert_eq!(result["_meta"]["scaled"], true, "{}", result["_meta"]);
    }
}

#[test]
fn audio_is_audio() {
    let place = sandbox();
    let mut client = Client::modern(place.path(), &["--tools", "read_media"], json!({}));
    let result = client.call("read_media", json!({ "path": "a.wav" }));
    let audio = block(&result, "audio");
    assert_eq!(audio, json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" }));
    assert_eq!(
        json!([result["structuredContent"]["width"], result["structuredContent"]["sizeBytes"]]),
        json!([null, 48])
    );
}

#[test]
fn the_output_schema_has_no_data() {
    let place = sandbox();
    let mut client = Client::open(place.path(), &["--tools", "read_media"]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let schema = &tools[0]["outputSchema"];
    assert!(schema["properties"].get("mimeType").is_some() && schema["properties"].get("data").is_none(), "{schema}");
    assert!(!schema["required"].to_string().contains("\"data\""), "{schema}");
}

/// A tool that does not suit a file names the one that does.
#[test]
fn failures_name_the_right_tool() {
    let place = sandbox();
    let hint = |client: &mut Client, tool: &str, path: &str| {
        let failure = client.failed(tool, json!({ "path": path }));
        failure["hint"].as_str().unwrap_or_else(|| panic!("{failure}")).to_owned()
    };
    let mut client = Client::open(place.path(), &["--tools", "default,read_media"]);
    for path in ["a.png", "a.wav"] {
        let hint = hint(&mut client, "read_file", path);
        assert!(hint.contains("`read_media`") && !hint.contains("not offered"), "{hint}");
    }
    assert_eq!(hint(&mut client, "read_media", "a.svg"), "read it with `read_file`");
    let mut client = Client::open(place.path(), &[]);
    let hint = hint(&mut client, "read_file", "a.png");
    assert!(hint.ends_with("; `read_media` is not offered here: name it in `--tools` to offer it"), "{hint}");
    let result = client.request("tools/call", json!({ "name": "read_media", "arguments": { "path": "a.png" } }));
    assert!(result["error"]["message"].as_str().is_some_and(|text| text.contains("`--tools`")), "{result}");
}
