// Debugging with `ns dap`.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { optionsAt } from './arguments';
import type { Context, Target } from './context';

/** The arguments of `launch` that `ns dap` takes, beside those of VS Code. */
interface Launch extends vscode.DebugConfiguration {
  program?: string;
  sandbox?: string;
  policy?: string;
  lib?: string[];
  strict?: boolean;
}

export class Debugging implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly context: Context) {
    const { subscriptions } = context.extension;
    const dynamic = { provideDebugConfigurations: () => [launchOfFile(), { ...launchOfFile(), name: 'Debug script over a plan', plan: true }] };
    subscriptions.push(
      vscode.debug.registerDebugConfigurationProvider('neuroscript', this),
      vscode.debug.registerDebugConfigurationProvider('neuroscript', dynamic, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
      vscode.debug.registerDebugAdapterDescriptorFactory('neuroscript', this),
    );
  }

  /** Starts a debug session for a script. */
  async start(target: Target): Promise<void> {
    if (!this.context.isLiteral([target.file, target.procedure ?? '', ...target.words])) return;
    const launch: Launch = { ...launchOfFile(), program: target.file, args: [...target.words] };
    if (target.procedure !== undefined) launch['procedure'] = target.procedure;
    await vscode.debug.startDebugging(target.folder, launch);
  }

  /** Without a `launch.json`, the script of the active editor is debugged. */
  resolveDebugConfiguration(_folder: vscode.WorkspaceFolder | undefined, config: Launch): Launch | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const isEmpty = config.type === '' || config.type === undefined;
    if (isEmpty && document?.languageId !== 'neuroscript') return undefined;
    const launch = isEmpty ? launchOfFile() : config;
    // Newer versions of VS Code replace variables also in the path that they put in for `${file}`.
    const usesFile = /\$\{(?:file|relativeFile)/.test(JSON.stringify(launch));
    return usesFile && document !== undefined && !this.context.isLiteral([document.uri.fsPath]) ? undefined : launch;
  }

  /** Completes a configuration by the settings. Its variables are replaced already. */
  async resolveDebugConfigurationWithSubstitutedVariables(folder: vscode.WorkspaceFolder | undefined, config: Launch): Promise<Launch | undefined> {
    if ((await this.context.programForCommand()) === undefined) return undefined;
    if (typeof config.program !== 'string' || config.program === '') {
      this.context.reportFailure('the configuration names no script; write its path in `program`');
      return undefined;
    }
    const program = isAbsolute(config.program) || folder === undefined ? config.program : join(folder.uri.fsPath, config.program);
    const own = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program)) ?? folder;
    const written = this.context.written(own);
    const merged = {
      sandbox: config.sandbox ?? written.sandbox,
      policy: config.policy ?? written.policy,
      lib: config.lib ?? written.lib,
      strict: config.strict ?? written.strict,
    };
    const options = optionsAt(merged, { file: program, folder: own?.uri.fsPath, home: homedir() });
    if (options === undefined) return undefined;
    const { policy: _policy, ...rest } = config;
    const launch: Launch = { ...rest, program, sandbox: options.sandbox, lib: [...options.lib], strict: options.strict } as Launch;
    return options.policy === undefined ? launch : { ...launch, policy: options.policy };
  }

  async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor | undefined> {
    const program = await this.context.programForCommand();
    if (program === undefined) return undefined;
    const sandbox = String(session.configuration['sandbox']);
    return new vscode.DebugAdapterExecutable(program.path, ['dap'], { cwd: sandbox });
  }
}

function launchOfFile(): Launch {
  return { type: 'neuroscript', request: 'launch', name: 'Debug script', program: '${file}' };
}
