//! Pages as JSON.

use serde_json::{Map, Value as Json, json};

use crate::engine::code_example;
use crate::toolkit::schema;

use super::topic::Topic;

impl Topic<'_> {
    /// Returns its name, kind and summary.
    pub fn heading(&self) -> Json {
        json!({"name": self.names()[0], "kind": self.kind(), "summary": self.summary()})
    }

    /// Returns its page.
    pub fn json(&self) -> Json {
        let mut json = self.heading();
        let more = match self {
            Topic::Part(page) => json!({
                "names": page.names, "form": page.form, "details": page.details,
                "example": {"files": files_json(page.example.files), "script": page.example.script, "output": page.example.output},
            }),
            Topic::Tool(entry) => {
                let example = &entry.spec.example;
                json!({
                    "form": entry.signature(), "details": entry.spec.details,
                    "example": {"files": {}, "script": example.script, "output": example.output},
                    "declaration": entry.tool.map(schema::declaration),
                })
            }
            Topic::Command(topic) => json!({"details": topic.page()}),
            Topic::Group(_, members) => {
                json!({"tools": members.iter().map(|entry| entry.spec.name).collect::<Vec<_>>()})
            }
            Topic::Code(id, _, explanation) => json!({
                "details": explanation,
                "example": code_example(id).map(|example| {
                    json!({"policy": example.policy, "files": files_json(example.files), "script": example.script})
                }),
            }),
        };
        if let (Json::Object(json), Json::Object(more)) = (&mut json, more) {
            json.extend(more);
        }
        json
    }
}

fn files_json(files: &[(&str, &str)]) -> Json {
    Json::Object(files.iter().map(|(path, text)| ((*path).to_owned(), Json::from(*text))).collect::<Map<_, _>>())
}
