// The test explorer: the cases of `ns test` of every folder, run and compared by `ns test --format json`.

import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { withoutSandbox } from '../arguments';
import { signalOf, type Context, type Target } from '../context';
import { describe } from '../process';
import type { Program } from '../program';
import { findCases, type Script } from './discover';
import { errorPlace, firstLine, parseReport, safe, sidesOf, type Difference, type Row } from './report';
import { selectToRun, selectToUpdate } from './select';

/** The most bytes of a golden file that are compared line by line. */
const MOST_GOLDEN = 4 * 1024 * 1024;
const SETTLE_MS = 300;

/** A case with its item of the explorer. */
interface Leaf {
  readonly item: vscode.TestItem;
  readonly script: string;
  /** The name of the case, such as `report.empty`. */
  readonly name: string;
  readonly folder: vscode.WorkspaceFolder;
}

export class TestExplorer {
  private readonly controller: vscode.TestController;
  private readonly leaves = new Map<string, Leaf>();
  private timer: NodeJS.Timeout | undefined;
  private searching: Promise<void> = Promise.resolve();

  constructor(private readonly context: Context) {
    this.controller = vscode.tests.createTestController('neuroscript', 'NeuroScript');
    this.controller.refreshHandler = () => this.refresh();
    this.controller.resolveHandler = (item) => (item === undefined ? this.refresh() : Promise.resolve());
    const { Run } = vscode.TestRunProfileKind;
    this.controller.createRunProfile('Run', Run, (request) => this.run(request, false), true);
    this.controller.createRunProfile('Write Golden Files', Run, (request) => this.run(request, true), false);
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.{ns,out,err,tree,audit,args,in,times}', false, true, false);
    context.extension.subscriptions.push(
      this.controller,
      watcher,
      watcher.onDidCreate(() => this.refreshSoon()),
      watcher.onDidDelete(() => this.refreshSoon()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refreshSoon()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refreshSoon()),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    );
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), SETTLE_MS);
  }

  /** Finds the cases of all folders anew. */
  refresh(): Promise<void> {
    this.searching = this.searching.then(() => this.search());
    return this.searching;
  }

  private async search(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    const found = await Promise.all(folders.map((folder) => findCases(folder.uri.fsPath)));
    this.leaves.clear();
    const roots = folders.flatMap((folder, index) => {
      const { scripts, isCut } = found[index] ?? { scripts: [], isCut: false };
      if (isCut) this.context.log.warn(`${folder.name} has too many files; some of its tests are not shown`);
      const items = this.itemsOf(folder, scripts);
      if (folders.length === 1 || items.length === 0) return items;
      const item = this.controller.createTestItem(folder.uri.toString(), folder.name, folder.uri);
      item.children.replace(items);
      return [item];
    });
    this.controller.items.replace(roots);
  }

  /** The items of a folder: directories, in them scripts, in these their cases if there are several. */
  private itemsOf(folder: vscode.WorkspaceFolder, scripts: readonly Script[]): vscode.TestItem[] {
    const top: vscode.TestItem[] = [];
    const directories = new Map<string, vscode.TestItem>();
    const directoryOf = (path: string): vscode.TestItem | undefined => {
      if (path === '.') return undefined;
      const known = directories.get(path);
      if (known !== undefined) return known;
      const uri = vscode.Uri.joinPath(folder.uri, path);
      const item = this.controller.createTestItem(`${uri.toString()}/`, path.slice(path.lastIndexOf('/') + 1), uri);
      directories.set(path, item);
      place(item, directoryOf(dirname(path)));
      return item;
    };
    const place = (item: vscode.TestItem, above: vscode.TestItem | undefined): void => {
      if (above === undefined) top.push(item);
      else above.children.add(item);
    };
    for (const script of scripts) place(this.scriptItem(folder, script), directoryOf(dirname(script.path)));
    return top;
  }

  private scriptItem(folder: vscode.WorkspaceFolder, script: Script): vscode.TestItem {
    const uri = vscode.Uri.joinPath(folder.uri, script.path);
    const file = script.path.slice(script.path.lastIndexOf('/') + 1);
    const item = this.controller.createTestItem(uri.toString(), file, uri);
    item.range = new vscode.Range(0, 0, 0, 0);
    const own = file.slice(0, -'.ns'.length);
    if (script.cases.length === 1 && script.cases[0] === own) {
      this.addLeaf({ item, script: uri.fsPath, name: own, folder });
      return item;
    }
    for (const name of script.cases) {
      const child = this.controller.createTestItem(`${uri.toString()}#${name}`, name === own ? name : name.slice(own.length + 1), uri);
      child.range = item.range;
      item.children.add(child);
      this.addLeaf({ item: child, script: uri.fsPath, name, folder });
    }
    return item;
  }

  private addLeaf(leaf: Leaf): void {
    this.leaves.set(leaf.item.id, leaf);
  }

  /** Runs the cases of a script, or one of them. */
  async runScript(target: Target, update: boolean): Promise<void> {
    await this.refresh();
    const own = [...this.leaves.values()].filter((leaf) => leaf.script === target.file);
    const meant = target.testCase === undefined ? own : own.filter((leaf) => leaf.name === target.testCase);
    if (meant.length > 0) {
      await vscode.commands.executeCommand('workbench.view.testing.focus');
      await this.run(new vscode.TestRunRequest(meant.map((leaf) => leaf.item)), update);
      return;
    }
    if (update) await this.writeFirst(target);
    else await this.offerGolden(target);
  }

  private async offerGolden(target: Target): Promise<void> {
    const write = 'Write Golden Files';
    const name = vscode.workspace.asRelativePath(target.uri);
    const answer = await vscode.window.showInformationMessage(`${name} has no golden file, so it is not a test.`, write);
    if (answer === write) await this.writeFirst(target);
  }

  /** Turns a script into a test. */
  private async writeFirst(target: Target): Promise<void> {
    const program = await this.context.programForCommand();
    if (program === undefined) return;
    const timeoutMs = this.context.timeoutMs('test.timeout', target.uri);
    const args = ['test', '--update', ...withoutSandbox(target.options), target.file];
    const ended = await this.context.run(program, args, { cwd: dirname(target.file), timeoutMs });
    if (ended.end !== 'exited' || ended.code !== 0) {
      this.context.reportFailure(`${describe(ended, '`ns test`', timeoutMs)} ${ended.stdout.toString('utf8')}`.trim());
    }
    await this.refresh();
  }

  private async run(request: vscode.TestRunRequest, update: boolean): Promise<void> {
    const program = await this.context.programForCommand();
    if (program === undefined) return;
    const leaves = this.meant(request);
    const run = this.controller.createTestRun(request);
    for (const leaf of leaves) run.enqueued(leaf.item);
    try {
      // A folder as a whole includes the cases that the user excluded.
      const isAll = request.include === undefined && (request.exclude ?? []).length === 0;
      for (const [folder, own] of grouped(leaves)) await this.runFolder({ run, program, folder, update }, own, isAll);
    } finally {
      run.end();
    }
  }

  /** The cases that a request names, without those that it excludes. */
  private meant(request: vscode.TestRunRequest): Leaf[] {
    const excluded = new Set(request.exclude?.map((item) => item.id));
    const meant: Leaf[] = [];
    const visit = (item: vscode.TestItem): void => {
      if (excluded.has(item.id)) return;
      const leaf = this.leaves.get(item.id);
      if (leaf !== undefined) meant.push(leaf);
      item.children.forEach(visit);
    };
    if (request.include === undefined) this.controller.items.forEach(visit);
    else request.include.forEach(visit);
    return meant;
  }

  private async runFolder(order: Order, leaves: readonly Leaf[], isAll: boolean): Promise<void> {
    if (isAll) {
      await this.runPart(order, leaves, [order.folder.uri.fsPath]);
      return;
    }
    const { parts, refused } = order.update ? await selectToUpdate(leaves) : selectToRun(leaves);
    for (const { of, reason } of refused) order.run.errored(of.item, atTop(new vscode.TestMessage(reason), of));
    for (const { cases, args } of parts) {
      if (order.run.token.isCancellationRequested) return;
      await this.runPart(order, cases, args);
    }
  }

  private async runPart(order: Order, leaves: readonly Leaf[], words: readonly string[]): Promise<void> {
    const { run, program, folder, update } = order;
    for (const leaf of leaves) run.started(leaf.item);
    const options = this.context.optionsFor(undefined, folder);
    const args = ['test', '--format', 'json', ...(update ? ['--update'] : []), ...(options === undefined ? [] : withoutSandbox(options)), ...words];
    const timeoutMs = this.context.timeoutMs('test.timeout', folder);
    const ended = await this.context.run(program, args, { cwd: folder.uri.fsPath, timeoutMs, stop: signalOf(run.token) });
    if (ended.end === 'stopped') return;
    let rows: Row[] = [];
    let problem = '`ns test` has no such case; its golden files were removed';
    try {
      if (ended.end !== 'exited') throw new Error(describe(ended, '`ns test`', timeoutMs));
      rows = parseReport(ended.stdout);
    } catch (error) {
      const said = ended.stderr.trim();
      problem = ended.end === 'exited' && said !== '' ? said : (error as Error).message;
      run.appendOutput(`${lines(problem)}\r\n`);
    }
    const byKey = new Map(rows.map((row) => [`${row.script}\n${row.name}`, row]));
    for (const leaf of leaves) {
      const row = byKey.get(`${leaf.script}\n${leaf.name}`);
      if (row === undefined) run.errored(leaf.item, new vscode.TestMessage(problem));
      else await this.report(run, leaf, row);
    }
  }

  private async report(run: vscode.TestRun, leaf: Leaf, row: Row): Promise<void> {
    const ms = row.seconds * 1000;
    switch (row.status) {
      case 'passed':
        run.passed(leaf.item, ms);
        return;
      case 'updated':
        run.appendOutput(`${safe(row.name)}: golden files written\r\n`, undefined, leaf.item);
        run.passed(leaf.item, ms);
        return;
      case 'faulty':
        run.errored(leaf.item, atTop(new vscode.TestMessage(row.fault ?? 'the case cannot be run'), leaf), ms);
        return;
      case 'failed': {
        const messages = await Promise.all(row.differences.map((difference) => messageOf(leaf, difference)));
        for (const difference of row.differences) {
          run.appendOutput(`${safe(`${difference.of} differs from ${difference.file}:`)}\r\n${lines(difference.diff)}\r\n`, undefined, leaf.item);
        }
        run.failed(leaf.item, messages, ms);
      }
    }
  }
}

