//! Answers that are an image or audio: a client gets the data as such, once, and everything else as any other answer.
//!
//! The declaration of a tool says which fields hold what; no tool is known here by its name.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value as Json, json};

use crate::toolkit::MediaFields;
use crate::value::{Map as ValueMap, Value};

/// An image or audio.
#[derive(Debug)]
pub struct Media {
    /// The bytes as base64.
    data: String,
    /// The type, `image/…` or `audio/…`.
    mime_type: String,
}

/// An answer whose image or audio was taken out.
#[derive(Debug)]
pub struct Split {
    /// The image or audio.
    pub media: Media,
    /// The other fields.
    pub rest: Value,
    /// The fields that are repeated in the metadata.
    pub reported: Map<String, Json>,
}

impl Split {
    /// Takes the image or audio out of an answer, unless it has none.
    pub fn of(answer: &Value, fields: MediaFields) -> Option<Split> {
        let Value::Map(map) = answer else { return None };
        let text = |key: &str| Some(map.get_str(key)?.as_text()?.to_string());
        let media = Media { data: text(fields.data)?, mime_type: text(fields.mime_type)? };
        let mut rest = ValueMap::with_capacity(map.len());
        for (key, value) in map.iter().filter(|(key, _)| *key.as_text() != *fields.data) {
            rest.put(key, value).ok()?;
        }
        let value = |key: &&str| Some(((*key).to_owned(), json!(map.get_str(key)?)));
        Some(Split { media, rest: rest.into(), reported: fields.reported.iter().filter_map(value).collect() })
    }
}

impl Media {
    /// Returns the image or audio in its protocol form.
    pub fn into_content(self) -> ContentBlock {
        if self.mime_type.starts_with("audio/") {
            ContentBlock::audio(self.data, self.mime_type)
        } else {
            ContentBlock::image(self.data, self.mime_type)
        }
    }
}
