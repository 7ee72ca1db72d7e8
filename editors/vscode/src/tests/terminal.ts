// The terminal of a test task: the lines of `ns test`, with the directory of each golden file, so that the problem
// matcher `$ns-test` finds it.

import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withoutSandbox, type Options } from '../arguments';
import type { Context } from '../context';
import { describe } from '../process';
import type { Program } from '../program';
import { linesOfRow, parseReport, safe, type Row } from './report';

/** Time for VS Code to read the lines that were written. */
const READING_MS = 500;

export class TestTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<number>();
  private readonly stop = new AbortController();
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;

  constructor(
    private readonly context: Context,
    private readonly program: Program,
    private readonly folder: vscode.WorkspaceFolder,
    private readonly path: string,
    private readonly options: Options,
  ) {}

  open(): void {
    void this.run();
  }

  close(): void {
    this.stop.abort();
  }

  private async run(): Promise<void> {
    const timeoutMs = this.context.timeoutMs('test.timeout', this.folder);
    const args = ['test', '--format', 'json', ...withoutSandbox(this.options), this.path];
    this.line(`ns test ${safe(this.path)}`);
    const ended = await this.context.run(this.program, args, { cwd: this.folder.uri.fsPath, timeoutMs, stop: this.stop.signal });
    try {
      const rows = parseReport(ended.stdout);
      for (const row of rows) {
        const exists = (file: string): boolean => existsSync(join(dirname(row.script), file));
        for (const line of linesOfRow(row, this.directoryOf(row), exists)) this.line(line);
      }
      const failed = rows.filter((row) => row.status === 'failed' || row.status === 'faulty').length;
      this.line(`${rows.length - failed} passed, ${failed} failed`);
    } catch {
      for (const line of describe(ended, '`ns test`', timeoutMs).split('\n')) this.line(safe(line));
    }
    // VS Code gives up matching when the terminal closes, and may not have read the last lines then
    // (microsoft/vscode#184523).
    await sleep(READING_MS);
    this.closed.fire(ended.code ?? 1);
  }

  /** The directory of a case from the folder of the workspace, with a slash at its end. */
  private directoryOf(row: Row): string {
    const directory = dirname(row.script);
    const way = relative(this.folder.uri.fsPath, directory);
    if (way === '') return '';
    return way.startsWith('..') || isAbsolute(way) ? `${directory}${sep}` : `${way}${sep}`;
  }

  private line(text: string): void {
    this.written.fire(`${text}\r\n`);
  }
}
