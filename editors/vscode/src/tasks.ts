// Tasks of the type `neuroscript`: run, check, format and test.
//
// `ns` is started without a shell. VS Code replaces `${…}` in the arguments of every task, so a path with these
// characters is refused rather than changed.

import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import * as vscode from 'vscode';
import { allOptions, isOfActiveFile, optionsAt, runArguments, variableProblem, type Options } from './arguments';
import type { Context, Target } from './context';
import type { Program } from './program';
import { TestTerminal } from './tests/terminal';

interface Definition extends vscode.TaskDefinition {
  readonly command: 'run' | 'check' | 'format' | 'test';
  readonly file?: string;
  readonly args?: string[];
  readonly procedure?: string;
  readonly readOnly?: boolean;
}

/** Why a task cannot be made. */
interface Refused {
  readonly problem: string;
}

const COMMANDS: readonly string[] = ['run', 'check', 'format', 'test'];

export class Tasks implements vscode.TaskProvider {
  constructor(private readonly context: Context) {
    context.extension.subscriptions.push(vscode.tasks.registerTaskProvider('neuroscript', this));
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const program = await this.context.program();
    if (program === undefined) return [];
    const tasks: vscode.Task[] = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const command of ['check', 'format', 'test'] as const) {
        const made = this.task(program, { type: 'neuroscript', command }, folder, `${command} scripts`);
        if (made instanceof vscode.Task) tasks.push(made);
        else this.context.log.warn(`the task to ${command} ${folder.name} is not offered: ${made.problem}`);
      }
    }
    return tasks;
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const program = await this.context.program();
    const definition = task.definition as Definition;
    const folder = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
    if (program === undefined || folder === undefined || !COMMANDS.includes(definition.command)) return undefined;
    // The same definition must come back, or VS Code does not take the task.
    const made = this.task(program, definition, folder, task.name);
    if (made instanceof vscode.Task) return made;
    this.context.reportFailure(made.problem);
    return undefined;
  }

  /** Runs a script in a terminal. */
  async run(program: Program, target: Target): Promise<void> {
    const args = runArguments(target.options, { file: target.file, procedure: target.procedure, words: target.words });
    if (!this.context.isLiteral([program.path, target.options.sandbox, ...args])) return;
    const definition = { type: 'neuroscript', command: 'run', file: target.file, procedure: target.procedure, args: [...target.words] };
    const name = `run ${vscode.workspace.asRelativePath(target.uri)}`;
    const execution = new vscode.ProcessExecution(program.path, args, { cwd: target.options.sandbox });
    const task = new vscode.Task(definition, target.folder ?? vscode.TaskScope.Workspace, name, 'neuroscript', execution, '$ns-check');
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
    await vscode.tasks.executeTask(task);
  }

  private task(program: Program, definition: Definition, folder: vscode.WorkspaceFolder, name: string): vscode.Task | Refused {
    if (definition.command === 'test') return this.testTask(program, definition, folder, name);
    const { command, procedure, args: words, readOnly } = definition;
    if (command === 'run' && (definition.file ?? '') === '') return { problem: 'the task `run` names no script; write its path in `file`' };
    const file = absolute(definition.file, folder);
    const options = this.optionsOf(file, folder);
    if (options === undefined) return { problem: 'there is no sandbox' };
    const cwd = folder.uri.fsPath;
    const own = allOptions(options).map((text) => (isOfActiveFile(file) ? text.replaceAll('${fileDirname}', '') : text));
    const problem = variableProblem([program.path, cwd, ...(command === 'format' ? [] : own)]);
    if (problem !== undefined) return { problem };
    const made = (args: string[]): vscode.Task =>
      new vscode.Task(definition, folder, name, 'neuroscript', new vscode.ProcessExecution(program.path, args, { cwd }), '$ns-check');
    if (command === 'run') return made(runArguments(options, { file, procedure, words, readOnly }));
    return labelled(made(command === 'check' ? ['check', ...allOptions(options), file] : ['fmt', file]), vscode.TaskGroup.Build);
  }

  /** The options of the script that a task names, or of the folder. */
  private optionsOf(file: string, folder: vscode.WorkspaceFolder): Options | undefined {
    if (relative(folder.uri.fsPath, file) === '') return this.context.optionsFor(undefined, folder);
    if (!file.startsWith('${')) return this.context.optionsFor(vscode.Uri.file(file), folder);
    return optionsAt(this.context.written(folder), { file, folder: folder.uri.fsPath, home: homedir() });
  }

  private testTask(program: Program, definition: Definition, folder: vscode.WorkspaceFolder, name: string): vscode.Task | Refused {
    const options = this.context.optionsFor(undefined, folder);
    if (options === undefined) return { problem: 'there is no sandbox' };
    const execution = new vscode.CustomExecution((resolved) =>
      Promise.resolve(new TestTerminal(this.context, program, folder, absolute((resolved as Definition).file, folder), options)),
    );
    return labelled(new vscode.Task(definition, folder, name, 'neuroscript', execution, '$ns-test'), vscode.TaskGroup.Test);
  }
}

/** The path of a definition; one that begins with another variable than that of the folder is left to VS Code. */
function absolute(written: string | undefined, folder: vscode.WorkspaceFolder): string {
  const file = (written ?? '').replace(/^\$\{workspaceFolder\}/, () => folder.uri.fsPath);
  if (file === '') return folder.uri.fsPath;
  return isAbsolute(file) || file.startsWith('${') ? file : join(folder.uri.fsPath, file);
}

function labelled(task: vscode.Task, group: vscode.TaskGroup): vscode.Task {
  task.group = group;
  return task;
}
