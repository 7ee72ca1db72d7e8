// The library that VS Code's client is built on, with the real server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createProtocolConnection, CodeLensRequest, CompletionRequest, DidOpenTextDocumentNotification, ExitNotification, InitializedNotification,
  InitializeRequest, PublishDiagnosticsNotification, ShutdownRequest, StreamMessageReader, StreamMessageWriter,
  type InitializeResult, type ProtocolConnection, type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol/node';
import { folder, NS } from './support';

const COMMANDS = ['neuroscript.run', 'neuroscript.plan', 'neuroscript.test', 'neuroscript.debug'];

async function connect(top: string, commands: readonly string[]): Promise<{ connection: ProtocolConnection; result: InitializeResult }> {
  const server = spawn(NS, ['lsp'], { cwd: top, stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.listen();
  after(async () => {
    if (server.exitCode !== null) return;
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    connection.dispose();
  });
  const uri = pathToFileURL(top).href;
  const result = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: 'w' }],
    capabilities: { textDocument: { publishDiagnostics: {} }, experimental: { commands: { commands } } },
  });
  await connection.sendNotification(InitializedNotification.type, {});
  return { connection, result };
}

test('findings and completion of a file in a strange folder', async () => {
  const top = folder({ 'a b\'"%20ü.ns': '' });
  const { connection } = await connect(top, COMMANDS);
  const uri = pathToFileURL(join(top, 'a b\'"%20ü.ns')).href;
  const told = new Promise<PublishDiagnosticsParams>((resolve) => connection.onNotification(PublishDiagnosticsNotification.type, resolve));
  const text = 'SET folder = 1\nEMIT foldr\nFS.';
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'neuroscript', version: 1, text } });
  const { diagnostics } = await told;
  assert.ok(diagnostics.some((finding) => finding.code === 'NS0101' && finding.range.start.line === 1));
  const completed = await connection.sendRequest(CompletionRequest.type, { textDocument: { uri }, position: { line: 2, character: 3 } });
  const items = Array.isArray(completed) ? completed : (completed?.items ?? []);
  assert.ok(items.some((item) => item.label.includes('Find')), JSON.stringify(items.slice(0, 3)));
});

test('a cancellation that comes after the answer does not end the server', async () => {
  const top = folder({ 'a.ns': '' });
  const { connection } = await connect(top, COMMANDS);
  const textDocument = { uri: pathToFileURL(join(top, 'a.ns')).href };
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { ...textDocument, languageId: 'neuroscript', version: 1, text: '' } });
  const completion = { textDocument, position: { line: 0, character: 0 } };
  await connection.sendRequest(CompletionRequest.type, completion);
  // The library numbers requests; the next one is not sent before the server has seen this.
  await connection.sendNotification('$/cancelRequest', { id: 1 });
  await sleep(300);
  assert.ok(await connection.sendRequest(CompletionRequest.type, completion));
});

test('lenses have only announced commands, with the argument that the commands take', async () => {
  const top = folder({ 'a.ns': '' });
  const uri = pathToFileURL(join(top, 'a.ns')).href;
  const text = 'DEFINE PROCEDURE Main()\n  EMIT 1\nEND\n';
  const { connection, result } = await connect(top, COMMANDS);
  assert.ok(result.capabilities.codeLensProvider !== undefined);
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'neuroscript', version: 1, text } });
  const lenses = (await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
  assert.ok(lenses.length > 0);
  for (const { command } of lenses) {
    assert.ok(command !== undefined && COMMANDS.includes(command.command), JSON.stringify(command));
    assert.equal((command.arguments?.[0] as { uri: string }).uri, uri);
  }
});