/** A run of tests in a folder. */
interface Order {
  readonly run: vscode.TestRun;
  readonly program: Program;
  readonly folder: vscode.WorkspaceFolder;
  readonly update: boolean;
}

/** A difference with its place: the error of the script, or the first line of the golden file that differs. */
async function messageOf(leaf: Leaf, difference: Difference): Promise<vscode.TestMessage> {
  const golden = join(dirname(leaf.script), difference.file);
  const text = await readGolden(golden);
  const sides = sidesOf(difference.diff, text ?? '');
  const message = vscode.TestMessage.diff(`${difference.of} differs from ${difference.file}`, sides.expected, sides.actual);
  const place = errorPlace(difference.diff);
  if (place !== undefined && isOfScript(place.file, leaf.script)) {
    message.location = new vscode.Location(vscode.Uri.file(leaf.script), new vscode.Position(place.line - 1, Math.max(0, place.column - 1)));
    return message;
  }
  if (text === undefined) return atTop(message, leaf);
  message.location = new vscode.Location(vscode.Uri.file(golden), new vscode.Position(firstLine(difference.diff) - 1, 0));
  return message;
}

/** Whether an error names the script of the case, which runs under its name alone. */
function isOfScript(named: string, script: string): boolean {
  return !isAbsolute(named) && join(dirname(script), named) === script;
}

function atTop(message: vscode.TestMessage, leaf: Leaf): vscode.TestMessage {
  message.location = new vscode.Location(vscode.Uri.file(leaf.script), new vscode.Position(0, 0));
  return message;
}

/** Reads a golden file; `undefined` if it does not exist or is too large. */
async function readGolden(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > MOST_GOLDEN) return undefined;
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function lines(text: string): string {
  return text.replace(/\n$/, '').split('\n').map(safe).join('\r\n');
}

function grouped(leaves: readonly Leaf[]): Map<vscode.WorkspaceFolder, Leaf[]> {
  const groups = new Map<vscode.WorkspaceFolder, Leaf[]>();
  for (const leaf of leaves) {
    const group = groups.get(leaf.folder);
    if (group === undefined) groups.set(leaf.folder, [leaf]);
    else group.push(leaf);
  }
  return groups;
}
