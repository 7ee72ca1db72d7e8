// The entry of the extension. In a workspace without trust everything is registered, and nothing is started.

import * as vscode from 'vscode';
import { Server } from './client';
import { registerCommands } from './commands';
import { Context } from './context';
import { Debugging } from './debug';
import { PlanView } from './plan/view';
import { Status } from './status';
import { Tasks } from './tasks';
import { TestExplorer } from './tests/explorer';

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const context = new Context(extension);
  const server = new Server(context);
  const explorer = new TestExplorer(context);
  const status = new Status(context);
  registerCommands(context, {
    explorer,
    tasks: new Tasks(context),
    planView: new PlanView(context),
    debugging: new Debugging(context),
  });
  await Promise.all([server.restart(), explorer.refresh(), status.update()]);
}

/** Everything is disposed of with the subscriptions. */
export function deactivate(): void {}
