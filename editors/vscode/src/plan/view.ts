// The view of a plan: a tree of its changes, differences in the editor, and the button that applies it.

import * as vscode from 'vscode';
import { planArguments, type Options } from '../arguments';
import { withProgress, type Context, type Target } from '../context';
import { describe, shorten } from '../process';
import { after, before } from './contents';
import { parsePlan, type Action, type Change, type Plan } from './form';
import { counted, hasDifference, isFolder, summary, treeOf, wordsOf, type Node } from './tree';

const SCHEME = 'neuroscript-plan';
/** The most differences that are opened at once. */
const MOST_OPENED = 100;

/** A plan with what is needed to make it again and to apply it. */
interface Shown {
  readonly plan: Plan;
  readonly target: Target;
  /** Distinguishes the documents of one plan from those of the next. */
  readonly number: number;
  readonly roots: readonly Node[];
}

/** A line of the tree. */
type Line = { readonly node: Node } | { readonly refused: string };

export class PlanView implements vscode.TreeDataProvider<Line>, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly tree: vscode.TreeView<Line>;
  private shown: Shown | undefined;
  private number = 0;

  constructor(private readonly context: Context) {
    this.tree = vscode.window.createTreeView('neuroscript.plan', { treeDataProvider: this, showCollapseAll: true });
    const on = (name: string, work: (line?: Line) => Promise<void>): vscode.Disposable => vscode.commands.registerCommand(name, work);
    context.extension.subscriptions.push(
      this.tree,
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      on('neuroscript.planApply', () => this.apply()),
      on('neuroscript.planAgain', () => this.again()),
      on('neuroscript.planOpenAll', () => this.openAll()),
      on('neuroscript.planDiscard', () => this.show(undefined)),
      on('neuroscript.planOpen', (line) => this.open(line)),
    );
  }

  /** Plans a script and shows what it would change. */
  async plan(target: Target): Promise<void> {
    const program = await this.context.programForCommand();
    if (program === undefined) return;
    const timeoutMs = this.context.timeoutMs('plan.timeout', target.uri);
    const args = planArguments(target.options, { file: target.file, procedure: target.procedure, words: target.words });
    const name = vscode.workspace.asRelativePath(target.uri);
    const ended = await withProgress(`planning ${name}`, (stop) =>
      this.context.run(program, args, { cwd: target.options.sandbox, timeoutMs, stop }),
    );
    if (ended.end === 'stopped') return;
    if (ended.stderr.trim() !== '') this.context.log.info(`output of ${name}:\n${shorten(ended.stderr, 100_000)}`);
    let plan: Plan;
    try {
      if (ended.end !== 'exited' || ended.stdout.length === 0) throw new Error(describe(ended, `the plan of ${name}`, timeoutMs));
      plan = parsePlan(ended.stdout);
    } catch (error) {
      this.context.reportFailure((error as Error).message);
      return;
    }
    await this.show({ plan, target, number: ++this.number, roots: treeOf(plan) });
    if (plan.failed) this.context.reportFailure(`the run of ${name} fails: ${describe(ended, 'the run', timeoutMs)}`);
    else if (plan.changes.length === 0) void vscode.window.showInformationMessage(`NeuroScript: ${name} would change nothing.`);
    else await this.openAll();
  }

  private async show(shown: Shown | undefined): Promise<void> {
    this.shown = shown;
    const isApplicable = shown !== undefined && !shown.plan.failed && shown.plan.changes.length > 0;
    await vscode.commands.executeCommand('setContext', 'neuroscript.planOpen', shown !== undefined);
    await vscode.commands.executeCommand('setContext', 'neuroscript.planApplicable', isApplicable);
    this.tree.description = shown === undefined ? '' : vscode.workspace.asRelativePath(shown.target.uri);
    this.tree.message = shown === undefined ? '' : headOf(shown.plan);
    this.changed.fire(undefined);
    const first = shown?.roots[0];
    // The view may be collapsed, or was closed until now.
    if (first !== undefined) await vscode.commands.executeCommand('neuroscript.plan.focus');
  }

  private async again(): Promise<void> {
    if (this.shown !== undefined) await this.plan(this.shown.target);
  }

  // The tree.

  getChildren(line?: Line): Line[] {
    if (line !== undefined) return 'node' in line ? line.node.children.map((node) => ({ node })) : [];
    if (this.shown === undefined) return [];
    const refused = this.shown.plan.refused.map((text) => ({ refused: text }));
    return [...refused, ...this.shown.roots.map((node) => ({ node }))];
  }

  getTreeItem(line: Line): vscode.TreeItem {
    if ('refused' in line) {
      const item = new vscode.TreeItem(`refused: ${line.refused}`);
      item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
      return item;
    }
    const { node } = line;
    const { Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.name + (isFolder(node) ? '/' : ''), node.children.length > 0 ? Expanded : None);
    item.id = `${this.shown?.number ?? 0}:${node.path}`;
    item.iconPath = iconOf(node.change?.action);
    if (node.change === undefined) return item;
    item.description = wordsOf(node.change);
    item.tooltip = `${node.path}: ${wordsOf(node.change)}`;
    item.accessibilityInformation = { label: `${node.name}, ${wordsOf(node.change)}` };
    if (hasDifference(node.change)) item.command = { command: 'neuroscript.planOpen', title: 'Open Difference', arguments: [line] };
    return item;
  }

  // The differences.

  private async open(line: Line | undefined): Promise<void> {
    if (this.shown === undefined || line === undefined || !('node' in line) || line.node.change === undefined) return;
    const { left, right } = this.sides(this.shown, line.node.change);
    await vscode.commands.executeCommand('vscode.diff', left, right, titleOf(line.node.change), { preview: true });
  }

  private async openAll(): Promise<void> {
    const shown = this.shown;
    if (shown === undefined) return;
    const all = shown.plan.changes.filter(hasDifference);
    const [first] = all;
    if (first === undefined) return;
    if (all.length === 1) {
      const { left, right } = this.sides(shown, first);
      await vscode.commands.executeCommand('vscode.diff', left, right, titleOf(first));
      return;
    }
    const resources = all.slice(0, MOST_OPENED).map((change) => {
      const { left, right } = this.sides(shown, change);
      const label = vscode.Uri.joinPath(vscode.Uri.file(shown.target.options.sandbox), change.path);
      return [label, change.action === 'created' ? undefined : left, change.action === 'deleted' ? undefined : right];
    });
    const rest = all.length - resources.length;
    const title = `Plan of ${vscode.workspace.asRelativePath(shown.target.uri)}${rest > 0 ? ` (and ${counted(rest, 'further file')} in the view)` : ''}`;
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  private sides(shown: Shown, change: Change): { left: vscode.Uri; right: vscode.Uri } {
    const of = (side: string, path: string): vscode.Uri =>
      vscode.Uri.from({ scheme: SCHEME, authority: side, path: `/${path.replace(/^\/+/, '')}`, query: `${shown.number}:${change.path}` });
    return { left: of('before', change.from ?? change.path), right: of('after', change.path) };
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const shown = this.shown;
    const change = shown?.plan.changes.find((change) => `${shown.number}:${change.path}` === uri.query);
    if (shown === undefined || change === undefined) return '(the plan was closed)\n';
    const { sandbox } = shown.target.options;
    return uri.authority === 'before' ? before(change, sandbox) : after(change, sandbox);
  }

  // Applying.

  private async apply(): Promise<void> {
    const shown = this.shown;
    if (shown === undefined || shown.plan.failed) return;
    const { plan, target } = shown;
    const detail = [`${summary(plan)} in ${target.options.sandbox}.`, ...unsavedOf(plan, target.options), ...refusalsOf(plan), 'The run can be undone.'];
    const apply = 'Apply';
    const answer = await vscode.window.showWarningMessage(
      `Apply ${counted(plan.changes.length, 'change')} of ${vscode.workspace.asRelativePath(target.uri)}?`,
      { modal: true, detail: detail.join('\n') },
      apply,
    );
    if (answer !== apply) return;
    const ended = await this.context.ask('the plan', ['apply', '-'], target.options, { input: plan.bytes, title: 'applying the plan' });
    if (ended === undefined) return;
    await this.show(undefined);
    await offerUndo(this.context, ended.stderr, target.options);
  }
}

