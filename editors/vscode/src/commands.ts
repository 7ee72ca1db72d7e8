// The commands of the palette, of menus and of lenses.

import * as vscode from 'vscode';
import type { Options } from './arguments';
import { chosenFolder, type Context, type Target } from './context';
import type { Debugging } from './debug';
import { counted } from './plan/tree';
import type { PlanView } from './plan/view';
import { shorten } from './process';
import type { Tasks } from './tasks';
import type { TestExplorer } from './tests/explorer';
import { parseUndo, type Undoable } from './undo';
import { joinWords, splitWords } from './words';

/** The parts that commands reach. */
export interface Parts {
  readonly tasks: Tasks;
  readonly planView: PlanView;
  readonly explorer: TestExplorer;
  readonly debugging: Debugging;
}

export function registerCommands(context: Context, parts: Parts): void {
  const on = (name: string, work: (argument: unknown) => Promise<void>): void => {
    context.extension.subscriptions.push(vscode.commands.registerCommand(`neuroscript.${name}`, work));
  };
  on('run', async (argument) => {
    const target = await context.target(argument);
    const program = target === undefined ? undefined : await context.programForCommand();
    if (target !== undefined && program !== undefined) await parts.tasks.run(program, target);
  });
  on('plan', async (argument) => {
    const target = await context.target(argument);
    if (target !== undefined) await parts.planView.plan(target);
  });
  on('test', async (argument) => {
    const target = await context.target(argument);
    if (target !== undefined) await parts.explorer.runScript(target, false);
  });
  on('updateGolden', async (argument) => {
    const target = await context.target(argument);
    if (target !== undefined) await parts.explorer.runScript(target, true);
  });
  on('debug', async (argument) => {
    const target = await context.target(argument);
    if (target !== undefined) await parts.debugging.start(target);
  });
  on('setArguments', async (argument) => {
    const target = await context.target(argument);
    if (target !== undefined) await askForWords(context, target);
  });
  on('undo', () => undoLast(context));
  // The server starts again when the program is looked for again.
  on('restartServer', async () => context.reset());
  on('choosePath', () => choosePath());
  on('showOutput', async () => context.log.show());
  on('showMenu', () => showMenu());
}

/** Asks for the arguments with which a script is run, planned and debugged. */
async function askForWords(context: Context, target: Target): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: `Arguments of ${vscode.workspace.asRelativePath(target.uri)}`,
    prompt: 'Words for Run, Plan and Debug, with quotes as in a shell. None if it is empty.',
    value: joinWords(target.words),
    validateInput: (text) => {
      try {
        splitWords(text);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  });
  if (text !== undefined) await context.keepWords(target.uri, splitWords(text));
}

/** Undoes the newest run of a sandbox after a question. */
async function undoLast(context: Context): Promise<void> {
  const options = await sandboxOfUndo(context);
  if (options === undefined) {
    void vscode.window.showInformationMessage('Open a folder or a script first.');
    return;
  }
  const timeoutMs = context.timeoutMs('plan.timeout', vscode.Uri.file(options.sandbox));
  const planned = await context.ask('the plan of the undo', ['undo', '--plan', '--output', 'json'], options, { timeoutMs });
  if (planned === undefined) return;
  let last: Undoable;
  try {
    last = parseUndo(planned.stdout);
  } catch (error) {
    context.reportFailure((error as Error).message);
    return;
  }
  const undo = 'Undo';
  const detail = `${shorten(last.command, 300)}\n${counted(last.changes, 'change')} in ${options.sandbox}`;
  const answer = await vscode.window.showWarningMessage('Undo the last run?', { modal: true, detail }, undo);
  if (answer !== undo) return;
  const ended = await context.ask('the undo', ['undo', last.run], options);
  if (ended !== undefined) void vscode.window.showInformationMessage(`NeuroScript: ${shorten(ended.stderr.trim())}`);
}

/** The options of the active file. A file outside of every folder counts only if it is a script. */
async function sandboxOfUndo(context: Context): Promise<Options | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === 'file') {
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    if (folder !== undefined || document.languageId === 'neuroscript') return context.optionsFor(document.uri, folder);
  }
  return context.optionsFor(undefined, await chosenFolder());
}

/** Asks for the program and writes it into the user's settings, where no workspace can change it. */
async function choosePath(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({ title: 'The program ns', canSelectMany: false, openLabel: 'Choose' });
  const path = chosen?.[0]?.fsPath;
  if (path === undefined) return;
  await vscode.workspace.getConfiguration('neuroscript').update('path', path, vscode.ConfigurationTarget.Global);
}

async function showMenu(): Promise<void> {
  const items = [
    { label: '$(play) Run Script', command: 'neuroscript.run' },
    { label: '$(diff-multiple) Plan Script', command: 'neuroscript.plan' },
    { label: '$(debug-alt) Debug Script', command: 'neuroscript.debug' },
    { label: '$(beaker) Test Script', command: 'neuroscript.test' },
    { label: '$(symbol-parameter) Set Arguments of Script…', command: 'neuroscript.setArguments' },
    { label: '$(discard) Undo Last Run', command: 'neuroscript.undo' },
    { label: '$(settings-gear) Settings', command: 'workbench.action.openSettings', argument: '@ext:neuroscript.neuroscript' },
    { label: '$(refresh) Restart Language Server', command: 'neuroscript.restartServer' },
    { label: '$(output) Show Output', command: 'neuroscript.showOutput' },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'NeuroScript' });
  if (chosen === undefined) return;
  const args = chosen.argument === undefined ? [] : [chosen.argument];
  await vscode.commands.executeCommand(chosen.command, ...args);
}
