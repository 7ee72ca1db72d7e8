// The part of NeuroScript's lexical grammar that depends on the place in a line or needs to look ahead: the ends of
// statements, metadata, `COMMENT:` blocks, and placeholders in templates. It keeps no state.

#include "reserved.h"
#include "tree_sitter/parser.h"

enum Token {
  NEWLINE,
  COMMENT_TEXT,
  METADATA_KEY,
  METADATA_VALUE,
  RAW_TEXT,
  TEMPLATE_TEXT,
  TEMPLATE_OPEN,
  TEMPLATE_END,
  // Never part of a text. It is valid only while the parser recovers from an error.
  ERROR_SENTINEL,
};

// No character.
#define NOTHING (-1)

// Longest word that is compared with a keyword.
#define LONGEST_WORD 16

static inline void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

static inline void skip(TSLexer *lexer) { lexer->advance(lexer, true); }

static inline bool is_blank(int32_t c) { return c == ' ' || c == '\t'; }

// Any character beyond ASCII counts as a letter.
static inline bool is_word_char(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool same(const char *a, const char *b) {
  while (*a != 0 && *a == *b) a++, b++;
  return *a == *b;
}

// Reads a word; `word` gets its characters if it is short and in ASCII, and is empty otherwise.
static void read_word(TSLexer *lexer, char word[LONGEST_WORD + 1]) {
  unsigned length = 0;
  bool fits = true;
  while (is_word_char(lexer->lookahead)) {
    fits = fits && length < LONGEST_WORD && lexer->lookahead < 0x80;
    if (fits) word[length++] = (char)lexer->lookahead;
    advance(lexer);
  }
  word[fits ? length : 0] = 0;
}

static bool is_any(const char *word, const char *const *words) {
  for (; *words != NULL; words++) {
    if (same(word, *words)) return true;
  }
  return false;
}

static bool token(TSLexer *lexer, enum Token kind) {
  lexer->result_symbol = kind;
  return true;
}

// The end of a line, or of the text.
static bool scan_newline(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) skip(lexer);
  if (lexer->eof(lexer)) {
    lexer->mark_end(lexer);
    return token(lexer, NEWLINE);
  }
  if (lexer->lookahead == '\r') advance(lexer);
  if (lexer->lookahead != '\n') return false;
  advance(lexer);
  lexer->mark_end(lexer);
  return token(lexer, NEWLINE);
}

// The body of a comment block, up to `ENDCOMMENT`: anywhere on its first line, first on any other.
static bool scan_comment_text(TSLexer *lexer) {
  static const char *const closers[] = {"ENDCOMMENT", "endcomment", NULL};
  bool on_first_line = true, may_close = true, is_empty = true;
  lexer->mark_end(lexer);
  while (!lexer->eof(lexer)) {
    if (is_word_char(lexer->lookahead)) {
      char word[LONGEST_WORD + 1];
      read_word(lexer, word);
      if (may_close && is_any(word, closers)) break;
      may_close = on_first_line;
    } else if (lexer->lookahead == '\n') {
      advance(lexer);
      on_first_line = false;
      may_close = true;
      // The blanks before a closer belong to no token.
      lexer->mark_end(lexer);
      is_empty = false;
      while (is_blank(lexer->lookahead)) advance(lexer);
      continue;
    } else {
      may_close = on_first_line;
      advance(lexer);
    }
    lexer->mark_end(lexer);
    is_empty = false;
  }
  return !is_empty && token(lexer, COMMENT_TEXT);
}

// The rest of a line of metadata, or its part up to `end`, without the blanks around it. `\` at a line's end joins the
// next line.
static bool scan_metadata(TSLexer *lexer, int32_t end, enum Token kind) {
  bool is_empty = true, ends_in_backslash = false;
  while (is_blank(lexer->lookahead)) skip(lexer);
  while (!lexer->eof(lexer) && lexer->lookahead != end) {
    int32_t c = lexer->lookahead;
    if (c == '\n' && !ends_in_backslash) break;
    advance(lexer);
    if (is_blank(c) || c == '\r') continue;
    if (c == '\n') {
      ends_in_backslash = false;
      continue;
    }
    ends_in_backslash = c == '\\';
    lexer->mark_end(lexer);
    is_empty = false;
  }
  return !is_empty && token(lexer, kind);
}

