// The words of a command line: split as a shell splits them, without variables, patterns and commands.
//
// This module does not know VS Code.

/** Splits a text at blanks outside of quotes. Throws an error with a message for a person if a quote does not end. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const next = text[at + 1];
    if (char === '\\' && quote !== "'" && next !== undefined && (quote === undefined || '"\\'.includes(next))) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote !== undefined) throw new Error(`the quote ${quote} does not end`);
  return word === undefined ? words : [...words, word];
}

/** Writes words so that `splitWords` reads them. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
