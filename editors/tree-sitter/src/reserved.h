// Reserved words that cannot be the name in a placeholder, in both spellings. Written by
// `UPDATE=1 cargo test --test integration -- editors::`.

#ifndef NEUROSCRIPT_RESERVED_H
#define NEUROSCRIPT_RESERVED_H

#include <stddef.h>

static const char *const RESERVED[] = {
  "IF", "if",
  "THEN", "then",
  "ELSE", "else",
  "END", "end",
  "ENDBLOCK", "endblock",
  "WHILE", "while",
  "DO", "do",
  "FOR", "for",
  "EACH", "each",
  "IN", "in",
  "SET", "set",
  "VAR", "var",
  "CALL", "call",
  "RETURN", "return",
  "EMIT", "emit",
  "AND", "and",
  "OR", "or",
  "NOT", "not",
  "MUST", "must",
  "FAIL", "fail",
  "TRUE", "true",
  "FALSE", "false",
  "NIL", "nil",
  "NULL", "null",
  NULL,
};

#endif
