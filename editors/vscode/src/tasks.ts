// Tasks of the type `neuroscript`: run, check, format and test.
//
// `ns` is started without a shell. VS Code replaces `${…}` in the arguments of every task, so a path with these
// characters is refused rather than changed.

import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { allOptions, runArguments } from './arguments';
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

const COMMANDS: readonly string[] = ['run', 'check', 'format', 'test'];

export class Tasks implements vscode.TaskProvider {
  constructor(private readonly context: Context) {
    context.extension.subscriptions.push(vscode.tasks.registerTaskProvider('neuroscript', this));
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const program = await this.context.program();
    if (program === undefined) return [];
    const folders = vscode.workspace.workspaceFolders ?? [];
    const commands = ['check', 'format', 'test'] as const;
    const tasks = folders.flatMap((folder) =>
      commands.map((command) => this.task(program, { type: 'neuroscript', command }, folder, `${command} scripts`)),
    );
    return tasks.filter((task) => task !== undefined);
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const program = await this.context.program();
    const definition = task.definition as Definition;
    const folder = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
    if (program === undefined || folder === undefined || !COMMANDS.includes(definition.command)) return undefined;
    // The same definition must come back, or VS Code does not take the task.
    return this.task(program, definition, folder, task.name);
  }

  /** Runs a script in a terminal. */
  async run(program: Program, target: Target): Promise<void> {
    const args = runArguments(target.options, { file: target.file, procedure: target.procedure, words: target.words });
    if ([program.path, target.options.sandbox, ...args].some((text) => text.includes('${'))) {
      this.context.reportFailure(
        'a path or an argument contains `${`, which VS Code replaces in tasks; run the script with `ns run` in a terminal',
      );
      return;
    }
    const definition = { type: 'neuroscript', command: 'run', file: target.file, procedure: target.procedure, args: [...target.words] };
    const name = `run ${vscode.workspace.asRelativePath(target.uri)}`;
    const execution = new vscode.ProcessExecution(program.path, args, { cwd: target.options.sandbox });
    const task = new vscode.Task(definition, target.folder ?? vscode.TaskScope.Workspace, name, 'neuroscript', execution, '$ns-check');
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
    await vscode.tasks.executeTask(task);
  }

  private task(program: Program, definition: Definition, folder: vscode.WorkspaceFolder, name: string): vscode.Task | undefined {
    const options = this.context.optionsFor(undefined, folder);
    if (options === undefined) return undefined;
    const file = absolute(definition.file, folder);
    if (definition.command === 'test') {
      const execution = new vscode.CustomExecution((resolved) =>
        Promise.resolve(new TestTerminal(this.context, program, folder, absolute((resolved as Definition).file, folder), options)),
      );
      return labelled(new vscode.Task(definition, folder, name, 'neuroscript', execution, '$ns-test'), vscode.TaskGroup.Test);
    }
    const cwd = folder.uri.fsPath;
    if (definition.command === 'run') {
      if (definition.file === undefined) return undefined;
      const { procedure, args: words, readOnly } = definition;
      const args = runArguments(options, { file, procedure, words, readOnly });
      return new vscode.Task(definition, folder, name, 'neuroscript', new vscode.ProcessExecution(program.path, args, { cwd }), '$ns-check');
    }
    const args = definition.command === 'check' ? ['check', ...allOptions(options), file] : ['fmt', file];
    const execution = new vscode.ProcessExecution(program.path, args, { cwd });
    return labelled(new vscode.Task(definition, folder, name, 'neuroscript', execution, '$ns-check'), vscode.TaskGroup.Build);
  }
}

/** The path of a definition; one that begins with a variable is left to VS Code. */
function absolute(file: string | undefined, folder: vscode.WorkspaceFolder): string {
  if (file === undefined || file === '') return folder.uri.fsPath;
  return isAbsolute(file) || file.startsWith('${') ? file : join(folder.uri.fsPath, file);
}

function labelled(task: vscode.Task, group: vscode.TaskGroup): vscode.Task {
  task.group = group;
  return task;
}
