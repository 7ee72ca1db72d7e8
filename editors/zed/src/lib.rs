//! The extension for Zed: starts `ns lsp` and `ns dap`. Grammar, queries and brackets are in files beside it.
//!
//! The program is that of the settings (`"lsp": { "ns": { "binary": { "path": "…" } } }`), otherwise `ns` of the
//! `PATH`. The sandbox is the folder that Zed has open.

use zed_extension_api::serde_json::{Value, json};
use zed_extension_api::settings::LspSettings;
use zed_extension_api::{
    Command, DebugAdapterBinary, DebugConfig, DebugRequest, DebugScenario, DebugTaskDefinition, Extension,
    LanguageServerId, Result, StartDebuggingRequestArguments, StartDebuggingRequestArgumentsRequest as Request,
    Worktree, register_extension,
};

/// The name of the language server and its settings.
const SERVER: &str = "ns";

struct NeuroScript;

/// Returns the program and its environment.
fn program(worktree: &Worktree) -> Result<(String, Vec<(String, String)>)> {
    let settings = LspSettings::for_worktree(SERVER, worktree)?;
    let named = settings.binary.and_then(|binary| binary.path);
    let found = named.or_else(|| worktree.which(SERVER));
    let program = found.ok_or("`ns` is not in the PATH; install it, or name it in the settings: `lsp.ns.binary.path`")?;
    Ok((program, worktree.shell_env()))
}

impl Extension for NeuroScript {
    fn new() -> NeuroScript {
        NeuroScript
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let (command, env) = program(worktree)?;
        Ok(Command { command, args: vec!["lsp".to_owned()], env })
    }

    fn get_dap_binary(
        &mut self,
        _: String,
        task: DebugTaskDefinition,
        named: Option<String>,
        worktree: &Worktree,
    ) -> Result<DebugAdapterBinary> {
        let (found, envs) = program(worktree)?;
        Ok(DebugAdapterBinary {
            command: Some(named.unwrap_or(found)),
            arguments: vec!["dap".to_owned()],
            envs,
            cwd: Some(worktree.root_path()),
            connection: None,
            request_args: StartDebuggingRequestArguments { configuration: task.config, request: Request::Launch },
        })
    }

    fn dap_request_kind(&mut self, _: String, config: Value) -> Result<Request> {
        match config.get("program").and_then(Value::as_str) {
            Some(_) => Ok(Request::Launch),
            None => Err("the configuration needs `program`, the path of a script".to_owned()),
        }
    }

    fn dap_config_to_scenario(&mut self, config: DebugConfig) -> Result<DebugScenario> {
        let DebugRequest::Launch(launch) = config.request else {
            return Err("a script is launched; there is nothing to attach to".to_owned());
        };
        let arguments = json!({
            "request": "launch",
            "program": launch.program,
            "args": launch.args,
            "sandbox": launch.cwd,
            "stopOnEntry": config.stop_on_entry.unwrap_or_default(),
        });
        Ok(DebugScenario {
            label: config.label,
            adapter: config.adapter,
            build: None,
            config: arguments.to_string(),
            tcp_connection: None,
        })
    }
}

register_extension!(NeuroScript);
