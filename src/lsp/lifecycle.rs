//! The life of a server: `initialize`, the lockdown, messages until `shutdown`, `exit`.

use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::path::{PathBuf, absolute};
use std::time::Duration;

use lsp_types::{InitializeParams, Uri};
use serde_json::{Value as Json, json};

use crate::engine::{Engine, Options, SetupError, on_large_stack};
use crate::frames::{read, write};
use crate::text::Position;

use super::client::Client;
use super::documents::{Documents, Workspace};
use super::explanations::SCHEME;
use super::indentation::TRIGGERS;
use super::queue::{Invalid, Message, Queue};
use super::request::{Refusal, RefusalCode, read as read_params};
use super::semantic::legend;
use super::server::{Answer, Notice, Server, warning};
use super::settings::Settings;
use super::uri::{UriFault, path_of};

/// Delay before a check, during which the next message takes precedence.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum number of folders of a workspace.
const MAX_FOLDERS: usize = 16;

/// How a server ended.
#[derive(Debug)]
pub enum Ended {
    /// With `shutdown` and `exit`.
    Properly,
    /// The client is gone, or sent `exit` without `shutdown`.
    Abruptly,
}

/// Serves a client on standard input and output. Without a sandbox in the options, the folders of the workspace that
/// the client names are the sandboxes, or the current directory if it names none.
pub fn serve(options: &Options) -> Ended {
    serve_on(BufReader::new(stdin()), stdout(), options)
}

fn serve_on(mut input: impl BufRead + Send + 'static, output: impl Write, options: &Options) -> Ended {
    let mut output = Output(output);
    let Some(Started { client, settings, documents, .. }) = begin(&mut input, &mut output, options) else {
        return Ended::Abruptly;
    };
    // The thread that reads is locked down too, since it starts after the lockdown.
    let server = Server::new(client, settings, documents);
    let mut running = Running { output, server, queue: Queue::start(input), client, asked: 0 };
    running.run()
}

/// A client and its workspace.
struct Started {
    client: Client,
    settings: Settings,
    documents: Documents,
    /// Why folders are not served.
    left_out: Vec<Refusal>,
}

/// Answers messages until `initialize` has succeeded. Returns `None` if the client leaves.
fn begin(input: &mut impl BufRead, output: &mut Output<impl Write>, options: &Options) -> Option<Started> {
    loop {
        match Message::of(read(input).ok()??) {
            Message::Request { id, method, params, .. } if method == "initialize" => {
                let started = initialize(params, options);
                let answer = started.as_ref().map(|started| capabilities(&started.client));
                match answer {
                    Ok(capabilities) => {
                        output.answer(&id, Ok(capabilities))?;
                        for refusal in started.iter().flat_map(|started| &started.left_out) {
                            let reason = format!("a folder of the workspace is left out: {}", refusal.message);
                            let Notice { method, params, .. } = warning(reason);
                            output.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))?;
                        }
                        return started.ok();
                    }
                    Err(refusal) => {
                        output.answer(&id, Err(Refusal::new(refusal.code, refusal.message.clone())))?;
                    }
                }
            }
            Message::Request { id, method, .. } => {
                let message = format!("`{method}` comes before `initialize`");
                output.answer(&id, Err(Refusal::new(RefusalCode::NotInitialized, message)))?;
            }
            Message::Notification { method, .. } if method == "exit" => return None,
            Message::Notification { .. } | Message::Response => {}
            Message::Invalid(invalid) => output.refuse(&invalid)?,
        }
    }
}

/// Opens the folders of the workspace and locks the process down to reading them.
fn initialize(mut params: Json, options: &Options) -> Result<Started, Refusal> {
    if let Json::Object(members) = &mut params {
        // A client that leaves its capabilities out has none.
        let capabilities = members.entry("capabilities").or_insert(Json::Null);
        if capabilities.is_null() {
            *capabilities = json!({});
        }
    }
    let stated = params.get("capabilities").cloned().unwrap_or_default();
    let params: InitializeParams = read_params(params)?;
    let folders = match &options.sandbox {
        Some(_) => vec![options.sandbox.clone()],
        None => folders(&params)?,
    };
    let open = |folder: Option<PathBuf>| {
        let options = Options { sandbox: folder.clone(), looks_only: true, ..options.clone() };
        let engine = Engine::open(&options).map_err(|error| not_set_up(&error))?;
        let named = folder.and_then(|folder| absolute(folder).ok());
        Ok(Workspace { named: named.unwrap_or_else(|| engine.gate().root().path().to_path_buf()), engine })
    };
    let (mut workspaces, mut left_out) = (Vec::new(), Vec::new());
    for folder in folders {
        match open(folder) {
            Ok(workspace) => workspaces.push(workspace),
            Err(refusal) => left_out.push(refusal),
        }
    }
    if workspaces.is_empty()
        && let Some(refusal) = left_out.pop()
    {
        return Err(refusal);
    }
    let engines: Vec<&Engine> = workspaces.iter().map(|workspace| &workspace.engine).collect();
    Engine::seal_to_reading(&engines).map_err(|error| not_set_up(&error))?;
    Ok(Started {
        client: Client::of(&params.capabilities, &stated),
        settings: Settings::default().changed(&params.initialization_options.unwrap_or_default()),
        documents: Documents::new(workspaces),
        left_out,
    })
}

