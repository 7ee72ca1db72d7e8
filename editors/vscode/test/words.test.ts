import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { joinWords, splitWords } from '../src/words';
import { STRANGE } from './support';

test('words are split as a shell splits them', () => {
  const texts = ['a b', '  a   b ', '"a b" c', "'a \"b' c", 'a\\ b', '"a\\"b" \'c\\d\'', '""', "a''b", '', '-- --x=1 "\\n"'];
  for (const text of texts) {
    const shell = execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' }).split('\0').slice(0, -1);
    // Without words, printf prints its format once.
    assert.deepEqual(splitWords(text), text === '' ? [] : shell, text);
  }
});

test('any words come back', () => {
  for (const words of [STRANGE, ['', "'", '\\', 'a\nb'], []]) assert.deepEqual(splitWords(joinWords(words)), words);
});

test('a quote that does not end is an error', () => {
  for (const text of ['"', "a 'b", '"a\\"']) assert.throws(() => splitWords(text), /does not end/);
});
