import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, HERE, ns } from './support';

interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: string | string[];
}

const SNIPPETS = JSON.parse(readFileSync(join(HERE, 'snippets/neuroscript.json'), 'utf8')) as Record<string, Snippet>;

/** The text that a snippet inserts, with the texts of its placeholders. */
function expand(body: string): string {
  const texts = new Map<string, string>();
  let at = 0;
  const read = (isInside: boolean): string => {
    let text = '';
    while (at < body.length) {
      if (isInside && body[at] === '}') {
        at += 1;
        return text;
      }
      const rest = body.slice(at);
      const placeholder = /^\$\{(\d+):/.exec(rest) ?? /^\$\{(\d+)\}/.exec(rest) ?? /^\$(\d+)/.exec(rest);
      if (rest[0] === '\\' && /^[$}\\]/.test(rest.slice(1))) {
        text += rest[1];
        at += 2;
      } else if (placeholder !== null) {
        at += placeholder[0].length;
        const number = placeholder[1] ?? '';
        if (placeholder[0].endsWith(':')) texts.set(number, read(true));
        text += texts.get(number) ?? '';
      } else {
        assert.ok(rest[0] !== '$' || !/^\$[{A-Z]/.test(rest), `a variable of snippets at ${rest}`);
        text += rest[0];
        at += 1;
      }
    }
    assert.ok(!isInside, 'a placeholder does not end');
    return text;
  };
  return read(false);
}

/** A snippet may be a part of a script. These lines around it make it one. */
const AROUND: Record<string, [before: string, after: string]> = {
  'USE': ['', '\nEMIT dates.Day(2026, 1, 5)'],
  'PROCEDURE': ['', '\n\nEMIT Double(2)'],
  'func': ['', '\n\nemit Double(2)'],
  'ON ERROR': ['', '\nFAIL "x"'],
  'Options of a test': ['', '\nEMIT TIME.Now()'],
  'COMMENT block': ['', '\nEMIT 1'],
};

test('each snippet is a script without errors and warnings, formatted as `ns fmt` writes it', async () => {
  const library = 'func Day(needs year, month, day) means\n  return STR.Format("{:04}-{:02}-{:02}", [year, month, day])\nendfunc\n';
  const names = Object.keys(SNIPPETS);
  const files = Object.fromEntries(
    names.map((name, index) => {
      const body = SNIPPETS[name]?.body ?? '';
      const [before, after] = AROUND[name] ?? ['', ''];
      return [`${index}.ns`, `${before}${expand(typeof body === 'string' ? body : body.join('\n'))}${after}\n`];
    }),
  );
  const top = folder({ ...files, 'lib/dates.ns': library });
  const checked = await ns(['check', '--deny', 'warnings', '--sandbox', top, top], top);
  assert.equal(checked.code, 0, `${names.map((name, index) => `${index}: ${name}`).join('\n')}\n${checked.stdout}${checked.stderr}`);
  const formatted = await ns(['fmt', '--diff', top], top);
  assert.equal(formatted.code, 0, formatted.stdout.toString());
});

test('a snippet with a mistake is found', async () => {
  const top = folder({ 'a.ns': expand('FOR EACH ${1:x} IN ARGS DO\n  EMIT ${2:y}\nEND') });
  assert.equal((await ns(['check', '--deny', 'warnings', top], top)).code, 3);
});

test('the scripts of the walkthrough have no errors and warnings', async () => {
  const page = join(HERE, 'walkthrough/script.md');
  assert.match(readFileSync(page, 'utf8'), /^```neuroscript$/m);
  const checked = await ns(['check', '--deny', 'warnings', page], HERE);
  assert.equal(checked.code, 0, checked.stderr);
});

test('prefixes are different words, and each snippet has a sentence', () => {
  const all = Object.values(SNIPPETS);
  assert.equal(new Set(all.map((snippet) => snippet.prefix)).size, all.length);
  for (const snippet of all) assert.match(snippet.description, /^[A-Z][^.]+$/);
});