fn not_set_up(error: &SetupError) -> Refusal {
    let finding = error.findings.first();
    let message = finding.map_or_else(
        || "the workspace cannot be opened".to_owned(),
        |finding| {
            let help = finding.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            let source = finding.primary.as_ref().and_then(|label| Some((error.sources.of(label.span)?, label.span)));
            let place = source.map_or_else(String::new, |(source, span)| {
                let Position { line, column } = source.position(span);
                format!("{}:{line}:{column}: ", source.name())
            });
            format!("{place}{}{help}", finding.message)
        },
    );
    Refusal::failed(message)
}

/// Returns the folders of the workspace; `None` stands for the current directory.
///
/// # Errors
/// All folders have URIs that name no path. If only some do, the others are served.
#[expect(deprecated, reason = "older clients name their folder in `rootUri` or `rootPath` only")]
fn folders(params: &InitializeParams) -> Result<Vec<Option<PathBuf>>, Refusal> {
    let named = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    let mut uris: Vec<&Uri> = named.take(MAX_FOLDERS).collect();
    if uris.is_empty() {
        uris.extend(&params.root_uri);
    }
    let paths: Vec<Option<PathBuf>> = uris.iter().filter_map(|uri| path_of(uri).ok()).map(Some).collect();
    match uris.first() {
        _ if !paths.is_empty() => Ok(paths),
        None => Ok(vec![params.root_path.as_ref().filter(|path| !path.is_empty()).map(PathBuf::from)]),
        Some(uri) => {
            let reason = path_of(uri).err().map_or("names no path", UriFault::reason);
            let help = "open a folder of this machine, or start `ns lsp --sandbox DIR`";
            Err(Refusal::failed(format!("the folder `{}` {reason}; {help}", uri.as_str())))
        }
    }
}

