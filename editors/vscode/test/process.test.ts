import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe as inWords, run, shorten, type Start } from '../src/process';
import { folder, STRANGE } from './support';

function program(text: string): Start {
  const cwd = folder({ program: `#!/bin/sh\n${text}\n` });
  chmodSync(join(cwd, 'program'), 0o755);
  return { program: join(cwd, 'program'), args: [], cwd, timeoutMs: 20_000, maxBytes: 10_000 };
}

test('arguments, input, both outputs and the exit code pass as they are', async () => {
  const start = program('printf "%s\\n" "$@"; cat; echo error >&2; exit 3');
  const ended = await run({ ...start, args: STRANGE, input: Buffer.from('input') });
  assert.equal(ended.end, 'exited');
  assert.equal(ended.code, 3);
  assert.equal(ended.stdout.toString(), `${STRANGE.join('\n')}\ninput`);
  assert.equal(ended.stderr, 'error\n');
});

test('a program that does not end is ended, with its children', async () => {
  const start = program('trap "" INT; sleep 60 & echo $! > child; wait; while :; do sleep 1; done');
  const ended = await run({ ...start, timeoutMs: 300 });
  assert.equal(ended.end, 'timed out');
  assert.match(inWords(ended, 'it', 300), /longer than 0.3 s/);
  const child = Number(readFileSync(join(start.cwd, 'child'), 'utf8'));
  await until(() => !isRunning(child));
});

test('without a limit of time a program ends by itself', async () => {
  const ended = await run({ ...program('sleep 0.3; echo done'), timeoutMs: Infinity });
  assert.equal(ended.end, 'exited');
  assert.equal(ended.stdout.toString(), 'done\n');
});

test('a program that prints without end is ended, and little is kept', async () => {
  for (const to of ['', ' >&2']) {
    const ended = await run(program(`while :; do echo 0123456789${to}; done`));
    assert.equal(ended.end, 'too long');
    assert.ok(ended.stdout.length <= 10_000 && ended.stderr.length <= 10_000);
  }
});

test('a run can be stopped, also before it begins', async () => {
  const start = program('sleep 60');
  const stop = new AbortController();
  const running = run({ ...start, stop: stop.signal });
  stop.abort();
  assert.equal((await running).end, 'stopped');
  assert.equal((await run({ ...start, stop: stop.signal })).end, 'stopped');
});

test('a missing program and a missing directory are outcomes, not exceptions', async () => {
  const start = program('exit 0');
  assert.equal((await run({ ...start, program: join(start.cwd, 'none') })).end, 'not started');
  assert.equal((await run({ ...start, cwd: join(start.cwd, 'none') })).end, 'not started');
  assert.equal((await run({ ...start, args: ['a\0b'] })).end, 'not started');
});

test('a program that does not read a large input is no error', async () => {
  const ended = await run({ ...program('exit 0'), input: Buffer.alloc(4_000_000, 'x') });
  assert.equal(ended.end, 'exited');
  assert.equal(ended.code, 0);
});

test('a program that leaves a child with its outputs open ends all the same', async () => {
  const start = program('setsid sleep 30 & echo started');
  const ended = await run({ ...start, timeoutMs: 300 });
  assert.equal(ended.end, 'timed out');
  assert.equal(ended.stdout.toString(), 'started\n');
});

test('messages are short', () => {
  assert.equal(shorten('x'.repeat(10), 5), 'xxxxx …');
  assert.equal(shorten('short'), 'short');
});

function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}`)) return false;
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Waits for a condition; the limit only keeps a failing test from hanging. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (holds()) return;
    await sleep(50);
  }
  assert.fail('the condition never held');
}
