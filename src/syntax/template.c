// SPDX-License-Identifier: Apache-2.0
/*
 * template.c - which '<' and '>' delimit template lists.
 *
 * in     the text from a '<' that follows a name
 * out    a bit for each delimiter in Lexer.delimiters
 * knows  WGSL "Template Lists": the discovery algorithm, code point by code point
 * not    tokens, the grammar, names: "a<b" is decided by what follows alone
 *
 * The search runs when the lexer meets a '<' that nothing is known about, and
 * ends as soon as no '<' is undecided. The lexer then does not ask again before
 * that place, so each byte is searched once and the whole stays linear. Depths
 * count from where the search began: only differences matter, because a bracket
 * that closes one opened before takes every candidate with it.
 */
#include "syntax/lex_priv.h"

typedef struct Search {
    Lexer   *lexer;
    Str      s;
    uint32_t at, depth;
} Search;

static bool next_is(const Search *f, char c)
{
    return f->at < f->s.len && f->s.data[f->at] == c;
}

static void mark(Lexer *x, uint32_t at)
{
    if (!x->delimiters)
        x->delimiters = ARENA_ARRAY(x->module->arena, uint64_t, x->source.len / 64 + 1);
    x->delimiters[at / 64] |= (uint64_t)1 << at % 64;
}

/* Drops the candidates inside the innermost bracket. */
static void drop_inner(Search *f)
{
    Lexer *x = f->lexer;
    while (x->pending.len > 0 && x->pending.data[x->pending.len - 1].depth >= f->depth)
        x->pending.len--;
}

static void drop_all(Search *f)
{
    f->lexer->pending.len = 0;
    f->depth = 0;
}

/* At '<' after a name. */
static void open_angle(Search *f)
{
    Candidate candidate = {f->at++, f->depth};
    /* No argument starts with either: this is "<<" or "<=". */
    if (next_is(f, '<') || next_is(f, '='))
        f->at++;
    else
        VEC_PUSH(f->lexer->module->arena, &f->lexer->pending, candidate);
}

static void close_angle(Search *f)
{
    Lexer *x = f->lexer;
    uint32_t at = f->at++;
    uint32_t len = x->pending.len;
    if (len > 0 && x->pending.data[len - 1].depth == f->depth) {
        mark(x, x->pending.data[len - 1].at);
        mark(x, at);
        x->pending.len--;
    } else if (next_is(f, '=')) {
        f->at++;
    }
}

/* "==" compares; "=" assigns, which no argument does. */
static void equals(Search *f)
{
    f->at++;
    if (next_is(f, '='))
        f->at++;
    else
        drop_all(f);
}

/* "&&" and "||" bind weaker than comparisons: "a<b || c>d" has no list. */
static void logical(Search *f, char c)
{
    f->at++;
    if (next_is(f, c)) {
        drop_inner(f);
        f->at++;
    }
}

static void punctuation(Search *f)
{
    char c = f->s.data[f->at];
    switch (c) {
    case '>': close_angle(f); break;
    case '=': equals(f);      break;
    case '&': case '|': logical(f, c); break;
    case '(': case '[':
        f->depth++;
        f->at++;
        break;
    case ')': case ']':
        drop_inner(f);
        f->depth -= f->depth > 0;
        f->at++;
        break;
    case '!':
        f->at++;
        f->at += next_is(f, '=');
        break;
    case ';': case '{': case ':':
        drop_all(f);
        f->at++;
        break;
    default:
        f->at++;
        break;
    }
}

static bool is_bool_literal(Str s, uint32_t at, uint32_t end)
{
    Str word = {s.data + at, end - at};
    return str_eq(word, STR("true")) || str_eq(word, STR("false"));
}

/* One round of the algorithm's loop. */
static void step(Search *f)
{
    uint32_t end;
    if ((end = lex_skip_name(f->s, f->at)) > f->at) {
        bool literal = is_bool_literal(f->s, f->at, end);
        f->at = lex_skip_blank(f->s, end);
        if (next_is(f, '<') && !literal)
            open_angle(f);
    } else if ((end = lex_skip_number(f->s, f->at)) > f->at) {
        f->at = end;
    } else {
        punctuation(f);
    }
}

void template_discover(Lexer *x, uint32_t at)
{
    Search f = {.lexer = x, .s = x->source, .at = at};
    open_angle(&f);
    while (x->pending.len > 0) {
        f.at = lex_skip_blank(f.s, f.at);
        if (f.at >= f.s.len)
            break;
        /* A comment without an end goes on to the end of the text. */
        if (f.s.data[f.at] == '/' && f.at + 1 < f.s.len && f.s.data[f.at + 1] == '*') {
            f.at = f.s.len;
            break;
        }
        step(&f);
    }
    x->pending.len = 0;
    x->searched = f.at;
}
