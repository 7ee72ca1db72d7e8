// The parts of the extension share this: the log, the program, the settings, and the rule that nothing runs in a
// workspace without trust.

import { homedir } from 'node:os';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { allOptions, optionsAt, variableProblem, type Options, type Written } from './arguments';
import { describe, run, type Ended } from './process';
import { findProgram, type Program } from './program';

/** The most that is read of an answer of `ns`. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A script that a command is about. */
export interface Target {
  readonly uri: vscode.Uri;
  readonly file: string;
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly options: Options;
  readonly procedure: string | undefined;
  /** The name of a test case. */
  readonly testCase: string | undefined;
  /** The arguments that the user gave for this script. */
  readonly words: readonly string[];
}

/** The argument that a lens passes to its command. */
interface LensArgument {
  readonly uri: string;
  readonly procedure?: string;
  readonly case?: string;
}

export class Context {
  readonly log: vscode.LogOutputChannel;
  private found: Promise<Program | undefined> | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when another program or other settings hold. */
  readonly onDidChange = this.changed.event;

  constructor(readonly extension: vscode.ExtensionContext) {
    this.log = vscode.window.createOutputChannel('NeuroScript', { log: true });
    extension.subscriptions.push(
      this.log,
      this.changed,
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.reset()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        const keys = ['path', 'sandbox', 'policy', 'lib', 'strict'];
        if (keys.some((key) => event.affectsConfiguration(`neuroscript.${key}`))) this.reset();
      }),
    );
  }

  /** Looks for the program again, and tells everybody. */
  reset(): void {
    this.found = undefined;
    this.changed.fire();
  }

  /** The program, or `undefined` if there is none or the workspace is not trusted. Reports a missing one once. */
  program(): Promise<Program | undefined> {
    if (!vscode.workspace.isTrusted) return Promise.resolve(undefined);
    this.found ??= this.find();
    return this.found;
  }

  private async find(): Promise<Program | undefined> {
    const found = await findProgram({
      setting: vscode.workspace.getConfiguration('neuroscript').get('path', ''),
      base: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      home: homedir(),
      extension: this.extension.extensionPath,
      path: process.env['PATH'],
      platform: process.platform,
    });
    await vscode.commands.executeCommand('setContext', 'neuroscript.ready', !('problem' in found));
    if ('problem' in found) {
      this.log.error(found.problem);
      void this.reportMissing(found.problem);
      return undefined;
    }
    this.log.info(`ns ${found.version} from ${found.source}: ${found.path}`);
    return found;
  }

  private async reportMissing(problem: string): Promise<void> {
    const choose = 'Choose ns…';
    const settings = 'Open Settings';
    const answer = await vscode.window.showErrorMessage(`NeuroScript: ${problem}`, choose, settings);
    if (answer === choose) await vscode.commands.executeCommand('neuroscript.choosePath');
    if (answer === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'neuroscript.path');
  }

  /** The program for a command of the user; says why if there is none. */
  async programForCommand(): Promise<Program | undefined> {
    if (vscode.workspace.isTrusted) {
      const isSearched = this.found !== undefined;
      const program = await this.program();
      // A program that was missing may have been installed since.
      if (program !== undefined || !isSearched) return program;
      this.found = undefined;
      return this.program();
    }
    const manage = 'Manage Workspace Trust';
    const answer = await vscode.window.showWarningMessage('NeuroScript starts `ns` only in a workspace that you trust.', manage);
    if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
    return undefined;
  }

  /** The settings as written, for a place. */
  written(scope: vscode.ConfigurationScope | undefined): Written {
    const settings = vscode.workspace.getConfiguration('neuroscript', scope);
    return {
      sandbox: settings.get('sandbox', ''),
      policy: settings.get('policy', ''),
      lib: settings.get<string[]>('lib', []),
      strict: settings.get('strict', false),
    };
  }

  /** The options for a script or a folder. */
  optionsFor(uri: vscode.Uri | undefined, folder: vscode.WorkspaceFolder | undefined): Options | undefined {
    const place = { file: uri?.fsPath, folder: folder?.uri.fsPath, home: homedir() };
    return optionsAt(this.written(uri ?? folder), place);
  }

  /** Seconds of a setting as milliseconds. */
  timeoutMs(key: 'plan.timeout' | 'test.timeout', scope: vscode.ConfigurationScope | undefined): number {
    const seconds = vscode.workspace.getConfiguration('neuroscript', scope).get(key, 60);
    return Math.min(Math.max(seconds, 1), 86_400) * 1000;
  }

  /**
   * The script that a command is about: the argument of a lens, a file of the explorer, or the active editor. Its
   * document is saved first, because `ns` reads the file.
   */
  async target(argument: unknown): Promise<Target | undefined> {
    const lens = isLens(argument) ? argument : undefined;
    const uri =
      lens !== undefined
        ? vscode.Uri.parse(lens.uri, true)
        : argument instanceof vscode.Uri
          ? argument
          : vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) {
      void vscode.window.showInformationMessage('Open a script first.');
      return undefined;
    }
    const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    if (uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Save the script as a file of the disk first; `ns` reads files.');
      return undefined;
    }
    if (document?.isDirty === true && !(await document.save())) {
      void vscode.window.showWarningMessage('The script was not saved, so nothing was started.');
      return undefined;
    }
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    const options = this.optionsFor(uri, folder);
    if (options === undefined) return undefined;
    return { uri, file: uri.fsPath, folder, options, procedure: lens?.procedure, testCase: lens?.case, words: this.words(uri) };
  }

  /** The arguments that the user gave for a script. */
  words(uri: vscode.Uri): readonly string[] {
    return this.extension.workspaceState.get<string[]>(`arguments:${uri.toString()}`, []);
  }

  /** Keeps the arguments of a script for this workspace. */
  async keepWords(uri: vscode.Uri, words: readonly string[]): Promise<void> {
    await this.extension.workspaceState.update(`arguments:${uri.toString()}`, words.length === 0 ? undefined : words);
  }

  /** Runs `ns` with bounds. */
  async run(program: Program, args: readonly string[], how: { cwd: string; timeoutMs: number; input?: Buffer; stop?: AbortSignal }): Promise<Ended> {
    this.log.debug(`${program.path} ${JSON.stringify(args)} in ${how.cwd}`);
    return run({ program: program.path, args, maxBytes: MOST_BYTES, ...how });
  }

  /**
   * Runs `ns` on a sandbox; reports a failure to the user and returns `undefined` then. There is no limit of time unless
   * one is given, because a change of files must not be interrupted; the user can cancel.
   */
  async ask(what: string, args: readonly string[], options: Options, more: { input?: Buffer; title?: string; timeoutMs?: number } = {}): Promise<Ended | undefined> {
    const program = await this.programForCommand();
    if (program === undefined) return undefined;
    const timeoutMs = more.timeoutMs ?? Infinity;
    const input = more.input === undefined ? {} : { input: more.input };
    const ended = await withProgress(more.title ?? what, (stop) =>
      this.run(program, [...args, ...allOptions(options)], { cwd: options.sandbox, timeoutMs, stop, ...input }),
    );
    if (ended.end === 'exited' && ended.code === 0) return ended;
    if (ended.end !== 'stopped') this.reportFailure(describe(ended, what, timeoutMs));
    return undefined;
  }

  /** Whether VS Code passes texts on as they are; reports the first one in which it would replace a variable. */
  isLiteral(texts: readonly string[]): boolean {
    const problem = variableProblem(texts);
    if (problem !== undefined) this.reportFailure(problem);
    return problem === undefined;
  }

  /** Shows a failure, with its whole text in the log. Does not wait for the user. */
  reportFailure(message: string): void {
    this.log.error(message);
    const show = 'Show Output';
    // Notifications show one paragraph.
    const shown = vscode.window.showErrorMessage(`NeuroScript: ${message.replace(/\s*\n\s*/g, ' · ')}`, show);
    void shown.then((answer) => answer === show && this.log.show());
  }
}

function isLens(value: unknown): value is LensArgument {
  return typeof value === 'object' && value !== null && typeof (value as { uri?: unknown }).uri === 'string';
}

/** Shows progress that can be cancelled while something runs. */
export function withProgress<T>(title: string, task: (stop: AbortSignal) => Promise<T>): Thenable<T> {
  const place = { location: vscode.ProgressLocation.Notification, title: `NeuroScript: ${title}`, cancellable: true };
  return vscode.window.withProgress(place, (_progress, token) => task(signalOf(token)));
}

/** An abort signal that follows a cancellation token. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** The folder for a command that is about no script: the one of the active editor, the only one, or a chosen one. */
export async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (own !== undefined) return own;
  return folders.length <= 1 ? folders[0] : vscode.window.showWorkspaceFolderPick();
}

/** The directory where the client's server starts. */
export function startDirectory(): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const active = vscode.window.activeTextEditor?.document.uri;
  if (folder !== undefined) return folder;
  return active?.scheme === 'file' ? dirname(active.fsPath) : homedir();
}
