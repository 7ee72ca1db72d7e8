/**
 * The grammar of NeuroScript for tree-sitter.
 *
 * The authority is the parser in `crates/syntax`: `editors/check` proves that this grammar parses without an error
 * node whatever that parser accepts. It accepts somewhat more, since an editor shows unfinished scripts.
 *
 * The words come from `keywords.json`, which `UPDATE=1 cargo test --test integration -- editors::` writes from the
 * tables of the scanner. Generation fails if a word is missing here or there.
 */

/* global grammar, seq, choice, repeat, repeat1, optional, prec, field, alias, reserved, token, module, require */

const tables = require('./keywords.json');

const used = new Set();
const known = new Set([
  ...tables.reserved,
  ...tables.statements,
  ...Object.values(tables.heads).flat(),
  ...Object.values(tables.closers).flat(),
  ...tables.comment_block,
]);

/**
 * A keyword in its two spellings; the node has the upper-case one as its name, except for `ERROR`, which queries take
 * for an error node.
 */
function kw(word) {
  if (!known.has(word)) throw new Error(`\`${word}\` is not in keywords.json`);
  used.add(word);
  return alias(spellings(word), word === 'ERROR' ? 'error' : word);
}

function spellings(word) {
  return token(choice(word, word.toLowerCase()));
}

/** The words that close a block of a kind. */
function closer(kind) {
  return choice(...[...tables.closers.ANY, ...tables.closers[kind]].map(kw));
}

function commaSep1(rule) {
  return seq(rule, repeat(seq(',', rule)));
}

/** Elements in brackets, where the last one may be followed by a comma. */
function elements(rule) {
  return optional(seq(commaSep1(rule), optional(',')));
}

/** The parameters after those that every call gives. */
function groups($, inParentheses) {
  const last = (group, withComma) => (inParentheses ? choice(group, alias(withComma, group)) : group);
  return choice(
    last($.optional, $._last_optional),
    seq(optional($.optional), last($.returns, $._last_returns)),
  );
}

const PREC = {
  or: 1,
  and: 2,
  bit_or: 3,
  bit_xor: 4,
  bit_and: 5,
  compare: 6,
  add: 7,
  multiply: 8,
  unary: 9,
  power: 10,
  postfix: 11,
  call: 12,
};

