import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, HERE, ns } from './support';

/* eslint-disable @typescript-eslint/no-explicit-any */
const MANIFEST: any = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
const { contributes } = MANIFEST;
const SOURCE = sources(join(HERE, 'src'));

function sources(directory: string): string {
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? sources(join(directory, entry.name)) : readFileSync(join(directory, entry.name), 'utf8')))
    .join('\n');
}

test('every command that the manifest declares is registered, and every menu has a declared one', () => {
  const declared = contributes.commands.map((command: any) => command.command) as string[];
  const registered = [...SOURCE.matchAll(/(?<![.?])\bon\('([\w.]+)'/g)].map(([, name]) => (name?.includes('.') === true ? name : `neuroscript.${name}`));
  assert.deepEqual([...declared].sort(), [...new Set(registered)].sort());
  const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings].map((item: any) => item.command);
  for (const command of used) assert.ok(declared.includes(command), command);
  for (const [, link] of JSON.stringify(contributes.walkthroughs).matchAll(/\(command:(neuroscript\.\w+)\)/g)) assert.ok(declared.includes(link ?? ''), link);
});

test('the commands of lenses are declared', () => {
  const declared = contributes.commands.map((command: any) => command.command);
  const announced = /LENS_COMMANDS = \[([^\]]+)\]/.exec(SOURCE)?.[1]?.match(/neuroscript\.\w+/g) ?? [];
  assert.deepEqual(announced, ['neuroscript.run', 'neuroscript.plan', 'neuroscript.test', 'neuroscript.debug']);
  for (const command of announced) assert.ok(declared.includes(command), command);
});