/** Tells what was done, and offers to take it back. */
async function offerUndo(context: Context, said: string, options: Options): Promise<void> {
  const run = /`ns undo ([0-9a-f]+)`/.exec(said)?.[1];
  const undo = 'Undo';
  const buttons = run === undefined ? [] : [undo];
  const answer = await vscode.window.showInformationMessage(`NeuroScript: ${shorten(said.trim()) || 'done'}`, ...buttons);
  if (answer !== undo || run === undefined) return;
  const undone = await context.ask('the undo', ['undo', run], options);
  if (undone !== undefined) void vscode.window.showInformationMessage(`NeuroScript: ${shorten(undone.stderr.trim())}`);
}

function headOf(plan: Plan): string {
  const head = plan.changes.length === 0 ? 'The run would change nothing.' : `Planned: ${summary(plan)}. Nothing is changed yet.`;
  return plan.failed ? `The run fails, so its plan cannot be applied. ${head}` : head;
}

/** The editors with changes that are not saved, whose files the plan changes. */
function unsavedOf(plan: Plan, options: Options): string[] {
  const sandbox = vscode.Uri.file(options.sandbox);
  const changed = new Set(plan.changes.map((change) => vscode.Uri.joinPath(sandbox, change.from ?? change.origin ?? change.path).toString()));
  const unsaved = vscode.workspace.textDocuments.filter((document) => document.isDirty && changed.has(document.uri.toString()));
  return unsaved.map((document) => `${vscode.workspace.asRelativePath(document.uri)} has changes in the editor that are not saved.`);
}

function refusalsOf(plan: Plan): string[] {
  const { length } = plan.refused;
  return length === 0 ? [] : [`${counted(length, 'call')} ${length === 1 ? 'was' : 'were'} refused during planning; the view lists ${length === 1 ? 'it' : 'them'}.`];
}

const ICONS: Record<Action, [icon: string, color: string]> = {
  created: ['diff-added', 'gitDecoration.addedResourceForeground'],
  changed: ['diff-modified', 'gitDecoration.modifiedResourceForeground'],
  mode: ['lock', 'gitDecoration.modifiedResourceForeground'],
  moved: ['diff-renamed', 'gitDecoration.renamedResourceForeground'],
  restored: ['history', 'gitDecoration.addedResourceForeground'],
  deleted: ['diff-removed', 'gitDecoration.deletedResourceForeground'],
};

function iconOf(action: Action | undefined): vscode.ThemeIcon {
  if (action === undefined) return new vscode.ThemeIcon('folder');
  const [icon, color] = ICONS[action];
  return new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
}

function titleOf(change: Change): string {
  return `${change.path} (${wordsOf(change)})`;
}
