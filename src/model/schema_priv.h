// SPDX-License-Identifier: Apache-2.0
/*
 * schema_priv.h - between the parts of the schema converter.
 *
 * Texts of rules are NUL-terminated strings in the converter's arena. A fault leaves them
 * as "" and ends the conversion at the next check.
 */
#ifndef WEFT_MODEL_SCHEMA_PRIV_H
#define WEFT_MODEL_SCHEMA_PRIV_H

#include "model/schema.h"
#include "model/value.h"

#define SCHEMA_NO_MAX INT64_MAX

typedef struct Schema {
    Arena   *arena;
    Value    root;
    Dict    *rules;                 /* name -> text                                        */
    Dict    *open_refs;             /* references being converted                          */
    uint32_t depth;
    Fault   *fault;
} Schema;

/* Adds a rule; a name that is taken by another text gets a number. Returns the name. */
const char *schema_add_rule(Schema *s, const char *name, const char *text);
/* Adds a rule of the table of primitives and what it uses. */
const char *schema_add_primitive(Schema *s, const char *name, const char *primitive);

/* item repeated, with a separator between two (NULL: none). */
const char *schema_repeat(Schema *s, const char *item, int64_t min, int64_t max,
                          const char *separator);

/* A JSON text as a GBNF literal. */
const char *schema_literal(Schema *s, Value v);
/* A GBNF literal of any text. */
const char *schema_quote(Schema *s, const char *text);

/* Integers from min to max, either of them absent as INT64_MIN and INT64_MAX; never both. */
void schema_integer_range(Text *t, int64_t min, int64_t max);

/* A regular expression as a rule; the name of the rule. One that a grammar cannot express
 * (look-around, \w, no ^ and $) accepts any string. */
const char *schema_pattern(Schema *s, const char *name, Str pattern);

/* A rule for JSON strings other than the names of these properties. */
const char *schema_other_keys(Schema *s, const Value *names, uint32_t count);

#endif