test('every setting that is read exists, and a workspace without trust sets none that reaches a program', () => {
  const declared = Object.keys(contributes.configuration.properties);
  for (const [, key] of SOURCE.matchAll(/\bget(?:<[^>]*>)?\('([\w.]+)',/g)) assert.ok(declared.includes(`neuroscript.${key}`), key);
  const harmless = ['neuroscript.inlayHints.parameterNames', 'neuroscript.trace.server'];
  assert.deepEqual(MANIFEST.capabilities.untrustedWorkspaces.restrictedConfigurations, declared.filter((key) => !harmless.includes(key)));
  assert.equal(MANIFEST.capabilities.untrustedWorkspaces.supported, 'limited');
  assert.equal(contributes.configuration.properties['neuroscript.path'].scope, 'machine-overridable');
});

test('every file that the manifest names exists after the build', () => {
  const files = [...JSON.stringify(MANIFEST).matchAll(/"(\.\/[^"]+|walkthrough\/[^"]+|icon\.png)"/g)].map(([, file]) => file ?? '');
  assert.ok(files.length > 8);
  for (const file of files) assert.ok(existsSync(join(HERE, file)), file);
});

/** The problems that a matcher finds in a text, as VS Code finds them: a pattern of several lines matches these lines one after another. */
function problems(matcher: string, text: string): Record<string, string>[] {
  const pattern = contributes.problemPatterns.find((pattern: any) => pattern.name === matcher);
  const patterns: any[] = pattern.patterns ?? [pattern];
  const lines = text.split('\n');
  const found: Record<string, string>[] = [];
  for (let at = 0; at + patterns.length <= lines.length; at += 1) {
    const groups = patterns.map((pattern, index) => new RegExp(pattern.regexp).exec(lines[at + index] ?? ''));
    if (groups.some((group) => group === null)) continue;
    const problem: Record<string, string> = {};
    patterns.forEach((pattern, index) => {
      for (const key of ['severity', 'code', 'message', 'file', 'line', 'column']) {
        if (typeof pattern[key] === 'number') problem[key] = groups[index]?.[pattern[key]] ?? '';
      }
    });
    found.push(problem);
  }
  return found;
}

test('the problem matcher finds what `ns check` finds', async () => {
  const top = folder({ 'sub/a b\'"%20ü.ns': 'SET folder = 1\nEMIT foldr\nCALL FS.DeleteFile("x")\n', 'b.ns': 'EMIT (\n' });
  for (const [paths, prefix] of [[['.'], ''], [[top], `${top}/`]] as const) {
    const plain = await ns(['check', ...paths], top);
    const json = JSON.parse((await ns(['check', '--format', 'json', ...paths], top)).stdout.toString()) as any[];
    const found = problems('ns-check', plain.stdout.toString() + plain.stderr);
    const wanted = json.map(({ code, severity, message, place }) => ({ severity, code, message, file: place.file, line: String(place.line), column: String(place.column) }));
    assert.ok(wanted.length >= 3);
    assert.deepEqual(sortedBy(found), sortedBy(wanted));
    assert.ok(found.every((problem) => prefix === '' || problem['file']?.startsWith(prefix)));
  }
});

test('the problem matcher finds the error of a run', async () => {
  const top = folder({ 'a b.ns': 'EMIT 1\nFAIL "no"\n' });
  const ended = await ns(['run', '--sandbox', top, join(top, 'a b.ns')], top);
  assert.deepEqual(problems('ns-check', ended.stderr), [{ severity: 'error', code: 'fail', message: 'no', file: join(top, 'a b.ns'), line: '2', column: '1' }]);
});

test('the problem matcher finds the golden files that differ', async () => {
  const top = folder({ 'a b.ns': 'EMIT 1\nFAIL "no"\n', 'a b.out': '2\n', 'good.ns': 'EMIT 1\n', 'good.out': '1\n' });
  const ended = await ns(['test'], top);
  assert.deepEqual(problems('ns-test', ended.stdout.toString()), [
    { message: 'standard output differs', file: 'a b.out' },
    { message: 'standard error differs', file: 'a b.err' },
  ]);
  assert.deepEqual(problems('ns-test', '  standard error differs from nothing in sub/a b.ns:'), [{ message: 'standard error differs', file: 'sub/a b.ns' }]);
});

function sortedBy(problems: Record<string, string>[]): string[] {
  return problems.map((problem) => JSON.stringify(Object.entries(problem).sort())).sort();
}

test('blocks of Markdown have the scopes of the language', async () => {
  const require = createRequire(join(HERE, 'package.json'));
  const oniguruma = require('vscode-oniguruma');
  const { Registry, INITIAL, parseRawGrammar } = require('vscode-textmate');
  await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
  const files: Record<string, string> = { 'source.neuroscript': 'dist/neuroscript.tmLanguage.json', 'markdown.neuroscript.codeblock': 'syntaxes/markdown.tmLanguage.json' };
  // A stand-in for the grammar of Markdown that VS Code has: fenced blocks, and nothing else.
  const markdown = { scopeName: 'text.html.markdown', patterns: [{ begin: '^(```)(\\w*)$', end: '^```$', name: 'markup.fenced_code.block.other' }] };
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns), createOnigString: (text: string) => new oniguruma.OnigString(text) }),
    loadGrammar: async (scope: string) => {
      if (scope === 'text.html.markdown') return parseRawGrammar(JSON.stringify(markdown), 'markdown.json');
      const file = files[scope];
      return file === undefined ? null : parseRawGrammar(readFileSync(join(HERE, file), 'utf8'), file);
    },
    getInjections: (scope: string) => (scope === 'text.html.markdown' ? ['markdown.neuroscript.codeblock'] : []),
  });
  const grammar = await registry.loadGrammar('text.html.markdown');
  const text = ['text', '```neuroscript', 'EMIT "a"', 'IF x THEN', '```', 'EMIT', '```ns', 'SET a = 1', '```', '```js', 'EMIT', '```', '~~~ns', 'EMIT 1', '~~~', 'EMIT'];
  let stack = INITIAL;
  const isCode = text.map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.some((token: any) => token.scopes.some((scope: string) => scope.startsWith('keyword.control.')) && token.scopes.includes('meta.embedded.block.neuroscript'));
  });
  assert.deepEqual(text.filter((_, index) => isCode[index]), ['EMIT "a"', 'IF x THEN', 'SET a = 1', 'EMIT 1']);
  assert.deepEqual(contributes.grammars[1].injectTo, ['text.html.markdown']);
});
