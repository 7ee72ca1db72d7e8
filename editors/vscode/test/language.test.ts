import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, HERE, ns, REPOSITORY } from './support';

interface Rule {
  readonly pattern: string;
  readonly flags: string;
}

interface Configuration {
  readonly indentationRules: { readonly increaseIndentPattern: Rule; readonly decreaseIndentPattern: Rule };
  readonly onEnterRules: { readonly beforeText: string; readonly afterText?: string; readonly action: { readonly indent: string; readonly appendText?: string } }[];
  readonly wordPattern: Rule;
}

const CONFIGURATION = JSON.parse(readFileSync(join(HERE, 'dist/language-configuration.json'), 'utf8')) as Configuration;
const regex = ({ pattern, flags }: Rule): RegExp => new RegExp(pattern, flags);
const INCREASE = regex(CONFIGURATION.indentationRules.increaseIndentPattern);
const DECREASE = regex(CONFIGURATION.indentationRules.decreaseIndentPattern);

/** The lines of formatted scripts, without those inside brackets, texts of several lines and comment blocks. */
function codeLines(text: string): { line: string; before: string; number: number }[] {
  const result: { line: string; before: string; number: number }[] = [];
  let depth = 0;
  let before = '';
  let raw: string | undefined;
  let isComment = false;
  text.split('\n').forEach((line, index) => {
    if (/^\s*COMMENT:/.test(line)) isComment = !/ENDCOMMENT/.test(line);
    const isCode = depth === 0 && raw === undefined && !isComment && line.trim() !== '' && !/\\$/.test(before);
    if (isCode) result.push({ line, before, number: index + 1 });
    if (/^\s*ENDCOMMENT/.test(line)) isComment = false;
    if (isComment) return;
    for (const token of line.match(/'''|```|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*|[([{]|[)\]}]/g) ?? []) {
      if (token === "'''" || token === '```') raw = raw === undefined ? token : raw === token ? undefined : raw;
      else if (raw === undefined && token.length === 1) depth += '([{'.includes(token) ? 1 : ')]}'.includes(token) ? -1 : 0;
    }
    if (isCode) before = line;
  });
  return result;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

test('the rules of indentation give the indentation of formatted scripts', () => {
  let lines = 0;
  const scripts = readdirSync(join(REPOSITORY, 'scripts')).filter((name) => name.endsWith('.ns'));
  for (const name of scripts) {
    for (const { line, before, number } of codeLines(readFileSync(join(REPOSITORY, 'scripts', name), 'utf8'))) {
      let wanted = indentOf(before) + (INCREASE.test(before) ? 2 : 0);
      if (DECREASE.test(line)) wanted -= 2;
      // `::` lines and comments stand where the next statement stands; they follow the line before.
      assert.equal(indentOf(line), Math.max(0, wanted), `${name}:${number}: ${line}`);
      lines += 1;
    }
  }
  assert.ok(lines > 100, `only ${lines} lines`);
});

test('heads and ends of every block, in both spellings, and names that look like them', async () => {
  const heads = ['IF a THEN', 'if (a) then', 'ELSE', 'else if b', 'WHILE x DO', 'FOR EACH x IN y DO', 'ON ERROR AS err DO', 'on error do', 'DEFINE PROCEDURE X()', 'func größe(needs a) means', 'command', 'COMMAND # x'];
  for (const head of heads) assert.match(head, INCREASE, head);
  const ends = ['END', 'ENDBLOCK', 'end # x', 'ENDIF', 'endwhile', 'ENDFOR', 'ENDON', 'endfunc', 'ENDPROCEDURE', 'endcommand', 'ELSE', 'ELSE IF x THEN'];
  for (const end of ends) assert.match(end, DECREASE, end);
  for (const line of ['SET if_x = 1', 'on.error(1)', 'SET command = 1', 'EMIT "IF"', '# IF x THEN', 'If x', 'definedness', 'CALL func.x()']) {
    assert.doesNotMatch(line, INCREASE, line);
  }
  for (const line of ['endpoint = 1', 'END_X', 'SET end = 1', 'ENDIF.x']) assert.doesNotMatch(line, DECREASE, line);
  // The same heads are blocks for the language.
  const top = folder({ 'a.ns': 'DEFINE PROCEDURE X()\n  ON ERROR AS err DO\n    EMIT err\n  ENDON\nENDPROCEDURE\ncommand\n  CALL X()\nendcommand\n' });
  assert.equal((await ns(['check', top], top)).code, 0);
});

test('a comment that is broken in two goes on', () => {
  const [hash] = CONFIGURATION.onEnterRules;
  assert.ok(hash);
  assert.match('  # a comment', new RegExp(hash.beforeText));
  assert.doesNotMatch('#!/usr/bin/env ns', new RegExp(hash.beforeText));
  assert.equal(hash.action.appendText, '# ');
  const joins = CONFIGURATION.onEnterRules.find((rule) => rule.action.indent === 'indent');
  assert.ok(joins);
  assert.match('EMIT "a", \\', new RegExp(joins.beforeText));
  assert.doesNotMatch('# a \\', new RegExp(joins.beforeText));
});

test('a word of the editor is a name or a number', () => {
  const words = (text: string): string[] => text.match(new RegExp(CONFIGURATION.wordPattern.pattern, 'gu')) ?? [];
  assert.deepEqual(words('größe_1 = FS.Find(1_000, 1.5e-3)'), ['größe_1', 'FS', 'Find', '1_000', '1.5e-3']);
});
