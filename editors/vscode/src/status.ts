// The item of the status bar: the version of `ns` and the sandbox of the script in the active editor.

import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Context } from './context';

export class Status {
  private readonly item: vscode.StatusBarItem;

  constructor(private readonly context: Context) {
    this.item = vscode.window.createStatusBarItem('neuroscript.status', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'NeuroScript';
    this.item.command = 'neuroscript.showMenu';
    context.extension.subscriptions.push(
      this.item,
      vscode.window.onDidChangeActiveTextEditor(() => void this.update()),
      context.onDidChange(() => void this.update()),
    );
  }

  async update(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'neuroscript') {
      this.item.hide();
      return;
    }
    if (vscode.workspace.isTrusted) await this.describe(document.uri);
    else this.say('$(shield) ns: restricted', 'The workspace is not trusted, so `ns` is not started.', true);
    this.item.show();
  }

  private async describe(uri: vscode.Uri): Promise<void> {
    const program = await this.context.program();
    if (program === undefined) {
      this.say('$(warning) ns is missing', 'The program `ns` was not found.', true);
      return;
    }
    const file = uri.scheme === 'file' ? uri : undefined;
    const options = this.context.optionsFor(file, vscode.workspace.getWorkspaceFolder(uri));
    const sandbox = options === undefined ? 'none' : basename(options.sandbox) || options.sandbox;
    const lines = [`ns ${program.version} from ${program.source}: ${program.path}`, `Sandbox: ${options?.sandbox ?? 'none; save the script first'}`];
    if (options?.policy !== undefined) lines.push(`Policy: ${options.policy}`);
    if (options?.strict === true) lines.push('Strict: every failure of a tool is an error');
    this.say(`$(shield) ns ${program.version}: ${sandbox}`, lines.join('\n'), false);
  }

  private say(text: string, tooltip: string, isWarning: boolean): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}
