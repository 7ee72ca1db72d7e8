//! Answers to clients without a right token: a challenge (RFC 6750), and where an authorization server is configured,
//! the metadata of the protected resource (RFC 9728).
//!
//! The server does not ask the authorization server about a token; it may not open connections. The tokens that it
//! accepts are those of its own list.

use hyper::Uri;
use serde_json::json;

/// The path of the metadata, before the path of the resource.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The URL of the endpoint as clients see it, such as `https://files.example.com/mcp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// `https`, or `http` in a network that is trusted.
    scheme: String,
    /// The host, with the port if it is not that of the scheme.
    authority: String,
    /// The path, without a `/` at the end.
    path: String,
}

impl std::str::FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicUrl, String> {
        let expected = "expected the URL of the endpoint, such as https://files.example.com/mcp";
        let uri: Uri = text.parse().map_err(|error| format!("{error}; {expected}"))?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        match (scheme, authority, uri.query(), text.contains('#')) {
            (Some(scheme), Some(authority), None, false) => Ok(PublicUrl {
                scheme: scheme.to_owned(),
                authority: authority.as_str().to_ascii_lowercase(),
                path: uri.path().trim_end_matches('/').to_owned(),
            }),
            _ => Err(expected.to_owned()),
        }
    }
}

impl PublicUrl {
    /// Returns the host, with its port if it is named.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the origin of pages that this host serves, in the form that rmcp compares.
    pub fn origin(&self) -> String {
        let has_port = self.authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let port = match (has_port, self.scheme.as_str()) {
            (true, _) => "",
            (false, "https") => ":443",
            (false, _) => ":80",
        };
        format!("{}://{}{port}", self.scheme, self.authority)
    }
}

/// The protected resource.
#[derive(Debug)]
pub struct Resource {
    url: PublicUrl,
    authorization_servers: Vec<String>,
}

impl Resource {
    /// Describes a resource. Returns `None` if it has no authorization server.
    pub fn new(url: Option<&PublicUrl>, authorization_servers: Vec<String>) -> Option<Resource> {
        let url = url.filter(|_| !authorization_servers.is_empty())?.clone();
        Some(Resource { url, authorization_servers })
    }

    /// Whether the metadata is at this path.
    pub fn is_at(&self, path: &str) -> bool {
        path.strip_prefix(WELL_KNOWN).is_some_and(|rest| rest.is_empty() || rest == self.url.path)
    }

    /// Returns the metadata as JSON.
    pub fn metadata(&self) -> String {
        let PublicUrl { scheme, authority, path } = &self.url;
        json!({
            "resource": format!("{scheme}://{authority}{path}"),
            "resource_name": "NeuroScript",
            "authorization_servers": self.authorization_servers,
            "bearer_methods_supported": ["header"],
        })
        .to_string()
    }

    fn metadata_url(&self) -> String {
        let PublicUrl { scheme, authority, path } = &self.url;
        format!("{scheme}://{authority}{WELL_KNOWN}{path}")
    }
}

/// Returns the challenge for a client. `is_wrong` tells that it sent a token; without one, the challenge names no error.
pub fn challenge(resource: Option<&Resource>, is_wrong: bool) -> String {
    let mut challenge = "Bearer realm=\"ns mcp\"".to_owned();
    if is_wrong {
        challenge += ", error=\"invalid_token\", error_description=\"the server does not know the token\"";
    }
    if let Some(resource) = resource {
        challenge += &format!(", resource_metadata=\"{}\"", resource.metadata_url());
    }
    challenge
}

#[cfg(test)]
mod tests {
    use super::{PublicUrl, Resource, challenge};

    #[test]
    fn urls_are_those_of_endpoints() {
        for wrong in ["", "files.example.com", "ftp://a/mcp", "https://a/mcp?b", "https://a/mcp#b", "https://u@a/"] {
            assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
        }
        let url: PublicUrl = "https://Files.Example.com/a/mcp/".parse().expect("it is right");
        assert_eq!((url.authority(), url.origin().as_str()), ("files.example.com", "https://files.example.com:443"));
        let url: PublicUrl = "http://[::1]:80/mcp".parse().expect("it is right");
        assert_eq!((url.authority(), url.origin().as_str()), ("[::1]:80", "http://[::1]:80"));
    }

    #[test]
    fn the_metadata_is_where_the_challenge_says() {
        let url: PublicUrl = "https://files.example.com/a/mcp".parse().expect("it is right");
        assert!(Resource::new(Some(&url), Vec::new()).is_none());
        let servers = vec!["https://login.example.com".to_owned()];
        let resource = Resource::new(Some(&url), servers).expect("there is a server");
        assert_eq!(
            challenge(Some(&resource), false),
            "Bearer realm=\"ns mcp\", \
             resource_metadata=\"https://files.example.com/.well-known/oauth-protected-resource/a/mcp\""
        );
        assert!(resource.is_at("/.well-known/oauth-protected-resource/a/mcp"));
        assert!(resource.is_at("/.well-known/oauth-protected-resource"));
        assert!(!resource.is_at("/.well-known/oauth-protected-resource/b"));
        assert!(challenge(None, true).contains("error=\"invalid_token\""));
    }
}
