// Makes the language configuration of VS Code. The words come from `editors/tree-sitter/keywords.json`, which is written
// from the tables of the language; the shapes of lines are those of docs/language.md.

/** A pattern for words in both spellings, all upper case or all lower case. */
function words(list) {
  return `(?:${list.flatMap((word) => [word.toUpperCase(), word.toLowerCase()]).join('|')})`;
}

/** A comment after a statement. */
const REST = '[ \\t]*(?:(?:#|--|//).*)?$';

export function languageConfiguration(keywords) {
  const reserved = new Set(keywords.reserved);
  const openers = Object.keys(keywords.closers).filter((word) => word !== 'ANY');
  const closers = Object.values(keywords.closers).flat();
  // A reserved word at the start of a line is a statement. Any other word may be a name, so what follows it counts.
  const certain = openers.filter((word) => reserved.has(word));
  const heads = Object.entries(keywords.heads).filter(([word]) => openers.includes(word) && !reserved.has(word));
  const opening = [
    `${words([...certain, 'ELSE'])}\\b`,
    `${words(['ON'])}[ \\t]+${words([keywords.heads.ON[0]])}\\b`,
    `${words(heads.map(([word]) => word).filter((word) => word !== 'ON'))}[ \\t]+[\\w\\p{L}]`,
    `${words(openers.filter((word) => !reserved.has(word) && !(word in keywords.heads)))}${REST}`,
  ];
  const closing = [`${words(closers)}${REST}`, `${words(['ELSE'])}\\b`];
  return {
    // `COMMENT:` … `ENDCOMMENT` needs lines of its own, which the editor's command for block comments does not write.
    comments: { lineComment: '#' },
    brackets: [['(', ')'], ['[', ']'], ['{', '}']],
    autoClosingPairs: [
      { open: '(', close: ')', notIn: ['string', 'comment'] },
      { open: '[', close: ']', notIn: ['string', 'comment'] },
      { open: '{', close: '}', notIn: ['string', 'comment'] },
      { open: '"', close: '"', notIn: ['string', 'comment'] },
      { open: "'", close: "'", notIn: ['string', 'comment'] },
      { open: '```', close: '```', notIn: ['string', 'comment'] },
      { open: '{{', close: '}}', notIn: ['comment'] },
    ],
    autoCloseBefore: ';:.,=}])>` \n\t',
    surroundingPairs: [['(', ')'], ['[', ']'], ['{', '}'], ['"', '"'], ["'", "'"], ['`', '`']],
    wordPattern: { pattern: '(?:\\p{L}|_)[\\p{L}\\p{N}_]*|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][-+]?\\d+)?', flags: 'u' },
    indentationRules: {
      increaseIndentPattern: { pattern: `^[ \\t]*(?:${opening.join('|')})`, flags: 'u' },
      decreaseIndentPattern: { pattern: `^[ \\t]*(?:${closing.join('|')})`, flags: 'u' },
    },
    onEnterRules: [
      // A comment that is broken in two goes on; a `#!` line does not.
      { beforeText: '^\\s*#(?!!).*', afterText: '^\\s*\\S.*', action: { indent: 'none', appendText: '# ' } },
      { beforeText: '^\\s*--.*', afterText: '^\\s*\\S.*', action: { indent: 'none', appendText: '-- ' } },
      { beforeText: '^\\s*//.*', afterText: '^\\s*\\S.*', action: { indent: 'none', appendText: '// ' } },
      // A line that ends in `\` goes on in the next.
      { beforeText: '^(?!\\s*(?:#|--|//)).*\\\\\\s*$', action: { indent: 'indent' } },
    ],
    folding: {
      offSide: false,
      markers: { start: '^\\s*(?:#|--|//)\\s*#?region\\b', end: '^\\s*(?:#|--|//)\\s*#?endregion\\b' },
    },
  };
}
