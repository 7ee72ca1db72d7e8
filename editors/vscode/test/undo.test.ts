import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseUndo } from '../src/undo';
import { folder, ns } from './support';

const PLAN = ['undo', '--plan', '--output', 'json'];

test('the plan of an undo names the newest run that was not undone, and `ns undo` takes that name', async () => {
  const top = folder({ 'a.ns': 'MUST CALL FS.WriteFile("a.txt", "1")\nMUST CALL FS.WriteFile("b.txt", "1")\n', 'b.ns': 'MUST CALL FS.WriteFile("c.txt", "1")\n' });
  for (const script of ['a.ns', 'b.ns']) assert.equal((await ns(['run', join(top, script)], top)).code, 0);
  const seen: string[] = [];
  for (const file of ['c.txt', 'a.txt']) {
    const { run, command, changes } = parseUndo((await ns(PLAN, top)).stdout);
    assert.ok(existsSync(join(top, file)));
    assert.equal((await ns(['undo', run], top)).code, 0);
    assert.ok(!existsSync(join(top, file)));
    seen.push(`${command.slice(-'a.ns'.length)} ${changes}`);
  }
  assert.deepEqual(seen, ['b.ns 1', 'a.ns 2']);
  const none = await ns(PLAN, top);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /nothing to undo/);
});

test('output that is no plan of an undo gets a message', () => {
  for (const text of ['', 'x', 'null', '[]', '{}', '{"run":"a","command":"b"}']) {
    assert.throws(() => parseUndo(Buffer.from(text)), (error: Error) => error.constructor === Error && error.message !== '', text);
  }
});
