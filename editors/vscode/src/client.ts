// The client of the language server, `ns lsp`.

import * as vscode from 'vscode';
import { ErrorAction, LanguageClient, RevealOutputChannelOn, type ClientCapabilities, type StaticFeature } from 'vscode-languageclient/node';
import { withoutSandbox } from './arguments';
import { startDirectory, type Context } from './context';

/** The commands of lenses that this extension implements. */
export const LENS_COMMANDS = ['neuroscript.run', 'neuroscript.plan', 'neuroscript.test', 'neuroscript.debug'];

/** Tells the server which commands the client has, so that it offers lenses for them. */
const announcement: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const experimental = capabilities.experimental as object | undefined;
    capabilities.experimental = { ...experimental, commands: { commands: LENS_COMMANDS } };
  },
  initialize(): void {},
  getState() {
    return { kind: 'static' as const };
  },
  clear(): void {},
};

/** Starts the server, and again when the program, the settings or the folders change. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  // Starts and stops happen one after another.
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly context: Context) {
    context.extension.subscriptions.push(
      this,
      context.onDidChange(() => this.restart()),
      // The server is locked down to the folders that it was started with.
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.restart()),
    );
  }

  /** Starts the server, or starts it again. */
  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stop()).then(() => this.start());
    return this.queue;
  }

  private async start(): Promise<void> {
    const program = await this.context.program();
    if (program === undefined) return;
    const command = { command: program.path, args: this.arguments(), options: { cwd: startDirectory() } };
    const client: LanguageClient = new LanguageClient('neuroscript', 'NeuroScript', command, {
      documentSelector: [
        { scheme: 'file', language: 'neuroscript' },
        { scheme: 'file', language: 'markdown' },
      ],
      outputChannel: this.context.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: {
        // A failed write does not end the connection; only the server's exit does.
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => standard.closed(),
      },
      initializationOptions: serverSettings(),
      synchronize: { configurationSection: 'neuroscript' },
    });
    const standard = client.createDefaultErrorHandler();
    client.registerFeature(announcement);
    try {
      await client.start();
      this.client = client;
    } catch (error) {
      this.context.reportFailure(`the language server cannot be started: ${String(error)}`);
    }
  }

  private arguments(): string[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const options = this.context.optionsFor(undefined, folders[0]);
    if (options === undefined) return ['lsp'];
    // Of several folders, each is a sandbox; a setting for one of them cannot stand for all.
    const sandbox = this.context.written(folders[0]).sandbox;
    const isNamed = folders.length === 1 && sandbox !== '' && !sandbox.includes('${fileDirname}');
    return ['lsp', ...(isNamed ? ['--sandbox', options.sandbox] : []), ...withoutSandbox(options)];
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.context.log.warn(`the language server did not end: ${String(error)}`);
    }
  }

  dispose(): Promise<void> {
    this.queue = this.queue.then(() => this.stop());
    return this.queue;
  }
}

function serverSettings(): object {
  const settings = vscode.workspace.getConfiguration('neuroscript');
  return { inlayHints: { parameterNames: settings.get('inlayHints.parameterNames', false) } };
}