/// Returns the result of `initialize`.
fn capabilities(client: &Client) -> Json {
    let mut capabilities = json!({
        "positionEncoding": client.encoding.name(),
        "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
        "completionProvider": { "triggerCharacters": [".", "\"", "'", "/", "("] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": { "firstTriggerCharacter": "\n", "moreTriggerCharacter": TRIGGERS },
        "inlayHintProvider": true,
        "renameProvider": { "prepareProvider": true },
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "semanticTokensProvider": { "legend": legend(), "full": true, "range": true },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": false } },
    });
    if client.commands.any() {
        capabilities["codeLensProvider"] = json!({ "resolveProvider": false });
    }
    if client.opens_explanations {
        capabilities["workspace"]["textDocumentContent"] = json!({ "schemes": [SCHEME] });
    }
    if client.pulls_diagnostics {
        capabilities["diagnosticProvider"] = json!({ "interFileDependencies": true, "workspaceDiagnostics": false });
    }
    json!({ "capabilities": capabilities, "serverInfo": { "name": "ns lsp", "version": env!("CARGO_PKG_VERSION") } })
}

/// A server that has been initialized.
struct Running<W> {
    output: Output<W>,
    server: Server,
    queue: Queue,
    client: Client,
    /// Number of requests that were sent to the client.
    asked: u64,
}

/// Whether a server goes on.
enum Flow {
    On,
    Shutdown,
    Exit,
}

impl<W: Write> Running<W> {
    fn run(&mut self) -> Ended {
        loop {
            let Some(message) = self.next() else { return Ended::Abruptly };
            match self.handle(message) {
                Some(Flow::On) => {}
                Some(Flow::Shutdown) => return self.wait_for_exit(),
                Some(Flow::Exit) | None => return Ended::Abruptly,
            }
        }
    }

    /// Returns the next message. Diagnostics are sent while none waits. Returns `None` if the client is gone.
    fn next(&mut self) -> Option<Message> {
        // An editor that asks for completions does so right after the key, and a check would make them wait.
        if self.server.has_pending()
            && let Some(message) = self.queue.wait_for(PAUSE)
        {
            return Some(message);
        }
        loop {
            if let Some(message) = self.queue.poll() {
                return Some(message);
            }
            if !self.server.has_pending() {
                return self.queue.wait();
            }
            let notices = on_large_stack(|| self.server.publish_next()).unwrap_or_default();
            self.notify(notices)?;
        }
    }

    /// Handles a message. Returns `None` if the client is gone.
    fn handle(&mut self, message: Message) -> Option<Flow> {
        match message {
            Message::Request { id, is_cancelled: true, .. } => {
                self.output.answer(&id, Err(Refusal::new(RefusalCode::Cancelled, "the request was taken back")))?;
            }
            Message::Request { id, method, .. } if method == "shutdown" => {
                self.output.answer(&id, Ok(Json::Null))?;
                return Some(Flow::Shutdown);
            }
            Message::Request { id, method, .. } if method == "initialize" => {
                let refusal = Refusal::new(RefusalCode::InvalidRequest, "the server is initialized already");
                self.output.answer(&id, Err(refusal))?;
            }
            Message::Request { id, method, params, .. } => {
                let answer = on_large_stack(|| self.server.request(&method, params));
                self.output.answer(
                    &id,
                    answer.unwrap_or_else(|panic| {
                        let message = format!("a fault of NeuroScript itself, please report it: {panic}");
                        Err(Refusal::new(RefusalCode::InternalError, message))
                    }),
                )?;
            }
            Message::Notification { method, .. } if method == "exit" => return Some(Flow::Exit),
            Message::Notification { method, .. } if method == "initialized" => self.watch_files()?,
            Message::Notification { method, params } => {
                let notices = on_large_stack(|| self.server.notification(&method, params)).unwrap_or_default();
                self.notify(notices)?;
            }
            Message::Response => {}
            Message::Invalid(invalid) => self.output.refuse(&invalid)?,
        }
        Some(Flow::On)
    }

    /// Refuses requests after `shutdown`.
    fn wait_for_exit(&mut self) -> Ended {
        while let Some(message) = self.queue.wait() {
            match message {
                Message::Notification { method, .. } if method == "exit" => return Ended::Properly,
                Message::Request { id, .. } => {
                    let refusal = Refusal::new(RefusalCode::InvalidRequest, "the server was shut down");
                    if self.output.answer(&id, Err(refusal)).is_none() {
                        return Ended::Abruptly;
                    }
                }
                _ => {}
            }
        }
        Ended::Abruptly
    }

    /// Asks the client to tell of changed files, since modules are read from them.
    fn watch_files(&mut self) -> Option<()> {
        if !self.client.watches_files {
            return Some(());
        }
        let watchers = json!([{ "globPattern": "**/*.ns" }, { "globPattern": "**/*.ns.txt" }]);
        let registration = json!({
            "id": "watch",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        self.output.send(&json!({
            "jsonrpc": "2.0",
            "id": "watch",
            "method": "client/registerCapability",
            "params": { "registrations": [registration] },
        }))
    }

    fn notify(&mut self, notices: Vec<Notice>) -> Option<()> {
        for Notice { method, params, is_request } in notices {
            let mut message = json!({ "jsonrpc": "2.0", "method": method });
            if !params.is_null() {
                message["params"] = params;
            }
            if is_request {
                self.asked += 1;
                message["id"] = json!(format!("ns {}", self.asked));
            }
            self.output.send(&message)?;
        }
        Some(())
    }
}

/// The output. Its functions return `None` if the client is gone.
struct Output<W>(W);

impl<W: Write> Output<W> {
    fn send(&mut self, message: &Json) -> Option<()> {
        write(&mut self.0, message).ok()
    }

    fn answer(&mut self, id: &Json, answer: Answer) -> Option<()> {
        self.send(&match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refusal { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
            }
        })
    }

    /// Answers what is no message.
    fn refuse(&mut self, invalid: &Invalid) -> Option<()> {
        let refusal = match invalid {
            Invalid::Frame(reason) => Refusal::new(RefusalCode::ParseError, reason.as_str()),
            Invalid::Message(reason) => Refusal::new(RefusalCode::InvalidRequest, *reason),
        };
        self.answer(&Json::Null, Err(refusal))
    }
}
