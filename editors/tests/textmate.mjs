// Compares the TextMate grammar with the tokens of the scanner, with the engine of VS Code.
//
// Usage: node textmate.mjs GRAMMAR CORPUS, where `vscode-textmate` and `vscode-oniguruma` can be found. Every token of
// every text that the parser accepts must have a scope of its kind, and no scope of another kind.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

// Number of faults that are printed.
const SHOWN = 15;
// Programs beyond this number add nothing new here, and take time.
const PROGRAMS = 200;

const [grammarFile, corpusFile, modules] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, 'package.json'));
const { Registry, INITIAL, parseRawGrammar } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');

const TEXT = ['string.quoted.', 'comment.', 'meta.metadata.'];
const CODE = ['keyword.', 'constant.', 'variable.', 'entity.', 'support.', 'punctuation.'];

/** The prefixes of scopes, one of which a token of a kind must have as its innermost or around it. */
function expected(kind, text) {
  switch (kind) {
    case 'keyword':
      return /^(and|or|not|in)$/i.test(text) ? ['keyword.operator.word.', 'keyword.control.'] : ['keyword.control.'];
    case 'constant':
      return ['constant.language.'];
    case 'name':
      return ['variable.', 'support.class.', 'entity.name.function.'];
    case 'callee':
      return ['entity.name.function.', 'support.function.'];
    case 'number':
      return ['constant.numeric.'];
    case 'text':
      return ['string.quoted.'];
    case 'comment':
      return text.startsWith('::') ? ['meta.metadata.'] : ['comment.'];
    default:
      return ['keyword.operator.', 'punctuation.'];
  }
}

/** Whether the scopes of a character agree with the kind of its token. */
function agrees(scopes, kind, text) {
  const wanted = expected(kind, text);
  const innermost = scopes[scopes.length - 1];
  if (['text', 'comment'].includes(kind)) return scopes.some((scope) => wanted.some((start) => scope.startsWith(start)));
  const isCode = !scopes.some((scope) => TEXT.some((start) => scope.startsWith(start)));
  return isCode && wanted.some((start) => innermost.startsWith(start));
}

/** The scopes of every UTF-16 unit of a text, by the start of their runs. */
function scopesOf(grammar, text) {
  const runs = [];
  let stack = INITIAL;
  let at = 0;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) runs.push([at + token.startIndex, token.scopes]);
    at += line.length + 1;
  }
  return runs;
}

/** Offsets in UTF-16 units for offsets in bytes, in ascending order. */
function units(text) {
  let byte = 0;
  let unit = 0;
  return (offset) => {
    while (byte < offset) {
      const point = text.codePointAt(unit);
      byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      unit += point < 0x10000 ? 1 : 2;
    }
    return unit;
  };
}

function check(grammar, entry, counts, faults) {
  const runs = scopesOf(grammar, entry.text);
  const unit = units(entry.text);
  let run = 0;
  for (const [from, to, kind] of entry.tokens) {
    const [start, end] = [unit(from), unit(to)];
    const text = entry.text.slice(start, end);
    counts[kind.length === 1 ? 'mark' : kind] = (counts[kind.length === 1 ? 'mark' : kind] ?? 0) + 1;
    for (const place of [start, end - 1]) {
      // Line breaks inside a token belong to no run.
      if (/[\s]/.test(entry.text[place])) continue;
      while (run + 1 < runs.length && runs[run + 1][0] <= place) run++;
      if (!agrees(runs[run][1], kind, text)) {
        const line = entry.text.slice(0, start).split('\n').length;
        faults.push(`${entry.place}:${line}: \`${text}\` is ${kind}, its scopes are ${runs[run][1].slice(1).join(' ')}`);
        break;
      }
    }
  }
}

const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammarFile, 'utf8'), grammarFile),
});
const grammar = await registry.loadGrammar('source.neuroscript');

const counts = {};
const faults = [];
let texts = 0;
let programs = 0;
for await (const line of readline.createInterface({ input: fs.createReadStream(corpusFile) })) {
  const entry = JSON.parse(line);
  if (!entry.accepted || (entry.kind === 'program' && ++programs > PROGRAMS)) continue;
  texts++;
  check(grammar, entry, counts, faults);
}
for (const fault of faults.slice(0, SHOWN)) console.error(fault);
const listed = Object.entries(counts).sort().map(([kind, count]) => `${count} ${kind}`);
console.log(`TextMate: ${texts} texts with the tokens ${listed.join(', ')}; ${faults.length} disagree`);
process.exit(faults.length > 0 || texts === 0 ? 1 : 0);
