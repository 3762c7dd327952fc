// SPDX-License-Identifier: Apache-2.0
/*
 * schema.h - JSON schemas become grammars.
 *
 * Supported: type (also a list), properties, required, additionalProperties, items,
 * prefixItems, minItems, maxItems, enum, const, anyOf, oneOf, allOf (of objects and enums),
 * $ref within the schema, minLength, maxLength, pattern, format (date, time, date-time,
 * uuid), minimum, maximum and their exclusive forms for integers. Numbers have at most 16
 * digits. Other keywords do not restrict the text.
 */
#ifndef WEFT_MODEL_SCHEMA_H
#define WEFT_MODEL_SCHEMA_H

#include "base/arena.h"
#include "base/str.h"
#include "model/fault.h"

#define SCHEMA_MAX_DEPTH 100u

/* GBNF in the arena, one rule a line, sorted by name; the first rule is `root`. Rules are
 * named after the path in the schema. */
bool schema_to_grammar(Str *out, Arena *a, Str json, Fault *fault);

#endif
