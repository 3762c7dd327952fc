// SPDX-License-Identifier: Apache-2.0
/*
 * syntax.h - from WGSL text to a syntax tree.
 *
 * in     any bytes
 * out    a Module (ast.h) and diagnostics; after an error the module holds
 *        what could be understood, with EXPR_ERROR and STMT_ERROR for the rest
 * knows  WGSL chapters 3 (textual structure) and the grammar of the others
 * not    what names mean, types
 */
#ifndef WEFT_SYNTAX_SYNTAX_H
#define WEFT_SYNTAX_SYNTAX_H

#include "base/text.h"
#include "syntax/ast.h"

#define SYNTAX_MAX_SOURCE (32u << 20)   /* bytes */

/*
 * Parses `source` into a module in `arena`; never NULL. Runs under the caller's
 * arena_try(). The parser recovers at statements and declarations, so several
 * independent mistakes are each reported once.
 */
Module *syntax_parse(Arena *arena, Str source, Diag *diag);

/* The name with this spelling, made if it is new. */
Name *syntax_name(Module *m, Str text);

/* Whether the text is a keyword or a reserved word. */
bool syntax_is_word(Str text);

/* For --dump=tokens and --dump=ast. The tree is printed as WGSL again, with every
 * operation in parentheses. */
void syntax_dump_tokens(Text *out, Str source);
void syntax_dump_module(Text *out, const Module *m);

#endif
