//! The settings of a user, from `initialize` and `workspace/didChangeConfiguration`.

use serde_json::Value as Json;

/// The settings that change an answer. Settings of other names, and values of other types, are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `inlayHints.parameterNames`: whether positional arguments are shown with the names of their parameters.
    pub parameter_names: bool,
}

impl Settings {
    /// Returns the settings after a change. The new ones may be below the name of the language, as editors send them.
    pub fn changed(self, new: &Json) -> Settings {
        let new = new.get("neuroscript").unwrap_or(new);
        let names = new.pointer("/inlayHints/parameterNames").and_then(Json::as_bool);
        Settings { parameter_names: names.unwrap_or(self.parameter_names) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Settings;

    #[test]
    fn settings_change_one_by_one() {
        let on = Settings { parameter_names: true };
        let hints = json!({ "inlayHints": { "parameterNames": true } });
        assert_eq!(Settings::default().changed(&hints), on);
        assert_eq!(Settings::default().changed(&json!({ "neuroscript": hints, "other": 1 })), on);
        for other in [json!(null), json!([]), json!(1), json!({ "inlayHints": null }), json!({ "neuroscript": null })] {
            assert_eq!(on.changed(&other), on, "{other}");
        }
        assert_eq!(on.changed(&json!({ "inlayHints": { "parameterNames": false } })), Settings::default());
    }
}
