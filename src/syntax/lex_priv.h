// SPDX-License-Identifier: Apache-2.0
/*
 * lex_priv.h - from text to tokens; private to syntax/.
 *
 * in     the source of a module: valid UTF-8 without NUL (parse.c sees to it)
 * out    tokens, one at a time; what is not a token comes out as TOKEN_INVALID
 * knows  WGSL "Textual Structure"
 * not    diagnostics: the parser reports an invalid token
 */
#ifndef WEFT_SYNTAX_LEX_PRIV_H
#define WEFT_SYNTAX_LEX_PRIV_H

#include "syntax/ast.h"

typedef enum TokenKind {
#define TOKEN(kind, text)       TOKEN_##kind,
#define PUNCTUATION(kind, text) TOKEN_##kind,
#define KEYWORD(kind, text)     TOKEN_##kind,
#include "syntax/token.def"
#undef TOKEN
#undef PUNCTUATION
#undef KEYWORD
    TOKEN_KIND_COUNT
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Span      span;
    Name     *name;                 /* of names, keywords and reserved words       */
} Token;

/* A '<' that may open a template list. */
typedef struct Candidate {
    uint32_t at;                    /* byte offset                                 */
    uint32_t depth;                 /* of brackets around it, from where the search
                                       for template lists began                    */
} Candidate;

typedef struct Lexer {
    Module   *module;               /* of the names                                */
    Str       source;
    uint32_t  at;                   /* first byte not yet read                     */
    /* Template lists (template.c): */
    uint64_t *delimiters;           /* one bit a byte of source: is this '<' or '>'
                                       a delimiter?       NULL: none found so far  */
    uint32_t  searched;             /* delimiters are known up to here             */
    VEC(Candidate) pending;         /* '<' without '>' so far                      */
} Lexer;

void  lex_init(Lexer *x, Module *m);
Token lex_next(Lexer *x);

/* What a kind is called in messages: "a name", "'&&'". */
const char *token_kind_text(TokenKind kind);
bool        token_is_keyword(TokenKind kind);
/* TOKEN_RESERVED or the keyword that `text` is; 0: neither. */
TokenKind   token_find_word(Str text);

/* ---- pieces of the text; each returns where the piece ends ---- */

/* Past blankspace and comments; stops at a block comment that has no end. */
uint32_t lex_skip_blank(Str s, uint32_t at);
/* Past a name or keyword; `at` itself if there is none. '_' alone is none. */
uint32_t lex_skip_name(Str s, uint32_t at);
/* Past a number, with everything glued to it that could be part of a name, so
 * that "1u32" is one mistake; `at` itself if there is none. */
uint32_t lex_skip_number(Str s, uint32_t at);
/* Bytes of the line break at `at`; 0: none. */
uint32_t lex_line_break(Str s, uint32_t at);

/* ---- template.c ---- */

/* Finds the template lists that start at the '<' at `at`, which follows a name,
 * and all that begin before the first of them is decided. */
void template_discover(Lexer *x, uint32_t at);

static inline bool template_is_delimiter(const Lexer *x, uint32_t at)
{
    return x->delimiters && (x->delimiters[at / 64] >> at % 64 & 1);
}

/* ---- literal.c ---- */

typedef struct Number {
    LiteralKind kind;
    uint64_t    integer;
    double      real;
} Number;

/* The value of a number as lex_skip_number() cuts it out. NULL: it is fine;
 * otherwise what is wrong, as the end of a sentence that starts with the number,
 * and *id which diagnostic it is. */
const char *literal_read(Str text, Number *out, DiagId *id);

#endif