module.exports = checked(grammar({
  name: 'neuroscript',

  word: ($) => $.identifier,

  // Any word may follow a dot, or be the name of an argument.
  reserved: {
    // The generator finds the token of a keyword by the rule inside it.
    names: () => tables.reserved.map((word) => choice(word, word.toLowerCase())),
    words: () => [],
  },

  externals: ($) => [
    $._newline,
    $.comment_text,
    $.metadata_key,
    $.metadata_value,
    $._raw_text,
    $._template_text,
    $._template_open,
    $._template_end,
    $._error_sentinel,
  ],

  extras: ($) => [/[ \t\n]/, /\r\n/, $.line_continuation, $.comment],

  supertypes: ($) => [$.expression, $.statement],

  inline: ($) => [$._item, $._top_item, $._contextual],

  rules: {
    source_file: ($) => repeat($._top_item),

    _top_item: ($) =>
      choice(
        seq(
          choice(
            $.statement,
            $.procedure_definition,
            $.function_definition,
            $.command_block,
            $.use_statement,
            $.file_version,
            $.metadata,
            $.comment_block,
          ),
          $._newline,
        ),
      ),

    block: ($) => repeat1($._item),

    _item: ($) => seq(choice($.statement, $.metadata, $.comment_block), $._newline),

    statement: ($) =>
      choice(
        $.set_statement,
        $.emit_statement,
        $.call_statement,
        $.if_statement,
        $.while_statement,
        $.for_statement,
        $.return_statement,
        $.must_statement,
        $.fail_statement,
        $.break_statement,
        $.continue_statement,
        $.on_error_statement,
        $.clear_error_statement,
      ),

    // Lines that are not executed.

    line_continuation: () => token(/\\[ \t]*\r?\n/),

    comment: () => token(choice(/#[^\r\n]*/, /--[^\r\n]*/, /\/\/[^\r\n]*/)),

    comment_block: ($) =>
      seq(
        kw('COMMENT:'),
        optional($.comment_text),
        kw('ENDCOMMENT'),
      ),

    metadata: ($) =>
      seq(
        '::',
        optional(field('key', $.metadata_key)),
        optional(seq(':', optional(field('value', $.metadata_value)))),
      ),

    file_version: ($) => seq(kw('FILE_VERSION'), $._text),

    // Statements.

    set_statement: ($) =>
      seq(
        choice(kw('SET'), kw('VAR')),
        field('target', commaSep1($._place)),
        '=',
        field('value', $.expression),
      ),

    _place: ($) =>
      choice($.identifier, alias($.place_member, $.member), alias($.place_index, $.index)),
    place_member: ($) => seq(field('object', $._place), '.', field('property', $._property)),
    place_index: ($) => seq(field('object', $._place), '[', field('index', $.expression), ']'),

    emit_statement: ($) => seq(kw('EMIT'), optional(commaSep1($.expression))),

    call_statement: ($) => seq(kw('CALL'), $.call),

    if_statement: ($) =>
      seq(
        kw('IF'),
        field('condition', $.expression),
        optional(kw('THEN')),
        $._newline,
        optional(field('consequence', $.block)),
        repeat($.else_if_clause),
        optional($.else_clause),
        closer('IF'),
      ),

    else_if_clause: ($) =>
      seq(
        kw('ELSE'),
        kw('IF'),
        field('condition', $.expression),
        optional(kw('THEN')),
        $._newline,
        optional(field('consequence', $.block)),
      ),

    else_clause: ($) => seq(kw('ELSE'), $._newline, optional(field('body', $.block))),

    while_statement: ($) =>
      seq(
        kw('WHILE'),
        field('condition', $.expression),
        optional(kw('DO')),
        $._newline,
        optional(field('body', $.block)),
        closer('WHILE'),
      ),

    for_statement: ($) =>
      seq(
        kw('FOR'),
        kw('EACH'),
        field('variable', $.identifier),
        optional(seq(',', field('variable', $.identifier))),
        kw('IN'),
        field('source', $.expression),
        optional(kw('DO')),
        $._newline,
        optional(field('body', $.block)),
        closer('FOR'),
      ),

    return_statement: ($) => seq(kw('RETURN'), optional(commaSep1($.expression))),

    must_statement: ($) =>
      seq(
        kw('MUST'),
        field('condition', $.expression),
        optional(seq(',', field('message', $.expression))),
      ),

    fail_statement: ($) => seq(kw('FAIL'), optional(field('message', $.expression))),

    break_statement: () => kw('BREAK'),

    continue_statement: () => kw('CONTINUE'),

    on_error_statement: ($) =>
      seq(
        kw('ON'),
        kw('ERROR'),
        optional(seq(kw('AS'), field('variable', $.identifier))),
        optional(kw('DO')),
        $._newline,
        optional(field('body', $.block)),
        closer('ON'),
      ),

    clear_error_statement: () => kw('CLEAR_ERROR'),

    use_statement: ($) =>
      seq(
        kw('USE'),
        field('path', choice($.string, $.raw_string)),
        kw('AS'),
        field('name', $.identifier),
      ),

    // Procedures.

    procedure_definition: ($) =>
      seq(
        kw('DEFINE'),
        kw('PROCEDURE'),
        field('name', $.identifier),
        optional(field('parameters', $.parameters)),
        $._newline,
        optional(field('body', $.block)),
        closer('DEFINE'),
      ),

    function_definition: ($) =>
      seq(
        kw('FUNC'),
        field('name', $.identifier),
        optional(field('parameters', $.parameters)),
        kw('MEANS'),
        $._newline,
        optional(field('body', $.block)),
        closer('FUNC'),
      ),

    command_block: ($) =>
      seq(kw('COMMAND'), $._newline, optional(field('body', $.block)), closer('COMMAND')),

    parameters: ($) =>
      choice(
        seq(
          '(',
          optional(
            choice(
              seq(commaSep1($.parameter), optional(',')),
              seq(optional(commaSep1($.parameter)), groups($, true)),
              seq($.needs, optional(groups($, true))),
              alias($._last_needs, $.needs),
            ),
          ),
          ')',
        ),
        seq($.needs, optional(groups($, false))),
        groups($, false),
      ),

    needs: ($) => seq(kw('NEEDS'), commaSep1($.parameter)),
    optional: ($) => seq(kw('OPTIONAL'), commaSep1($.parameter)),
    returns: ($) => seq(kw('RETURNS'), commaSep1($._parameter_name)),

    // The last of them in parentheses, with a comma at its end.
    _last_needs: ($) => seq(kw('NEEDS'), commaSep1($.parameter), ','),
    _last_optional: ($) => seq(kw('OPTIONAL'), commaSep1($.parameter), ','),
    _last_returns: ($) => seq(kw('RETURNS'), commaSep1($._parameter_name), ','),

    parameter: ($) =>
      seq(
        field('name', $._parameter_name),
        optional(seq(':', field('default', $.expression))),
      ),

    _parameter_name: ($) => choice($.identifier, prec(-1, alias($._contextual, $.identifier))),

    // In `(needs)`, the word is a name; in `(needs a)` it is a keyword.
    _contextual: () => choice(kw('NEEDS'), kw('OPTIONAL'), kw('RETURNS'), kw('MEANS')),

    // Expressions.

    expression: ($) =>
      choice(
        $.binary_expression,
        $.unary_expression,
        $._primary,
      ),

    _primary: ($) =>
      choice(
        $.identifier,
        $.boolean,
        $.nil,
        $.last,
        $.number,
        $._text,
        $.parenthesized_expression,
        $.list,
        $.map,
        $.placeholder,
        $.member,
        $.index,
        $.call,
        $.explicit_call,
      ),

    binary_expression: ($) =>
      choice(
        ...[
          [kw('OR'), PREC.or],
          [kw('AND'), PREC.and],
          ['|', PREC.bit_or],
          ['^', PREC.bit_xor],
          ['&', PREC.bit_and],
          [
            choice('==', '!=', '<', '<=', '>', '>=', kw('IN'), seq(kw('NOT'), kw('IN'))),
            PREC.compare,
          ],
          [choice('+', '-'), PREC.add],
          [choice('*', '/', '%'), PREC.multiply],
        ].map(([operator, level]) =>
          prec.left(
            level,
            seq(
              field('left', $.expression),
              field('operator', operator),
              field('right', $.expression),
            ),
          ),
        ),
        prec.right(
          PREC.power,
          seq(
            field('left', $.expression),
            field('operator', '**'),
            field('right', $.expression),
          ),
        ),
      ),

    unary_expression: ($) =>
      prec(
        PREC.unary,
        seq(field('operator', choice('-', '~', kw('NOT'))), field('operand', $.expression)),
      ),

    parenthesized_expression: ($) => seq('(', $.expression, ')'),

    call: ($) =>
      prec(
        PREC.postfix,
        seq(
          field('function', choice($.identifier, $.member)),
          field('arguments', $.arguments),
        ),
      ),

    explicit_call: ($) => prec(PREC.call, seq(kw('CALL'), $.call)),

    arguments: ($) => seq('(', elements(choice($.expression, $.named_argument)), ')'),

    named_argument: ($) =>
      seq(field('name', $._label), ':', field('value', $.expression)),

    _label: ($) =>
      choice(
        reserved('words', $.identifier),
        alias(
          choice(
            ...['CALL', 'NOT', 'LAST', 'TRUE', 'FALSE', 'NIL', 'NULL'].map(spellings),
          ),
          $.identifier,
        ),
      ),

    member: ($) =>
      prec(
        PREC.postfix,
        seq(field('object', $._primary), '.', field('property', $._property)),
      ),

    index: ($) =>
      prec(
        PREC.postfix,
        seq(field('object', $._primary), '[', field('index', $.expression), ']'),
      ),

    _property: ($) => alias(reserved('words', $.identifier), $.property_identifier),

    list: ($) => seq('[', elements($.expression), ']'),

    map: ($) => seq('{', elements($.pair), '}'),

    pair: ($) =>
      seq(
        field('key', choice($.string, $.raw_string)),
        ':',
        field('value', $.expression),
      ),

    placeholder: ($) =>
      seq(
        '{{',
        choice($.identifier, $.last, $.boolean, $.nil),
        repeat(seq('.', $._property)),
        '}}',
      ),

    // Literals.

    boolean: () => choice(kw('TRUE'), kw('FALSE')),
    nil: () => choice(kw('NIL'), kw('NULL')),
    last: () => kw('LAST'),

    number: () => token(/[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?/),

    _text: ($) => choice($.string, $.raw_string, $.template),

    string: ($) =>
      choice(
        seq('"', repeat(choice(alias($._double, $.string_content), $.escape_sequence)), token.immediate('"')),
        seq("'", repeat(choice(alias($._single, $.string_content), $.escape_sequence)), token.immediate("'")),
      ),

    _double: () => token.immediate(prec(1, /[^"\\\r\n]+/)),
    _single: () => token.immediate(prec(1, /[^'\\\r\n]+/)),

    escape_sequence: () =>
      token.immediate(
        prec(
          1,
          /\\(["'\\\/nrtbf]|x[0-7][0-9a-fA-F]|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\})/,
        ),
      ),

    raw_string: ($) =>
      seq("'''", optional(alias($._raw_text, $.string_content)), token.immediate("'''")),

    template: ($) =>
      seq(
        '```',
        repeat(choice($._template_text, $.interpolation)),
        alias($._template_end, '```'),
      ),

    // The scanner has seen that this is one; it takes any character beyond ASCII for a letter.
    interpolation: ($) =>
      seq(
        alias($._template_open, '{{'),
        alias($._template_name, $.identifier),
        repeat(seq('.', alias($._template_name, $.property_identifier))),
        '}}',
      ),

    _template_name: () => token(/[A-Za-z_\u{80}-\u{10FFFF}][A-Za-z0-9_\u{80}-\u{10FFFF}]*/u),

    identifier: () => token(/[_\p{XID_Start}]\p{XID_Continue}*/u),
  },
}));

/** Fails if a word of the tables has no use in the grammar. */
function checked(rules) {
  const unused = [...known].filter((word) => !used.has(word));
  if (unused.length > 0) throw new Error(`the grammar does not use ${unused.join(', ')}`);
  return rules;
}