// The body of a raw string, up to the first `'''`.
static bool scan_raw_text(TSLexer *lexer) {
  bool is_empty = true;
  while (!lexer->eof(lexer)) {
    lexer->mark_end(lexer);
    unsigned count = 0;
    for (; count < 3 && lexer->lookahead == '\''; count++) advance(lexer);
    if (count == 3) return !is_empty && token(lexer, RAW_TEXT);
    if (count == 0) advance(lexer);
    is_empty = false;
  }
  lexer->mark_end(lexer);
  return !is_empty && token(lexer, RAW_TEXT);
}

// What follows `{{` when it begins a placeholder: a dotted name in blanks, and `}}`.
static bool is_placeholder(TSLexer *lexer) {
  bool is_first = true;
  while (is_blank(lexer->lookahead)) advance(lexer);
  for (;;) {
    char word[LONGEST_WORD + 1];
    if (is_digit(lexer->lookahead) || !is_word_char(lexer->lookahead)) return false;
    read_word(lexer, word);
    if (is_first && is_any(word, RESERVED)) return false;
    is_first = false;
    if (lexer->lookahead != '.') break;
    advance(lexer);
  }
  while (is_blank(lexer->lookahead)) advance(lexer);
  if (lexer->lookahead != '}') return false;
  advance(lexer);
  return lexer->lookahead == '}';
}

// Text of a template, or the mark that ends it: the start of a placeholder, or the closing backticks.
static bool scan_template(TSLexer *lexer) {
  bool is_empty = true;
  while (!lexer->eof(lexer)) {
    lexer->mark_end(lexer);
    if (lexer->lookahead == '`') {
      unsigned count = 0;
      for (; count < 3 && lexer->lookahead == '`'; count++) advance(lexer);
      if (count == 3) {
        if (!is_empty) return token(lexer, TEMPLATE_TEXT);
        lexer->mark_end(lexer);
        return token(lexer, TEMPLATE_END);
      }
    } else if (lexer->lookahead == '{') {
      advance(lexer);
      if (lexer->lookahead == '{') {
        // The end of the token cannot go back, so what may be a placeholder begins a token.
        if (!is_empty) return token(lexer, TEMPLATE_TEXT);
        lexer->mark_end(lexer);
        advance(lexer);
        // In `{{{`, a placeholder can begin only with the last two.
        if (lexer->lookahead == '{') return token(lexer, TEMPLATE_TEXT);
        lexer->mark_end(lexer);
        return token(lexer, is_placeholder(lexer) ? TEMPLATE_OPEN : TEMPLATE_TEXT);
      }
    } else {
      advance(lexer);
    }
    is_empty = false;
  }
  lexer->mark_end(lexer);
  return !is_empty && token(lexer, TEMPLATE_TEXT);
}

void *tree_sitter_neuroscript_external_scanner_create(void) { return NULL; }

void tree_sitter_neuroscript_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_neuroscript_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload, (void)buffer;
  return 0;
}

void tree_sitter_neuroscript_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload, (void)buffer, (void)length;
}

bool tree_sitter_neuroscript_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  // A line end is where the parser finds back after an error. At the end of the text it would never end.
  if (valid[ERROR_SENTINEL]) return !lexer->eof(lexer) && scan_newline(lexer) && !lexer->eof(lexer);
  if (valid[RAW_TEXT]) return scan_raw_text(lexer);
  if (valid[TEMPLATE_TEXT]) return scan_template(lexer);
  if (valid[COMMENT_TEXT]) return scan_comment_text(lexer);
  if (valid[METADATA_KEY] && scan_metadata(lexer, ':', METADATA_KEY)) return true;
  if (valid[METADATA_VALUE] && scan_metadata(lexer, NOTHING, METADATA_VALUE)) return true;
  return valid[NEWLINE] && scan_newline(lexer);
}
